"""The parts of the written report on the judge and on what all numbers rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from labeler import bm25
from labeler.model import GRADES
from labeler.reports import agreement, confirmation, render, variants
from labeler.reports.blocks import TONES, Block, Listed, Matrix, Said, Section, Table, Tone
from labeler.reports.dossier import Dossier
from labeler.reports.measuring import SEED
from labeler.reports.render import DASH, counted
from labeler.reports.retrieval import conventions
from labeler.stats import bootstrap
from labeler.stats.explanation import percent
from labeler.stats.variants import FLIPS

FACT = ("what", "is")
"""The header of facts about the report."""


def judge(found: Dossier) -> Section:
    """Whether the judge may be trusted, and all that says so."""
    title = "May the judge be trusted?"
    if isinstance(found.judged, str):
        return Section(title, [Said(f"Not known: {found.judged}.", Tone.OPEN)])
    return Section(title, list(_judge(found.judged)))


def _judge(report: agreement.Report) -> Iterator[Block]:
    measured, chosen, gate = report.agreement, report.selection, report.gate
    yield Said(gate.sentence, TONES[gate.decision])
    if gate.reasons:
        yield Listed(gate.reasons)
    who = chosen.annotator or "everyone"
    where = f"spot check {chosen.spotcheck}" if chosen.spotcheck else "every labelled pair"
    yield Said(
        f"{render.judge_name(chosen.judge, chosen.rubric, chosen.model)}, compared with the labels "
        f"of {who} on {where} ({render.LABELS[chosen.labels]}): {counted(measured.n, 'pair')} of "
        f"{counted(measured.queries, 'query', plural='queries')}. Intervals are 95%."
    )
    yield Table(("number", "value and 95% interval"), render.coefficients(report))
    if measured.n:
        yield Matrix(GRADES, measured.counts.tolist())
    yield Table(FACT, _held_to(report))
    for name, group in groupby(report.slices, key=lambda part: part.name):
        if name in ("kind", "verdict"):
            rows = [
                [
                    part.value or "(none)",
                    f"{int(part.n):,}",
                    f"{int(part.disagreements):,}",
                    render.share(part.disagreement),
                    part.reading,
                ]
                for part in group
            ]
            yield Table((name, "pairs", "disagree", "share", ""), rows, f"Disagreement by {name}")


def _held_to(report: agreement.Report) -> list[list[str]]:
    gate = report.gate
    rows = [
        ["largest disagreement allowed", percent(gate.threshold)],
        ["the bounds that decide", _ends(gate.bounds)],
        ["labels still needed at this rate", _count(gate.labels_needed)],
        ["tuned and confirmed", _confirmed(report)],
    ]
    if left := render.missing(report.missing):
        rows.append(["left out", left])
    return rows


def _confirmed(report: agreement.Report) -> str:
    said = confirmation.as_json(report.confirmed)
    return f"{said['status']}. {said['sentence']}".strip() if said["sentence"] else said["status"]


def _ends(bounds: Any) -> str:
    return DASH if bounds is None else " to ".join(map(percent, bounds))


def _count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def grounds(found: Dossier) -> Section:
    """What was measured on which versions, by which rules, and from which seeds."""
    blocks: list[Block] = [Table(FACT, list(_versions(found)), "Versions")]
    if not isinstance(found.runs, str):
        rows = [
            [
                report.ranked.system,
                report.ranked.note,
                DASH if report.ranked.depth is None else f"{report.ranked.depth:,}",
                f"{len(report.evaluation.missing):,}",
                report.ranked.hash,
            ]
            for report in found.runs
        ]
        header = ("run", "what was changed", "asked to rank", "queries missing", "hash")
        blocks.append(Table(header, rows, "Runs"))
        blocks.append(Table(("convention", "is"), list(_conventions(found)), "Conventions"))
    blocks.append(Table(("what is drawn", "draws", "seed"), _seeds(found), "Seeds"))
    return Section("What the numbers rest on", blocks)


def _versions(found: Dossier) -> Iterator[list[str]]:
    yield ["made", render.moment(found.made_at)]
    yield ["labeler", found.code_version]
    if found.basis is not None:
        yield ["golden set", found.basis.ref]
        yield ["its hash", found.basis.hash]
        yield ["corpora", found.basis.corpora or "none: ids without texts"]
        if found.basis.left_alone:
            looks = found.version.looks if found.version else 0
            held = counted(found.basis.left_alone, "query", plural="queries")
            yield ["held out", f"{held}, looked at {looks:,} times"]
    if found.version is not None:
        golden, freeze = found.version.golden, found.version.freeze
        by = f" by {golden.frozen_by}" if golden.frozen_by else ""
        yield ["frozen", f"{golden.frozen_at:%Y-%m-%d}{by}, from {golden.origin}"]
        if freeze is not None and freeze.provenance.judge:
            of = freeze.provenance
            said = f"{render.judge_name(of.judge, of.rubric, of.model)}, {of.decision}"
            yield [
                "with verdicts of",
                f"{said}, overridden: {of.override}" if of.override else said,
            ]
    if not isinstance(found.judged, str):
        chosen = found.judged.selection
        yield ["judge", chosen.judge]
        yield ["model", chosen.model or DASH]
        yield ["rubric", chosen.rubric or DASH]
        if found.rubric_hash:
            yield ["its hash", found.rubric_hash]
    if found.answers is not None:
        if graded := found.answers.judged:
            of_them = graded.selection
            who = render.judge_name(of_them.judge, of_them.rubric, of_them.model)
            yield ["judge of the answers", who]
        yield ["their claims listed by", found.answers.checker or DASH]
    if found.left_out:
        yield ["runs left out", f"{found.left_out:,} older ones; name them to have them in"]


_WORDS = {
    "reading": "reading",
    "gains": "gains",
    "discount": "discount of nDCG",
    "missing_queries": "queries that a run lacks",
    "unjudged": "passages without a grade",
    "unit": "means are over",
    "today": "queries without a day are asked on",
}


def _conventions(found: Dossier) -> Iterator[list[str]]:
    assert not isinstance(found.runs, str)
    said = conventions(found.runs[0])
    means = {"strict": "strict: YES is relevant", "lenient": "lenient: YES or PART is relevant"}
    for key, word in _WORDS.items():
        value = said[key]
        if key == "reading":
            value = means[value]
        elif key == "gains":
            value = ", ".join(f"{grade} {gain}" for grade, gain in value.items())
        elif key == "unit":
            value = "needs: paraphrases of one need are averaged first, and resampled together"
        yield [word, str(value)]
    yield ["the baseline", f"{bm25.SYSTEM}, built in, over the same passages"]


def _seeds(found: Dossier) -> list[list[str]]:
    rows = []
    if not isinstance(found.runs, str):
        of: Mapping[str, Any] = conventions(found.runs[0])["bootstrap"]
        rows.append(
            [f"intervals of measures, over {of['over']}", f"{of['draws']:,}", str(of["seed"])]
        )
    if not isinstance(found.judged, str):
        drawn = agreement.as_json(found.judged)["bootstrap"]
        rows.append(
            [f"intervals of kappa, over {drawn['over']}", f"{drawn['draws']:,}", str(drawn["seed"])]
        )
    if not isinstance(found.variants, str):
        test = variants.as_json(found.variants)["test"]
        rows.append([test["name"], f"{FLIPS:,}", str(test["seed"])])
    if found.answers is not None:
        rows.append(["intervals of answers, over needs", f"{bootstrap.DRAWS:,}", str(SEED)])
    return rows
