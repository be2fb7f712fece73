"""Consistency of people with each other: labels against labels, never against a judge.

Labels come as three parallel arrays: the person's number, the pair's number, the grade 0..K-1.
Anyone may have left out any pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.intervals import Estimate
from labeler.stats.kappa import (
    Grades,
    Table,
    Weighting,
    confusion,
    grade_name,
    kappa,
    kappas,
    ratios,
)


def label_counts(pairs: NDArray[np.intp], grades: Grades, *, classes: int = 3) -> NDArray[np.intp]:
    """How many people gave each pair each grade: (pairs, K). Raises ValueError for other grades."""
    if grades.size and not (grades.min() >= 0 and grades.max() < classes):
        raise ValueError(f"a grade is outside 0..{classes - 1}")
    height = int(pairs.max()) + 1 if pairs.size else 0
    counts = np.bincount(pairs * classes + grades, minlength=height * classes)
    return counts.reshape(height, classes)


def alpha(counts: NDArray[np.intp], level: Literal["nominal", "ordinal"] = "ordinal") -> Estimate:
    """Krippendorff's alpha from `label_counts`, (pairs, K); pairs with one label drop out.

    None, with the reason, when no pair has two labels, and when all of those are one grade: there
    the expected disagreement is 0 and alpha 0 / 0, not 1.
    """
    import krippendorff

    shared = counts[counts.sum(axis=1) > 1]
    if not len(shared):
        return Estimate(None, reason="no pair has labels of two people")
    used = np.flatnonzero(shared.sum(axis=0))
    if len(used) == 1:
        name = grade_name(int(used[0]), counts.shape[1])
        return Estimate(None, reason=f"every label is {name}: alpha has no value")
    value = krippendorff.alpha(
        value_counts=shared,
        value_domain=np.arange(counts.shape[1]),
        level_of_measurement=level,
    )
    return Estimate(float(value))


class Twosome(NamedTuple):
    """Two people on the `n` pairs that both labelled: on how many they differ, and their kappas."""

    first: str
    second: str
    n: int
    disagreements: int
    kappa: Estimate
    kappa_linear: Estimate


def pairwise(
    names: Sequence[str],
    people: NDArray[np.intp],
    pairs: NDArray[np.intp],
    grades: Grades,
    *,
    classes: int = 3,
) -> list[Twosome]:
    """Every two people that share a pair, in the order of `names`; `people` indexes `names`.

    At most one label a person and pair. Raises ValueError for grades outside 0..K-1.
    """
    hole = -1
    width = int(pairs.max()) + 1 if pairs.size else 0
    labels = np.full((len(names), width), hole, dtype=np.int16)
    labels[people, pairs] = grades
    found = []
    for a, b in combinations(range(len(names)), 2):
        both = (labels[a] != hole) & (labels[b] != hole)
        if not both.any():
            continue
        table = confusion(labels[a][both], labels[b][both], classes=classes)
        n = int(table.sum())
        found.append(
            Twosome(
                names[a],
                names[b],
                n,
                n - int(np.trace(table)),
                kappa(table),
                kappa(table, Weighting.LINEAR),
            )
        )
    return found


def coincidences(counts: NDArray[np.intp]) -> Table:
    """Each pair's part of Krippendorff's coincidence matrix: (pairs, K) to (pairs, K, K).

    o_ck = n_c (n_k - [c = k]) / (m - 1) with m labels on the pair; a pair with fewer than two has
    none. Matrices add up over pairs, which is what makes alpha quick to resample.
    """
    many = counts.sum(axis=1)
    products = np.einsum("ic,ik->ick", counts, counts).astype(np.float64)
    places = np.arange(counts.shape[1])
    products[:, places, places] -= counts
    products[many < 2] = 0
    matrices: Table = products / np.maximum(many - 1, 1)[:, None, None]
    return matrices


def alphas(matrices: Table, level: Literal["nominal", "ordinal"] = "ordinal") -> Table:
    """Krippendorff's alpha of coincidence matrices (..., K, K): 1 - observed / expected
    disagreement, NaN where none is expected.

    The ordinal distance of two grades is (labels from one to the other - half of both ends)^2, by
    the margins of the same matrix (Krippendorff 2004, 11.3.4).
    """
    margins = matrices.sum(-1)
    classes = matrices.shape[-1]
    if level == "nominal":
        distance = np.broadcast_to(1 - np.eye(classes), matrices.shape)
    else:
        below = np.cumsum(margins, axis=-1) - margins / 2  # labels below the middle of each grade
        distance = (below[..., :, None] - below[..., None, :]) ** 2
    observed = (matrices * distance).sum((-2, -1)) * (margins.sum(-1) - 1)
    expected = np.einsum("...c,...k,...ck->...", margins, margins, distance)
    return 1 - ratios(observed, expected)


def clustered_alpha(
    counts: NDArray[np.intp],
    *,
    queries: NDArray[np.intp],
    level: Literal["nominal", "ordinal"] = "ordinal",
    seed: int = 0,
) -> Estimate:
    """`alpha` with its interval of the bootstrap over queries; `queries` is the query number of
    each row of `counts`."""
    found = alpha(counts, level)
    if found.value is None:
        return found
    width = counts.shape[1] ** 2
    shared = counts.sum(axis=1) > 1
    cell = queries[shared, None] * width + np.arange(width)
    values = coincidences(counts)[shared].reshape(-1, width)
    rows = bootstrap.sums_by_query(cell.ravel(), values.ravel(), width=width)
    drawn = bootstrap.resample(rows, seed=seed).reshape(-1, counts.shape[1], counts.shape[1])
    spread = bootstrap.spread(alphas(drawn, level), queries=len(rows))
    return Estimate(found.value, spread.interval, spread.reason)


def clustered_kappa(
    first: Grades,
    second: Grades,
    *,
    queries: NDArray[np.intp],
    weighting: Weighting = Weighting.PLAIN,
    classes: int = 3,
    seed: int = 0,
) -> Estimate:
    """The kappa of two people with its interval of the bootstrap over queries, in rows `first`."""
    tables = bootstrap.tables_by_query(first, second, queries=queries, classes=classes)
    found = kappa(tables.sum(axis=0).reshape(classes, classes), weighting)
    if found.value is None:
        return found
    drawn = kappas(bootstrap.resample(tables, seed=seed), weighting)
    spread = bootstrap.spread(drawn, queries=len(tables))
    return Estimate(found.value, spread.interval, spread.reason)
