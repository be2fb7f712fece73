"""What reads a whole store: made by itself on a store of ordinary size, when asked for on a large
one.

On a large store it is then kept until somebody asks for it again, also while people go on
labelling: the page says of when it is.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Hashable
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

import streamlit as st

from labeler.app import state, widgets
from labeler.store import size
from labeler.store.db import Store

LARGE = 500_000
"""Rows of a store from which on what reads all of it takes longer than a person should wait unasked
(a second or two)."""

KEPT = 6
"""Of a large store's reports; each may take some hundred megabytes."""

T = TypeVar("T")


class _Made(NamedTuple):
    value: object
    version: int
    made_at: datetime


_making = threading.Lock()
_kept: dict[tuple[Store, Hashable], _Made] = {}


def large() -> bool:
    """Whether the store is a large one."""
    return state.unchanged("rows", lambda: size.rows(state.store())) >= LARGE


def made(key: Hashable, what: str, make: Callable[[], T]) -> T | None:
    """What `make` gives, which reads the whole store. `what` says it in words, after "Make ".

    On a large store: None until somebody asks for it, then what was made last.
    """
    if not large():
        return state.unchanged(key, make)
    store = state.store()
    found = _kept.get((store, key))
    if found is not None and found.version == store.version:
        return cast(T, found.value)
    if found is None:
        st.text(f"The store is large: {what} is made when you ask for it, and then kept.")
        asked = st.button(widgets.plain(f"Make {what}"), key=f"make {key}", type="primary")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            at = f"{found.made_at:%Y-%m-%d %H:%M} UTC"
            st.text(f"Of {at}: the store has changed since.", width="content")
            asked = st.button(widgets.plain(f"Make {what} again"), key=f"make {key}")
    if asked:
        with st.spinner(widgets.plain(f"Making {what}"), show_time=True):
            _make(store, key, make)
        st.rerun()
    return cast(T, found.value) if found is not None else None


def _make(store: Store, key: Hashable, make: Callable[[], object]) -> None:
    """One at a time, for each takes memory; whoever asked for the same meanwhile gets this."""
    with _making:
        version = store.version
        found = _kept.get((store, key))
        if found is not None and found.version == version:
            return
        value = make()
        for old in [of for of in _kept if of[0] is not store or of[1] == key]:
            del _kept[old]
        while len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        _kept[store, key] = _Made(value, version, store.clock())
        # Streamlit collects garbage after every run: millions of objects that stay are not for it.
        gc.collect()
        gc.freeze()
