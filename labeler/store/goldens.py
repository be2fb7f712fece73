"""Golden sets: what queries should find, frozen in versions `name@version`.

A version is never edited. The next one holds all of the version before it and adds to it: new
entries, and another grade or text for entries that were there. Each version carries the hash of
its graded pairs, which is the same wherever they are frozen, and a seal on all that was frozen with
them, so that `verify` tells what has been changed behind the program's back (see `frozen`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import repeat
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Query, content_hash
from labeler.store import queries
from labeler.store.db import Cursor, Store
from labeler.store.frozen import (
    GRADE_OF,
    NOT_YET,
    Frozen,
    Key,
    Provenance,
    contents,
    insert,
    read,
    seal,
)
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


FIELDS = "name, version, hash, origin, frozen_by, frozen_at"
"""The columns of a version's record."""


def record(
    store: Store,
    name: str,
    entries: Sequence[GoldenEntry],
    *,
    origin: str,
    person: str,
    origins: Sequence[str] = (),
    reason: str = "",
    provenance: Provenance | None = None,
    without: Collection[Key] = (),
) -> Golden:
    """Freeze entries as the next version of golden set `name`; what adds nothing to the standing
    version returns that.

    An entry without `query_id` joins the imported query of exactly its text (the first imported of
    several), else it becomes a query of its own, named by its text's hash. A query that expects
    nothing has one entry with `passage_id` ""; passages for it later replace that entry, and the
    other way round. `origins` says where each entry comes from, if not from `origin`, `reason` why
    grades are changed (by default the origin); entries `without` do not stand on: they were
    rebound to other passages. Raises LabelerError for a pair with two grades, and for no entries.
    """
    if not re.fullmatch(r"[^@\s](?:[^@\n]*[^@\s])?", name):
        raise LabelerError(f"A golden set's name is not empty and holds no @, found {name!r}")
    if not entries:
        raise LabelerError("A golden set needs at least one entry")
    reason, provenance = reason or origin, provenance or Provenance(origin)
    with store.write() as cursor:
        before = _standing(cursor, name)
        frozen = _read(cursor, before) if before else {}
        kept = {key: one for key, one in frozen.items() if key not in without}
        merged = _merged(kept, _distinct(_joined(cursor, entries), origins or repeat(origin)))
        if before and merged == frozen:
            return _with_entries(before, frozen)
        del frozen, kept  # a million entries take half a gigabyte
        version = before.version + 1 if before else 1
        golden = Golden(name, version, contents(merged.values()), origin, person, store.clock())
        hashes = insert(cursor, name, version, merged)
        golden, many = _with_entries(golden, merged), len(merged)
        del merged
        _note(cursor, golden, hashes, reason=reason, provenance=provenance)
        audit(
            cursor,
            golden.frozen_at,
            person=person,
            action="freeze",
            subject=golden.ref,
            detail=f"{many} entries, {golden.hash}, {reason}",
        )
    return golden


def _joined(cursor: Cursor, entries: Sequence[GoldenEntry]) -> list[GoldenEntry]:
    """The entries, each with a query id; queries that are known by their text alone are added."""
    by_text = queries.by_text(cursor, (entry.query for entry in entries))
    joined = []
    for entry in entries:
        if not entry.query_id and not entry.query:
            raise LabelerError("A golden entry needs a query's id or its text")
        known = by_text.get(entry.query) or f"g-{content_hash(entry.query)[3:15]}"
        joined.append(entry if entry.query_id else replace(entry, query_id=known))
    asked = {entry.query_id: entry for entry in reversed(joined) if entry.query}
    queries.add(
        cursor,
        [
            Query(query_id, entry.query, kind=entry.kind, origin="golden")
            for query_id, entry in reversed(asked.items())
        ],
    )
    return joined


def _distinct(entries: Iterable[GoldenEntry], origins: Iterable[str]) -> dict[Key, Frozen]:
    """What was brought, each pair once and not anchored yet."""
    distinct: dict[Key, Frozen] = {}
    for entry, source in zip(entries, origins, strict=False):
        brought = Frozen(entry, source, anchor=NOT_YET)
        first = distinct.setdefault((entry.query_id, entry.passage_id), brought).entry
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


def _merged(frozen: Mapping[Key, Frozen], brought: Mapping[Key, Frozen]) -> dict[Key, Frozen]:
    """What stood with what was brought on top. What an entry leaves out (its query's text, its
    kind) it does not change.
    """
    nothing = {query_id: not passage_id for query_id, passage_id in brought}
    merged = {
        key: kept
        for key, kept in frozen.items()
        if key[0] not in nothing or nothing[key[0]] == (not key[1])
    }
    for key, one in brought.items():
        kept = merged.get(key)
        if kept is None:
            merged[key] = one
            continue
        query, kind = kept.entry.query, kept.entry.kind
        entry = replace(one.entry, query=one.entry.query or query, kind=one.entry.kind or kind)
        if entry != kept.entry:
            merged[key] = one._replace(entry=entry)
    return merged


def _standing(cursor: Cursor, name: str) -> Golden | None:
    """The newest version of a golden set, without entries."""
    found = cursor.execute(
        f"select {FIELDS} from goldens where name = $1 order by version desc limit 1", [name]
    ).fetchall()
    return Golden(*found[0]) if found else None


