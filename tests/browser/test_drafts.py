"""The Drafts page by keyboard: a press decides what is drawn, and a burst of presses one draft."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeler.model import Passage, content_hash
from labeler.store import corpora, drafts
from labeler.store.db import open_reader, open_store
from labeler.store.drafts import Check, Decision, Draft
from labeler.store.frozen import Anchor
from tests.browser.serving import HOSTILE, Server

MANY = 6

# What the field holds once the script has been at rest for a while and the field holds something
# else than before. A field is empty when it is first drawn, and a page at rest before it is asked.
STANDS = """async ({otherThan, within}) => {
  const end = performance.now() + within;
  for (let quiet = 0; ;) {
    await new Promise((done) => setTimeout(done, 100));
    const {testScriptState} = document.querySelector('[data-testid=stApp]')?.dataset ?? {};
    const held = document.querySelector('input[aria-label=Query]')?.value;
    const ran = testScriptState === 'notRunning';
    quiet = ran && held && held !== otherThan ? quiet + 1 : 0;
    if (quiet > 7 || (ran && performance.now() > end)) return held ?? '';
  }
}"""


@pytest.fixture
def drafted(tmp_path: Path) -> Iterator[Server]:
    """An app on a store with drafts whose texts and passages would be markup elsewhere."""
    path = tmp_path / "labeler.duckdb"
    texts = list(HOSTILE.values())
    with open_store(path) as store:
        known = [Passage(f"p{i}", text, title=text) for i, text in enumerate(texts[:MANY])]
        corpora.record(store, known, name="hostile")
        drafts.keep(
            store,
            [
                Draft(
                    f"d-{i}",
                    "paraphrase",
                    f"draft number {i}",
                    one.passage_id,
                    Anchor("hostile", 1),
                    content_hash(one.text),
                    0,
                    f"r{i}",
                    "m",
                    "",
                    0.0,
                )
                for i, one in enumerate(known)
            ],
        )
        names = ("answered", "from nothing", "distinct", "wording")
        drafts.note(store, [Check(f"d-{i}", name, True, "") for i in range(MANY) for name in names])
    one = Server(path)
    one.start()
    yield one
    one.end(signal.SIGKILL)


def decided(server: Server) -> list[Decision]:
    with open_reader(server.db, patience=10) as store:
        found = [one.decision for one in drafts.every(store)]
    return [one for one in found if one is not None]


def test_a_key_decides_what_is_drawn_and_a_burst_decides_one(
    drafted: Server, chromium: Any
) -> None:
    page = chromium.new_page()
    outside: list[str] = []
    page.on("request", lambda sent: outside.append(sent.url) if "invalid" in sent.url else None)
    page.goto(f"{drafted.url}/drafts?as=rita")

    query = page.get_by_label("Query", exact=True)

    def stands(*, other_than: str = "", within: int = 30_000) -> str:
        return str(page.evaluate(STANDS, {"otherThan": other_than, "within": within}))

    def after(*keys: str) -> str:
        """The draft that stands after these keys, pressed again while all came too early for it."""
        before = now = stands()
        for _ in range(10):
            for key in keys:
                page.keyboard.press(key)
                page.wait_for_timeout(30)
            now = stands(other_than=before, within=3_000)
            if now != before:
                break
        return now

    assert stands() == "draft number 0"
    assert after("y") == "draft number 1"
    assert after(*"ppppp") == "draft number 2"
    query.fill("worded by a person")
    query.press("Enter")
    page.get_by_text("d-2: paraphrase (edited)").wait_for()
    page.get_by_text("Does the passage answer the query?").click()  # out of the text field
    assert after("y") == "draft number 3"
    page.close()
    found = decided(drafted)
    assert [(one.draft_id, one.query_id) for one in found] == [
        ("d-0", "own-1"),
        ("d-1", "own-2"),
        ("d-2", "own-3"),
    ]
    assert found[2].reason == "edited from: draft number 2"
    assert outside == []
