"""A rubric mended and confirmed, and what was learned frozen and verified, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeler import sample
from labeler.model import Grade, Judgment, Status, Verdict
from labeler.store import adjudications, evidence, goldens, labels, looks, people, rubrics, verdicts
from labeler.store.db import open_reader, open_store
from labeler.store.pairs import Scope, of
from tests.browser.serving import Server
from tests.servers.answers import KEY
from tests.servers.claude import Claude

pytestmark = pytest.mark.browser


@pytest.fixture
def labelled(tmp_path: Path) -> Iterator[tuple[Server, int]]:
    """The app on the sample project whose spot check is labelled YES and was judged once more by a
    second version, which says YES; every pair is adjudicated. And how many of the passages may be
    expected: the others are out of the caller's scope or not in force."""
    path = tmp_path / "labeler.duckdb"
    with open_store(path) as store:
        sample.make(store)
        pairs = [(pair.query_id, pair.passage_id) for pair in of(store, Scope("first"))]
        labels.bring(store, [Judgment(q, p, Grade.YES) for q, p in pairs], annotator="ana")
        found = [Verdict(q, p, "lexical", Grade.YES, Status.OK, "lexical@2") for q, p in pairs]
        verdicts.keep(store, found)
        for query_id, passage_id in pairs:
            adjudications.record(
                store,
                query_id,
                passage_id=passage_id,
                grade=Grade.YES,
                reason="![x](https://tracker.example/p.png) it answers",
                reviewer="rita",
            )
        expected = sum(
            not evidence.barred(store, pair.query, pair.passage)
            for pair in of(store, Scope("first"))
            if pair.query and pair.passage
        )
    with Claude() as service:
        server = Server(path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=service.url)
        server.start()
        yield server, expected
        server.end()


@pytest.fixture
def page(chromium: Any, labelled: tuple[Server, int]) -> Iterator[Any]:
    """A tab whose requests to other hosts fail the test."""
    server, _ = labelled
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    opened = context.new_page()
    foreign: list[str] = []
    opened.on(
        "request",
        lambda asked: (
            foreign.append(asked.url)
            if not asked.url.startswith((server.url, "data:", "blob:", "ws:"))
            else None
        ),
    )
    yield opened
    context.close()
    assert foreign == []


def test_from_a_new_version_to_a_golden_set(labelled: tuple[Server, int], page: Any) -> None:
    server, expected = labelled
    assert 0 < expected < 30
    page.goto(f"{server.url}/rubrics?as=lee")
    page.get_by_role("heading", name="3. Compare").wait_for(timeout=60_000)
    page.get_by_text("confirms nothing").wait_for(timeout=60_000)
    area = page.get_by_label("Rubric", exact=True)
    area.fill("Words in common are no answer.")
    area.press("Control+Enter")
    page.get_by_text("+Words in common are no answer.").wait_for(timeout=30_000)
    page.get_by_role("button", name="Add as a new version").click()
    page.get_by_text("relevance@2 added.").wait_for(timeout=30_000)
    page.get_by_role("button", name="Judge again").click()
    page.get_by_text("30 pairs judged").first.wait_for(timeout=60_000)

    # The pairs of the two lexical versions, of which the second was judged elsewhere.
    for name, judge in (("B, the new one", "lexical@2"), ("A, the one before", "lexical@1")):
        page.wait_for_timeout(2_000)  # a list that a timer closed would not stay open
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        page.get_by_label(name).click()
        page.get_by_role("option", name=judge).click()
    page.get_by_role("button", name="Look at the held-out pairs").click()
    page.get_by_text("First look at these pairs.").first.wait_for(timeout=30_000)

    page.goto(f"{server.url}/goldens?as=lee")
    page.get_by_role("tab", name="Freeze").click()
    page.get_by_label("Golden set", exact=True).fill("mine")
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text(f"mine@1: {expected} entries, {expected} from people").wait_for(timeout=30_000)
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("all as they were frozen").wait_for(timeout=30_000)

    server.end()
    with open_reader(server.db) as store:
        judged = {(one.judge, one.rubric): one.ok for one in verdicts.judges(store)}
        assert judged["claude", "relevance@2"] == 30
        added = rubrics.named(store, "relevance@2")
        assert added is not None
        assert added.text == "Words in common are no answer."
        (look,) = looks.history(store)
        assert (look.look, look.person, look.part) == (1, "lee", "held-out")
        kept = goldens.named(store, "mine")
        assert (kept.frozen_by, len(kept.entries)) == ("lee", expected)
        done = [line.action for line in people.history(store) if line.person == "lee"]
        assert {"add rubric", "look at held-out", "freeze"} <= set(done)
