"""The reviewers' desk: queries written by hand, production failures that became cases, and the
passages that a person found and labels in place.

A query's desk is a list of tasks of one person, a spot check that nobody drew (`n` is 0): it hands
tasks out and checks rights as every other does, and no report counts it as a sample.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from labeler.errors import LabelerError
from labeler.model import Query
from labeler.store import queries
from labeler.store.db import Cursor, Store, scalar
from labeler.store.people import audit
from labeler.store.spotchecks import DESK

FAILURE = "production failure"
"""The origin of a query that failed in production."""

ORIGINS = ("search log", "support inbox", "colleague", FAILURE, "drafted")
"""Where queries come from; a team may use its own words."""

_EVERYBODY = 1_000
"""People wanted for a desk's task: whoever else has labelled the pair, its person may."""


class Failure(NamedTuple):
    """What went wrong in production: the answer that was given and the passages that came back."""

    query_id: str
    asked: str
    answer: str
    came_back: tuple[str, ...]
    note: str
    person: str
    reported_at: datetime


class Candidate(NamedTuple):
    """A candidate passage of a query, how it became one, what a person said of it, and what others
    did: "" until the person has labelled it, so that the label is their own.
    """

    passage_id: str
    source: str
    own: str
    others: str


def write(store: Store, query: Query, *, person: str) -> Query:
    """Store a query as a person wrote it: a new one, which is given an id if it has none, or a new
    version of the one with its id. What stood stays.
    """
    if not query.text.strip():
        raise LabelerError("A query needs words")
    if query.as_of and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", query.as_of):
        raise LabelerError(f"{query.as_of!r} is no day, expected YYYY-MM-DD")
    with store.write() as cursor:
        return _write(store, cursor, query, person=person)


def _write(store: Store, cursor: Cursor, query: Query, *, person: str) -> Query:
    if not query.query_id:
        query = replace(query, query_id=_free_id(cursor))
    query = replace(query, query_id=query.query_id.strip(), need_id=query.need_id.strip())
    before = cursor.execute(
        "select count(*) from queries where query_id = $1", [query.query_id]
    ).fetchall()[0][0]
    if queries.supersede(cursor, [query]).added:
        audit(
            cursor,
            store.clock(),
            person=person,
            action="change query" if before else "write query",
            subject=query.query_id,
            detail=f"version {before + 1}: {query.text}",
        )
    return query


def _free_id(cursor: Cursor) -> str:
    own = cursor.execute(
        "select distinct query_id from queries where query_id like 'own-%'"
    ).fetchall()
    taken = [int(rest) for (one,) in own if (rest := one.removeprefix("own-")).isdecimal()]
    return f"own-{max(taken, default=0) + 1}"


def versions(store: Store, query_id: str) -> list[Query]:
    """Every version of a query, the oldest first."""
    rows = store.rows(
        "select query_id, text, kind, need_id, origin, scope, as_of, split, note from queries "
        "where query_id = $1 order by seq",
        [query_id],
    )
    return [Query(*row) for row in rows]


def report_failure(
    store: Store,
    query: Query,
    *,
    answer: str = "",
    came_back: Sequence[str] = (),
    person: str = "",
) -> Query:
    """Make a case of a production failure, in one commit: the query with its origin, for good, and
    what came back as its candidates.
    """
    if not query.text.strip():
        raise LabelerError("What was asked? A failure needs the query's words")
    at, returned = store.clock(), json.dumps(list(came_back))
    with store.write() as cursor:
        query = _write(store, cursor, replace(query, origin=FAILURE), person=person)
        cursor.execute(
            "insert into failures values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7)",
            [
                query.query_id,
                query.text,
                answer,
                returned,
                query.note,
                person,
                at,
            ],
        )
        for rank, passage_id in enumerate(dict.fromkeys(came_back), start=1):
            _add_candidate(cursor, query.query_id, passage_id, rank, FAILURE, at)
        audit(
            cursor,
            at,
            person=person,
            action="failure",
            subject=query.query_id,
            detail=f"{len(came_back)} passages came back: {query.text}",
        )
    return query


def failures(store: Store, query_id: str | None = None) -> list[Failure]:
    """The failures of a query, or all, newest first."""
    rows = store.rows(
        "select query_id, asked, answer, came_back, note, person, reported_at from failures "
        "where $1::text is null or query_id = $1 order by seq desc",
        [query_id],
    )
    return [Failure(*(*row[:3], tuple(json.loads(row[3])), *row[4:])) for row in rows]


