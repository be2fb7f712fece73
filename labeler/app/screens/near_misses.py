"""Near misses on the Golden sets page: what the runs find and a set lacks, before and after."""

from __future__ import annotations

import streamlit as st

from labeler import nearing
from labeler.app import on_demand, state, widgets
from labeler.app.screens import measuring
from labeler.reports import near_misses as reports
from labeler.reports import near_misses_text as text
from labeler.reports import render
from labeler.reports.near_misses import Report
from labeler.store import goldens, labels, runs, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store

HINT = "Whoever sees a verdict on a pair labels that pair blind no more: the list skips them."


def show(store: Store, person: str) -> None:
    """Choose a set, a depth and a judge; see what it lacks, and give that to people."""
    versions = [golden.ref for golden in reversed(goldens.history(store))]
    if not versions or not runs.systems(store):
        st.text("It takes a golden set and a run to find what the set lacks.")
        return
    left, middle, right = st.columns([2, 1, 2])
    golden = left.selectbox("In golden set", versions)
    depth = middle.number_input("To rank", min_value=1, max_value=1_000, value=20)
    judge = right.selectbox(
        "Proposed by judge",
        verdicts.judges(store),
        format_func=lambda one: render.judge_name(*one[:3]),
    )
    judged = judge and Selection(*judge[:3])
    report = on_demand.made(
        ("near misses", golden, depth, judged),
        f"the near misses of {golden}",
        lambda: reports.build(store, golden, depth=depth, judged=judged),
    )
    if report is None:
        return
    for said in text.readings(report):
        st.text(said)
    names = [widgets.plain(one.system) for one in report.moved]
    for one, tab in zip(report.moved, st.tabs(names) if names else (), strict=True):
        with tab:
            measuring.table(text.HEADER, text.measured(one))
    if report.by_people:
        st.text(f"Labelled by people, for the next version ({len(report.by_people):,})")
        measuring.table(text.PROPOSED, text.proposed(report.by_people))
    if report.by_judge:
        _proposed(store, report, person)
    measuring.download("near-misses.json", lambda: reports.as_json(report))


def _proposed(store: Store, report: Report, person: str) -> None:
    """What the judge proposes: shown to whoever wants to see it, and given to people."""
    many = len(report.by_judge)
    if st.toggle(f"Show what the judge proposes ({many:,})", help=HINT):
        pairs = [one.key for one in report.by_judge]
        state.once_a_session(
            ("seen", person, tuple(pairs)), lambda: labels.note_view(store, pairs, person=person)
        )
        measuring.table(text.PROPOSED, text.proposed(report.by_judge))
    with st.form("near misses", border=False):
        hint = "Annotators see the name: it should not tell them what to expect."
        name = st.text_input("Name of the list", max_chars=80, help=hint)
        if st.form_submit_button("Give them to people"):
            nearing.queue(store, report, name.strip(), person=person)
            state.flash(f"{many:,} pairs wait in {name.strip()} on the Label page.")
            st.rerun()
