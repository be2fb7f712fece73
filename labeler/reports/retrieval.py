"""A system measured against a golden set: one object for the page, the terminal and Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeler import bm25
from labeler.errors import LabelerError
from labeler.model import Query
from labeler.reports import basis as bases
from labeler.reports.basis import SLICES, Basis, Ranked
from labeler.reports.measuring import SEED, evaluated, measures_at, scored, without_missing
from labeler.stats import bootstrap, facts, misses, retrieval, threshold
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Measure, Reading
from labeler.store.db import Store

NEAR, FAR = 5, 20
"""What is found in the top NEAR, and what only in the top FAR, unless other k are asked for."""


@dataclass(frozen=True)
class Report:
    """What is known of a run. A query is missed when nothing relevant is in its top `near`, the
    least k. `without_missing` holds the means over the queries that the run has, None where it has
    them all; `baseline` those of the built-in BM25, None with `no_baseline` saying why. `facts` is
    None where no query has required facts."""

    basis: Basis
    ranked: Ranked
    evaluation: retrieval.Evaluation
    without_missing: Mapping[str, Estimate] | None
    reach: misses.Reach
    clusters: Mapping[misses.Cluster, Sequence[Query]]
    facts: facts.FactRecall | None
    threshold: threshold.Threshold
    baseline: Mapping[str, Estimate] | None
    no_baseline: str

    @property
    def near(self) -> int:
        """The k at which a query is missed."""
        return self.reach.near

    @property
    def means(self) -> Mapping[str, Estimate]:
        """Each measure by name, such as `R@5`, with its interval or the reason why it has none."""
        return self.evaluation.means

    @property
    def missed(self) -> list[tuple[Query, misses.Cluster]]:
        """The queries with nothing relevant in the top `near`, largest cluster first."""
        return [(query, cluster) for cluster, of in self.clusters.items() for query in of]

    def __str__(self) -> str:
        from labeler.reports.retrieval_text import report

        return "\n".join(report(self))


def build(
    store: Store,
    system: str,
    *,
    golden: str | None = None,
    ks: Sequence[int] = (),
    extra: Sequence[Measure] = (),
    reading: Reading = Reading.STRICT,
    by: Sequence[str] = SLICES,
    depth: int | None = None,
    baseline: bool = True,
    held_out: bool = False,
) -> Report:
    """Measure a stored run; `golden` and `held_out` as in `basis.read`, `depth` as in
    `basis.ranked`."""
    basis = bases.read(store, golden, held_out=held_out)
    ranked = bases.ranked(store, system, basis=basis, depth=depth)
    beside: Ranked | str = "not asked for"
    if system == bm25.SYSTEM:
        beside = "this is the baseline"
    elif baseline:
        beside = baseline_of(store, basis)
    return measured(basis, ranked, ks=ks, extra=extra, reading=reading, by=by, baseline=beside)


def baseline_of(store: Store, basis: Basis) -> Ranked | str:
    """The baseline's answers, or why there are none."""
    try:
        return bases.baseline(store, basis)
    except LabelerError as lack:
        return str(lack)


def measured(
    basis: Basis,
    ranked: Ranked,
    *,
    ks: Sequence[int] = (),
    extra: Sequence[Measure] = (),
    reading: Reading = Reading.STRICT,
    by: Sequence[str] = SLICES,
    baseline: Ranked | str = "not asked for",
) -> Report:
    """Measure a run; `extra` measures come after those of the `ks`."""
    measures = tuple(dict.fromkeys([*measures_at(ks), *extra]))
    evaluation = evaluated(basis, ranked, measures=measures, reading=reading, by=by)
    near = min(ks, default=NEAR)
    far = max(ks) if len(set(ks)) > 1 else max(FAR, near + 1)
    reach = misses.reach(
        basis.golden,
        ranked.run,
        near=near,
        far=far,
        corpus=basis.known,
        reading=reading,
        barred=basis.barred(ranked.run),
    )
    missed = [
        (basis.queries[query_id], evaluation.of(query_id).relevant)
        for query_id in evaluation.missed(near)
    ]
    beside = None
    if isinstance(baseline, Ranked):
        beside = evaluated(basis, baseline, measures=measures, reading=reading).means
    return Report(
        basis,
        ranked,
        evaluation,
        without_missing(evaluation),
        reach,
        misses.clusters(missed),
        _facts(basis, ranked, k=near),
        scored(basis, ranked, reading=reading),
        beside,
        baseline if isinstance(baseline, str) else "",
    )


def _facts(basis: Basis, ranked: Ranked, *, k: int) -> facts.FactRecall | None:
    if not basis.facts:
        return None
    return facts.fact_recall(
        basis.facts,
        ranked.run,
        k=k,
        depth=ranked.depth,
        barred=basis.barred(ranked.run),
        needs=basis.needs,
        seed=SEED,
    )


