"""Which queries to label next: those whose labels say most about the number that matters.

The corrected mean errs by what is left of people's value of a query once lam times the judge's is
taken away (see `labeler.stats.correction`). How large that is can be foretold: the verdicts leave
some queries open and others not. So grades are drawn for every query from the chances that the
verdicts leave (`labeler.stats.chances`), the measure is taken of each draw, and the size of a query
is its residual's root mean square divided by the root of the labels that it costs: the allocation
of least variance for a given number of labels (Neyman, 1934). What a model foretells may be wrong,
so sizes are mixed with equal ones, and the draw is one by chance, with known chances: its weights
leave the mean unbiased whatever the model is worth.

The draw is sequential Poisson sampling (Ohlsson, J. Official Statistics, 1998): each query has a
uniform number u, its place in the order is u / size, and the first n are a sample with chances in
proportion to size. A longer list extends a shorter one.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats.chances import Gains
from labeler.stats.measures import Measure, Reading, Values

DRAWS = 200
"""Draws of each query's grades: their spread is then known to about 5%."""

EVEN = 0.25
"""The share of a query's size that is the same for all: what the model cannot foretell."""

MOST = 5.0
"""No query stands for more than MOST times as many as the average one."""


def drawn_grades(chances: Values, *, draws: int, random: np.random.Generator) -> Gains:
    """Gains 0, 1, 2 of pairs drawn from their `chances` (pairs, 3): (draws, pairs)."""
    ends = chances.cumsum(axis=1)[:, :2]
    grades: Gains = (random.random((draws, len(chances), 1)) > ends).sum(axis=2)
    return grades


def values(
    grades: Gains, slots: NDArray[np.intp], *, measured: Measure, reading: Reading, returned: int
) -> Values:
    """A measure of one query under each draw of its pool's grades (draws, pairs): (draws).

    `slots` (pairs) is where each passage stands in the run from 1, 0 where it does not. As
    `labeler.stats.measures` has it: NaN where nothing is relevant, and P/retrieved where nothing
    was returned. Raises ValueError for Judged, which no grade changes.
    """
    name, k = measured
    relevant = grades >= reading.least
    top = (slots > 0) & (slots <= k)
    if name == "nDCG":
        found = _ndcg(grades, slots, top, k=k)
    elif name == "RR":
        place = np.where(relevant & top, slots, np.inf).min(axis=1, initial=np.inf)
        found = 1 / place
    else:
        hits = (relevant & top).sum(axis=1)
        within = {"P": k, "P/retrieved": min(k, returned), "Success": 1}
        if name == "R":
            found = hits / np.maximum(relevant.sum(axis=1), 1)
        elif name in within:
            hits = np.minimum(hits, 1) if name == "Success" else hits
            found = hits / (within[name] or np.nan)
        else:
            raise ValueError(f"{name} does not depend on grades")
    found[~relevant.any(axis=1)] = np.nan
    return found


def _ndcg(grades: Gains, slots: NDArray[np.intp], top: NDArray[np.bool_], *, k: int) -> Values:
    discount = np.where(top, 1 / np.log2(np.maximum(slots, 1) + 1.0), 0.0)
    best = -np.sort(-grades, axis=1)[:, :k]
    ideal = best @ (1 / np.log2(np.arange(2, best.shape[1] + 2)))
    found: Values = grades @ discount / np.where(ideal > 0, ideal, 1)
    return found


class Foretold(NamedTuple):
    """What is foretold of each unit (need) that may be labelled, and of the mean over all.

    `residual` (units) is the root mean square of human - lam judge about its mean, `weight` the lam
    that goes with it, `value` the mean of the measure, None where no draw has it.
    """

    residual: Values
    weight: float
    value: float | None


def foretell(drawn: Values, judge: Values) -> Foretold:
    """Foretell the residuals from the `drawn` measures (units, draws) and the `judge`'s (units),
    NaN where undefined, which is in no mean and counts as 0 about it, as in the correction."""
    there = ~np.isnan(drawn)
    if not there.any():
        return Foretold(np.zeros(len(drawn)), 0.0, None)
    value = float(drawn[there].mean())
    human = np.where(there, drawn - value, 0.0)
    proxy = np.where(np.isnan(judge), 0.0, judge - value)
    centred, variance = proxy - proxy.mean(), float(proxy.var())
    weight = float((human.mean(axis=1) * centred).mean()) / variance if variance > 0 else 0.0
    weight = min(1.0, max(0.0, weight))
    rest = human - weight * proxy[:, None]
    residual = np.sqrt(((rest - rest.mean()) ** 2).mean(axis=1))
    return Foretold(residual, weight, value)


def sizes(residual: Values, cost: Values) -> Values:
    """What the chance of each unit is in proportion to, with mean 1: its residual, mixed with EVEN
    of the mean, by the root of the labels that it `cost`s (at least 1 each), and never below
    1 / MOST."""
    mean = residual.mean() if len(residual) else 0.0
    mixed = (1 - EVEN) * residual / mean + EVEN if mean > 0 else np.ones(len(residual))
    size = mixed / np.sqrt(np.maximum(cost, 1))
    size = np.maximum(size / size.mean(), 1 / MOST)
    even: Values = size / size.mean()
    return even


class Draw(NamedTuple):
    """The units drawn, in the order of labelling, and the chance with which each was."""

    chosen: NDArray[np.intp]
    chances: Values


def draw(units: Sequence[str], size: Values, *, n: int, seed: int) -> Draw:
    """Draw `n` units (all, where there are fewer) with chances in proportion to size.

    u is a keyed hash of the unit's id and the seed: the same units in any order give the same
    list. Raises ValueError when lengths differ or a size is not positive.
    """
    if len(units) != len(size) or not (size > 0).all():
        raise ValueError(f"{len(units)} units, {len(size)} sizes, all must be positive")
    n = min(n, len(units))
    order = np.argsort(_uniform(units, seed) / size, kind="stable")[:n]
    return Draw(order, chances(size, n=n)[order])


def chances(size: Values, *, n: int) -> Values:
    """n size / sum of sizes for each unit; where that is over 1 the unit is certain, and the others
    share what is left. They sum to n."""
    found = np.ones(len(size))
    open_ = np.ones(len(size), dtype=bool)
    while n < len(size):
        certain = len(size) - int(open_.sum())
        found[open_] = (n - certain) * size[open_] / size[open_].sum()
        over = open_ & (found >= 1)
        if not over.any():
            break
        found[over] = 1.0
        open_ &= ~over
    return found


def _uniform(units: Sequence[str], seed: int) -> Values:
    """A number above 0 and at most 1 for each unit, by a 64-bit hash of its id under the seed."""
    digests = b"".join(
        blake2b(f"{seed} {unit}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for unit in units
    )
    return (np.frombuffer(digests, dtype=">u8").astype(np.float64) + 1) / 2.0**64
