"""Answers: how many are right, which stage lost those that are not, and what the right passages
would change. The unit of every mean is the need, as in `needs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.model import GRADES, Grade
from labeler.stats.correction import Corrected, correct
from labeler.stats.intervals import Estimate, Interval
from labeler.stats.measures import Reading, Values
from labeler.stats.needs import SMALL, mean_over_needs, need_means, need_numbers
from labeler.stats.triage import Stage


class Graded(NamedTuple):
    """The answer to a query as a judge and as people grade it; None where they have not."""

    query_id: str
    judge: Grade | None
    people: Grade | None


class Accuracy(NamedTuple):
    """The share of right answers in three ways. `uncovered` are the verdicts under which answers
    stand and none is labelled: of those the corrected share knows nothing. `answered` of `needs`
    have an answer; those without one count as wrong."""

    corrected: Corrected
    uncovered: tuple[Grade, ...]
    answered: int
    needs: int


def accuracy(
    rows: Sequence[Graded],
    *,
    needs: Mapping[str, str],
    reading: Reading = Reading.STRICT,
    asked: Sequence[str] | None = None,
) -> Accuracy:
    """The share of answers that are right (YES, or YES and PART where lenient), by the judge alone,
    by people alone, and corrected, over needs; `rows` has one row a query.

    A labelled answer stands for the answers of its verdict: it weighs N_v / n_v. With `asked` the
    share is over all these queries: one without a row is known to be wrong. The shares of the needs
    that have an answer are then multiplied by how many of all needs that is.
    """
    by_query = {row.query_id: row for row in rows}
    queries = list(by_query) if asked is None else list(asked)
    numbers = need_numbers(queries, needs)
    every = int(numbers.max()) + 1 if numbers.size else 0
    found = [by_query.get(query_id) for query_id in queries]
    answered = np.array([row is not None for row in found], dtype=bool)
    units = np.unique(numbers[answered])
    judge = need_means(_values(found, reading, people=False), numbers)[units, 0]
    people = need_means(_values(found, reading, people=True), numbers)[units, 0]
    weights, uncovered = _weights(found, numbers)
    labelled = np.flatnonzero(np.array([need in weights for need in units.tolist()], dtype=bool))
    corrected = correct(
        judge,
        people[labelled],
        labelled=labelled,
        weights=np.array([weights[need] for need in units[labelled].tolist()]),
    )
    share = len(units) / every if every else 1.0
    return Accuracy(_of_all(corrected, share), uncovered, len(units), every)


def _values(found: Sequence[Graded | None], reading: Reading, *, people: bool) -> Values:
    """A column of 1 for right, 0 for wrong and for no answer, NaN for no grade."""
    values = np.zeros((len(found), 1))
    for place, row in enumerate(found):
        if row is not None:
            grade = row.people if people else row.judge
            values[place, 0] = np.nan if grade is None else grade.gain >= reading.least
    return values


def _weights(
    found: Sequence[Graded | None], numbers: NDArray[np.intp]
) -> tuple[dict[int, float], tuple[Grade, ...]]:
    """How many answers each labelled need stands for, by its answers' verdicts."""
    many: dict[Grade | None, int] = {}
    known: dict[Grade | None, int] = {}
    for given in (row for row in found if row is not None):
        many[given.judge] = many.get(given.judge, 0) + 1
        known[given.judge] = known.get(given.judge, 0) + (given.people is not None)
    of: dict[int, list[float]] = {}
    for row, need in zip(found, numbers.tolist(), strict=True):
        if row is not None and row.people is not None:
            of.setdefault(need, []).append(many[row.judge] / known[row.judge])
    uncovered = tuple(grade for grade in GRADES if many.get(grade) and not known[grade])
    return {need: float(np.mean(each)) for need, each in of.items()}, uncovered


def _of_all(found: Corrected, share: float) -> Corrected:
    """The shares of the answered needs as shares of all."""

    def scaled(one: Estimate) -> Estimate:
        if one.value is None:
            return one
        ends = one.interval and Interval(one.interval.lo * share, one.interval.hi * share)
        return Estimate(one.value * share, ends, one.reason)

    return replace(
        found,
        judge_only=scaled(found.judge_only),
        people_only=scaled(found.people_only),
        corrected=scaled(found.corrected),
    )


