"""Which new passages old grades carry over to when a corpus has been split anew. Pure.

Texts are compared with their white space collapsed. Certain is only what follows from the texts:
the same text has its grade; what holds an answer whole answers; a piece of what does not help does
not help, nor do several such together. Everything else is for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from labeler.model import Grade

LEAST = 24
"""Characters that two texts must share for one to say anything of the other."""


class Relation(StrEnum):
    """What a new passage is to an old one."""

    SAME = "same"
    HOLDS = "holds"
    PIECE = "piece"
    OVERLAPS = "overlaps"


@dataclass(frozen=True)
class Told:
    """A passage's text, with where it is from: `source` "" is anywhere, `starts` and `ends` its
    offsets in the source where they are known."""

    passage_id: str
    text: str
    source: str = ""
    starts: int | None = None
    ends: int | None = None

    @property
    def plain(self) -> str:
        """The text with its white space collapsed."""
        return " ".join(self.text.split())


def relation(old: Told, new: Told) -> Relation | None:
    """What `new` is to `old`; None where they have nothing in common.

    Only within a source, except for the same text, which is the same wherever it stands.
    """
    one, other = old.plain, new.plain
    if one == other and one:
        return Relation.SAME
    if old.source and new.source and old.source != new.source:
        return None
    if len(one) >= LEAST and one in other:
        return Relation.HOLDS
    if len(other) >= LEAST and other in one:
        return Relation.PIECE
    if _ranges_cross(old, new) or _shared(one, other) >= LEAST:
        return Relation.OVERLAPS
    return None


def _ranges_cross(old: Told, new: Told) -> bool:
    """Whether offsets in one source say that the passages share text."""
    if not old.source or old.source != new.source:
        return False
    if None in (old.starts, old.ends, new.starts, new.ends):
        return False
    start, end = max(old.starts or 0, new.starts or 0), min(old.ends or 0, new.ends or 0)
    return end - start >= LEAST


def _shared(one: str, other: str) -> int:
    """Length of the longest run that ends the one text and begins the other."""
    longest = 0
    for left, right in ((one, other), (other, one)):
        for length in range(min(len(left), len(right)), max(longest, LEAST - 1), -1):
            if left.endswith(right[:length]):
                longest = length
                break
    if longest:
        return longest
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    # A run of words within both may be a phrase that recurs: it must be long to be the same text.
    return match.size if match.size >= 4 * LEAST else 0


def related(old: Iterable[Told], new: Sequence[Told]) -> dict[str, list[tuple[Told, Relation]]]:
    """For each old passage the new ones that it has anything in common with, in their order.

    Only pairs that share LEAST characters in a row, the whole text, or offsets are compared. Where
    the splitter left a passage whole, what merely shares a part with it is not its heir.
    """
    windows: dict[str, set[int]] = {}
    known = list(old)
    for place, told in enumerate(known):
        for piece in _windows(told.plain):
            windows.setdefault(piece, set()).add(place)
    bounded: dict[str, list[int]] = {}
    for place, told in enumerate(known):
        if told.source and told.starts is not None:
            bounded.setdefault(told.source, []).append(place)
    found: dict[str, list[tuple[Told, Relation]]] = {told.passage_id: [] for told in known}
    for one in new:
        places = {p for piece in _windows(one.plain) for p in windows.get(piece, ())}
        places.update(bounded.get(one.source, ()))
        for place in sorted(places):
            how = relation(known[place], one)
            if how is not None:
                found[known[place].passage_id].append((one, how))
    for passage_id, beside in found.items():
        if any(how is Relation.SAME for _, how in beside):
            whole = (Relation.SAME, Relation.HOLDS)
            found[passage_id] = [(one, how) for one, how in beside if how in whole]
    return found


def _windows(text: str) -> set[str]:
    """Every run of LEAST characters, or the whole of a shorter text."""
    return {text[i : i + LEAST] for i in range(max(1, len(text) - LEAST + 1))}


class Bound(NamedTuple):
    """What becomes of an old grade at a new passage: `grade` where it is certain, None where a
    person must look; `why` in words."""

    old: tuple[str, ...]
    new: str
    grade: Grade | None
    why: str


class Rebinding(NamedTuple):
    """All that is known of one query: what is certain, what must be looked at, and the old
    passages of which no text is left."""

    certain: list[Bound]
    look: list[Bound]
    gone: list[str]


def rebind(
    graded: Mapping[str, Grade],
    old: Mapping[str, Told],
    *,
    related: Mapping[str, Sequence[tuple[Told, Relation]]],
) -> Rebinding:
    """Carry one query's grades over. `related` are the new passages that each old one has anything
    in common with."""
    meeting: dict[str, list[tuple[str, Relation]]] = {}
    told: dict[str, Told] = {}
    gone = []
    for passage_id in sorted(graded):
        found = related.get(passage_id, ())
        if not found:
            gone.append(passage_id)
        for new, how in found:
            told[new.passage_id] = new
            meeting.setdefault(new.passage_id, []).append((passage_id, how))
    certain: list[Bound] = []
    look: list[Bound] = []
    for new_id in sorted(meeting):
        bound = _bound(told[new_id], meeting[new_id], graded, old)
        (look if bound.grade is None else certain).append(bound)
    return Rebinding(certain, look, gone)


def _bound(
    new: Told,
    meeting: Sequence[tuple[str, Relation]],
    graded: Mapping[str, Grade],
    old: Mapping[str, Told],
) -> Bound:
    """What one new passage gets from the old ones that it has to do with."""
    olds = tuple(passage for passage, _ in meeting)
    same = {graded[passage] for passage, how in meeting if how is Relation.SAME}
    if len(same) == 1:
        return Bound(olds, new.passage_id, same.pop(), "the same text")
    if len(same) > 1:
        return Bound(olds, new.passage_id, None, "copies of one text have different grades")
    whole = [p for p, how in meeting if how is Relation.HOLDS and graded[p] is Grade.YES]
    # A piece of an old passage that was NO is NO, whatever else overlaps it: its text is that text.
    pieces = [p for p, how in meeting if how is Relation.PIECE and graded[p] is Grade.NO]
    if whole and pieces:
        why = f"{pieces[0]} is NO and holds {whole[0]}, which is YES"
        return Bound(olds, new.passage_id, None, why)
    if whole:
        return Bound(olds, new.passage_id, Grade.YES, f"it holds all of {whole[0]}, which is YES")
    if pieces:
        return Bound(olds, new.passage_id, Grade.NO, f"a piece of {pieces[0]}, which is NO")
    if all(graded[p] is Grade.NO for p in olds) and _covered(new.plain, [old[p] for p in olds]):
        return Bound(olds, new.passage_id, Grade.NO, "made of passages that are NO")
    best = max(meeting, key=lambda one: (graded[one[0]].gain, one[1] is Relation.PIECE))
    return Bound(olds, new.passage_id, None, _ask(best[1], best[0], graded[best[0]]))


def _ask(how: Relation, passage: str, grade: Grade) -> str:
    what = {
        Relation.HOLDS: f"it holds {passage}, which is {grade}, and more",
        Relation.PIECE: f"a piece of {passage}, which is {grade}: is the answer in it?",
        Relation.OVERLAPS: f"it shares a part of {passage}, which is {grade}",
    }
    return what[how]


def _covered(text: str, parts: Iterable[Told]) -> bool:
    """Whether every word of a text stands in one of the parts, as a run of at least LEAST
    characters."""
    seen = [character == " " for character in text]
    for part in parts:
        matcher = SequenceMatcher(None, text, part.plain, autojunk=False)
        for block in matcher.get_matching_blocks():
            if block.size >= LEAST or block.size == len(part.plain):
                seen[block.a : block.a + block.size] = [True] * block.size
    return all(seen)


def units(passages: Iterable[Told]) -> dict[str, str]:
    """The unit of relevance that each passage belongs to, named by its first member's id: copies,
    and passages of which one holds the other or that share at least half of the shorter, count as
    one answer.
    """
    known = sorted(passages, key=lambda told: told.passage_id)
    first = {told.passage_id: told.passage_id for told in known}

    def root(passage_id: str) -> str:
        while first[passage_id] != passage_id:
            passage_id = first[passage_id]
        return passage_id

    for place, one in enumerate(known):
        for other in known[:place]:
            if _one_unit(one.plain, other.plain):
                a, b = sorted((root(one.passage_id), root(other.passage_id)))
                first[b] = a
    return {told.passage_id: root(told.passage_id) for told in known}


def _one_unit(one: str, other: str) -> bool:
    shorter = min(one, other, key=len)
    if one == other or (len(shorter) >= LEAST and shorter in max(one, other, key=len)):
        return True
    return 2 * _shared(one, other) >= max(len(shorter), 2 * LEAST)
