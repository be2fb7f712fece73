"""The pages around the labelling page, in a real browser: judge, draw, agree, import, export."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labeler import sample
from labeler.store import verdicts
from labeler.store.db import open_reader, open_store
from tests.browser.serving import Server
from tests.judged import fill
from tests.servers.answers import KEY
from tests.servers.claude import Claude

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


@pytest.fixture
def pages(chromium: Any) -> Iterator[Open]:
    """Opens a page of an app; what it asks other hosts for fails the test."""
    contexts = []
    foreign: list[str] = []

    def open_page(server: Server, path: str, **options: Any) -> Any:
        context = chromium.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on(
            "request",
            lambda asked: (
                foreign.append(asked.url)
                if not asked.url.startswith((server.url, "data:", "blob:", "ws:"))
                else None
            ),
        )
        page.goto(f"{server.url}/{path}")
        page.wait_for_selector("h1, [data-testid=labeling-card]", timeout=60_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert foreign == []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on the sample project."""
    folder = tmp_path_factory.mktemp("demo")
    with open_store(folder / "labeler.duckdb") as store:
        sample.make(store)
    server = Server(folder / "labeler.duckdb")
    server.start()
    yield server
    server.end()


def test_every_answer_carries_the_security_headers(demo: Server) -> None:
    with urllib.request.urlopen(f"{demo.url}/", timeout=10) as answer:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_a_file_comes_in_by_upload_and_a_bad_one_leaves_nothing(
    demo: Server, pages: Open, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.qrels"
    bad.write_text("q1 0 p1 1\nq1 0 p2\n", encoding="utf-8")
    page = pages(demo, "data?as=lee")
    page.get_by_label("What do you bring?").click()
    page.get_by_role("option", name="Verdicts of a judge").click()
    page.get_by_label("Judge", exact=True).fill("uploaded")
    page.locator("input[type=file]").set_input_files(bad)
    page.get_by_text("bad.qrels").wait_for()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("bad.qrels, line 2").wait_for()
    with open_reader(demo.db) as store:
        assert [found.judge for found in verdicts.judges(store)] == ["lexical"]
    good = tmp_path / "good.qrels"
    good.write_text("q1 0 p1 1\nq1 0 p2 0\n", encoding="utf-8")
    page.locator("input[type=file]").set_input_files(good)
    page.get_by_text("good.qrels").wait_for()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("2 read, 2 added").wait_for()


def test_an_export_is_downloaded_whole(demo: Server, pages: Open) -> None:
    page = pages(demo, "data?as=lee")
    page.get_by_role("tab", name="Export").click()
    page.get_by_label("What do you take?").click()
    page.get_by_role("option", name="queries").click()
    page.get_by_role("button", name="Prepare the file").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download queries.jsonl").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 69
    assert json.loads(lines[0])["query_id"]


def test_the_numbers_of_a_page_are_downloaded_as_the_terminal_prints_them(
    demo: Server, pages: Open
) -> None:
    page = pages(demo, "triage?as=lee")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download triage.json").click()
    taken = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert taken["n"] == len(taken["queries"]) == sum(taken["counts"].values()) > 0


def test_a_click_on_a_cell_of_the_matrix_lists_its_cases(demo: Server, pages: Open) -> None:
    page = pages(demo, "label?as=ana")
    page.wait_for_selector("[data-testid=labeling-card][data-passage-id]")
    for _ in range(4):
        page.keyboard.press("3")
        page.wait_for_timeout(300)
    page.wait_for_selector("[data-testid=save-state][data-pending='0']")
    page = pages(demo, "agreement?as=lee&spotcheck=first")
    page.get_by_text("UNDECIDED").wait_for()
    page.get_by_role("heading", name="Disagreements").wait_for()
    page.get_by_test_id("stVegaLiteChart").first.locator("canvas, svg").first.wait_for()
    chart = page.get_by_test_id("stVegaLiteChart").first.bounding_box()
    assert chart is not None
    # The middle of the matrix is the cell PART against PART.
    page.mouse.click(chart["x"] + chart["width"] * 0.58, chart["y"] + chart["height"] * 0.58)
    page.get_by_role("heading", name="People PART, judge PART").wait_for()


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[tuple[Server, Claude]]:
    """An app whose Claude is a slow loopback server, with 60 pairs to judge."""
    with open_store(tmp_path / "labeler.duckdb") as store:
        fill(store, 60)
    with Claude(latency=0.5) as service:
        server = Server(
            tmp_path / "labeler.duckdb",
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=service.url,
        )
        server.start()
        yield server, service
        server.end()


def test_the_judge_is_run_watched_and_stopped_from_the_page(
    judged: tuple[Server, Claude], pages: Open
) -> None:
    server, service = judged
    page = pages(server, "judge?as=lee")
    page.get_by_role("button", name="What would it cost?").click()
    page.get_by_text("60 requests. Nothing has been bought.").wait_for()
    assert not service.paid
    page.get_by_role("button", name="Judge", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("pairs judged").wait_for(timeout=60_000)
    with open_reader(server.db) as store:
        stored = sum(found.ok for found in verdicts.judges(store))
    assert stored == service.paid.total()
    page.get_by_role("button", name="Judge", exact=True).click()
    page.get_by_text("60 verdicts").wait_for(timeout=60_000)
    assert service.paid.total() == 60  # what had come back before the stop was not bought again
    assert KEY not in page.content()
    assert KEY not in (server.db.parent / "app.log").read_text(encoding="utf-8", errors="replace")


def test_a_missing_key_and_an_unknown_model_are_said_in_words(
    demo: Server, judged: tuple[Server, Claude], pages: Open
) -> None:
    page = pages(demo, "judge?as=lee")
    page.get_by_role("button", name="Judge", exact=True).click()
    page.get_by_text("needs a key").wait_for()
    server, service = judged
    page = pages(server, "judge?as=lee")
    page.get_by_label("Model", exact=True).fill("claude-nope")
    page.get_by_label("Model", exact=True).press("Enter")
    page.get_by_role("button", name="Judge", exact=True).click()
    page.get_by_text("claude-nope").last.wait_for()
    page.get_by_test_id("stAlert").first.wait_for()
    assert not service.paid


def test_an_annotator_begins_at_the_first_passage_and_home_is_a_click_away(
    demo: Server, pages: Open
) -> None:
    page = pages(demo, "?as=eve")
    page.wait_for_selector("[data-testid=labeling-card]")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("heading", name="Can you believe your judge?").wait_for()


def test_home_stays_home_once_a_session_has_begun_elsewhere(demo: Server, pages: Open) -> None:
    page = pages(demo, "data?as=lee")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("heading", name="Can you believe your judge?").wait_for()
