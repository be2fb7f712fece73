"""Near misses as text for the terminal; the page and the report take their tables from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from labeler.model import Decision, Grade
from labeler.reports.near_misses import Moved, Report
from labeler.reports.pooling import Proposal
from labeler.reports.render import counted, judge_name, short, table
from labeler.reports.retrieval_text import number

SHOWN = 20
"""Proposals that the terminal lists; the JSON has them all."""

HEADER = ("measure", "as frozen", "with people's labels", "if the judge is right too")
"""The columns of `measured`."""

PROPOSED = ("query", "text", "passage", "grade", "found by", "why")
"""The columns of `proposed`."""

_SAME = 5e-4
"""Differences that three digits do not show."""


def lines(report: Report) -> Iterator[str]:
    """The report's lines for the terminal."""
    yield f"Golden   {report.basis.ref}, {report.reading} reading"
    yield f"Pool     {', '.join(one.system for one in report.moved)}, to rank {report.depth:,}"
    if report.judged:
        yield f"Judge    {judge(report)}"
    if report.basis.left_alone:
        held = counted(report.basis.left_alone, "query", plural="queries")
        yield f"Left out {held} held out"
    yield ""
    yield from readings(report)
    for one in report.moved:
        yield ""
        yield one.system
        yield from table(HEADER, measured(one))
    for title, proposals in (
        ("Labelled by people, for the next version", report.by_people),
        ("Proposed by the judge, for people to label", report.by_judge),
    ):
        if proposals:
            yield ""
            yield f"{title} ({len(proposals):,})"
            yield from map(_line, proposals[:SHOWN])
            if len(proposals) > SHOWN:
                yield f"  and {len(proposals) - SHOWN:,} more (the JSON holds all)"


def _line(one: Proposal) -> str:
    why = f"  {short(one.why)}" if one.why else ""
    return f"  {one.query.query_id} / {one.passage_id} {one.grade}, {found(one)}{why}"


def judge(report: Report) -> str:
    """The judge and the gate's decision on it."""
    if report.judged is None:
        return "none has graded anything"
    chosen = report.judged.selection
    return f"{judge_name(chosen.judge, chosen.rubric, chosen.model)}, {report.judged.decision}"


def found(one: Proposal) -> str:
    """Which runs found a passage, and where: `bm25 at 2, fusion at 5`."""
    return ", ".join(f"{system} at {rank:,}" for system, rank in one.found)


def measured(one: Moved) -> list[list[str]]:
    """A run's measures, a row a measure, before and after."""
    columns = one[1:]
    rows = [["queries", *(f"{column.queries:,}" for column in columns)]]
    rows += [
        [name, *(number(column.means[name]) for column in columns)] for name in one.frozen.means
    ]
    return rows


def proposed(proposals: Sequence[Proposal]) -> list[list[str]]:
    """Proposals as rows."""
    return [
        [one.query.query_id, one.query.text, one.passage_id, str(one.grade), found(one), one.why]
        for one in proposals
    ]


def readings(report: Report) -> Iterator[str]:
    """The report in sentences: what was pooled, how recall moves, and what to do next."""
    yield _pool(report)
    for one in report.moved:
        yield from _moves(report, one)
    yield from _next(report)


def _pool(report: Report) -> str:
    counts = report.counts
    said = (
        f"Of {counted(counts.pooled, 'pooled pair')} {report.basis.ref} grades {counts.graded:,}; "
        f"people have settled {_graded(counts.labelled)} more"
    )
    if report.judged:
        said += f", and of what nobody has looked at the judge grades {_graded(counts.judged)}"
    said += f"; {counts.unjudged:,} {'is' if counts.unjudged == 1 else 'are'} not judged"
    if counts.unsettled:
        said += f", {counts.unsettled:,} wait for a reviewer"
    if counts.barred:
        said += f", {counts.barred:,} may not be expected (scope or date)"
    return f"{said}."


def _graded(grades: Mapping[Grade, int]) -> str:
    if not any(grades.values()):
        return "0"
    parts = ", ".join(f"{many:,} {grade}" for grade, many in grades.items() if many)
    return f"{sum(grades.values()):,} ({parts})"


def _moves(report: Report, one: Moved) -> Iterator[str]:
    """How a run's recall moves, and why."""
    name = report.lead
    before, labelled, believed = (column.means[name].value for column in one[1:])
    proposals = report.by_people or report.by_judge
    if before is None or labelled is None or believed is None or not proposals:
        return
    said = f"{name} of {one.system} is {before:.3f}"
    if report.by_people:
        said += f"; with what people labelled {labelled:.3f}"
    if report.by_judge:
        said += f"; if the judge is right too {believed:.3f}"
    yield f"{said}{_why(report, believed - before)}."


def _why(report: Report, rise: float) -> str:
    """What it means that recall rises or falls with the proposals; "" where it does neither."""
    if rise < -_SAME:
        return (
            ": too high as frozen, for the passages that do not count yet are relevant too, and "
            "this run misses more of them"
        )
    if rise <= _SAME:
        return ""
    if 2 * report.seeds > report.queries:
        return (
            ": too low as frozen, because only the seed passage counted "
            f"({report.seeds:,} of the {report.queries:,} queries concerned expect one passage)"
        )
    return ": too low as frozen, because relevant passages that it found did not count"


def _next(report: Report) -> Iterator[str]:
    name = report.basis.ref.rpartition("@")[0]
    if report.by_people:
        yield f"Freezing {name} again takes what people labelled into its next version."
    if report.by_judge and report.judged:
        trusted = report.judged.decision is Decision.TRUSTED
        but = "trusted" if trusted else f"{report.judged.decision}, so its YES only proposes"
        yield (
            f"The judge is {but}: a list of the {counted(len(report.by_judge), 'pair')} gives them "
            "to people on the labelling page."
        )
    if report.counts.unjudged:
        yield (
            f"Pooling the runs to depth {report.depth}, and the judge after it, have what is not "
            "judged graded."
        )
