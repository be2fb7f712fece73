"""Numbers and reports as text, for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from labeler.model import GRADES
from labeler.stats.comparison import ABOVE, Slice
from labeler.stats.explanation import percent

if TYPE_CHECKING:
    from labeler.importing import Outcome
    from labeler.reports.agreement import Report
    from labeler.stats.intervals import Estimate
    from labeler.store.comparison import Disagreement, Missing

DASH = "—"
"""What stands where a number is undefined."""

SHOWN = 8
"""How many parts of a slice the terminal shows, the largest."""

LABELS = {
    "both": "adjudicated where settled, else blind",
    "blind": "blind labels alone",
    "adjudicated": "adjudicated pairs alone",
}
"""How each reading of labels is called."""

MISSING = {
    "unlabelled": "with a verdict and no label yet",
    "unjudged": "with a label and no verdict",
    "unreadable": "with an unreadable reply",
    "unsure": "of which nobody could tell",
    "unresolved": "on which people are split evenly",
}


def share(estimate: Estimate) -> str:
    """A proportion and its interval.

    `12.5% (5.9% to 24.7%)`; a dash and the reason if undefined.
    """
    if estimate.value is None:
        return f"{DASH} ({estimate.reason})"
    if estimate.interval is None:
        return f"{percent(estimate.value)}{without(estimate)}"
    lo, hi = estimate.interval
    return f"{percent(estimate.value)} ({percent(lo)} to {percent(hi)})"


def coefficient(estimate: Estimate) -> str:
    """A coefficient and its interval: `0.73 (0.48 to 0.92)`."""
    if estimate.value is None:
        return f"{DASH} ({estimate.reason})"
    if estimate.interval is None:
        return f"{estimate.value:z.2f}{without(estimate)}"
    lo, hi = estimate.interval
    return f"{estimate.value:z.2f} ({lo:z.2f} to {hi:z.2f})"


def without(estimate: Estimate) -> str:
    """Why a number stands without an interval, in brackets; "" where nothing says."""
    return f" (no interval: {estimate.reason})" if estimate.reason else ""


def moment(at: datetime) -> str:
    """A point in time, to the minute: `2026-11-30 06:05 UTC`."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def counted(count: int, noun: str, *, plural: str = "") -> str:
    """`1 judge`, `2,000 judges`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def value(estimate: Estimate, *, share: bool = False) -> str:
    """The bare number, a percentage where it is a `share`; a dash where it is undefined."""
    if estimate.value is None:
        return DASH
    return percent(estimate.value) if share else f"{estimate.value:z.2f}"


class Split(NamedTuple):
    """A number and its interval, or its reason, apart."""

    value: str
    interval: str


def split(estimate: Estimate, *, share: bool = False) -> Split:
    """As `value`, with the interval or the reason why there is none beside it."""
    found = value(estimate, share=share)
    if estimate.interval is None:
        return Split(found, estimate.reason)
    lo, hi = (percent(end) if share else f"{end:z.2f}" for end in estimate.interval)
    return Split(found, f"{lo} to {hi}")


def judge_name(judge: str, rubric: str, model: str) -> str:
    """How a judge is called wherever it shows; the lexical one is a baseline and says so."""
    name = "lexical baseline" if judge == "lexical" else judge
    return " · ".join(filter(None, (name, rubric, model)))


def missing(left: Missing) -> str:
    """Why pairs are left out of the comparison, or "" when none is."""
    return "; ".join(
        f"{count:,} {MISSING[name]}" for name, count in left._asdict().items() if count
    )


def agreement(report: Report) -> Iterator[str]:
    """The report's lines for the terminal."""
    measured, selection = report.agreement, report.selection
    yield f"Judge      {judge_name(selection.judge, selection.rubric, selection.model)}"
    yield f"Labels     {_labels(report)}"
    yield ""
    yield report.gate.sentence
    yield from (f"  - {reason}" for reason in report.gate.reasons)
    yield ""
    width = max(len(name) for name, _ in coefficients(report))
    yield from (f"{name:<{width}}  {text}" for name, text in coefficients(report))
    yield ""
    yield "People \\ judge " + "".join(f"{grade:>7}" for grade in GRADES)
    for grade, row in zip(GRADES, measured.counts, strict=True):
        yield f"{grade:>14} " + "".join(f"{int(count):>7,}" for count in row)
    yield from _slices(report)
    left = missing(report.missing)
    if left:
        yield ""
        yield f"Left out: {left}."


