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

from labeler.stats.intervals import Estimate
from labeler.stats.kappa import Grades, Weighting, confusion, grade_name, kappa


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
