"""The Review page: pairs on which people differ, or people and the judge, settled one by one."""

from __future__ import annotations

import streamlit as st

from labeler.app import state, widgets
from labeler.app.screens import settling
from labeler.reports import render
from labeler.store import adjudications, differences, verdicts
from labeler.store.differences import Difference, Queue
from labeler.store.verdicts import Judged

_BETWEEN = {
    "people": "people differ",
    "unsure": "nobody could tell",
    "judge": "people and judge differ",
}


def show() -> None:
    """Lay the page out."""
    st.title("Review")
    person = state.person()
    if person is None:
        st.write("Say who you are: a decision carries your name.")
        widgets.name_form()
        return
    widgets.flash()
    with widgets.problems():
        judged = _judge()
        found = state.unchanged(("queue", judged), lambda: _queue(judged))
        counts = found.counts
        said = [f"{counts[key]:,} where {name}" for key, name in _BETWEEN.items() if counts[key]]
        st.text(
            f"{render.counted(found.total, 'pair')} to settle"
            + (f": {', '.join(said)}" if said else "")
        )
        if found.total:
            settling.show(person.name, _pick(found), judged)
        else:
            st.info("Nothing differs that has not been settled.")
        _settled()


def _judge() -> Judged | None:
    """The judge whose verdicts are compared; the newest, unless another is chosen."""
    known = verdicts.judges(state.store())
    if len(known) < 2:
        return known[0] if known else None
    return st.selectbox(
        "Judge",
        known,
        format_func=lambda one: render.judge_name(one.judge, one.rubric, one.model),
    )


def _queue(judged: Judged | None) -> Queue:
    if judged is None:
        return differences.queue(state.store())
    return differences.queue(
        state.store(), judge=judged.judge, rubric=judged.rubric, model=judged.model
    )


def _pick(found: Queue) -> Difference:
    """The pair that is shown: J and K go to the next and the one before."""
    asked = state.asked("at") or ""
    at = min(int(asked) if asked.isdecimal() else 0, found.total - 1)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Before", shortcut="k", disabled=at == 0):
            state.ask("at", str(at - 1))
            st.rerun()
        if st.button("Next", shortcut="j", disabled=at == found.total - 1):
            state.ask("at", str(at + 1))
            st.rerun()
        pair = found.at(at)
        if pair is None:  # somebody has just settled it
            st.rerun()
        st.text(f"{at + 1:,} of {found.total:,}: {_BETWEEN[pair.between]}")
    return pair


def _settled() -> None:
    """The decisions that stand."""
    decided = adjudications.current(state.store())
    if not decided:
        return
    with st.expander(f"Settled ({len(decided):,})"):
        st.dataframe(
            [
                {
                    "query": one.query_id,
                    "passage": one.passage_id,
                    "grade": str(one.grade),
                    "reason": one.reason,
                    "reviewer": one.reviewer,
                    "at": render.moment(one.decided_at),
                }
                for one in decided
            ],
            hide_index=True,
            width="stretch",
        )
