"""Variants side by side: their measures, what the differences are worth, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from labeler import bm25
from labeler.errors import LabelerError, UsageError
from labeler.reports import basis as bases
from labeler.reports import retrieval
from labeler.reports.basis import SLICES, Basis, Ranked
from labeler.reports.measuring import SEED, evaluated, measures_at, scored
from labeler.stats import budget, reranking, threshold
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Measure, Reading
from labeler.stats.retrieval import Evaluation
from labeler.stats.variants import FLIPS, Changed, Difference, compare, most_changed
from labeler.store.db import Store

BUDGETS = (250, 500, 1000, 2000, 4000)
"""Tokens of context at which recall is compared."""

CUTOFFS = (1, 3, 5, 10, 20)
"""The other reading of the same plot: recall and tokens at equal k."""

MANY = 10
"""Most-changed queries shown of each pair of variants."""


class Variant(NamedTuple):
    """One system. `at_tokens` and `at_cutoffs` are empty where no passage has a text."""

    ranked: Ranked
    evaluation: Evaluation
    at_tokens: Sequence[budget.BudgetPoint]
    at_cutoffs: Sequence[budget.BudgetPoint]
    threshold: threshold.Threshold


class Twosome(NamedTuple):
    """Two variants: whether one seems to rerank the other, and the queries that changed most."""

    first: str
    second: str
    reranked: reranking.Reranked
    changed: Sequence[Changed]


@dataclass(frozen=True)
class Report:
    """Several systems on one basis. `lead` is the measure by which queries are said to have
    changed. The `baseline` is beside the variants for comparison and in no test, so that it takes
    nothing from their power; None with `no_baseline` saying why."""

    basis: Basis
    reading: Reading
    variants: Mapping[str, Variant]
    differences: Sequence[Difference]
    twosomes: Sequence[Twosome]
    lead: Measure
    baseline: Mapping[str, Estimate] | None
    no_baseline: str

    @property
    def flagged(self) -> list[Twosome]:
        """Where a reranker seems to change recall at its own depth."""
        return [two for two in self.twosomes if two.reranked.flagged]


def build(
    store: Store,
    systems: Sequence[str],
    *,
    golden: str | None = None,
    ks: Sequence[int] = (),
    reading: Reading = Reading.STRICT,
    by: Sequence[str] = SLICES,
    baseline: bool = True,
) -> Report:
    """Compare stored runs, each pair in the order given. Raises UsageError for fewer than two."""
    systems = list(dict.fromkeys(systems))
    if len(systems) < 2:
        raise UsageError("Comparing takes two systems or more", needs="two systems")
    basis = bases.read(store, golden)
    measures = measures_at(ks)
    found = {
        system: _variant(
            basis, bases.ranked(store, system, basis=basis), measures=measures, reading=reading
        )
        for system in systems
    }
    evaluations = {system: each.evaluation for system, each in found.items()}
    lead = next(each for each in measures if each.name == "R")
    if not next(iter(evaluations.values())).query_ids:
        raise LabelerError(f"No query of {basis.ref} has a relevant passage to compare on")
    beside: Ranked | str = "not asked for"
    if bm25.SYSTEM in systems:
        beside = "this is one of the variants"
    elif baseline:
        beside = retrieval.baseline_of(store, basis)
    means = None
    if isinstance(beside, Ranked):
        means = evaluated(basis, beside, measures=measures, reading=reading).means
    return Report(
        basis,
        reading,
        found,
        compare(evaluations, slices=basis.slices(by), seed=SEED),
        [
            _twosome(basis, found[first], found[second], lead=lead)
            for first, second in combinations(systems, 2)
        ],
        lead,
        means,
        beside if isinstance(beside, str) else "",
    )


def _variant(
    basis: Basis, ranked: Ranked, *, measures: Sequence[Measure], reading: Reading
) -> Variant:
    evaluation = evaluated(basis, ranked, measures=measures, reading=reading)
    barred, needs = basis.barred(ranked.run), basis.needs
    at_tokens: list[budget.BudgetPoint] = []
    at_cutoffs: list[budget.BudgetPoint] = []
    if basis.corpus:
        tokens = basis.tokens(ranked.run)
        at_tokens = budget.at_tokens(
            basis.golden,
            ranked.run,
            tokens,
            budgets=BUDGETS,
            reading=reading,
            barred=barred,
            needs=needs,
            seed=SEED,
        )
        at_cutoffs = budget.at_cutoffs(
            basis.golden,
            ranked.run,
            tokens,
            ks=CUTOFFS,
            reading=reading,
            barred=barred,
            needs=needs,
            seed=SEED,
        )
    cut = scored(basis, ranked, reading=reading)
    return Variant(ranked, evaluation, at_tokens, at_cutoffs, cut)


def _twosome(basis: Basis, first: Variant, second: Variant, *, lead: Measure) -> Twosome:
    runs = first.ranked.run, second.ranked.run
    longest = [max(map(len, run.values()), default=1) for run in runs]
    barred = {
        query_id: {**of.get(query_id, {}), **other.get(query_id, {})}
        for of, other in [(basis.barred(runs[0]), basis.barred(runs[1]))]
        for query_id in {*of, *other}
    }
    return Twosome(
        first.ranked.system,
        second.ranked.system,
        reranking.reranked(
            basis.golden,
            *runs,
            depth=max(1, min(longest)),
            reading=first.evaluation.reading,
            barred=barred,
        ),
        most_changed(first.evaluation, second.evaluation, runs=runs, measure=lead, many=MANY),
    )


def as_json(report: Report) -> dict[str, Any]:
    """The comparison as one object: every undefined number is null, with its reason."""
    texts = {query_id: query.text for query_id, query in report.basis.queries.items()}
    first = next(iter(report.variants.values())).evaluation
    return {
        "runs": list(report.variants),
        "golden": report.basis.ref,
        "golden_hash": report.basis.hash,
        "reading": str(report.reading),
        "n_queries": len(first.query_ids),
        "n_needs": first.n_needs,
        "variants": [_variant_json(each) for each in report.variants.values()],
        "baseline": None
        if report.baseline is None
        else {"run": bm25.SYSTEM, **retrieval.means_as_json(report.baseline)},
        "no_baseline": report.no_baseline,
        "differences": [_difference(each) for each in report.differences],
        "rerankings": [
            {"first": two.first, "second": two.second}
            | {k: v for k, v in two.reranked._asdict().items() if k != "recall_changed"}
            | {
                "recall_changed": list(two.reranked.recall_changed),
                "flagged": two.reranked.flagged,
                "reading": two.reranked.reading,
            }
            for two in report.twosomes
        ],
        "lead": str(report.lead),
        "most_changed": [
            {"first": two.first, "second": two.second}
            | {"queries": [each._asdict() | {"text": texts[each.query_id]} for each in two.changed]}
            for two in report.twosomes
        ],
        "test": {
            "name": "paired sign-flip randomisation over needs, Holm over the pairs",
            "flips": FLIPS,
            "seed": SEED,
        },
    }


def _variant_json(variant: Variant) -> dict[str, Any]:
    evaluation = variant.evaluation
    return {
        "run": variant.ranked.system,
        "run_hash": variant.ranked.hash,
        "changed": variant.ranked.note,
        **retrieval.means_as_json(evaluation.means),
        "missing_queries": list(evaluation.missing),
        "unauthorised": sum(map(len, evaluation.unauthorised.values())),
        "out_of_date": sum(map(len, evaluation.out_of_date.values())),
        "duplicates": sum(evaluation.duplicates.values()),
        "at_tokens": [_point(point) for point in variant.at_tokens],
        "at_cutoffs": [_point(point) for point in variant.at_cutoffs],
        "threshold": retrieval.threshold_as_json(variant.threshold),
    }


def _point(point: budget.BudgetPoint) -> dict[str, Any]:
    return {
        "limit": point.limit,
        "recall": point.recall.value,
        "recall_interval": retrieval.ends(point.recall),
        "tokens": point.tokens.value,
        "passages": point.passages.value,
        "undefined": retrieval.undefined(
            {"recall": point.recall, "tokens": point.tokens, "passages": point.passages}
        ),
        "queries": point.queries,
        "unknown": point.unknown,
    }


def _difference(found: Difference) -> dict[str, Any]:
    return found._asdict() | {
        "measure": str(found.measure),
        "difference": found.difference.value,
        "difference_interval": retrieval.ends(found.difference),
        "undefined": retrieval.undefined({"difference": found.difference}),
        "means": found.means and list(found.means),
        "slices": [
            part._asdict()
            | {
                "difference": part.difference.value,
                "difference_interval": retrieval.ends(part.difference),
                "undefined": retrieval.undefined({"difference": part.difference}),
            }
            for part in found.slices
        ],
    }
