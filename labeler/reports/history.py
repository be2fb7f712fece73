"""Evaluations over time, and what changed between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labeler import __version__
from labeler.reports.retrieval import Report, conventions
from labeler.store import evaluations
from labeler.store.db import Store
from labeler.store.evaluations import Baseline, Evaluation, Mark


@dataclass(frozen=True)
class History:
    """The evaluations of a store, oldest first, the changes of what they depend on from the first
    evaluation on, and the baselines that stand."""

    evaluations: tuple[Evaluation, ...]
    marks: tuple[Mark, ...]
    baselines: tuple[Baseline, ...]


def keep(store: Store, report: Report, *, person: str = "") -> Evaluation:
    """Store what a report says, with all that it depends on."""
    return evaluations.record(
        store,
        Evaluation(
            system=report.ranked.system,
            run_hash=report.ranked.hash,
            golden=report.basis.ref,
            golden_hash=report.basis.hash,
            reading=str(report.evaluation.reading),
            n_queries=len(report.evaluation.query_ids),
            code_version=__version__,
            corpora=report.basis.corpora,
            conventions=conventions(report),
            measures={name: found.value for name, found in report.means.items()},
            note=report.ranked.note,
            person=person,
        ),
    )


def build(store: Store) -> History:
    """What was measured and what changed since."""
    found = evaluations.history(store)
    since = found[0].evaluated_at if found else None
    marks = (mark for mark in evaluations.marks(store) if since and mark.at >= since)
    return History(tuple(found), tuple(marks), tuple(evaluations.baselines(store)))


def evaluation_as_json(evaluation: Evaluation) -> dict[str, Any]:
    """One stored evaluation."""
    return {
        "evaluation": evaluation.number,
        "run": evaluation.system,
        "run_hash": evaluation.run_hash,
        "golden": evaluation.golden,
        "golden_hash": evaluation.golden_hash,
        "reading": evaluation.reading,
        "n_queries": evaluation.n_queries,
        "measures": dict(evaluation.measures),
        "conventions": dict(evaluation.conventions),
        "code_version": evaluation.code_version,
        "corpora": evaluation.corpora,
        "note": evaluation.note,
        "person": evaluation.person,
        "evaluated_at": evaluation.evaluated_at,
    }


def baseline_as_json(baseline: Baseline) -> dict[str, Any]:
    """One baseline."""
    return {
        "name": baseline.name,
        "reviewer": baseline.reviewer,
        "reason": baseline.reason,
        "reviewed_at": baseline.reviewed_at,
        **evaluation_as_json(baseline.evaluation),
    }
