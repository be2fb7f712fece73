"""The part of the written report on answers: how many are right, which stage lost the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labeler.reports import answers_text as text
from labeler.reports import render
from labeler.reports.answer_cases import Case
from labeler.reports.answers import PRODUCTION, Group, Report
from labeler.reports.blocks import (
    TONES,
    Bar,
    Block,
    Card,
    Listed,
    Plot,
    Said,
    Section,
    Table,
    Tone,
    clipped,
    listed,
)
from labeler.stats.answers import MEANING, Fate

REST = "the JSON of the report on answers has them all"
"""Where the wrong answers are that a table does not list."""


def answers(found: Report) -> Section:
    """Right answers in three ways, what became of each query, and which stage to work on."""
    blocks = [*_judged(found), *_shares(found), *_stages(found), *_wrong(found)]
    return Section("Answers, end to end", blocks)


def cards(found: Report) -> Iterator[Card]:
    """The share of right answers of each system in production."""
    for group in found.groups:
        if group.context == PRODUCTION:
            right = render.split(text.best(group.strict), share=True)
            yield Card(f"right answers, {group.system}", right.value, right.interval)


def lines(found: Report) -> Iterator[str]:
    """What the summary says of answers."""
    for group in found.groups:
        right = render.share(text.best(group.strict))
        yield f"{name(group)}: {right} of {len(group.cases):,} answers are right."
    yield from map(text.advice, found.compared)


def name(group: Group) -> str:
    """A system, and the kind of context that its answers were given where that is another than
    production's own."""
    given = "" if group.context == PRODUCTION else f", {group.context}"
    return f"{group.system}{given}"


def _judged(found: Report) -> Iterator[Block]:
    """Whose grades they are, and whether the judge's may be believed."""
    judged = found.judged
    if judged is None:
        yield Said("No judge has graded an answer: every grade is a person's.")
    else:
        chosen = judged.selection
        yield Said(judged.sentence, TONES[judged.decision])
        who = render.judge_name(chosen.judge, chosen.rubric, chosen.model)
        yield Said(f"Graded by {who}, compared with people on {render.counted(judged.n, 'pair')}.")
    if found.left_alone:
        held = render.counted(found.left_alone, "answer")
        yield Said(f"{held} to queries that {_golden(found)} holds out left alone.")


def _golden(found: Report) -> str:
    return found.basis.ref if found.basis else "no golden set"


def _shares(found: Report) -> Iterator[Block]:
    """Every group's shares, in a plot and a table, and which of them to quote."""
    yield Plot("Right answers", [bar for group in found.groups for bar in _bars(group)])
    yield Table(text.HEADER, text.rows(found))
    yield Listed([f"{name(of)}: {line}" for of in found.groups for line in text.details(of)])
    kinds = [[name(of), *row] for of in found.groups for row in text.kinds(of)]
    yield Table(("system", *text.KINDS), kinds, "Right answers by kind of query")


def _bars(group: Group) -> Iterator[Bar]:
    right = group.strict.corrected
    ways = {"judge only": right.judge_only, "people only": right.people_only}
    ways |= {"corrected": right.corrected, "faithful": group.faithfulness.mean}
    known = {way: share for way, share in ways.items() if share.value is not None}
    yield from (Bar(name(group), way, share) for way, share in known.items())


def _stages(found: Report) -> Iterator[Block]:
    """What became of the queries, and what that says of search and answer."""
    fates = [
        [str(fate), *(f"{of.fates.get(fate, 0):,}" for of in found.groups), MEANING[fate]]
        for fate in Fate
        if any(of.fates.get(fate) for of in found.groups)
    ]
    header = ("what became of it", *map(name, found.groups), "that is")
    yield Table(header, fates, "What became of each query")
    said = [text.advice(one) for one in found.compared] or [text.NOTHING_TO_COMPARE]
    yield Listed([f"Which stage to work on. {one}" for one in said])
    if found.compared and (caution := text.caution(found)):
        yield Said(caution, Tone.OPEN)


def _wrong(found: Report) -> Iterator[Block]:
    rows = [_row(group, case) for group in found.groups for case in group.wrong]
    if rows:
        header = ("query", "text", "system", "answer", "grade", "what became of it")
        yield from listed(header, rows, title=f"Answers not right ({len(rows):,})", rest=REST)


def _row(group: Group, case: Case) -> Sequence[str]:
    who = "people" if case.people else "judge"
    answer, asked = case.answer, clipped(case.query.text)
    grade = f"{case.grade} ({who})"
    return answer.query_id, asked, name(group), clipped(answer.text), grade, str(case.fate)
