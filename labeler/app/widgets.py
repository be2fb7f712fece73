"""Pieces that several screens lay out. Text that people or files brought is shown as text only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import streamlit as st

from labeler.app import state, ways
from labeler.errors import LabelerError
from labeler.model import Decision
from labeler.reports.agreement import Report
from labeler.store import people
from labeler.store.people import Person

_MARKDOWN = str.maketrans({c: "\\" + c for c in "\\`*_{}[]()<>#+-.!|~$:&^=\"'@/"})


def plain(text: str) -> str:
    """Text made safe for a place that Streamlit renders as Markdown, such as a widget's label.

    Every character that could begin markup is escaped, control characters are shown as symbols,
    and line ends become spaces.
    """
    shown = "".join(
        chr(0x2400 + ord(c)) if ord(c) < 32 and c not in "\n\t" else c
        for c in " ".join(text.split("\n"))
    )
    return shown.translate(_MARKDOWN)


def passage(text: str) -> None:
    """A passage's text exactly as it is, in a box that wraps."""
    st.code(text or "(no text was imported for this id)", language=None, wrap_lines=True)


def sidebar(person: Person | None) -> None:
    """Who is at work, and the way to change that."""
    with st.sidebar:
        if person is None:
            st.caption("Nobody has said who they are.")
            return
        st.text(f"{person.name}, {person.role}")
        if st.button("Not me", type="tertiary", help="Work under another name"):
            state.forget()
            st.rerun()


def name_form(then: Callable[[Person], None] | None = None) -> None:
    """Ask who is at work, and go on once that is known: on this page, or with `then`."""
    with st.form("who", border=False):
        name = st.text_input("Your name", max_chars=80, autocomplete="name")
        role = st.selectbox("You are here as", people.ROLES)
        if st.form_submit_button("Start", type="primary"):
            with problems():
                found = people.record(state.store(), name, role=role)
                state.remember(found.name)
                if then is not None:
                    then(found)
                st.rerun()


@contextmanager
def problems() -> Iterator[None]:
    """Show an error that a person can mend as a sentence in its place."""
    try:
        yield
    except LabelerError as error:
        st.error("  \n".join(map(plain, ways.told(error).split("\n"))), icon=":material/error:")


DWELL = 0.7
"""Seconds for which a thing must have been on the page before a decision on it counts: a key
pressed twice must not decide what nobody has read."""


def require_read(key: Hashable) -> None:
    """Refuse a decision on what came to the page (`state.seconds_since_first`) just now."""
    if state.seconds_since_first(key) < DWELL:
        raise LabelerError("That was too quick to have been read: press again")


def flash() -> None:
    """Show the message that the last run left.

    Its place is kept where there is none: what is open below it would close when it goes.
    """
    with st.container():
        found = state.flashed()
        if found is not None and found.good:
            st.success(plain(found.text), icon=":material/check_circle:")
        elif found is not None:
            st.info(plain(found.text), icon=":material/info:")


class Figure(NamedTuple):
    """A number to stand out: its name, its value, and its interval or what it is out of."""

    name: str
    value: str
    beside: str = ""
    hint: str | None = None


def figures(found: Sequence[Figure]) -> None:
    """Numbers side by side, as many to a line as fit."""
    with st.container(horizontal=True):
        for figure in found:
            st.metric(
                figure.name,
                figure.value,
                figure.beside or None,
                delta_color="off",
                delta_arrow="off",
                help=figure.hint,
                border=True,
                width=150,
            )


_DECISIONS = {
    Decision.TRUSTED: (st.success, ":material/verified:"),
    Decision.REJECTED: (st.error, ":material/block:"),
    Decision.UNDECIDED: (st.warning, ":material/hourglass_top:"),
}


def decision(report: Report) -> None:
    """The gate's decision in one sentence."""
    decided(report.gate.decision, report.gate.sentence)


def decided(decision: Decision, sentence: str) -> None:
    """A decision's sentence in its colour."""
    box, icon = _DECISIONS[decision]
    box(plain(sentence), icon=icon)
