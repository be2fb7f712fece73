"""The Home page: how far the project is, and what comes next."""

from __future__ import annotations

import streamlit as st

from labeler import sample
from labeler.app import on_demand, state, widgets
from labeler.app.screens import today
from labeler.reports import agreement, progress
from labeler.store import verdicts

_ICON = {True: ":material/check_circle:", False: ":material/radio_button_unchecked:"}


def show() -> None:
    """Lay the page out."""
    st.title("Can you believe your judge?")
    st.text("People label a sample without seeing the judge's verdicts; then the two are compared.")
    widgets.flash()
    person = state.person()
    led: set[str] = set()
    if person is None:
        widgets.name_form(then=today.land)
    else:
        led = today.show(person)
    st.divider()
    steps = state.unchanged("steps", lambda: progress.steps(state.store()))
    if not any(step.done for step in steps):
        _empty()
    _decision()
    following = next((step for step in steps if not step.done), None)
    for step in steps:
        mark, said, go = st.columns([1, 8, 3], vertical_alignment="center")
        mark.markdown(_ICON[step.done])
        with said:
            st.text(f"{step.name}\n{step.said}")
        if step is not following or step.page in led:
            continue
        if go.button(today.GO[step.page], key=step.name, type="primary", width="stretch"):
            state.go_to(step.page)


def _empty() -> None:
    """A store with nothing in it: the sample is one click away."""
    st.info("This store is empty. Import your own files on the Data page, or look around first.")
    if st.button("Load the sample project", icon=":material/science:"):
        with widgets.problems(), st.spinner("Importing and judging the sample"):
            sample.make(state.store())
            state.flash("The sample project is loaded, judged and ready to label.")
            st.rerun()


def _decision() -> None:
    """The newest decision, where there is anything to decide on."""
    store = state.store()
    if not verdicts.judges(store):
        return
    with widgets.problems():
        newest = agreement.newest(store)
        report = on_demand.compared(
            ("newest report", newest),
            "the agreement on every pair",
            lambda: agreement.build(store, newest, by=()),
            spotcheck=newest.spotcheck,
        )
        if report is not None:
            widgets.decision(report)
