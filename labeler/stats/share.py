"""How many of a judge's pairs are truly relevant: its share of YES, corrected by people's labels.

Post-stratification by verdict: whatever a verdict's pairs turn out to be among the labelled ones,
they are among all. It holds for labels drawn by verdict, as a spot check is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats.intervals import Z95, Estimate, Interval
from labeler.stats.measures import Values

BETA_DRAWS = 200_000
"""Draws of the share's posterior: its ends then move by about .0005 from seed to seed."""


class Stratum(NamedTuple):
    """The pairs of one verdict: how many there are, how many of them people labelled, and how many
    of those they call relevant. `positive`: whether the verdict itself reads as relevant. The two
    label counts may be real-valued (`effective_counts`)."""

    verdict: str
    positive: bool
    pairs: int
    labelled: float
    relevant: float


class Share(NamedTuple):
    """The share of truly relevant pairs. `value` is post-stratified by verdict, with its 95%
    interval from Beta draws, and `closed_form` is the same by the normal approximation, to set
    beside it: with 30 labels that one holds the truth too seldom. `judge_only` is what the verdicts
    say, `people_only` the plain share among the labels.

    `rogan_gladen` corrects the judge's share by its Se and Sp among the labels: a cross-check,
    which holds only where labels were drawn without regard to the verdict.
    """

    value: Estimate
    closed_form: Interval | None
    judge_only: Estimate
    people_only: Estimate
    rogan_gladen: Estimate
    seed: int


def relevant_share(strata: Sequence[Stratum], *, seed: int, draws: int = BETA_DRAWS) -> Share:
    """theta = sum_v q_v a_v / n_v over verdicts v, q_v = N_v / N; the interval is that of the same
    sum with each rate drawn from Beta(a_v + .5, n_v - a_v + .5).

    None, with the reason, when a verdict has pairs but no label. Raises ValueError for counts that
    are none.
    """
    for each in strata:
        if not 0 <= each.relevant <= each.labelled or each.pairs < 0:
            raise ValueError(f"{each.relevant} of {each.labelled} labelled of {each.pairs} pairs")
    used = [each for each in strata if each.pairs]
    total = sum(each.pairs for each in used)
    labelled = sum(each.labelled for each in used)
    if not total:
        none = Estimate(None, reason="no judged pair")
        return Share(none, None, none, none, none, seed)
    judged = sum(each.pairs for each in used if each.positive) / total
    people = Estimate(None, reason="no label")
    if labelled:
        people = Estimate(sum(each.relevant for each in used) / labelled)
    bare = [each.verdict for each in used if not each.labelled]
    if bare:
        value = Estimate(None, reason=f"no label among the pairs judged {', '.join(bare)}")
    else:
        value = _post_stratified(used, total, seed=seed, draws=draws)
    cross_check = _cross_check(used, judged)
    normal = None if bare else _closed_form(used, total)
    return Share(value, normal, Estimate(judged), people, cross_check, seed)


def _post_stratified(strata: Sequence[Stratum], total: int, *, seed: int, draws: int) -> Estimate:
    random = np.random.default_rng(seed)
    drawn = np.zeros(draws)
    for each in strata:
        wrong = each.labelled - each.relevant
        drawn += each.pairs / total * random.beta(each.relevant + 0.5, wrong + 0.5, size=draws)
    value = sum(each.pairs / total * each.relevant / each.labelled for each in strata)
    return _around(value, drawn)


def _around(value: float, drawn: Values) -> Estimate:
    """A value with the central 95% of its draws. Where all labels agree the value is at a bound
    that no draw reaches: then the interval goes on to it."""
    lo, hi = np.quantile(drawn, [0.025, 0.975])
    return Estimate(value, Interval(min(float(lo), value), max(float(hi), value)))


class Rates(NamedTuple):
    """A judge's Se and Sp over all its pairs, with 95% intervals from the same Beta draws."""

    sensitivity: Estimate
    specificity: Estimate


