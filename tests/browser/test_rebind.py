"""The queue of a golden set that is rebound to another splitting, by keyboard in a real browser."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labeler.model import GoldenEntry, Grade, Passage, Query
from labeler.store import bindings, corpora, damage, goldens, people, queries
from labeler.store.bindings import Binding
from labeler.store.db import open_reader, open_store
from tests.browser.serving import HOSTILE, Server

WHOLE = (
    "The relay refuses requests that were signed over ninety seconds ago by our clock. Virtual "
    "machines that were suspended are the usual suspects. Start a time service on the machine, and "
    "restart the relay after it. Changing the time zone has no effect, because signatures use UTC."
)
QUERIES = ("q1", "q2")


@pytest.fixture
def resplit(tmp_path: Path) -> Iterator[Server]:
    """The app on a golden set whose one passage is two in another corpus: neither of them need
    answer what the whole did."""
    path = tmp_path / "labeler.duckdb"
    with open_store(path) as store:
        corpora.record(store, [Passage("clock", WHOLE)], name="whole")
        queries.record(store, [Query(name, f"clock skew? {name}") for name in QUERIES])
        entries = [GoldenEntry(name, "clock", Grade.YES) for name in QUERIES]
        goldens.record(store, "relay", entries, origin="test", person="lee")
        halves = [Passage("half-1", WHOLE[:150]), Passage("half-2", WHOLE[150:])]
        halves[0] = replace(halves[0], title=HOSTILE["script"])
        corpora.record(store, halves, name="halves")
    server = Server(path)
    server.start()
    yield server
    server.end(signal.SIGKILL)


def waiting(server: Server) -> list[Binding]:
    with open_reader(server.db, patience=10) as store:
        return bindings.queue(store, "relay")


def test_a_case_is_decided_by_key_stays_decided_after_a_reload_and_is_frozen(
    resplit: Server, chromium: Any
) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    outside: list[str] = []
    page.on("request", lambda sent: outside.append(sent.url) if "invalid" in sent.url else None)
    open_page(page, resplit)
    for _ in range(10):  # a list that a late answer closed is opened again
        page.get_by_label("To corpus").click()
        option = page.get_by_role("option", name="halves")
        with suppress(Exception):
            option.click(timeout=2_000)
            break
    settled(page)
    page.get_by_role("button", name="Carry grades over").click()
    page.get_by_text("relay@1 carried over to halves").wait_for()
    settled(page)
    first, *others = waiting(resplit)
    # The case that waits first stands whole: the query, and the old passage beside the new one.
    assert others
    page.get_by_text(f"{first.old_passage}, was {first.old_grade}").wait_for()
    page.get_by_text(f"{first.new_passage}, new").wait_for()

    # In another tab the keys decide nothing.
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Verify").wait_for()
    settled(page)
    page.keyboard.press("y")
    page.get_by_role("tab", name="Rebind").click()
    page.get_by_text(f"{first.new_passage}, new").wait_for()
    settled(page)
    assert waiting(resplit) == [first, *others]

    # A burst of one key decides what was read, and nothing of what came after it.
    read(page)
    for _ in range(4):
        page.keyboard.press("y")
        page.wait_for_timeout(30)
    page.get_by_text(f"{len(others):,} passages to look at").wait_for()
    settled(page)
    assert waiting(resplit) == others

    page.reload()
    page.get_by_text(f"{len(others):,} passages to look at").wait_for()
    page.get_by_text(f"{others[0].new_passage}, new").wait_for()
    read(page)
    page.keyboard.press("n")
    page.get_by_text(f"{len(others) - 1:,} passages to look at").wait_for()
    settled(page)
    page.get_by_role("button", name="Freeze what was decided").click()
    page.get_by_text("relay@2 holds what was decided.").wait_for()
    page.close()
    assert outside == []

    with open_reader(resplit.db, patience=10) as store:
        decided = [one for one in bindings.current(store, "relay") if one.state == "decided"]
        said = {(one.query_id, one.new_passage, str(one.grade), one.person) for one in decided}
        assert (first.query_id, first.new_passage, "YES", "rita") in said
        assert (others[0].query_id, others[0].new_passage, "NO", "rita") in said
        kept = goldens.named(store, "relay")
        assert (first.query_id, first.new_passage, "YES") in {
            (entry.query_id, entry.passage_id, str(entry.grade)) for entry in kept.entries
        }
        assert damage.verify(store) == []
        logged = [line for line in people.history(store) if line.action == "decide binding"]
        assert [line.person for line in logged] == ["rita", "rita"]


def open_page(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/goldens?as=rita&tab=Rebind")
    page.get_by_role("button", name="Carry grades over").wait_for(timeout=30_000)
    settled(page)


def read(page: Any) -> None:
    """The last of the case is drawn, and stands as long as it takes to be read."""
    page.get_by_role("button", name="NO Shortcut N").wait_for()
    settled(page)
    page.wait_for_timeout(800)


def settled(page: Any) -> None:
    """The script has run to its end."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
