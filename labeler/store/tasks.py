"""The handing out of a spot check's tasks.

A task is a pair that `wanted` people should label. It is done once that many people have a blind
label (or "unsure") on the pair, wherever they gave it; only these are compared with a judge. A task
is handed out by reserving it: while a reservation lasts nobody else is given the task, and one that
expires returns. Who has seen a verdict on a pair before labelling it is not asked any more. The
pairs of one query are handed out together. A pair that is asked for again (stratum "again", see
`repeats`) is done by an answer given there, and shows no earlier one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from labeler.model import Passage, Query, State
from labeler.store import corpora, ledger, queries, repeats, spotchecks
from labeler.store.db import Cursor, Row, Store
from labeler.store.ledger import ANSWERS, Ledger, Own

HOLD = timedelta(minutes=30)
"""How long a reservation lasts after its person's last sign of life."""

_HISTORY = 200
"""Done tasks of a person that a window tells of."""


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


_SEEN = """
select t.task from tasks t
join verdict_views v on v.query_id = t.query_id and v.passage_id = t.passage_id
where t.spotcheck = $1 and v.person = $2
"""


def window(store: Store, *, spotcheck: str, annotator: str, limit: int = 6) -> Window:
    """The person's tasks, after reserving more where fewer than `limit` fresh ones are reserved.

    Those put off with "later" come after all others. Calling this is a sign of life: it renews the
    person's reservations.
    """
    spotchecks.named(store, spotcheck)
    now = store.clock()
    with store.write() as cursor:
        cursor.execute("delete from reservations where until <= $1", [now])
        state = _State(cursor, ledger.of(store, spotcheck), spotcheck, annotator, now)
        mine = state.open_reserved()
        fresh = sum(not state.put_off(task) for task in mine)
        more: list[int] = []
        for group in state.free_groups():
            if fresh + len(more) >= limit:
                break
            more += group
        if more:
            _reserve(cursor, spotcheck, more, annotator, now)
        cursor.execute(
            "update reservations set until = $4 where spotcheck = $1 and annotator = $2 "
            "and task = any($3)",
            [spotcheck, annotator, mine, now + HOLD],
        )
        handed = {
            row[0]
            for row in cursor.execute(
                "select task from handed where spotcheck = $1 and annotator = $2",
                [spotcheck, annotator],
            ).fetchall()
        }
    mine = state.in_order(mine + more)
    return Window(state.order(mine, handed), mine, state.progress(more))


def texts(store: Store, *, spotcheck: str, annotator: str, tasks: Sequence[int]) -> list[Text]:
    """The texts of tasks, in the order asked for; those that were not handed to the person are
    left out.
    """
    rows = store.rows(
        "select distinct t.task, t.query_id, t.passage_id from tasks t join handed h "
        "on h.spotcheck = t.spotcheck and h.task = t.task "
        "where t.spotcheck = $1 and h.annotator = $2 and t.task = any($3)",
        [spotcheck, annotator, list(tasks)],
    )
    found = {row[0]: row for row in rows}
    asked = queries.named(store, [row[1] for row in rows])
    passages = corpora.passages(store, [row[2] for row in rows])
    return [
        Text(task, asked.get(q, Query(q, "")), passages.get(p, Passage(p, "")))
        for task, q, p in (found[number] for number in tasks if number in found)
    ]


def progress(store: Store, *, spotcheck: str, annotator: str) -> Progress:
    """How far the person is, without reserving anything."""
    with store.read() as cursor:
        state = _State(cursor, ledger.of(store, spotcheck), spotcheck, annotator, store.clock())
        return state.progress()


class Overall(NamedTuple):
    """How far a spot check is: labels in, labels wanted."""

    done: int
    wanted: int


def overall(store: Store, spotcheck: str) -> Overall:
    """The labels a spot check has of those that it wants; more than wanted on a pair do not
    count.
    """
    with store.read() as cursor:
        tasks, _, answered = ledger.of(store, spotcheck).standing(cursor, "")
    wanted = {task: row[3] for task, row in tasks.items()}
    done = sum(min(many, len(answered.get(task, ()))) for task, many in wanted.items())
    return Overall(done, sum(wanted.values()))


def with_work_left(store: Store, *, annotator: str) -> spotchecks.SpotCheck | None:
    """The person's warm-up if it has work, else the newest spot check that has, else their
    repeats, else the newest spot check, else None.
    """
    checks = spotchecks.history(store)
    first = repeats.of(store, annotator, stratum=repeats.WARM_UP)
    last = repeats.of(store, annotator)
    for name in (*first, *(check.name for check in checks), *last):
        found = progress(store, spotcheck=name, annotator=annotator)
        if found.done < found.total:
            return spotchecks.named(store, name)
    return checks[0] if checks else None