def conventions(report: Report) -> dict[str, Any]:
    """What the numbers depend on beside the data."""
    return {
        "reading": str(report.evaluation.reading),
        "measures": [str(each) for each in report.evaluation.measures],
        "depth": report.evaluation.depth,
        "gains": {"YES": 2, "PART": 1, "NO": 0},
        "discount": "log2(rank + 1)",
        "missing_queries": "count 0",
        "unjudged": "gain 0",
        "unit": "need",
        "today": report.basis.today,
        "bootstrap": {"over": "needs", "draws": bootstrap.DRAWS, "seed": report.evaluation.seed},
    }


def as_json(report: Report) -> dict[str, Any]:
    """The contract's object: every undefined number is null, and `undefined` says why."""
    evaluation, basis = report.evaluation, report.basis
    texts = {query_id: query.text for query_id, query in basis.queries.items()}
    facts_found = report.facts
    return {
        "run": report.ranked.system,
        "golden": basis.ref,
        "golden_hash": basis.hash,
        "queries_held_out": basis.left_alone,
        "run_hash": report.ranked.hash,
        "note": report.ranked.note,
        "n_queries": len(evaluation.query_ids),
        "n_needs": evaluation.n_needs,
        **means_as_json(report.means),
        "counts": dict(evaluation.counts),
        "reading": str(evaluation.reading),
        "depth": evaluation.depth,
        "missing_queries": list(evaluation.missing),
        "without_missing": report.without_missing
        and {
            "n_queries": len(set(evaluation.query_ids) - set(evaluation.missing)),
            **means_as_json(report.without_missing),
        },
        "unknown_queries": [q for q in evaluation.unknown if q not in basis.left_out],
        "slices": [_slice(part) for part in evaluation.slices],
        "missed_at": report.near,
        "missed_queries": [
            {
                "query_id": query.query_id,
                "text": query.text,
                "kind": query.kind,
                "cluster": str(cluster),
                "advice": misses.ADVICE[cluster],
            }
            for query, cluster in report.missed
        ],
        "reach": report.reach._asdict() | {"reading": report.reach.reading},
        "unanswerable": _unanswerable(evaluation, texts),
        "unauthorised": _total(evaluation.unauthorised),
        "out_of_date": _total(evaluation.out_of_date),
        "duplicates": sum(evaluation.duplicates.values()),
        "returned_in_error": {
            "unauthorised": {q: list(ids) for q, ids in evaluation.unauthorised.items()},
            "out_of_date": {q: list(ids) for q, ids in evaluation.out_of_date.items()},
            "duplicates": dict(evaluation.duplicates),
        },
        "facts": facts_found
        and {
            "k": facts_found.k,
            "n_queries": facts_found.queries,
            "recall": facts_found.recall.value,
            "recall_interval": ends(facts_found.recall),
            "complete": facts_found.complete.value,
            "complete_interval": ends(facts_found.complete),
            "undefined": undefined(
                {"recall": facts_found.recall, "complete": facts_found.complete}
            ),
            "queries": [found._asdict() for found in facts_found.found],
        },
        "threshold": threshold_as_json(report.threshold),
        "baseline": None
        if report.baseline is None
        else {"run": bm25.SYSTEM, **means_as_json(report.baseline)},
        "no_baseline": report.no_baseline,
        "warnings": list(evaluation.warnings),
        "conventions": conventions(report),
    }


def means_as_json(means: Mapping[str, Estimate]) -> dict[str, Any]:
    """`measures`, their `intervals`, and why any of them is `undefined`."""
    return {
        "measures": {name: found.value for name, found in means.items()},
        "intervals": {name: ends(found) for name, found in means.items()},
        "undefined": undefined(means),
    }


def undefined(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Why a number, or its interval, does not exist, by its name."""
    return {name: found.reason for name, found in estimates.items() if found.reason}


def ends(estimate: Estimate) -> list[float] | None:
    """An interval as JSON holds it."""
    return None if estimate.interval is None else list(estimate.interval)


def threshold_as_json(found: threshold.Threshold) -> dict[str, Any]:
    """Where to cut a run's scores."""
    return {
        "right": found.right,
        "wrong": found.wrong,
        "unscored": found.unscored,
        "auc": found.auc.value,
        "auc_interval": ends(found.auc),
        "undefined": undefined({"auc": found.auc}),
        "best": found.best and found.best._asdict(),
        "recommended": found.recommended,
        "reason": found.reason,
    }


def _slice(part: retrieval.SliceMeans) -> dict[str, Any]:
    return {
        "name": part.name,
        "value": part.value,
        "n_queries": part.queries,
        "n_needs": part.needs,
        "small": part.small,
        **means_as_json(part.means),
    }


def _unanswerable(evaluation: retrieval.Evaluation, texts: Mapping[str, str]) -> dict[str, Any]:
    found = evaluation.unanswerable
    return {
        "n": len(found),
        "quiet": sum(each.quiet for each in found),
        "top_score": max((e.top_score for e in found if e.top_score is not None), default=None),
        "queries": [
            each._asdict() | {"text": texts[each.query_id], "quiet": each.quiet} for each in found
        ],
    }


def _total(found: Mapping[str, Sequence[str]]) -> int:
    return sum(map(len, found.values()))
