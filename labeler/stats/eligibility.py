"""Which passages a query may be answered from: the caller's scope, and the dates in force.

A passage outside them is *barred*: it is counted by itself and never improves a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from labeler.model import Passage, Query


class Bar(StrEnum):
    """Why a passage is barred for a query. What the caller may not see comes before what is old."""

    UNAUTHORISED = "unauthorised"
    OUT_OF_DATE = "out of date"


Barred = Mapping[str, Mapping[str, Bar]]
"""The barred passages of each query: query id to passage id to why."""


def bar(query: Query, passage: Passage, *, today: str = "") -> Bar | None:
    """Why `passage` may not answer `query`; None when it may.

    Scopes are words parted by blanks or commas. A passage without one is open to everyone; another
    is seen by a caller who has one of its words. Dates are ISO 8601, both ends inclusive, compared
    by day. A query without an as-of date is asked on `today`; without either no date is checked.
    """
    needed = _words(passage.scope)
    if needed and not needed & _words(query.scope):
        return Bar.UNAUTHORISED
    day = (query.as_of or today)[:10]
    start, end = passage.effective_from[:10], passage.effective_to[:10]
    # A date cut short ("2025-03") is as long as it is known: prefixes are compared.
    if day and start and day[: len(start)] < start[: len(day)]:
        return Bar.OUT_OF_DATE
    if day and end and day[: len(end)] > end[: len(day)]:
        return Bar.OUT_OF_DATE
    return None


def barred(
    queries: Iterable[Query],
    passages: Iterable[Passage],
    *,
    candidates: Mapping[str, Iterable[str]],
    today: str = "",
) -> dict[str, dict[str, Bar]]:
    """The barred ones among the `candidates` (query id to passage ids) of each query.

    Candidates must hold what was returned and what the golden set expects. Passages that are not
    given are barred for nobody. Time goes with the passages that have a scope or a date at all.
    """
    bounded = {
        passage.passage_id: passage
        for passage in passages
        if passage.scope or passage.effective_from or passage.effective_to
    }
    found: dict[str, dict[str, Bar]] = {}
    for query in queries:
        ids = bounded.keys() & candidates.get(query.query_id, ())
        bars = {p: why for p in sorted(ids) if (why := bar(query, bounded[p], today=today))}
        if bars:
            found[query.query_id] = bars
    return found


def _words(scope: str) -> frozenset[str]:
    return frozenset(scope.replace(",", " ").split())
