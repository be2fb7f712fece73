"""The agreement of a judge with people: one object for the page, the terminal and the gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import numpy as np

from labeler.errors import LabelerError
from labeler.model import GRADES, Grade
from labeler.reports import confirmation
from labeler.reports.confirmation import Confirmation
from labeler.stats import agreement, comparison, gate, sampling
from labeler.stats.evidence import THRESHOLD
from labeler.stats.intervals import Estimate
from labeler.stats.parts import Part, in_part
from labeler.store import comparison as compare
from labeler.store import spotchecks, verdicts
from labeler.store.comparison import Disagreement, Missing, Selection
from labeler.store.db import Store

DEFAULT_SLICES = ("kind", "verdict", "annotator", "source")


@dataclass(frozen=True)
class Report:
    """What is known of a judge. `weights` tells whether the estimates are reweighted."""

    selection: Selection
    agreement: agreement.Agreement
    gate: gate.Gate
    missing: Missing
    slices: list[comparison.Slice]
    strata: list[compare.Stratum]
    confirmed: Confirmation

    @property
    def weighted(self) -> bool:
        """Whether the pairs were drawn with different weights, so that estimates are reweighted."""
        return self.agreement.effective is not None


def choose(
    store: Store,
    *,
    judge: str | None = None,
    rubric: str | None = None,
    model: str | None = None,
    spotcheck: str | None = None,
    annotator: str | None = None,
    labels: str | None = None,
) -> Selection:
    """The selection that was asked for. What was left open is taken from the spot check, else the
    newest judge, rubric and model that fit; `labels` is one of READINGS, by default "both".
    Verdicts on answers are chosen by their rubric or their spot check alone."""
    if spotcheck is not None:
        check = spotchecks.named(store, spotcheck)
        if not check.n:
            raise LabelerError(
                f"{spotcheck} is a list of pairs that were chosen, no sample: its agreement stands "
                "for nothing else"
            )
        if judge is None:
            judge, rubric, model = check.judge, rubric or check.rubric, model or check.model
        elif judge == check.judge and rubric is None and model is None:
            rubric, model = check.rubric, check.model
    known = verdicts.known(store)
    for found in known:
        if (rubric is not None or not found.answers) and all(
            asked is None or asked == value
            for asked, value in zip((judge, rubric, model), found[:3], strict=True)
        ):
            who = (spotcheck, annotator, labels or "both")
            return Selection(*found[:3], *who, answers=found.answers)
    asked = " ".join(filter(None, (judge, rubric, model))) or "any judge"
    names = ", ".join(map(_known, known)) or "none"
    raise LabelerError(f"There are no verdicts of {asked}; known: {names}")


def _known(found: verdicts.Known) -> str:
    return " ".join(filter(None, (*found[:3], "(answers)" if found.answers else "")))


def newest(store: Store) -> Selection:
    """The newest spot check with its judge; without one, the newest judge on every pair."""
    check = next(iter(spotchecks.history(store)), None)
    return choose(store, spotcheck=check.name if check else None)


def build(
    store: Store,
    selection: Selection,
    *,
    threshold: float = THRESHOLD,
    by: Sequence[str] = DEFAULT_SLICES,
    seed: int = 0,
) -> Report:
    """Compare, decide and slice. Nothing here is recomputed anywhere else."""
    with compare.compared(store, selection) as compared:
        arrays, missing = compared.arrays(), compared.missing()
        sliced = {name: compared.slices(name) for name in by}
        strata = compared.strata()
        tuned = confirmation.confirmation(store, selection, compared, n=len(arrays.human))
    weighed = _weigh(arrays, strata)
    weights = {part.stratum: part.size / part.n for part in strata if part.n} if weighed else {}
    parts = [part for name, rows in sliced.items() for part in _parts(name, rows, weights)]
    measured = agreement.measure(
        arrays.human,
        arrays.judge,
        queries=arrays.query,
        weights=weighed.weights if weighed else None,
        seed=seed,
    )
    checked = selection.spotcheck is not None
    decided = gate.decide(
        measured.disagreements,
        measured.n,
        constant=measured.constant_judge,
        effective=measured.effective,
        threshold=threshold,
        planned=measured.n + missing.unlabelled if checked else None,
        uncovered=weighed.uncovered if weighed else (),
    )
    return Report(
        selection,
        measured,
        confirmation.held_to(decided, tuned),
        missing,
        comparison.slices(parts, threshold=threshold),
        strata,
        tuned,
    )


def _weigh(arrays: compare.Arrays, strata: Sequence[compare.Stratum]) -> sampling.Weighed | None:
    """The weights of a spot check's pairs; None where every pair weighs the same."""
    sizes = {part.stratum: part.size for part in strata}
    if not sizes or not len(arrays.human):
        return None
    gains = {str(grade): grade.gain for grade in GRADES}
    verdict = np.array([gains[stratum] for stratum in arrays.stratum])
    weighed = sampling.weigh([sizes.get(grade, 0) for grade in GRADES], verdict)
    same = np.allclose(weighed.weights, weighed.weights[0])
    return None if same and not weighed.uncovered else weighed


def _parts(
    name: str, rows: Sequence[compare.Part], weights: Mapping[str, float]
) -> Iterator[comparison.Part]:
    """The slices under one name, each put together from its strata and reweighted by `weights`."""
    by_value: dict[str, list[compare.Part]] = {}
    for row in rows:
        by_value.setdefault(row.value, []).append(row)
    for value, found in by_value.items():
        if weights:
            # A person's own labels may be of a stratum in which all others tie: it has no weight.
            strata = [
                comparison.Stratum(row.n, row.disagreements, weights[row.stratum])
                for row in found
                if row.stratum in weights
            ]
            if strata:
                yield comparison.weighted(name, value, strata=strata)
        else:
            x = sum(row.disagreements for row in found)
            yield comparison.Part(name, value, sum(row.n for row in found), x)


