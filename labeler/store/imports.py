"""What was imported, and the staging that every importer shares.

An import is one transaction: rows are read and stored in parts of bounded size, and a malformed
line that raises in the middle leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeVar

from labeler.errors import Problem
from labeler.store.db import Cursor, Store
from labeler.store.people import audit

PART = 20_000
"""Rows held in memory at once."""

Progress = Callable[[int], None]
"""Told how many rows have been read so far."""

T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """Where rows come from: the file and its hash, who brings it, and the lines left out so far."""

    file: str = ""
    hash: str = ""
    person: str = ""
    left_out: list[Problem] = field(default_factory=list)
    progress: Progress | None = None


NOWHERE = Source()
"""Rows that no file brought."""


class Imported(NamedTuple):
    """What an import did.

    Rows read, rows added (the rest was there already), and what to tell the user.
    """

    read: int
    added: int
    remarks: tuple[str, ...] = ()


def parts(rows: Iterable[T], source: Source) -> Iterator[list[T]]:
    """The rows in lists of at most PART, each told to the source's progress once it is stored."""
    iterator, read = iter(rows), 0
    while part := list(islice(iterator, PART)):
        read += len(part)
        yield part
        if source.progress:
            source.progress(read)


NAMED = 3
"""How many ids a remark names."""


def remark(what: str, ids: Sequence[str], *, many: int) -> tuple[str, ...]:
    """What befell `many` ids, of which `ids` are the first; nothing where it befell none."""
    if not many:
        return ()
    named = ", ".join(repr(one if len(one) <= 60 else f"{one[:59]}…") for one in ids[:NAMED])
    more = f" and {many - NAMED:,} more" if many > NAMED else ""
    return (f"{what}: {named}{more}",)


REPLACED = "known with another content, which was replaced and is kept as history"


def log(store: Store, cursor: Cursor, *, kind: str, source: Source, done: Imported) -> None:
    """Note an import in its own transaction."""
    at, left_out = store.clock(), len(source.left_out)
    cursor.execute(
        "insert into imports values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7)",
        [kind, source.file, source.hash, done.read, done.added, left_out, at],
    )
    audit(
        cursor,
        at,
        person=source.person,
        action=f"import {kind}",
        subject=source.file,
        detail=f"{done.read} read, {done.added} added, {left_out} left out",
    )
