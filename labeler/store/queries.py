"""Queries. A changed query is a new version of it; the old one stays, superseded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from labeler.model import Query
from labeler.store.db import Cursor, Store, append, numbers
from labeler.store.imports import NOWHERE, REPLACED, Imported, Source, log, parts, remark

_FIELDS = "query_id, text, kind, need_id, origin, scope, as_of, split, note"


def record(
    store: Store,
    queries: Iterable[Query],
    *,
    source: Source = NOWHERE,
) -> Imported:
    """Add queries; those that stand unchanged are not added again. Of several with one id the
    last counts.
    """
    read = added = 0
    replaced: list[str] = []
    with store.write() as cursor:
        for part in parts(queries, source):
            read += len(part)
            change = supersede(cursor, part)
            added += change.added
            replaced += change.replaced
        done = Imported(read, added, remark(REPLACED, replaced, many=len(replaced)))
        log(store, cursor, kind="queries", source=source, done=done)
    return done


class Change(NamedTuple):
    """How many queries were added, and the ids of those among them that stood otherwise before."""

    added: int
    replaced: list[str]


def supersede(cursor: Cursor, queries: Sequence[Query]) -> Change:
    """Let queries take the place of those with their ids that differ, in the caller's
    transaction."""
    brought = {query.query_id: query for query in queries}
    standing = dict(
        cursor.execute(
            "select query_id, hash from current_queries where query_id = any($1)", [list(brought)]
        ).fetchall()
    )
    new = [query for query in brought.values() if standing.get(query.query_id) != query.hash]
    if not new:
        return Change(0, [])
    cursor.execute(
        "update queries set superseded = true where not superseded and query_id = any($1)",
        [[query.query_id for query in new]],
    )
    append(
        cursor,
        "queries",
        {
            "seq": numbers(cursor, len(new)),
            **{field: [getattr(query, field) for query in new] for field in _FIELDS.split(", ")},
            "hash": [query.hash for query in new],
            "superseded": [False] * len(new),
        },
    )
    return Change(len(new), [query.query_id for query in new if query.query_id in standing])


def add(cursor: Cursor, queries: Sequence[Query]) -> None:
    """Add queries whose ids nobody knows yet; of those that are known nothing is changed."""
    known = {
        row[0]
        for row in cursor.execute(
            "select query_id from current_queries where query_id = any($1)",
            [[query.query_id for query in queries]],
        ).fetchall()
    }
    supersede(cursor, [query for query in queries if query.query_id not in known])


def by_text(cursor: Cursor, texts: Iterable[str]) -> dict[str, str]:
    """The id of the query of exactly each text, the first imported of several; other texts are left
    out."""
    rows = cursor.execute(
        "select text, query_id from queries where not superseded and text = any($1) "
        "order by seq desc",
        [sorted({text for text in texts if text})],
    ).fetchall()
    return dict(rows)


def current(store: Store) -> list[Query]:
    """All queries, in the order of their import."""
    rows = store.rows(f"select {_FIELDS} from queries where not superseded order by seq")
    return [Query(*row) for row in rows]


def named(store: Store, ids: list[str]) -> dict[str, Query]:
    """The queries with these ids; ids without a text are left out."""
    rows = store.rows(f"select {_FIELDS} from current_queries where query_id = any($1)", [ids])
    return {row[0]: Query(*row) for row in rows}


def ids(store: Store) -> set[str]:
    """The ids of all queries."""
    return {row[0] for row in store.rows("select query_id from current_queries")}
