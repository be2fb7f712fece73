"""Golden sets: what queries should find, frozen in versions `name@version`.

A version is never edited. The next one holds all of the version before it and adds to it: new
entries, and another grade or text for entries that were there. Each version carries a hash of all
its entries, so that `verify` tells what has been changed behind the program's back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, Query, content_hash
from labeler.store import queries
from labeler.store.db import Cursor, Row, Store, append, scalar
from labeler.store.people import audit


@dataclass(frozen=True, slots=True)
class Golden:
    """One frozen version. `entries` are ordered by query and passage."""

    name: str
    version: int
    hash: str
    origin: str
    frozen_by: str
    frozen_at: datetime
    entries: tuple[GoldenEntry, ...] = ()

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"


class Damage(NamedTuple):
    """Something that is no longer as it was frozen."""

    ref: str
    what: str

    def __str__(self) -> str:
        return f"{self.ref}: {self.what}"


class _Frozen(NamedTuple):
    """An entry as it is stored: `text_hash` is of the passage's text, "" where none was there."""

    entry: GoldenEntry
    origin: str
    text_hash: str


_Key = tuple[str, str]
_GOLDEN = "name, version, hash, origin, frozen_by, frozen_at"
_ENTRY = "query_id, query, kind, passage_id, grade, origin, text_hash"


def record(
    store: Store, name: str, entries: Sequence[GoldenEntry], *, origin: str, person: str
) -> Golden:
    """Freeze entries as the next version of golden set `name`; what adds nothing to the standing
    version returns that.

    An entry without `query_id` joins the imported query of exactly its text (the first imported of
    several), else it becomes a query of its own, named by its text's hash. A query that expects
    nothing has one entry with `passage_id` ""; passages for it later replace that entry, and the
    other way round. Raises LabelerError for a pair with two grades, and for no entries.
    """
    if not re.fullmatch(r"[^@\s](?:[^@\n]*[^@\s])?", name):
        raise LabelerError(f"A golden set's name is not empty and holds no @, found {name!r}")
    if not entries:
        raise LabelerError("A golden set needs at least one entry")
    with store.write() as cursor:
        brought = _distinct(_joined(cursor, entries))
        before = _standing(cursor, name)
        frozen = _frozen(before[1] if before else ())
        merged = _merged(frozen, brought, origin)
        if before and merged == frozen:
            return _with_entries(before[0], frozen.values())
        texts = _text_hashes(cursor, [passage for _, passage in merged])
        for key, kept in merged.items():
            if frozen.get(key) != kept:
                merged[key] = kept._replace(text_hash=texts.get(key[1], ""))
        version = before[0].version + 1 if before else 1
        golden = Golden(name, version, _hash(merged.values()), origin, person, store.clock())
        _insert(cursor, golden, [merged[key] for key in sorted(merged)])
        audit(
            cursor,
            golden.frozen_at,
            person=person,
            action="freeze",
            subject=golden.ref,
            detail=f"{len(merged)} entries, {golden.hash}",
        )
    return _with_entries(golden, merged.values())


def _joined(cursor: Cursor, entries: Sequence[GoldenEntry]) -> list[GoldenEntry]:
    """The entries, each with a query id; queries that are known by their text alone are added."""
    texts = list({entry.query for entry in entries if entry.query})
    by_text: dict[str, str] = {}
    for text, query_id in cursor.execute(
        "select text, query_id from queries where not superseded and text = any($1) order by seq",
        [texts],
    ).fetchall():
        by_text.setdefault(text, query_id)
    joined = []
    for entry in entries:
        if not entry.query_id and not entry.query:
            raise LabelerError("A golden entry needs a query's id or its text")
        known = by_text.get(entry.query) or f"g-{content_hash(entry.query)[3:15]}"
        joined.append(entry if entry.query_id else replace(entry, query_id=known))
    asked = {entry.query_id: entry for entry in reversed(joined) if entry.query}
    there = {
        row[0]
        for row in cursor.execute(
            "select query_id from current_queries where query_id = any($1)", [list(asked)]
        ).fetchall()
    }
    queries.supersede(
        cursor,
        [
            Query(query_id, entry.query, kind=entry.kind, origin="golden")
            for query_id, entry in reversed(asked.items())
            if query_id not in there
        ],
    )
    return joined


def _distinct(entries: Iterable[GoldenEntry]) -> dict[_Key, GoldenEntry]:
    distinct: dict[_Key, GoldenEntry] = {}
    for entry in entries:
        first = distinct.setdefault((entry.query_id, entry.passage_id), entry)
        if first.grade != entry.grade:
            raise LabelerError(
                f"The golden set grades passage {entry.passage_id!r} of query "
                f"{entry.query_id!r} twice: {first.grade or 'none'} and {entry.grade or 'none'}"
            )
    expecting = {query_id for query_id, passage_id in distinct if passage_id}
    for query_id, passage_id in list(distinct):
        if not passage_id and query_id in expecting:
            raise LabelerError(
                f"The golden set says of query {query_id!r} that it expects nothing, and passages"
            )
    return distinct


def _merged(
    frozen: Mapping[_Key, _Frozen], brought: Mapping[_Key, GoldenEntry], origin: str
) -> dict[_Key, _Frozen]:
    """What stood with what was brought on top. What an entry leaves out (its query's text, its
    kind) it does not change.
    """
    nothing = {query_id: not passage_id for query_id, passage_id in brought}
    merged = {
        key: kept
        for key, kept in frozen.items()
        if key[0] not in nothing or nothing[key[0]] == (not key[1])
    }
    for key, entry in brought.items():
        kept = merged.get(key)
        if kept is None:
            merged[key] = _Frozen(entry, origin, "")
            continue
        entry = replace(
            entry, query=entry.query or kept.entry.query, kind=entry.kind or kept.entry.kind
        )
        if entry != kept.entry:
            merged[key] = _Frozen(entry, origin, kept.text_hash)
    return merged


