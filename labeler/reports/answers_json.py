"""The report on answers as the one JSON object that page and terminal give out."""

from __future__ import annotations

from typing import Any

from labeler.reports.answer_cases import Case
from labeler.reports.answers import Compared, Group, Report
from labeler.reports.answers_text import advice
from labeler.stats.answers import Accuracy, Fate
from labeler.stats.intervals import Estimate


def as_json(report: Report) -> dict[str, Any]:
    """The whole report; an undefined number is null, with the reason beside it."""
    judged = report.judged
    return {
        "golden": report.basis.ref if report.basis else None,
        "queries": len(report.basis.golden) if report.basis else None,
        "judge": judged
        and {
            "judge": judged.selection.judge,
            "rubric": judged.selection.rubric,
            "model": judged.selection.model,
            "spotcheck": judged.selection.spotcheck,
            "n": judged.n,
            "decision": str(judged.decision),
            "sentence": judged.sentence,
        },
        "claims_by": report.checker or None,
        "left_alone": report.left_alone,
        "systems": [_group(group) for group in report.groups],
        "compared": [_compared(one) for one in report.compared],
    }


def _group(group: Group) -> dict[str, Any]:
    faithful, refusals = group.faithfulness, group.refusals
    return {
        "system": group.system,
        "context": group.context,
        "answers": len(group.cases),
        "stale": group.stale,
        "correctness": {"strict": _accuracy(group.strict), "lenient": _accuracy(group.lenient)},
        "end_to_end": group.overall and {**_accuracy(group.overall), "missing": group.missing},
        "outside": group.outside,
        "faithfulness": {
            **_estimate(faithful.mean),
            "answers": faithful.answers,
            "without_claims": faithful.without_claims,
            "unknown_context": faithful.unknown,
            "unchecked": faithful.unchecked,
            "claims": dict(faithful.claims),
        },
        "refusals": refusals._asdict(),
        "fates": {str(fate): group.fates.get(fate, 0) for fate in Fate},
        "kinds": [
            {"kind": kind.kind, "answers": kind.answers, "graded": kind.graded}
            | _estimate(kind.right)
            for kind in group.kinds
        ],
        "wrong": [_case(case) for case in group.wrong],
    }


def _accuracy(found: Accuracy) -> dict[str, Any]:
    right = found.corrected
    return {
        "judge_only": _estimate(right.judge_only),
        "people_only": _estimate(right.people_only),
        "corrected": _estimate(right.corrected),
        "weight": right.weight,
        "judged": right.judged,
        "labelled": right.labelled,
        "quote": str(right.quote),
        "why": right.why,
        "uncovered": [str(grade) for grade in found.uncovered],
        "answered": found.answered,
        "needs": found.needs,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "interval": None if estimate.interval is None else list(estimate.interval),
        "reason": estimate.reason,
    }


def _compared(one: Compared) -> dict[str, Any]:
    found = one.found
    return {
        "system": one.system,
        "context": one.context,
        "needs": found.needs,
        "production": _estimate(found.production),
        "other": _estimate(found.other),
        "difference": _estimate(found.difference),
        "beyond": _estimate(found.beyond),
        "lead": _estimate(found.lead),
        "apart": found.apart,
        "advice": str(found.advice) if one.context == "selected" else None,
        "sentence": advice(one),
    }


def _case(case: Case) -> dict[str, Any]:
    return {
        "query_id": case.answer.query_id,
        "answer_id": case.answer.answer_id,
        "query": case.query.text,
        "kind": case.query.kind,
        "answer": case.answer.text,
        "grade": case.grade,
        "graded_by": "people" if case.people else "judge",
        "reason": case.reason,
        "fate": str(case.fate),
        "claims": None
        if case.claims is None
        else [
            {"claim": one.text, "support": str(one.support), "passages": list(one.passages)}
            for one in case.claims.claims
        ],
    }
