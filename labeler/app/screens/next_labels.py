"""The part of the Retrieval and Compare pages that says what to label next, and draws it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from urllib.parse import urlencode

import streamlit as st

from labeler import planning
from labeler.app import on_demand, state, ways, widgets
from labeler.app.screens import measuring
from labeler.errors import LabelerError
from labeler.planning import Plan
from labeler.reports import plans
from labeler.stats.measures import Measure, Reading
from labeler.store import lists, tasks
from labeler.store.comparison import Selection
from labeler.store.db import Store

NAME = "Annotators see the name: it should not tell them what to expect."


def show(
    store: Store,
    systems: Sequence[str],
    *,
    measures: Sequence[Measure],
    judged: Selection,
    golden: str,
    reading: Reading,
) -> None:
    """Choose the number that matters, see what more labels do to it, and draw them."""
    st.subheader("Label these next")
    _newest(store)
    left, middle, right = st.columns([3, 2, 2])
    numbers = [(one,) for one in systems] + list(combinations(systems, 2))
    chosen: tuple[str, ...] = numbers[-1]
    if len(numbers) > 1:
        named = {" minus ".join(reversed(each)): each for each in numbers}
        chosen = named[
            left.selectbox("The number that matters", list(named), len(named) - 1, format_func=str)
        ]
    measured = middle.selectbox("Its measure", measures, format_func=str)
    many = right.number_input("Queries", min_value=1, max_value=1_000, value=planning.USUAL)
    target = None
    if len(chosen) == 1:
        target = left.number_input("Is it over", min_value=0.0, max_value=1.0, value=None)
    try:
        plan = on_demand.made(
            ("next", chosen, str(measured), judged, golden, reading, many, target),
            "the list of what to label next",
            lambda: planning.plan(
                store,
                systems=chosen,
                measured=measured,
                judged=judged,
                golden=golden,
                reading=reading,
                n=many,
                target=target,
            ),
        )
    except LabelerError as lack:
        st.text(f"{ways.told(lack)}.")
        return
    if plan is not None:
        _plan(store, plan)


def _newest(store: Store) -> None:
    """The list that was drawn last, and the way to it."""
    name = lists.newest(store)
    if name is None:
        return
    done, wanted = tasks.overall(store, name)
    st.text(f"The newest list is {name}: {done:,} of {wanted:,} labels.")
    person = state.person()
    there = {"spotcheck": name} | ({"as": person.name} if person else {})
    st.link_button("Label it", f"label?{urlencode(there)}")


def _plan(store: Store, plan: Plan) -> None:
    st.text(f"{plans.standing(plan)}.")
    if needed := plans.settled(plan):
        st.text(f"{needed}.")
    left, right = st.columns(2, gap="large")
    with left:
        measuring.table(*plans.steps(plan))
    with right:
        measuring.table(*plans.queries(plan))
    st.text(plans.how(plan))
    measuring.download("next.json", lambda: plans.as_json(plan))
    person = state.person()
    if person is None:
        return
    with st.form("next labels", border=False):
        name = st.text_input("Name of the list", max_chars=80, help=NAME)
        if st.form_submit_button("Draw the list"):
            with widgets.problems():
                drawn = planning.draw(store, name, plan, person=person.name)
                state.flash(f"{plans.said(plan)}: they wait in {drawn.name} on the Label page.")
                st.rerun()
