"""Which ids of a file are known, and which would be if they were written as others are."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Set
from typing import NamedTuple

from labeler.formats.fields import shown, without_invisible

_QUOTES = "'\"`\u2018\u2019\u201c\u201d"
_TRIMMED = "blanks, quotation marks, leading zeros or a final .0"


class Joins(NamedTuple):
    """How many distinct ids were brought, how many are known as they stand, and how many more
    would be after NFC, then after trimming (_TRIMMED), then without regard to case.
    An id counts at the first of these that makes it known. Nothing is ever merged by this."""

    brought: int
    joined: int
    after_nfc: int
    after_trimming: int
    after_case: int
    example: tuple[str, str] | None = None

    def sentence(self, what: str) -> str:
        """ "197 of 200 queries join, 2 more would after NFC"; `what` is the plural of the ids."""
        near = [
            f"{count:,} more would {how}"
            for count, how in (
                (self.after_nfc, "after NFC"),
                (self.after_trimming, f"after trimming {_TRIMMED}"),
                (self.after_case, "if case did not count"),
            )
            if count
        ]
        example = f" ({' is near '.join(map(shown, self.example))})" if self.example else ""
        counted = f"{self.joined:,} of {self.brought:,} {what} join"
        return ", ".join([counted, *near]) + example


def near_misses(brought: Collection[str], known: Iterable[str]) -> Joins:
    """Count which ids of `brought`, each there once, are among `known`, and which nearly are."""
    have = _set(known)
    if not have:
        return Joins(len(brought), 0, 0, 0, 0)
    mine = _set(brought)
    missing = mine - have
    counts = [0] * len(_FORMS)
    example: tuple[str, str] | None = None
    for place, form in enumerate(_FORMS):
        if not missing:
            break
        wanted = {form(identity) for identity in missing}
        forms = [(known, identity) for identity in have if (known := form(identity)) in wanted]
        found = dict(sorted(forms))
        near = {identity for identity in missing if form(identity) in found}
        if near and example is None:
            first = min(near)
            example = (first, found[form(first)])
        counts[place] = len(near)
        missing -= near
    nfc, trimmed, caseless = counts
    return Joins(len(mine), len(mine & have), nfc, trimmed, caseless, example)


def nearly_alike(names: Iterable[str]) -> list[list[str]]:
    """The names, together with each other, that would be one after NFC or without regard to
    case."""
    forms: dict[str, list[str]] = {}
    for name in sorted(names):
        forms.setdefault(_nfc(name).casefold(), []).append(name)
    return [alike for alike in forms.values() if len(alike) > 1]


def _set(ids: Iterable[str]) -> Set[str]:
    return ids if isinstance(ids, Set) else frozenset(ids)


def _nfc(identity: str) -> str:
    return identity if identity.isascii() else unicodedata.normalize("NFC", identity)


def _trimmed(identity: str) -> str:
    """Without what a spreadsheet or a data frame adds to an id, or takes from it."""
    plain = " ".join(without_invisible(_nfc(identity)).split()).strip(_QUOTES)
    if plain.endswith(".0") and plain[:-2].isdigit():
        plain = plain[:-2]
    return plain.lstrip("0") or plain


def _caseless(identity: str) -> str:
    return _nfc(_trimmed(identity).casefold())


_FORMS: tuple[Callable[[str], str], ...] = (_nfc, _trimmed, _caseless)
