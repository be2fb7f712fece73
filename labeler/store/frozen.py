"""A golden version's entries as they are stored: where each came from, what it is anchored to, and
the hashes that tell when any of it has been changed.

`contents` is the hash of what every format can carry: the graded pairs. `seal` covers all else too:
query texts, kinds, origins, anchors, queries that expect nothing, who froze it, when and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import NamedTuple

from labeler.model import GoldenEntry, Grade, content_hash
from labeler.store.db import Cursor, append

Key = tuple[str, str]
"""A query's and a passage's id; "" for a query that expects nothing."""


class Anchor(NamedTuple):
    """Where a passage's text was when it was frozen: corpus `name@version`, source and locator,
    and, where the locator says so (`char=0,120`, RFC 5147, or `chars:0-120`), its offsets in the
    source. All empty where no text was there.
    """

    corpus: str = ""
    corpus_version: int | None = None
    source_uri: str = ""
    locator: str = ""
    starts: int | None = None
    ends: int | None = None


NOT_YET = Anchor()
"""The anchor, this very one, of an entry that is about to be frozen."""


class Frozen(NamedTuple):
    """An entry as it is stored: `text_hash` is of the passage's text, "" where none was there."""

    entry: GoldenEntry
    origin: str
    text_hash: str = ""
    anchor: Anchor = Anchor()

    @property
    def hash(self) -> str:
        """The content hash of all of it."""
        entry = self.entry
        said = [entry.query_id, entry.query, entry.kind, entry.passage_id, entry.grade or ""]
        return content_hash([*said, self.origin, self.text_hash, *self.anchor])


class Provenance(NamedTuple):
    """What a version was frozen from: `source` "labels", "labels+judge" or a file; the judge with
    the gate's decision on it, and the reason for which that was overridden.
    """

    source: str = ""
    judge: str = ""
    rubric: str = ""
    model: str = ""
    spotcheck: str = ""
    decision: str = ""
    override: str = ""
    confirmed: str = ""


_OFFSETS = re.compile(r"#?chars?[:=] ?(\d+)[,-](\d+)$")


def offsets(locator: str) -> tuple[int, int] | None:
    """The first character and the one past the last that a locator names, None where it does
    not."""
    found = _OFFSETS.search(locator)
    return (int(found[1]), int(found[2])) if found else None


def contents(frozen: Iterable[Frozen]) -> str:
    """The content hash of the graded pairs, in whatever order they come."""
    return content_hash(
        sorted([e.query_id, e.passage_id, e.grade] for e, *_ in frozen if e.grade and e.passage_id)
    )


def former_contents(frozen: Iterable[Frozen]) -> str:
    """The hash of versions that were frozen before there were seals."""
    return content_hash(
        sorted(
            [e.query_id, e.query, e.kind, e.passage_id, e.grade or "", origin, text_hash]
            for e, origin, text_hash, _ in frozen
        )
    )


def seal(record: Sequence[object], reason: str, provenance: Provenance, hashes: list[str]) -> str:
    """The hash of a whole version: its record (name, version, hash, origin, person, time), its
    reason and provenance, and its entries' hashes."""
    *said, at = record
    moment = at.astimezone(UTC).isoformat()  # type: ignore[attr-defined]
    return content_hash([*said, moment, reason, *provenance, sorted(hashes)])


_ENTRY = "query_id, query, kind, passage_id, grade, origin, text_hash"


class Stored(NamedTuple):
    """An entry of a version under its key, and its hash as it was stored: None where that is
    gone."""

    key: Key
    frozen: Frozen
    hash: str | None


