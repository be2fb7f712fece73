"""The part of the Retrieval and Compare pages that corrects numbers for a judge's errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from labeler.app import on_demand, state, ways, widgets
from labeler.app import retrieval_charts as charts
from labeler.app.screens import measuring, next_labels
from labeler.errors import LabelerError
from labeler.reports import corrected as reports
from labeler.reports import corrected_text as text
from labeler.reports import render
from labeler.reports.corrected import Report
from labeler.stats.correction import Corrected
from labeler.stats.measures import Reading
from labeler.store import verdicts


def show(
    systems: Sequence[str],
    *,
    golden: str,
    reading: Reading,
    after: AbstractContextManager[object] | None = None,
) -> bool:
    """Lay the part out, for one system or several, and what to label next in `after`, or below it.
    False where there are no such numbers, which is said."""
    st.subheader("Corrected for the judge's errors")
    judges = {render.judge_name(*one[:3]): one for one in verdicts.judges(state.store())}
    if not judges:
        st.text("No judge has judged anything yet: the Judge page lets one.")
        return False
    name = st.selectbox("Judge", list(judges), format_func=str)
    judge = judges[name]
    try:
        report = on_demand.made(
            ("corrected", tuple(systems), golden, reading, name),
            "the corrected numbers",
            lambda: reports.build(
                state.store(),
                systems,
                judge=judge.judge,
                rubric=judge.rubric,
                model=judge.model,
                golden=golden,
                reading=reading,
            ),
        )
    except LabelerError as lack:
        st.text(f"{ways.told(lack)}.")
        return False
    if report is None:
        return False
    st.text(text.scope(report))
    for warning in report.warnings:
        st.text(f"{warning[0].upper()}{warning[1:]}.")
    for system, measures in report.runs.items():
        _ways(system if len(report.runs) > 1 else "", report.lead, measures)
    for each in report.differences:
        _ways(f"{each.second} minus {each.first}", report.lead, each.measures, sign=True)
    measuring.table(*text.errors(report.errors))
    _imagined(report)
    measuring.download("corrected.json", lambda: reports.as_json(report))
    with after or nullcontext():
        next_labels.show(
            state.store(),
            list(report.runs),
            measures=report.measures,
            judged=report.partly.judged,
            golden=golden,
            reading=reading,
        )
    return True


def _ways(title: str, lead: str, measures: Mapping[str, Corrected], *, sign: bool = False) -> None:
    """The three numbers of each measure, drawn and written, and which of them to quote."""
    said = reports.statement(lead, measures[lead], sign=sign)
    st.text(f"{title}: {said}." if title else f"{said}.")
    measuring.table(*text.ways(measures, sign=sign))
    st.altair_chart(charts.ways(measures, sign=sign))
    with st.expander(widgets.plain(f"Which to quote, and why: {title or 'each measure'}")):
        for line in text.why(measures, sign=sign):
            st.text(line)


def _imagined(report: Report) -> None:
    st.subheader("What a judge's errors would do")
    systems = list(report.imagined)
    system = st.selectbox("Run", systems, format_func=str) if len(systems) > 1 else systems[0]
    found = report.imagined[system]
    if not found.measures:
        st.text("The run was asked for too few passages for any measure.")
        return
    measure = st.selectbox("What it does to", list(found.measures))
    said = text.imagined_of(found)
    st.text(f"{said[0].upper()}{said[1:]}.")
    left, right = st.columns([3, 2], gap="large")
    left.altair_chart(charts.imagined(found, measure))
    with right:
        measuring.table(*text.imagined(found.measures[measure]))
