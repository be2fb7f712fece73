"""One difference on the Review page: what was read, who said what and why, and the decision."""

from __future__ import annotations

import streamlit as st

from labeler.app import state, widgets
from labeler.model import GRADES, Grade, Passage, Query
from labeler.reports import render
from labeler.store import adjudications, evidence, labels, queries, rubrics, texts, verdicts
from labeler.store.adjudications import Voice
from labeler.store.differences import Difference
from labeler.store.verdicts import Judged

_GRADES = tuple(reversed(GRADES))


def show(person: str, pair: Difference, judged: Judged | None) -> None:
    """Lay the pair out."""
    store, query_id, passage_id = state.store(), pair.query_id, pair.passage_id
    state.once_a_session(
        ("seen", person, query_id, passage_id),
        lambda: labels.note_view(store, [(query_id, passage_id)], person=person),
    )
    asked = queries.named(store, [query_id]).get(query_id, Query(query_id, ""))
    told = texts.passages(store, [passage_id]).get(passage_id, Passage(passage_id, ""))
    read, said = st.columns([3, 2], gap="large")
    with read:
        st.text(", ".join(filter(None, (f"Query {query_id}", asked.kind, asked.as_of))))
        widgets.passage(asked.text)
        source = ", ".join(filter(None, (told.title, told.source_uri, told.scope)))
        st.text(f"Passage {passage_id}" + (f", {source}" if source else ""))
        widgets.passage(told.text)
        if why := evidence.barred(store, asked, told):
            st.warning(f"It is {why} for this query: whatever its grade, it is not expected.")
    with said:
        voices = adjudications.voices(store, query_id, passage_id)
        for voice in voices:
            _voice(voice)
        _verdict(pair, judged)
        _history(pair)
        _decide(person, pair)
        if any(voice.annotator == person for voice in voices):
            _reconsider(person, pair)


def _voice(voice: Voice) -> None:
    said = f"{voice.annotator}: {voice.blind or 'nothing blind'}"
    st.text(said + (f", and {voice.after} after the verdict" if voice.after else ""))
    if voice.note:
        widgets.passage(voice.note)


def _verdict(pair: Difference, judged: Judged | None) -> None:
    """The judge's verdict and reason, and the rubric that it followed."""
    if judged is None:
        return
    name = render.judge_name(judged.judge, judged.rubric, judged.model)
    given = [
        verdict
        for verdict in verdicts.history(state.store(), pair.query_id, pair.passage_id)
        if (verdict.judge, verdict.rubric, verdict.model) == judged[:3]
    ]
    if not given:
        st.text(f"{name} has not graded it")
        return
    st.text(f"{name}: {given[-1].grade or given[-1].status}")
    if given[-1].reason:
        widgets.passage(given[-1].reason)
    rubric = rubrics.named(state.store(), judged.rubric) if judged.rubric else None
    if rubric is not None:
        with st.expander("Rubric"):
            st.text(rubric.ref)
            widgets.passage(rubric.text)


def _history(pair: Difference) -> None:
    for one in adjudications.history(state.store(), pair.query_id, pair.passage_id):
        st.text(f"Settled {one.grade}, {one.reviewer}, {render.moment(one.decided_at)}")
        widgets.passage(one.reason)


def _decide(person: str, pair: Difference) -> None:
    with st.form(f"decide {pair.query_id} {pair.passage_id}", clear_on_submit=False):
        grade = st.radio("Decision", _GRADES, index=None, horizontal=True)
        reason = st.text_input("Reason")
        if not st.form_submit_button("Settle it", type="primary"):
            return
    if grade is None:
        st.error("Choose YES, PART or NO.")
        return
    with widgets.problems():
        adjudications.record(
            state.store(),
            pair.query_id,
            passage_id=pair.passage_id,
            grade=Grade(grade),
            reason=reason,
            reviewer=person,
        )
        state.flash(f"Settled as {grade}. Every label stays as it was given.")
        st.rerun()


def _reconsider(person: str, pair: Difference) -> None:
    """A person's own mind after the verdict, kept apart from their blind label."""
    with st.expander("Change my own label"):
        st.text("Your blind label stays; this one is kept apart as given after the verdict.")
        with st.form(f"reconsider {pair.query_id} {pair.passage_id}", border=False):
            grade = st.radio("I now say", _GRADES, index=None, horizontal=True)
            note = st.text_input("Note")
            if st.form_submit_button("Keep it") and grade is not None:
                with widgets.problems():
                    adjudications.reconsider(
                        state.store(),
                        pair.query_id,
                        passage_id=pair.passage_id,
                        grade=Grade(grade),
                        note=note,
                        annotator=person,
                    )
                    st.rerun()
