"""What pages keep is made again when what it was made of has changed, and only then."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import on_demand, state
from labeler.model import Grade, LabelEvent
from labeler.reports import agreement, judges, reading_order, workshop
from labeler.store import examples, labels, tasks
from labeler.store.comparison import Selection
from labeler.store.db import Cursor, Store, open_reader

Page = Callable[..., AppTest]


def press(store: Store) -> None:
    """One more label in the sample's spot check."""
    window = tasks.window(store, spotcheck="first", annotator="ann")
    task = next(task for task in window.order if task.task in window.open)
    name = str(uuid.uuid4())
    event = LabelEvent(
        name, task.query_id, task.passage_id, "ann", "label", Grade.YES, spotcheck="first"
    )
    assert labels.record(store, [event]).acknowledged == [name]


class Counted:
    """Gives how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_what_reads_labels_is_made_again_for_a_label_and_not_for_tasks_handed_out(db: Path) -> None:
    store, all_of_it, of_labels = state.store(), Counted(), Counted()

    def ask() -> tuple[int, int]:
        return (
            state.unchanged("all", all_of_it),
            state.unchanged("labels", of_labels, reads=on_demand.COMPARED),
        )

    assert ask() == ask() == (1, 1)
    tasks.window(store, spotcheck="first", annotator="bob")
    assert ask() == ask() == (2, 1)
    press(store)
    assert ask() == ask() == (3, 2)


def test_who_asks_while_it_is_being_made_waits_for_it(db: Path) -> None:
    began, go = threading.Event(), threading.Event()
    made = Counted()

    def make() -> int:
        began.set()
        assert go.wait(10)
        return made()

    found: list[int] = []
    asking = [
        threading.Thread(target=lambda: found.append(state.unchanged("slow", make)))
        for _ in range(3)
    ]
    state.store()
    for one in asking:
        one.start()
    assert began.wait(10)
    go.set()
    for one in asking:
        one.join()
    assert found == [1, 1, 1]


def test_what_a_failed_attempt_left_is_nothing(db: Path) -> None:
    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        state.unchanged("failing", fail)
    assert state.unchanged("failing", lambda: 1) == 1


def test_of_what_stands_nevertheless_the_last_asked_for_are_kept(db: Path) -> None:
    state.store()
    made = Counted()
    for key in range(state.KEPT + 1):
        state.unchanged(key, made, reads=("queries",))
    assert state.unchanged(state.KEPT, made, reads=("queries",)) == state.KEPT + 1
    assert state.unchanged(0, made, reads=("queries",)) == state.KEPT + 2


class Watched(Store):
    """A store that notes which tables its statements name."""

    named: set[str]

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        with super().read() as cursor:
            yield _Noting(cursor, self.named)  # type: ignore[misc]


class _Noting:
    def __init__(self, cursor: Cursor, named: set[str]) -> None:
        self._cursor, self._named = cursor, named

    def execute(self, sql: str, *values: Any) -> Any:
        self._named.update(re.findall(r"\b(?:from|join)\s+([a-z_]+)", sql))
        return self._cursor.execute(sql, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


READERS: dict[str, Callable[[Store, Selection], object]] = {
    "agreement": agreement.build,
    "cases": lambda store, of: agreement.first_cases(store, of, limit=5),
    "read first": reading_order.groups,
    "judges": lambda store, of: judges.candidates(store, spotcheck=of.spotcheck),
    "workshop": lambda store, of: workshop.build(store, of, of),
    "examples": lambda store, of: examples.offered(store),
}


@pytest.mark.parametrize("report", READERS)
@pytest.mark.parametrize("spotcheck", ["first", None])
def test_a_comparison_reads_no_table_beside_those_that_it_is_kept_by(
    db: Path, report: str, spotcheck: str | None
) -> None:
    press(state.store())
    state.close()
    with open_reader(db) as store:
        tables = {row[0] for row in store.rows("select table_name from duckdb_tables()")}
        views = dict(store.rows("select view_name, sql from duckdb_views() where not internal"))
        of = agreement.choose(store, spotcheck=spotcheck)
        store.__class__, store.named = Watched, set()  # type: ignore[attr-defined]
        READERS[report](store, of)
        named: set[str] = store.named  # type: ignore[attr-defined]
    for view in [*named & views.keys()]:
        named |= set(re.findall(r"\b(?:from|join)\s+([a-z_]+)", views[view].lower()))
    read = named & tables
    assert read
    assert read <= {*on_demand.COMPARED}


def test_on_many_labels_the_agreement_on_every_pair_is_made_when_it_is_asked_for(
    db: Path, page: Page
) -> None:
    store = state.store()
    with store.write() as cursor:  # of another judge, the oldest: they change no number
        cursor.execute(
            "insert into verdicts select 0, 'q', 'p', 'other', '', '', null, 'unreadable', '', '', "
            "'', '', null, null, null, null, '', '', '', '', now() from generate_series(1, $1)",
            [on_demand.LARGE],
        )
    test = page("agreement", **{"as": "lee"})
    assert any("Disagreements" in one.value for one in test.subheader)  # of the spot check
    test.selectbox[0].set_value("Every labelled pair").run()
    assert not test.exception
    assert not test.metric
    (make,) = [button for button in test.button if button.label.startswith("Make the agreement")]
    make.click().run()
    assert not test.exception
    report = agreement.build(store, agreement.choose(store))
    metrics = {metric.label: metric.value for metric in test.metric}
    assert metrics["Compared pairs"] == f"{report.agreement.n:,}"
    tasks.window(store, spotcheck="first", annotator="bob")
    test.run()
    assert not [one for one in test.text if "the store has changed" in one.value]
    press(store)
    test.run()
    assert [one for one in test.text if "the store has changed" in one.value]
    assert test.metric
