"""What the retrieval pages share: the choice of what to measure, and tables of numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from labeler.app import state
from labeler.reports.basis import SETTLED
from labeler.stats.measures import Reading
from labeler.store import goldens, runs


def systems() -> list[str]:
    """The systems that have a run, the newest first."""
    store = state.store()
    known = state.unchanged("runs", lambda: runs.current(store), reads=("runs",))
    return [run.system for run in sorted(known, key=lambda run: run.imported_at, reverse=True)]


def golden(place: Any) -> str:
    """What to measure against: the newest golden set unless another is chosen."""
    versions = [found.ref for found in reversed(goldens.history(state.store()))]
    chosen: str = place.selectbox("Golden set", [*versions, SETTLED], format_func=str)
    return chosen


def reading(place: Any) -> Reading:
    """Whether PART counts."""
    hint = "Strict reads YES as relevant, lenient YES or PART."
    return Reading(place.selectbox("Reading", [str(each) for each in Reading], help=hint))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table of text, as the terminal prints it."""
    st.dataframe(
        [dict(zip(header, row, strict=True)) for row in rows], hide_index=True, width="stretch"
    )


def download(name: str, found: Callable[[], Mapping[str, Any]]) -> None:
    """The numbers of a page as the JSON that the terminal prints, written when it is asked for."""

    def text() -> str:
        return json.dumps(found(), ensure_ascii=False, allow_nan=False, indent=2)

    st.download_button(f"Download {name}", text, file_name=name, mime="application/json")
