"""The Rubrics page: a new version with its diff, its verdicts, and whether it is better."""

from __future__ import annotations

import streamlit as st

from labeler import config, hiring, judging
from labeler.app import jobs, on_demand, state, widgets
from labeler.app.screens import contrasts, judge
from labeler.judges import shipped
from labeler.model import Rubric
from labeler.reports import agreement, judges, reading_order, render, workshop_lines
from labeler.stats.explanation import percent
from labeler.store import examples, rubrics, spotchecks, verdicts
from labeler.store.db import Store
from labeler.store.pairs import Scope


def show() -> None:
    """Lay the page out."""
    st.title("Rubrics")
    person = state.person()
    if person is None:
        st.write("Say who you are: a version carries your name.")
        widgets.name_form()
        return
    widgets.flash()
    store = state.store()
    with widgets.problems():
        _edit(store, person.name)
    with widgets.problems():
        _judge(store)
    with widgets.problems():
        _read_first(store)
    with widgets.problems():
        contrasts.show(store, person.name)
    with widgets.problems():
        _judges(store)


def _known(store: Store) -> list[Rubric]:
    """Every version, the newest first; what comes with the package where nothing is stored."""
    found = [entry.rubric for entry in rubrics.history(store)][::-1]
    packaged = map(shipped.rubric, (shipped.DEFAULT, shipped.CORRECTNESS))
    named = {rubric.name for rubric in found}
    return [*found, *(one for one in packaged if one is not None and one.name not in named)]


def _edit(store: Store, person: str) -> None:
    st.subheader("1. Edit")
    known = _known(store)
    left, right = st.columns([2, 1])
    written = [place for place, one in enumerate(known) if one.name != shipped.LEXICAL]
    base = left.selectbox(
        "Begin with", known, index=written[0] if written else 0, format_func=lambda one: one.ref
    )
    name = right.text_input("Name", base.name, key=f"name {base.ref}", max_chars=80)
    text = st.text_area("Rubric", base.text, height=320, key=f"text {base.ref}")
    offered = state.unchanged(
        "offered",
        lambda: examples.offered(store),
        reads=("adjudications", "queries", "passages"),
    )
    taken = {example["passage"]: example for example in map(dict, base.examples)}
    fresh = [one for one in offered if one.passage not in taken]
    kept = st.multiselect(
        "Examples that stay",
        list(taken),
        default=list(taken),
        format_func=lambda passage: render.short(passage, width=70),
        key=f"kept {base.ref}",
    )
    added = st.multiselect(
        "Examples from adjudicated pairs",
        fresh,
        format_func=lambda one: f"{one.grade}: {render.short(one.query, width=60)}",
        key=f"added {base.ref}",
        help="Of needs that are not held out. A pair that is shown as an example is not compared.",
    )
    shown = [taken[passage] for passage in kept] + [one.shown for one in added]
    new = Rubric(name, base.version + 1, text, tuple(shown))
    changed = rubrics.diff(base, new)
    if changed:
        st.code(changed, language="diff", wrap_lines=True)
    if st.button("Add as a new version", type="primary", disabled=not changed):
        judging.keep_rubric(store, base)
        kept_as = rubrics.add(store, name, text=text, examples=shown, by=person)
        state.flash(f"{kept_as.ref} added. Let it judge the labelled pairs, then compare.")
        st.rerun()


def _judge(store: Store) -> None:
    st.subheader("2. Judge the labelled pairs again")
    checks = [check.name for check in spotchecks.history(store)]
    if not checks:
        st.text("Draw a spot check on the Judge page first.")
        return
    job = jobs.current()
    if job is not None:
        judge.watch()
        if not job.ended.is_set():
            return
    settings = config.load()
    first, second, third, fourth = st.columns(4)
    refs = [rubric.ref for rubric in _known(store) if rubric.name != shipped.LEXICAL]
    ref = first.selectbox("Rubric to judge by", refs)
    check = second.selectbox("Spot check to judge", checks)
    model = third.text_input("Model to judge with", hiring.model_id(settings))
    most = fourth.number_input("At most, in US dollars", min_value=0.0, value=5.0, step=1.0)
    if st.button("Judge again"):
        reached = hiring.reach(settings, model=model.strip() or None, max_cost=most)
        seat = hiring.seat(store, settings, reached, rubric=ref, max_cost=most)
        jobs.start(
            f"The judge {render.judge_name(seat.name, ref, seat.model_id)}",
            lambda tell, stop: judging.run(
                store, seat, scope=Scope(check), progress=tell, stop=stop
            ),
        )
        st.rerun()


def _read_first(store: Store) -> None:
    """The newest spot check's disagreements in groups, of the pairs to tune on."""
    checks = spotchecks.history(store)
    if not checks:
        return
    selection = agreement.choose(store, spotcheck=checks[0].name)
    found = state.unchanged(
        ("read first", selection),
        lambda: reading_order.groups(store, selection),
        reads=on_demand.COMPARED,
    )
    with st.expander(f"What to read first ({len(found):,} groups of disagreements)"):
        st.text(f"{workshop_lines.name(selection)}, pairs to tune on of {checks[0].name}")
        st.dataframe(
            [
                {
                    "by": one.by,
                    "value": one.value,
                    "disagreements": one.n,
                    "of all": percent(one.share),
                }
                for one in found
            ],
            hide_index=True,
            width="stretch",
        )


def _judges(store: Store) -> None:
    """Every judge with the gate's decision and its price."""
    if not verdicts.judges(store):
        return
    st.subheader("4. The cheapest judge that passes")
    names = ["Every labelled pair", *(check.name for check in spotchecks.history(store))]
    where = st.selectbox("Labels", names, index=min(1, len(names) - 1))
    check = None if where == names[0] else where
    found = on_demand.compared(
        ("candidates", check),
        "the table of judges",
        lambda: judges.candidates(store, spotcheck=check),
        spotcheck=check,
    )
    if found is None:
        return
    st.dataframe(
        [
            {
                "": "cheapest that passes" if one.stands_out else "",
                "judge": workshop_lines.name(one.selection),
                "gate": str(one.decision),
                "rubric": one.confirmed,
                "pairs": one.n,
                "disagreement": render.share(one.disagreement),
                "price": workshop_lines.price(one.price),
            }
            for one in found
        ],
        hide_index=True,
        width="stretch",
    )
    if found and found[0].stands_out:
        best = found[0]
        said = f"{workshop_lines.name(best.selection)}, {workshop_lines.price(best.price)}"
        st.success(widgets.plain(said), icon=":material/verified:")
