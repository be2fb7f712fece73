"""The list of cases below the Agreement page: what was asked, read, and said of it."""

from __future__ import annotations

import streamlit as st

from labeler.app import on_demand, state, widgets
from labeler.model import GRADES
from labeler.reports import agreement as reports
from labeler.reports import reading_cases, render, workshop
from labeler.stats.parts import Part
from labeler.store import labels
from labeler.store.comparison import Disagreement, Selection

SHOWN = 200
"""Cases listed at once; the export has them all."""


HINT = (
    "They say whether a mended rubric is better than the one before: what you have read of them "
    "cannot. That you looked is recorded, and counts among the looks at these pairs."
)


def show(selection: Selection, *, cell: tuple[int, int] | None) -> None:
    """The disagreements, or the cases of the clicked cell, and the one that is opened. The held-out
    ones are in the numbers, and in the list once somebody asks for them."""
    found = _made(selection, cell, workshop.default_part(state.store(), selection))
    if found is None:
        return
    listed, total, held = found
    if cell is None:
        st.subheader(f"Disagreements ({total + held:,})")
    else:
        human, judge = (GRADES[place] for place in cell)
        st.subheader(f"People {human}, judge {judge} ({total + held:,})")
    if held and st.toggle(f"Show the held-out ones too ({held:,})", help=HINT):
        every = _made(selection, cell, Part.ALL)
        if every is None:
            return
        listed, total, held = every
        _note_look(selection, listed)
    elif held:
        st.text(f"{total:,} to tune on; the others are held out and are not shown.")
    if not listed:
        st.text("None.")
        return
    event = st.dataframe(
        [
            {
                "people": case.human,
                "judge": case.judge,
                "query": render.short(case.query or case.query_id, width=90),
                "passage": render.short(case.passage or case.passage_id, width=120),
                "judge's reason": render.short(case.reason, width=120) if case.reason else "",
                "note": render.short(case.note, width=80) if case.note else "",
            }
            for case in listed
        ],
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        key=f"cases {selection} {cell} {len(listed)}",
    )
    if total > len(listed):
        st.text(f"The first {SHOWN:,} of {total:,}; a cell of the table above lists its own.")
    _note_view(listed)
    chosen = event["selection"]["rows"]
    if chosen and chosen[0] < len(listed):
        _open(listed[chosen[0]])
    else:
        st.text("Select a row to read it whole.")


def _made(selection: Selection, cell: tuple[int, int] | None, part: Part) -> reports.Cases | None:
    store = state.store()
    return on_demand.compared(
        ("cases", selection, cell, part),
        "the list of cases",
        lambda: reports.first_cases(store, selection, cell=cell, limit=SHOWN, part=part),
        spotcheck=selection.spotcheck,
        unasked=True,
    )


def _note_look(selection: Selection, listed: list[Disagreement]) -> None:
    """Whoever reads held-out cases spends them: the look is counted."""
    person = state.person()
    name = person.name if person else ""
    pairs = tuple((case.query_id, case.passage_id) for case in listed)
    state.once_a_session(
        ("look", name, selection, pairs),
        lambda: reading_cases.note(state.store(), selection, listed, person=name),
    )


def _note_view(listed: list[Disagreement]) -> None:
    """Whoever has seen a verdict no longer labels that pair blind: the store must know."""
    person = state.person()
    pairs = [(case.query_id, case.passage_id) for case in listed]
    if person:
        state.once_a_session(
            ("seen", person.name, tuple(pairs)),
            lambda: labels.note_view(state.store(), pairs, person=person.name),
        )


def _open(case: Disagreement) -> None:
    """One case whole."""
    with st.container(border=True):
        st.text(f"Query {case.query_id}" + (f", {case.kind}" if case.kind else ""))
        widgets.passage(case.query)
        st.text(f"Passage {case.passage_id}" + (f", {case.source}" if case.source else ""))
        widgets.passage(case.passage)
        people, judge = st.columns(2)
        with people:
            st.text(f"People: {case.human}" + (" (adjudicated)" if case.adjudicated else ""))
            st.text(case.annotators)
            if case.note:
                widgets.passage(case.note)
        with judge:
            st.text(f"Judge: {case.judge}")
            if case.reason:
                widgets.passage(case.reason)
