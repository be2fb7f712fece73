"""Lists of what to label next, as the store keeps them."""

from __future__ import annotations

from labeler.store import lists, spotchecks, tasks
from labeler.store.db import Store
from labeler.store.spotchecks import Drawn, SpotCheck


def draw(store: Store, name: str, *drawn: Drawn) -> None:
    check = SpotCheck(name, 0, 0, 0, 1, "j", "", "", store.clock())
    spotchecks.record(store, check, [], drawn)


def test_lists_come_oldest_first_each_with_what_it_counts_as_drawn_at_random(store: Store) -> None:
    assert lists.newest(store) is None
    draw(
        store,
        "one",
        Drawn("q", "a", lists.NEXT, 4.0),
        Drawn("q", "b", lists.NEXT, 4.0),
        Drawn("r", "a", lists.BEFORE, 8.0, 0),
    )
    draw(store, "other", Drawn("q", "a", "near miss", 1.0))
    draw(store, "two", Drawn("s", "a", lists.NEXT, 3.0))
    assert lists.drawn(store) == [{"q": 4.0}, {"s": 3.0}]
    assert lists.drawn(store, stratum=lists.BEFORE) == [{"r": 8.0}, {}]
    assert lists.newest(store) == "two"


def test_what_is_only_a_record_is_asked_of_nobody(store: Store) -> None:
    draw(
        store,
        "one",
        Drawn("r", "a", lists.BEFORE, 8.0, 0),
        Drawn("q", "a", lists.NEXT, 4.0),
        Drawn("t", "a", lists.NEXT, 4.0, 2),
    )
    window = tasks.window(store, spotcheck="one", annotator="ann", limit=9)
    assert [task.query_id for task in window.order] == ["q", "t"]
    assert tasks.overall(store, "one") == (0, 3)
    assert tasks.with_work_left(store, annotator="ann").name == "one"
