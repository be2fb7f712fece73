"""The written report opened from disk in a real browser with the network off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labeler import exporting, sample
from labeler.exporting import Choice
from labeler.model import Grade, Judgment, Query
from labeler.store import labels, queries
from labeler.store.db import open_store
from labeler.store.pairs import Scope, of
from tests.browser.serving import HOSTILE

pytestmark = pytest.mark.browser


def test_the_report_opens_from_disk_asks_for_nothing_and_prints(
    chromium: Any, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    with open_store(tmp_path / "labeler.duckdb") as store:
        sample.make(store)
        pairs = [(pair.query_id, pair.passage_id) for pair in of(store, Scope("first"))]
        labels.bring(store, [Judgment(q, p, Grade.NO) for q, p in pairs], annotator="ana")
        # q17 is missed by every run, so that its text is in the report.
        queries.record(store, [Query("q17", " ".join(HOSTILE.values()))])
        exporting.export(store, "report", to=path, choice=Choice(systems=("bm25",)))
    context = chromium.new_context(offline=True, color_scheme="dark")
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.get_by_role("heading", name="Retrieval report on larkfen@1").wait_for()
    assert HOSTILE["script"] in page.locator("body").inner_text()
    assert HOSTILE["latex"] in page.locator("body").inner_text()
    assert page.locator("script, img, iframe, link, object").count() == 0
    assert page.locator("svg").count() == 2
    assert page.locator("body").evaluate("body => body.scrollWidth <= body.clientWidth")
    dark = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    page.emulate_media(media="print")
    paper = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert (dark, paper) == ("rgb(18, 22, 21)", "rgb(255, 255, 255)")
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()
    assert asked == [path.as_uri()]
    assert said == []
