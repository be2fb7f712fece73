"""What outlives a script run: the process's one store, and what a session remembers.

The only file that touches Streamlit's session state and query parameters.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar, cast

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from labeler import config
from labeler.app.routes import Tokens
from labeler.store import people, search, settings, size
from labeler.store.db import Store, open_store
from labeler.store.people import Person
from labeler.store.snapshot import Keeper

_lock = threading.Lock()
_open: dict[Path, tuple[Store, Keeper]] = {}

KEPT = 100
"""Of what was made of the store: so many, the last."""

T = TypeVar("T")

_Key = tuple[Path, Hashable]


class _Made(NamedTuple):
    """What was made, at which version of the store, and of how many rows of what it reads (None: it
    is not known what that is)."""

    value: object
    version: int
    counts: tuple[int, ...] | None


_made: dict[_Key, _Made] = {}
_making: dict[_Key, threading.Lock] = {}


def store() -> Store:
    """The store that this process holds, opened at the first call, with its answers to readers."""
    path = Path(config.load().setting("db", default=config.DEFAULT_DB)).resolve()
    with _lock:
        if path not in _open:
            opened = open_store(path, purpose="the labeler app", patience=5.0)
            keeper = Keeper(opened)
            keeper.start()
            _open[path] = (opened, keeper)
        return _open[path][0]


def close() -> None:
    """Give every store back."""
    with _lock:
        for opened, keeper in _open.values():
            keeper.stop()
            search.of(opened).stop()
            opened.close()
        _open.clear()
        _made.clear()


def tokens() -> Tokens:
    """The signer of the labelling page's passes.

    Its key is kept, so that pages outlive a restart.
    """
    return Tokens(settings.once(store(), "token secret", lambda: secrets.token_urlsafe(32)))


def unchanged(key: Hashable, make: Callable[[], T], *, reads: Sequence[str] = ()) -> T:
    """What `make` gives, made again only after the store has changed; where the tables that it
    `reads` are named (none of which loses rows), only after one of them has. Who asks while it is
    being made waits for it."""
    opened = store()
    full = (opened.path, key)
    with _lock:
        making = _making.setdefault(full, threading.Lock())
    with making:
        version, found = opened.version, _made.get(full)
        if found is not None and found.version == version:
            return cast(T, found.value)
        counts = size.counts(opened, reads) if reads else None
        if found is not None and counts is not None and found.counts == counts:
            made = cast(T, found.value)
        else:
            made = make()
        with _lock:
            _made.pop(full, None)
            _made[full] = _Made(made, version, counts)
            _forget(opened.path, opened.version)
    return made


def _forget(path: Path, version: int) -> None:
    """Drop what stands no more, and all but the last that was asked for."""
    surplus = len(_made) - KEPT
    for place, (full, found) in enumerate([*_made.items()]):
        old = found.counts is None and (full[0], found.version) != (path, version)
        if old or place < surplus:
            del _made[full]
            _making.pop(full, None)


def person() -> Person | None:
    """Who is at work: `?as=NAME`, else the name that this session was given, else the setting `as`
    (LABELER_AS, labeler.toml) of somebody who works alone."""
    name = st.query_params.get("as") or st.session_state.get("person")
    if not name and "signed out" not in st.session_state:
        name = config.load().setting("as")
    if not name:
        return None
    found = people.current(store(), name.strip()) or people.record(store(), name)
    remember(found.name)
    return found


def remember(name: str) -> None:
    """Make `name` the person of this session; the address carries it through a reload."""
    st.session_state["person"] = name
    if st.query_params.get("as") != name:
        st.query_params["as"] = name


def forget() -> None:
    """Sign the session's person out."""
    st.session_state.pop("person", None)
    st.session_state["signed out"] = True
    st.query_params.pop("as", None)


def asked(name: str) -> str | None:
    """A parameter of the page's address, such as `spotcheck`."""
    return st.query_params.get(name) or None


def ask(name: str, value: str) -> None:
    """Put a parameter into the page's address, so that a reload comes back to the same place."""
    if st.query_params.get(name) != value:
        st.query_params[name] = value


class Flash(NamedTuple):
    """A message, and whether it tells of a success."""

    text: str
    good: bool


def flash(text: str, *, good: bool = True) -> None:
    """A message to show after the next run."""
    st.session_state["flash"] = Flash(text, good)


def flashed() -> Flash | None:
    """The message left by the last run, once."""
    found: Flash | None = st.session_state.pop("flash", None)
    return found


def first_time(key: Hashable) -> bool:
    """Whether this is the first run of the session that asks about `key`."""
    asked: set[Hashable] = st.session_state.setdefault("asked", set())
    if key in asked:
        return False
    asked.add(key)
    return True


def seconds_since_first(key: Hashable) -> float:
    """How long ago the session's first run was that asked this about `key`."""
    first: dict[Hashable, float] = st.session_state.setdefault("first", {})
    now = time.monotonic()
    return now - first.setdefault(key, now)


def dark() -> bool:
    """Whether the page is drawn light on dark."""
    return st.context.theme.type == "dark"


def know_pages(pages: Mapping[str, StreamlitPage]) -> None:
    """Remember this run's pages by name."""
    st.session_state["pages"] = dict(pages)


def go_to(name: str) -> NoReturn:
    """Leave for another page; who is at work stays known."""
    st.switch_page(st.session_state["pages"][name])


def once_a_session(key: Hashable, act: Callable[[], object]) -> None:
    """Do something at the first run that asks for it, not at every rerun."""
    if first_time(key):
        act()
