"""The whole report for a decision, made when it is asked for and taken as one file."""

from __future__ import annotations

import streamlit as st

from labeler.app import state
from labeler.app.screens import measuring
from labeler.reports import dossier, dossier_html, dossier_markdown
from labeler.reports.retrieval import Report

HINT = (
    "For every run, with the judge, the corrected numbers and the misses, to attach to a decision."
)


def show(report: Report) -> None:
    """Make the report of the run that is shown and the newest others, against the same."""
    asked = tuple(dict.fromkeys([report.ranked.system, *measuring.systems()]))[: dossier.MOST]
    key = ("dossier", asked, report.basis.ref, report.evaluation.reading)
    if not st.toggle("Make the whole report", help=HINT):
        return
    found = state.unchanged(
        key,
        lambda: dossier.build(
            state.store(), asked, golden=report.basis.ref, reading=report.evaluation.reading
        ),
    )
    with st.container(horizontal=True):
        st.download_button(
            "Download report.html",
            dossier_html.html(found),
            file_name="report.html",
            mime="text/html",
            on_click="ignore",
        )
        st.download_button(
            "Download report.md",
            dossier_markdown.markdown(found),
            file_name="report.md",
            mime="text/markdown",
            on_click="ignore",
        )
