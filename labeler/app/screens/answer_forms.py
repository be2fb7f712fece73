"""The Answers page's forms: bring answers, let a judge grade them, let people check the judge."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from labeler import answering, config, drawing, hiring, importing
from labeler.app import jobs, state, widgets
from labeler.app.screens import judge as running
from labeler.model import CONTEXTS
from labeler.reports import answers_text, render
from labeler.reports.answers import Judged
from labeler.store.db import Store

_WHAT = "The judge of answers"
_GIVEN = {
    "production": "What its search brought",
    "frozen": "A fixed context",
    "selected": "The right passages, chosen by a person",
}
_SHAPE = (
    "JSON lines, JSON or CSV with query_id or query, answer, and context: passage ids, texts, or "
    "both. A malformed line stops the import before anything is stored."
)


def bring(store: Store, *, first: bool = False) -> None:
    """Upload a system's answers; opened where there are none yet."""
    with st.expander("Bring answers", icon=":material/upload:", expanded=first):
        st.text(_SHAPE)
        with st.form("bring answers", border=False):
            chosen = st.file_uploader("File")
            left, right = st.columns(2)
            system = left.text_input("System", max_chars=200)
            kind = right.selectbox("What it was given", CONTEXTS, format_func=lambda of: _GIVEN[of])
            skip = st.checkbox("Leave malformed lines out and list them")
            if not st.form_submit_button("Import", type="primary"):
                return
        if chosen is None:
            st.error("Choose a file first", icon=":material/error:")
            return
        with widgets.problems(), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"answers{Path(chosen.name).suffix[-20:]}"
            path.write_bytes(chosen.getbuffer())
            person = state.person()
            options = importing.Options(
                skip_bad=skip,
                names={path: Path(chosen.name).name},
                person=person.name if person else "",
            )
            whose = answering.Whose(system, kind)
            done = answering.bring(store, path, whose=whose, options=options)
            said = [render.imported(done), *map(str, done.left_out), *done.remarks]
            state.flash(". ".join(said))
            st.rerun()


def judge(store: Store) -> None:
    """Let Claude grade the answers and list their claims, or watch it at work."""
    job = jobs.current()
    busy = job is not None and not job.ended.is_set()
    with st.expander("Let a judge grade them", icon=":material/smart_toy:"):
        if not busy:
            left, right = st.columns(2)
            model = left.text_input("Model", hiring.model_id(config.load())).strip() or None
            most = right.number_input("Budget in US dollars", min_value=0.0, value=5.0, step=1.0)
            faithful = st.checkbox("Check each claim against the context", value=True)
            with st.container(horizontal=True):
                estimate = st.button("What would it cost?")
                start = st.button("Judge the answers", type="primary")
            if estimate or start:
                _asked(store, model, most, faithful, start=start)
    if job is not None and (busy or job.what == _WHAT):
        running.watch()


def _asked(store: Store, model: str | None, most: float, faithful: bool, *, start: bool) -> None:
    """Say what it would cost, or begin; key, model and budget are checked first, in words."""
    settings = config.load()
    reached = hiring.reach(settings, model=model, max_cost=most)
    chosen = answering.seat(store, settings, reached, max_cost=most)
    if start:
        jobs.start(
            _WHAT,
            lambda tell, stop: answering.judge(
                store, chosen, faithfulness=faithful, progress=tell, stop=stop
            ),
            words=answers_text.judged,
        )
        st.rerun()
    for line in answers_text.costs(answering.estimate(store, chosen, faithfulness=faithful)):
        st.text(line)
    st.text("Nothing has been bought.")


def draw(store: Store, judged: Judged) -> None:
    """A spot check of the judge's grades of answers, for people to label blind."""
    with (
        st.expander("Let people check the judge", icon=":material/groups:"),
        st.form("draw answers", border=False),
    ):
        first, second = st.columns(2)
        name = first.text_input("Name", max_chars=80)
        n = second.number_input("Answers", 1, 100_000, 30)
        if st.form_submit_button("Draw"):
            person = state.person()
            check = drawing.draw(
                store,
                name,
                judged=judged.selection,
                n=int(n),
                person=person.name if person else "",
            )
            state.flash(
                f"{check.n:,} answers drawn into {check.name}. The Label page hands them out."
            )
            st.rerun()
