"""One draft on the Drafts page: the query to edit, its passage or what a search finds, and the
decision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from labeler import draft_checks
from labeler.app import state, widgets
from labeler.draft_checks import (
    ANSWERED,
    DISTINCT,
    FROM_NOTHING,
    IDENTIFIER,
    PURPOSES,
    TOP,
    UNANSWERED,
)
from labeler.judges.drafts import EXACT
from labeler.judges.leakage import leakage
from labeler.model import Grade, Passage, content_hash
from labeler.store import corpora, drafts, labels, search
from labeler.store.drafts import Draft, Now, Standing, Tried

_PASSED = {
    ANSWERED: "its passage answers it",
    FROM_NOTHING: "it cannot be answered from nothing",
    UNANSWERED: "nothing that a search finds answers it",
}
"""What a check of the judge says that was passed."""

_REASONS = (
    "nobody would ask this",
    "its passage does not answer it",
    "it gives the passage's words away",
    "another query asks the same",
    "a passage answers it",
)


def show(person: str, one: Standing, after: str) -> None:
    """Lay the draft out; once it is decided the page goes on to draft `after`."""
    draft = one.draft
    state.seconds_since_first(("draft", draft.draft_id))  # from now on
    known = corpora.passages(state.store(), [draft.passage_id]) if draft.passage_id else {}
    read, decide = st.columns([3, 2], gap="large")
    with read:
        text = st.text_input("Query", draft.query, key=f"query {draft.draft_id}", max_chars=500)
        tried = _searched(draft, text) if not draft.passage_id else []
        passage = known.get(draft.passage_id)
        if passage is not None:
            _passage(passage)
    with decide:
        _facts(one, text, passage)
        if not draft.passage_id:
            _unanswerable(person, one, text, tried, after)
        elif passage is not None:
            _grade(person, one, text, passage, after)
        _reject(person, one, after)


def _passage(passage: Passage) -> None:
    told = (f"Passage {passage.passage_id}", passage.title, passage.source_uri)
    st.text(", ".join(filter(None, told)))
    widgets.passage(passage.text)


def _facts(one: Standing, text: str, passage: Passage | None) -> None:
    """What is known of the draft, but for what the judge said."""
    draft = one.draft
    edited = " (edited)" if text.strip() != draft.query else ""
    st.text(f"{draft.draft_id}: {draft.kind}{edited}")
    if passage is not None:
        found = leakage(text, passage)
        share = "" if found.share is None else f"Leakage {found.share:.0%}: "
        st.text(share + found.told)
        if draft.kind != EXACT and (why := draft_checks.leaks(found)):
            st.warning(widgets.plain(f"Not in the asker's own words: {why}"))
        if passage.scope:
            st.text(f"It will be asked by a caller with the scope {passage.scope}.")
    for check in one.failed:
        if check.name in (IDENTIFIER, DISTINCT):
            st.warning(widgets.plain(f"Set aside: {check.reason}"))
    if any(check.name in PURPOSES for check in one.failed):
        st.info("The judge's checks set it aside. What it said is shown after your decision.")
    if one.now is Now.GONE:
        st.error("Its passage is no longer in the corpus: it can only be rejected.")


def _grade(person: str, one: Standing, text: str, passage: Passage, after: str) -> None:
    """Acceptance with the person's own label of the passage."""
    draft, ready = one.draft, True
    if one.now is Now.CHANGED:
        st.warning("The passage has changed since the query was drafted from it.")
        ready = st.checkbox(
            "I have read it as it is now", key=f"read {draft.draft_id} {content_hash(passage.text)}"
        )
    st.text("Does the passage answer the query?")
    with st.container(horizontal=True):
        for grade, label, key in (
            (Grade.YES, "YES, accept", "y"),
            (Grade.PART, "PART, accept", "p"),
        ):
            if st.button(
                label,
                shortcut=key,
                key=f"{grade} {draft.draft_id}",
                type="primary" if grade is Grade.YES else "secondary",
                disabled=not ready,
            ):
                _act(one, after, partial(_accept, person, one, text, passage, grade))


def _accept(person: str, one: Standing, text: str, passage: Passage, grade: Grade) -> str:
    store, draft_id = state.store(), one.draft.draft_id
    query_id = drafts.accept(
        store, draft_id, text=text, grade=grade, seen=content_hash(passage.text), person=person
    )
    # The judge's opinion is shown now: what the person says of the pair later is no longer blind.
    labels.note_view(store, [(query_id, passage.passage_id)], person=person)
    return f"{query_id} is a query now, its passage labelled {grade}."


def _searched(draft: Draft, text: str) -> list[Tried]:
    """What a search finds for the query, and for what else the person looks for."""
    other = st.text_input("Search for something else", key=f"search {draft.draft_id}")
    found = [_search(words) for words in dict.fromkeys((text.strip(), other.strip())) if words]
    for one in reversed(found):
        st.text(
            f"{one.with_all:,} passages with all words, {one.with_some:,} with some: {one.text}"
        )
        known = corpora.passages(state.store(), one.top)
        for passage in (known[passage_id] for passage_id in one.top if passage_id in known):
            with st.expander(widgets.plain(f"{passage.passage_id} {passage.title}")):
                widgets.passage(passage.text)
    return found


def _search(words: str) -> Tried:
    index = search.of(state.store())
    index.require()
    found = index.search(words, limit=TOP)
    return Tried(words, found.whole, found.some, tuple(found.ids))


def _unanswerable(person: str, one: Standing, text: str, tried: list[Tried], after: str) -> None:
    draft = one.draft
    st.text("Does nothing answer it? The searches shown are kept as evidence.")
    reason = st.text_input("What the corpus lacks", draft.reason, key=f"why {draft.draft_id}")
    if st.button(
        "Nothing does, accept", shortcut="y", type="primary", key=f"none {draft.draft_id}"
    ):

        def accept() -> str:
            query_id = drafts.accept_unanswerable(
                state.store(), draft.draft_id, text=text, reason=reason, tried=tried, person=person
            )
            return f"{query_id} is a query now that nothing answers."

        _act(one, after, accept)


def _reject(person: str, one: Standing, after: str) -> None:
    draft_id = one.draft.draft_id
    reason = st.selectbox(
        "Why not", _REASONS, index=None, accept_new_options=True, key=f"why not {draft_id}"
    )
    if st.button("Reject", shortcut="x", key=f"reject {draft_id}"):

        def reject() -> str:
            drafts.reject(state.store(), draft_id, reason=reason or "", person=person)
            return f"{draft_id} is rejected."

        _act(one, after, reject)


def _act(one: Standing, after: str, decide: Callable[[], str]) -> None:
    """Decide, say what the judge had said, and go on."""
    widgets.require_read(("draft", one.draft.draft_id))
    done = decide()
    checks = [check for check in one.checks if check.name in PURPOSES]
    said = "; ".join(check.reason.rstrip(".") or _PASSED[check.name] for check in checks)
    state.flash(f"{done} The judge's checks: {said}." if said else done)
    state.ask("draft", after)
    st.rerun()
