"""How a spot check's tasks stand, kept in memory beside the store: a press costs no look at them.

Events are only ever added, under one lock and with rising numbers: what was read once stands, and
only events with a higher number have to be read. With a million labels in the store that is one
look at the newest number instead of 80 ms a press. Reservations are made by `tasks.windows` alone,
which notes them here in the transaction that stores them. After a write that was rolled back, in
which what never came to be may have been read or noted, everything is read anew.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from weakref import WeakKeyDictionary

from labeler.model import State
from labeler.store.db import Cursor, Store

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


class Place(NamedTuple):
    """Where a task comes in the order of labelling: queries as they were drawn, the pairs of each
    together."""

    query: int
    task: int


class Wanted(NamedTuple):
    """A task: its pair, how many people should label it, whether it asks `again` (then only what
    is said in this spot check counts), and its place."""

    query_id: str
    passage_id: str
    people: int
    again: bool
    place: Place


class Reservation(NamedTuple):
    """A task that is held for a person until a moment."""

    task: int
    person: str
    until: datetime


class Standing(NamedTuple):
    """For one person: the `tasks` by number in the order of the draw, the person's `own` by task,
    who has `answered` each task blind, which tasks were `handed` to the person, which they have
    `seen` a verdict on, until when each task is `held` for whom, and the tasks that are `asking`
    for each pair (query and passage)."""

    tasks: dict[int, Wanted]
    own: dict[int, Said]
    answered: dict[int, frozenset[str]]
    handed: frozenset[int]
    seen: frozenset[int]
    held: dict[int, dict[str, datetime]]
    asking: dict[tuple[str, str], list[int]]


class Moment(NamedTuple):
    """Which state of the store is looked at: the writes that were committed and those undone."""

    version: int
    undone: int


def moment(store: Store) -> Moment:
    """The present one. Taken before the look: a commit meanwhile is seen by the next one."""
    return Moment(store.version, store.undone)


_MARKS = (
    "select (select coalesce(max(seq), 0) from label_events), "
    "(select count(*) from tasks where spotcheck = $1 and wanted > 0), "
    "(select count(*) from verdict_views)"
)

_TASKS = (
    "select task, query_id, passage_id, wanted, stratum = 'again' from tasks "
    "where spotcheck = $1 and wanted > 0 order by position"
)

# The newest event of each person on each task, and the newest blind one, in one pass.
_EVENTS = """
select distinct on (t.task, e.annotator, e.blind is distinct from false)
    t.task, e.annotator, e.blind is distinct from false as blind, e.state, e.grade, e.note, e.seq
from tasks t join label_events e on e.query_id = t.query_id and e.passage_id = t.passage_id
where t.spotcheck = $1 and (t.stratum <> 'again' or e.spotcheck = $1) and e.seq > $2
    and t.wanted > 0
order by t.task, e.annotator, e.blind is distinct from false, e.seq desc
"""

_SEEN = """
select distinct v.person, t.task from tasks t
join verdict_views v on v.query_id = t.query_id and v.passage_id = t.passage_id
where t.spotcheck = $1 and t.wanted > 0
"""

_NOBODY: frozenset[str] = frozenset()
_NONE: frozenset[int] = frozenset()


class Ledger:
    """One spot check's tasks, and what everybody has done with them."""

    def __init__(self, spotcheck: str) -> None:
        self._spotcheck = spotcheck
        self._lock = threading.Lock()
        self._seen_at = Moment(-1, -1)
        self._clear()

    def _clear(self) -> None:
        self._seq = self._views = -1
        self._tasks: dict[int, Wanted] = {}
        self._asking: dict[tuple[str, str], list[int]] = {}
        self._own: dict[str, dict[int, Said]] = {}
        self._answered: dict[int, frozenset[str]] = {}
        self._handed: dict[str, frozenset[int]] = {}
        self._seen: dict[str, frozenset[int]] = {}
        self._held: dict[int, dict[str, datetime]] = {}

    def standing(self, cursor: Cursor, annotator: str, *, at: Moment) -> Standing:
        """How things stand, as of what `cursor` sees; `at` is the store's moment before."""
        with self._lock:
            self._catch_up(cursor, at)
            return Standing(
                self._tasks,
                dict(self._own.get(annotator, {})),
                dict(self._answered),
                self._handed.get(annotator, _NONE),
                self._seen.get(annotator, _NONE),
                self._held,
                self._asking,
            )

    def reserve(self, made: Iterable[Reservation]) -> None:
        """Note reservations, in the transaction that stores them."""
        with self._lock:
            held = dict(self._held)  # what stands for somebody is never changed beneath them
            for task, person, until in made:
                held[task] = {**held.get(task, {}), person: until}
                self._handed[person] = self._handed.get(person, _NONE) | {task}
            self._held = held

    def release(self, now: datetime) -> bool:
        """Drop the reservations that have expired; whether there were any."""
        with self._lock:
            if all(until > now for people in self._held.values() for until in people.values()):
                return False
            self._held = {
                task: {person: until for person, until in people.items() if until > now}
                for task, people in self._held.items()
            }
        return True

    def _catch_up(self, cursor: Cursor, at: Moment) -> None:
        if at == self._seen_at:  # nothing was committed since
            return
        if at.undone != self._seen_at.undone:
            self._clear()
        ((newest, tasks, views),) = cursor.execute(_MARKS, [self._spotcheck]).fetchall()
        if tasks != len(self._tasks):  # more were added, of which there may be earlier events
            self._clear()
            self._read_tasks(cursor)
        if views != self._views:
            self._seen = _by_person(cursor.execute(_SEEN, [self._spotcheck]).fetchall())
            self._views = views
        if newest > self._seq:
            self._read_events(cursor)
            self._seq = newest
        self._seen_at = at

    def _read_tasks(self, cursor: Cursor) -> None:
        places: dict[str, int] = {}
        rows = cursor.execute(_TASKS, [self._spotcheck]).fetchall()
        for position, (task, query_id, passage_id, people, again) in enumerate(rows):
            place = Place(places.setdefault(query_id, position), position)
            self._tasks[task] = Wanted(query_id, passage_id, people, again, place)
            self._asking.setdefault((query_id, passage_id), []).append(task)
        handed = "select annotator, task from handed where spotcheck = $1"
        self._handed = _by_person(cursor.execute(handed, [self._spotcheck]).fetchall())
        held = "select task, annotator, until from reservations where spotcheck = $1"
        for task, person, until in cursor.execute(held, [self._spotcheck]).fetchall():
            self._held.setdefault(task, {})[person] = until

    def _read_events(self, cursor: Cursor) -> None:
        rows = cursor.execute(_EVENTS, [self._spotcheck, self._seq]).fetchall()
        for task, person, blind, state, grade, note, seq in rows:
            if blind:
                others = self._answered.get(task, _NOBODY) - {person}
                self._answered[task] = others | {person} if state in ANSWERS else others
            own = self._own.setdefault(person, {})
            if task not in own or own[task].seq < seq:
                own[task] = Said(Own(state, grade, note), seq)


def _by_person(rows: Iterable[tuple[str, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for person, task in rows:
        found.setdefault(person, set()).add(task)
    return {person: frozenset(tasks) for person, tasks in found.items()}


_LEDGERS: WeakKeyDictionary[Store, dict[str, Ledger]] = WeakKeyDictionary()
_lock = threading.Lock()


def of(store: Store, spotcheck: str) -> Ledger:
    """The store's ledger of a spot check."""
    with _lock:
        return _LEDGERS.setdefault(store, {}).setdefault(spotcheck, Ledger(spotcheck))
