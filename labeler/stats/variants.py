"""Variants compared: runs of two systems over the same golden set, need by need.

The test is the paired randomisation test: if two variants do not differ, each need's difference is
as likely to have either sign. Signs are flipped at random `FLIPS` times, and p = (b + 1) / (B + 1),
b being the flips with a mean difference at least as far from 0. Holm adjusts over the pairs of
variants, one measure at a time. The interval of a difference is the bootstrap over needs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.agreement import SIGNIFICANT
from labeler.stats.comparison import holm
from labeler.stats.intervals import Z95, Estimate
from labeler.stats.measures import Measure, Run, Values
from labeler.stats.needs import (
    EVERYTHING,
    SMALL,
    Slices,
    mean_over_needs,
    need_means,
    part_means,
    parts,
)
from labeler.stats.retrieval import Evaluation

FLIPS = 10_000
"""Random sign assignments of every test."""

CELLS_AT_ONCE = 1_000_000
"""Signs held in memory together; part of the seed's meaning, so never tuned."""

Z80 = 0.8416212335729143
"""The 80% point of the standard normal distribution: the power of `detectable`."""


class SliceDifference(NamedTuple):
    """The difference within one part of the queries; `small` where it has fewer than 10 needs."""

    name: str
    value: str
    needs: int
    difference: Estimate
    small: bool


class Difference(NamedTuple):
    """Two variants on one measure over `needs` that have it in both.

    `means` are those of the two over the queries that have both values (None: no such query),
    `difference` is the second's mean minus the first's, with its bootstrap interval. `wins`, `ties`
    and `losses` count needs as the second sees them. `detectable` is the smallest difference that
    this many needs would show four times in five, from the spread of the differences themselves;
    None where they do not spread. `reading` says it in words.
    """

    measure: Measure
    first: str
    second: str
    needs: int
    means: tuple[float, float] | None
    difference: Estimate
    p: float | None
    p_holm: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None
    reading: str
    slices: tuple[SliceDifference, ...]


def detectable(sd: float, n: int) -> float:
    """The smallest true difference that a two-sided test at .05 over n needs finds with 80% power:
    (z.975 + z.80) sd / sqrt(n), sd being that of the needs' differences."""
    return (Z95 + Z80) * sd / math.sqrt(n)


