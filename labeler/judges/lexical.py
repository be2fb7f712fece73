"""The lexical baseline: a fixed rule over shared words, offline and deterministic.

It understands nothing and is no judge to trust; it is the floor that a real one has to beat, and
what a sample project can be judged by without a key. `rubrics/lexical.md` says the rule in words.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from labeler.judges.base import Asked, Keep, Missed, Request, Stop, plain, request
from labeler.model import Grade, Passage, Query, Rubric, Status, Verdict

NAME = "lexical"
TITLE = "lexical baseline"
"""What the judge is called wherever a person sees it."""

YES_FROM = 0.75
PART_FROM = 0.40
IDENTIFIER = 3.0
_LEAST = 0.1
_AT_ONCE = 500

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_SPACELESS += "\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0fff"
_TOKEN = re.compile(
    r"(?P<joined>[a-z0-9]+(?:[-_./:+#][a-z0-9]+)+)"
    rf"|(?P<run>[{_SPACELESS}]+)"
    rf"|(?P<word>(?:(?![{_SPACELESS}])[\w{_MARKS}])+)"
)
_FUNCTION_WORDS = frozenset(
    [
        "a",
        "about",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "might",
        "must",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "out",
        "shall",
        "she",
        "should",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "under",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


class Terms(NamedTuple):
    """The terms of a text: exact identifiers, and everything else that is compared."""

    identifiers: frozenset[str]
    words: frozenset[str]


def terms(text: str) -> Terms:
    """The terms of a text in any script."""
    identifiers: set[str] = set()
    words: set[str] = set()
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", plain(text)).casefold()):
        token = match.group()
        if match.lastgroup == "run":
            words.update(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        elif _is_identifier(token):
            identifiers.add(token)
        else:
            parts = re.split("[-_./:+#]", token) if match.lastgroup == "joined" else [token]
            words.update(part.removesuffix("s") if len(part) > 3 else part for part in parts)
    return Terms(frozenset(identifiers), frozenset(words - {""}) - _FUNCTION_WORDS)


def _is_identifier(token: str) -> bool:
    return len(token) > 1 and ("_" in token.strip("_") or any(c.isdigit() for c in token))


def frequencies(passages: Iterable[Passage]) -> tuple[Counter[str], int]:
    """In how many passages each term occurs, and how many passages there are."""
    counts: Counter[str] = Counter()
    total = 0
    for passage in passages:
        found = terms(f"{passage.title}\n{passage.text}")
        counts.update(found.identifiers | found.words)
        total += 1
    return counts, total


class Lexical:
    """The lexical baseline over a corpus, from which it takes how rare a term is."""

    def __init__(self, rubric: Rubric, corpus: Iterable[Passage] = ()) -> None:
        self.rubric = rubric
        self._counts, self._total = frequencies(corpus)

    @property
    def name(self) -> str:
        """ "lexical"."""
        return NAME

    @property
    def model_id(self) -> str:
        """ "": there is none."""
        return ""

    def build(self, query: Query, passage: Passage) -> Request:
        """The whole of what the rule looks at.

        Its id changes with the texts and the terms' weights.
        """
        found = terms(query.text)
        weights = {term: self._weight(term) for term in found.words}
        exact = {term: round(IDENTIFIER * self._weight(term), 1) for term in found.identifiers}
        text = {"title": plain(passage.title), "text": plain(passage.text)}
        return request(
            {"rule": self.rubric.ref, "words": weights, "identifiers": exact, "passage": text}
        )

    def _weight(self, term: str) -> float:
        if not self._total:
            return 1.0
        rarity = math.log((self._total + 1) / (self._counts[term] + 0.5))
        return max(_LEAST, round(rarity, 1))

    def answer(
        self,
        asked: Iterator[Asked],
        keep: Keep,
        *,
        missed: Callable[[Missed], None],
        stop: Stop,
    ) -> None:
        """Judge each pair, and keep the verdicts some hundred at a time. It never misses one."""
        while not stop() and (part := list(islice(asked, _AT_ONCE))):
            keep([self._verdict(one) for one in part])

    def _verdict(self, asked: Asked) -> Verdict:
        grade, reason = decide(asked.request)
        return Verdict(
            asked.query.query_id,
            asked.passage.passage_id,
            NAME,
            grade,
            Status.OK,
            rubric=self.rubric.ref,
            reason=reason,
            request_id=asked.request.request_id,
            cost=0.0,
            query_hash=asked.query.hash,
            passage_hash=asked.passage.hash,
        )


class Decided(NamedTuple):
    """A grade and what decided it."""

    grade: Grade
    reason: str


def decide(request: Request) -> Decided:
    """The rule.

    The share of the query's weight that the passage covers, against fixed thresholds.
    """
    words: Mapping[str, float] = request.params["words"]
    exact: Mapping[str, float] = request.params["identifiers"]
    passage = request.params["passage"]
    held = terms(f"{passage['title']}\n{passage['text']}")
    weights = {**words, **exact}
    if not weights:
        return Decided(Grade.NO, "the query has no term to look for")
    if not passage["text"].strip():
        return Decided(Grade.NO, "the passage is empty")
    missing = sorted(words.keys() - held.words) + sorted(exact.keys() - held.identifiers)
    # Rounding may leave a hair below nothing.
    share = max(0.0, 1 - sum(weights[term] for term in missing) / sum(weights.values()))
    reason = _reason(len(weights), share, missing)
    if share >= YES_FROM and exact.keys() <= held.identifiers:
        return Decided(Grade.YES, reason)
    return Decided(Grade.PART if share >= PART_FROM else Grade.NO, reason)


def _reason(count: int, share: float, missing: list[str]) -> str:
    noun = "query term" if count == 1 else "query terms"
    covered = f"covers {count - len(missing)} of {count} {noun} ({share:.0%} by weight)"
    if not missing:
        return covered
    named = ", ".join(f"'{term[:30]}'" for term in missing[:5])
    return f"{covered}; missing: {named}{', …' if len(missing) > 5 else ''}"
