"""The Consistency page: people against each other, against what was settled, against themselves."""

from __future__ import annotations

import streamlit as st

from labeler.app import on_demand, state, widgets
from labeler.app.screens import repeats
from labeler.reports import consistency, render
from labeler.reports.consistency import Drift, Personal, Report

_ALPHA = "Agreement of everybody beyond chance, with holes: 1 is perfect."


def show() -> None:
    """Lay the page out."""
    st.title("Consistency")
    st.text("Blind labels of people against each other. Intervals count queries, not pairs.")
    store = state.store()
    with widgets.problems():
        report = on_demand.made("consistency", "the report", lambda: consistency.build(store))
        if report is None:
            return
        if not report.people:
            st.info("Nobody has labelled anything yet.")
            return
        _figures(report)
        _twosomes(report)
        _people(report)
        _drift(report)
    with widgets.problems():
        repeats.show(store)


def _figures(report: Report) -> None:
    widgets.figures(
        [
            widgets.Figure("Alpha, ordinal", *render.split(report.alpha), _ALPHA),
            widgets.Figure("Alpha, nominal", *render.split(report.alpha_nominal), _ALPHA),
            widgets.Figure(
                "Shared pairs",
                f"{report.shared:,}",
                f"of {render.counted(report.queries, 'query', plural='queries')}",
            ),
        ]
    )
    for name, found in (("ordinal", report.alpha), ("nominal", report.alpha_nominal)):
        if found.value is None:
            st.text(f"Alpha, {name}: {found.reason}.")


def _twosomes(report: Report) -> None:
    st.subheader("Each two people")
    if not report.twosomes:
        st.text("No two people have labelled the same pair. The Judge page draws pairs for two.")
        return
    st.dataframe(
        [
            {
                "people": f"{two.first}, {two.second}",
                "pairs": two.n,
                "differ": two.disagreements,
                "kappa": render.coefficient(two.kappa),
                "kappa, linear weights": render.coefficient(two.kappa_linear),
            }
            for two in report.twosomes
        ],
        hide_index=True,
        width="stretch",
    )


def _people(report: Report) -> None:
    st.subheader("Each person")
    st.dataframe([_person(one) for one in report.people], hide_index=True, width="stretch")
    st.text(
        "Steady: the same grade when a pair came again an hour or more later. "
        f"Warm-up: the first {consistency.WARM_UP} labels."
    )


def _person(one: Personal) -> dict[str, object]:
    return {
        "person": one.name,
        "labels": one.labels,
        "unsure": render.share(one.unsure),
        "seconds a label": render.DASH if one.pace is None else f"{one.pace:.1f}",
        "steady": f"{render.share(one.steady)}, {one.repeats} again",
        "differs from settled": render.share(one.drift[-1].disagreement),
        "in the warm-up": render.share(one.warm_up.disagreement),
    }


def _drift(report: Report) -> None:
    st.subheader("Against settled pairs, by month")
    rows = [_month(one.name, part) for one in report.people for part in one.drift[:-1]]
    if not rows:
        st.text("No pair that somebody labelled has been settled yet.")
        return
    st.dataframe(rows, hide_index=True, width="stretch")


def _month(name: str, part: Drift) -> dict[str, object]:
    mean = part.mean_difference
    return {
        "person": name,
        "month": part.when,
        "pairs": part.n,
        "differs": render.share(part.disagreement),
        "mean difference in grades": render.DASH if mean is None else f"{mean:+.2f}",
    }
