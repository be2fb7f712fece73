"""What reads a whole store: made by itself on a store of ordinary size, when asked for on a large
one.

On a large store it is then kept until somebody asks for it again, also while people go on
labelling: the page says of when it is.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

import streamlit as st

from labeler.app import state, widgets
from labeler.reports import render
from labeler.store import size
from labeler.store.db import Store

LARGE = 500_000
"""Rows of a store from which on what reads all of it takes longer than a person should wait unasked
(a second or two)."""

KEPT = 6
"""Of a large store's reports, each of which may take some hundred megabytes; and as many
comparisons of judges with people."""

COMPARED = (
    *("label_events", "verdicts", "adjudications", "tasks", "strata", "spotchecks", "rubrics"),
    *("queries", "passages", "answers", "looks", "look_pairs", "holdouts"),
)
"""The tables that a comparison of a judge with people reads."""

T = TypeVar("T")


class _Made(NamedTuple):
    """What was made and when: at which version of the store, and of how many rows of the tables
    that it reads, where these are named."""

    value: object
    version: int
    counts: tuple[int, ...]
    made_at: datetime


_making = threading.Lock()
_kept: dict[tuple[Store, Hashable], _Made] = {}


def large(tables: Sequence[str] = size.LARGE_TABLES) -> bool:
    """Whether the store is a large one, by the rows of some tables."""
    rows = state.unchanged(("rows", *tables), lambda: size.rows(state.store(), tables))
    return rows >= LARGE


def compared(
    key: Hashable,
    what: str,
    make: Callable[[], T],
    *,
    spotcheck: str | None,
    unasked: bool = False,
) -> T | None:
    """What `make` gives of a comparison of judges with people: on the pairs of a spot check at
    once, on every pair as `made` does where there are many, the first time also `unasked`."""
    if spotcheck is not None or not large(("label_events", "verdicts")):
        return state.unchanged(key, make, reads=COMPARED)
    return _made(key, what, make, reads=COMPARED, unasked=unasked)


def made(key: Hashable, what: str, make: Callable[[], T]) -> T | None:
    """What `make` gives, which reads the whole store. `what` says it in words, after "Make ".

    On a large store: None until somebody asks for it, then what was made last.
    """
    if not large():
        return state.unchanged(key, make)
    return _made(key, what, make)


def _made(
    key: Hashable,
    what: str,
    make: Callable[[], T],
    *,
    reads: Sequence[str] = (),
    unasked: bool = False,
) -> T | None:
    store = state.store()
    if unasked and (store, key) not in _kept:
        with st.spinner(widgets.plain(f"Making {what}"), show_time=True):
            _make(store, key, make, reads)
    found = _kept.get((store, key))
    if found is not None and _stands(found, store, reads):
        return cast(T, found.value)
    if found is None:
        st.text(f"The store is large: {what} is made when you ask for it, and then kept.")
        asked = st.button(widgets.plain(f"Make {what}"), key=f"make {key}", type="primary")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            at = render.moment(found.made_at)
            st.text(f"Of {at}: the store has changed since.", width="content")
            asked = st.button(widgets.plain(f"Make {what} again"), key=f"make {key}")
    if asked:
        with st.spinner(widgets.plain(f"Making {what}"), show_time=True):
            _make(store, key, make, reads)
        st.rerun()
    return cast(T, found.value) if found is not None else None


def _stands(found: _Made, store: Store, reads: Sequence[str]) -> bool:
    """Whether nothing of what it was made of has changed."""
    if found.version == store.version:
        return True
    return bool(reads) and found.counts == size.counts(store, reads)


def _make(store: Store, key: Hashable, make: Callable[[], object], reads: Sequence[str]) -> None:
    """One at a time, for each takes memory; whoever asked for the same meanwhile gets this."""
    with _making:
        version = store.version
        counts = size.counts(store, reads) if reads else ()
        found = _kept.get((store, key))
        if found is not None and _stands(found, store, reads):
            return
        value = make()
        for old in [of for of in _kept if of[0] is not store or of[1] == key]:
            del _kept[old]
        alike = [of for of, kept in _kept.items() if bool(kept.counts) == bool(reads)]
        for old in alike[: max(0, len(alike) - KEPT + 1)]:
            del _kept[old]
        _kept[store, key] = _Made(value, version, counts, store.clock())
        # Streamlit collects garbage after every run: millions of objects that stay are not for it.
        gc.collect()
        gc.freeze()
