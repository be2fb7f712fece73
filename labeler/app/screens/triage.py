"""The Triage page: did the right passage never reach the context, or was it there?"""

from __future__ import annotations

import streamlit as st

from labeler.app import on_demand, state, widgets
from labeler.app.screens import measuring
from labeler.reports import render
from labeler.reports import retrieval_text as text
from labeler.reports import triage as reports
from labeler.reports.triage import PRODUCTION, Case, Report


def show() -> None:
    """Lay the page out."""
    st.title("Triage")
    systems = measuring.systems()
    if not systems:
        st.info("No run is there yet: import one on the Data page.")
        return
    with widgets.problems():
        first, second, third, fourth = st.columns([2, 2, 1, 1])
        chosen = first.selectbox("System", [*systems, PRODUCTION], format_func=str)
        system = None if chosen == PRODUCTION else chosen
        golden, reading = measuring.golden(second), measuring.reading(third)
        k = int(fourth.number_input("Context", 1, 1000, reports.K, help="Passages in the context."))
        report = on_demand.made(
            ("triage", system, golden, reading, k),
            f"the triage of {chosen}",
            lambda: reports.build(
                state.store(), system=system, golden=golden, reading=reading, k=k
            ),
        )
        if report is not None:
            _list(report)


def _list(report: Report) -> None:
    st.text(text.stages(report))
    every = st.toggle("Also queries without a failure")
    cases = report.cases if every else report.failures
    if not cases:
        st.text("No failure.")
        return
    event = st.dataframe(
        [_row(case) for case in cases],
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        key=f"triage {report.system} {report.k} {every}",
    )
    left, right = st.columns(2)
    with left:
        measuring.download("triage.json", lambda: reports.as_json(report))
    right.download_button(
        "Download tickets.md",
        lambda: "\n".join(case.ticket for case in cases),
        file_name="tickets.md",
    )
    rows = event["selection"]["rows"]
    at = rows[0] if rows and rows[0] < len(cases) else 0
    st.subheader("For a ticket")
    st.code(cases[at].ticket, language=None, wrap_lines=True)


def _row(case: Case) -> dict[str, str]:
    return {
        "query": case.query.query_id,
        "text": render.short(case.query.text),
        "kind": case.query.kind,
        "stage": str(case.triage.stage),
        "reason": case.triage.reason,
        "next step": case.triage.next_step,
        "reported": "in production" if case.reported else "",
    }