def error_rates(strata: Sequence[Stratum], *, seed: int, draws: int = BETA_DRAWS) -> Rates:
    """Se = the share of the relevant pairs that are judged relevant, Sp = that of the others that
    are not, post-stratified by verdict, so that labels drawn by verdict give them too.

    None, with the reason, when a verdict has pairs but no label, or there is nothing to divide by.
    """
    used = [each for each in strata if each.pairs]
    bare = [each.verdict for each in used if not each.labelled]
    if bare or not used:
        reason = f"no label among the pairs judged {', '.join(bare)}" if bare else "no judged pair"
        return Rates(Estimate(None, reason=reason), Estimate(None, reason=reason))
    random = np.random.default_rng(seed)
    pairs = np.array([each.pairs for each in used])
    positive = np.array([each.positive for each in used])
    relevant = np.array([each.relevant for each in used])
    labelled = np.array([each.labelled for each in used])
    drawn = random.beta(relevant + 0.5, labelled - relevant + 0.5, size=(draws, len(used)))
    yes, no = pairs * relevant / labelled, pairs * (1 - relevant / labelled)
    return Rates(
        _rate(yes, pairs * drawn, positive, lack="people call no labelled pair relevant"),
        _rate(no, pairs * (1 - drawn), ~positive, lack="people call every labelled pair relevant"),
    )


def _rate(counts: Values, drawn: Values, right: NDArray[np.bool_], *, lack: str) -> Estimate:
    """The share of the counts that the judge has right, and its interval from drawn counts."""
    if not counts.sum() > 0:
        return Estimate(None, reason=lack)
    shares = drawn[:, right].sum(axis=1) / drawn.sum(axis=1)
    return _around(float(counts[right].sum() / counts.sum()), shares)


def _closed_form(strata: Sequence[Stratum], total: int) -> Interval | None:
    """theta +- z sqrt(sum_v q_v^2 p_v (1 - p_v) / (n_v - 1) + sum_v q_v (p_v - theta)^2 / N): the
    labels within each verdict, and the judged pairs as a sample themselves. None from a verdict
    with a single label."""
    if any(each.labelled <= 1 for each in strata):
        return None
    shares = [(each.pairs / total, each.relevant / each.labelled, each) for each in strata]
    theta = sum(q * p for q, p, _ in shares)
    within = sum(q**2 * p * (1 - p) / (each.labelled - 1) for q, p, each in shares)
    between = sum(q * (p - theta) ** 2 for q, p, _ in shares) / total
    half = Z95 * math.sqrt(within + between)
    return Interval(max(0.0, theta - half), min(1.0, theta + half))


def _cross_check(strata: Sequence[Stratum], judged: float) -> Estimate:
    relevant = sum(each.relevant for each in strata)
    other = sum(each.labelled for each in strata) - relevant
    if not relevant or not other:
        return Estimate(None, reason="people gave one grade only: Se or Sp has no value")
    found = sum(each.relevant for each in strata if each.positive)
    rejected = sum(each.labelled - each.relevant for each in strata if not each.positive)
    return rogan_gladen(judged, sensitivity=found / relevant, specificity=rejected / other)


def rogan_gladen(judged: float, *, sensitivity: float, specificity: float) -> Estimate:
    """(p + Sp - 1) / (Se + Sp - 1), within 0 and 1; None for a judge no better than chance."""
    power = sensitivity + specificity - 1
    if power <= 0:
        return Estimate(None, reason="the judge is no better than chance: Se + Sp <= 1")
    return Estimate(min(1.0, max(0.0, (judged + specificity - 1) / power)))


def effective_counts(
    relevant: NDArray[np.bool_], weights: Values, *, queries: NDArray[np.intp] | None = None
) -> tuple[float, float]:
    """Labels drawn with unequal chances as the plain sample that they are worth: n = (sum w)^2 /
    sum w^2 of them, of which the weighted share is relevant. Weights are positive.

    Where whole `queries` (a number a label) were labelled, their pairs are not independent: n is
    then at most p (1 - p) / V, V being the variance of the weighted share p between queries.
    """
    if not len(weights):
        return 0.0, 0.0
    n = float(weights.sum() ** 2 / (weights**2).sum())
    share = float(weights @ relevant / weights.sum())
    if queries is not None and 0 < share < 1:
        sums = np.bincount(queries, weights * (relevant - share) / weights.sum())
        many = len(np.unique(queries))
        between = float((sums**2).sum()) * many / max(1, many - 1)
        n = 1.0 if many == 1 else min(n, share * (1 - share) / max(between, 1e-12))
    return n, share * n
