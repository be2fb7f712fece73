"""What each pair of a scope still needs from a judge. Asks nothing and writes nothing.

A request is known by the hash of all that it holds. What was answered readably is never asked
again: not on the next run, and not for another pair with the same texts, which takes over the
verdict for nothing. What an open batch may still answer waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.judges.base import Asked, Judge
from labeler.model import Status
from labeler.store import batches, pairs, verdicts
from labeler.store.db import Store
from labeler.store.pairs import POOL, Scope


class Need(StrEnum):
    """What a pair still needs."""

    NOTHING = "nothing"
    """This very request has its verdict."""
    UNREADABLE = "unreadable"
    """Its verdict is unreadable, and is kept as it is."""
    COPY = "copy"
    """The same request was answered for another pair, or before the texts changed and changed
    back.
    """
    REPLY = "reply"
    """It has to be asked."""
    TWIN = "twin"
    """It holds what another pair of this run holds, and takes over that one's verdict."""
    BATCH = "batch"
    """An open batch may still answer it."""
    TEXT = "text"
    """Its query or passage is known by its id alone, so that there is nothing to judge."""


class Sifted(NamedTuple):
    """A pair and what it needs; `asked` is None where a text is missing."""

    need: Need
    asked: Asked | None


@dataclass(frozen=True)
class Survey:
    """What a scope's pairs need. `size` is the bytes of all requests to ask."""

    needs: Counter[Need]
    size: int

    @property
    def pairs(self) -> int:
        """All pairs of the scope."""
        return self.needs.total()


def sift(
    store: Store, judge: Judge, *, scope: Scope = POOL, retry_unreadable: bool = False
) -> Iterator[Sifted]:
    """Every pair of the scope and what it needs now."""
    standing = verdicts.standing(
        store, judge=judge.name, rubric=judge.rubric.ref, model=judge.model_id
    )
    answered, waiting = verdicts.answered(store), batches.waiting(store)
    seen: set[str] = set()
    for pair in pairs.of(store, scope):
        if pair.query is None or pair.passage is None:
            yield Sifted(Need.TEXT, None)
            continue
        asked = Asked(pair.query, pair.passage, judge.build(pair.query, pair.passage))
        request_id = asked.request.request_id
        stands = standing(pair.query_id, pair.passage_id)
        same = stands is not None and stands.request_id == request_id
        readable = stands is not None and stands.status == Status.OK
        if same and (readable or (not retry_unreadable and request_id not in answered)):
            yield Sifted(Need.NOTHING if readable else Need.UNREADABLE, asked)
        elif request_id in answered:
            yield Sifted(Need.COPY, asked)
        elif request_id in waiting:
            yield Sifted(Need.BATCH, asked)
        elif request_id in seen:
            yield Sifted(Need.TWIN, asked)
        else:
            seen.add(request_id)
            yield Sifted(Need.REPLY, asked)


def survey(
    store: Store, judge: Judge, *, scope: Scope = POOL, retry_unreadable: bool = False
) -> Survey:
    """Count what the scope's pairs need; asks nothing."""
    needs: Counter[Need] = Counter()
    size = 0
    for need, asked in sift(store, judge, scope=scope, retry_unreadable=retry_unreadable):
        needs[need] += 1
        if need is Need.REPLY and asked is not None and "system" in asked.request.params:
            size += asked.request.size
    if not needs:
        raise LabelerError(
            "There is nothing to judge: make the runs' top passages candidates first",
            needs="candidates",
        )
    return Survey(needs, size)


def pending(
    store: Store, judge: Judge, *, scope: Scope = POOL, retry_unreadable: bool = False
) -> Iterator[Asked]:
    """The pairs that have to be asked, each distinct request once."""
    for need, asked in sift(store, judge, scope=scope, retry_unreadable=retry_unreadable):
        if need is Need.REPLY and asked is not None:
            yield asked
