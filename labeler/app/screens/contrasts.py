"""Two judges side by side: tuned on one part of the pairs, confirmed on the other, once."""

from __future__ import annotations

import streamlit as st

from labeler import drawing
from labeler.app import on_demand, state, widgets
from labeler.reports import render, workshop, workshop_lines
from labeler.reports.workshop import Workshop
from labeler.store import labels, looks, queries, spotchecks, texts, verdicts
from labeler.store.comparison import Selection
from labeler.store.contrasts import Beside
from labeler.store.db import Store

SHOWN = 200
"""Pairs listed at once; `labeler rubric compare --json` has them all."""


def show(store: Store, person: str) -> None:
    """Choose two and a spot check, and see what became of each pair."""
    st.subheader("3. Compare")
    chosen = _choose(store)
    if chosen is None:
        return
    first, second = chosen
    made = state.unchanged(
        ("workshop", first, second),
        lambda: workshop.build(store, first, second),
        reads=on_demand.COMPARED,
    )
    box = st.success if made.better == "second" else st.info
    box(widgets.plain(workshop_lines.sentence(made)))
    for reason in workshop_lines.reasons(made):
        st.text(reason)
    if made.compared.n:
        _figures(made)
        _slices(made)
        _cases(store, made, person)
    _confirm(store, made, person)


def _choose(store: Store) -> tuple[Selection, Selection] | None:
    judged = [*verdicts.judges(store), *verdicts.judges(store, answers=True)]
    checks = [check.name for check in spotchecks.history(store)]
    if len(judged) < 2 or not checks:
        st.text("Two judges or two versions must have judged the pairs of a spot check.")
        return None
    left, middle, right = st.columns(3)
    second = middle.selectbox(
        "B, the new one", judged, format_func=lambda one: render.judge_name(*one[:3])
    )
    others = [one for one in judged if one[:3] != second[:3]]
    first = left.selectbox(
        "A, the one before", others, format_func=lambda one: render.judge_name(*one[:3])
    )
    check = right.selectbox("Pairs of", checks)
    return (
        Selection(*first[:3], check, answers=first.answers),
        Selection(*second[:3], check, answers=second.answers),
    )


def _figures(made: Workshop) -> None:
    widgets.figures(
        [
            widgets.Figure("Fixed", f"{made.fixed:,}", "now right"),
            widgets.Figure("Broken", f"{made.broken:,}", "now wrong"),
            widgets.Figure("Unchanged", f"{made.unchanged:,}", f"of {made.compared.n:,}"),
            widgets.Figure("A costs", _price(made.first_price), "per 1,000"),
            widgets.Figure("B costs", _price(made.second_price), "per 1,000"),
        ]
    )


def _price(dollars: float | None) -> str:
    return render.DASH if dollars is None else f"${dollars:,.2f}"


def _slices(made: Workshop) -> None:
    with st.expander("By kind, source and verdict"):
        st.dataframe(
            [part._asdict() | {"value": part.value or "(none)"} for part in made.slices],
            hide_index=True,
            width="stretch",
        )


def _cases(store: Store, made: Workshop, person: str) -> None:
    """The pairs to tune on, broken first. Whoever sees a verdict labels that pair blind no more."""
    cases = workshop.ordered(made.cases)[:SHOWN]
    state.once_a_session(
        ("seen", person, tuple(one.pair for one in cases)),
        lambda: labels.note_view(store, [one.pair for one in cases], person=person),
    )
    asked = queries.named(store, list({one.query_id for one in cases}))
    event = st.dataframe(
        [
            {
                "became": workshop.outcome(one),
                "people": str(one.human),
                "A": str(one.first),
                "B": str(one.second),
                "query": render.short(
                    asked[one.query_id].text if one.query_id in asked else one.query_id
                ),
                "A's reason": one.first_reason,
                "B's reason": one.second_reason,
            }
            for one in cases
        ],
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        key=f"contrast {made.first} {made.second}",
    )
    rows = event["selection"]["rows"]
    if rows and rows[0] < len(cases):
        _open(store, cases[rows[0]])


def _open(store: Store, one: Beside) -> None:
    """A pair whole, with both reasons side by side."""
    with st.container(border=True):
        st.text(f"Query {one.query_id}, people say {one.human}")
        asked = queries.named(store, [one.query_id])
        widgets.passage(asked[one.query_id].text if asked else "")
        st.text(f"Passage {one.passage_id}")
        found = texts.passages(store, [one.passage_id])
        widgets.passage(found[one.passage_id].text if found else "")
        left, right = st.columns(2)
        for column, name, grade, reason in (
            (left, "A", one.first, one.first_reason),
            (right, "B", one.second, one.second_reason),
        ):
            with column:
                st.text(f"{name}: {grade}")
                widgets.passage(reason or "(no reason)")


def _confirm(store: Store, made: Workshop, person: str) -> None:
    """The looks at held-out pairs so far, one more, and fresh pairs for it."""
    st.subheader("Confirm")
    for look in looks.history(store, second=workshop_lines.name(made.second)):
        st.text(workshop_lines.looked(look))
    st.text(
        f"Labelled and judged by both: {render.counted(made.held_out, 'held-out pair')}. Each look "
        "is counted and kept."
    )
    left, right = st.columns(2)
    if left.button("Look at the held-out pairs", disabled=not made.held_out):
        told = workshop.confirm(store, made.first, made.second, person=person).look
        if told is not None:
            state.flash(workshop_lines.looked(told), good=told.reading == "confirmed")
        st.rerun()
    if right.button("Draw 30 more held-out pairs"):
        taken = {check.name for check in spotchecks.history(store)}
        name = next(n for n in (f"held-out {k}" for k in range(1, 1000)) if n not in taken)
        counts = {one[:3]: one.ok for one in verdicts.judges(store, answers=None)}
        judged = max(
            (made.second, made.first),
            key=lambda one: counts.get((one.judge, one.rubric, one.model), 0),
        )
        check = drawing.draw(store, name, judged=judged, held_out=True, person=person)
        state.flash(
            f"{check.n:,} pairs drawn into {check.name}. The Label page hands them out; let both "
            "judge them, then look."
        )
        st.rerun()
