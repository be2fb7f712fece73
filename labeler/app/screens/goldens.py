"""The Golden sets page: what was frozen from what, when and by whom, and what is to be rebound."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from labeler import freezing
from labeler.app import state, widgets
from labeler.app.screens import near_misses, rebind
from labeler.reports import agreement, lineage, render
from labeler.stats.parts import Part
from labeler.store import damage, goldens, looks, rubrics, spotchecks, verdicts
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
    parts: dict[str, Callable[[Store, str], None]] = {
        "Versions": _versions,
        "Freeze": _freeze,
        "Changes": _changes,
        "Near misses": near_misses.show,
        "Rebind": rebind.show,
    }
    # Only the open tab is laid out: a key of another would decide what nobody sees.
    tabs = st.tabs(list(parts), key="tab", on_change="rerun", bind="query-params")
    for tab, part in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab, widgets.problems():
                part(state.store(), person.name)


def _versions(store: Store, _person: str) -> None:
    """Every version with the rubric, judge and decision that it was frozen with."""
    found = state.unchanged("lineage", lambda: lineage.versions(store))
    if not found:
        st.text("Nothing is frozen yet.")
        return
    rows = [
        {
            "golden set": one.golden.ref,
            "entries": one.entries,
            "frozen": render.moment(one.golden.frozen_at),
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
    ]
    used = [name for name in rows[0] if any(row[name] != "" for row in rows)]
    st.dataframe(rows, hide_index=True, width="stretch", column_order=used)
    if st.button("Verify"):
        problems = damage.verify(store)
        for one in problems:
            st.error(widgets.plain(str(one)), icon=":material/error:")
        if not problems:
            st.success(f"{len(found):,} versions, all as they were frozen.")
    _rubrics(store)


def _rubrics(store: Store) -> None:
    """Every rubric version with what held-out pairs last said of it."""
    seen = {one.rubric: one for one in looks.history(store)[::-1] if one.part == Part.HELD_OUT}
    found = [
        {
            "rubric": entry.rubric.ref,
            "added": render.moment(entry.added_at),
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
    """What people have settled, and a trusted judge where it is asked for, as the next version."""
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


def _changes(store: Store, _person: str) -> None:
    """What differs from one version to another."""
    refs = [golden.ref for golden in reversed(goldens.history(store))]
    if len(refs) < 2:
        st.text("There are no two versions to compare yet.")
        return
    left, right = st.columns(2)
    new = right.selectbox("To", refs)
    old = left.selectbox("From version", [ref for ref in refs if ref != new])
    changes = goldens.diff(store, goldens.named(store, old), goldens.named(store, new))
    st.text(render.counted(len(changes), "change"))
    st.dataframe([one._asdict() for one in changes], hide_index=True, width="stretch")
