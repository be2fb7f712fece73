"""Corrected numbers as text for the terminal; the pages take their tables from here too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from labeler.reports.corrected import Report, drawn, statement
from labeler.reports.misjudged import Errors, Imagined
from labeler.reports.render import DASH, counted, table
from labeler.reports.retrieval_text import number
from labeler.reports.variants_text import signed
from labeler.stats.correction import Corrected
from labeler.stats.intervals import Interval
from labeler.stats.judge_errors import WhatIf

TOLD = ((0.9, 0.99), (0.9, 0.95), (0.9, 0.9))
"""Se and Sp of the imagined judges that the terminal shows; the JSON has them all."""

WAYS = ("judge only", "people only", "corrected")
"""The three numbers side by side."""

Table = tuple[list[str], list[list[str]]]
"""A header and rows."""


def section(found: Report) -> Iterator[str]:
    """The report's lines for the terminal."""
    yield f"Corrected for the errors of {who(found)}, {found.partly.reading} reading"
    yield scope(found)
    yield from (f"Note: {warning}." for warning in found.warnings)
    for system, measures in found.runs.items():
        yield ""
        yield f"{system}: {statement(found.lead, measures[found.lead])}."
        yield from table(*ways(measures))
    for each in found.differences:
        yield ""
        said = statement(found.lead, each.measures[found.lead], sign=True)
        yield f"{each.second} minus {each.first}: {said}."
        yield from table(*ways(each.measures, sign=True))
    yield ""
    yield from table(*errors(found.errors))
    for system, of in found.imagined.items():
        yield ""
        yield f"{system}: {imagined_of(of)}."
        yield from table(*told(of))


def who(found: Report) -> str:
    """The judge with its rubric and model."""
    judged = found.partly.judged
    return " ".join(filter(None, (judged.judge, judged.rubric, judged.model)))


def scope(found: Report) -> str:
    """How many queries are judged and labelled, and how the labelled ones were drawn."""
    many = counted(len(found.partly.query_ids), "judged query", plural="judged queries")
    if not found.labelled:
        return f"{many}, none of them labelled."
    return f"{many}, {found.labelled:,} of them with labels: {drawn(found)}."


def ways(measures: Mapping[str, Corrected], *, sign: bool = False) -> Table:
    """Each measure in three ways side by side, and which of them to quote."""
    header = ["measure", *WAYS, "quote", "weight", "judged", "labelled"]
    said = signed if sign else number
    rows = [
        [
            name,
            *(said(way) for way in (of.judge_only, of.people_only, of.corrected)),
            str(of.quote),
            f"{of.weight:.2f}" if of.labelled else DASH,
            f"{of.judged:,}",
            f"{of.labelled:,}",
        ]
        for name, of in measures.items()
    ]
    return header, rows


def why(measures: Mapping[str, Corrected], *, sign: bool = False) -> list[str]:
    """What to quote of each measure, in plain words."""
    return [f"{statement(name, of, sign=sign)}." for name, of in measures.items()]


def errors(found: Errors) -> Table:
    """The judge's error rates, and the share of relevant pairs in several ways."""
    part = found.share
    closed = DASH if part.closed_form is None else _ends(part.closed_form)
    rows = [
        ["Sensitivity: of the relevant pairs, judged relevant", number(found.rates.sensitivity)],
        ["Specificity: of the others, judged not relevant", number(found.rates.specificity)],
        ["Share of relevant pairs, by the verdicts alone", number(part.judge_only)],
        ["the same, among the labelled pairs alone", number(part.people_only)],
        ["the same, corrected by verdict (quote this)", number(part.value)],
        ["its interval in closed form, beside it", closed],
        ["the same by Rogan and Gladen, beside it", number(part.rogan_gladen)],
    ]
    return [f"on {counted(found.pairs, 'pair')} with a label and a verdict", ""], rows


def _ends(found: Interval) -> str:
    return f"{found.lo:.3f} to {found.hi:.3f}"


def imagined_of(found: Imagined) -> str:
    """Of which queries the imagined numbers are."""
    queries = counted(found.queries, "query", plural="queries")
    seen = "people see" if found.by_people else "the judge sees"
    return f"what a judge would print of {queries} that are as {seen} them"


def told(found: Imagined) -> Table:
    """Each measure as it is and as a few imagined judges, and this one, would print it."""
    rates = [*TOLD, *([found.own] if found.own else [])]
    header = ["measure", "as it is", *(f"Se {se:.3g}, Sp {sp:.3g}" for se, sp in rates)]
    if found.own:
        header[-1] = f"this judge: {header[-1]}"
    rows = []
    for name, of in found.measures.items():
        by = {(each.sensitivity, each.specificity): each.seen for each in of}
        rows.append([name, _value(of[0].true), *(_value(by[each]) for each in rates)])
    return header, rows


def imagined(of: Sequence[WhatIf]) -> Table:
    """One measure under every imagined judge."""
    rows = [
        [f"{each.sensitivity:.3g}", f"{each.specificity:.3g}", _value(each.true), _value(each.seen)]
        for each in of
    ]
    return ["sensitivity", "specificity", "as it is", "as that judge would print it"], rows


def _value(found: float | None) -> str:
    return DASH if found is None else f"{found:.3f}"
