"""Means within an information need first: several paraphrases of one need are not independent, so
every mean, interval and test takes the need, not the query, as its unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Values

SMALL = 10
"""A slice of fewer needs is shown grey and not read."""

CELLS_AT_ONCE = 2_000_000
"""Draws times needs held in memory together, 16 MB a copy; part of the seed's meaning, so never
tuned."""

Slices = Mapping[str, Mapping[str, str]]
"""Slices by name (kind, origin, scope, split): query id to value; a query may be in none."""


class Part(NamedTuple):
    """The rows of the queries that share one value of a slice."""

    name: str
    value: str
    rows: NDArray[np.intp] | slice


EVERYTHING = Part("", "", slice(None))
"""All queries."""


def need_numbers(query_ids: Sequence[str], needs: Mapping[str, str]) -> NDArray[np.intp]:
    """The number of each query's need; a query without one, or with "", is its own need.

    A need's id and a query's id may be the same text: then they are one need, which is how a query
    names another as its need.
    """
    return bootstrap.number([needs.get(query_id) or query_id for query_id in query_ids])


def need_means(values: Values, needs: NDArray[np.intp]) -> Values:
    """The mean of each need's defined values: (queries, columns) to (needs, columns).

    NaN where a need has none.
    """
    height = int(needs.max()) + 1 if needs.size else 0
    means = np.empty((height, values.shape[1]))
    for column, of in enumerate(values.T):
        defined = ~np.isnan(of)
        count = np.bincount(needs[defined], minlength=height).astype(np.float64)
        count[count == 0] = np.nan
        means[:, column] = np.bincount(needs[defined], of[defined], minlength=height) / count
    return means


def mean_over_needs(
    rows: Values, *, seed: int, draws: int = bootstrap.DRAWS, reason: str = "no query has a value"
) -> list[Estimate]:
    """The mean of each column over the needs that have a value, with the 95% percentile bootstrap
    interval over needs. All columns are read off the same draws.

    A column without a value is None with the `reason`.
    """
    defined = ~np.isnan(rows)
    counts = defined.sum(axis=0)
    used = np.flatnonzero(counts)
    estimates = [Estimate(None, reason=reason)] * rows.shape[1]
    if not used.size:
        return estimates
    known = defined[:, used].astype(np.float64)
    sums = np.where(defined[:, used], rows[:, used], 0.0)
    # Most columns share which needs have a value; the draws need each pattern once.
    patterns, which = np.unique(known, axis=1, return_inverse=True)
    drawn = _resample(np.hstack([sums, patterns]), seed=seed, draws=draws)
    resampled = drawn[:, used.size :][:, which.ravel()]
    with np.errstate(invalid="ignore"):
        means = np.where(resampled > 0, drawn[:, : used.size], np.nan) / resampled
    for place, column in enumerate(used):
        spread = bootstrap.spread(means[:, place], queries=int(counts[column]))
        value = float(sums[:, place].sum() / counts[column])
        estimates[column] = Estimate(value, spread.interval, spread.reason)
    return estimates


def _resample(rows: Values, *, seed: int, draws: int) -> Values:
    """Sums over needs drawn with replacement: (needs, columns) to (draws, columns).

    `bootstrap.resample` in larger blocks, for many columns: a product of few rows by many columns
    keeps the threads of the linear algebra waiting for each other longer than it computes.
    """
    needs = len(rows)
    random = np.random.default_rng(seed)
    step = max(1, CELLS_AT_ONCE // needs)
    blocks = []
    for start in range(0, draws, step):
        many = min(step, draws - start)
        drawn = random.integers(0, needs, size=(many, needs))
        drawn += np.arange(many)[:, None] * needs
        times = np.bincount(drawn.ravel(), minlength=many * needs).reshape(many, needs)
        blocks.append(times.astype(np.float64) @ rows)
    return np.concatenate(blocks)


def parts(query_ids: Sequence[str], slices: Slices) -> list[Part]:
    """Every value of every slice that one of the queries has, slices in order, values sorted."""
    found = []
    for name, of in slices.items():
        rows: dict[str, list[int]] = {}
        for row, query_id in enumerate(query_ids):
            if value := of.get(query_id):
                rows.setdefault(value, []).append(row)
        found += [Part(name, value, np.array(rows[value])) for value in sorted(rows)]
    return found


def part_means(
    values: Values, needs: NDArray[np.intp], groups: Sequence[Part]
) -> tuple[Values, list[int]]:
    """`need_means` within each part, side by side: (needs, parts * columns), NaN where a part has
    nothing of a need; and how many needs each part has."""
    height = int(needs.max()) + 1 if needs.size else 0
    blocks, sizes = [np.empty((height, 0))], []
    for part in groups:
        within = need_means(values[part.rows], needs[part.rows])
        blocks.append(np.full((height, values.shape[1]), np.nan))
        blocks[-1][: len(within)] = within
        sizes.append(len(np.unique(needs[part.rows])))
    return np.hstack(blocks), sizes
