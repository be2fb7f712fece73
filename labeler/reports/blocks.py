"""What a written report is made of: sections of sentences, tables and plots, in no format yet.

Every text in them is plain text, wherever it came from; whoever renders them escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from labeler.model import Decision
from labeler.stats.intervals import Estimate

CUT = 400
"""Characters of a query's text that a table shows."""


class Tone(StrEnum):
    """How a sentence or a figure stands out."""

    PLAIN = "plain"
    GOOD = "good"
    OPEN = "open"
    BAD = "bad"


TONES = {
    Decision.TRUSTED: Tone.GOOD,
    Decision.UNDECIDED: Tone.OPEN,
    Decision.REJECTED: Tone.BAD,
}
"""How each decision stands out."""


class Said(NamedTuple):
    """A paragraph; one with a tone stands in a box."""

    text: str
    tone: Tone = Tone.PLAIN


class Listed(NamedTuple):
    """Sentences one under the other."""

    lines: Sequence[str]


class Table(NamedTuple):
    """Rows of text under a header, with a title where it needs one."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


class Matrix(NamedTuple):
    """Counts by two grades: rows people, columns the judge."""

    labels: Sequence[str]
    counts: Sequence[Sequence[int]]


class Card(NamedTuple):
    """A number to stand out: its name, its value and what stands beside it."""

    name: str
    value: str
    beside: str
    tone: Tone = Tone.PLAIN


class Cards(NamedTuple):
    """Numbers side by side."""

    cards: Sequence[Card]


class Bar(NamedTuple):
    """One number with its interval, of one of the `series` of a plot."""

    group: str
    series: str
    found: Estimate


class Plot(NamedTuple):
    """Shares between 0 and 1 with their intervals, by group; the same numbers stand in a table."""

    title: str
    bars: Sequence[Bar]


class Stack(NamedTuple):
    """A whole and its parts, in the order of the plot's parts."""

    name: str
    counts: Sequence[int]


class Stacks(NamedTuple):
    """Wholes cut into the same `parts`."""

    title: str
    parts: Sequence[str]
    stacks: Sequence[Stack]


Block = Said | Listed | Table | Matrix | Cards | Plot | Stacks


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: Sequence[Block]


LISTED = 50
"""Rows of a long list that a table shows."""


def listed(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, title: str, rest: str
) -> Iterator[Block]:
    """The first rows of a long list, and how many more there are, `rest` being where."""
    yield Table(header, rows[:LISTED], title)
    if len(rows) > LISTED:
        yield Said(f"And {len(rows) - LISTED:,} more: {rest}.")


def clipped(text: str, *, cut: int = CUT) -> str:
    """A text as it is, or its beginning and how much more there is."""
    if not text:
        return "(no text)"
    return text if len(text) <= cut else f"{text[:cut]}… ({len(text) - cut:,} more characters)"
