"""Agreement of a judge's verdicts with people's labels on the same pairs.

Grades are 0, 1, 2 for NO, PART, YES (in general 0..K-1, ascending). A sample drawn by verdict
carries a weight a pair, N_h / n_h, and every estimate is reweighted by it; the effective number of
pairs is (sum w)^2 / sum w^2, which for such weights is 1 / sum(W_h^2 / n_h).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.intervals import Estimate, binomial_tail, wilson
from labeler.stats.kappa import (
    ClosedForm,
    Grades,
    Table,
    Weighting,
    ac1s,
    confusion,
    grade_name,
    kappa,
    kappa_closed_form,
    kappas,
    losses,
    merged,
)

SIGNIFICANT = 0.05
"""The level of the tests that put a finding into words."""


class Effective(NamedTuple):
    """A weighted sample as the plain one that it is worth: `x` of `n` disagreements, real-valued,
    with x / n the weighted `rate`."""

    rate: float
    n: float
    x: float


class ConstantJudge(NamedTuple):
    """The best judge that always gives one grade, on the same pairs.

    `ahead` and `behind`: the pairs (effective, where weighted) on which only the judge and only the
    constant judge is right. `p` is the exact one-sided sign test of ahead > behind, the judge being
    no better: it reads "beats" as shown, not as happened, so that a judge that finds two of 377
    relevant passages does not beat "always NO" by luck. It needs five pairs that tell them apart.
    """

    grade: int
    disagreement: float
    ahead: float
    behind: float
    p: float

    @property
    def beaten(self) -> bool:
        """Whether the judge is shown to disagree less than this one."""
        return self.p <= SIGNIFICANT


class Direction(NamedTuple):
    """Whether the judge grades higher ("lenient") or lower ("strict") than people.

    `mean_difference` is the mean of judge - human in grades. `statistic`, `df` and `p` are Stuart
    and Maxwell's test that both use the grades equally often. `reading` is "none" unless p < .05.
    None, with the reason, where there is nothing to test.
    """

    mean_difference: float | None
    statistic: float | None
    df: int
    p: float | None
    reading: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Everything that is said of a judge on n compared pairs.

    `disagreement` is the raw share with its Wilson interval; `weighted_disagreement` is None for an
    unweighted comparison. `counts` (K, K) is raw, rows human, columns judge; `table` is the same in
    weights and is what every other number is read from. The intervals of kappa and AC1 are of the
    bootstrap over `queries`; `undefined_draws` of its `draws` had no kappa and were dropped.
    `kappa_closed_form` takes pairs as independent: shown only beside it, None when weighted.
    """

    n: int
    disagreements: int
    queries: int
    counts: NDArray[np.int64]
    table: Table
    effective: Effective | None
    disagreement: Estimate
    weighted_disagreement: Estimate | None
    kappa: Estimate
    kappa_linear: Estimate
    kappa_quadratic: Estimate
    kappa_strict: Estimate
    kappa_lenient: Estimate
    ac1: Estimate
    kappa_closed_form: ClosedForm | None
    yes_recall: Estimate
    yes_precision: Estimate
    constant_judge: ConstantJudge | None
    direction: Direction
    seed: int
    draws: int
    undefined_draws: int


