"""What is known of each query, kept in memory beside the store: made once, then made anew for the
queries alone of which something was said since.

Rows are only ever added, under one lock and with rising numbers: what has a number above the
highest that was seen is new, and names its query. With a million labels in the store that is a
look at a few blocks instead of a pass over all of it for every label that comes in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from labeler.store.db import Row, Store

KEPT = 8
"""Kinds of knowledge kept of a store, those asked for last."""

MANY = 1_000
"""Queries that were touched from which on everything is made anew."""

T = TypeVar("T")

Make = Callable[[Store, list[str] | None], dict[str, T]]
"""What is known of each query (None: of all); one of which nothing is known is left out."""


class ByQuery(Generic[T]):
    """What `make` says of each query. It reads the tables `touching`, whose rows have a number
    `seq` and are each on one `query_id`, and the tables `whole`, of which any row may bear on any
    query."""

    def __init__(self, make: Make[T], *, touching: Sequence[str], whole: Sequence[str]) -> None:
        self._make = make
        self._touching = touching
        newest = [f"(select coalesce(max(seq), 0) from {table})" for table in touching]
        counts = [f"(select count(*) from {table})" for table in whole]
        self._marks = f"select {', '.join((*newest, *counts))}"
        self._lock = threading.Lock()
        self._version = -1
        self._seen: Row = ()
        self._found: dict[str, T] = {}

    def now(self, store: Store) -> Mapping[str, T]:
        """What is known now; what was given is never changed. Who asks while it is being made
        waits for it."""
        with self._lock:
            version = store.version  # before the look: a commit meanwhile is seen by the next one
            if version != self._version:
                marks = store.rows(self._marks)[0]
                if marks != self._seen:
                    self._found = self._made(store, marks)
                    self._seen = marks
                self._version = version
            return self._found

    def _made(self, store: Store, marks: Row) -> dict[str, T]:
        many = len(self._touching)
        if not self._seen or marks[many:] != self._seen[many:]:
            return self._make(store, None)
        touched = self._touched(store)
        if len(touched) >= MANY:
            return self._make(store, None)
        found = {query_id: one for query_id, one in self._found.items() if query_id not in touched}
        return found | self._make(store, sorted(touched))

    def _touched(self, store: Store) -> set[str]:
        """The queries that have newer rows, as many as MANY."""
        looks = (
            f"select query_id from {table} where seq > ${at}"
            for at, table in enumerate(self._touching, start=1)
        )
        sql = f"select distinct query_id from ({' union all '.join(looks)}) as newer limit {MANY}"
        return {row[0] for row in store.rows(sql, self._seen[: len(self._touching)])}


_KEPT: WeakKeyDictionary[Store, dict[Hashable, ByQuery[Any]]] = WeakKeyDictionary()
_lock = threading.Lock()


def of(
    store: Store, key: Hashable, make: Make[T], *, touching: Sequence[str], whole: Sequence[str]
) -> Mapping[str, T]:
    """What `make` says of each query now, kept under `key`."""
    with _lock:
        kept = _KEPT.setdefault(store, {})
        found = kept.pop(key, None) or ByQuery(make, touching=touching, whole=whole)
        kept[key] = found
        while len(kept) > KEPT:
            del kept[next(iter(kept))]
    return found.now(store)
