"""What a person typed into the search, as a query to the index; and how texts are cut into words.

A text is indexed three times: as words, as English stems, and as identifiers, in which `ERR-4021`
or `/v3/streams` is one token. Text of scripts that part no words (Chinese, Japanese, Korean) is
indexed by character and looked for as a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzerBuilder, Tokenizer

OPEN = "\u2205"
"""The scope filter for passages that everybody may read."""

NEVER, ALWAYS = 0, 99_999_999
"""The days on which a passage without dates begins and ends."""

EXACT = 12.0
"""How much more an identifier that was asked for exactly counts than a word."""

_PREFIX_FROM = 3
"""Letters from which the word that is being typed also finds longer words."""

_CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])")
_TOKEN = re.compile(r"\w(?:[\w.\-/#@+]*\w)?")
_TELLING = re.compile(r"[.\-/#@+_]|\d")
_PARTS = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_DAY = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True)
class Filters:
    """What a search is narrowed to; "" does not narrow.

    `source` is a page, a folder or a site (see `sources.levels`), `scope` the words of a caller
    (OPEN for what everybody may read), `as_of` an ISO 8601 day on which the passage is in force.
    """

    source: str = ""
    scope: str = ""
    as_of: str = ""


UNBOUNDED = Filters()
"""No filter."""


def plain(text: str) -> str:
    """One form of each character; characters of scripts without spaces parted by spaces."""
    if text.isascii():
        return text  # most text is, and stays as it is
    text = text.encode("utf-8", "replace").decode()
    return _CJK.sub(r" \1 ", unicodedata.normalize("NFKC", text))


def identifiers(text: str) -> list[str]:
    """The tokens that hold a digit or a joining mark: what only an exact search should find."""
    words = (word for word in text.split() if not word.isalpha())
    return [one for word in words for one in _TOKEN.findall(word) if _TELLING.search(one)]


def day(text: str, *, fill: str, missing: int) -> int:
    """An ISO date as a number, a date cut short filled up; `missing` where there is none."""
    found = _DAY.match(text)
    if not found:
        return missing
    parts = found.group().split("-")
    return int("".join(parts + [fill] * (3 - len(parts))))


def analyzers() -> dict[str, Any]:
    """What cuts texts into words, stems and identifiers, by the name that the fields know it by."""

    def made(tokenizer: Any, *filters: Any) -> Any:
        builder = TextAnalyzerBuilder(tokenizer)
        for one in (Filter.remove_long(120), Filter.lowercase(), Filter.ascii_fold(), *filters):
            builder = builder.filter(one)
        return builder.build()

    return {
        "labeler_words": made(Tokenizer.simple()),
        "labeler_stems": made(Tokenizer.simple(), Filter.stemmer("english")),
        "labeler_exact": made(Tokenizer.whitespace()),
    }


def bounds(schema: Any, filters: Filters) -> list[Any]:
    """The clauses of a query that narrow it to `filters`, which score nothing."""
    found = []
    if filters.source:
        found.append((Occur.Must, Query.term_query(schema, "source", filters.source, "basic")))
    if filters.scope:
        scopes = [
            (Occur.Should, Query.term_query(schema, "scope", word, "basic"))
            for word in filters.scope.replace(",", " ").split()
        ]
        found.append((Occur.Must, Query.boolean_query(scopes)))
    if _DAY.match(filters.as_of):
        integer = tantivy.FieldType.Integer
        asked = day(filters.as_of, fill="01", missing=NEVER)
        began = Query.range_query(schema, "starts", integer, None, asked)
        lasts = Query.range_query(schema, "ends", integer, asked, None)
        found += [(Occur.Must, began), (Occur.Must, lasts)]
    return [(occur, Query.const_score_query(query, 0.0)) for occur, query in found]


class Asked:
    """What was typed, as tantivy's queries."""

    def __init__(self, schema: Any, analyzers: dict[str, Any], text: str) -> None:
        self._schema = schema
        self._analyzers = analyzers
        self._words: list[Any] = []
        self._phrases: list[Any] = []
        self._without: list[Any] = []
        typed = text[:1000]
        for found in _PARTS.finditer(typed):
            minus, phrase, word = found.groups()
            if phrase is not None:
                if query := self._phrase(plain(phrase)):
                    (self._without if minus else self._phrases).append(query)
            elif word.startswith("-") and len(word) > 1:
                if query := self._word(word[1:], typing=False):
                    self._without.append(query)
            elif query := self._word(word, typing=found.end() == len(typed)):
                self._words.append(query)

    @property
    def loose(self) -> bool:
        """Whether passages with only some of the words are worth showing."""
        return len(self._words) > 1

    def whole(self) -> Any:
        """Passages with every word and phrase."""
        return self._all([(Occur.Must, query) for query in self._words])

    def some(self) -> Any:
        """Passages with every phrase and at least one word."""
        any_word = Query.boolean_query([(Occur.Should, query) for query in self._words])
        return self._all([(Occur.Must, any_word)])

    def _all(self, parts: list[Any]) -> Any:
        parts = parts + [(Occur.Must, query) for query in self._phrases]
        if not parts:
            parts = [(Occur.Must, Query.all_query())]
        return Query.boolean_query(parts + [(Occur.MustNot, query) for query in self._without])

    def _terms(self, analyzer: str, text: str) -> list[str]:
        return [str(token) for token in self._analyzers[analyzer].analyze(text)]

    def _phrase(self, text: str) -> Any:
        words: list[str | tuple[int, str]] = list(self._terms("labeler_words", text))
        if len(words) > 1:
            return Query.phrase_query(self._schema, "words", words)
        return Query.term_query(self._schema, "words", words[0]) if words else None

    def _word(self, word: str, *, typing: bool) -> Any:
        """A word as it stands, as a stem, as an identifier, and as the beginning of a longer one;
        one that holds several words is a phrase of them.
        """
        text = plain(word)
        phrase = self._phrase(text)
        if phrase is None:
            return None
        ways = [(Occur.Should, Query.boost_query(phrase, 2.0))]
        stems = self._terms("labeler_stems", text)
        if len(stems) == 1:
            ways.append((Occur.Should, Query.term_query(self._schema, "stems", stems[0])))
        exactly = self._terms("labeler_exact", " ".join(identifiers(text)))
        if len(exactly) == 1:
            exact = Query.term_query(self._schema, "exact", exactly[0])
            ways.append((Occur.Should, Query.boost_query(exact, EXACT)))
        if typing and len(text) >= _PREFIX_FROM:
            begun = self._terms("labeler_words", text)
            for field, terms in (("words", begun), ("exact", exactly)):
                if len(terms) == 1:
                    longer = Query.regex_query(self._schema, field, re.escape(terms[0]) + ".*")
                    ways.append((Occur.Should, Query.boost_query(longer, 0.1)))
        return Query.boolean_query(ways)
