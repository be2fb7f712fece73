"""The evaluations below the Retrieval page: what was measured when, and what changed meanwhile."""

from __future__ import annotations

import streamlit as st

from labeler.app import retrieval_charts as charts
from labeler.app import state
from labeler.app.screens import measuring
from labeler.reports import history
from labeler.reports import retrieval_text as text
from labeler.reports.retrieval import Report


def show(report: Report) -> None:
    """Keep the report that is shown, and see those that were kept."""
    st.subheader("Over time")
    person = state.person()
    hint = "With the versions of golden set, corpus and program, for the plot below."
    if st.button("Keep this evaluation", disabled=person is None, help=hint) and person:
        kept = history.keep(state.store(), report, person=person.name)
        state.flash(f"The evaluation of {kept.system} is kept.")
        st.rerun()
    found = state.unchanged("evaluations", lambda: history.build(state.store()))
    if not found.evaluations:
        st.text("No evaluation has been kept: `labeler evaluate` keeps every one.")
        return
    names = list(dict.fromkeys(name for each in found.evaluations for name in each.measures))
    measure = st.selectbox("Measure over time", names)
    st.altair_chart(charts.over_time(found, measure))
    measuring.table(text.HISTORY, list(text.over_time(found, measure)))
