"""Passages that were read lately, kept in memory until an import changes any.

Looking an id up among a million passages costs 15 ms, and each passage is asked for several times:
for its title in the rail, for its text, for its hash when it is labelled.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from labeler.model import Passage
from labeler.store.db import Store

CHARACTERS = 16_000_000
"""Characters of passages that are kept."""


class Found(NamedTuple):
    """The passages that were kept, the ids that have to be read, and the state they belong to."""

    kept: dict[str, Passage]
    missing: list[str]
    state: int


class Recent:
    """The passages of one store, the last read last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Passage] = OrderedDict()
        self._size = 0
        self._state = 0

    def find(self, ids: Sequence[str]) -> Found:
        """Which of these passages are here."""
        with self._lock:
            kept = {name: self._kept[name] for name in ids if name in self._kept}
            for name in kept:
                self._kept.move_to_end(name)
            missing = [name for name in dict.fromkeys(ids) if name not in kept]
            return Found(kept, missing, self._state)

    def keep(self, passages: Mapping[str, Passage], *, state: int) -> None:
        """Keep what was read, unless passages have changed since `state`."""
        with self._lock:
            if state != self._state:
                return
            for name, passage in passages.items():
                if name not in self._kept:
                    self._kept[name] = passage
                    self._size += _size(passage)
            while self._size > CHARACTERS:
                _, oldest = self._kept.popitem(last=False)
                self._size -= _size(oldest)

    def forget(self) -> None:
        """Passages have changed."""
        with self._lock:
            self._kept.clear()
            self._size = 0
            self._state += 1


def _size(passage: Passage) -> int:
    return len(passage.text) + len(passage.title) + 500


_RECENT: WeakKeyDictionary[Store, Recent] = WeakKeyDictionary()
_lock = threading.Lock()


def of(store: Store) -> Recent:
    """What is kept of a store's passages."""
    with _lock:
        return _RECENT.setdefault(store, Recent())
