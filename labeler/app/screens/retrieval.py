"""The Retrieval page: what a system finds, what it misses, and how that went over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from labeler import bm25
from labeler.app import on_demand, state, widgets
from labeler.app import retrieval_charts as charts
from labeler.app.screens import corrected, dossiers, evaluations, measuring
from labeler.reports import render, summaries
from labeler.reports import retrieval as reports
from labeler.reports import retrieval_text as text
from labeler.reports.measuring import Bin, bins
from labeler.reports.retrieval import Report
from labeler.stats.measures import Reading
from labeler.stats.misses import ADVICE

ALONE = f"No {bm25.SYSTEM} beside it in a large store: choose it as the system to measure it."
LEAD = ("R@5", "R@20", "nDCG@10", "RR@10", "Judged@5")


class _Made(NamedTuple):
    report: Report
    bins: Sequence[Bin]


def _made(system: str, *, golden: str, reading: Reading) -> _Made:
    """The report, and what is drawn of it that reads every result."""
    report = reports.build(
        state.store(), system, golden=golden, reading=reading, baseline=not on_demand.large()
    )
    return _Made(report, bins(report.basis, report.ranked, reading=reading))


def show() -> None:
    """Lay the page out."""
    st.title("Retrieval")
    widgets.flash()
    systems = measuring.systems()
    if not systems:
        st.info("No run is there yet: import one on the Data page.")
        return
    with widgets.problems():
        left, middle, right = st.columns([2, 2, 1])
        system = left.selectbox("System", [*systems, bm25.SYSTEM], format_func=str)
        golden, reading = measuring.golden(middle), measuring.reading(right)
        made = on_demand.made(
            ("retrieval", system, golden, reading),
            f"the report on {system}",
            lambda: _made(system, golden=golden, reading=reading),
        )
        if made is None:
            return
        report = made.report
        if on_demand.large() and system != bm25.SYSTEM:
            st.text(ALONE)
        # In tabs, what comes last is as near by keyboard as what comes first.
        measures, parts, missed, scores, mended, following, before = st.tabs(
            ["Measures", "By part", "Missed", "Scores", "Corrected", "Label next", "Over time"]
        )
        with measures:
            _figures(report)
        with parts:
            _slices(report)
        with missed:
            _missed(report)
        with scores:
            _scores(report, made.bins)
        with mended:
            there = corrected.show([system], golden=golden, reading=reading, after=following)
        if not there:
            following.text("It follows from the corrected numbers: see there what is missing.")
        with before:
            evaluations.show(report)


def _figures(report: Report) -> None:
    st.text(f"{text.scope(report)}.")
    st.text(report.reach.reading)
    for what, found in (
        ("unauthorised", report.evaluation.unauthorised),
        ("out-of-date", report.evaluation.out_of_date),
    ):
        if found:
            many = sum(map(len, found.values()))
            st.error(f"{many:,} {what} passages came back, for {len(found):,} queries: must be 0")
    for warning in report.evaluation.warnings:
        st.text(f"{warning}.")
    widgets.figures([widgets.Figure(name, *render.split(report.means[name])) for name in LEAD])
    left, right = st.columns([2, 3], gap="large")
    left.altair_chart(charts.intervals(report.means))
    with right:
        measuring.table(*text.measures(report))
    st.subheader("Counted apart")
    measuring.table(("what", "found"), text.apart(report))
    measuring.download("retrieval.json", lambda: reports.as_json(report))
    st.download_button(
        "Download retrieval.md", summaries.markdown(report, []), file_name="retrieval.md"
    )
    dossiers.show(report)


def _slices(report: Report) -> None:
    st.subheader("By part")
    names = list(dict.fromkeys(part.name for part in report.evaluation.slices))
    if not names:
        st.text("The queries have no kind, origin, scope or split.")
        return
    measure = st.selectbox("Measure", list(report.means))
    for name, tab in zip(names, st.tabs([f"By {name}" for name in names]), strict=True):
        parts = [part for part in report.evaluation.slices if part.name == name]
        with tab:
            small = [part.value for part in parts if part.small]
            st.altair_chart(
                charts.intervals({part.value: part.means[measure] for part in parts}, small=small)
            )
            rows = [
                [part.value, f"{part.queries:,}", f"{part.needs:,}", text.number(found)]
                for part in parts
                for found in [part.means[measure]]
            ]
            measuring.table((name, "queries", "needs", measure), rows)
    st.text("Grey: fewer than 10 needs, too few to read.")


def _missed(report: Report) -> None:
    st.subheader(f"Nothing relevant in the top {report.near} ({len(report.missed):,})")
    rows = [
        [query.query_id, render.short(query.text), query.kind, str(cluster), ADVICE[cluster]]
        for query, cluster in report.missed
    ]
    measuring.table(("query", "text", "kind", "cluster", "what to try"), rows)


def _scores(report: Report, found: Sequence[Bin]) -> None:
    st.subheader("Scores of right and wrong results")
    st.text(text.cut(report))
    if not found:
        return
    best = report.threshold.best
    left, right = st.columns([3, 2], gap="large")
    left.altair_chart(charts.scores(found, cut=best.score if best else None))
    with right:
        rows = [[f"{b.lo:.4g} to {b.hi:.4g}", f"{b.right:,}", f"{b.wrong:,}"] for b in found]
        measuring.table(("score", "right", "wrong"), rows)
