"""Charts. Each takes numbers that stand beside it and draws nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import altair as alt
import pandas as pd

from labeler.model import GRADES
from labeler.stats.comparison import Slice

BLUE = "#3f7fbf"
GREEN = "#2f9e6e"
AMBER = "#d9822b"
"""Colours that stand out on light and dark alike."""

CELL = "cell"
"""The name of the selection in `confusion`."""


def confusion(counts: Sequence[Sequence[int]], *, dark: bool) -> alt.LayerChart:
    """The confusion matrix, rows people, columns judge; a click selects a cell."""
    rows = [
        {"people": human, "judge": judge, "pairs": counts[i][j], "agree": i == j}
        for i, human in enumerate(GRADES)
        for j, judge in enumerate(GRADES)
    ]
    picked = alt.selection_point(name=CELL, fields=["people", "judge"])
    order = list(GRADES)
    base = alt.Chart(pd.DataFrame(rows)).encode(
        x=alt.X("judge:N", sort=order, title="Judge", axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("people:N", sort=order, title="People"),
    )
    cells = base.mark_rect(cornerRadius=4, cursor="pointer").encode(
        color=alt.condition("datum.agree", alt.value(GREEN), alt.value(AMBER)),
        fillOpacity=alt.FillOpacity(
            "pairs:Q", scale=alt.Scale(range=[0.08, 0.85], zero=True), legend=None
        ),
        strokeWidth=alt.condition(picked, alt.value(2), alt.value(0), empty=False),
        stroke=alt.value("#888"),
        tooltip=["people", "judge", "pairs"],
    )
    numbers = base.mark_text(
        fontSize=18, fontWeight=600, color="#f4f4f4" if dark else "#1d2321"
    ).encode(text="pairs:Q")
    return cast(alt.LayerChart, alt.layer(cells.add_params(picked), numbers).properties(height=260))


def slices(parts: Sequence[Slice], *, threshold: float) -> alt.LayerChart:
    """Each slice's disagreement with its interval, beside the threshold."""
    rows = [
        {
            "slice": part.value or "(none)",
            "disagreement": part.disagreement.value,
            "lo": part.disagreement.interval.lo,
            "hi": part.disagreement.interval.hi,
            "n": part.n,
            "small": part.reading == "too few",
        }
        for part in parts
        if part.disagreement.value is not None and part.disagreement.interval is not None
    ]
    base = alt.Chart(pd.DataFrame(rows)).encode(
        y=alt.Y("slice:N", sort=None, title=None),
        opacity=alt.condition("datum.small", alt.value(0.4), alt.value(1)),
    )
    axis = alt.Axis(format="%", tickCount=10)
    bars = base.mark_rule(strokeWidth=3, color=BLUE).encode(
        x=alt.X("lo:Q", scale=alt.Scale(domain=[0, 1]), axis=axis, title="Disagreement"), x2="hi:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
        x="disagreement:Q",
        tooltip=["slice", "n", alt.Tooltip("disagreement:Q", format=".1%")],
    )
    limit = (
        alt.Chart(pd.DataFrame([{"limit": threshold}]))
        .mark_rule(strokeDash=[4, 4], color=AMBER)
        .encode(x="limit:Q")
    )
    height = max(80, 34 * len(rows) + 40)
    return cast(alt.LayerChart, alt.layer(bars, points, limit).properties(height=height))