def _standing(cursor: Cursor, name: str) -> tuple[Golden, list[Row]] | None:
    """The newest version of a golden set, and its rows."""
    found = cursor.execute(
        f"select {_GOLDEN} from goldens where name = $1 order by version desc limit 1", [name]
    ).fetchall()
    if not found:
        return None
    golden = Golden(*found[0])
    return golden, _rows(cursor, golden)


def _rows(cursor: Cursor, golden: Golden) -> list[Row]:
    return cursor.execute(
        f"select {_ENTRY} from golden_entries where name = $1 and version = $2 "
        "order by query_id, passage_id",
        [golden.name, golden.version],
    ).fetchall()


def _frozen(rows: Iterable[Row]) -> dict[_Key, _Frozen]:
    frozen = {}
    for query_id, query, kind, passage_id, grade, origin, text_hash in rows:
        entry = GoldenEntry(query_id, passage_id, Grade(grade) if grade else None, query, kind)
        frozen[query_id, passage_id] = _Frozen(entry, origin, text_hash)
    return frozen


def _text_hashes(cursor: Cursor, passages: Sequence[str]) -> dict[str, str]:
    """The content hash of each passage's current text."""
    rows = cursor.execute(
        "select distinct on (passage_id) passage_id, text from passages "
        "where passage_id = any($1) and not superseded order by passage_id, seq desc",
        [list(passages)],
    ).fetchall()
    return {passage_id: content_hash(text) for passage_id, text in rows}


def _hash(frozen: Iterable[_Frozen]) -> str:
    """The content hash of entries, in whatever order they come."""
    return content_hash(
        sorted(
            [e.query_id, e.query, e.kind, e.passage_id, e.grade or "", origin, text_hash]
            for e, origin, text_hash in frozen
        )
    )


def _insert(cursor: Cursor, golden: Golden, frozen: Sequence[_Frozen]) -> None:
    cursor.execute(
        f"insert into goldens (seq, {_GOLDEN}) values ($1, $2, $3, $4, $5, $6, $7)",
        [
            scalar(cursor, "select nextval('seq')"),
            *(golden.name, golden.version, golden.hash),
            *(golden.origin, golden.frozen_by, golden.frozen_at),
        ],
    )
    entries = [kept.entry for kept in frozen]
    append(
        cursor,
        "golden_entries",
        {
            "name": [golden.name] * len(frozen),
            "version": [golden.version] * len(frozen),
            **{
                field: [getattr(entry, field) for entry in entries]
                for field in ("query_id", "query", "kind", "passage_id", "grade")
            },
            "origin": [kept.origin for kept in frozen],
            "text_hash": [kept.text_hash for kept in frozen],
        },
    )


def _with_entries(golden: Golden, frozen: Iterable[_Frozen]) -> Golden:
    entries = sorted(
        (kept.entry for kept in frozen), key=lambda entry: (entry.query_id, entry.passage_id)
    )
    return replace(golden, entries=tuple(entries))


def current(store: Store) -> list[Golden]:
    """Each golden set in its newest version with its entries, by name."""
    newest = {golden.name: golden for golden in history(store)}
    return [named(store, newest[name].ref) for name in sorted(newest)]


def history(store: Store) -> list[Golden]:
    """Every version of every golden set, oldest first, without entries."""
    return [Golden(*row) for row in store.rows(f"select {_GOLDEN} from goldens order by seq")]


def named(store: Store, ref: str) -> Golden:
    """The golden set `NAME` in its newest version, or `NAME@VERSION`, with its entries."""
    name, at, version = ref.partition("@")
    found = [
        golden
        for golden in history(store)
        if golden.name == name and (not at or str(golden.version) == version)
    ]
    if not found:
        known = ", ".join(golden.ref for golden in history(store)) or "none is frozen"
        raise LabelerError(f"There is no golden set {ref!r}; known: {known}")
    with store.read() as cursor:
        return _with_entries(found[-1], _frozen(_rows(cursor, found[-1])).values())


def verify(store: Store) -> list[Damage]:
    """Compute every hash again: versions whose entries have been changed, and entries of the newest
    versions whose passage has another text now, or none. Empty where all is as it was frozen.
    """
    damage: list[Damage] = []
    versions = history(store)
    newest = {golden.name: golden.version for golden in versions}
    with store.read() as cursor:
        for golden in versions:
            rows = _rows(cursor, golden)
            frozen = _frozen(rows)
            if len(frozen) != len(rows) or _hash(frozen.values()) != golden.hash:
                damage.append(Damage(golden.ref, "the entries are not those that were frozen"))
            if golden.version != newest[golden.name]:
                continue
            texts = _text_hashes(cursor, [passage for _, passage in frozen])
            damage += [
                Damage(
                    golden.ref,
                    f"passage {passage!r} of query {query!r} has "
                    + ("another text now" if passage in texts else "no text any more"),
                )
                for (query, passage), kept in sorted(frozen.items())
                if kept.text_hash and texts.get(passage) != kept.text_hash
            ]
        lost = cursor.execute(
            "select distinct e.name, e.version from golden_entries e where not exists "
            "(select 1 from goldens g where g.name = e.name and g.version = e.version) "
            "order by 1, 2"
        ).fetchall()
    damage += [
        Damage(f"{name}@{version}", "entries of no frozen version") for name, version in lost
    ]
    return damage
