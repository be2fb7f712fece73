"""Two rubrics (or judges) compared on the same labelled pairs; slices against the threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.agreement import SIGNIFICANT, Effective, share
from labeler.stats.intervals import Estimate, binomial_tail
from labeler.stats.kappa import Grades, Table

TOO_FEW = 10
"""A slice of fewer compared pairs is not read."""


def mcnemar(b: float, c: float) -> float:
    """The exact two-sided p of McNemar's test: twice the smaller binomial tail at 1/2, at most 1.

    b and c are the pairs that only the first and only the second has right. No such pair gives 1.
    """
    return min(1.0, 2 * binomial_tail(max(b, c), b + c, 0.5))


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p values, in the order given."""
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        adjusted[place] = largest
    return adjusted


ABOVE = "above the threshold"
"""The reading of a slice that is shown to disagree more than the threshold allows."""


class Slice(NamedTuple):
    """The disagreement within one part of the compared pairs, with Wilson's interval.

    `p` is the exact one-sided binomial test that the rate is above the threshold, `p_holm` the same
    adjusted for all slices tested together. `reading`: "too few" (n < 10), "above the threshold"
    (p_holm < .05) or "" . Of a sample drawn by verdict `n` and `disagreements` are as counted, and
    everything else is reweighted.
    """

    name: str
    value: str
    n: float
    disagreements: float
    disagreement: Estimate
    p: float | None
    p_holm: float | None
    reading: str


class Part(NamedTuple):
    """A slice to test: `disagreements` of `n` compared pairs whose `name` (kind, annotator,
    verdict, source) is `value`. `effective` is what they are worth where they were drawn with
    unequal weights (`weighted`)."""

    name: str
    value: str
    n: float
    disagreements: float
    effective: Effective | None = None


class Stratum(NamedTuple):
    """The pairs of a slice that weigh the same: `disagreements` of `n`, each of `weight`."""

    n: int
    disagreements: int
    weight: float


def weighted(name: str, value: str, *, strata: Sequence[Stratum]) -> Part:
    """A slice of a sample drawn by verdict: rate sum(w x) / sum(w n), worth (sum w n)^2 / sum w^2 n
    pairs drawn at random."""
    n = sum(stratum.n for stratum in strata)
    x = sum(stratum.disagreements for stratum in strata)
    total = sum(stratum.weight * stratum.n for stratum in strata)
    worth = total**2 / sum(stratum.weight**2 * stratum.n for stratum in strata)
    rate = sum(stratum.weight * stratum.disagreements for stratum in strata) / total
    return Part(name, value, n, x, Effective(rate, worth, rate * worth))


def slices(parts: Iterable[Part], *, threshold: float) -> list[Slice]:
    """Test each part against the threshold, with Holm over all that have a pair, in their order."""
    given = list(parts)
    raw = [binomial_tail(x, n, threshold) for x, n in map(_counts, given) if n]
    tested = iter(zip(raw, holm(raw), strict=True))
    found = []
    for part in given:
        p, p_holm = next(tested) if part.n else (None, None)
        reading = ""
        if part.n < TOO_FEW:
            reading = "too few"
        elif p_holm is not None and p_holm < SIGNIFICANT:
            reading = ABOVE
        estimate = share(*_counts(part), reason="no compared pair")
        found.append(Slice(*part[:4], estimate, p, p_holm, reading))
    return found


def _counts(part: Part) -> tuple[float, float]:
    """The disagreements and pairs that a slice's estimates are computed from."""
    if part.effective is None:
        return part.disagreements, part.n
    return min(part.effective.x, part.effective.n), part.effective.n


class Comparison(NamedTuple):
    """Two judges on the same n labelled pairs. `difference` is the second's disagreement minus the
    first's, with the bootstrap interval over queries, which decides: `reading` is "second",
    "first", or "no difference shown" when it holds 0 or does not exist.

    `only_first` and `only_second` count the pairs that one alone has right, `p` is McNemar's on
    them, which takes pairs as independent.
    """

    n: int
    first: float | None
    second: float | None
    only_first: int
    only_second: int
    p: float
    difference: Estimate
    reading: str
    seed: int


def compare(
    human: Grades,
    first: Grades,
    second: Grades,
    *,
    queries: NDArray[np.intp],
    weights: Table | None = None,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> Comparison:
    """Which of two judges disagrees less with the same labels; `weights` and `queries` as in
    `agreement.measure`. The rates and their difference are weighted, the counts are not.

    Raises ValueError when the arrays differ in length.
    """
    if not human.shape == first.shape == second.shape == queries.shape:
        raise ValueError(f"{human.size} labels, {first.size} and {second.size} verdicts")
    # Four columns: bit 1 that the first is wrong, bit 0 that the second is.
    outcome = 2 * (first != human) + (second != human)
    counts = np.bincount(outcome, minlength=4)
    rows = bootstrap.sums_by_query(queries * 4 + outcome, weights, width=4)
    only_first, only_second = int(counts[0b01]), int(counts[0b10])
    p = mcnemar(only_first, only_second)
    if not len(rows):
        none = Estimate(None, reason="no pair has a label and both verdicts")
        return Comparison(0, None, None, 0, 0, p, none, "no difference shown", seed)
    drawn = bootstrap.resample(rows, seed=seed, draws=draws)
    spread = bootstrap.spread(_difference(drawn), queries=len(rows))
    total = rows.sum(axis=0)
    wrong_first, wrong_second = (float(total[c].sum() / total.sum()) for c in ([2, 3], [1, 3]))
    reading = "no difference shown"
    if spread.interval and not spread.interval.lo <= 0 <= spread.interval.hi:
        reading = "second" if spread.interval.hi < 0 else "first"
    return Comparison(
        len(human),
        wrong_first,
        wrong_second,
        only_first,
        only_second,
        p,
        Estimate(float(_difference(total)), spread.interval, spread.reason),
        reading,
        seed,
    )


def _difference(sums: Table) -> Table:
    """The second's rate minus the first's, from sums (..., 4) by outcome."""
    difference: Table = (sums[..., 0b01] - sums[..., 0b10]) / sums.sum(-1)
    return difference
