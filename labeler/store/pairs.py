"""Pairs with the texts that stand now: those that may be judged, and those that have been."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Passage, Query
from labeler.store import answers, queries
from labeler.store.comparison import (
    SLICES,
    Arrays,
    Comparison,
    Disagreement,
    Missing,
    Part,
    Selection,
    Settled,
    Stratum,
    compared,
    settled,
)
from labeler.store.comparison_sql import about
from labeler.store.db import Store
from labeler.store.runs import STANDING

__all__ = (
    "SLICES",
    "Arrays",
    "Comparison",
    "Disagreement",
    "Missing",
    "Pair",
    "Part",
    "Scope",
    "Selection",
    "Settled",
    "Stratum",
    "compared",
    "of",
    "settled",
)

_QUERY = "query_id, text, kind, need_id, origin, scope, as_of, split, note"
_PASSAGE = "passage_id, text, title, source_uri, locator, scope, effective_from, effective_to"
_CANDIDATES = (
    f"select query_id, passage_id, min(best_rank) as rank from candidates where {STANDING} "
    "group by query_id, passage_id"
)
_LABELLED = (
    "select distinct query_id, passage_id, 0 as rank from current_labels l "
    f"where state = 'labelled' and {about('l', answers=False)}"
)
_TASKS = (
    "select query_id, passage_id, min(position) as rank from tasks where spotcheck = $1 "
    "group by query_id, passage_id"
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which pairs: a spot check's tasks; else the candidates; else, where no pool was made, what
    people have labelled. With `answers` none of these, but the answers of every system, or of
    `system`.
    """

    spotcheck: str = ""
    answers: bool = False
    system: str = ""


POOL = Scope()
"""The candidates, or what people have labelled."""


ANSWERS = Scope(answers=True)
"""The answers that stand, of every system."""


class Pair(NamedTuple):
    """A pair with its texts; a side that is known by its id alone is None."""

    query_id: str
    passage_id: str
    query: Query | None
    passage: Passage | None


def of(store: Store, scope: Scope) -> Iterator[Pair]:
    """The pairs of a scope, the passages of one query together and in the order of their rank."""
    if scope.answers:
        yield from _answers(store, scope.system)
        return
    chosen, values = _chosen(store, scope)
    query = ", ".join(f"q.{name}" for name in _QUERY.split(", "))
    passage = ", ".join(f"p.{name}" for name in _PASSAGE.split(", "))
    sql = (
        f"select x.query_id, x.passage_id, {query}, {passage} from ({chosen}) as x "
        "left join current_queries q on q.query_id = x.query_id "
        "left join current_passages p on p.passage_id = x.passage_id "
        "order by x.query_id, x.rank, x.passage_id"
    )
    split = 2 + len(_QUERY.split(", "))
    for rows in store.batches(sql, values, size=2_000):
        for row in rows:
            asked, told = row[2:split], row[split:]
            yield Pair(
                row[0],
                row[1],
                None if asked[0] is None else Query(*asked),
                None if told[0] is None else Passage(*told),
            )


def _answers(store: Store, system: str) -> Iterator[Pair]:
    """The answers that stand as pairs, by query."""
    found = answers.exhibits(store, answers.current(store, system=system)).values()
    asked = queries.named(store, sorted({one.answer.query_id for one in found}))
    for one in sorted(found, key=lambda one: (one.answer.query_id, one.answer.answer_id)):
        query_id = one.answer.query_id
        yield Pair(query_id, one.answer.answer_id, asked.get(query_id), one.passage)


def _chosen(store: Store, scope: Scope) -> tuple[str, list[object]]:
    if scope.spotcheck:
        if not store.row("select 1 from tasks where spotcheck = $1", [scope.spotcheck]):
            rows = store.rows("select name from spotchecks where n > 0 order by seq desc")
            known = ", ".join(row[0] for row in rows) or "none has been drawn"
            raise LabelerError(f"There is no spot check {scope.spotcheck!r}; known: {known}")
        return _TASKS, [scope.spotcheck]
    if store.row(f"select 1 from candidates where {STANDING} limit 1"):
        return _CANDIDATES, []
    return _LABELLED, []