def _note(
    cursor: Cursor,
    golden: Golden,
    hashes: list[str],
    *,
    reason: str,
    provenance: Provenance,
) -> None:
    record = [getattr(golden, field) for field in FIELDS.split(", ")]
    cursor.execute(
        f"insert into goldens (seq, {FIELDS}) values (nextval('seq'), $1, $2, $3, $4, $5, $6)",
        record,
    )
    sealed = seal(record, reason, provenance, hashes)
    cursor.execute(
        f"insert into freezes (seq, name, version, seal, {_WHY}) values "
        "(nextval('seq'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        [golden.name, golden.version, sealed, reason, *provenance],
    )


_WHY = f"reason, {', '.join(Provenance._fields)}"


def _read(cursor: Cursor, golden: Golden) -> dict[Key, Frozen]:
    """A version's entries with their origins and anchors."""
    return {key: one for key, one, _ in read(cursor, golden.name, golden.version)}


def _with_entries(golden: Golden, frozen: Mapping[Key, Frozen]) -> Golden:
    return replace(golden, entries=tuple(frozen[key].entry for key in sorted(frozen)))


def current(store: Store) -> list[Golden]:
    """Each golden set in its newest version with its entries, by name."""
    return [named(store, golden.ref) for golden in newest(store)]


def newest(store: Store) -> list[Golden]:
    """Each golden set in its newest version, by name, without entries."""
    found = {golden.name: golden for golden in history(store)}
    return [found[name] for name in sorted(found)]


def history(store: Store) -> list[Golden]:
    """Every version of every golden set, oldest first, without entries."""
    return [Golden(*row) for row in store.rows(f"select {FIELDS} from goldens order by seq")]


def named(store: Store, ref: str) -> Golden:
    """The golden set `NAME` in its newest version, or `NAME@VERSION`, with its entries."""
    found = version(store, ref)
    return replace(found, entries=tuple(entries(store, found)))


def version(store: Store, ref: str) -> Golden:
    """As `named`, without entries."""
    name, at, number = ref.partition("@")
    found = [
        golden
        for golden in history(store)
        if golden.name == name and (not at or str(golden.version) == number)
    ]
    if not found:
        known = ", ".join(golden.ref for golden in history(store)) or "none is frozen"
        raise LabelerError(f"There is no golden set {ref!r}; known: {known}")
    return found[-1]


def counts(store: Store, golden: Golden) -> dict[str, int]:
    """How many entries of a version have each grade, "nothing" for queries that expect nothing."""
    rows = store.rows(
        "select coalesce(grade, 'nothing') as said, count(*) from golden_entries "
        "where name = $1 and version = $2 group by said order by said",
        [golden.name, golden.version],
    )
    return dict(rows)


def stored(store: Store, golden: Golden) -> dict[Key, Frozen]:
    """A version's entries with their origins and anchors."""
    with store.read() as cursor:
        return _read(cursor, golden)


def entries(store: Store, golden: Golden) -> Iterator[GoldenEntry]:
    """A version's entries, by query and passage. What an entry shares with the one before it is
    held once."""
    last = GoldenEntry("", "", None)
    for rows in store.batches(
        "select query_id, query, kind, passage_id, grade from golden_entries "
        "where name = $1 and version = $2 order by query_id, passage_id",
        [golden.name, golden.version],
    ):
        for query_id, query, kind, passage_id, grade in rows:
            if (query_id, query, kind) == (last.query_id, last.query, last.kind):
                query_id, query, kind = last.query_id, last.query, last.kind
            last = GoldenEntry(query_id, passage_id, GRADE_OF[grade], query, kind)
            yield last


class Freeze(NamedTuple):
    """Why a version was frozen, what from, and the seal on all of it."""

    seal: str
    reason: str
    provenance: Provenance


def freezes(store: Store) -> dict[str, Freeze]:
    """What every version's freezing rests on, by `name@version`; versions from before there were
    seals have none."""
    rows = store.rows(f"select name, version, seal, {_WHY} from freezes")
    return {f"{row[0]}@{row[1]}": Freeze(row[2], row[3], Provenance(*row[4:])) for row in rows}


class Change(NamedTuple):
    """What a pair (or a query that expects nothing, `passage_id` "") says in two versions: grades,
    "nothing" for one that expects nothing, "" where it is not in a version."""

    query_id: str
    passage_id: str
    before: str
    after: str
    origin: str


def diff(store: Store, old: Golden, new: Golden) -> list[Change]:
    """The entries that differ between two versions, by query and passage. A changed text or kind
    of a query shows as the same grade on both sides."""
    before, after = stored(store, old), stored(store, new)
    found = []
    for key in sorted(before.keys() | after.keys()):
        one, other = before.get(key), after.get(key)
        if one is None or other is None or one.entry != other.entry:
            origin = (other or one or Frozen(GoldenEntry("", "", None), "")).origin
            found.append(Change(*key, _said(one), _said(other), origin))
    return found


def _said(one: Frozen | None) -> str:
    return "" if one is None else str(one.entry.grade or "nothing")
