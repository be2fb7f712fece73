"""Who works here, in which role, and the audit log of what each of them did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.store.db import Cursor, Store, numbers

ROLES = ("annotator", "reviewer", "lead")


class Person(NamedTuple):
    """A user and the role that decides where the app lands them."""

    name: str
    role: str
    since: datetime


class Audited(NamedTuple):
    """One line of the audit log."""

    at: datetime
    person: str
    action: str
    subject: str
    detail: str


def audit(
    cursor: Cursor, at: datetime, *, person: str, action: str, subject: str, detail: str = ""
) -> None:
    """Write a line to the log, in the transaction of what it tells of."""
    cursor.execute(
        "insert into audit values (nextval('seq'), $1, $2, $3, $4, $5)",
        [at, person, action, subject, detail],
    )


def audit_all(
    cursor: Cursor,
    at: datetime,
    *,
    people: Sequence[str],
    actions: Sequence[str],
    subjects: Sequence[str],
    details: Sequence[str],
) -> None:
    """Write many lines of one moment to the log, in their order."""
    cursor.execute(
        "insert into audit select unnest($1::bigint[]), $2, unnest($3::text[]), "
        "unnest($4::text[]), unnest($5::text[]), unnest($6::text[])",
        [numbers(cursor, len(people)), at, people, actions, subjects, details],
    )


def record(store: Store, name: str, *, role: str = "annotator") -> Person:
    """Make a person known, or give a known one another role."""
    name = checked_name(name)
    if role not in ROLES:
        raise LabelerError(f"{role!r} is no role, expected one of {', '.join(ROLES)}")
    known = current(store, name)
    if known and known.role == role:
        return known
    at = store.clock()
    with store.write() as cursor:
        cursor.execute("insert into people values ($1, $2, nextval('seq'), $3)", [name, role, at])
        audit(cursor, at, person=name, action="role", subject=name, detail=role)
    return Person(name, role, at)


def checked_name(name: str) -> str:
    """The name without outer white space; one that is empty, long or holds control characters
    is refused.
    """
    name = name.strip()
    if not name:
        raise LabelerError("A name is needed: whose labels are these?")
    if len(name) > 80 or not name.isprintable():
        raise LabelerError("A name has at most 80 characters, none of them control characters")
    return name


def current(store: Store, name: str) -> Person | None:
    """The person called `name`, or None."""
    row = store.row("select name, role, since from current_people where name = $1", [name])
    return Person(*row) if row else None


def everyone(store: Store) -> list[Person]:
    """All people, by name."""
    rows = store.rows("select name, role, since from current_people order by name")
    return [Person(*row) for row in rows]


def history(store: Store, *, limit: int = 200) -> list[Audited]:
    """The newest lines of the audit log, newest first."""
    rows = store.rows(
        "select at_utc, person, action, subject, detail from audit order by seq desc limit $1",
        [limit],
    )
    return [Audited(*row) for row in rows]


def whole_log(store: Store) -> Iterator[Audited]:
    """Every line of the audit log, the oldest first."""
    for rows in store.batches(
        "select at_utc, person, action, subject, detail from audit order by seq"
    ):
        yield from (Audited(*row) for row in rows)
