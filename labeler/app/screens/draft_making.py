"""Drafting from the page: what to draft, what it would cost, and the run with its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from labeler import asking, config, draft_costs, drafting, hiring, judging
from labeler.app import jobs, state, widgets
from labeler.app.screens import judge
from labeler.drafting import Done, Wanted
from labeler.judges import prices
from labeler.judging import Progress
from labeler.reports import drafts as reports
from labeler.reports import render
from labeler.store import corpora

_EVERY = "All"
_WHAT = "Drafting"


class _Choice(NamedTuple):
    wanted: Wanted
    model: str | None
    most: float


def show() -> None:
    """Lay the form out, or the run that is at work."""
    job = jobs.current()
    running = job is not None and not job.ended.is_set()
    title = "Draft queries from the corpus"
    with st.expander(title, icon=":material/auto_awesome:", key="make drafts"):
        names = [corpus.name for corpus in corpora.current(state.store())]
        if not names:
            st.text("Import a corpus first, on the Data page.")
            return
        with widgets.problems():
            choice = _choose(names)
            if not running:
                _buttons(choice)
    if job is not None and (running or job.what == _WHAT):
        judge.watch()


def _choose(names: list[str]) -> _Choice:
    left, middle, right = st.columns(3)
    n = left.number_input("Passages", 1, 100_000, 150)
    many = middle.number_input("Queries a passage", 1, 5, 2)
    share = right.number_input("Share that nothing answers", 0.0, 0.5, 0.1, 0.05)
    seed = left.number_input("Seed", 0, 2**31 - 1, 0, help="The same seed draws the same.")
    corpus = middle.selectbox("Corpus", [_EVERY, *names])
    most = right.number_input("Budget in US dollars", min_value=0.0, value=5.0, step=1.0)
    model = left.text_input("Model", hiring.model_id(config.load()))
    wanted = Wanted(int(n), int(many), int(seed), float(share), "" if corpus == _EVERY else corpus)
    return _Choice(wanted, model.strip() or None, most)


def _buttons(choice: _Choice) -> None:
    with st.container(horizontal=True):
        estimate = st.button("What would it cost?")
        start = st.button("Draft", type="primary")
    if not (estimate or start):
        return
    store, settings = state.store(), config.load()
    reached = hiring.reach(settings, model=choice.model, max_cost=choice.most)
    table = prices.table(settings.table("prices"))
    rubric = judging.rubric(store)
    with st.spinner("Drawing passages", show_time=True):
        drawn = drafting.draw(store, choice.wanted)
    if start:
        writer = asking.writer(reached, table, max_cost=choice.most)
        jobs.start(
            _WHAT,
            lambda tell, stop: drafting.run(
                store,
                writer,
                drawn,
                choice.wanted,
                rubric=rubric,
                progress=_in_all(tell),
                stop=stop,
            ),
            words=_told,
        )
        st.rerun()
    stages = draft_costs.plan(
        store,
        reached.model,
        drawn,
        choice.wanted,
        rubric=rubric,
        price=table.get(reached.model.id),
    )
    st.text("\n".join([*reports.drawn_lines(drawn), "Nothing has been bought."]))
    st.dataframe(
        [
            {
                "stage": one.name,
                "requests": one.estimate.requests,
                "input tokens": one.estimate.input_tokens,
                "output tokens": one.estimate.output_tokens,
                "cost": render.money(one.estimate.dollars),
            }
            for one in stages
        ],
        hide_index=True,
    )


def _in_all(tell: Callable[[Progress], None]) -> Callable[[str, Progress], None]:
    """Tells how far the stages are that were begun, as one."""
    stages: dict[str, Progress] = {}

    def move(stage: str, told: Progress) -> None:
        stages[stage] = told
        done, total, unreadable, missed = map(
            sum, zip(*(s[:4] for s in stages.values()), strict=True)
        )
        tell(Progress(done, total, unreadable, missed, told.cost))

    return move


def _told(done: Done) -> str:
    return "\n".join(reports.done_lines(done, reports.status(state.store())))
