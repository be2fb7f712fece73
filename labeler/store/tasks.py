"""The handing out of a spot check's tasks.

A task is a pair that `wanted` people should label. It is done once that many people have a blind
label (or "unsure") on the pair, wherever they gave it; only these are compared with a judge. A task
is handed out by reserving it: while a reservation lasts nobody else is given the task, and one that
expires returns. Who has seen a verdict on a pair before labelling it is not asked any more. The
pairs of one query are handed out together. A pair that is asked for again (stratum "again", see
`repeats`) is done by an answer given there, and shows no earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from labeler.model import Passage, Query, State
from labeler.store import ledger, queries, repeats, spotchecks
from labeler.store import texts as told
from labeler.store.db import Cursor, Row, Store
from labeler.store.ledger import ANSWERS, Own, Reservation, Standing

HOLD = timedelta(minutes=30)
"""How long a reservation lasts after its person's last sign of life."""

RENEWED = timedelta(minutes=1)
"""How far a reservation's end may be from where it should be before it is moved."""

_HISTORY = 200
"""Done tasks of a person that a window tells of."""

_NOBODY: frozenset[str] = frozenset()


class Task(NamedTuple):
    """A task as its person sees it: no verdict, no weight, no stratum."""

    task: int
    query_id: str
    passage_id: str
    own: Own | None


class Text(NamedTuple):
    """A task with the texts to read. A pair known by ids alone has empty texts."""

    task: int
    query: Query
    passage: Passage


class Progress(NamedTuple):
    """`done` of `total` for one person; `waiting` tasks are with others and may come back."""

    done: int
    total: int
    waiting: int


class Window(NamedTuple):
    """What the page needs next: the person's tasks in order, and the open ones among them."""

    order: list[Task]
    open: list[int]
    progress: Progress


class Asker(NamedTuple):
    """Who wants a window on which spot check, with how many fresh tasks in it."""

    spotcheck: str
    annotator: str
    limit: int


def window(store: Store, *, spotcheck: str, annotator: str, limit: int = 6) -> Window:
    """The person's tasks, after reserving more where fewer than `limit` fresh ones are reserved.

    Those put off with "later" come after all others. Calling this is a sign of life: it renews the
    person's reservations, on disk at most once a minute.
    """
    (found,) = windows(store, [Asker(spotcheck, annotator, limit)])
    return found


def windows(store: Store, askers: Sequence[Asker]) -> list[Window]:
    """The window of each, one after another, in one commit."""
    with store.write() as cursor:
        return _hand_out(store, cursor, askers)


def _hand_out(store: Store, cursor: Cursor, askers: Sequence[Asker]) -> list[Window]:
    now = store.clock()
    found: list[Window] = []
    changes = _Changes()
    for spotcheck, annotator, limit in askers:
        kept = ledger.of(store, spotcheck)
        standing = kept.standing(cursor, annotator, at=ledger.moment(store))
        if not standing.tasks:
            spotchecks.named(store, spotcheck)  # says which there are
        changes.expired |= kept.release(now)
        state = _State(standing, annotator, now)
        more = state.more(limit)
        stale = state.stale(now + HOLD)
        kept.reserve(Reservation(task, annotator, now + HOLD) for task in (*stale, *more))
        changes.renewed += [(spotcheck, annotator, task) for task in stale]
        changes.reserved += [(spotcheck, annotator, task) for task in more]
        changes.handed += [
            (spotcheck, annotator, task) for task in more if task not in standing.handed
        ]
        open_tasks = state.in_order(state.mine + more)
        found.append(Window(state.order(open_tasks), open_tasks, state.progress(more)))
    changes.store(cursor, now)
    return found


class _Changes:
    """What some windows change of the reservations, as (spot check, annotator, task)."""

    def __init__(self) -> None:
        self.expired = False
        self.renewed: list[Row] = []
        self.reserved: list[Row] = []
        self.handed: list[Row] = []

    def store(self, cursor: Cursor, now: datetime) -> None:
        """Put them into the store."""
        until = now + HOLD
        if self.expired:
            cursor.execute("delete from reservations where until <= $1", [now])
        for rows, statement, at in (
            (
                self.renewed,
                "update reservations r set until = $4 from given g where r.spotcheck = g.spotcheck "
                "and r.annotator = g.annotator and r.task = g.task",
                until,
            ),
            (
                self.reserved,
                "insert into reservations select spotcheck, task, annotator, $4 from given",
                until,
            ),
            (
                self.handed,
                "insert into handed select spotcheck, task, annotator, $4 from given",
                now,
            ),
        ):
            if rows:
                columns = map(list, zip(*rows, strict=True))
                cursor.execute(f"{_GIVEN} {statement}", [*columns, at])


_GIVEN = (
    "with given as (select unnest($1::text[]) as spotcheck, unnest($2::text[]) as annotator, "
    "unnest($3::bigint[]) as task)"
)


class Reading(NamedTuple):
    """Whose texts of which tasks of a spot check are wanted."""

    spotcheck: str
    annotator: str
    tasks: Sequence[int]


def texts(store: Store, *, spotcheck: str, annotator: str, tasks: Sequence[int]) -> list[Text]:
    """The texts of tasks, in the order asked for; those that were not handed to the person are
    left out.
    """
    (found,) = all_texts(store, [Reading(spotcheck, annotator, tasks)])
    return found


