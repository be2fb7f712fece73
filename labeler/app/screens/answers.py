"""The Answers page: how many are right, how faithful they are, and which stage to work on."""

from __future__ import annotations

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import answer_forms, measuring
from labeler.reports import answers as reports
from labeler.reports import answers_json, render
from labeler.reports import answers_text as text
from labeler.reports.answers import Group, Report
from labeler.store import answers, goldens, labels, verdicts
from labeler.store.db import Store

EMPTY = "No answer is there yet: bring a system's answers with the contexts that they were given."
HINT = "Whoever sees a verdict on an answer labels that answer blind no more: spot checks skip it."


def show() -> None:
    """Lay the page out."""
    st.title("Answers")
    widgets.flash()
    store = state.store()
    if not answers.current(store):
        st.info(EMPTY)
        answer_forms.bring(store, first=True)
        return
    with widgets.problems():
        report = _chosen(store)
        _trust(report)
        measuring.table(text.HEADER, text.rows(report))
        measuring.download("answers.json", lambda: answers_json.as_json(report))
        st.subheader("Which stage to work on")
        for one in report.compared:
            st.text(text.advice(one))
        if not report.compared:
            st.text(text.NOTHING_TO_COMPARE)
        elif said := text.caution(report):
            st.text(said)
        names = [f"{group.system}, {group.context}" for group in report.groups]
        for group, tab in zip(report.groups, st.tabs(list(map(widgets.plain, names))), strict=True):
            with tab:
                _group(store, group)
        answer_forms.bring(store)
        answer_forms.judge(store)
        if report.judged is not None:
            answer_forms.draw(store, report.judged)


def _chosen(store: Store) -> Report:
    left, right = st.columns(2)
    judges = verdicts.judges(store, answers=True)
    judge = left.selectbox("Judge", judges, format_func=lambda one: render.judge_name(*one[:3]))
    golden = measuring.golden(right) if goldens.history(store) else None
    judged = (
        reports.choose(store, judge=judge.judge, rubric=judge.rubric, model=judge.model)
        if judge
        else None
    )
    return state.unchanged(
        ("answers", judged, golden), lambda: reports.build(store, golden=golden, judged=judged)
    )


def _trust(report: Report) -> None:
    """Whether the judge's grades of answers may be believed."""
    if report.judged is None:
        st.info("No judge has graded an answer yet.")
        return
    widgets.decided(report.judged.decision, report.judged.sentence)


def _group(store: Store, group: Group) -> None:
    """A system's answers in one kind of context."""
    for line in text.details(group):
        st.text(line)
    left, right = st.columns(2)
    with left:
        measuring.table(text.FATES, text.fates(group))
    with right:
        measuring.table(text.KINDS, text.kinds(group))
    if not group.wrong:
        st.text("No graded answer is wrong.")
        return
    person = state.person()
    key = f"wrong {group.system} {group.context}"
    many = len(group.wrong)
    if not st.toggle(f"Show the answers that are not right ({many:,})", help=HINT, key=key):
        return
    if person is not None:
        pairs = [(case.answer.query_id, case.answer.answer_id) for case in group.wrong]
        state.once_a_session(
            ("seen", person.name, tuple(pairs)),
            lambda: labels.note_view(store, pairs, person=person.name),
        )
    event = st.dataframe(
        [
            {
                "query": render.short(case.query.text or case.answer.query_id, width=90),
                "answer": render.short(case.answer.text, width=120),
                "grade": str(case.grade),
                "by": "people" if case.people else "judge",
                "what became of it": str(case.fate),
                "reason": render.short(case.reason, width=120) if case.reason else "",
            }
            for case in group.wrong
        ],
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        key=f"list {key}",
    )
    rows = event["selection"]["rows"]
    at = rows[0] if rows and rows[0] < many else 0
    _case(group, at)


def _case(group: Group, at: int) -> None:
    """One answer whole: what it is judged against, and its claims."""
    case = group.wrong[at]
    st.text(f"Query {case.answer.query_id}: {case.grade}")
    widgets.passage(case.query.text)
    widgets.passage(case.shown.text)
    if case.claims is not None and case.claims.claims:
        rows = [
            [claim.text, str(claim.support), ", ".join(map(str, claim.passages))]
            for claim in case.claims.claims
        ]
        measuring.table(("claim", "support", "passages of the context"), rows)
