"""What was found out about a query: candidates, searches kept, required facts, and its outcome."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labeler.app import state, widgets
from labeler.reports import render
from labeler.reports.casebook import Case
from labeler.store import desk, evidence
from labeler.store.desk import Candidate
from labeler.store.evidence import Fact, Outcome

_OUTCOMES = {
    Outcome.OPEN: "Answered by what is labelled YES",
    Outcome.UNANSWERABLE: "Unanswerable: nothing in the corpus answers it",
    Outcome.UNAVAILABLE: "Unavailable: this caller may not have it, or not for this day",
}


def show(person: str, case: Case) -> None:
    """Lay the findings out."""
    left, right = st.columns(2, gap="large")
    with left:
        _failures(case)
        candidates = desk.candidates(state.store(), case.query.query_id, person=person)
        _candidates(candidates, case)
        _facts(person, case, [one.passage_id for one in candidates])
    with right:
        _searches(case)
        _outcome(person, case)


def _failures(case: Case) -> None:
    if not case.failures:
        return
    st.subheader("What failed in production")
    for failure in desk.failures(state.store(), case.query.query_id):
        st.text(f"{render.moment(failure.reported_at)}, {failure.person or 'imported'}")
        widgets.passage(failure.answer or "(no answer was noted)")
        st.text("Came back: " + (", ".join(failure.came_back) or "nothing"))


def _candidates(found: Sequence[Candidate], case: Case) -> None:
    st.subheader("Candidates")
    if not found:
        st.text("None yet: add passages from the search.")
        return
    barred = {answer.passage_id: answer.barred for answer in case.answers}
    st.dataframe(
        [
            {
                "passage": one.passage_id,
                "came by": one.source,
                "you": one.own,
                "others": one.others,
                "not expected": barred.get(one.passage_id, ""),
            }
            for one in found
        ],
        hide_index=True,
        width="stretch",
    )


def _facts(person: str, case: Case, candidates: Sequence[str]) -> None:
    st.subheader("Required facts")
    store, query_id = state.store(), case.query.query_id
    for fact in case.facts:
        said, taken = st.columns([3, 1], vertical_alignment="center")
        said.text(f"{fact.fact}. {fact.text}: {', '.join(fact.passages) or 'no passage yet'}")
        if taken.button("Withdraw", key=f"withdraw {query_id} {fact.fact}"):
            evidence.note_fact(store, query_id, text="", passages=[], person=person, fact=fact.fact)
            st.rerun()
    with st.form(f"fact {query_id}", clear_on_submit=True, border=False):
        new = "A new fact"
        numbered: list[str | Fact] = [new, *case.facts]
        which = st.selectbox(
            "Fact", numbered, format_func=lambda one: one.text if isinstance(one, Fact) else one
        )
        text = st.text_input("What an answer must say")
        carriers = st.multiselect("Passages that say it", candidates)
        if st.form_submit_button("Note the fact"):
            known = which if isinstance(which, Fact) else None
            with widgets.problems():
                evidence.note_fact(
                    store,
                    query_id,
                    text=text or (known.text if known else ""),
                    passages=carriers,
                    person=person,
                    fact=known.fact if known else None,
                )
                st.rerun()


def _searches(case: Case) -> None:
    st.subheader("Searches tried")
    kept = evidence.searches(state.store(), case.query.query_id)
    if not kept:
        st.text("None is kept yet: Enter in the search keeps one.")
        return
    st.dataframe(
        [
            {
                "search": one.text,
                "with every word": one.with_all,
                "with some": one.with_some,
                "filters": ", ".join(filter(None, vars(one.filters).values())),
                "by": one.person,
                "at": render.moment(one.tried_at),
            }
            for one in kept
        ],
        hide_index=True,
        width="stretch",
    )


def _outcome(person: str, case: Case) -> None:
    st.subheader("What the answer should be")
    if case.decided:
        at = render.moment(case.decided.decided_at)
        st.text(f"{case.outcome}, {case.decided.person}, {at}")
        if case.decided.reason:
            widgets.passage(case.decided.reason)
    with st.form(f"outcome {case.query.query_id}", border=False):
        chosen = st.radio(
            "Outcome",
            list(Outcome),
            index=list(Outcome).index(case.outcome),
            format_func=_OUTCOMES.__getitem__,
        )
        reason = st.text_input("Why")
        if st.form_submit_button("Record it") and chosen is not None:
            with widgets.problems():
                evidence.decide(
                    state.store(), case.query.query_id, outcome=chosen, reason=reason, person=person
                )
                st.rerun()
