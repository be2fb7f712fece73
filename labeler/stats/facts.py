"""Facts as the unit of recall, for queries that need several things to be said.

A fact is covered by any one of the passages that carry it: two passages that say the same thing
cover it once, and a query is complete when all its facts are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from labeler.stats import bootstrap
from labeler.stats.eligibility import Bar, Barred
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Run
from labeler.stats.needs import mean_over_needs, need_means, need_numbers

Facts = Mapping[str, Mapping[str, Collection[str]]]
"""The required facts of queries: query id to fact to the passages that carry it."""


class FactsFound(NamedTuple):
    """One query at one k. `covered` and `uncovered` share out the facts that an eligible passage
    carries, `uncarried` are the facts that none does: no retriever could find them."""

    query_id: str
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    uncarried: tuple[str, ...]

    @property
    def recall(self) -> float | None:
        """Covered facts over facts that could be; None where no fact could be."""
        carried = len(self.covered) + len(self.uncovered)
        return len(self.covered) / carried if carried else None


class FactRecall(NamedTuple):
    """`recall`: the mean share of facts covered in the top k. `complete`: the share of queries
    with all of them. Both go over needs, over the `queries` that have a fact to cover."""

    k: int
    recall: Estimate
    complete: Estimate
    queries: int
    found: tuple[FactsFound, ...]


def fact_recall(
    facts: Facts,
    run: Run,
    *,
    k: int,
    depth: int | None = None,
    barred: Barred | None = None,
    needs: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> FactRecall:
    """Which required facts the top k covers; a query that the run lacks covers none.

    Queries without facts are not looked at. A k beyond the run's depth gives None, "depth 10".
    Raises ValueError for k below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}, expected 1 or more")
    found = tuple(
        _find(query_id, of, set(run.get(query_id, ())[:k]), bars=(barred or {}).get(query_id, {}))
        for query_id, of in facts.items()
        if of
    )
    known = [each for each in found if each.recall is not None]
    if depth is not None and k > depth:
        none = Estimate(None, reason=f"depth {depth}")
        return FactRecall(k, none, none, len(known), found)
    values = np.array([[each.recall, not each.uncovered] for each in known], dtype=np.float64)
    numbers = need_numbers([each.query_id for each in known], needs or {})
    rows = need_means(values.reshape(-1, 2), numbers)
    reason = "no query has a required fact that an eligible passage carries"
    recall, complete = mean_over_needs(rows, seed=seed, draws=draws, reason=reason)
    return FactRecall(k, recall, complete, len(known), found)


def _find(
    query_id: str,
    facts: Mapping[str, Collection[str]],
    top: set[str],
    *,
    bars: Mapping[str, Bar],
) -> FactsFound:
    parted: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for fact, carriers in facts.items():
        eligible = [passage_id for passage_id in carriers if passage_id not in bars]
        parted[any(p in top for p in eligible) if eligible else None].append(fact)
    return FactsFound(query_id, *(tuple(parted[key]) for key in (True, False, None)))
