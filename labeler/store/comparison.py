"""Labels beside verdicts: the pairs that a judge and people have both judged, and those that lack
one of the two.

A pair's label is the majority of its people's blind labels, or the adjudicated grade where a pair
that somebody has labelled blind was adjudicated; a tie is left out as `unresolved`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import duckdb
import numpy as np

from labeler.model import GRADES, Grade
from labeler.store import comparison_sql as sql
from labeler.store import examples
from labeler.store.comparison_sql import BOTH, READINGS, SECTION
from labeler.store.db import Cursor, Row, Store, arrow_batches, scalar

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

    @cached_property
    def _counted(self) -> str:
        """How many pairs there are of each kind, made when first asked for. Those of a spot check
        are few and weighed in their order, on which the last digit of a sum depends: each is a kind
        of its own."""
        if self._selection.spotcheck is not None:
            return "(select *, 1 as n from compared)"
        self._cursor.execute(sql.COUNTED)
        return "counted"

    def arrays(self) -> Arrays:
        """The compared pairs, in no order: queries are numbered as their ids sort."""
        found = self._cursor.execute(
            "select q.number as query, c.human, c.verdict as judge, c.stratum, c.n "
            f"from {self._counted} c join "
            "(select query_id, row_number() over (order by query_id) - 1 as number from "
            f"(select distinct query_id from {self._counted} d where {BOTH}) as asked) q "
            f"on q.query_id = c.query_id where {BOTH} order by c.position"
        ).fetchnumpy()
        many = found.pop("n")
        return Arrays(**{name: np.repeat(column, many) for name, column in found.items()})

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query on the table `compared`."""
        return self._cursor.execute(sql, list(values)).fetchall()

    def missing(self) -> Missing:
        """How many pairs are not compared, and why."""
        rows = self.rows(
            f"select lacking, sum(n)::bigint from {self._counted} c where not ({BOTH}) "
            "group by lacking"
        )
        return Missing(**(dict.fromkeys(Missing._fields, 0) | dict(rows)))

    def strata(self) -> list[Stratum]:
        """The spot check's strata, NO before PART before YES; none without a spot check."""
        rows = self.rows(
            "select s.stratum, s.size, coalesce(sum(c.n), 0)::bigint, "
            "coalesce(sum(c.n) filter (where c.human <> c.verdict), 0)::bigint from strata s "
            f"left join (select * from {self._counted} x where {BOTH}) c on c.stratum = s.stratum "
            "where s.spotcheck = $1 group by s.stratum, s.size",
            [self._selection.spotcheck],
        )
        return sorted(Stratum(*row) for row in rows)

    def slices(self, name: str) -> list[Part]:
        """The compared pairs by one of SLICES and by stratum, the largest slice first; by annotator
        each person's own blind label counts.
        """
        corpora = scalar(self._cursor, sql.CORPORA) if name == "source" else 0
        sliced = sql.sliced(name, counted=self._counted, corpora=corpora)
        # Sorted here: where no query is imported, DuckDB 2.0.1 takes the sums for 0, and narrows
        # them to a byte to sort them.
        rows = self.rows(
            "select value, sum(n)::bigint, "
            "coalesce(sum(n) filter (where human <> verdict), 0)::bigint, stratum "
            f"from ({sliced}) as sliced group by value, stratum"
        )
        parts = [Part(*row) for row in rows]
        size = Counter[str]()
        for part in parts:
            size[part.value] += part.n
        return sorted(parts, key=lambda part: (-size[part.value], part.value, part.stratum))

    def asked(
        self, *, human: Grade | None = None, judge: Grade | None = None
    ) -> list[tuple[str, str, int]]:
        """Each query of the `cases` with its need, and how many of them are its."""
        rows = self.rows(
            "select c.query_id, coalesce(nullif(q.need_id, ''), c.query_id), c.n from "
            f"(select query_id, sum(n)::bigint as n from {self._counted} x "
            f"where {sql.cell(human, judge)} group by query_id) c "
            "left join current_queries q on q.query_id = c.query_id",
            _gains(human, judge),
        )
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
        chosen = self._selection
        alone = chosen.annotator is not None
        found = sql.cases(human, judge, limit=limit, labels=chosen.labels, alone=alone)
        values = [*_gains(human, judge), list(but), chosen.annotator]
        for row in self.stream(found, values):
            yield Disagreement(*(*row[:6], GRADES[row[6]], GRADES[row[7]], *row[8:]))

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """As `rows`, a few in memory at a time."""
        self._cursor.execute(sql, list(values))
        while rows := self._cursor.fetchmany(1_000):
            yield from rows

    def arrow(self, sql: str) -> Generator[Any]:
        """As `stream`, as Arrow batches."""
        return arrow_batches(self._cursor, sql, size=4_096)


def _gains(human: Grade | None, judge: Grade | None) -> list[int | None]:
    return [None if grade is None else grade.gain for grade in (human, judge)]


@contextmanager
def compared(store: Store, selection: Selection) -> Iterator[Comparison]:
    """The comparison of one judge with people, as the store stands now."""
    check, answers = selection.spotcheck, selection.answers
    values = [selection.annotator, selection.judge, selection.rubric, selection.model]
    with store.read() as cursor:
        cursor.execute("begin")  # one view for the whole block
        try:
            cursor.execute(
                sql.pairs(check, answers=answers), values if check is None else [*values, check]
            )
            cursor.execute(sql.SEVERAL, [selection.annotator])
            cursor.execute(
                sql.compared(labels=selection.labels, alone=selection.annotator is not None)
            )
            yield Comparison(cursor, selection)
        finally:
            with suppress(duckdb.Error):  # a failed transaction may have ended already
                cursor.execute("rollback")


class Settled(NamedTuple):
    """A pair and what people say of it."""

    query_id: str
    passage_id: str
    grade: Grade


_NOBODY = ""
"""A judge that has given no verdict."""

_SETTLED = (
    "select query_id, passage_id, human as grade from compared where human is not null "
    "order by query_id, passage_id"
)


def settled(store: Store, *, answers: bool = False) -> Iterator[Settled]:
    """Every pair with a passage, or with an answer, that people have graded, by query and passage:
    the adjudicated grade, else the majority of the blind labels; ties are left out."""
    with compared(store, Selection(_NOBODY, answers=answers)) as found:
        for query_id, passage_id, gain in found.stream(_SETTLED):
            yield Settled(query_id, passage_id, GRADES[gain])


def settled_gains(store: Store) -> Generator[Any]:
    """As `settled`, of pairs with a passage: Arrow batches with the gain, under `grade`."""
    with compared(store, Selection(_NOBODY)) as found:
        yield from found.arrow(_SETTLED)
