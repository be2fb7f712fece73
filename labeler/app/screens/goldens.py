"""The Golden sets page: what was frozen from what, when and by whom, and what is to be rebound."""

from __future__ import annotations

import streamlit as st

from labeler import freezing, rebinding
from labeler.app import state, widgets
from labeler.app.screens import near_misses
from labeler.model import GRADES
from labeler.reports import agreement, lineage, render
from labeler.store import (
    bindings,
    corpora,
    damage,
    goldens,
    looks,
    queries,
    rubrics,
    spotchecks,
    verdicts,
)
from labeler.store.bindings import Binding
from labeler.store.db import Store


def show() -> None:
    """Lay the page out."""
    st.title("Golden sets")
    person = state.person()
    if person is None:
        st.write("Say who you are: a version carries your name.")
        widgets.name_form()
        return
    widgets.flash()
    store = state.store()
    with widgets.problems():
        _history(store)
    with widgets.problems():
        _rubrics(store)
    with widgets.problems():
        _freeze(store, person.name)
    with widgets.problems():
        _diff(store)
    with widgets.problems():
        near_misses.show(store, person.name)
    with widgets.problems():
        _rebind(store, person.name)


def _history(store: Store) -> None:
    """Every version with the rubric, judge and decision that it was frozen with."""
    found = state.unchanged("lineage", lambda: lineage.versions(store))
    if not found:
        st.text("Nothing is frozen yet.")
        return
    st.dataframe(
        [
            {
                "golden set": one.golden.ref,
                "entries": one.entries,
                "frozen": one.golden.frozen_at,
                "by": one.golden.frozen_by,
                "from": one.golden.origin,
                "judge": one.judge,
                "gate": one.freeze.provenance.decision if one.freeze else "",
                "overridden": one.freeze.provenance.override if one.freeze else "",
                "because": one.freeze.reason if one.freeze else "",
                "held out": one.held_out,
                "looks": one.looks,
                "hash": one.golden.hash,
            }
            for one in reversed(found)
        ],
        hide_index=True,
        width="stretch",
    )
    if st.button("Verify"):
        problems = damage.verify(store)
        for one in problems:
            st.error(widgets.plain(str(one)), icon=":material/error:")
        if not problems:
            st.success(f"{len(found):,} versions, all as they were frozen.")


def _rubrics(store: Store) -> None:
    """Every rubric version with what held-out pairs last said of it."""
    seen = {look.rubric: look for look in reversed(looks.history(store))}
    found = [
        {
            "rubric": entry.rubric.ref,
            "added": entry.added_at,
            "by": entry.added_by,
            "examples": len(entry.rubric.examples),
            "looks": seen[entry.rubric.ref].look if entry.rubric.ref in seen else 0,
            "held-out pairs say": (
                seen[entry.rubric.ref].reading if entry.rubric.ref in seen else ""
            ),
        }
        for entry in reversed(rubrics.history(store))
    ]
    if found:
        st.subheader("Rubrics")
        st.dataframe(found, hide_index=True, width="stretch")


def _freeze(store: Store, person: str) -> None:
    st.subheader("Freeze")
    judged = verdicts.judges(store)
    with st.form("freeze", border=False):
        left, middle, right = st.columns(3)
        name = left.text_input("Golden set", max_chars=80)
        source = middle.selectbox("From", freezing.SOURCES)
        checks = [check.name for check in spotchecks.history(store)]
        check = right.selectbox("The gate reads", ["every labelled pair", *checks])
        judge = left.selectbox("Judge", judged, format_func=lambda one: render.judge_name(*one[:3]))
        reason = middle.text_input("Why grades change, where they do")
        override = right.text_input("Override the gate, with a reason")
        if st.form_submit_button("Freeze", type="primary"):
            selection = None
            if judge is not None:
                selection = agreement.choose(
                    store,
                    judge=judge.judge,
                    rubric=judge.rubric,
                    model=judge.model,
                    spotcheck=check if check in checks else None,
                )
            done = freezing.freeze(
                store,
                name,
                source=source,
                judged=selection,
                override=override,
                reason=reason,
                person=person,
            )
            state.flash(
                f"{done.golden.ref}: {len(done.golden.entries):,} entries, {done.from_people:,} "
                f"from people, {done.from_judge:,} from the judge; left out: {done.unsettled:,} "
                f"unsettled, {done.barred:,} out of the caller's scope or not in force."
            )
            st.rerun()


def _diff(store: Store) -> None:
    refs = [golden.ref for golden in reversed(goldens.history(store))]
    if len(refs) < 2:
        return
    st.subheader("Compare versions")
    left, right = st.columns(2)
    new = right.selectbox("To", refs)
    old = left.selectbox("From version", [ref for ref in refs if ref != new])
    changes = goldens.diff(store, goldens.named(store, old), goldens.named(store, new))
    st.text(render.counted(len(changes), "change"))
    st.dataframe([one._asdict() for one in changes], hide_index=True, width="stretch")


def _rebind(store: Store, person: str) -> None:
    known = goldens.newest(store)
    if not known:
        return
    st.subheader("Rebind")
    left, right = st.columns(2)
    golden = left.selectbox("Set to rebind", [one.name for one in known])
    corpus = right.selectbox("To corpus", [one.name for one in corpora.current(store)])
    if st.button("Carry grades over", disabled=corpus is None):
        done = rebinding.rebind(store, golden, corpus=corpus, person=person)
        counts = ", ".join(f"{len(done.of(s)):,} {s}" for s in ("certain", "look", "gone"))
        state.flash(f"{done.old.ref} to {done.new.ref}: {counts}")
        st.rerun()
    waiting = bindings.queue(store, golden)
    gone = [one for one in bindings.current(store, golden) if one.state == "gone"]
    st.text(f"{len(waiting):,} passages to look at, {len(gone):,} gone")
    if waiting:
        _look(store, waiting[0], person)
    if any(one.state == "decided" for one in bindings.current(store, golden)) and st.button(
        "Freeze what was decided"
    ):
        state.flash(f"{rebinding.settle(store, golden, person=person).ref} holds what was decided.")
        st.rerun()


def _look(store: Store, one: Binding, person: str) -> None:
    """The old passage and the new side by side."""
    asked = queries.named(store, [one.query_id])
    texts = corpora.passages(store, [one.old_passage, one.new_passage])
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
        with st.container(horizontal=True):
            for grade in reversed(GRADES):
                if st.button(str(grade), key=f"bind {grade}"):
                    bindings.decide(store, one, grade=grade, person=person)
                    st.rerun()
