"""The script behind every page: who is at work, which pages there are, and the one that was asked
for."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import agreement, consistency, data, home, label, queries, review

ICON = str(Path(__file__).with_name("icon.svg"))

st.set_page_config(page_title="labeler", page_icon=ICON, layout="wide")
person = state.person()
pages = {
    "home": st.Page(home.show, title="Home", icon=":material/home:", default=True),
    "label": st.Page(label.show, title="Label", icon=":material/edit_note:", url_path="label"),
    "queries": st.Page(
        queries.show, title="Queries", icon=":material/manage_search:", url_path="queries"
    ),
    "review": st.Page(review.show, title="Review", icon=":material/gavel:", url_path="review"),
    "agreement": st.Page(
        agreement.show, title="Agreement", icon=":material/balance:", url_path="agreement"
    ),
    "consistency": st.Page(
        consistency.show, title="Consistency", icon=":material/groups:", url_path="consistency"
    ),
    "data": st.Page(data.show, title="Data", icon=":material/database:", url_path="data"),
}
state.know_pages(pages)
page = st.navigation(list(pages.values()))
widgets.sidebar(person)
page.run()
