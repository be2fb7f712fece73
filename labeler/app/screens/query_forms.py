"""The forms of the Queries page: a query, a new version of it, and a production failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from labeler.app import state, widgets
from labeler.model import KINDS, Query
from labeler.store import desk

_EMPTY = Query("", "")


def show(person: str, chosen: Query | None) -> None:
    """The three forms, each behind its name; what was saved opens with all of them closed."""
    at = chosen.query_id if chosen else ""
    with st.expander("Write a query", icon=":material/edit:", key=f"to write beside {at}"):
        written = _form(f"write beside {at}", _EMPTY)
        if written is not None:
            _store(person, written)
    if chosen is not None:
        versions = desk.versions(state.store(), chosen.query_id)
        named = f"to change {at} {len(versions)}"
        with st.expander("Change this query", icon=":material/history:", key=named):
            for number, old in enumerate(versions, start=1):
                st.text(f"Version {number}: {old.text}")
            changed = _form(f"change {chosen.query_id}", chosen)
            if changed is not None:
                _store(person, changed)
    named = f"to report beside {at}"
    with st.expander("Report a production failure", icon=":material/bug_report:", key=named):
        _failure(person)


def _form(key: str, query: Query) -> Query | None:
    """The fields of a query; what was entered, in the run in which it is saved."""
    with st.form(key, border=False):
        text = st.text_input("Query as asked", query.text)
        left, middle, right = st.columns(3)
        with left:
            kind = _word("Kind", KINDS, query.kind)
        with middle:
            origin = _word("Origin", desk.ORIGINS, query.origin)
        need = right.text_input(
            "Need", query.need_id, help="One name for all queries that ask for the same."
        )
        scope = left.text_input("Caller's scope", query.scope, help="Words parted by blanks.")
        as_of = middle.text_input("As of", query.as_of, placeholder="YYYY-MM-DD")
        note = right.text_input("Note", query.note)
        if not st.form_submit_button("Save", type="primary"):
            return None
    return replace(
        query,
        text=text,
        kind=kind,
        origin=origin,
        need_id=need,
        scope=scope,
        as_of=as_of.strip(),
        note=note,
    )


def _word(label: str, known: Sequence[str], value: str) -> str:
    """One of the known words, or another of one's own."""
    options = [*known, *({value} - {"", *known})]
    at = options.index(value) if value else None
    return st.selectbox(label, options, index=at, accept_new_options=True) or ""


def _store(person: str, query: Query) -> None:
    with widgets.problems():
        stored = desk.write(state.store(), query, person=person)
        _open(stored, f"{stored.query_id} is saved.")


def _failure(person: str) -> None:
    with st.form("failure", border=False):
        text = st.text_input("Query as it was asked")
        answer = st.text_area("Answer that was given", height=100)
        back = st.text_area("Passages that came back, an id a line", height=100)
        scope, as_of = st.columns(2)
        asked_by = scope.text_input("Scope of the caller")
        day = as_of.text_input("Day it was asked on", placeholder="YYYY-MM-DD")
        note = st.text_input("What was wrong with it")
        if not st.form_submit_button("Make it a case", type="primary"):
            return
    with widgets.problems():
        made = desk.report_failure(
            state.store(),
            Query("", text, scope=asked_by, as_of=day.strip(), note=note),
            answer=answer,
            came_back=[line.strip() for line in back.splitlines() if line.strip()],
            person=person,
        )
        _open(made, f"{made.query_id} is a case now, and stays one.")


def _open(query: Query, said: str) -> None:
    state.ask("query", query.query_id)
    state.flash(said)
    st.rerun()
