"""The bootstrap over queries: whole queries are drawn with replacement, because the passages of
one query are judged by one reading of it and are not independent.

Everything is collapsed to one row of sums a query first, so that 2,000 draws of a million pairs in
10,000 queries take a fraction of a second and a few megabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats.intervals import Interval
from labeler.stats.kappa import Grades, Table, cells

DRAWS = 2000
"""Draws of every bootstrap."""

UNDEFINED_AT_MOST = 0.05
"""The share of draws that may be undefined: with more, what is dropped outweighs both tails."""

CELLS_AT_ONCE = 200_000
"""Draws times queries held in memory together; part of the seed's meaning, so never tuned."""

MULTIPLIED_AT_ONCE = 2**18
"""Multiplications of one matrix product: with more, OpenBLAS wakes threads, which costs several
times what they save, and lets the last digit depend on how many cores there are."""


class Spread(NamedTuple):
    """The 95% percentile interval of resampled values; None with the reason. `undefined` draws,
    those where the number does not exist, were dropped."""

    interval: Interval | None
    undefined: int
    reason: str


def number(ids: Sequence[str]) -> NDArray[np.intp]:
    """The rank of each of n query ids among the sorted distinct ids.

    Sorted, so that the same pairs in any order give the same draws from the same seed.
    """
    ranks = {name: rank for rank, name in enumerate(sorted(set(ids)))}
    return np.fromiter((ranks[name] for name in ids), dtype=np.intp, count=len(ids))


def tables_by_query(
    human: Grades,
    judge: Grades,
    *,
    queries: NDArray[np.intp],
    weights: Table | None = None,
    classes: int = 3,
) -> Table:
    """One confusion table, (Q, K, K), for each query number that has a pair; others have no row.

    Raises ValueError when there is not one query number a pair, and as `kappa.cells`.
    """
    if queries.shape != human.shape:
        raise ValueError(f"{human.size} pairs and {queries.size} query numbers")
    cell = cells(human, judge, classes=classes)
    size = classes * classes
    rows = sums_by_query(queries * size + cell, weights, width=size)
    return rows.reshape(-1, classes, classes)


def sums_by_query(place: NDArray[np.intp], weights: Table | None, *, width: int) -> Table:
    """Rows (Q, width) of counts or sums of weights; `place` is query number * width + column."""
    height = int(place.max()) // width + 1 if place.size else 0
    sums = np.bincount(place, weights=weights, minlength=height * width).reshape(-1, width)
    # A number without a pair is no query of this comparison and must not be drawn.
    present: Table = sums[sums.any(axis=1)].astype(np.float64)
    return present


def resample(rows: Table, *, seed: int, draws: int = DRAWS) -> Table:
    """Sums over queries drawn with replacement: rows (Q, ...) of queries to (draws, ...)."""
    queries = len(rows)
    flat = rows.reshape(queries, -1)
    random = np.random.default_rng(seed)
    step = max(1, CELLS_AT_ONCE // queries)
    rows_at_once = max(1, MULTIPLIED_AT_ONCE // flat.size)
    parts = []
    for start in range(0, draws, step):
        many = min(step, draws - start)
        drawn = random.integers(0, queries, size=(many, queries))
        drawn += np.arange(many)[:, None] * queries
        times = np.bincount(drawn.ravel(), minlength=many * queries).reshape(many, queries)
        for first in range(0, many, rows_at_once):
            parts.append(times[first : first + rows_at_once].astype(np.float64) @ flat)
    return np.concatenate(parts).reshape(draws, *rows.shape[1:])


def spread(values: Table, *, queries: int) -> Spread:
    """The 95% interval of resampled values, NaN among them being undefined draws.

    None, with the reason, from fewer than two queries, from more than 5% undefined draws, and when
    every draw gives one value: then resampling shows nothing of what other queries would give.
    """
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if queries < 2:
        return Spread(None, undefined, "fewer than 2 queries: nothing to resample")
    if undefined > UNDEFINED_AT_MOST * len(values):
        share = undefined / len(values)
        return Spread(None, undefined, f"undefined in {share:.0%} of the resamples")
    lo, hi = np.quantile(defined, [0.025, 0.975])
    if np.ptp(defined) < 1e-12:
        return Spread(None, undefined, "every resample gives the same value")
    return Spread(Interval(float(lo), float(hi)), undefined, "")
