"""Which passages of a corpus queries are drafted from: a seeded sample by section and length. Pure.

Left out first is what no query should be asked of: what is too short, boilerplate, and copies. What
is left is put into one order, by the seed alone, whose every beginning is a stratified sample: so a
larger sample only adds to a smaller one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

SHORTEST = 20
"""Words below which a passage is a stub: a heading, a caption, a line of a list."""

SOURCES, OF_SOURCES = 3, 0.02
"""A sentence that stands in so many sources, and in this share of all, is boilerplate. The share
keeps the pages that a corpus holds in a few editions apart from the footers of a site."""

SHINGLE = 5
"""Words in a row that are compared to find a near copy."""

CONTAINED = 0.8
"""The share of the shorter text's shingles from which two passages are nearly the same."""

LENGTHS = ("short", "middle", "long")
"""The thirds of the passages by their number of words."""

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]|[^\W{_SPACELESS}]+")
_SENTENCE = re.compile(r"\s*\n\s*|(?<=[.!?])\s+|(?<=\u3002)")
_STOCK = re.compile(
    r"all rights reserved|©|\(c\) ?\d{4}|\bcopyright \d{4}"
    r"|\b(we|this site|this website) uses? cookies\b"
    r"|\b(accept|reject|manage|allow)( all)? cookies\b"
    r"|\bcookie (settings|preferences|banner)\b|\bskip to( main)? content\b|\bback to top\b"
    r"|\bsubscribe to (our|the) newsletter\b|\b(was|is) this (page|article) helpful\b"
    r"|\bedit this page\b|^(home|start)\s*[>\u203a»/|]"
    r"|^(previous|next)( page)?$|^table of contents$"
)
_MARKS = (
    *("rights", "©", "(c)", "copyright", "cookie", "content", "back to", "newsletter", "helpful"),
    *("edit", "home", "start", "previous", "next", "privacy", "terms", "imprint"),
)
"""What each stock line holds one of: a hundred thousand texts are looked through for these."""

_SHORT_LEGAL = re.compile(r"\b(privacy policy|terms of (use|service)|cookie policy|imprint)\b")
_LINK = re.compile(r"[^.:;=(){}\d]{1,40}")
_LEGAL_WORDS, _LINK_WORDS, _LINKS = 8, 4, 5


class Why(StrEnum):
    """Why a passage is left out."""

    STUB = "too short"
    NOT_IN_FORCE = "not in force"
    BOILERPLATE = "boilerplate"
    COPY = "a copy"
    NEAR_COPY = "nearly a copy"


class Skipped(NamedTuple):
    """A passage that is left out; `of` is the passage that it copies, "" otherwise."""

    passage_id: str
    why: Why
    of: str = ""


class Eligible(NamedTuple):
    """A passage that a query could be drafted from: the section it is of, and its words."""

    passage_id: str
    section: str
    words: int


class Told(NamedTuple):
    """A passage's text with where it is from; `source` is the page, `section` what it is part
    of."""

    passage_id: str
    text: str
    source: str = ""
    section: str = ""


class Sifted(NamedTuple):
    """What queries could be drafted from, and what is left out, in the corpus's order."""

    eligible: list[Eligible]
    skipped: list[Skipped]


