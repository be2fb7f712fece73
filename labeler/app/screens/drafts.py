"""The Drafts page: queries that a model drafted, one at a time. None counts before a person has
accepted it; what the judge said of it is shown after that.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import draft_deciding, draft_making
from labeler.reports import drafts as reports
from labeler.reports import render
from labeler.reports.drafts import State, Status
from labeler.store import undoing
from labeler.store.drafts import Decision, Standing

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
        _decided(found, person.name)


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


def _decided(found: Status, person: str) -> None:
    """What people have decided, and the way back: the person's last decision, or a row of them."""
    known = {one.draft.draft_id: one.decision for one in found.every if one.decision is not None}
    if not known:
        return
    own = [of for of in known.values() if of.person == person]
    if own:
        last = max(own, key=lambda of: of.decided_at)
        _undo(person, last, f"Undo my last decision ({last.draft_id}, {last.decision})", key="u")
    decided = [one for one in found.every if one.draft.draft_id in known]
    decided.sort(key=lambda one: known[one.draft.draft_id].decided_at)
    with st.expander(f"Decided ({len(decided):,})", key="decided"):
        event = st.dataframe(
            [
                {
                    "draft": one.draft.draft_id,
                    "query": one.draft.query,
                    "kind": one.draft.kind,
                    "decision": one.decision.decision,
                    "became": one.decision.query_id,
                    "reason": one.decision.reason,
                    "person": one.decision.person,
                    "at": render.moment(one.decision.decided_at),
                }
                for one in reversed(decided)
                if one.decision is not None
            ],
            hide_index=True,
            width="stretch",
            on_select="rerun",
            selection_mode="single-row",
            key=f"decided {len(decided)}",
        )
        rows = event["selection"]["rows"]
        if rows and rows[0] < len(decided):
            of = known[decided[len(decided) - 1 - rows[0]].draft.draft_id]
            _undo(person, of, f"Undo the decision on {of.draft_id}")
        else:
            st.text("Select a row to undo its decision.")


def _undo(person: str, of: Decision, label: str, *, key: str | None = None) -> None:
    """Take a decision back, and show the draft again. A key pressed twice undoes one."""
    known = ("undo", of.draft_id, of.decided_at, key)
    state.seconds_since_first(known)
    if st.button(widgets.plain(label), shortcut=key, key=f"undo {key} {of.draft_id}"):
        widgets.require_read(known)
        state.flash(undoing.undo(state.store(), of.draft_id, person=person), good=False)
        state.ask("draft", of.draft_id)
        st.rerun()
