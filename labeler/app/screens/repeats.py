"""Handing out pairs that measure a person: again, or settled ones first."""

from __future__ import annotations

import streamlit as st

from labeler.app import state, widgets
from labeler.reports import render
from labeler.store import repeats, spotchecks
from labeler.store.db import Store


def show(store: Store) -> None:
    """Hand out pairs again, or settled ones, to see how steady and how near people are."""
    asking = state.person()
    checks = [check.name for check in spotchecks.history(store)]
    if asking is None or not checks:
        return
    st.subheader("Measure a person")
    widgets.flash()
    left, right = st.columns(2, gap="large")
    with left.form("again"):
        st.text("Pairs once more, the earlier answer unseen, after all other work.")
        check = st.selectbox("Spot check", checks, format_func=str)
        if st.form_submit_button("Hand out again"):
            made = repeats.draw(store, check, person=asking.name)
            state.flash(f"{render.counted(len(made), 'list')} of pairs handed out again.")
            st.rerun()
    with right.form("warm-up"):
        st.text("Settled pairs before all other work.")
        name = st.text_input("Who", max_chars=80)
        if st.form_submit_button("Hand out a warm-up"):
            repeats.warm_up(store, name, person=asking.name)
            state.flash(f"{name.strip()} will label settled pairs first.")
            st.rerun()