def read(cursor: Cursor, name: str, version: int) -> Iterator[Stored]:
    """The entries of a version, by query and passage. What an entry shares with the one before it
    is held once."""
    cursor.execute(
        f"select {', '.join(f'e.{field}' for field in _ENTRY.split(', '))}, "
        f"{', '.join(f'a.{field}' for field in Anchor._fields)}, a.entry_hash "
        "from golden_entries e left join golden_anchors a on a.name = e.name "
        "and a.version = e.version and a.query_id = e.query_id and a.passage_id = e.passage_id "
        "where e.name = $1 and e.version = $2 order by e.query_id, e.passage_id",
        [name, version],
    )
    last = Stored(("", ""), Frozen(GoldenEntry("", "", None), ""), None)
    while rows := cursor.fetchmany(_FETCHED):
        for query_id, query, kind, passage_id, grade, origin, text_hash, *anchor, hashed in rows:
            before = last.frozen.entry
            if query_id == before.query_id and query == before.query and kind == before.kind:
                query_id, query, kind = before.query_id, before.query, before.kind
            entry = GoldenEntry(query_id, passage_id, GRADE_OF[grade], query, kind)
            at = Anchor() if hashed is None else Anchor(*anchor)
            frozen = Frozen(
                entry,
                last.frozen.origin if origin == last.frozen.origin else origin,
                text_hash,
                last.frozen.anchor if at == last.frozen.anchor else at,
            )
            last = Stored((query_id, passage_id), frozen, hashed)
            yield last


_FETCHED = 10_000

GRADE_OF: dict[str | None, Grade | None] = {None: None, **{grade.value: grade for grade in Grade}}
"""The grade of a column's text: a look-up is quicker than a call."""


class Anchored(NamedTuple):
    """A passage's anchor and the content hash of its text."""

    anchor: Anchor
    text_hash: str


def anchored(cursor: Cursor, passages: Sequence[str]) -> dict[str, Anchored]:
    """Where the passages' current texts are."""
    cursor.execute(
        "select passage_id, text, corpus, version, source_uri, locator from passages "
        "where seq in (select max(seq) from passages where passage_id = any($1) "
        "and not superseded group by passage_id)",
        [list(passages)],
    )
    found: dict[str, Anchored] = {}
    while rows := cursor.fetchmany(_FETCHED):
        for row in rows:
            anchor = Anchor(*row[2:], *(offsets(row[5]) or (None, None)))
            found[row[0]] = Anchored(anchor, content_hash(row[1]))
    return found


PART = 100_000
"""Entries whose passages are looked up at once: what is known of them is no burden."""


def insert(cursor: Cursor, name: str, version: int, frozen: Mapping[Key, Frozen]) -> list[str]:
    """Store a version's entries; those that are not anchored yet with their passages' anchors as
    they stand. Returns the hash of each."""
    every, hashes = sorted(frozen), list[str]()
    for start in range(0, len(every), PART):
        keys, kept = every[start : start + PART], []
        there = anchored(cursor, [key[1] for key in keys if frozen[key].anchor is NOT_YET])
        for key in keys:
            one = frozen[key]
            if one.anchor is NOT_YET:
                found = there.get(key[1], Anchored(Anchor(), ""))
                one = one._replace(text_hash=found.text_hash, anchor=found.anchor)
            kept.append(one)
        sealed = [one.hash for one in kept]
        _append(cursor, name, version, kept, sealed)
        hashes += sealed
    return hashes


def _append(
    cursor: Cursor, name: str, version: int, kept: Sequence[Frozen], hashes: Sequence[str]
) -> None:
    entries = [one.entry for one in kept]
    version_of: dict[str, Sequence[object]] = {
        "name": [name] * len(kept),
        "version": [version] * len(kept),
    }
    append(
        cursor,
        "golden_entries",
        {
            **version_of,
            **{
                field: [getattr(entry, field) for entry in entries]
                for field in ("query_id", "query", "kind", "passage_id", "grade")
            },
            "origin": [one.origin for one in kept],
            "text_hash": [one.text_hash for one in kept],
        },
    )
    append(
        cursor,
        "golden_anchors",
        {
            **version_of,
            "query_id": [entry.query_id for entry in entries],
            "passage_id": [entry.passage_id for entry in entries],
            **{field: [getattr(one.anchor, field) for one in kept] for field in Anchor._fields},
            "entry_hash": hashes,
        },
    )