Cell = tuple[int, int]
"""A cell of the confusion matrix: the gains of the human grade and of the judge's."""


def cases(
    store: Store, selection: Selection, *, cell: Cell | None = None
) -> Iterator[Disagreement]:
    """The disagreements, or the pairs of one cell, the worst first; a few in memory at a time."""
    with compare.compared(store, selection) as compared:
        yield from compared.cases(**_grades(cell))


class Cases(NamedTuple):
    """The first of the cases, how many there are in all, and how many of another part are not
    among them."""

    first: list[Disagreement]
    total: int
    left_out: int


def first_cases(
    store: Store,
    selection: Selection,
    *,
    limit: int,
    cell: Cell | None = None,
    part: Part = Part.ALL,
) -> Cases:
    """The `limit` worst of the `cases` of a part, whose texts alone are read, and their number."""
    with compare.compared(store, selection) as compared:
        grades = _grades(cell)
        asked = compared.asked(**grades)
        others = [(query, many) for query, need, many in asked if not in_part(need, part)]
        left_out = sum(many for _, many in others)
        total = sum(many for *_, many in asked) - left_out
        first = list(compared.cases(**grades, but=[query for query, _ in others], limit=limit))
        return Cases(first, total, left_out)


class _Grades(TypedDict, total=False):
    human: Grade
    judge: Grade


def _grades(cell: Cell | None) -> _Grades:
    return {} if cell is None else {"human": GRADES[cell[0]], "judge": GRADES[cell[1]]}


def as_json(report: Report) -> dict[str, Any]:
    """The contract's object: every undefined number is null, and `undefined` says why."""
    measured, decided, selection = report.agreement, report.gate, report.selection
    constant, direction = measured.constant_judge, measured.direction
    estimates = {
        "disagreement": measured.disagreement,
        "kappa": measured.kappa,
        "kappa_linear": measured.kappa_linear,
        "kappa_quadratic": measured.kappa_quadratic,
        "kappa_strict": measured.kappa_strict,
        "kappa_lenient": measured.kappa_lenient,
        "ac1": measured.ac1,
        "yes_recall": measured.yes_recall,
        "yes_precision": measured.yes_precision,
    }
    if measured.weighted_disagreement is not None:
        estimates["weighted_disagreement"] = measured.weighted_disagreement
    numbers: dict[str, Any] = {"weighted_disagreement": None}
    for name, estimate in estimates.items():
        numbers[name] = estimate.value
        numbers[f"{name}_interval"] = _ends(estimate)
    closed = measured.kappa_closed_form
    return {
        "judge": selection.judge,
        "rubric": selection.rubric,
        "model": selection.model,
        "spotcheck": selection.spotcheck,
        "annotator": selection.annotator,
        "labels": selection.labels,
        "n": measured.n,
        "queries": measured.queries,
        "disagreements": measured.disagreements,
        **numbers,
        "kappa_closed_form": closed
        and {"standard_error": closed.standard_error, "interval": list(closed.interval)},
        "confusion": {"labels": list(GRADES), "matrix": measured.counts.tolist()},
        "weighted_confusion": measured.table.tolist() if report.weighted else None,
        "effective_n": measured.effective.n if measured.effective else None,
        "constant_judge": constant
        and {
            "grade": GRADES[constant.grade],
            "disagreement": constant.disagreement,
            "beaten": constant.beaten,
            "p": constant.p,
        },
        "direction": {
            "mean_difference": direction.mean_difference,
            "statistic": direction.statistic,
            "p": direction.p,
            "reading": direction.reading,
        },
        "decision": decided.decision,
        "sentence": decided.sentence,
        "reasons": list(decided.reasons),
        "labels_needed": decided.labels_needed,
        "outlooks": [outlook._asdict() for outlook in decided.outlooks],
        "bounds": decided.bounds and list(decided.bounds),
        "confidence_sequence": decided.sequence and list(decided.sequence),
        "planned": decided.planned,
        "rule_of_thumb": decided.rule_of_thumb,
        "threshold": decided.threshold,
        "slices": [_slice(part) for part in report.slices],
        "strata": [part._asdict() for part in report.strata],
        "missing": report.missing._asdict(),
        "confirmed": confirmation.as_json(report.confirmed),
        "undefined": {
            name: estimate.reason for name, estimate in estimates.items() if estimate.reason
        },
        "bootstrap": {
            "over": "queries",
            "draws": measured.draws,
            "undefined_draws": measured.undefined_draws,
            "seed": measured.seed,
        },
    }


def _ends(estimate: Estimate) -> list[float] | None:
    return None if estimate.interval is None else list(estimate.interval)


def _slice(part: comparison.Slice) -> dict[str, Any]:
    return {
        "name": part.name,
        "value": part.value,
        "n": part.n,
        "disagreements": part.disagreements,
        "disagreement": part.disagreement.value,
        "disagreement_interval": _ends(part.disagreement),
        "p": part.p,
        "p_holm": part.p_holm,
        "reading": part.reading,
    }


def case_as_json(case: Disagreement) -> dict[str, Any]:
    """One disagreement as JSON."""
    return case._asdict() | {"judged_at": case.judged_at.isoformat()}
