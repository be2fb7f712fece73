"""The written report from top to bottom: a summary, then each part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from labeler.reports import dossier_answers, dossier_judge, dossier_retrieval, render, variants
from labeler.reports import retrieval_text as text
from labeler.reports.agreement import Report as Agreement
from labeler.reports.blocks import TONES, Block, Card, Cards, Listed, Section, Tone
from labeler.reports.corrected import statement
from labeler.reports.dossier import Dossier
from labeler.reports.render import counted
from labeler.reports.variants_text import signed
from labeler.stats.agreement import SIGNIFICANT

CARDS = 3
"""Runs whose lead measure stands on a card, and systems whose share of right answers does."""


def title(found: Dossier) -> str:
    """What the report is of."""
    if found.basis is None:
        return "Report on answers" if isinstance(found.judged, str) else "Report on a judge"
    return f"Retrieval report on {found.basis.ref}"


def subtitle(found: Dossier) -> str:
    """When it was made, of what, and by what."""
    said = f"{found.made_at:%Y-%m-%d}, labeler {found.code_version}"
    if not isinstance(found.runs, str):
        said += ": " + ", ".join(report.ranked.system for report in found.runs)
    return said


def sections(found: Dossier) -> list[Section]:
    """Every part, in the order in which a decision is read."""
    return [
        Section("In short", list(_summary(found))),
        dossier_judge.judge(found),
        dossier_retrieval.measured(found),
        dossier_retrieval.corrected(found),
        dossier_retrieval.compared(found),
        dossier_retrieval.missed(found),
        dossier_retrieval.near(found),
        *([] if found.answers is None else [dossier_answers.answers(found.answers)]),
        dossier_judge.grounds(found),
    ]


def _summary(found: Dossier) -> Iterator[Block]:
    yield Cards(list(_cards(found)))
    yield Listed(list(_lines(found)))


def _cards(found: Dossier) -> Iterator[Card]:
    if isinstance(found.judged, Agreement):
        gate, measured = found.judged.gate, found.judged.agreement
        of = render.split(measured.disagreement, share=True)
        yield Card(
            "judge",
            str(gate.decision),
            f"disagrees on {of.value} ({of.interval}), {measured.disagreements:,} of "
            f"{measured.n:,} pairs",
            TONES[gate.decision],
        )
    if found.answers is not None:
        yield from islice(dossier_answers.cards(found.answers), CARDS)
    if isinstance(found.runs, str):
        return
    for report in found.runs[:CARDS]:
        lead = next(iter(report.means))
        mean = report.means[lead]
        ends = f"{mean.interval.lo:.3f} to {mean.interval.hi:.3f}" if mean.interval else mean.reason
        yield Card(f"{lead}, {report.ranked.system}", text.bare(mean), ends)
    barred = {
        report.ranked.system: sum(map(len, report.evaluation.unauthorised.values()))
        for report in found.runs
    }
    yield Card(
        "unauthorised",
        f"{max(barred.values()):,}",
        "must be 0; the most of any run",
        Tone.BAD if any(barred.values()) else Tone.GOOD,
    )


def _lines(found: Dossier) -> Iterator[str]:
    """The report's main sentences, each from the part that says it."""
    if isinstance(found.judged, Agreement):
        yield found.judged.gate.sentence
    else:
        yield f"Whether a judge may be trusted is not known: {found.judged}."
    if not isinstance(found.corrected, str):
        made = found.corrected
        for system, measures in made.runs.items():
            yield f"{system}: {statement(made.lead, measures[made.lead])}."
    if not isinstance(found.runs, str) and len(found.runs) == 1:
        yield found.runs[0].reach.reading
    if not isinstance(found.variants, str):
        yield from _differences(found.variants)
    if not isinstance(found.near_misses, str):
        many = len(found.near_misses.by_people), len(found.near_misses.by_judge)
        yield (
            f"Near misses: {many[0]:,} that people have labelled and {many[1]:,} that the judge "
            f"proposes are not in {found.near_misses.basis.ref}."
        )
    if found.answers is not None:
        yield from dossier_answers.lines(found.answers)


def _differences(made: variants.Report) -> Iterator[str]:
    """Which runs differ on the lead measure, and how many pairs of them do not."""
    lead = [each for each in made.differences if each.measure == made.lead]
    shown = [each for each in lead if each.p_holm is not None and each.p_holm < SIGNIFICANT]
    for each in shown:
        yield (
            f"{each.first} to {each.second}: {each.measure} {signed(each.difference)}, "
            f"{each.reading}."
        )
    if rest := len(lead) - len(shown):
        of = "any two runs" if not shown else counted(rest, "other pair") + " of runs"
        yield f"No difference in {made.lead} is shown between {of}."
