"""The workshop's reports as sentences, lines and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from labeler.reports.render import DASH, counted, judge_name, short
from labeler.reports.workshop import UNCHANGED, Slice, Workshop, ordered, outcome
from labeler.stats.agreement import SIGNIFICANT
from labeler.stats.explanation import percent
from labeler.stats.parts import Part
from labeler.store.comparison import Selection
from labeler.store.contrasts import Beside
from labeler.store.looks import Look

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_ORDINALS = (
    *("", "First", "Second", "Third", "Fourth", "Fifth"),
    *("Sixth", "Seventh", "Eighth", "Ninth", "Tenth"),
)


def name(selection: Selection) -> str:
    """What a judge is called."""
    return judge_name(selection.judge, selection.rubric, selection.model)


def sentence(made: Workshop) -> str:
    """What the comparison shows, for somebody who reads one line."""
    compared = made.compared
    if not compared.n:
        return "Nothing to compare: no pair has a label and the verdicts of both."
    counts = (
        f"{made.fixed:,} fixed, {made.broken:,} broken, {made.unchanged:,} unchanged "
        f"of {counted(compared.n, 'pair')}"
    )
    if made.better:
        ahead = made.second if made.better == "second" else made.first
        return f"{name(ahead)} is shown to be better on these pairs: {counts}."
    few = "; fewer than six pairs differ" if made.fixed + made.broken < 6 else ""
    return f"No difference shown: {counts}{few}."


def looked(look: Look) -> str:
    """What a look at held-out pairs said, and what its number does to that."""
    if not look.first:
        read = counted(look.n, "held-out case")
        at = f"look {look.look} at them"
        return f"{read} of {look.second} read one by one, {at}: this confirms nothing."
    if look.part == Part.ALL:
        return (
            "All pairs were looked at, those that could have been held out as well: this confirms "
            f"nothing. {count(look)}"
        )
    said = {
        "confirmed": f"{look.second} is confirmed on held-out pairs",
        "worse": f"{look.second} is not confirmed: it is worse on held-out pairs",
        "not confirmed": f"{look.second} is not confirmed on held-out pairs",
    }[look.reading]
    counts = f"{look.only_second:,} fixed, {look.only_first:,} broken of {look.n:,}"
    return f"{said} ({counts}, p = {look.p:.3g}). {count(look)}"


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else _ENDINGS.get(number % 10, 'th')}"


def count(look: Look) -> str:
    """The number of a look, in words."""
    if look.look == 1:
        return "First look at these pairs."
    ordinal = _ORDINALS[look.look] if look.look < len(_ORDINALS) else _ordinal(look.look)
    adjusted = min(1.0, look.p * look.look)
    return (
        f"{ordinal} look: this p value no longer means what it says "
        f"({adjusted:.3g} after {look.look} looks). Draw more held-out labels."
    )


def price(dollars: float | None) -> str:
    """US dollars per 1,000 verdicts."""
    return "cost unknown" if dollars is None else f"${dollars:,.2f} per 1,000 verdicts"


def lines(made: Workshop, *, shown: int = 20) -> Iterator[str]:
    """The report for the terminal, with at most `shown` changed pairs."""
    where = f"spot check {made.second.spotcheck}" if made.second.spotcheck else "labelled pairs"
    yield f"A      {name(made.first)}, {price(made.first_price)}"
    yield f"B      {name(made.second)}, {price(made.second_price)}"
    part = "all" if made.part is Part.ALL else f"{made.part} part"
    yield f"Pairs  {part} of the {where}, {counted(made.compared.n, 'pair')}"
    yield ""
    yield sentence(made)
    if made.look is not None:
        yield looked(made.look)
    yield from (f"  - {reason}" for reason in reasons(made))
    if made.slices:
        yield ""
        yield "Slice                                     pairs  A wrong  B wrong  fixed  broken"
        yield from map(_slice, made.slices)
    changed = [one for one in ordered(made.cases) if outcome(one) != UNCHANGED]
    for one in changed[:shown]:
        yield ""
        yield from _case(one)
    if len(changed) > shown:
        yield f"and {len(changed) - shown:,} more (the JSON holds all)"


def reasons(made: Workshop) -> Iterator[str]:
    """What the sentence rests on, and what is not in it."""
    compared = made.compared
    if compared.n:
        rates = (
            f"A is wrong on {percent(compared.first or 0)}, B on {percent(compared.second or 0)}"
        )
        yield f"{rates}; B minus A: {difference(made)}."
        yield (
            f"Exact McNemar p = {compared.p:.4g} on the {made.fixed + made.broken:,} pairs that "
            "one alone has right. Better is shown where the interval leaves out 0 and p is below "
            f"{SIGNIFICANT}."
        )
    if made.examples:
        yield f"{counted(made.examples, 'pair')} left out: a rubric shows them as examples."
    if made.part is Part.TUNE:
        yield (
            f"{counted(made.held_out, 'held-out pair')} left out. Being better on the pairs "
            "that it was tuned on confirms nothing."
        )


def difference(made: Workshop) -> str:
    """The second's rate minus the first's in percentage points, with its interval."""
    found = made.compared.difference
    if found.value is None:
        return f"{DASH} ({found.reason})"
    if found.interval is None:
        return f"{100 * found.value:+.1f} points ({found.reason})"
    lo, hi = (f"{100 * end:+.1f}" for end in found.interval)
    return f"{100 * found.value:+.1f} points ({lo} to {hi}, over queries)"


def _slice(part: Slice) -> str:
    title = short(f"{part.name} {part.value or '(none)'}", width=40)
    few = "  too few" if part.p is None else f"  p = {part.p_holm:.3g}"
    numbers = f"{part.n:>6,} {part.first:>8,} {part.second:>8,} {part.fixed:>6,} {part.broken:>7,}"
    return f"{title:<40} {numbers}{few}"


def _case(one: Beside) -> Iterator[str]:
    yield (
        f"{outcome(one)}: {one.query_id} / {one.passage_id}: people {one.human}, "
        f"A {one.first}, B {one.second}"
    )
    yield f"  A  {short(one.first_reason) if one.first_reason else '(no reason)'}"
    yield f"  B  {short(one.second_reason) if one.second_reason else '(no reason)'}"


def as_json(made: Workshop) -> dict[str, Any]:
    """The report as one object; undefined numbers are null."""
    compared, interval = made.compared, made.compared.difference.interval
    return {
        "a": _who(made.first, made.first_price, compared.first),
        "b": _who(made.second, made.second_price, compared.second),
        "spotcheck": made.second.spotcheck,
        "part": str(made.part),
        "n": compared.n,
        "held_out": made.held_out,
        "examples_left_out": made.examples,
        "fixed": made.fixed,
        "broken": made.broken,
        "unchanged": made.unchanged,
        "mcnemar": {"only_a": made.broken, "only_b": made.fixed, "p": compared.p},
        "p": compared.p,
        "difference": compared.difference.value,
        "difference_interval": list(interval) if interval else None,
        "undefined": compared.difference.reason or None,
        "better": {"first": "a", "second": "b"}.get(made.better),
        "sentence": sentence(made),
        "reasons": list(reasons(made)),
        "slices": [part._asdict() for part in made.slices],
        "cases": [case(one) for one in ordered(made.cases)],
        "look": None if made.look is None else look_json(made.look),
        "bootstrap": {"over": "queries", "seed": compared.seed},
    }


def look_json(look: Look) -> dict[str, Any]:
    """A look with its sentence."""
    at = look.looked_at.isoformat() if look.looked_at else None
    return asdict(look) | {"looked_at": at, "sentence": looked(look)}


def case(one: Beside) -> dict[str, Any]:
    """One pair with both reasons."""
    return one._asdict() | {"outcome": outcome(one)}


def _who(selection: Selection, per_thousand: float | None, rate: float | None) -> dict[str, Any]:
    return {
        "judge": selection.judge,
        "rubric": selection.rubric,
        "model": selection.model,
        "disagreement": rate,
        "cost_per_1000": per_thousand,
    }
