"""What a decision on a judge is computed from, and how many labels would settle it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from labeler.model import Decision, Grade
from labeler.stats.agreement import SIGNIFICANT, ConstantJudge, Effective
from labeler.stats.intervals import (
    Interval,
    binomial_tail,
    clopper_pearson_bounds,
    confidence_sequence,
)

THRESHOLD = 0.10
"""The share of pairs on which a trusted judge may disagree with people."""

LEAST_THRESHOLD = 0.0001
"""A smaller share takes more than 30,000 labels to show."""

MOST_LABELS = 10_000
"""More labels than this are not asked of people: the search for what settles a decision ends."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """x disagreements of n > 0 compared pairs, and all else that bears on the decision.

    `worth` is the plain sample that the pairs are worth: themselves, unless `weighted`. `planned`
    is None when n is no stage of anything; `uncovered` are verdicts without a label.
    """

    x: int
    n: int
    worth: Effective
    weighted: bool
    constant: ConstantJudge
    threshold: float
    planned: int | None
    uncovered: tuple[Grade, ...]

    @property
    def bounds(self) -> Interval:
        """The one-sided 95% lower and the one-sided 95% upper exact bound."""
        return clopper_pearson_bounds(self.worth.x, self.worth.n)

    @property
    def sequence(self) -> Interval:
        """The 95% interval that holds at every look; approximate for a weighted sample."""
        return confidence_sequence(self.worth.x, self.worth.n)

    @property
    def awaited(self) -> int:
        """Labels of the plan that are not in yet."""
        return max(0, (self.planned or 0) - self.n)

    @property
    def decision(self) -> Decision:
        """UNDECIDED before the plan is done or while a verdict has no label; else by the bounds."""
        return Decision.UNDECIDED if self.awaited or self.uncovered else self._read(0)

    def _read(self, more: int) -> Decision:
        """The decision by bounds and constant judge, were `more` labels to come out as so far.

        Every count grows alike, real-valued; the proportions of the strata stay.
        """
        grown = (self.n + more) / self.n
        lo, hi = clopper_pearson_bounds(self.worth.x * grown, self.worth.n * grown)
        if lo > self.threshold:
            return Decision.REJECTED
        ahead, behind = self.constant.ahead * grown, self.constant.behind * grown
        beats = hi <= self.threshold and binomial_tail(ahead, ahead + behind, 0.5) <= SIGNIFICANT
        return Decision.TRUSTED if beats else Decision.UNDECIDED

    @property
    def labels_needed(self) -> int | None:
        """The fewest more labels that decide at the present rate; None when it is decided, or not
        within MOST_LABELS."""
        if self.decision is not Decision.UNDECIDED:
            return None
        settles = _least(lambda more: self._read(more) is not Decision.UNDECIDED, MOST_LABELS)
        return None if settles is None else max(settles, self.awaited, len(self.uncovered))

    def outlook(self, further: int) -> Outlook:
        """What it takes with so many further disagreements.

        A further label counts as the average one so far does: worth.n / n of a pair.
        """
        labels = _labels_more(self.worth, further, self.worth.n / self.n, self.threshold)
        return Outlook(further, max(labels, self.awaited))


class Outlook(NamedTuple):
    """With `disagreements` more of them, `labels` more labels in all meet the bound for TRUSTED."""

    disagreements: int
    labels: int


def labels_to_trust(disagreements: int, threshold: float = THRESHOLD) -> int:
    """The smallest n whose upper bound is at most the threshold with so many disagreements."""
    return _labels_more(Effective(0.0, 0.0, 0.0), disagreements, 1.0, threshold)


def labels_more(x: int, n: int, *, threshold: float = THRESHOLD) -> int:
    """The fewest more labels, none of them a disagreement, whose upper bound is at most the
    threshold after x of n."""
    return _labels_more(Effective(x / n, n, x), 0, 1.0, threshold)


def rule_of_thumb(x: int, n: int, *, threshold: float = THRESHOLD) -> bool:
    """x / n <= threshold, which is shown beside the decision and decides nothing."""
    return x <= _allowed(n, threshold)


def rule_of_thumb_passes(rate: float, n: int, *, threshold: float = THRESHOLD) -> float:
    """The chance that the rule of thumb passes a judge whose true disagreement is `rate`."""
    allowed = _allowed(n, threshold)
    return 1.0 if allowed >= n else 1 - binomial_tail(allowed + 1, n, rate)


def _allowed(n: int, threshold: float) -> int:
    """The most disagreements that the rule of thumb passes; .29 * 100 is a hair under 29."""
    return math.floor(threshold * n + 1e-9)


def _labels_more(worth: Effective, further: int, each: float, threshold: float) -> int:
    """The fewest more labels, `further` of them disagreements, that bring the upper bound down."""

    def enough(agreeing: int) -> bool:
        n = worth.n + (further + agreeing) * each
        return n > 0 and clopper_pearson_bounds(worth.x + further * each, n).hi <= threshold

    agreeing = _least(enough)
    assert agreeing is not None  # the bound falls to 0 as n grows
    return further + agreeing


def _least(test: Callable[[int], bool], most: int | None = None) -> int | None:
    """The smallest m >= 0 that passes a test which stays passed; None when it is above `most`."""
    high = 1
    while not test(high):
        if most is not None and high >= most:
            return None
        high = 2 * high if most is None else min(2 * high, most)
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if test(middle) else (middle, high)
    return high
