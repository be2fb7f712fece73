"""Where to cut a retriever's scores, and whether a cut is worth recommending at all.

Each result has a score (higher is better) and is right (relevant) or wrong. The best cut keeps
score >= cut and has the highest J = share of right results kept + share of wrong ones dropped - 1
(Youden), which does not depend on how many wrong results there are. It is chosen on the data that
it is read on, so its precision and recall are on the hopeful side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.intervals import Z95, Estimate, Interval
from labeler.stats.measures import Values

KEEP = 0.8
"""A cut is recommended when it keeps this share of the right results and drops this share of the
wrong ones: with less, the classes overlap too much for one number to part them."""

ENOUGH = 10
"""Fewer right or fewer wrong results than this say nothing of a cut."""


class Cut(NamedTuple):
    """Keep score >= `score`. `precision`: right among the kept; `recall`: kept among the right;
    `dropped`: dropped among the wrong."""

    score: float
    precision: float
    recall: float
    dropped: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """The scores of one system's right and wrong results.

    `auc` is the chance that a right result scores over a wrong one (a tie is half), with a 95%
    interval that takes the query as the unit. `best` is the best cut whether or not it is
    `recommended`; `reason` says why it is not, or what it costs. `unscored` results had no score.
    """

    right: int
    wrong: int
    unscored: int
    auc: Estimate
    best: Cut | None
    recommended: bool
    reason: str


def threshold(
    scores: Sequence[float | None], right: Sequence[bool], *, queries: Sequence[str]
) -> Threshold:
    """Find the best cut over results, one score, one truth and one query id (or need id) each.

    Results without a finite score are counted and left out. Raises ValueError when the three differ
    in length.
    """
    if not len(scores) == len(right) == len(queries):
        raise ValueError(f"{len(scores)} scores, {len(right)} truths, {len(queries)} query ids")
    given = np.array([math.nan if s is None else s for s in scores], dtype=np.float64)
    known = np.flatnonzero(np.isfinite(given))
    value, truth = given[known], np.asarray(right, dtype=bool)[known]
    hits = int(truth.sum())
    misses = len(truth) - hits
    unscored = len(given) - len(known)
    if not hits or not misses:
        reason = f"no {'wrong' if hits else 'right'} result has a score: there is nothing to part"
        return Threshold(hits, misses, unscored, Estimate(None, reason=reason), None, False, reason)
    auc = _auc(
        value, truth, clusters=bootstrap.number([queries[place] for place in known.tolist()])
    )
    best = _best_cut(value, truth)
    recommended, reason = _advice(hits, misses, auc, best)
    return Threshold(hits, misses, unscored, auc, best, recommended, reason)


def _advice(right: int, wrong: int, auc: Estimate, best: Cut) -> tuple[bool, str]:
    """Whether to recommend the best cut, and why."""
    cost = (
        f"the best cut, {best.score:.6g}, keeps {best.recall:.0%} of the right results and drops "
        f"{best.dropped:.0%} of the wrong ones"
    )
    if min(right, wrong) < ENOUGH:
        return False, f"too few: {right} right and {wrong} wrong results, {ENOUGH} of each wanted"
    if auc.value is not None and auc.value < 0.5:
        return False, "wrong results score higher than right ones: are these distances?"
    if best.recall < KEEP or best.dropped < KEEP:
        return False, f"the classes overlap: {cost}, so no cut is recommended"
    return True, cost


def _best_cut(scores: Values, truth: NDArray[np.bool_]) -> Cut:
    """The cut with the highest J; of equal ones the highest score, which keeps least."""
    order = np.argsort(-scores, kind="stable")
    ranked, hit = scores[order], truth[order]
    # Equal scores fall on one side of any cut, so only the last of them is one.
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    kept_right = np.cumsum(hit)[last]
    kept = last + 1
    right, wrong = int(hit.sum()), int((~hit).sum())
    recall, dropped = kept_right / right, 1 - (kept - kept_right) / wrong
    best = int(np.argmax(recall + dropped))
    return Cut(
        float(ranked[last[best]]),
        float(kept_right[best] / kept[best]),
        float(recall[best]),
        float(dropped[best]),
    )


def _auc(scores: Values, truth: NDArray[np.bool_], *, clusters: NDArray[np.intp]) -> Estimate:
    """The area under the ROC curve with Obuchowski's (1997) variance for clustered results, which
    is DeLong's where each query has one result. The interval is taken on the logit scale, so that
    it stays within 0 and 1. None as the interval from fewer than two queries with a right or with a
    wrong result, and where the classes do not overlap at all, for then there is no spread to see.
    """
    right, wrong = scores[truth], scores[~truth]
    of_right = _placements(right, wrong)
    of_wrong = 1 - _placements(wrong, right)
    auc = float(of_right.mean())
    if auc in (0.0, 1.0):
        return Estimate(auc, reason="the classes do not overlap: no spread to see")
    height = int(clusters.max()) + 1
    sums, counts = [], []
    for which, of in ((truth, of_right), (~truth, of_wrong)):
        sums.append(np.bincount(clusters[which], of, minlength=height))
        counts.append(np.bincount(clusters[which], minlength=height))
    groups = [int((count > 0).sum()) for count in counts]
    if min(groups) < 2:
        return Estimate(auc, reason="fewer than 2 queries: nothing to resample")
    apart = [s - n * auc for s, n in zip(sums, counts, strict=True)]
    m, n = len(right), len(wrong)
    scale = [g / (g - 1) for g in groups]
    variance = (
        scale[0] * float(apart[0] @ apart[0]) / m**2
        + scale[1] * float(apart[1] @ apart[1]) / n**2
        + 2 * height / (height - 1) * float(apart[0] @ apart[1]) / (m * n)
    )
    if variance <= 0:
        return Estimate(auc, reason="the queries show no spread")
    centre = math.log(auc / (1 - auc))
    half = Z95 * math.sqrt(variance) / (auc * (1 - auc))
    lo, hi = (1 / (1 + math.exp(-(centre + side * half))) for side in (-1, 1))
    return Estimate(auc, Interval(lo, hi))


def _placements(of: Values, among: Values) -> Values:
    """For each value the share of `among` below it, ties as half."""
    ranked = np.sort(among)
    below = np.searchsorted(ranked, of, side="left") + np.searchsorted(ranked, of, side="right")
    placed: Values = below / (2 * len(among))
    return placed