def measure(
    human: Grades,
    judge: Grades,
    *,
    queries: NDArray[np.intp],
    weights: Table | None = None,
    classes: int = 3,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> Agreement:
    """Compare n labels with n verdicts; `queries` numbers each pair's query (`bootstrap.number`).

    `weights` (n,) are the pairs' N_h / n_h of a sample drawn by verdict, None for any other set.
    Raises ValueError when the arrays do not match or a grade is out of range.
    """
    counts = confusion(human, judge, classes=classes)
    table = confusion(human, judge, weights=weights, classes=classes)
    squares = counts
    if weights is not None:
        squares = confusion(human, judge, weights=weights**2, classes=classes)
    rows = bootstrap.tables_by_query(
        human, judge, queries=queries, weights=weights, classes=classes
    )
    drawn = bootstrap.resample(rows, seed=seed, draws=draws) if len(rows) > 1 else rows[:0]
    coefficients, undefined = _coefficients(table, drawn, queries=len(rows))
    n, x = int(counts.sum()), int(counts.sum() - np.trace(counts))
    effective = None if weights is None or n == 0 else effective_counts(table, squares)
    return Agreement(
        n=n,
        disagreements=x,
        queries=len(rows),
        counts=counts.astype(np.int64),
        table=table,
        effective=effective,
        disagreement=share(x, n, reason=_EMPTY),
        weighted_disagreement=share(effective.x, effective.n, reason=_EMPTY) if effective else None,
        **coefficients,
        kappa_closed_form=kappa_closed_form(table) if weights is None else None,
        yes_recall=_yes_share(table, squares, of="label"),
        yes_precision=_yes_share(table, squares, of="verdict"),
        constant_judge=best_constant(table, squares=squares),
        direction=direction(table, squares=squares),
        seed=seed,
        draws=draws,
        undefined_draws=undefined,
    )


_EMPTY = "no pair has both a label and a verdict"


def share(x: float, n: float, *, reason: str) -> Estimate:
    """x / n with its Wilson interval, or None for the reason when n is 0."""
    return Estimate(x / n, wilson(x, n)) if n else Estimate(None, reason=reason)


def effective_counts(table: Table, squares: Table) -> Effective:
    """The plain sample that a weighted one is worth. Sums of weights and of squared weights."""
    total = float(table.sum())
    # From the cells off the diagonal: a difference of sums would round 0 to something else.
    rate = float((table * losses(len(table))).sum()) / total
    n = total**2 / float(squares.sum())
    return Effective(rate, n, min(rate * n, n))


def _coefficients(table: Table, drawn: Table, *, queries: int) -> tuple[dict[str, Estimate], int]:
    """Each coefficient with its interval, by field of Agreement; the draws without a kappa."""
    top = len(table) - 1
    upper = grade_name(top, len(table))
    lenient = " or ".join(grade_name(g, len(table)) for g in range(1, len(table)))
    strict_names = (f"not {upper}", upper)
    lenient_names = (grade_name(0, len(table)), lenient)
    both = {
        "kappa": (kappa(table), kappas(drawn)),
        "kappa_linear": (kappa(table, Weighting.LINEAR), kappas(drawn, Weighting.LINEAR)),
        "kappa_quadratic": (kappa(table, Weighting.QUADRATIC), kappas(drawn, Weighting.QUADRATIC)),
        "kappa_strict": (kappa(merged(table, top), names=strict_names), kappas(merged(drawn, top))),
        "kappa_lenient": (kappa(merged(table, 1), names=lenient_names), kappas(merged(drawn, 1))),
        "ac1": (ac1(table), ac1s(drawn)),
    }
    spreads = {name: bootstrap.spread(draws, queries=queries) for name, (_, draws) in both.items()}
    estimates = {
        name: point
        if point.value is None
        else Estimate(point.value, spreads[name].interval, spreads[name].reason)
        for name, (point, _) in both.items()
    }
    return estimates, spreads["kappa"].undefined


def ac1(table: Table) -> Estimate:
    """Gwet's AC1 of one table, without an interval. Secondary: it decides nothing."""
    value = float(ac1s(table))
    return Estimate(None, reason=_EMPTY) if math.isnan(value) else Estimate(value)


def yes_recall(table: Table) -> Estimate:
    """The share of the human YES that the judge finds, unweighted, with Wilson's interval."""
    return _yes_share(table, table, of="label")


def yes_precision(table: Table) -> Estimate:
    """The share of the judge's YES that people grade YES, unweighted, with Wilson's interval."""
    return _yes_share(table, table, of="verdict")


def _yes_share(table: Table, squares: Table, *, of: str) -> Estimate:
    """Both YES among the labels or the verdicts YES; the interval by the effective number."""
    axis = table if of == "label" else table.T
    spread = squares if of == "label" else squares.T
    total = float(axis[-1].sum())
    if not total:
        return Estimate(None, reason=f"no {of} is {grade_name(len(table) - 1, len(table))}")
    rate, n = float(axis[-1, -1]) / total, total**2 / float(spread[-1].sum())
    return Estimate(rate, wilson(min(rate * n, n), n))


def best_constant(table: Table, *, squares: Table | None = None) -> ConstantJudge | None:
    """The constant judge that disagrees least with people, the lower grade on a tie.

    `squares` is the table of squared weights, None for counts. None for an empty table.
    """
    squares = table if squares is None else squares
    total = float(table.sum())
    if not total:
        return None
    humans = table.sum(axis=1)
    grade = int(np.argmax(humans))
    apart = np.ones(len(table), dtype=bool)
    apart[grade] = False
    right, wrong = np.diag(table)[apart].sum(), table[grade, apart].sum()
    squared = np.diag(squares)[apart].sum() + squares[grade, apart].sum()
    # Pairs that the two judges get equally right or wrong say nothing; the others count by what
    # their weights are worth, which for equal weights is their number.
    worth = (right + wrong) / squared if squared else 0.0
    ahead, behind = float(right * worth), float(wrong * worth)
    p = binomial_tail(ahead, ahead + behind, 0.5)
    return ConstantJudge(grade, (total - float(humans[grade])) / total, ahead, behind, p)


def direction(table: Table, *, squares: Table | None = None) -> Direction:
    """Stuart-Maxwell's test of equal margins and the signed mean grade difference.

    d' V^-1 d with d = row sums - column sums and V from the cells off the diagonal, of squared
    weights where weighted. Grades that nobody disagrees on drop out, and df with them.
    """
    from scipy.special import gammaincc

    squares = table if squares is None else squares
    total = float(table.sum())
    if not total:
        return Direction(None, None, 0, None, "none", _EMPTY)
    # The diagonal tells nothing, and would drown what is off it where weights differ much.
    apart = 1 - np.eye(len(table))
    table, squares = table * apart, squares * apart
    difference = table.sum(1) - table.sum(0)
    mean = -float(difference @ np.arange(len(table))) / total
    kept = _told_apart(squares)
    if not len(kept):
        return Direction(mean, None, 0, None, "none", "no pair disagrees: nothing to test")
    covariance = np.diag(squares.sum(0) + squares.sum(1)) - squares - squares.T
    inverse = np.linalg.pinv(covariance[np.ix_(kept, kept)], hermitian=True)
    statistic = max(0.0, float(difference[kept] @ inverse @ difference[kept]))
    p = float(gammaincc(len(kept) / 2, statistic / 2))
    found = p < SIGNIFICANT and mean != 0
    return Direction(
        mean, statistic, len(kept), p, ("lenient" if mean > 0 else "strict") if found else "none"
    )


def _told_apart(table: Table) -> NDArray[np.intp]:
    """The grades whose margins can differ by themselves: of those that disagreements link, directly
    or by way of others, all but the lowest, whose margin follows from theirs."""
    many = len(table)
    linked = np.linalg.matrix_power(np.eye(many) + (table + table.T > 0), many) > 0
    lowest = linked.argmax(axis=1)
    return np.flatnonzero(lowest != np.arange(many))
