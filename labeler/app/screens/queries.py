"""The Queries page: write a query, search the corpus for what retrieval missed, label it in place,
say what cannot be answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from labeler.app import state, widgets
from labeler.app.component import labeling
from labeler.app.component.desk import searching
from labeler.app.screens import findings, query_forms
from labeler.model import Query, content_hash
from labeler.reports import casebook, likeness, query_states, render
from labeler.reports.casebook import Case
from labeler.reports.likeness import Like
from labeler.reports.query_states import Entry
from labeler.store import desk, queries, search, sources
from labeler.store.search import OPEN

_MARKS = {"conflict": "▲ ", "waiting": "○ ", "unanswerable": "∅ ", "unavailable": "∅ "}


def show() -> None:
    """Lay the page out."""
    st.title("Queries")
    person = state.person()
    if person is None:
        st.write("Say who you are: what you write carries your name.")
        widgets.name_form()
        return
    widgets.flash()
    with widgets.problems():
        store = state.store()
        entries = state.unchanged("entries", lambda: query_states.entries(store, _asked()))
        query = _choose(entries)
        query_forms.show(person.name, query)
        if query is None:
            st.info("There is no query yet: write one above, or import a set on the Data page.")
            return
        case = state.unchanged(("case", query), lambda: casebook.case_of(store, query))
        _case(case)
        _work(person.name, case)
        findings.show(person.name, case)


def _asked() -> list[Query]:
    """All queries, in the order of their import."""
    store = state.store()
    return state.unchanged("queries", lambda: queries.current(store), reads=("queries",))


def _choose(entries: Sequence[Entry]) -> Query | None:
    """The query of the address, else the most urgent; how many wait stands beside it."""
    if not entries:
        return None
    by_id = {one.query.query_id: one for one in entries}
    ids = list(by_id)
    wanted = state.asked("query")
    with st.container():  # its place is kept, as that of a flash
        if wanted and wanted not in by_id:
            st.info(widgets.plain(f"There is no query {wanted!r}: this is the most urgent one."))
    chosen = st.selectbox(
        "Query",
        ids,
        index=ids.index(wanted) if wanted in by_id else 0,
        format_func=lambda query_id: _named(by_id[query_id]),
        help="Conflicts come first, then what failed in production, then what waits for an answer.",
    )
    waiting = sum(one.now.waiting for one in entries)
    conflicts = sum(one.now.conflict for one in entries)
    st.text(
        f"{len(entries):,} queries, {waiting:,} waiting for an answer, {conflicts:,} in conflict"
    )
    state.ask("query", chosen)
    return by_id[chosen].query


def _named(one: Entry) -> str:
    mark = _MARKS.get(one.now.state, "")
    return f"{mark}{one.query.query_id}: {_short(one.query.text)}"


@lru_cache(maxsize=50_000)
def _short(text: str) -> str:
    """Asked for all queries in every run."""
    return render.short(text, width=90)


def _case(case: Case) -> None:
    """The query as asked, and what contradicts itself in it."""
    query = case.query
    widgets.passage(query.text)
    facts = (query.kind, query.origin, f"caller {query.scope}" if query.scope else "")
    day = f"as of {query.as_of}" if query.as_of else ""
    st.text(", ".join(filter(None, (f"{query.query_id}: {case.state}", *facts, day, query.note))))
    for text in case.conflicts:
        st.error(widgets.plain(text), icon=":material/report:")
    for text in case.remarks:
        st.warning(widgets.plain(text), icon=":material/info:")
    for like in state.unchanged(("like", query), lambda: _like(query), reads=("queries",)):
        st.info(
            widgets.plain(f"Nearly the same: {like.query.query_id}, {like.query.text}"),
            icon=":material/content_copy:",
        )


def _like(query: Query) -> list[Like]:
    """The other queries that ask nearly the same."""
    return likeness.near(query.text, (one for one in _asked() if one.query_id != query.query_id))


def _work(person: str, case: Case) -> None:
    """The search, and the labelling page for what was added."""
    store, query_id = state.store(), case.query.query_id
    with st.spinner("Indexing what is new in the corpus", show_time=True):
        making = search.of(store).begin()
    name = desk.open_desk(store, query_id, person=person)
    kinds = sources.kinds(store)
    data: dict[str, Any] = {
        "annotator": person,
        "spotcheck": name,
        "store": content_hash(str(store.path)),
        "token": state.tokens().issue(annotator=person, spotcheck=name),
        "text": case.query.text,
        "sources": kinds.sources,
        "scopes": [[OPEN, "Open to everybody"], *([word, word] for word in kinds.scopes)],
    }
    if making is None:
        searching(data=data, key="desk")
    else:
        _indexing()
    if desk.tasks(store, name):
        labeling(data=data, key="labeling")


@st.fragment(run_every=1.0)
def _indexing() -> None:
    """How far the index is, in place of the search; the page is drawn again once it is there."""
    with widgets.problems():
        making = search.of(state.store()).begin()
        if making is None:
            st.rerun()
        st.progress(making.share, text=f"{making}. The search opens by itself.")
