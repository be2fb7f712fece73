"""A reranker reorders what it is given, so it cannot change recall at the depth that it reranks.

Where it seems to, the two runs are not of the same candidates, and comparing them says nothing of
the reranker alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from labeler.stats.eligibility import Barred
from labeler.stats.measures import Golden, Measure, Reading, Run, lay_out, measure_queries

MOSTLY = 0.5
"""A run that has the same candidates as another for more than this share of the queries, in another
order, is taken for a reranking of it."""


class Reranked(NamedTuple):
    """Two runs at a depth. `same` of `queries` have the same set of passages there, `reordered` of
    those in another order; `recall_changed` lists the answerable queries whose recall at the depth
    differs. `reranker`: the second is taken for, or was said to be, a reranking of the first.
    """

    depth: int
    queries: int
    same: int
    reordered: int
    recall_changed: tuple[str, ...]
    reranker: bool

    @property
    def flagged(self) -> bool:
        """Whether a reranker seems to change recall at its own depth."""
        return self.reranker and bool(self.recall_changed)

    @property
    def reading(self) -> str:
        """What the comparison is worth, in words; "" where no reranker is involved."""
        if not self.reranker:
            return ""
        if self.flagged:
            return (
                f"not of the same candidates: recall@{self.depth} differs on "
                f"{len(self.recall_changed)} queries, which no reranker of the top {self.depth} "
                f"can do; the top {self.depth} differ on {self.queries - self.same} of "
                f"{self.queries}"
            )
        if self.same < self.queries:
            return (
                f"the top {self.depth} differ on {self.queries - self.same} of {self.queries} "
                f"queries, without a change of recall@{self.depth}"
            )
        return f"the same candidates, reordered on {self.reordered} of {self.queries} queries"


def reranked(
    golden: Golden,
    first: Run,
    second: Run,
    *,
    depth: int,
    declared: bool | None = None,
    reading: Reading = Reading.STRICT,
    barred: Barred | None = None,
) -> Reranked:
    """Compare the candidates of two runs at a depth, over the golden queries that either has.

    `declared` says whether the second is a reranking of the first's top `depth`; None lets the
    candidates tell. Raises ValueError for a depth below 1.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}, expected 1 or more")
    asked = {q: labels for q, labels in golden.items() if q in first or q in second}
    same = reordered = 0
    for query_id in asked:
        one, other = (list(run.get(query_id, ())[:depth]) for run in (first, second))
        if set(one) == set(other):
            same += 1
            reordered += one != other
    before, after = (
        _recall(asked, run, depth=depth, reading=reading, barred=barred or {})
        for run in (first, second)
    )
    changed = tuple(query_id for query_id in before if before[query_id] != after[query_id])
    looks = bool(reordered) and same > MOSTLY * len(asked)
    return Reranked(
        depth, len(asked), same, reordered, changed, looks if declared is None else declared
    )


def _recall(
    golden: Golden, run: Run, *, depth: int, reading: Reading, barred: Barred
) -> Mapping[str, float]:
    """Recall at the depth of each answerable query."""
    laid_out = {
        query_id: lay_out(run.get(query_id, ()), of, bars=barred.get(query_id, {}), cut=depth)
        for query_id, of in golden.items()
    }
    answerable = {
        query_id: layout
        for query_id, layout in laid_out.items()
        if any(gain >= reading.least for gain in layout.labels.values())
    }
    layouts = list(answerable.values())
    values = measure_queries(layouts, [Measure("R", depth)], reading=reading)[:, 0]
    return dict(zip(answerable, values.tolist(), strict=True))
