"""The schema as a list of named steps, each run once in a transaction with its record.

A released step is never edited; a change is a new step at the end. Text with CHECK instead of
enums; no foreign keys and no secondary indexes, which block ALTER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import duckdb

from labeler.errors import LabelerError, StoreDamaged
from labeler.store import schema

if TYPE_CHECKING:
    from labeler.store.db import Cursor, Store

    Steps = Sequence[tuple[str, Callable[[Cursor], None]]]


def _first_schema(cursor: Cursor) -> None:
    for part in (schema.CORPUS, schema.JUDGMENTS, schema.CHECKS, schema.VIEWS):
        cursor.execute(part)


def _reviewers_desk(cursor: Cursor) -> None:
    cursor.execute(schema.DESK)


def _evaluations(cursor: Cursor) -> None:
    cursor.execute(schema.EVALUATIONS)


def _workshop(cursor: Cursor) -> None:
    cursor.execute(schema.WORKSHOP)


def _replies(cursor: Cursor) -> None:
    cursor.execute(schema.REPLIES)


def _drafts(cursor: Cursor) -> None:
    cursor.execute(schema.DRAFTS)


def _answers(cursor: Cursor) -> None:
    cursor.execute(schema.ANSWERS)


STEPS: Steps = [
    ("first schema", _first_schema),
    ("reviewers' desk", _reviewers_desk),
    ("evaluations", _evaluations),
    ("workshop", _workshop),
    ("replies", _replies),
    ("drafts", _drafts),
    ("answers", _answers),
]
"""Name and function of each step, in order."""

CURRENT = len(STEPS)
"""The schema's version: how many steps have been run."""


def schema_version(store: Store, *, steps: Steps = STEPS) -> int:
    """How many steps the store has seen; 0 for an empty file. Another program's file raises."""
    if not store.rows("select 1 from information_schema.tables limit 1"):
        return 0
    try:
        seen = [row[0] for row in store.rows("select name from migrations order by number")]
    except duckdb.Error as error:
        if "Corrupt database file" in str(error):
            raise StoreDamaged(
                f"{store.path.name} is damaged: take a back-up in its place"
            ) from error
        seen = []
    known = [name for name, _ in steps]
    if not seen or seen[: len(known)] != known[: len(seen)]:
        raise LabelerError(f"{store.path.name} is not a labeler store")
    return len(seen)


def migrate(store: Store, *, steps: Steps = STEPS) -> None:
    """Run the steps that the store has not seen.

    A store of a newer version is refused untouched.
    """
    seen = schema_version(store, steps=steps)
    if seen > len(steps):
        raise LabelerError(
            f"{store.path.name} was written by a newer labeler (schema {seen}, "
            f"this one knows {len(steps)}): update labeler"
        )
    for number, (name, step) in enumerate(steps[seen:], start=seen + 1):
        with store.write() as cursor:
            cursor.execute(
                "create table if not exists migrations "
                "(number integer not null, name text not null, run_at timestamptz not null)"
            )
            step(cursor)
            cursor.execute(
                "insert into migrations values ($1, $2, $3)", [number, name, store.clock()]
            )
    if seen < len(steps):
        with store.read() as cursor:
            cursor.execute("checkpoint")
