"""Rebinding on the Golden sets page: grades carried over to another splitting of the corpus, and
the queue of those that a person must look at, by keyboard.
"""

from __future__ import annotations

import streamlit as st

from labeler import rebinding
from labeler.app import state, widgets
from labeler.model import GRADES
from labeler.store import bindings, corpora, goldens, queries
from labeler.store.bindings import Binding
from labeler.store.db import Store


def show(store: Store, person: str) -> None:
    """Lay the part out."""
    known = goldens.newest(store)
    if not known:
        st.text("Nothing is frozen yet.")
        return
    left, right = st.columns(2)
    golden = left.selectbox("Set to rebind", [one.name for one in known])
    corpus = right.selectbox("To corpus", [one.name for one in corpora.current(store)])
    if st.button("Carry grades over", disabled=corpus is None):
        done = rebinding.rebind(store, golden, corpus=corpus, person=person)
        certain, gone = len(done.of("certain")), len(done.of("gone"))
        look = len(bindings.queue(store, golden))
        state.flash(
            f"{done.old.ref} carried over to {corpus}: {certain:,} certain, {look:,} passages to "
            f"look at, {gone:,} gone"
        )
        st.rerun()
    every = bindings.current(store, golden)
    if not every:
        st.text("Nothing of it has been rebound.")
        return
    waiting = bindings.queue(store, golden)
    gone = sum(one.state == "gone" for one in every)
    st.text(f"{len(waiting):,} passages to look at, {gone:,} gone")
    if waiting:
        _look(store, waiting[0], person)
    if any(one.state == "decided" for one in every) and st.button("Freeze what was decided"):
        state.flash(f"{rebinding.settle(store, golden, person=person).ref} holds what was decided.")
        st.rerun()


def _look(store: Store, one: Binding, person: str) -> None:
    """The old passage and the new side by side."""
    asked = queries.named(store, [one.query_id])
    texts = corpora.passages(store, [one.old_passage, one.new_passage])
    shown = ("bind", one.name, *one[2:7])
    state.seconds_since_first(shown)  # from now on
    with st.container(border=True):
        st.text(f"Query {one.query_id}")
        widgets.passage(asked[one.query_id].text if asked else "")
        st.text(one.why)
        for column, passage_id, said in zip(
            st.columns(2),
            (one.old_passage, one.new_passage),
            (f"was {one.old_grade}", "new"),
            strict=True,
        ):
            with column:
                st.text(f"{passage_id}, {said}")
                widgets.passage(texts[passage_id].text if passage_id in texts else "")
        st.text("Does the new one answer the query?")
        with st.container(horizontal=True):
            for grade in reversed(GRADES):
                if st.button(str(grade), shortcut=grade[0].lower(), key=f"bind {grade}"):
                    widgets.require_read(shown)
                    bindings.decide(store, one, grade=grade, person=person)
                    st.rerun()
