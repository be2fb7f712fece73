"""The written report as one HTML file that needs nothing else: no script, no font, no request.

Every text is escaped, control characters are shown as symbols, and each text is isolated, so that
one that reads from right to left turns nothing but itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

from labeler.reports import dossier_plots
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
from labeler.reports.dossier_style import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What the file allows itself: its own style, and nothing else."""

LONG = 24
"""Characters of a word that a table's cell need not hold on one line."""

_NUMBER = re.compile(r"([+-]?\d[\d,.]*%?) \(([^() ]+ to [^() ]+)\)")
_NUMERIC = re.compile(r"[+-]?[\d,.]+%?( .*)?|—.*", re.DOTALL)
_NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def text(said: str) -> str:
    """A text as HTML shows it, exactly, in an attribute too."""
    return escape(_NOT_SHOWN.sub(_symbol, said))


def _symbol(found: re.Match[str]) -> str:
    """What stands for a character that HTML cannot hold."""
    code = ord(found[0])
    return chr(0x2400 + code) if code < 32 else f"\\u{code:04x}"


def html(found: Dossier) -> str:
    """The whole file."""
    parts = sections(found)
    names = [f'<a href="#part-{at}">{text(part.title)}</a>' for at, part in enumerate(parts, 1)]
    body = "\n".join(_section(part, at) for at, part in enumerate(parts, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" '
        f'content="no-referrer">\n<title>{text(title(found))}</title>\n'
        f"<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1><bdi>{text(title(found))}</bdi>"
        f"</h1>\n<p><bdi>{text(subtitle(found))}</bdi></p>\n<nav>{' '.join(names)}</nav>\n</header>"
        f"\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section(part: Section, at: int) -> str:
    blocks = "\n".join(block(each) for each in part.blocks)
    return f'<section id="part-{at}">\n<h2>{text(part.title)}</h2>\n{blocks}\n</section>'


def block(found: Block) -> str:
    """One block."""
    return _WRITERS[type(found)](found)


def _said(found: Said) -> str:
    kind = "" if found.tone is Tone.PLAIN else f' class="box {found.tone}"'
    return f"<p{kind}><bdi>{text(found.text)}</bdi></p>"


def _listed(found: Listed) -> str:
    lines = "".join(f"<li><bdi>{text(line)}</bdi></li>" for line in found.lines)
    return f"<ul>{lines}</ul>"


def _table(found: Table) -> str:
    if not found.rows:
        return ""
    caption = f"<caption>{text(found.title)}</caption>" if found.title else ""
    right = [_is_numeric(found.rows, column) for column in range(len(found.header))]
    head = "".join(
        f'<th scope="col"{_class(name, right=side)}><bdi>{text(name)}</bdi></th>'
        for name, side in zip(found.header, right, strict=True)
    )
    rows = "".join(f"<tr>{''.join(_cells(row, right))}</tr>\n" for row in found.rows)
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>"
    )


def _is_numeric(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column holds numbers: it is set flush right."""
    cells = [row[column] for row in rows if row[column]]
    return column > 0 and bool(cells) and all(map(_NUMERIC.fullmatch, cells))


def _class(cell: str, *, right: bool) -> str:
    """Numbers are set flush right; one short word is not broken at a hyphen, and words too long for
    a column may be broken anywhere."""
    words = cell.split()
    long = max(map(len, words), default=0) > LONG
    kinds = (("n", right), ("long", long), ("word", len(words) == 1 and not long))
    names = " ".join(name for name, on in kinds if on)
    return f' class="{names}"' if names else ""


def _cells(row: Sequence[str], right: Sequence[bool]) -> Iterator[str]:
    for at, (cell, side) in enumerate(zip(row, right, strict=True)):
        tag, scope = ("td", "") if at else ("th", ' scope="row"')
        yield f"<{tag}{scope}{_class(cell, right=side)}><bdi>{_value(cell)}</bdi></{tag}>"


def _value(cell: str) -> str:
    """A number stands out before its interval."""
    found = _NUMBER.match(cell)
    if found is None:
        return text(cell)
    rest = text(cell[found.end() :])
    return f'<b>{text(found[1])}</b> <span class="ends">({text(found[2])})</span>{rest}'


def _matrix(found: Matrix) -> str:
    most = max(max(row) for row in found.counts) or 1
    head = "".join(f'<th scope="col">{text(label)}</th>' for label in found.labels)
    rows = []
    for i, row in enumerate(found.counts):
        cells = "".join(
            f'<td class="{"same" if i == j else "other"}" '
            f'style="--part:{count / most:.3f}">{count:,}</td>'
            for j, count in enumerate(row)
        )
        rows.append(f'<tr><th scope="row">{text(found.labels[i])}</th>{cells}</tr>')
    return (
        '<table class="matrix"><caption>People (rows) and the judge (columns)</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _cards(found: Cards) -> str:
    cards = "".join(
        f'<div class="card {card.tone}"><p><bdi>{text(card.name)}</bdi></p><strong>'
        f"{text(card.value)}</strong><p><bdi>{text(card.beside)}</bdi></p></div>"
        for card in found.cards
    )
    return f'<div class="cards">{cards}</div>'


_WRITERS: dict[type, Callable[[Any], str]] = {
    Said: _said,
    Listed: _listed,
    Table: _table,
    Matrix: _matrix,
    Cards: _cards,
    Plot: lambda found: dossier_plots.plot(found, text=text),
    Stacks: lambda found: dossier_plots.stacks(found, text=text),
}
