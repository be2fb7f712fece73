"""The Agreement page: may the judge be trusted, and where does it err?"""

from __future__ import annotations

import streamlit as st

from labeler.app import charts, on_demand, state, widgets
from labeler.app.screens import cases
from labeler.model import GRADES
from labeler.reports import agreement as reports
from labeler.reports import render
from labeler.stats.evidence import THRESHOLD
from labeler.store import people, spotchecks, verdicts
from labeler.store.comparison import READINGS, Selection


def show() -> None:
    """Lay the page out."""
    st.title("Agreement")
    store = state.store()
    if not verdicts.judges(store, answers=None):
        st.info("No judge has graded anything yet: import verdicts on the Data page.")
        return
    with widgets.problems():
        selection, threshold = _choose()
        key = ("agreement", selection, threshold)
        report = on_demand.compared(
            key,
            "the agreement on every pair",
            lambda: reports.build(store, selection, threshold=threshold),
            spotcheck=selection.spotcheck,
        )
        if report is None:
            return
        widgets.decision(report)
        _why(report)
        _figures(report)
        picked = _matrix(report)
        _slices(report)
        cases.show(selection, cell=picked)


def _choose() -> tuple[Selection, float]:
    """What is compared with what; everything has a sensible default."""
    store = state.store()
    left, middle, right, last = st.columns([2, 3, 2, 2])
    checks = [check.name for check in spotchecks.history(store)]
    every = "Every labelled pair"
    wanted = state.asked("spotcheck")
    options = [*checks, every]
    at = options.index(wanted) if wanted in options else 0
    check = left.selectbox("Pairs", options, index=at, format_func=str)
    chosen = None if check == every else check
    judges = [*verdicts.judges(store), *verdicts.judges(store, answers=True)]
    default = reports.choose(store, spotcheck=chosen) if chosen else Selection(*judges[0][:3])
    key = (default.judge, default.rubric, default.model)
    first = next(n for n, of in enumerate(judges) if of[:3] == key)
    judge = middle.selectbox(
        "Judge", judges, index=first, format_func=lambda known: render.judge_name(*known[:3])
    )
    names = ["Everyone", *(person.name for person in people.everyone(store))]
    who = right.selectbox("Labels of", names)
    threshold = THRESHOLD
    annotator = None if who == "Everyone" else who
    labels = last.selectbox("Grades", list(READINGS), format_func=lambda one: render.LABELS[one])
    of = Selection(*judge[:3], chosen, annotator, labels, answers=judge.answers)
    return of, threshold


def _why(report: reports.Report) -> None:
    with st.expander("Why"):
        for reason in report.gate.reasons:
            st.text(reason)
        for outlook in report.gate.outlooks:
            st.text(
                f"With {outlook.disagreements} further disagreements, {outlook.labels} more labels "
                "are needed to trust it."
            )
    left_out = render.missing(report.missing)
    if left_out:
        st.text(f"Not compared: {left_out}.")


def _figures(report: reports.Report) -> None:
    measured, planned = report.agreement, report.gate.planned
    rate = measured.weighted_disagreement or measured.disagreement
    how = "Reweighted for how the pairs were drawn." if report.weighted else None
    found, right = measured.yes_recall, measured.yes_precision
    widgets.figures(
        [
            widgets.Figure("Disagreement", *render.split(rate, share=True), how),
            widgets.Figure(
                "Compared pairs",
                f"{measured.n:,}" + (f" of {planned:,}" if planned else ""),
                f"{measured.disagreements:,} disagree",
            ),
            widgets.Figure(
                "Kappa", *render.split(measured.kappa), "Agreement beyond chance: 1 is perfect."
            ),
            widgets.Figure(
                "YES found", *render.split(found, share=True), "Of people's YES, those it finds."
            ),
            widgets.Figure(
                "YES right", *render.split(right, share=True), "Of its YES, those people confirm."
            ),
        ]
    )


def _matrix(report: reports.Report) -> tuple[int, int] | None:
    """The confusion matrix and the coefficients; the cell that was clicked."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("People against judge")
        event = st.altair_chart(
            charts.confusion(report.agreement.counts.tolist(), dark=state.dark()),
            on_select="rerun",
            key="confusion",
            alt="The counts of pairs by people's grade and the judge's",
        )
    with right:
        st.subheader("In numbers")
        st.dataframe(
            [{"number": name, "value": value} for name, value in render.coefficients(report)],
            hide_index=True,
            width="stretch",
            height="content",
        )
    points = event["selection"].get(charts.CELL) or []
    if not points:
        return None
    grades = list(GRADES)
    return grades.index(points[0]["people"]), grades.index(points[0]["judge"])


def _slices(report: reports.Report) -> None:
    st.subheader("Where it errs")
    names = list(dict.fromkeys(part.name for part in report.slices))
    if not names:
        st.text("Nothing has been compared yet.")
        return
    for name, tab in zip(names, st.tabs([f"By {name}" for name in names]), strict=True):
        parts = [part for part in report.slices if part.name == name]
        with tab:
            st.altair_chart(charts.slices(parts, threshold=report.gate.threshold))
            st.dataframe(
                [
                    {
                        name: part.value or "(none)",
                        "pairs": part.n,
                        "disagree": part.disagreements,
                        "disagreement": render.share(part.disagreement),
                        "reading": part.reading,
                    }
                    for part in parts
                ],
                hide_index=True,
                width="stretch",
            )
