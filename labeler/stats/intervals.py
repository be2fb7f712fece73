"""Intervals for a proportion, and the type of a number that may be undefined.

Counts may be real-valued everywhere: a sample drawn by verdict has an effective number of pairs and
of disagreements (see `labeler.stats.sampling`). SciPy is imported where it is used, because it
takes longer to load than most commands run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

Z95 = 1.959963984540054
"""The 97.5% point of the standard normal distribution."""


class Interval(NamedTuple):
    """Both ends of an interval, inclusive."""

    lo: float
    hi: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that may be undefined.

    `value` None: there is none, and `reason` says why. `value` set and `interval` None: the number
    stands without an interval, and `reason`, where not "", says why.
    """

    value: float | None
    interval: Interval | None = None
    reason: str = ""


def _check(x: float, n: float) -> None:
    """Refuse counts that are no counts: x of n with 0 <= x <= n and n > 0."""
    if not (n > 0 and 0 <= x <= n):
        raise ValueError(f"{x} of {n} is no count: expected 0 <= x <= n and n > 0")


def wilson(x: float, n: float, *, z: float = Z95) -> Interval:
    """Wilson's score interval of x in n, two-sided; 95% with the default z.

    Raises ValueError unless 0 <= x <= n and n > 0.
    """
    _check(x, n)
    p, share = x / n, z * z / n
    centre = (p + share / 2) / (1 + share)
    half = z / (1 + share) * math.sqrt(p * (1 - p) / n + share / (4 * n))
    # At x = 0 and x = n one end is exactly 0 or 1; rounding must not move it inside.
    return Interval(
        0.0 if x == 0 else max(0.0, centre - half), 1.0 if x == n else min(1.0, centre + half)
    )


def clopper_pearson_bounds(x: float, n: float, *, level: float = 0.95) -> Interval:
    """The one-sided lower and the one-sided upper exact bound of x in n, each at `level`.

    Beta quantiles with real-valued counts: lo = B(1 - level; x, n - x + 1), 0 at x = 0;
    hi = B(level; x + 1, n - x), 1 at x = n. The two together are an interval at 2 * level - 1.
    Raises ValueError unless 0 <= x <= n and n > 0.
    """
    from scipy.special import betaincinv

    _check(x, n)
    lo = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, 1 - level))
    hi = 1.0 if x == n else float(betaincinv(x + 1, n - x, level))
    return Interval(lo, hi)


def confidence_sequence(x: float, n: float, *, level: float = 0.95) -> Interval:
    """The 95% interval of x in n that holds at every look, however often one looks.

    {p : B(a + x, b + n - x) / B(a, b) < p^x (1 - p)^(n - x) / (1 - level)} with a = b = 1/2: the
    likelihood ratio of a beta mixture against p is a martingale, so Ville's inequality bounds the
    chance that it ever leaves the set. n = 0 gives 0, 1. Raises ValueError unless 0 <= x <= n.
    """
    if n == 0 and x == 0:
        return Interval(0.0, 1.0)
    _check(x, n)
    mixture = (
        math.lgamma(0.5 + x) + math.lgamma(0.5 + n - x) - math.lgamma(1 + n) - math.log(math.pi)
    )
    floor = mixture + math.log(1 - level)

    def inside(p: float) -> bool:
        if p >= 1:  # bisection comes that near where x is a hair below n
            return False
        agree = 0.0 if x == n else (n - x) * math.log1p(-p)
        return (0.0 if x == 0 else x * math.log(p)) + agree > floor

    # The likelihood has one peak, at x / n, where the set is never empty.
    peak = x / n
    return Interval(
        0.0 if x == 0 else _edge(inside, peak, 0.0), 1.0 if x == n else _edge(inside, peak, 1.0)
    )


def _edge(inside: Callable[[float], bool], within: float, without: float) -> float:
    """Where `inside` turns false between a point in the set and one outside, by bisection."""
    for _ in range(60):
        middle = (within + without) / 2
        if inside(middle):
            within = middle
        else:
            without = middle
    return without


def binomial_tail(x: float, n: float, p: float) -> float:
    """P(X >= x) for X binomial(n, p), by the incomplete beta function, so x and n may be real."""
    from scipy.special import betainc

    return 1.0 if x <= 0 else float(betainc(x, n - x + 1, p))
