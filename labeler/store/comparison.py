"""Labels beside verdicts: the pairs that a judge and people have both judged, and those that lack
one of the two.

A pair's label is the majority of its people's blind labels, or the adjudicated grade where a pair
that somebody has labelled blind was adjudicated; a tie is left out as `unresolved`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import duckdb

from labeler.model import Grade
from labeler.store import comparison_sql as sql
from labeler.store import examples
from labeler.store.comparison_sql import BOTH, GAIN, READINGS, SECTION
from labeler.store.db import Cursor, Row, Store

__all__ = (
    "BOTH",
    "READINGS",
    "SECTION",
    "SLICES",
    "Arrays",
    "Comparison",
    "Disagreement",
    "Missing",
    "Part",
    "Selection",
    "Settled",
    "Stratum",
    "compared",
    "settled",
)


@dataclass(frozen=True)
class Selection:
    """Which judge is compared with whom.

    Without a spot check: every pair that has a label and a verdict, those with passages, or those
    with `answers`. `labels` is one of READINGS.
    """

    judge: str
    rubric: str = ""
    model: str = ""
    spotcheck: str | None = None
    annotator: str | None = None
    labels: str = "both"
    answers: bool = False


class Arrays(NamedTuple):
    """The compared pairs as arrays of one length n.

    `query` numbers the queries from 0, grades are gains 0, 1, 2.
    """

    query: Any
    human: Any
    judge: Any
    stratum: Any


class Part(NamedTuple):
    """A slice's pairs of one stratum: those compared, and those on which label and verdict
    differ."""

    value: str
    n: int
    disagreements: int
    stratum: str = ""


class Missing(NamedTuple):
    """Why pairs are not compared, each pair counted once, in this order of precedence.

    `unlabelled` has no label yet, `unsure` only people who could not tell, `unresolved` a tie
    between people; of the labelled, `unjudged` has no verdict, `unreadable` only an unreadable
    reply.
    """

    unlabelled: int
    unjudged: int
    unreadable: int
    unsure: int
    unresolved: int


class Stratum(NamedTuple):
    """A stratum of a spot check.

    `size` pairs in the frame, `n` of them compared, `disagreements` of those.
    """

    stratum: str
    size: int
    n: int
    disagreements: int


class Disagreement(NamedTuple):
    """A compared pair with what was said of it."""

    query_id: str
    passage_id: str
    query: str
    passage: str
    kind: str
    source: str
    human: Grade
    judge: Grade
    reason: str
    note: str
    annotators: str
    judged_at: datetime
    adjudicated: bool


SLICES = tuple(sql.SLICED)
"""What `Comparison.slices` can be asked for."""


class Comparison:
    """The pairs of one selection, within one transaction's view of the store."""

    def __init__(self, cursor: Cursor, selection: Selection) -> None:
        self._cursor = cursor
        self._selection = selection
        self.examples = examples.leave_out(cursor, selection.rubric)
        """The pairs that the rubric shows its judge as examples: they are not compared."""

    def arrays(self) -> Arrays:
        """The compared pairs, in no order: queries are numbered as their ids sort."""
        found = self._cursor.execute(
            "select q.number as query, "
            f"{GAIN.format('human')} as human, {GAIN.format('verdict')} as judge, stratum "
            "from compared c join (select query_id, row_number() over (order by query_id) - 1 "
            f"as number from (select distinct query_id from compared where {BOTH}) as asked) q "
            f"on q.query_id = c.query_id where {BOTH}"
        ).fetchnumpy()
        return Arrays(found["query"], found["human"], found["judge"], found["stratum"])

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query on the table `compared`."""
        return self._cursor.execute(sql, list(values)).fetchall()

    def missing(self) -> Missing:
        """How many pairs are not compared, and why."""
        (row,) = self._cursor.execute(
            "select count(*) filter (where human is null and why = 'unlabelled'), "
            "count(*) filter (where human is not null and status is null), "
            "count(*) filter (where human is not null and status = 'unreadable'), "
            "count(*) filter (where human is null and why = 'unsure'), "
            "count(*) filter (where human is null and why = 'unresolved') from compared"
        ).fetchall()
        return Missing(*row)

    def strata(self) -> list[Stratum]:
        """The spot check's strata, NO before PART before YES; none without a spot check."""
        rows = self._cursor.execute(
            "select s.stratum, s.size, count(c.query_id), "
            "count(c.query_id) filter (where c.human <> c.verdict) from strata s "
            f"left join (select * from compared where {BOTH}) c on c.stratum = s.stratum "
            "where s.spotcheck = $1 group by s.stratum, s.size order by s.stratum",
            [self._selection.spotcheck],
        ).fetchall()
        return [Stratum(*row) for row in rows]

    def slices(self, name: str) -> list[Part]:
        """The compared pairs by one of SLICES and by stratum, the largest slice first; by annotator
        each person's own blind label counts.
        """
        rows = self._cursor.execute(
            "select value, count(*), count(*) filter (where human <> verdict), stratum "
            f"from ({sql.SLICED[name]}) as sliced group by value, stratum "
            "order by sum(count(*)) over (partition by value) desc, value, stratum"
        ).fetchall()
        return [Part(*row) for row in rows]

    def asked(
        self, *, human: Grade | None = None, judge: Grade | None = None
    ) -> list[tuple[str, str, int]]:
        """Each query of the `cases` with its need, and how many of them are its."""
        rows = self._cursor.execute(
            "select c.query_id, coalesce(nullif(q.need_id, ''), c.query_id), c.n from "
            "(select query_id, count(*) as n from compared "
            f"where {sql.cell(human, judge)} group by query_id) c "
            "left join current_queries q on q.query_id = c.query_id",
            [human, judge],
        ).fetchall()
        return [(row[0], row[1], int(row[2])) for row in rows]

    def cases(
        self,
        *,
        human: Grade | None = None,
        judge: Grade | None = None,
        but: Sequence[str] = (),
        limit: int | None = None,
    ) -> Iterator[Disagreement]:
        """The disagreements, or the pairs of one cell (or row, or column) of the confusion matrix,
        `but` those of some queries; worst first, at most `limit`. Read a few at a time, within the
        block of `compared`.
        """
        found = sql.cases(human, judge, limit=limit, labels=self._selection.labels)
        self._cursor.execute(found, [human, judge, list(but)])
        while rows := self._cursor.fetchmany(1_000):
            for row in rows:
                yield Disagreement(*(*row[:6], Grade(row[6]), Grade(row[7]), *row[8:]))


