"""What of the golden sets is no longer as it was frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from labeler.store.db import Cursor, Store
from labeler.store.frozen import Key, Rows, anchored, contents, former_contents, read, seal
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
            rows = read(cursor, golden.name, golden.version)
            damage += [Damage(golden.ref, what) for what in _lost(cursor, golden)]
            damage += [Damage(golden.ref, what) for what in _altered(golden, rows, sealed)]
            if golden.version == newest[golden.name]:
                damage += [Damage(golden.ref, what) for what in _retold(cursor, rows)]
        lost = cursor.execute(
            "select distinct e.name, e.version from golden_entries e where not exists "
            "(select 1 from goldens g where g.name = e.name and g.version = e.version) "
            "order by 1, 2"
        ).fetchall()
    damage += [
        Damage(f"{name}@{version}", "entries of no frozen version") for name, version in lost
    ]
    return damage


def _altered(golden: Golden, rows: Rows, sealed: Mapping[str, Freeze]) -> Iterator[str]:
    """What of a version is not as it was frozen."""
    frozen, freeze = rows.frozen, sealed.get(golden.ref)
    if freeze is None:
        if rows.total != len(frozen) or former_contents(frozen.values()) != golden.hash:
            yield "the entries are not those that were frozen"
        return
    changed = False
    for key in sorted(frozen):
        if rows.hashes.get(key) != frozen[key].hash:
            changed = True
            yield f"{_called(key)} is not as it was frozen"
    if rows.total != len(frozen):
        changed = True
        yield "an entry is there twice"
    record = [getattr(golden, field) for field in FIELDS.split(", ")]
    found = seal(record, freeze.reason, freeze.provenance, [one.hash for one in frozen.values()])
    if not changed and (contents(frozen.values()) != golden.hash or found != freeze.seal):
        yield "the entries or the record of the version are not those that were frozen"


def _retold(cursor: Cursor, rows: Rows) -> Iterator[str]:
    """The passages that have another text now than was graded."""
    there = anchored(cursor, [passage for _, passage in rows.frozen])
    for (query, passage), one in sorted(rows.frozen.items()):
        found = there.get(passage)
        if one.text_hash and (found is None or found.text_hash != one.text_hash):
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
