"""Charts of the retrieval pages. Each takes numbers that stand beside it and draws nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import altair as alt
import pandas as pd

from labeler.app.charts import AMBER, BLUE, GREEN
from labeler.reports.corrected_text import WAYS
from labeler.reports.history import History
from labeler.reports.measuring import Bin
from labeler.reports.misjudged import Imagined
from labeler.reports.variants import Report
from labeler.stats.correction import Corrected
from labeler.stats.intervals import Estimate

SHARE = alt.Scale(domain=[0, 1])

SYSTEMS = alt.Color(
    "system:N",
    scale=alt.Scale(range=[BLUE, AMBER, GREEN, "#a05fb5", "#c2504a", "#7a7a7a", "#2aa5b8"]),
)
"""Systems in the order of their names, in colours that stand out on light and dark alike."""


def intervals(found: Mapping[str, Estimate], *, small: Sequence[str] = ()) -> alt.LayerChart:
    """Each number with its interval, by name; those in `small` are greyed."""
    rows = [
        {
            "name": name,
            "value": each.value,
            "lo": each.interval.lo if each.interval else each.value,
            "hi": each.interval.hi if each.interval else each.value,
            "small": name in small,
        }
        for name, each in found.items()
        if each.value is not None
    ]
    columns = ["name", "value", "lo", "hi", "small"]
    base = alt.Chart(pd.DataFrame(rows, columns=columns)).encode(
        y=alt.Y("name:N", sort=None, title=None),
        opacity=alt.condition("datum.small", alt.value(0.35), alt.value(1)),
    )
    bars = base.mark_rule(strokeWidth=3, color=BLUE).encode(
        x=alt.X("lo:Q", scale=SHARE, title=None), x2="hi:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
        x="value:Q", tooltip=["name:N", alt.Tooltip("value:Q", format=".3f")]
    )
    return cast(alt.LayerChart, alt.layer(bars, points).properties(height=28 * len(rows) + 40))


def ways(found: Mapping[str, Corrected], *, sign: bool = False) -> alt.LayerChart:
    """Each measure by the judge, by people, and corrected, with intervals; a difference between
    two variants has a `sign`, and a line at 0."""
    rows = [
        {
            "measure": name,
            "way": way,
            "value": each.value,
            "lo": each.interval.lo if each.interval else each.value,
            "hi": each.interval.hi if each.interval else each.value,
        }
        for name, of in found.items()
        for way, each in zip(WAYS, (of.judge_only, of.people_only, of.corrected), strict=True)
        if each.value is not None
    ]
    base = alt.Chart(pd.DataFrame(rows, columns=["measure", "way", "value", "lo", "hi"])).encode(
        y=alt.Y("measure:N", sort=None, title=None),
        yOffset=alt.YOffset("way:N", sort=list(WAYS)),
        color=alt.Color(
            "way:N",
            scale=alt.Scale(domain=list(WAYS), range=[AMBER, GREEN, BLUE]),
            legend=alt.Legend(orient="top", title=None),
        ),
    )
    scale = alt.Scale() if sign else SHARE
    bars = base.mark_rule(strokeWidth=3).encode(x=alt.X("lo:Q", scale=scale, title=None), x2="hi:Q")
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="value:Q", tooltip=["measure:N", "way:N", alt.Tooltip("value:Q", format=".3f")]
    )
    layers: list[alt.Chart] = [bars, points]
    if sign:
        none = alt.Chart(pd.DataFrame([{"none": 0}]))
        layers.append(none.mark_rule(strokeDash=[4, 4]).encode(x="none:Q"))
    return cast(alt.LayerChart, alt.layer(*layers).properties(height=48 * len(found) + 60))


def imagined(found: Imagined, measure: str) -> alt.LayerChart:
    """A measure as judges of these rates would print it: a line a sensitivity over specificity,
    what it truly is (dashed), and this judge (a point)."""
    of = found.measures[measure]
    own = found.own is not None
    rows = [each._asdict() for each in (of[:-1] if own else of) if each.seen is not None]
    frame = pd.DataFrame(rows, columns=["sensitivity", "specificity", "true", "seen"])
    lines = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("specificity:Q", scale=alt.Scale(zero=False), title="Specificity"),
            y=alt.Y("seen:Q", scale=SHARE, title=measure),
            color=alt.Color("sensitivity:O", title="Sensitivity"),
            tooltip=[
                "sensitivity:Q",
                "specificity:Q",
                alt.Tooltip("seen:Q", format=".3f"),
            ],
        )
    )
    layers = [lines]
    if of[0].true is not None:
        true = alt.Chart(pd.DataFrame([{"true": of[0].true}]))
        layers.append(true.mark_rule(strokeDash=[4, 4], color=GREEN).encode(y="true:Q"))
    if own and of[-1].seen is not None:
        here = alt.Chart(pd.DataFrame([of[-1]._asdict()]))
        layers.append(
            here.mark_point(filled=True, size=160, color=AMBER, opacity=1).encode(
                x="specificity:Q",
                y="seen:Q",
                tooltip=[
                    "sensitivity:Q",
                    "specificity:Q",
                    alt.Tooltip("seen:Q", format=".3f"),
                ],
            )
        )
    return cast(alt.LayerChart, alt.layer(*layers).properties(height=320))


def scores(bins: Sequence[Bin], *, cut: float | None) -> alt.LayerChart:
    """The scores of right and wrong results, as shares of each, and the cut where one is best."""
    right, wrong = (sum(each) for each in zip(*((b.right, b.wrong) for b in bins), strict=True))
    rows = [
        {"lo": each.lo, "hi": each.hi, "results": name, "share": count / total, "count": count}
        for each in bins
        for name, count, total in (("right", each.right, right), ("wrong", each.wrong, wrong))
        if total
    ]
    bars = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar(opacity=0.55)
        .encode(
            x=alt.X("lo:Q", bin="binned", title="Score"),
            x2="hi:Q",
            y=alt.Y("share:Q", stack=None, axis=alt.Axis(format="%"), title="Share of each"),
            color=alt.Color(
                "results:N", scale=alt.Scale(domain=["right", "wrong"], range=[GREEN, AMBER])
            ),
            tooltip=["results:N", "count:Q", "lo:Q", "hi:Q"],
        )
    )
    layers = [bars]
    if cut is not None:
        at = alt.Chart(pd.DataFrame([{"cut": cut}]))
        layers.append(at.mark_rule(strokeDash=[4, 4], color=BLUE).encode(x="cut:Q"))
    return cast(alt.LayerChart, alt.layer(*layers).properties(height=220))


def costs(report: Report) -> alt.LayerChart:
    """Tokens delivered against recall: cut at equal tokens (lines) and at equal k (points)."""
    rows = [
        {
            "system": name,
            "cut": f"{point.limit:,} {unit}",
            "unit": unit,
            "tokens": point.tokens.value,
            "recall": point.recall.value,
        }
        for name, each in report.variants.items()
        for unit, points in (("tokens", each.at_tokens), ("passages", each.at_cutoffs))
        for point in points
        if point.recall.value is not None
    ]
    columns = ["system", "cut", "unit", "tokens", "recall"]
    base = alt.Chart(pd.DataFrame(rows, columns=columns)).encode(
        x=alt.X("tokens:Q", title="Tokens delivered, mean of a query"),
        y=alt.Y("recall:Q", scale=SHARE, title="Recall"),
        color=SYSTEMS,
        tooltip=["system:N", "cut:N", alt.Tooltip("recall:Q", format=".3f"), "tokens:Q"],
    )
    lines = base.transform_filter("datum.unit == 'tokens'").mark_line(point=False)
    points = base.transform_filter("datum.unit == 'passages'").mark_point(filled=True, size=70)
    return cast(alt.LayerChart, alt.layer(lines, points).properties(height=320))


def over_time(history: History, measure: str) -> alt.LayerChart:
    """A measure of every stored evaluation, with marks where corpus, golden set or rubric changed
    since."""
    rows = [
        {"at": each.evaluated_at, "system": each.system, "value": each.measures[measure]}
        for each in history.evaluations
        if each.measures.get(measure) is not None
    ]
    lines = (
        alt.Chart(pd.DataFrame(rows, columns=["at", "system", "value"]))
        .mark_line(point=True)
        .encode(
            x=alt.X("at:T", title=None, axis=alt.Axis(format="%Y-%m-%d %H:%M", tickCount=5)),
            y=alt.Y("value:Q", scale=SHARE, title=measure),
            color=SYSTEMS,
            tooltip=["system:N", "at:T", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    changed = [{"at": mark.at, "change": f"{mark.kind} {mark.ref}"} for mark in history.marks]
    marks = (
        alt.Chart(pd.DataFrame(changed, columns=["at", "change"]))
        .mark_rule(strokeDash=[4, 4], color=AMBER)
        .encode(x="at:T", tooltip=["change:N", "at:T"])
    )
    return cast(alt.LayerChart, alt.layer(lines, marks).properties(height=240))
