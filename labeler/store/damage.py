"""What of the golden sets is no longer as it was frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from labeler.model import GoldenEntry
from labeler.store.db import Cursor, Store
from labeler.store.frozen import (
    PART,
    Frozen,
    Key,
    anchored,
    contents,
    former_contents,
    read,
    seal,
)
from labeler.store.goldens import FIELDS, Freeze, Golden, freezes, history


class Damage(NamedTuple):
    """Something that is no longer as it was frozen."""

    ref: str
    what: str

    def __str__(self) -> str:
        return f"{self.ref}: {self.what}"


def verify(store: Store) -> list[Damage]:
    """Compute every hash again: entries and records of any version that are not as they were
    frozen, and entries of the newest versions whose passage has another text now, or none. Empty
    where all is as it was.
    """
    damage: list[Damage] = []
    versions, sealed = history(store), freezes(store)
    newest = {golden.name: golden.version for golden in versions}
    with store.read() as cursor:
        for golden in versions:
            damage += [Damage(golden.ref, what) for what in _lost(cursor, golden)]
            damage += [Damage(golden.ref, what) for what in _altered(cursor, golden, sealed)]
            if golden.version == newest[golden.name]:
                damage += [Damage(golden.ref, what) for what in _retold(store, golden)]
        lost = cursor.execute(
            "select distinct e.name, e.version from golden_entries e where not exists "
            "(select 1 from goldens g where g.name = e.name and g.version = e.version) "
            "order by 1, 2"
        ).fetchall()
    damage += [
        Damage(f"{name}@{version}", "entries of no frozen version") for name, version in lost
    ]
    return damage


def _altered(cursor: Cursor, golden: Golden, sealed: Mapping[str, Freeze]) -> Iterator[str]:
    """What of a version is not as it was frozen."""
    freeze, rows = sealed.get(golden.ref), read(cursor, golden.name, golden.version)
    if freeze is None:
        if former_contents(one.frozen for one in rows) != golden.hash:
            yield "the entries are not those that were frozen"
        return
    entries, hashes = list[GoldenEntry](), list[str]()
    changed, before, twice = set[Key](), None, False
    for key, frozen, said in rows:
        entries.append(frozen.entry)
        hashes.append(frozen.hash)
        if said != hashes[-1]:
            changed.add(key)
        before, twice = key, twice or key == before
    for key in sorted(changed):
        yield f"{_called(key)} is not as it was frozen"
    if twice:
        yield "an entry is there twice"
    record = [getattr(golden, field) for field in FIELDS.split(", ")]
    found = seal(record, freeze.reason, freeze.provenance, hashes)
    graded = contents(Frozen(entry, "") for entry in entries)
    if not (changed or twice) and (graded != golden.hash or found != freeze.seal):
        yield "the entries or the record of the version are not those that were frozen"


def _retold(store: Store, golden: Golden) -> Iterator[str]:
    """The passages that have another text now than was graded."""
    for rows in store.batches(
        "select query_id, passage_id, text_hash from golden_entries where name = $1 "
        "and version = $2 and text_hash <> '' order by query_id, passage_id",
        [golden.name, golden.version],
        size=PART,
    ):
        with store.read() as cursor:
            there = anchored(cursor, [passage for _, passage, _ in rows])
        for query, passage, text_hash in rows:
            found = there.get(passage)
            if found is None or found.text_hash != text_hash:
                now = "another text now" if found else "no text any more"
                yield f"passage {passage!r} of query {query!r} has {now}"


def _lost(cursor: Cursor, golden: Golden) -> list[str]:
    """The entries that were taken out of a version."""
    gone = cursor.execute(
        "select query_id, passage_id from golden_anchors a where name = $1 and version = $2 "
        "and not exists (select 1 from golden_entries e where e.name = a.name "
        "and e.version = a.version and e.query_id = a.query_id and e.passage_id = a.passage_id) "
        "order by 1, 2",
        [golden.name, golden.version],
    ).fetchall()
    return [f"{_called((query, passage))} is gone" for query, passage in gone]


def _called(key: Key) -> str:
    query, passage = key
    return f"passage {passage!r} of query {query!r}" if passage else f"query {query!r}"
