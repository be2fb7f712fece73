"""Chance-corrected agreement from confusion tables: rows human, columns judge, grades ascending.

Every function reads tables of shape (..., K, K) for any number K of grades, counts or sums of
weights alike, and a stack of tables at once where its name is in the plural: the bootstrap needs
thousands. Written out in NumPy for that reason; scikit-learn and statsmodels check it in the tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.model import GRADES
from labeler.stats.intervals import Z95, Estimate, Interval

Table = NDArray[np.float64]
Grades = NDArray[np.integer[Any]]


class Weighting(StrEnum):
    """How much a disagreement of d grades out of K counts: 1, d/(K-1), or (d/(K-1))^2."""

    PLAIN = "plain"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


class ClosedForm(NamedTuple):
    """The large-sample standard error of a kappa, and the 95% interval that it gives."""

    standard_error: float
    interval: Interval


def losses(classes: int, weighting: Weighting = Weighting.PLAIN) -> Table:
    """The (K, K) cost of each cell: 0 on the diagonal, 1 in the far corner; 1 - w of the books."""
    distance = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) / (classes - 1)
    if weighting is Weighting.PLAIN:
        return (distance > 0).astype(np.float64)
    linear: Table = distance if weighting is Weighting.LINEAR else distance**2
    return linear


def confusion(
    human: Grades, judge: Grades, *, weights: Table | None = None, classes: int = 3
) -> Table:
    """The (K, K) table of n pairs of grades 0..K-1: counts, or sums of `weights`.

    Raises ValueError when the arrays differ in length or a grade is out of range.
    """
    cell = cells(human, judge, classes=classes)
    sums = np.bincount(cell, weights=weights, minlength=classes * classes)
    return sums.reshape(classes, classes).astype(np.float64)


def cells(human: Grades, judge: Grades, *, classes: int) -> NDArray[np.intp]:
    """The cell, human * K + judge, that each pair falls in. Raises ValueError as `confusion`."""
    if human.shape != judge.shape:
        raise ValueError(f"{human.size} human grades and {judge.size} of the judge")
    for name, grades in (("human", human), ("judge", judge)):
        if grades.size and not (grades.min() >= 0 and grades.max() < classes):
            raise ValueError(f"a {name} grade is outside 0..{classes - 1}")
    cell: NDArray[np.intp] = human.astype(np.intp) * classes + judge
    return cell


def merged(tables: Table, cut: int) -> Table:
    """Tables (..., 2, 2) of grade >= cut against the rest: with three grades, cut 2 is the strict
    reading and cut 1 the lenient one."""
    split = (slice(None, cut), slice(cut, None))
    rows = [np.stack([tables[..., r, c].sum((-2, -1)) for c in split], -1) for r in split]
    pairs: Table = np.stack(rows, -2)
    return pairs


def kappas(tables: Table, weighting: Weighting = Weighting.PLAIN) -> Table:
    """kappa = 1 - observed loss / loss expected from the margins, NaN where nothing is expected.

    The same as (po - pe) / (1 - pe). The expected loss is 0 only when both sides give one and the
    same grade everywhere (or the table is empty); sums of non-negative terms make that test exact.
    """
    loss = losses(tables.shape[-1], weighting)
    observed = (tables * loss).sum((-2, -1)) * tables.sum((-2, -1))
    expected = np.einsum("...i,ij,...j->...", tables.sum(-1), loss, tables.sum(-2))
    return 1 - ratios(observed, expected)


def ac1s(tables: Table) -> Table:
    """Gwet's AC1: pe = sum pi_k (1 - pi_k) / (K - 1), pi_k the mean of both margins' shares.

    Defined, and equal to the agreement, when one grade is everywhere. NaN for an empty table.
    """
    total = tables.sum((-2, -1))
    po = ratios(np.einsum("...ii->...", tables), total)
    pi = ratios(tables.sum(-1) + tables.sum(-2), 2 * total[..., None])
    pe = (pi * (1 - pi)).sum(-1) / (tables.shape[-1] - 1)
    coefficient: Table = (po - pe) / (1 - pe)
    return coefficient


def ratios(above: Table, below: Table) -> Table:
    """above / below, NaN where below is 0: draws of the bootstrap that have no such number."""
    above, below = np.broadcast_arrays(above, below)
    ratio: Table = np.full(above.shape, np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return ratio


def kappa(
    table: Table, weighting: Weighting = Weighting.PLAIN, *, names: Sequence[str] = ()
) -> Estimate:
    """The kappa of one table, without an interval; None, never 0 or 1, when it is undefined.

    `names` are the grades' names for the reason, by default NO, PART, YES.
    """
    value = float(kappas(table, weighting))
    if not math.isnan(value):
        return Estimate(value)
    if not table.sum():
        return Estimate(None, reason="no pair has both a label and a verdict")
    only = int(np.argmax(table.sum(-1)))
    name = grade_name(only, len(table), names=names)
    return Estimate(None, reason=f"every label and every verdict is {name}: kappa has no value")


def grade_name(grade: int, classes: int, *, names: Sequence[str] = ()) -> str:
    """What to call a grade: its given name, NO, PART or YES among three, else its number."""
    if names:
        return names[grade]
    return str(GRADES[grade]) if classes == len(GRADES) else str(grade)


def kappa_closed_form(table: Table, weighting: Weighting = Weighting.PLAIN) -> ClosedForm | None:
    """The large-sample standard error of kappa and its 95% interval, clipped to [-1, 1].

    Fleiss, Cohen and Everitt (1969), which takes pairs as independent: the passages of one query
    are not, so this stands beside the bootstrap over queries, for comparison. Counts only: it
    does not hold for a weighted table. None where kappa is undefined.
    """
    value = float(kappas(table, weighting))
    if math.isnan(value):
        return None
    n = float(table.sum())
    shares, gain = table / n, 1 - losses(len(table), weighting)
    rows, columns = shares.sum(1), shares.sum(0)
    chance = float(rows @ gain @ columns)
    mean = np.add.outer(gain @ columns, rows @ gain)
    spread = float((shares * (gain - mean * (1 - value)) ** 2).sum())
    variance = (spread - (value - chance * (1 - value)) ** 2) / (n * (1 - chance) ** 2)
    error = math.sqrt(max(variance, 0.0))
    return ClosedForm(
        error, Interval(max(-1.0, value - Z95 * error), min(1.0, value + Z95 * error))
    )
