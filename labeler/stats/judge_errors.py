"""What a judge's errors do to each measure, when its verdicts stand in for people's labels.

The judge finds a relevant passage with probability Se (sensitivity, its recall of YES) and calls
one that is not relevant relevant with probability 1 - Sp (specificity), each passage by itself.
Relevance is binary in one reading. These are expectations of one query's measure; those of recall
and nDCG, which divide by what the judge calls relevant, are ratios of expectations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from labeler.stats.measures import Values


class Judged(NamedTuple):
    """One query as it truly is: which of the top k are relevant, in rank order, and how many of the
    `pool` passages (those of the list among them) are relevant in all.

    A slot that gains nothing whatever the judge says (a repeat, a barred passage) is None and not
    of the pool. `k` is the cutoff, for a list that is shorter; 0: as many as there are slots.
    """

    top: Sequence[bool | None]
    relevant: int
    pool: int
    k: int = 0

    @property
    def cutoff(self) -> int:
        """What P@k divides by, and nDCG@k's ideal is cut at."""
        return max(self.k, len(self.top))


class WhatIf(NamedTuple):
    """The mean of a measure over queries: as it is, and as a judge with these rates would print
    it. None where no query has a value."""

    sensitivity: float
    specificity: float
    true: float | None
    seen: float | None


def precision(true: float, *, sensitivity: float, specificity: float) -> float:
    """E[P@k] = P Se + (1 - P)(1 - Sp)."""
    return true * sensitivity + (1 - true) * (1 - specificity)


def reciprocal_rank(top: Sequence[bool | None], *, sensitivity: float, specificity: float) -> float:
    """E[RR@k]: the sum over ranks of 1/rank times the chance that the first YES is there."""
    expected, none_before = 0.0, 1.0
    for rank, yes in enumerate(_yes(top, sensitivity, specificity), 1):
        expected += none_before * yes / rank
        none_before *= 1 - yes
    return expected


def success(top: Sequence[bool | None], *, sensitivity: float, specificity: float) -> float:
    """E[Success@k]: the chance of any YES in the top k."""
    return 1 - math.prod(1 - yes for yes in _yes(top, sensitivity, specificity))


def recall(query: Judged, *, sensitivity: float, specificity: float) -> float | None:
    """Expected YES in the top k over expected YES in the pool; None where that is 0."""
    _check(query)
    found = sum(_yes(query.top, sensitivity, specificity))
    everything = query.relevant * sensitivity + (query.pool - query.relevant) * (1 - specificity)
    return found / everything if everything else None


def ndcg(query: Judged, *, sensitivity: float, specificity: float) -> float | None:
    """Expected DCG of the top k over the expected ideal, gains 0 and 1; None where that is 0.

    The ideal goes by how many of the pool the judge calls relevant, the sum of two binomials.
    """
    _check(query)
    discounts = 1 / np.log2(np.arange(2, query.cutoff + 2))
    chances = np.array(_yes(query.top, sensitivity, specificity))
    gained = float(discounts[: len(chances)] @ chances)
    right = _binomial(query.relevant, sensitivity)
    called = np.convolve(right, _binomial(query.pool - query.relevant, 1 - specificity))
    # P(at least i are called relevant): the ideal has its i-th discount exactly then.
    at_least = called[::-1].cumsum()[::-1][1 : len(discounts) + 1]
    ideal = float(discounts[: len(at_least)] @ at_least)
    return gained / ideal if ideal > 1e-12 else None


@lru_cache(maxsize=4096)
def _binomial(n: int, p: float) -> Values:
    """The chance of 0, 1, ... n. Queries share few sizes of pool, and a plot few rates."""
    from scipy.special import gammaln, xlog1py, xlogy  # scipy.stats takes a second to load

    k = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances: Values = np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p))
    return chances


def what_if(
    queries: Sequence[Judged], measure: str, *, rates: Sequence[tuple[float, float]]
) -> list[WhatIf]:
    """The mean of a measure ("R", "P", "P/retrieved", "RR", "nDCG", "Success") at each (Se, Sp):
    the plot of what a judge of that quality would print for queries that truly are as given.

    Queries without a relevant passage are in no true mean, and so in none here: what they would
    read is `reciprocal_rank` and its kin. Raises ValueError for another measure.
    """
    if measure not in _EXPECTED:
        raise ValueError(f"{measure!r} is none of {', '.join(_EXPECTED)}")
    answerable = [query for query in queries if query.relevant]
    true = _mean(answerable, measure, 1.0, 1.0)
    return [WhatIf(se, sp, true, _mean(answerable, measure, se, sp)) for se, sp in rates]


_EXPECTED: Mapping[str, Callable[[Judged, float, float], float | None]] = {
    "R": lambda query, se, sp: recall(query, sensitivity=se, specificity=sp),
    "P": lambda query, se, sp: sum(_yes(query.top, se, sp)) / query.cutoff,
    "P/retrieved": lambda query, se, sp: (
        sum(_yes(query.top, se, sp)) / len(query.top) if query.top else None
    ),
    "RR": lambda query, se, sp: reciprocal_rank(query.top, sensitivity=se, specificity=sp),
    "nDCG": lambda query, se, sp: ndcg(query, sensitivity=se, specificity=sp),
    "Success": lambda query, se, sp: success(query.top, sensitivity=se, specificity=sp),
}


def _mean(queries: Sequence[Judged], measure: str, se: float, sp: float) -> float | None:
    values: Values = np.array(
        [value for query in queries if (value := _EXPECTED[measure](query, se, sp)) is not None]
    )
    return float(values.mean()) if len(values) else None


def _yes(top: Sequence[bool | None], sensitivity: float, specificity: float) -> list[float]:
    """The chance of a YES that counts at each rank."""
    chances = {True: sensitivity, False: 1 - specificity, None: 0.0}
    return [chances[relevant] for relevant in top]


def _check(query: Judged) -> None:
    hits, others = query.top.count(True), query.top.count(False)
    if not (hits <= query.relevant and others <= query.pool - query.relevant):
        raise ValueError(
            f"{hits} relevant of the top {len(query.top)} do not fit {query.relevant} relevant "
            f"in a pool of {query.pool}"
        )