@contextmanager
def compared(store: Store, selection: Selection) -> Iterator[Comparison]:
    """The comparison of one judge with people, as the store stands now."""
    values = [selection.annotator, selection.judge, selection.rubric, selection.model]
    with store.read() as cursor:
        cursor.execute("begin")  # one view for the whole block
        try:
            check = [] if selection.spotcheck is None else [selection.spotcheck]
            blind = sql.blind(selection.spotcheck, answers=selection.answers)
            cursor.execute(f"create temp table blind as {blind}", [selection.annotator, *check])
            made = sql.compared(
                selection.spotcheck, labels=selection.labels, answers=selection.answers
            )
            cursor.execute(made, [*values, *check])
            yield Comparison(cursor, selection)
        finally:
            with suppress(duckdb.Error):  # a failed transaction may have ended already
                cursor.execute("rollback")


class Settled(NamedTuple):
    """A pair and what people say of it."""

    query_id: str
    passage_id: str
    grade: str


def settled(store: Store, *, answers: bool = False) -> Iterator[Settled]:
    """Every pair with a passage, or with an answer, that people have graded, by query and passage:
    the adjudicated grade, else the majority of the blind labels; ties are left out."""
    for rows in store.batches(sql.settled(answers=answers), [None]):
        yield from (Settled(*row) for row in rows)