def all_texts(store: Store, readings: Sequence[Reading]) -> list[list[Text]]:
    """The texts of each, looked up at once."""
    handed: list[list[tuple[int, str, str]]] = []
    for spotcheck, annotator, numbers in readings:
        standing = _standing(store, spotcheck, annotator)
        handed.append(
            [
                (task, standing.tasks[task].query_id, standing.tasks[task].passage_id)
                for task in numbers
                if task in standing.handed
            ]
        )
    wanted = [pair for pairs in handed for pair in pairs]
    asked = queries.named(store, list({query_id for _, query_id, _ in wanted}))
    passages = told.passages(store, [passage_id for _, _, passage_id in wanted])
    return [
        [
            Text(task, asked.get(q, Query(q, "")), passages.get(p, Passage(p, "")))
            for task, q, p in pairs
        ]
        for pairs in handed
    ]


def progress(store: Store, *, spotcheck: str, annotator: str) -> Progress:
    """How far the person is, without reserving anything."""
    now = store.clock()
    return _State(_standing(store, spotcheck, annotator), annotator, now).progress()


def _standing(store: Store, spotcheck: str, annotator: str) -> Standing:
    at = ledger.moment(store)
    with store.read() as cursor:
        return ledger.of(store, spotcheck).standing(cursor, annotator, at=at)


class Overall(NamedTuple):
    """How far a spot check is: labels in, labels wanted."""

    done: int
    wanted: int


def overall(store: Store, spotcheck: str) -> Overall:
    """The labels a spot check has of those that it wants; more than wanted on a pair do not
    count.
    """
    standing = _standing(store, spotcheck, "")
    wanted = {task: asked.people for task, asked in standing.tasks.items()}
    done = sum(min(many, len(standing.answered.get(task, ()))) for task, many in wanted.items())
    return Overall(done, sum(wanted.values()))


def with_work_left(store: Store, *, annotator: str) -> spotchecks.SpotCheck | None:
    """The person's warm-up if it has work, else the newest spot check or list for everybody that
    has, else their repeats, else the newest of the former, else None.
    """
    checks = spotchecks.for_everybody(store)
    first = repeats.of(store, annotator, stratum=repeats.WARM_UP)
    last = repeats.of(store, annotator)
    for name in (*first, *(check.name for check in checks), *last):
        found = progress(store, spotcheck=name, annotator=annotator)
        if found.done < found.total:
            return spotchecks.named(store, name)
    return checks[0] if checks else None


class _State:
    """A spot check as it stands at a moment, seen by one person.

    `done` counts the tasks that they have answered blind. Of those that still lack a label which
    could be theirs (fewer people have answered than are wanted, and they neither said something nor
    saw a verdict before) `mine` are reserved for them, and at `free` fewer people are than wanted.
    """

    def __init__(self, standing: Standing, annotator: str, now: datetime) -> None:
        self._standing = standing
        self._me = annotator
        self.done = self._lacking = 0
        self.mine: list[int] = []
        self.free: list[int] = []
        for task, asked in standing.tasks.items():
            answered = standing.answered.get(task, _NOBODY)
            if annotator in answered:
                self.done += 1
            elif len(answered) < asked.people and not self._barred(task):
                self._lacking += 1
                held = standing.held.get(task, {})
                at_it = {person for person, until in held.items() if until > now} if held else set()
                if annotator in at_it:
                    self.mine.append(task)
                elif len(answered | at_it) < asked.people:
                    self.free.append(task)

    def _barred(self, task: int) -> bool:
        """Whether what this person says of the task is no longer blind, or was not."""
        own = self._standing.own.get(task)
        return task in self._standing.seen or (own is not None and own.own.state in ANSWERS)

    def more(self, limit: int) -> list[int]:
        """Free tasks that make `limit` fresh ones of what is reserved: whole queries, in the order
        of the draw."""
        groups: dict[str, list[int]] = {}
        for task in self.free:
            groups.setdefault(self._standing.tasks[task].query_id, []).append(task)
        more: list[int] = []
        for group in groups.values():
            if sum(not self._put_off(task) for task in (*self.mine, *more)) >= limit:
                break
            more += group
        return more

    def stale(self, until: datetime) -> list[int]:
        """Reserved tasks whose reservation is to be renewed, to last until a moment."""
        held = self._standing.held
        return [task for task in self.mine if abs(until - held[task][self._me]) >= RENEWED]

    def _put_off(self, task: int) -> int:
        """0, or when the person put the task off (later means after)."""
        own = self._standing.own.get(task)
        return own.seq if own and own.own.state == State.LATER else 0

    def in_order(self, tasks: Sequence[int]) -> list[int]:
        """Tasks in the order of labelling: queries as drawn, their pairs together, then those put
        off.
        """
        asked = self._standing.tasks
        return sorted(tasks, key=lambda task: (self._put_off(task), asked[task].place))

    def order(self, mine: Sequence[int]) -> list[Task]:
        """The newest done tasks that were handed out here, then the open ones: each as its person
        sees it.
        """
        tasks, own, answered, handed, *_ = self._standing
        done = sorted(
            (said.seq, task)
            for task, said in own.items()
            if task in handed and self._me in answered.get(task, _NOBODY)
        )
        return [
            Task(
                task,
                tasks[task].query_id,
                tasks[task].passage_id,
                own[task].own if task in own else None,
            )
            for task in (*(task for _, task in done[-_HISTORY:]), *mine)
        ]

    def progress(self, taken: Sequence[int] = ()) -> Progress:
        """Done, in all, and waiting for others; `taken` tasks have just been reserved."""
        reach = len({*self.free, *self.mine, *taken})
        return Progress(self.done, self.done + reach, self._lacking - reach)
