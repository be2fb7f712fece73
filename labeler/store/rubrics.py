"""Rubrics: versions of a judge's instructions, never edited, only superseded."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Rubric
from labeler.store.db import Row, Store
from labeler.store.people import audit

_FIELDS = "name, version, text, examples, added_by, added_at"


class Entry(NamedTuple):
    """A version of a rubric, and who added it when."""

    rubric: Rubric
    added_by: str
    added_at: datetime


def add(
    store: Store,
    name: str,
    *,
    text: str,
    examples: Iterable[Mapping[str, str]] = (),
    by: str = "",
) -> Rubric:
    """Add the next version of a rubric. What the newest version says already adds nothing."""
    if not re.fullmatch(r"[^\s@,]+", name):
        raise LabelerError(f"{name!r} cannot name a rubric: no spaces, commas or @")
    if not text.strip():
        raise LabelerError(f"The rubric {name} has no text")
    at = store.clock()
    with store.write() as cursor:
        row = cursor.execute(
            f"select {_FIELDS} from rubrics where name = $1 order by version desc limit 1", [name]
        ).fetchone()
        newest = _entry(row).rubric if row else None
        rubric = Rubric(name, newest.version + 1 if newest else 1, text, tuple(examples))
        if newest is not None and newest.hash == rubric.hash:
            return newest
        told = json.dumps([dict(example) for example in rubric.examples], ensure_ascii=False)
        cursor.execute(
            "insert into rubrics (seq, name, version, text, examples, hash, added_by, added_at) "
            "values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7)",
            [name, rubric.version, text, told, rubric.hash, by, at],
        )
        audit(cursor, at, person=by, action="add rubric", subject=rubric.ref, detail=rubric.hash)
    return rubric


def current(store: Store) -> list[Entry]:
    """The newest version of each rubric, by name."""
    rows = store.rows(
        f"select distinct on (name) {_FIELDS} from rubrics order by name, version desc"
    )
    return [_entry(row) for row in rows]


def history(store: Store, name: str = "") -> list[Entry]:
    """Every version of every rubric, or of one, the oldest first."""
    rows = store.rows(
        f"select {_FIELDS} from rubrics where $1 = '' or name = $1 order by name, version", [name]
    )
    return [_entry(row) for row in rows]


def named(store: Store, ref: str) -> Rubric | None:
    """The rubric `name@version`, or the newest of `name`; None where there is none."""
    name, _, version = ref.partition("@")
    if version and not version.isdecimal():
        raise LabelerError(f"{ref!r} names no rubric: expected NAME or NAME@VERSION")
    rows = store.rows(
        f"select {_FIELDS} from rubrics where name = $1 and ($2 = 0 or version = $2) "
        "order by version desc limit 1",
        [name, int(version or 0)],
    )
    return _entry(rows[0]).rubric if rows else None


def diff(old: Rubric, new: Rubric) -> str:
    """What changed between two rubrics, text and examples, as a unified diff; "" if nothing."""
    lines = difflib.unified_diff(_lines(old), _lines(new), old.ref, new.ref, lineterm="")
    return "\n".join(lines)


def _lines(rubric: Rubric) -> list[str]:
    examples = [json.dumps(dict(e), ensure_ascii=False, sort_keys=True) for e in rubric.examples]
    return [*rubric.text.splitlines(), *(f"example: {line}" for line in examples)]


def _entry(row: Row) -> Entry:
    name, version, text, examples, added_by, added_at = row
    return Entry(Rubric(name, version, text, tuple(json.loads(examples))), added_by, added_at)