def words(text: str) -> list[str]:
    """The words of a text in small letters; of scripts that part no words, the characters."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def depth(addresses: Iterable[Sequence[str]]) -> int:
    """How many levels of an address name a section: down to the first in which they differ.

    An address is what a source is part of, the widest first, ending in itself.
    """
    known = [tuple(levels) for levels in addresses]
    deepest = max(map(len, known), default=0)
    for many in range(1, deepest):
        if len({levels[:many] for levels in known}) > 1:
            return many
    return deepest


def repeated(passages: Iterable[Told]) -> frozenset[bytes]:
    """The sentences, by their hash, that stand in SOURCES sources or more and in OF_SOURCES of all.

    Numbers are not compared: "page 3 of 9" is "page 4 of 9".
    """
    seen: set[bytes] = set()
    found: Counter[bytes] = Counter()
    sources: set[str] = set()
    for told in passages:
        source = told.source or told.passage_id
        sources.add(source)
        for sentence in {one.plain for one in _sentences(told.text)}:
            place = _hash(f"{source}\0", sentence)
            if place not in seen:
                seen.add(place)
                found[_hash(sentence)] += 1
    least = max(SOURCES, OF_SOURCES * len(sources))
    return frozenset(sentence for sentence, many in found.items() if many >= least)


def sift(passages: Iterable[Told], *, repeated: frozenset[bytes]) -> Sifted:
    """Part what queries could be drafted from, from stubs, boilerplate and copies of earlier
    texts. Boilerplate is what has half of its words or more in sentences that are `repeated`, or
    in stock lines (cookies, copyright, navigation), or is a list of links.
    """
    sifted = Sifted([], [])
    texts: dict[bytes, str] = {}
    for told in passages:
        found = _sentences(told.text)
        total = sum(len(one.words) for one in found)
        whole = _hash(" ".join(" ".join(one.words) for one in found))
        first = texts.setdefault(whole, told.passage_id)
        if total < SHORTEST:
            sifted.skipped.append(Skipped(told.passage_id, Why.STUB))
        elif _boilerplate(found, total, repeated):
            sifted.skipped.append(Skipped(told.passage_id, Why.BOILERPLATE))
        elif first != told.passage_id:
            sifted.skipped.append(Skipped(told.passage_id, Why.COPY, first))
        else:
            sifted.eligible.append(Eligible(told.passage_id, told.section, total))
    return sifted


def in_order(eligible: Iterable[Eligible], *, seed: int) -> list[Eligible]:
    """The passages in the order of the draw: its first n are the sample of n.

    Strata are sections by thirds of length. Each gives its first passage, the larger strata before
    the smaller; after that the passage in place i of N has its turn at (i + 1/2) / N, which is
    Webster's method (Balinski and Young, Fair Representation, 1982): in proportion, and a larger
    sample never takes from a stratum. Within a stratum, by a hash of seed and id.
    """
    known = list(eligible)
    cuts = sorted(one.words for one in known)
    thirds = [cuts[len(cuts) * third // 3] for third in (1, 2)] if cuts else []
    strata: dict[tuple[str, str], list[tuple[bytes, Eligible]]] = {}
    for one in known:
        length = LENGTHS[sum(one.words >= cut for cut in thirds)]
        key = _hash(f"{seed}\0", one.passage_id)
        strata.setdefault((one.section, length), []).append((key, one))
    turns = []
    for stratum in strata.values():
        for place, (key, one) in enumerate(sorted(stratum)):
            turns.append((place > 0, (place + 0.5) / len(stratum), key, one))
    return [turn[-1] for turn in sorted(turns)]


class Distinct:
    """What was taken so far; it tells of a further text whether it is nearly one of them."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._with: dict[bytes, list[str]] = {}

    def near(self, text: str) -> str:
        """The passage that holds CONTAINED of the shorter one's shingles; "" where none does."""
        found = _shingles(text)
        shared = Counter(passage for shingle in found for passage in self._with.get(shingle, ()))
        for passage_id, many in shared.most_common():
            if many >= CONTAINED * min(len(found), self._sizes[passage_id]):
                return passage_id
        return ""

    def take(self, passage_id: str, text: str) -> None:
        """Remember a text."""
        found = _shingles(text)
        self._sizes[passage_id] = len(found)
        for shingle in found:
            self._with.setdefault(shingle, []).append(passage_id)


def _shingles(text: str) -> set[bytes]:
    found = words(text)
    many = max(1, len(found) - SHINGLE + 1)
    return {_hash(" ".join(found[place : place + SHINGLE])) for place in range(many)}


class _Sentence(NamedTuple):
    """A sentence or a line in small letters, and its words."""

    line: str
    words: list[str]

    @property
    def plain(self) -> str:
        """The one form in which sentences are compared."""
        return " ".join("0" if word.isdecimal() else word for word in self.words)


def _sentences(text: str) -> list[_Sentence]:
    lines = _SENTENCE.split(unicodedata.normalize("NFKC", text).casefold())
    parted = (_Sentence(line.strip(), _WORD.findall(line)) for line in lines)
    return [one for one in parted if one.words]


def _boilerplate(found: Sequence[_Sentence], total: int, repeated: frozenset[bytes]) -> bool:
    """Whether half of a text's `total` words or more say what is said everywhere."""
    worn = sum(len(one.words) for one in found if _stock(one) or _hash(one.plain) in repeated)
    links = sum(len(one.words) <= _LINK_WORDS and bool(_LINK.fullmatch(one.line)) for one in found)
    return 2 * worn >= total or (len(found) >= _LINKS and 5 * links >= 4 * len(found))


def _stock(one: _Sentence) -> bool:
    if not any(mark in one.line for mark in _MARKS):
        return False
    if _STOCK.search(one.line):
        return True
    return len(one.words) <= _LEGAL_WORDS and bool(_SHORT_LEGAL.search(one.line))


def _hash(*parts: str) -> bytes:
    text = "".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).digest()