def coefficients(report: Report) -> list[tuple[str, str]]:
    """Every number of the report under its name, as the page and the terminal show it."""
    measured = report.agreement
    found = [
        (
            "Disagreement",
            f"{share(measured.disagreement)}, {measured.disagreements:,} of {measured.n:,}",
        )
    ]
    if measured.weighted_disagreement is not None:
        found.append(("Disagreement, reweighted", share(measured.weighted_disagreement)))
    constant = measured.constant_judge
    if constant is not None:
        always = f"{percent(constant.disagreement)}, always {GRADES[constant.grade]}"
        found.append(("Best constant judge", always))
    found += [
        ("Kappa", coefficient(measured.kappa)),
        ("Kappa, linear weights", coefficient(measured.kappa_linear)),
        ("Kappa, quadratic weights", coefficient(measured.kappa_quadratic)),
        ("Kappa, strict (YES or not)", coefficient(measured.kappa_strict)),
        ("Kappa, lenient (NO or not)", coefficient(measured.kappa_lenient)),
    ]
    closed = measured.kappa_closed_form
    if closed is not None:
        lo, hi = closed.interval
        found.append(("Kappa if pairs were independent", f"{lo:z.2f} to {hi:z.2f}"))
    return [
        *found,
        ("Gwet AC1 (decides nothing)", coefficient(measured.ac1)),
        ("People's YES that it finds", share(measured.yes_recall)),
        ("Its YES that are right", share(measured.yes_precision)),
        ("Direction", direction(report)),
    ]


def _labels(report: Report) -> str:
    selection = report.selection
    who = selection.annotator or "everyone"
    where = f"spot check {selection.spotcheck}" if selection.spotcheck else "every labelled pair"
    return f"{who}, {where}, {LABELS[selection.labels]}"


def direction(report: Report) -> str:
    """Which way the judge errs, in words."""
    found = report.agreement.direction
    if found.mean_difference is None:
        return f"{DASH} ({found.reason})"
    by = f"mean difference {found.mean_difference:+.2f} grades"
    if found.p is None:
        return f"none shown, {by} ({found.reason})"
    reading = {"lenient": "too lenient", "strict": "too strict", "none": "none shown"}
    return f"{reading[found.reading]}, {by}, p = {found.p:.3f}"


def _slices(report: Report) -> Iterator[str]:
    for name, group in groupby(report.slices, key=lambda part: part.name):
        parts = list(group)
        yield ""
        yield f"By {name}"
        yield from map(_slice, parts[:SHOWN])
        hidden = parts[SHOWN:]
        if hidden:
            above = sum(part.reading == ABOVE for part in hidden)
            loud = f", {above} of them {ABOVE}" if above else ""
            yield f"  and {len(hidden):,} smaller{loud} (the JSON holds all)"


def _slice(part: Slice) -> str:
    reading = f"  {part.reading}" if part.reading else ""
    counts = f"{int(part.disagreements):>5,} of {int(part.n):>6,}"
    name = short(part.value or "(none)", width=36)
    return f"  {name:<36} {counts}  {share(part.disagreement)}{reading}"


def case(found: Disagreement) -> Iterator[str]:
    """One disagreement as lines; texts are shortened to their beginnings."""
    settled = ", adjudicated" if found.adjudicated else ""
    pair = f"{found.query_id} / {found.passage_id}"
    yield f"{pair}: people {found.human}{settled}, judge {found.judge}"
    yield f"  query    {short(found.query)}"
    yield f"  passage  {short(found.passage)}"
    if found.reason:
        yield f"  judge    {short(found.reason)}"
    if found.note:
        yield f"  note     {short(found.note)}"


def short(text: str, *, width: int = 88) -> str:
    """The beginning of a text on one line; control characters are shown as they are escaped."""
    line = "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in text)
    line = " ".join(line.split()) or "(no text)"
    return line if len(line) <= width else line[: width - 1] + "…"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of text, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def imported(outcome: Outcome) -> str:
    """What an import did, in one sentence."""
    known = outcome.read - outcome.added
    tail = f", {known:,} {'was' if known == 1 else 'were'} there already" if known else ""
    bad = f", {len(outcome.left_out):,} malformed left out" if outcome.left_out else ""
    return f"{outcome.kind}: {outcome.read:,} read, {outcome.added:,} added{tail}{bad}"


def money(dollars: float | None) -> str:
    """US dollars; words where a price or the tokens are unknown."""
    return "cost unknown" if dollars is None else f"${dollars:,.4f}"
