"""The plots of the written report as inline SVG: each takes numbers that stand in a table too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from labeler.reports.blocks import Bar, Plot, Stacks

WIDTH, LEFT, RIGHT = 760, 130, 70
"""Of the drawing, of the names before the plot, and of the numbers after it."""

NAME = 18
"""Characters of a name that have room before the plot; it stands whole in the table."""

ROW, GAP = 18, 16
"""Height of a bar, and between groups."""

COLOURS = 6
"""Series have as many colours; the seventh has the first again."""

Text = Callable[[str], str]


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def legend(names: Sequence[str], *, text: Text, kind: str = "s") -> str:
    """What each colour is."""
    keys = "".join(
        f'<li><i class="{kind}{at % COLOURS}"></i><bdi>{text(name)}</bdi></li>'
        for at, name in enumerate(names)
    )
    return f'<ul class="legend">{keys}</ul>'


def plot(found: Plot, *, text: Text) -> str:
    """Each number as a dot on its interval, group under group, on a scale of 0 to 1."""
    series = list(dict.fromkeys(bar.series for bar in found.bars))
    drawn, y = [], 6.0
    for group, bars in groupby(found.bars, key=lambda bar: bar.group):
        rows = list(bars)
        middle = y + len(rows) * ROW / 2 + 4
        drawn.append(
            f'<text x="{LEFT - 14}" y="{middle:.1f}" class="name">{text(group[:NAME])}</text>'
        )
        for bar in rows:
            drawn.append(_bar(bar, y + ROW / 2, series.index(bar.series) % COLOURS))
            y += ROW
        y += GAP
    bottom = y - GAP / 2
    grid = "".join(
        f'<line x1="{_x(at / 5):.1f}" x2="{_x(at / 5):.1f}" y1="0" y2="{bottom:.1f}" class="grid"/>'
        f'<text x="{_x(at / 5):.1f}" y="{bottom + 15:.1f}" class="tick">{at / 5:.1f}</text>'
        for at in range(6)
    )
    return _figure(found.title, legend(series, text=text), grid + "".join(drawn), bottom + 20, text)


def _bar(bar: Bar, y: float, colour: int) -> str:
    value, ends = bar.found.value, bar.found.interval
    if value is None:
        return f'<text x="{LEFT + 4}" y="{y + 4:.1f}" class="none">not defined</text>'
    line = ""
    if ends is not None:
        line = (
            f'<line x1="{_x(ends.lo):.1f}" x2="{_x(ends.hi):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
            f'class="bar s{colour}"/>'
        )
    return (
        f'{line}<circle cx="{_x(value):.1f}" cy="{y:.1f}" r="4.5" class="s{colour}"/>'
        f'<text x="{WIDTH - RIGHT + 14}" y="{y + 4:.1f}" class="value">{value:.3f}</text>'
    )


def stacks(found: Stacks, *, text: Text) -> str:
    """Each whole as a bar cut into its parts, with their counts."""
    drawn, y = [], 4.0
    for name, counts in found.stacks:
        drawn.append(
            f'<text x="{LEFT - 14}" y="{y + 18:.1f}" class="name">{text(name[:NAME])}</text>'
        )
        whole, before = sum(counts) or 1, 0
        for at, count in enumerate(counts):
            if count:
                x, width = _x(before / whole), _x((before + count) / whole) - _x(before / whole)
                drawn.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width - 1.5, 1):.1f}" height="26" '
                    f'class="p{at}"/>'
                )
                if width > 24:
                    middle = x + width / 2 - 0.75
                    drawn.append(
                        f'<text x="{middle:.1f}" y="{y + 17.5:.1f}" class="in">{count:,}</text>'
                    )
            before += count
        total = f'<text x="{WIDTH - RIGHT + 14}" y="{y + 17.5:.1f}" class="value">{sum(counts):,}'
        drawn.append(f"{total}</text>")
        y += 36
    return _figure(found.title, legend(found.parts, text=text, kind="p"), "".join(drawn), y, text)


def _figure(title: str, keys: str, drawn: str, height: float, text: Text) -> str:
    return (
        f'<figure><figcaption>{text(title)}</figcaption>{keys}<svg viewBox="0 0 {WIDTH} '
        f'{height:.0f}" role="img" aria-label="{text(title)}">{drawn}</svg></figure>'
    )
