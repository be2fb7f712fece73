"""The part of the Home page that is a person's own: what waits for them, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from labeler.app import state
from labeler.reports import waiting
from labeler.reports.waiting import Change, Waiting
from labeler.store.people import Person

GO = {
    "data": "Open Data",
    "judge": "Open Judge",
    "label": "Start labelling",
    "review": "Settle them",
    "drafts": "Decide on them",
    "queries": "Find the answers",
    "agreement": "See the agreement",
}
"""What the button to each page says."""


def show(person: Person) -> set[str]:
    """Lay it out; the pages that a button leads to."""
    store = state.store()
    mine = _mine(person)
    since = store.clock() - timedelta(days=1)
    changed = state.unchanged(
        ("changes", since.replace(minute=0, second=0, microsecond=0)),
        lambda: waiting.changes(store, since),
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("What waits for you")
        if not mine:
            st.text("Nothing.")
        for at, one in enumerate(mine):
            said, go = st.columns([3, 2], vertical_alignment="center")
            said.text(one.said)
            if go.button(
                GO[one.page],
                key=f"go {one.page}",
                type="secondary" if at else "primary",
                width="stretch",
            ):
                state.go_to(one.page)
    with right:
        st.subheader("Since yesterday")
        if not changed:
            st.text("Nothing changed.")
        st.text("\n".join(map(_said, changed)))
    return {one.page for one in mine}


def _mine(person: Person) -> Sequence[Waiting]:
    store = state.store()
    return state.unchanged(("waiting", person), lambda: waiting.waiting(store, person))


def _said(change: Change) -> str:
    by = f", {change.people}" if change.people else ""
    return f"{change.said}: {change.times:,}{by}"


def land(person: Person) -> None:
    """Go to where a person's work is; stay on Home where nothing waits for them."""
    page = waiting.landing(_mine(person))
    if page != "home":
        state.go_to(page)
