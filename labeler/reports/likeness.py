"""Queries that ask nearly the same: found by their letters, so that a typing error or another order
of the words does not hide one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from labeler.model import Query

LIKE = 0.6
"""The likeness from which two queries are pointed out. "refund after 30 days" and "Refunds after 30
days?" have 0.91, "annual leave" and "sick leave" 0.50."""


class Like(NamedTuple):
    """A query and how like it is to what was asked about: 1 is the same letters."""

    query: Query
    likeness: float


def near(text: str, queries: Iterable[Query], *, limit: int = 5) -> list[Like]:
    """The queries most like `text`, of those with a likeness of LIKE or more; the likest first.

    The likeness is Dice's coefficient, 2 |A and B| / (|A| + |B|), of the sets of three-letter
    pieces of the words, or of the words themselves, whichever is greater.
    """
    asked = _pieces(text)
    found = [
        Like(query, likeness)
        for query in queries
        if (likeness := _likeness(asked, _pieces(query.text))) >= LIKE
    ]
    found.sort(key=lambda like: (-like.likeness, like.query.query_id))
    return found[:limit]


class _Pieces(NamedTuple):
    words: frozenset[str]
    letters: frozenset[str]


@lru_cache(maxsize=50_000)
def _pieces(text: str) -> _Pieces:
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(c if c.isalnum() else " " for c in plain).split()
    letters = {f" {word} "[i : i + 3] for word in words for i in range(len(word))}
    return _Pieces(frozenset(words), frozenset(letters))


def _likeness(one: _Pieces, other: _Pieces) -> float:
    return max(_dice(one.words, other.words), _dice(one.letters, other.letters))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0
