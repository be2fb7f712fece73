"""The written report as Markdown: tables and sentences for a pull request or a wiki.

Every text is escaped for whatever renders it: no raw HTML, no markup, no links of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from labeler.reports.blocks import (
    Block,
    Cards,
    Listed,
    Matrix,
    Plot,
    Said,
    Section,
    Stacks,
    Table,
    Tone,
)
from labeler.reports.dossier import Dossier
from labeler.reports.dossier_sections import sections, subtitle, title

# What would be HTML, an entity, or a link even without markup. Not every renderer lets a backslash
# stand before these, so they become entities.
_ENTITY = r"[<>&]|:(?=//|\w+:)|@(?=[\w-]+\.)|(?<=www)\."
_MARKUP = r"[\\`*_\[\]{}|~$]"
_INTERVAL = r"\[[+-]?[\d.]+, [+-]?[\d.]+\](?![(\[:])"
_SPECIAL = re.compile(f"({_INTERVAL})|({_ENTITY})|({_MARKUP})", re.IGNORECASE)
_FIRST = re.compile(r"\d+[.)](?=\s|$)|[#+=-]")
_SPACES = re.compile(r"[ \t\n\v\f\r\u0085\u2028\u2029]+")


def text(said: str) -> str:
    """A text on one line that Markdown shows as it is; what cannot be seen, or would turn what
    stands beside it, is shown by its code."""
    line = _SPACES.sub(" ", said).strip(" ")
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    first = _FIRST.match(line)
    line = _SPECIAL.sub(_escaped, line)
    return f"{line[: first.end() - 1]}\\{line[first.end() - 1 :]}" if first else line


def _escaped(found: re.Match[str]) -> str:
    interval, entity, markup = found.groups()
    if interval:
        return str(interval)  # numbers, as they stand in every report
    return f"&#{ord(entity)};" if entity else f"\\{markup}"


def markdown(found: Dossier) -> str:
    """The whole file."""
    lines = [f"# {text(title(found))}", "", text(subtitle(found))]
    for part in sections(found):
        lines += ["", *_section(part)]
    return "\n".join(lines) + "\n"


def _section(part: Section) -> Iterator[str]:
    yield f"## {text(part.title)}"
    for each in part.blocks:
        lines = block(each)
        if lines:
            yield ""
            yield from lines


def block(found: Block) -> list[str]:
    """The lines of one block; a plot has none, for its numbers stand in a table."""
    return list(_WRITERS[type(found)](found))


def _said(found: Said) -> Iterator[str]:
    yield text(found.text) if found.tone is Tone.PLAIN else f"> **{text(found.text)}**"


def _listed(found: Listed) -> Iterator[str]:
    yield from (f"- {text(line)}" for line in found.lines)


def _table(found: Table) -> Iterator[str]:
    if not found.rows:
        return
    if found.title:
        yield from (f"### {text(found.title)}", "")
    yield _row(found.header)
    yield "|" + "---|" * len(found.header)
    yield from map(_row, found.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(text, cells))} |"


def _matrix(found: Matrix) -> Iterator[str]:
    rows = [
        [label, *(f"{count:,}" for count in counts)]
        for label, counts in zip(found.labels, found.counts, strict=True)
    ]
    return _table(Table(("people, judge", *found.labels), rows))


def _cards(found: Cards) -> Iterator[str]:
    return _table(Table(("", "", ""), [[c.name, c.value, c.beside] for c in found.cards]))


def _stacks(found: Stacks) -> Iterator[str]:
    rows = [[name, *(f"{count:,}" for count in counts)] for name, counts in found.stacks]
    return _table(Table(("", *found.parts), rows, found.title))


def _plot(_found: Plot) -> Iterator[str]:
    return iter(())


_WRITERS: dict[type, Callable[[Any], Iterator[str]]] = {
    Said: _said,
    Listed: _listed,
    Table: _table,
    Matrix: _matrix,
    Cards: _cards,
    Plot: _plot,
    Stacks: _stacks,
}
