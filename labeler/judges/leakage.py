"""How much of a query's wording its passage gives away. Pure.

A query that says what the passage says in the passage's words is found by every search, and tests
none.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import NamedTuple

from labeler.judges.lexical import terms
from labeler.model import Passage

LEAKY = 0.7
"""The share of words above which a paraphrase is none."""

PHRASE = 4
"""Words in a row that, taken over from the passage, are a phrase of it."""

_WORD = re.compile(r"\w+")


class Leakage(NamedTuple):
    """What a query shares with its passage (title and text).

    `share`: of the query's distinct content words, in small letters, without function words,
    identifiers and plural s, those that the passage holds (`held`); None for a query without one.
    `phrase` is the longest run of words that both have, "" below PHRASE words.
    """

    share: float | None
    held: tuple[str, ...]
    words: int
    phrase: str

    @property
    def told(self) -> str:
        """The share in words."""
        if self.share is None:
            return "no word of it but identifiers and function words"
        shared = f": {', '.join(self.held)}" if self.held else ""
        return f"the passage holds {len(self.held)} of its {self.words} content words{shared}"


def leakage(query: str, passage: Passage) -> Leakage:
    """How much of `query` stands in `passage`."""
    asked = terms(query).words
    text = f"{passage.title}\n{passage.text}"
    held = tuple(sorted(asked & terms(text).words))
    share = len(held) / len(asked) if asked else None
    return Leakage(share, held, len(asked), _phrase(query, text))


def _phrase(query: str, text: str) -> str:
    asked, told = _words(query), _words(text)
    match = SequenceMatcher(None, asked, told, autojunk=False).find_longest_match()
    return " ".join(asked[match.a : match.a + match.size]) if match.size >= PHRASE else ""


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