def _reserve(
    cursor: Cursor, spotcheck: str, tasks: Sequence[int], annotator: str, now: datetime
) -> None:
    numbers = list(tasks)
    cursor.execute(
        "insert into reservations select $1, unnest($2::bigint[]), $3, $4",
        [spotcheck, numbers, annotator, now + HOLD],
    )
    cursor.execute(
        "insert into handed select $1, n, $3, $4 from (select unnest($2::bigint[]) as n) as given "
        "where not exists (select 1 from handed h where h.spotcheck = $1 and h.task = n "
        "and h.annotator = $3)",
        [spotcheck, numbers, annotator, now],
    )


class _State:
    """A spot check as it stands at a moment, seen by one person."""

    def __init__(
        self, cursor: Cursor, said: Ledger, spotcheck: str, annotator: str, now: datetime
    ) -> None:
        def found(sql: str, *values: object) -> list[Row]:
            return cursor.execute(sql, [spotcheck, *values]).fetchall()

        self._me = annotator
        self._tasks, self._own, self._answered = said.standing(cursor, annotator)
        self._seen = {row[0] for row in found(_SEEN, annotator)}
        self._held: dict[int, set[str]] = {}
        for task, person in found(
            "select task, annotator from reservations where spotcheck = $1 and until > $2", now
        ):
            self._held.setdefault(task, set()).add(person)

    def _done(self, task: int) -> bool:
        return self._me in self._answered.get(task, ())

    def _barred(self, task: int) -> bool:
        """Whether what this person says of the task is no longer blind, or was not."""
        own = self._own.get(task)
        answered = own is not None and own[0].state in ANSWERS
        return not self._done(task) and (answered or task in self._seen)

    def _lacks(self, task: int) -> bool:
        """Whether fewer people have answered than are wanted, and this person could be one."""
        answered = self._answered.get(task, frozenset())
        return (
            self._me not in answered
            and len(answered) < self._tasks[task][3]
            and not self._barred(task)
        )

    def _free(self, task: int) -> bool:
        """Whether a label is lacking that nobody is at."""
        at_it = self._answered.get(task, frozenset()) | self._held.get(task, set())
        return self._lacks(task) and self._me not in at_it and len(at_it) < self._tasks[task][3]

    def open_reserved(self) -> list[int]:
        """This person's reserved tasks that still lack a label."""
        return [
            task
            for task in self._tasks
            if self._me in self._held.get(task, ()) and self._lacks(task)
        ]

    def free_groups(self) -> list[list[int]]:
        """Free tasks by query, in the order of the draw."""
        groups: dict[str, list[int]] = {}
        for task, row in self._tasks.items():
            if self._free(task):
                groups.setdefault(row[1], []).append(task)
        return list(groups.values())

    def put_off(self, task: int) -> int:
        """0, or when the person put the task off (later means after)."""
        own = self._own.get(task)
        return own[1] if own and own[0].state == State.LATER else 0

    def in_order(self, tasks: Sequence[int]) -> list[int]:
        """Tasks in the order of labelling: queries as drawn, their pairs together, then those put
        off.
        """
        queries: dict[str, int] = {}
        place = {
            task: (queries.setdefault(row[1], number), number)
            for number, (task, row) in enumerate(self._tasks.items())
        }
        return sorted(tasks, key=lambda task: (self.put_off(task), place[task]))

    def order(self, mine: Sequence[int], handed: Collection[int]) -> list[Task]:
        """The newest done tasks that were handed out here, then the open ones: each as its person
        sees it.
        """
        done = sorted(
            (seq, task)
            for task, (_, seq) in self._own.items()
            if task in handed and self._done(task)
        )
        shown = [task for _, task in done[-_HISTORY:]] + list(mine)
        return [
            Task(task, self._tasks[task][1], self._tasks[task][2], self._own.get(task, (None,))[0])
            for task in shown
        ]

    def progress(self, taken: Sequence[int] = ()) -> Progress:
        """Done, in all, and waiting for others; `taken` tasks have just been reserved."""
        done = sum(map(self._done, self._tasks))
        reach = {task for task in self._tasks if self._free(task)}.union(
            self.open_reserved(), taken
        )
        lacking = sum(map(self._lacks, self._tasks))
        return Progress(done, done + len(reach), lacking - len(reach))
