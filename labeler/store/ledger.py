"""What people have said of a spot check's tasks, kept in memory beside the store.

Events are only ever added, under one lock and with rising numbers: what was read once stands, and
only events with a higher number have to be read. With a million labels in the store that is one
look at the newest number instead of 80 ms a press.
"""

from __future__ import annotations

import threading
from typing import NamedTuple
from weakref import WeakKeyDictionary

from labeler.model import State
from labeler.store.db import Cursor, Row, Store, scalar

ANSWERS = (State.LABELLED, State.UNSURE)
"""The states that are an answer."""


class Own(NamedTuple):
    """What a person said of a task so far."""

    state: str
    grade: str | None
    note: str


class Said(NamedTuple):
    """What a person said last of a task, and the number of that event."""

    own: Own
    seq: int


class Standing(NamedTuple):
    """For one person: the `tasks` (number, query, passage, how many people are wanted) in the order
    of the draw, the person's `own` by task, and who has `answered` each task blind."""

    tasks: dict[int, Row]
    own: dict[int, Said]
    answered: dict[int, frozenset[str]]


# The newest event of each person on each task, and the newest blind one, in one pass.
_EVENTS = """
select distinct on (t.task, e.annotator, e.blind is distinct from false)
    t.task, e.annotator, e.blind is distinct from false as blind, e.state, e.grade, e.note, e.seq
from tasks t join label_events e on e.query_id = t.query_id and e.passage_id = t.passage_id
where t.spotcheck = $1 and (t.stratum <> 'again' or e.spotcheck = $1) and e.seq > $2
order by t.task, e.annotator, e.blind is distinct from false, e.seq desc
"""


_TASKS = (
    "select task, query_id, passage_id, wanted from tasks where spotcheck = $1 order by position"
)


class Ledger:
    """One spot check's events, of everybody."""

    def __init__(self, spotcheck: str) -> None:
        self._spotcheck = spotcheck
        self._lock = threading.Lock()
        self._seq = -1
        self._tasks: dict[int, Row] = {}
        self._own: dict[str, dict[int, Said]] = {}
        self._answered: dict[int, frozenset[str]] = {}

    def standing(self, cursor: Cursor, annotator: str) -> Standing:
        """How things stand, as of what `cursor` sees."""
        with self._lock:
            self._catch_up(cursor)
            own = dict(self._own.get(annotator, {}))
            return Standing(self._tasks, own, dict(self._answered))

    def _catch_up(self, cursor: Cursor) -> None:
        newest = scalar(cursor, "select coalesce(max(seq), 0) from label_events")
        tasks = scalar(cursor, "select count(*) from tasks where spotcheck = $1", [self._spotcheck])
        if tasks != len(self._tasks):  # more were added, of which there may be earlier events
            self._seq = -1
            rows = cursor.execute(_TASKS, [self._spotcheck]).fetchall()
            self._tasks = {row[0]: row for row in rows}
            self._own.clear()
            self._answered.clear()
        if newest <= self._seq:
            return
        rows = cursor.execute(_EVENTS, [self._spotcheck, self._seq]).fetchall()
        for task, person, blind, state, grade, note, seq in rows:
            if blind:
                others = self._answered.get(task, frozenset()) - {person}
                self._answered[task] = others | {person} if state in ANSWERS else others
            own = self._own.setdefault(person, {})
            if task not in own or own[task].seq < seq:
                own[task] = Said(Own(state, grade, note), seq)
        self._seq = newest


_LEDGERS: WeakKeyDictionary[Store, dict[str, Ledger]] = WeakKeyDictionary()
_lock = threading.Lock()


def of(store: Store, spotcheck: str) -> Ledger:
    """The store's ledger of a spot check."""
    with _lock:
        return _LEDGERS.setdefault(store, {}).setdefault(spotcheck, Ledger(spotcheck))
