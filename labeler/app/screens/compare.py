"""The Compare page: variants side by side, and what their differences are worth."""

from __future__ import annotations

import streamlit as st

from labeler import bm25
from labeler.app import on_demand, state, widgets
from labeler.app import retrieval_charts as charts
from labeler.app.screens import corrected, measuring
from labeler.reports import render, variants
from labeler.reports import variants_text as text
from labeler.reports.retrieval_text import number
from labeler.reports.variants import Report, Twosome


def show() -> None:
    """Lay the page out."""
    st.title("Compare")
    systems = measuring.systems()
    if not systems:
        st.info("No run is there yet: import runs on the Data page.")
        return
    with widgets.problems():
        left, middle, right = st.columns([3, 2, 1])
        known = [*systems, bm25.SYSTEM]
        chosen = left.multiselect("Systems", known, default=known[:2])
        golden, reading = measuring.golden(middle), measuring.reading(right)
        report = on_demand.made(
            ("compare", tuple(chosen), golden, reading),
            "the comparison",
            lambda: variants.build(
                state.store(),
                chosen,
                golden=golden,
                reading=reading,
                baseline=not on_demand.large(),
            ),
        )
        if report is None:
            return
        _measures(report)
        _differences(report)
        _costs(report)
        _scores(report)
        _changed(report)
        corrected.show(chosen, golden=golden, reading=reading)


def _measures(report: Report) -> None:
    measuring.table(*text.means(report))
    if report.no_baseline:
        st.text(f"No {bm25.SYSTEM} beside them: {report.no_baseline}.")
    rows = [
        [name, each.ranked.note or "not said what was changed"]
        for name, each in report.variants.items()
    ]
    measuring.table(("system", "what was changed"), rows)
    measuring.download("compare.json", lambda: variants.as_json(report))


def _differences(report: Report) -> None:
    st.subheader("Differences")
    for two in report.twosomes:
        if two.reranked.flagged:
            said = f"{two.first} and {two.second}: {two.reranked.reading}"
            st.warning(widgets.plain(said), icon=":material/warning:")
        elif two.reranked.reading:
            st.text(f"{two.first} and {two.second}: {two.reranked.reading}.")
    measuring.table(*text.differences(report))
    with st.expander("By part"):
        measuring.table(*text.sliced(report))


def _costs(report: Report) -> None:
    st.subheader("Recall at equal tokens, and at equal k")
    if not any(each.at_tokens for each in report.variants.values()):
        st.text("No passage has a text, so what a list costs is not known.")
        return
    st.text("Lines: cut at equal tokens. Points: cut at equal k. About 4 characters are a token.")
    st.altair_chart(charts.costs(report))
    measuring.table(*text.budgets(report))


def _scores(report: Report) -> None:
    st.subheader("Where to cut the scores")
    rows = [
        [name, number(each.threshold.auc), each.threshold.reason]
        for name, each in report.variants.items()
    ]
    measuring.table(("system", "area under ROC", "advice"), rows)


def _changed(report: Report) -> None:
    st.subheader(f"Queries that changed most on {report.lead}")
    pairs = {f"{two.first} to {two.second}": two for two in report.twosomes}
    _rankings(report, pairs[st.selectbox("From and to", list(pairs), format_func=str)])


def _rankings(report: Report, two: Twosome) -> None:
    if not two.changed:
        st.text("No query changed.")
        return
    for each in two.changed:
        query = report.basis.queries[each.query_id]
        with st.container(border=True):
            st.text(f"{each.query_id}: {each.first:.3f} to {each.second:.3f}")
            st.text(render.short(query.text))
            rows = text.side_by_side(each, report.basis.golden[each.query_id])
            measuring.table(("rank", two.first, two.second), rows)
