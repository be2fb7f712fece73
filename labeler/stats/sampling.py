"""Drawing a spot check by verdict, and reading estimates from one.

H strata, one a verdict, of N_h pairs; n_h of them are drawn without replacement, each standing for
N_h / n_h pairs. W_h = N_h / N.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.errors import UsageError
from labeler.stats.intervals import Estimate

PER_VERDICT = 5
"""Pairs drawn of each verdict where there are that many."""


class Stratum(NamedTuple):
    """The pairs of one verdict: `size` of them (N_h), `drawn` (n_h), each weighing N_h / n_h."""

    verdict: int
    size: int
    drawn: int

    @property
    def weight(self) -> float:
        """How many pairs each drawn one stands for."""
        return self.size / self.drawn


@dataclass(frozen=True, slots=True)
class Draw:
    """A spot check as drawn. `chosen` are positions in the given pairs, in an order that gives away
    neither rank nor verdict; `weights` (float64, same order) are their N_h / n_h."""

    chosen: NDArray[np.intp]
    weights: NDArray[np.float64]
    strata: tuple[Stratum, ...]
    seed: int


def allocate(sizes: Sequence[int], n: int, *, per_verdict: int = PER_VERDICT) -> tuple[int, ...]:
    """How many of each stratum to draw: n in all, or everything where n is more than there is.

    First `per_verdict` of each stratum (all of a smaller one; never none of any, which would leave
    it without an estimate), then the rest in proportion to the sizes by largest remainder, ties to
    the larger stratum and then to the earlier. A stratum that is full passes its share on. Where n
    is too small for the floors they are lowered evenly.
    Raises UsageError when n is less than the number of strata that have a pair.
    """
    present = sum(size > 0 for size in sizes)
    if n < present:
        raise UsageError(
            f"{n} pairs cannot cover {present} verdicts: draw at least {present}, one of each"
        )
    n = min(n, sum(sizes))
    floor = max(1, min(per_verdict, max(sizes, default=1)))
    while sum(min(floor, size) for size in sizes) > n:
        floor -= 1
    drawn = [min(floor, size) for size in sizes]
    while (rest := n - sum(drawn)) > 0:
        room = [h for h, size in enumerate(sizes) if drawn[h] < size]
        total = sum(sizes[h] for h in room)
        # Integers throughout: the same shares on every machine.
        shares = {h: rest * sizes[h] // total for h in room}
        by_remainder = sorted(room, key=lambda h: (-(rest * sizes[h] % total), -sizes[h], h))
        for h in by_remainder[: rest - sum(shares.values())]:
            shares[h] += 1
        for h, more in shares.items():
            drawn[h] = min(sizes[h], drawn[h] + more)
    return tuple(drawn)


def draw(
    pairs: Sequence[tuple[str, str]],
    verdicts: NDArray[np.integer[Any]],
    *,
    n: int = 30,
    per_verdict: int = PER_VERDICT,
    seed: int,
) -> Draw:
    """Draw a spot check of n (query_id, passage_id) pairs by verdict (0..K-1, one a pair).

    Each pair's place is a keyed hash of its ids and the seed, so that the same pairs in any order
    give the same spot check, and a larger n extends a smaller one as far as the shares allow. Pairs
    must be distinct. A million take about a second. Raises UsageError as `allocate`, and ValueError
    when there is not one verdict a pair.
    """
    if len(pairs) != len(verdicts):
        raise ValueError(f"{len(pairs)} pairs and {len(verdicts)} verdicts")
    sizes = np.bincount(verdicts).tolist()
    places = _places(pairs, seed)
    chosen, weights, strata = [], [], []
    for verdict, (size, many) in enumerate(
        zip(sizes, allocate(sizes, n, per_verdict=per_verdict), strict=True)
    ):
        if not size:
            continue
        members = np.flatnonzero(verdicts == verdict)
        first = members[np.argpartition(places[members], many - 1)[:many]]
        stratum = Stratum(verdict, size, many)
        chosen.append(first)
        weights.append(np.full(many, stratum.weight))
        strata.append(stratum)
    if not chosen:
        return Draw(np.empty(0, np.intp), np.empty(0), (), seed)
    positions, weight = np.concatenate(chosen), np.concatenate(weights)
    order = np.argsort(places[positions])
    return Draw(positions[order], weight[order], tuple(strata), seed)


def _places(pairs: Sequence[tuple[str, str]], seed: int) -> NDArray[np.uint64]:
    """A 64-bit hash of each pair's ids under the seed; the length keeps ("a", "bc") from
    ("ab", "c")."""
    digests = b"".join(
        blake2b(f"{seed} {len(q)} {q}{p}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for q, p in pairs
    )
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


class Weighed(NamedTuple):
    """The weights of the pairs that have a label so far, and the verdicts (0..K-1) that have
    pairs but no label yet, for which no estimate speaks."""

    weights: NDArray[np.float64]
    uncovered: tuple[int, ...]


def weigh(sizes: Sequence[int], verdicts: NDArray[np.integer[Any]]) -> Weighed:
    """N_h / n_h for each compared pair, n_h being the compared pairs of its verdict.

    Not the weights as drawn: labels still open or unsure would make a verdict count too little.
    `sizes` are the strata's N_h by verdict 0..K-1; `verdicts` are of the compared pairs.
    Raises ValueError when a stratum has more compared pairs than pairs.
    """
    counts = np.bincount(verdicts, minlength=len(sizes))
    if len(counts) > len(sizes) or (counts > np.asarray(sizes)).any():
        raise ValueError(f"{counts.tolist()} compared pairs of strata of {list(sizes)}")
    uncovered = tuple(h for h, size in enumerate(sizes) if size and not counts[h])
    each = np.asarray(sizes, dtype=np.float64) / np.maximum(counts, 1)
    return Weighed(each[verdicts], uncovered)


class StratifiedRate(NamedTuple):
    """A rate read from a sample drawn by verdict. `naive` is x / n as if drawn at random, `rate`
    carries the standard error in `standard_error`, and `x` of `n` is the plain sample it is worth.
    """

    naive: float
    rate: float
    standard_error: Estimate
    n: float
    x: float


def stratified_rate(
    sizes: Sequence[int], drawn: Sequence[int], disagreements: Sequence[float]
) -> StratifiedRate:
    """p = sum W_h x_h / n_h, n_eff = 1 / sum(W_h^2 / n_h), x_eff = p n_eff, and the standard error
    sqrt(sum W_h^2 (1 - n_h / N_h) p_h (1 - p_h) / (n_h - 1)), finite population, p_h unbiased.

    The standard error is None when a stratum that was not drawn whole has a single pair.
    Raises ValueError when a stratum that has pairs has none drawn.
    """
    rows = [row for row in zip(sizes, drawn, disagreements, strict=True) if row[0]]
    if not rows or not all(0 <= x <= n <= size and n for size, n, x in rows):
        raise ValueError(f"{list(disagreements)} of {list(drawn)} drawn of {list(sizes)}")
    total = sum(sizes)
    rate = sum(size / total * x / n for size, n, x in rows)
    n_eff = 1 / sum((size / total) ** 2 / n for size, n, _ in rows)
    naive = sum(x for *_, x in rows) / sum(n for _, n, _ in rows)
    partial = [(size, n, x / n) for size, n, x in rows if n < size]
    if any(n == 1 for _, n, _ in partial):
        error = Estimate(None, reason="a verdict with a single label has no measurable spread")
    else:
        error = Estimate(
            math.sqrt(
                sum(
                    (size / total) ** 2 * (1 - n / size) * p * (1 - p) / (n - 1)
                    for size, n, p in partial
                )
            )
        )
    return StratifiedRate(naive, rate, error, n_eff, rate * n_eff)
