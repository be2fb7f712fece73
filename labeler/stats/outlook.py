"""How far more labels will narrow a corrected interval, and how many settle a question.

The variance of the corrected mean has a part that labels do not shrink, lam^2 Var_N(judge) / N, and
a rest R that they do. A list's queries are drawn in proportion to size, so each is worth 1 / g of
one drawn at random, g = mean(r^2 / p) / mean(r^2) with r the foretold residuals and p the sizes
over their mean; averaged with the n labelled before, m more leave R n (n + m g) / (n + m)^2. Both
sides of the interval shrink by the root of the variance, and by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labeler.stats.correction import ENOUGH, TINY, Corrected
from labeler.stats.intervals import Z95
from labeler.stats.measures import Values
from labeler.stats.next_labels import Foretold

STEPS = (10, 20, 50, 100)
"""How many more queries an interval is foretold for."""

FEW = 3
"""Labelled queries below which their own spread is not taken for that of the others."""


class Frame(NamedTuple):
    """What may still be labelled: `units` (needs) of them, each costing `cost` labels in the mean
    of a list, and worth 1 / `gain` of one that is drawn at random."""

    units: int
    cost: float
    gain: float


class Step(NamedTuple):
    """After so many more queries, and labels, half the width of the interval that is expected."""

    queries: int
    labels: int
    half_width: float


class Needed(NamedTuple):
    """How many more labelled queries, and labels, leave a target outside the interval; 0 where it
    is outside already, None with the `reason` where no number does or none can be told."""

    queries: int | None
    labels: int | None
    reason: str = ""


class Outlook(NamedTuple):
    """`half_width` is that of the present interval (None without one), `steps` what is expected of
    more labels, `foretold` whether that rests on the verdicts alone. `needed` is None where no
    target was given."""

    half_width: float | None
    steps: tuple[Step, ...]
    foretold: bool
    needed: Needed | None


def frame(residual: Values, size: Values, cost: Values) -> Frame:
    """What sizes are worth, by the foretold residuals of the units that may be labelled."""
    if not len(size):
        return Frame(0, 0.0, 1.0)
    share, square = size / size.mean(), residual**2
    gain = float((square / share).mean() / square.mean()) if square.mean() > TINY else 1.0
    return Frame(len(size), float(share @ cost / len(size)), gain)


def look(
    found: Corrected,
    *,
    labelled: int,
    judge: Values,
    foretold: Foretold,
    open_: Frame,
    target: float | None,
    at: Sequence[int] = STEPS,
) -> Outlook:
    """What `at` so many more queries is expected of a corrected number, `judge` being what it was
    corrected from, and `labelled` how many queries are, also those in no mean; and how many more
    leave a `target`, 0 for a difference, outside its interval."""
    shrinks = _shrinking(found, labelled, judge=judge, open_=open_)
    interval = found.corrected.interval
    if shrinks is None or interval is None:
        half, shrink = _from_verdicts(judge, foretold, gain=open_.gain)
        steps = _steps(half, shrink, open_, at=at)
        why = f"only {found.labelled} labelled queries have the measure: their spread is not known"
        if shrinks is not None or found.labelled >= ENOUGH:
            why = found.corrected.reason
        unknown = None if target is None else Needed(None, None, why)
        return Outlook(None, steps, True, unknown)
    half = (interval.hi - interval.lo) / 2
    needed = None if target is None else _needed(found, target, shrinks=shrinks, open_=open_)
    return Outlook(half, _steps(half, shrinks, open_, at=at), False, needed)


def _steps(half: float, shrinks: Values, open_: Frame, *, at: Sequence[int]) -> tuple[Step, ...]:
    """`shrinks` is by how many more queries, from 0 to all."""
    return tuple(
        Step(more, math.ceil(more * open_.cost), float(half * shrinks[more]))
        for more in sorted(set(at))
        if more <= open_.units
    )


def _shrinking(found: Corrected, n: int, *, judge: Values, open_: Frame) -> Values | None:
    """What the interval is expected to be multiplied by with 0, 1, ... more queries labelled; None
    where the labelled ones do not tell."""
    from scipy.special import stdtrit  # scipy.stats takes a second to load

    interval, fitted = found.corrected.interval, 1 + (found.weight > 0)
    if interval is None or found.labelled < FEW + fitted:
        return None
    half = (interval.hi - interval.lo) / 2
    more = np.arange(open_.units + 1)
    student = stdtrit(n + more - fitted, 0.975)
    now = (half / student[0]) ** 2
    fixed = min(now, found.weight**2 * _between(judge))
    after = fixed + (now - fixed) * n * (n + more * open_.gain) / (n + more) ** 2
    shrinks: Values = np.sqrt(after / now) * student / student[0]
    return np.minimum.accumulate(shrinks)


def _between(judge: Values) -> float:
    """Var_N(judge) / N, an undefined value counting as the mean."""
    own = judge[~np.isnan(judge)]
    return float(((own - own.mean()) ** 2).sum()) / len(judge) ** 2 if len(own) else 0.0


def _from_verdicts(judge: Values, foretold: Foretold, *, gain: float) -> tuple[float, Values]:
    """Half an interval for one labelled query, and what it is multiplied by for 0, 1, ... of them,
    from the foretold residuals."""
    spread = float((foretold.residual**2).mean()) if len(foretold.residual) else 0.0
    fixed = foretold.weight**2 * _between(judge)
    more = np.maximum(np.arange(len(foretold.residual) + 1), 1)
    one = max(fixed + gain * spread, TINY)
    return Z95 * one**0.5, np.sqrt((fixed + gain * spread / more) / one)


def _needed(found: Corrected, target: float, *, shrinks: Values, open_: Frame) -> Needed:
    value, interval = found.corrected.value, found.corrected.interval
    assert value is not None
    assert interval is not None
    least = max(0, ENOUGH - found.labelled)
    if least > open_.units:
        return Needed(None, None, f"fewer than {ENOUGH} queries: no number is quoted")
    distance = abs(target - value)
    side = interval.hi - value if target > value else value - interval.lo
    if distance <= TINY:
        return Needed(None, None, "the value is at the target: no number of labels parts the two")
    enough = np.flatnonzero(side * shrinks < distance)
    if not len(enough):
        if not open_.units:
            return Needed(None, None, "no query is left to label: it stays open")
        all_ = f"labelling all {open_.units:,} other queries would leave it open"
        return Needed(None, None, f"{all_} if the value stays {value:.3f}")
    more = max(int(enough[0]), least)
    return Needed(more, math.ceil(more * open_.cost))
