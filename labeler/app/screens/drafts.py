"""The Drafts page: queries that a model drafted, one at a time. None counts before a person has
accepted it; what the judge said of it is shown after that.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import draft_deciding, draft_making
from labeler.reports import drafts as reports
from labeler.reports.drafts import State, Status
from labeler.store.drafts import Standing

_QUEUES = {
    State.WAITING: "Waiting",
    State.SET_ASIDE: "Set aside",
    State.UNCHECKED: "Not checked yet",
}


def show() -> None:
    """Lay the page out."""
    st.title("Drafts")
    person = state.person()
    if person is None:
        st.write("Say who you are: what you accept carries your name.")
        widgets.name_form()
        return
    widgets.flash()
    with widgets.problems():
        found = state.unchanged("drafts", lambda: reports.status(state.store()))
        draft_making.show()
        queue = _queue(found)
        if not queue:
            st.info("No draft waits here.")
        else:
            draft_deciding.show(person.name, *_pick(found, queue))
        _decided(found)


def _queue(found: Status) -> Sequence[Standing]:
    """The drafts to go through: those with the draft of the address, else the first that there
    are.
    """
    known = {name: found.having(name) for name in _QUEUES}
    asked = state.asked("draft")
    held = (name for name, some in known.items() if any(o.draft.draft_id == asked for o in some))
    first = next((name for name, some in known.items() if some), State.WAITING)
    first = next(held, first)
    chosen = st.segmented_control(
        "Queue",
        list(_QUEUES),
        default=first,
        format_func=lambda name: f"{_QUEUES[name]} ({len(known[name]):,})",
        label_visibility="collapsed",
    )
    return known[chosen or first]


def _pick(found: Status, queue: Sequence[Standing]) -> tuple[Standing, str]:
    """The draft that is shown, and the one after it, "" after the last. It is addressed by its id:
    a press is for what was drawn, whatever others have decided meanwhile.
    """
    ids = [one.draft.draft_id for one in queue]
    asked = state.asked("draft") or ""
    if asked not in ids:
        gone = next((one for one in found.every if one.draft.draft_id == asked), None)
        if gone is not None and gone.decision is not None:
            st.info(widgets.plain(f"Draft {asked} is decided: {gone.decision.told}"))
        asked = ids[0]
    at = ids.index(asked)
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, key, to in (("Before", "k", at - 1), ("Next", "j", at + 1)):
            if st.button(label, shortcut=key, disabled=not 0 <= to < len(ids)):
                state.ask("draft", ids[to])
                st.rerun()
        st.text(f"{at + 1:,} of {len(ids):,}")
    state.ask("draft", asked)
    return queue[at], ids[at + 1] if at + 1 < len(ids) else ids[at - 1] if at else ""


def _decided(found: Status) -> None:
    """What people have decided."""
    decided = [one for one in found.every if one.decision is not None]
    if not decided:
        return
    with st.expander(f"Decided ({len(decided):,})"):
        st.dataframe(
            [
                {
                    "draft": one.draft.draft_id,
                    "query": one.draft.query,
                    "kind": one.draft.kind,
                    "decision": one.decision.decision,
                    "became": one.decision.query_id,
                    "reason": one.decision.reason,
                    "person": one.decision.person,
                    "at": one.decision.decided_at,
                }
                for one in reversed(decided)
                if one.decision is not None
            ],
            hide_index=True,
            width="stretch",
        )
