"""Parts of measuring a run that several reports share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from labeler.errors import UsageError
from labeler.reports.basis import Basis, Ranked
from labeler.stats import retrieval, threshold
from labeler.stats.intervals import Estimate
from labeler.stats.measures import DEEPEST, NAMES, Measure, Reading, measure
from labeler.stats.needs import mean_over_needs, need_means

SEED = 0
"""Of every draw."""


def measures_at(ks: Sequence[int]) -> tuple[Measure, ...]:
    """What is measured: every measure at each k, and RR@10 and nDCG@10; without a k the standard
    ones. Raises UsageError for a k outside 1 to DEEPEST."""
    if not ks:
        return retrieval.STANDARD
    wrong = [k for k in ks if not 1 <= k <= DEEPEST]
    if wrong:
        raise UsageError(f"A cutoff of {wrong[0]}: expected a k from 1 to {DEEPEST:,}")
    asked = [Measure(name, k) for name in NAMES for k in sorted(set(ks))]
    return tuple(dict.fromkeys([*asked, measure("RR@10"), measure("nDCG@10")]))


def evaluated(
    basis: Basis,
    ranked: Ranked,
    *,
    measures: Sequence[Measure],
    reading: Reading,
    by: Sequence[str] = (),
) -> retrieval.Evaluation:
    """One run's measures against a basis, barred passages and needs minded."""
    return retrieval.evaluate(
        basis.golden,
        ranked.run,
        measures=measures,
        reading=reading,
        depth=ranked.depth,
        barred=basis.barred(ranked.run),
        scores=ranked.scores,
        needs=basis.needs,
        slices=basis.slices(by),
        seed=SEED,
    )


def without_missing(evaluation: retrieval.Evaluation) -> Mapping[str, Estimate] | None:
    """The means over the queries that the run has; None where it lacks none."""
    missing = set(evaluation.missing)
    rows = [row for row, query_id in enumerate(evaluation.query_ids) if query_id not in missing]
    if len(rows) == len(evaluation.query_ids):
        return None
    by_need = need_means(evaluation.values[rows], evaluation.needs[rows])
    estimates = mean_over_needs(by_need, seed=evaluation.seed, reason="the run has no such query")
    return dict(zip(map(str, evaluation.measures), estimates, strict=True))


def results(
    basis: Basis, ranked: Ranked, *, reading: Reading
) -> tuple[list[float | None], list[bool], list[str]]:
    """Every result of a golden query as its score, whether it is right, and its need.

    Right is relevant and not barred; what has no label is wrong, as in every other measure. A
    repeat counts once, by its first score.
    """
    scores: list[float | None] = []
    right: list[bool] = []
    needs: list[str] = []
    bars = basis.barred(ranked.run)
    for query_id, labels in basis.golden.items():
        ids, given = ranked.run.get(query_id, ()), ranked.scores.get(query_id, ())
        # Built backwards, so that of a repeat the first score is kept.
        first = dict(zip(reversed(ids), reversed(given), strict=True))
        barred = bars.get(query_id, {})
        relevant = {p for p, gain in labels.items() if gain >= reading.least and p not in barred}
        scores += first.values()
        right += [passage_id in relevant for passage_id in first]
        needs += [basis.queries[query_id].need_id or query_id] * len(first)
    return scores, right, needs


def scored(basis: Basis, ranked: Ranked, *, reading: Reading) -> threshold.Threshold:
    """Where to cut the run's scores, if anywhere."""
    scores, right, needs = results(basis, ranked, reading=reading)
    return threshold.threshold(scores, right, queries=needs)


class Bin(NamedTuple):
    """Results with a score from `lo` up to `hi` (the last bin holds `hi` too)."""

    lo: float
    hi: float
    right: int
    wrong: int


def bins(basis: Basis, ranked: Ranked, *, reading: Reading, many: int = 20) -> list[Bin]:
    """The scores of right and wrong results in `many` bins of one width; empty without scores."""
    scores, right, _ = results(basis, ranked, reading=reading)
    known = [(s, r) for s, r in zip(scores, right, strict=True) if s is not None]
    if not known:
        return []
    value, truth = np.array([s for s, _ in known]), np.array([r for _, r in known], dtype=bool)
    edges = np.histogram_bin_edges(value, bins=many)
    hits, _ = np.histogram(value[truth], bins=edges)
    misses, _ = np.histogram(value[~truth], bins=edges)
    return [
        Bin(float(lo), float(hi), int(hit), int(miss))
        for lo, hi, hit, miss in zip(edges[:-1], edges[1:], hits, misses, strict=True)
    ]