def mean(values: Mapping[str, float], *, needs: Mapping[str, str], reason: str) -> Estimate:
    """The mean of the queries' values over needs, with its bootstrap interval; without a value None
    with the `reason`."""
    if not values:
        return Estimate(None, reason=reason)
    rows = need_means(np.array([[v] for v in values.values()]), need_numbers(list(values), needs))
    return mean_over_needs(rows, seed=0, reason=reason)[0]


class Fate(StrEnum):
    """What became of a query: whether its passages reached the context, and whether the answer is
    right."""

    OK = "OK"
    GENERATION = "GENERATION"
    RETRIEVAL = "RETRIEVAL"
    LUCKY = "LUCKY"
    REFUSED = "REFUSED"
    OVERREACH = "OVERREACH"
    UNKNOWN = "UNKNOWN"


MEANING: Mapping[Fate, str] = {
    Fate.OK: "the passages were there and the answer is right",
    Fate.GENERATION: "the passages were there and the answer is not right",
    Fate.RETRIEVAL: "the passages never came and the answer is not right",
    Fate.LUCKY: "the passages never came and the answer is right",
    Fate.REFUSED: "nothing answers it and the answer says so",
    Fate.OVERREACH: "nothing answers it and the answer does not say so",
    Fate.UNKNOWN: "without a grade, a known context, or anything expected",
}
"""Each in words."""


def fate(stage: Stage | None, *, right: bool | None) -> Fate:
    """The fate of a query with a grade; `stage` as triage tells it of the context, None where that
    cannot be told."""
    if stage is None or right is None:
        return Fate.UNKNOWN
    if stage is Stage.NOTHING_TO_FIND:
        return Fate.REFUSED if right else Fate.OVERREACH
    if stage is Stage.GENERATION:
        return Fate.OK if right else Fate.GENERATION
    return Fate.LUCKY if right else Fate.RETRIEVAL


class Advice(StrEnum):
    """Which stage to work on, as far as it can be told."""

    RETRIEVAL = "retrieval"
    GENERATION = "generation"
    NEITHER = "neither"
    NOT_TOLD_APART = "not told apart"


class Contrast(NamedTuple):
    """The same queries answered in production and with another context, over `needs`.

    `difference` is the other's share of right answers minus production's: what retrieval loses,
    where the other context is the right one. `beyond` is what is lost even so, 1 - other. `lead` is
    `difference` - `beyond`: above 0 retrieval loses more, below 0 generation does.
    """

    needs: int
    production: Estimate
    other: Estimate
    difference: Estimate
    beyond: Estimate
    lead: Estimate

    @property
    def apart(self) -> int:
        """1 or -1 where the other context is told apart as better or worse, else 0."""
        return told_apart(self.difference, self.needs)

    @property
    def advice(self) -> Advice:
        """The stage that loses more, if the other context is the right one."""
        if self.needs and self.beyond.value == 0 and (self.difference.value or 0) <= 0:
            return Advice.NEITHER
        side = told_apart(self.lead, self.needs)
        if side > 0 and self.apart > 0:
            return Advice.RETRIEVAL
        return Advice.GENERATION if side < 0 else Advice.NOT_TOLD_APART


def told_apart(estimate: Estimate, needs: int) -> int:
    """The sign of a mean difference whose 95% interval leaves 0 out, else 0. Where every one of
    SMALL needs or more has the same difference, there is no interval and none is needed."""
    if not estimate.value:
        return 0
    if estimate.interval is None:
        return 0 if needs < SMALL else int(np.sign(estimate.value))
    lo, hi = estimate.interval
    return 0 if needs < 2 or lo <= 0 <= hi else int(np.sign(estimate.value))


def contrast(
    production: Mapping[str, float],
    other: Mapping[str, float],
    *,
    needs: Mapping[str, str],
    seed: int = 0,
) -> Contrast:
    """Compare two answers to each query that has both; 1 is right and 0 is wrong. All numbers are
    read off the same bootstrap draws over needs."""
    both = sorted(production.keys() & other.keys())
    if not both:
        none = Estimate(None, reason="no query has both")
        return Contrast(0, none, none, none, none, none)
    p = np.array([production[query_id] for query_id in both], dtype=np.float64)
    s = np.array([other[query_id] for query_id in both], dtype=np.float64)
    rows = np.stack([p, s, s - p, 1 - s, 2 * s - p - 1], axis=1)
    by_need = need_means(rows, need_numbers(both, needs))
    return Contrast(len(by_need), *mean_over_needs(by_need, seed=seed))
