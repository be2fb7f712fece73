"""The Judge page: candidates, verdicts with their cost known before, and the spot check's draw."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from labeler import config, drawing, estimating, hiring, judging
from labeler.app import jobs, state, widgets
from labeler.judges import prices, shipped
from labeler.judges.claude import Claude, counting
from labeler.reports import agreement, render
from labeler.store import rubrics, runs, spotchecks, verdicts
from labeler.store.db import Store
from labeler.store.pairs import Scope

_CLAUDE, _LEXICAL = "Claude", "Lexical baseline"
_POOL = "All candidates"


def show() -> None:
    """Lay the page out."""
    st.title("Judge")
    widgets.flash()
    store = state.store()
    with widgets.problems():
        _pool(store)
        _run(store)
        _draw(store)
        _unreadable(store)


def _pool(store: Store) -> None:
    st.subheader("1. Candidates")
    systems = runs.systems(store)
    st.text(f"{runs.candidates(store):,} candidate pairs; {len(systems):,} runs to pool.")
    if systems:
        with st.form("pool", border=False):
            depth = st.number_input("Depth", 1, 1000, 20, help="The top passages of each run.")
            if st.form_submit_button("Pool the runs"):
                done = runs.pool(store, depth=int(depth))
                state.flash(f"{done.read:,} pairs to depth {depth}, {done.added:,} of them new.")
                st.rerun()


class _Choice(NamedTuple):
    judge: str
    scope: Scope
    model: str | None
    rubric: str
    most: float | None
    retry: bool


def _run(store: Store) -> None:
    st.subheader("2. Verdicts")
    for found in verdicts.judges(store):
        name = render.judge_name(found.judge, found.rubric, found.model)
        unreadable = f", {found.unreadable:,} unreadable" if found.unreadable else ""
        st.text(f"{name}: {found.ok:,} verdicts{unreadable}")
    job = jobs.current()
    if job is not None:
        watch()
    if job is None or job.ended.is_set():
        _start(store, _choose(store))


def _choose(store: Store) -> _Choice:
    judge = st.segmented_control("Judge", [_CLAUDE, _LEXICAL], default=_CLAUDE) or _CLAUDE
    left, right = st.columns(2)
    checks = [check.name for check in spotchecks.history(store)]
    where = left.selectbox("Pairs", [_POOL, *checks])
    scope = Scope("" if where == _POOL else where)
    if judge == _LEXICAL:
        return _Choice(judge, scope, None, "", None, False)
    settings = config.load()
    model = right.text_input("Model", hiring.model_id(settings))
    written = (entry.rubric for entry in rubrics.history(store))
    known = [rubric.ref for rubric in written if rubric.name != shipped.LEXICAL]
    rubric = left.selectbox("Rubric", ["The newest", *reversed(known)])
    most = right.number_input("Budget in US dollars", min_value=0.0, value=5.0, step=1.0)
    retry = st.checkbox("Ask again where a reply was unreadable")
    return _Choice(
        judge, scope, model.strip() or None, "" if rubric == "The newest" else rubric, most, retry
    )


def _start(store: Store, choice: _Choice) -> None:
    """The buttons. Key, model and budget are checked in words before anything is sent."""
    with st.container(horizontal=True):
        estimate = choice.judge == _CLAUDE and st.button("What would it cost?")
        run = st.button("Judge", type="primary")
    if estimate:
        _estimate(store, choice)
    if run:
        chosen = judging.lexical(store) if choice.judge == _LEXICAL else _claude(store, choice)
        jobs.start(
            f"The judge {render.judge_name(chosen.name, chosen.rubric.ref, chosen.model_id)}",
            lambda tell, stop: judging.run(
                store,
                chosen,
                scope=choice.scope,
                retry_unreadable=choice.retry,
                progress=tell,
                stop=stop,
            ),
        )
        st.rerun()


def _claude(store: Store, choice: _Choice) -> Claude:
    settings = config.load()
    reached = hiring.reach(settings, model=choice.model, max_cost=choice.most)
    return hiring.seat(store, settings, reached, rubric=choice.rubric, max_cost=choice.most)


def _estimate(store: Store, choice: _Choice) -> None:
    settings = config.load()
    chosen = _claude(store, choice)
    dry = estimating.dry_run(
        store,
        chosen,
        table=prices.table(settings.table("prices")),
        scope=choice.scope,
        retry_unreadable=choice.retry,
        count=counting(chosen.line),
    )
    st.text(f"{dry.requests:,} requests. Nothing has been bought.")
    st.dataframe(
        [
            {
                "model": one.model,
                "input tokens": one.input_tokens,
                "output tokens": one.output_tokens,
                "single calls": render.money(one.single),
                "in batches": render.money(one.batch),
            }
            for one in dry.estimates
        ],
        hide_index=True,
    )


def watch() -> None:
    """How the running job fares, or what the last one came to."""
    job = jobs.current()
    if job is None:
        return
    if not job.ended.is_set():
        _running()
    elif job.error:
        st.error(widgets.plain(job.error), icon=":material/error:")
    elif job.summary is not None:
        st.text(job.words(job.summary))
        if job.summary.problem:
            st.error(widgets.plain(job.summary.problem), icon=":material/error:")


@st.fragment(run_every=1.0)
def _running() -> None:
    """Drawn again every second while the job runs, and no longer: each time closes what is open."""
    job = jobs.current()
    if job is None or job.ended.is_set():
        st.rerun()
    progress = job.progress
    done, total = (progress.done, progress.total) if progress else (0, 0)
    left = job.seconds_left
    said = f"{done:,} of {total:,}" if total else "Starting"
    st.progress(done / total if total else 0.0, text=said)
    if progress is not None:
        st.text(
            f"{job.rate:,.1f} a second, {render.money(progress.cost)} so far, "
            f"{progress.unreadable:,} unreadable"
            + (f", about {left:,.0f} s left" if left is not None else "")
        )
    if job.stopping.is_set():
        st.text("Stopping: what is in flight still comes back.")
    elif st.button("Stop"):
        job.stop()


def _draw(store: Store) -> None:
    st.subheader("3. Spot check")
    judges = verdicts.judges(store)
    if not judges:
        st.text("A spot check is drawn from verdicts: there are none yet.")
        return
    with st.form("draw", border=False):
        first, second, third = st.columns(3)
        name = first.text_input("Name", max_chars=80)
        n = second.number_input("Pairs", 1, 100_000, 30)
        overlap = third.number_input("People a pair", 1, 50, 1)
        judge = first.selectbox(
            "From the verdicts of", judges, format_func=lambda known: render.judge_name(*known[:3])
        )
        floor = second.number_input("At least of each verdict", 0, 1000, 5)
        seed = third.number_input("Seed", 0, 2**31 - 1, 0, help="The same seed draws the same.")
        if st.form_submit_button("Draw"):
            selection = agreement.choose(
                store, judge=judge.judge, rubric=judge.rubric, model=judge.model
            )
            person = state.person()
            check = drawing.draw(
                store,
                name,
                judged=selection,
                n=int(n),
                seed=int(seed),
                per_verdict=int(floor),
                overlap=int(overlap),
                person=person.name if person else "",
            )
            state.flash(
                f"{check.n:,} pairs drawn into {check.name}. The Label page hands them out."
            )
            st.rerun()


def _unreadable(store: Store) -> None:
    """Replies that were no verdict: kept, shown, and never a grade."""
    found = verdicts.unreadable(store)
    if not found:
        return
    st.subheader(f"Unreadable replies ({len(found):,})")
    for verdict in found[:20]:
        who = render.judge_name(verdict.judge, verdict.rubric, verdict.model)
        with st.expander(widgets.plain(f"{verdict.query_id} / {verdict.passage_id}: {who}")):
            st.text(verdict.reason or verdict.stop_reason)
            widgets.passage(verdict.raw)