def name(person: str, query_id: str) -> str:
    """What a person's desk for a query is called among the spot checks."""
    return f"{DESK}{quote(person, safe='')}/{query_id}"


def open_desk(store: Store, query_id: str, *, person: str) -> str:
    """A person's desk for a query, made at the first call; its name."""
    desk = name(person, query_id)
    if store.row("select 1 from spotchecks where name = $1", [desk]):
        return desk
    with store.write() as cursor:
        if not cursor.execute("select 1 from spotchecks where name = $1", [desk]).fetchall():
            cursor.execute(
                "insert into spotchecks values "
                "(nextval('seq'), $1, 0, 0, 0, 1, '', '', '', $2, $3)",
                [desk, person, store.clock()],
            )
    return desk


def add(store: Store, query_id: str, *, passage_id: str, person: str) -> int:
    """Make a passage that a person found a candidate of a query and a task of their desk; the
    task's number. Again changes nothing.
    """
    desk = open_desk(store, query_id, person=person)
    at = store.clock()
    with store.write() as cursor:
        for table, column, key in (
            ("queries", "query_id", query_id),
            ("passages", "passage_id", passage_id),
        ):
            known = f"select 1 from {table} where not superseded and {column} = $1 limit 1"
            if not cursor.execute(known, [key]).fetchall():
                raise LabelerError(f"There is no {column.removesuffix('_id')} {key!r}")
        found = cursor.execute(
            "select task from tasks where spotcheck = $1 and passage_id = $2", [desk, passage_id]
        ).fetchall()
        if found:
            return int(found[0][0])
        if _add_candidate(cursor, query_id, passage_id, None, "found by hand", at):
            audit(
                cursor,
                at,
                person=person,
                action="candidate",
                subject=f"{query_id} / {passage_id}",
                detail="found by hand",
            )
        task = scalar(
            cursor, "select coalesce(max(task), 0) + 1 from tasks where spotcheck = $1", [desk]
        )
        cursor.execute(
            "insert into tasks values ($1, $2, $3, $4, '', 1.0, $2, $5)",
            [desk, task, query_id, passage_id, _EVERYBODY],
        )
        return int(task)


def _add_candidate(
    cursor: Cursor, query_id: str, passage_id: str, rank: int | None, source: str, at: datetime
) -> bool:
    return bool(
        cursor.execute(
            "insert into candidates select nextval('seq'), $1, $2, $3, $4, $5 where not exists "
            "(select 1 from candidates where query_id = $1 and passage_id = $2) returning 1",
            [query_id, passage_id, rank, source, at],
        ).fetchall()
    )


def standing(
    store: Store, query_id: str, *, passages: Sequence[str], person: str
) -> dict[str, str]:
    """Those of some passages that are candidates of a query, with what a person said of each: a
    grade, "unsure", or "".
    """
    rows = store.rows(
        "select distinct c.passage_id, coalesce(l.grade, l.state, '') from candidates c "
        "left join (select distinct on (passage_id) passage_id, grade, state from label_events "
        "where query_id = $1 and annotator = $3 order by passage_id, seq desc) l "
        "on l.passage_id = c.passage_id and l.state in ('labelled', 'unsure') "
        "where c.query_id = $1 and c.passage_id = any($2)",
        [query_id, list(passages), person],
    )
    return {row[0]: row[1] for row in rows}


def candidates(store: Store, query_id: str, *, person: str) -> list[Candidate]:
    """The candidates of a query as a person may see them, in the order in which they became
    that.
    """
    rows = store.rows(
        "select c.passage_id, min(c.source), coalesce(min(l.own), ''), coalesce(min(l.others), '') "
        "from candidates c left join (select passage_id, "
        "max(coalesce(grade, state)) filter (where annotator = $2) as own, "
        "string_agg(annotator || '=' || coalesce(grade, state), ', ' order by annotator) "
        "filter (where annotator <> $2) as others from (select distinct on "
        "(passage_id, annotator) passage_id, annotator, grade, state from label_events "
        "where query_id = $1 and blind is distinct from false "
        "order by passage_id, annotator, seq desc) b "
        "where state in ('labelled', 'unsure') group by passage_id) l "
        "on l.passage_id = c.passage_id where c.query_id = $1 "
        "group by c.passage_id order by min(c.seq)",
        [query_id, person],
    )
    return [Candidate(*row)._replace(others=row[3] if row[2] else "") for row in rows]


def tasks(store: Store, name: str) -> int:
    """How many tasks a desk has."""
    row = store.row("select count(*) from tasks where spotcheck = $1", [name])
    return int(row[0]) if row else 0
