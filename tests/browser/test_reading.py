"""What an annotator sees, and what never reaches the browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.desk import Desk, Wire
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

# Every name in what the routes answer: none for a verdict, a weight, a rank or another's label.
ANSWER = (
    "annotator spotcheck progress done total waiting exhausted order tasks acknowledged refused"
)
TASK = "task query_id passage_id title own state grade note query passage"
TEXTS = "hash text as_of scope source_uri locator effective_from effective_to"


def test_hostile_passages_are_shown_as_the_text_they_are(
    server: Server, desks: Callable[..., Desk], hostile: list[str]
) -> None:
    desk = desks(server, "ada", "hostile").open()
    marks: set[str] = set()
    for text in hostile[:-1]:
        shown = desk.page.get_by_test_id("passage-text")
        assert shown.evaluate("node => node.textContent") == text
        marks |= set(
            shown.evaluate(
                "node => [...node.querySelectorAll('.lb-hidden')].map(one => one.dataset.symbol)"
            )
        )
        desk.press("y")
    desk.settled()
    # What is invisible or turns the reading order is drawn as its name.
    assert marks == {"⟦NUL⟧", "⟦ESC⟧", "⟦BEL⟧", "⟦RLO⟧", "⟦PDF⟧", "⟦RLI⟧", "⟦PDI⟧", "⟦BOM⟧"}
    assert desk.dialogs == []
    own = ("data:", "blob:", server.url, server.url.replace("http", "ws"))
    assert [url for url in desk.requests if not url.startswith(own)] == []


@pytest.mark.timed
def test_a_passage_of_200_kb_is_whole_and_scrolls_by_itself(
    server: Server, desks: Callable[..., Desk], hostile: list[str], measured: dict[str, list[float]]
) -> None:
    desk = desks(server, "ada", "hostile").open()
    while desk.drawn().passage_id != f"hostile-p{len(hostile) - 1}":
        desk.press("ArrowRight")
    text = desk.page.get_by_test_id("passage-text")
    assert len(hostile[-1]) > 200_000
    assert text.evaluate("node => node.textContent") == hostile[-1]
    before = desk.page.get_by_test_id("grade-YES").bounding_box()
    desk.press("PageDown", "PageDown", " ")
    assert text.evaluate("node => node.scrollTop") > 500
    assert desk.page.get_by_test_id("grade-YES").bounding_box() == before
    assert desk.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    desk.page.evaluate("window.latencies.length = 0")
    for _ in range(5):
        desk.press("ArrowLeft", "ArrowRight", every=300)
    measured["to and from 200 kB"] = desk.page.evaluate("window.latencies")
    assert len(measured["to and from 200 kB"]) >= 8  # the first may have to fetch the text


def test_no_verdict_reaches_the_browser_before_the_label_is_stored(
    server: Server, desks: Callable[..., Desk], wire: Callable[[Any], Wire], marker: str
) -> None:
    desk = desks(server, "ada", "blind")
    crossed = wire(desk.page)
    desk.open().press(*"ypnypnypn")
    desk.settled()
    everything = b"\n".join([*crossed.frames, *crossed.answers])
    assert b"Passage 3 of blind." in everything  # the passages did cross, and were read here
    for told in (marker, "blindfold", "verdict", "stratum"):
        assert told.encode() not in everything, told
    names = set(re.findall(r'"(\w+)": ', b"\n".join(crossed.answers).decode()))
    assert names == {*ANSWER.split(), *TASK.split(), *TEXTS.split()}
    # The same ears hear the judge where he may be heard: on the Agreement page.
    desk.page.goto(server.url + "/agreement?as=ada&spotcheck=blind")
    desk.page.get_by_role("heading", name="Agreement").first.wait_for()
    desk.page.wait_for_timeout(3000)
    assert b"blindfold" in b"\n".join(crossed.frames)


def test_a_press_names_the_text_that_was_read(
    server: Server, desks: Callable[..., Desk], wire: Callable[[Any], Wire]
) -> None:
    desk = desks(server, "ben", "blind")
    crossed, sent = wire(desk.page), list[str]()
    desk.page.on("request", lambda asked: sent.append(asked.post_data or ""))
    desk.open().press("y")
    desk.settled()
    shown = set(re.findall(r'"hash": "(b1:\w+)"', b"\n".join(crossed.answers).decode()))
    read = re.findall(r'"read":"(b1:\w+)"', "\n".join(sent))
    assert len(read) == 1
    assert shown.issuperset(read)


def test_the_page_is_named_for_screen_readers_and_fits_360_px(
    server: Server, desks: Callable[..., Desk]
) -> None:
    desk = desks(server, "ada", "narrow")
    desk.page.set_viewport_size({"width": 360, "height": 740})
    desk.open()
    page = desk.page
    for name in ("grade-YES", "grade-PART", "grade-NO", "unsure", "later", "undo", "note"):
        button = page.locator(f"button[data-testid={name}]")
        assert button.inner_text().split()[-1].lower() == name.removeprefix("grade-").lower()
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert box["height"] >= 40
        assert button.get_attribute("aria-keyshortcuts")
    assert page.get_by_role("status").last.get_attribute("aria-live") == "polite"
    assert page.get_by_role("heading", name="Which refunds?").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
