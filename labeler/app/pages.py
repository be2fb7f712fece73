"""The script behind every page: who is at work, which pages there are, and the one that was asked
for."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import (
    agreement,
    answers,
    compare,
    consistency,
    data,
    drafts,
    goldens,
    home,
    judge,
    label,
    queries,
    retrieval,
    review,
    rubrics,
    today,
    triage,
)

ICON = str(Path(__file__).with_name("icon.svg"))

st.set_page_config(page_title="labeler", page_icon=ICON, layout="wide")
person = state.person()
front = st.Page(home.show, title="Home", icon=":material/home:", default=True)
sections = {
    "": [front, st.Page(label.show, title="Label", icon=":material/edit_note:", url_path="label")],
    "Review": [
        st.Page(queries.show, title="Queries", icon=":material/manage_search:", url_path="queries"),
        st.Page(drafts.show, title="Drafts", icon=":material/draft:", url_path="drafts"),
        st.Page(review.show, title="Review", icon=":material/gavel:", url_path="review"),
        st.Page(
            consistency.show, title="Consistency", icon=":material/groups:", url_path="consistency"
        ),
    ],
    "Judge": [
        st.Page(judge.show, title="Judge", icon=":material/smart_toy:", url_path="judge"),
        st.Page(agreement.show, title="Agreement", icon=":material/balance:", url_path="agreement"),
        st.Page(rubrics.show, title="Rubrics", icon=":material/rule:", url_path="rubrics"),
    ],
    "Measure": [
        st.Page(
            goldens.show,
            title="Golden sets",
            icon=":material/workspace_premium:",
            url_path="goldens",
        ),
        st.Page(
            retrieval.show,
            title="Retrieval",
            icon=":material/search_insights:",
            url_path="retrieval",
        ),
        st.Page(
            compare.show, title="Compare", icon=":material/compare_arrows:", url_path="compare"
        ),
        st.Page(triage.show, title="Triage", icon=":material/call_split:", url_path="triage"),
        st.Page(answers.show, title="Answers", icon=":material/chat:", url_path="answers"),
    ],
    "Files": [st.Page(data.show, title="Data", icon=":material/database:", url_path="data")],
}
state.know_pages({page.url_path: page for pages in sections.values() for page in pages})
page = st.navigation(sections, expanded=True)
widgets.sidebar(person)
if state.first_time("landing") and page is front and person is not None:
    today.land(person)  # each role begins where its work is; Home is a click away
page.run()