def sign_flip_ps(differences: Values, *, seed: int, flips: int = FLIPS) -> NDArray[np.float64]:
    """p of each column of paired differences (needs, columns), no NaN, all on the same signs.

    Columns without any difference have p 1. Time and memory go with the rows that have one.
    """
    moved = differences[(differences != 0).any(axis=1)]
    needs, columns = moved.shape
    if not needs:
        return np.ones(columns)
    total = moved.sum(axis=0)
    # Flips that rounding puts a hair below the observed difference are as far from 0 as it.
    bar = np.abs(total) - 1e-9 * np.abs(moved).sum(axis=0)
    random = np.random.default_rng(seed)
    beyond = np.zeros(columns, dtype=np.intp)
    step = max(1, CELLS_AT_ONCE // needs)
    for start in range(0, flips, step):
        many = min(step, flips - start)
        bits = np.frombuffer(random.bytes(-(-many * needs // 8)), dtype=np.uint8)
        flipped = np.unpackbits(bits, count=many * needs).reshape(many, needs)
        sums = total - 2 * (flipped.astype(np.float64) @ moved)
        beyond += (np.abs(sums) >= bar).sum(axis=0)
    return (beyond + 1) / (flips + 1)


def compare(
    variants: Mapping[str, Evaluation],
    *,
    measures: Sequence[Measure] | None = None,
    slices: Slices | None = None,
    seed: int = 0,
    flips: int = FLIPS,
    draws: int = bootstrap.DRAWS,
) -> list[Difference]:
    """Every pair of variants on every measure, measure by measure, pairs in the order given.

    `measures` are those of the first evaluation unless given, without Judged, which is no merit.
    Raises ValueError when the evaluations are not of the same queries, needs and reading: such
    numbers cannot be compared.
    """
    names = list(variants)
    for name in names[1:]:
        _check(variants[names[0]], variants[name], name=name)
    if len(names) < 2:
        return []
    base = variants[names[0]]
    chosen = tuple(measures or (each for each in base.measures if each.name != "Judged"))
    pairs = list(combinations(names, 2))
    # (queries, measures, pairs): everything is read off one set of signs and one of draws.
    gaps = np.stack([_gaps(variants, pairs, measured) for measured in chosen], axis=1)
    flat = gaps.reshape(len(gaps), len(chosen) * len(pairs))
    groups = [EVERYTHING, *parts(base.query_ids, slices or {})]
    block, sizes = part_means(flat, base.needs, groups)
    estimates = mean_over_needs(block, seed=seed, draws=draws, reason="no query has it in both")
    by_need = block[:, : flat.shape[1]]
    ps = sign_flip_ps(np.nan_to_num(by_need), seed=seed, flips=flips).reshape(-1, len(pairs))
    found = []
    for row, measured in enumerate(chosen):
        tested = _with_holm(ps[row], [bool(np.isfinite(of).any()) for of in gaps[:, row].T])
        for column, names_of in enumerate(pairs):
            place = row * len(pairs) + column
            sliced = tuple(
                SliceDifference(part.name, part.value, size, estimate, size < SMALL)
                for part, size, estimate in zip(
                    groups[1:],
                    sizes[1:],
                    estimates[place + flat.shape[1] :: flat.shape[1]],
                    strict=True,
                )
            )
            pair = Pair(*names_of, by_need[:, place], flat[:, place], estimates[place], sliced)
            means = _means_of(variants, names_of, measured)
            found.append(_difference(measured, pair, means=means, tested=tested[column]))
    return found


def _gaps(
    variants: Mapping[str, Evaluation], pairs: Sequence[tuple[str, str]], measured: Measure
) -> Values:
    """The second minus the first of each pair, (queries, pairs); NaN where one has no value."""
    of = {name: each.values[:, each.measures.index(measured)] for name, each in variants.items()}
    return np.column_stack([of[second] - of[first] for first, second in pairs])


def _with_holm(ps: NDArray[np.float64], known: Sequence[bool]) -> list[tuple[float, float] | None]:
    """p and its adjustment over the pairs that have a value; None for the others."""
    raw = [float(p) for p in ps]
    adjusted = iter(holm([p for p, has in zip(raw, known, strict=True) if has]))
    return [(p, next(adjusted)) if has else None for p, has in zip(raw, known, strict=True)]


def _means_of(
    variants: Mapping[str, Evaluation], names: tuple[str, str], measured: Measure
) -> tuple[float, float] | None:
    """Both means over the queries that have both values; None where there is none."""
    first, second = (variants[name] for name in names)
    both = np.column_stack(
        [each.values[:, each.measures.index(measured)] for each in (first, second)]
    )
    paired = np.flatnonzero(np.isfinite(both).all(axis=1))
    if not len(paired):
        return None
    one, other = np.nanmean(need_means(both[paired], first.needs[paired]), axis=0).tolist()
    return one, other


class Pair(NamedTuple):
    """Two variants on one measure: the differences of their needs and of their queries, NaN where
    one has no value, with the bootstrap's estimates."""

    first: str
    second: str
    by_need: Values
    by_query: Values
    estimate: Estimate
    slices: tuple[SliceDifference, ...]


def _difference(
    measured: Measure,
    pair: Pair,
    *,
    means: tuple[float, float] | None,
    tested: tuple[float, float] | None,
) -> Difference:
    gaps = pair.by_need[np.flatnonzero(np.isfinite(pair.by_need))]
    # Needs whose paraphrases cancel out to a hair are ties.
    wins, losses = int((gaps > 1e-12).sum()), int((gaps < -1e-12).sum())
    sd = float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0
    smallest = detectable(sd, len(gaps)) if sd > 0 else None
    p, p_holm = tested or (None, None)
    if p_holm is None:
        reading = pair.estimate.reason
    elif not np.nan_to_num(pair.by_query).any():
        reading = "no difference on any query"
    elif p_holm < SIGNIFICANT:
        reading = f"{pair.second if gaps.mean() > 0 else pair.first} is better"
    else:
        reading = "no difference shown"
        if smallest is not None:
            reading += f": {len(gaps)} needs could show one of {smallest:.3g} or more"
    return Difference(
        measured,
        pair.first,
        pair.second,
        len(gaps),
        means,
        pair.estimate,
        p,
        p_holm,
        wins,
        len(gaps) - wins - losses,
        losses,
        smallest,
        reading,
        pair.slices,
    )


def _check(first: Evaluation, other: Evaluation, *, name: str) -> None:
    if first.reading is not other.reading:
        raise ValueError(f"{name} has the {other.reading} reading, the first {first.reading}")
    if first.query_ids != other.query_ids or not np.array_equal(first.needs, other.needs):
        raise ValueError(f"{name} is measured on other queries or needs than the first")


class Changed(NamedTuple):
    """A query's value under two variants, and both rankings down to the measure's k."""

    query_id: str
    first: float
    second: float
    difference: float
    first_top: tuple[str, ...]
    second_top: tuple[str, ...]


def most_changed(
    first: Evaluation,
    second: Evaluation,
    *,
    runs: tuple[Run, Run],
    measure: Measure,
    many: int = 10,
) -> list[Changed]:
    """The queries that the second variant changed most, either way, ties in the golden set's order.

    Unchanged ones are left out. Raises ValueError as `compare`.
    """
    _check(first, second, name="the second")
    before = first.values[:, first.measures.index(measure)]
    after = second.values[:, second.measures.index(measure)]
    gaps = np.nan_to_num(after - before)
    order = np.argsort(-np.abs(gaps), kind="stable")[:many]
    return [
        Changed(
            first.query_ids[row],
            float(before[row]),
            float(after[row]),
            float(gaps[row]),
            *(tuple(run.get(first.query_ids[row], ())[: measure.k]) for run in runs),
        )
        for row in order
        if gaps[row]
    ]
