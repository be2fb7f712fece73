"""What a golden set expects of each query, read for measuring: a list a query, not an entry a row,
which for many labels takes a tenth of the time."""

from __future__ import annotations

from typing import NamedTuple

from labeler.model import Grade, Query
from labeler.store import goldens
from labeler.store.db import Store


class Expected(NamedTuple):
    """A golden version: its reference and hash, each query's labels as gains (none for a query that
    expects nothing), and each query as it was frozen, by id."""

    ref: str
    hash: str
    golden: dict[str, dict[str, int]]
    queries: dict[str, Query]


GAINS = {str(grade): grade.gain for grade in Grade}


def read(store: Store, ref: str) -> Expected:
    """The golden set `NAME` in its newest version, or `NAME@VERSION`. Raises as `goldens.named`."""
    frozen = goldens.history(store)  # oldest first, so that the newest version has the bare name
    known = {found.name: found for found in frozen} | {found.ref: found for found in frozen}
    found = known.get(ref)
    if found is None:
        found = goldens.named(store, ref)  # says what is known
    rows = store.rows(
        "select query_id, max(query), max(kind), array_agg(passage_id order by passage_id), "
        "array_agg(grade order by passage_id) from golden_entries "
        "where name = $1 and version = $2 group by query_id order by query_id",
        [found.name, found.version],
    )
    golden = {
        query_id: {
            passage_id: GAINS[grade]
            for passage_id, grade in zip(passages, grades, strict=True)
            if passage_id and grade is not None
        }
        for query_id, _, _, passages, grades in rows
    }
    queries = {query_id: Query(query_id, text, kind=kind) for query_id, text, kind, *_ in rows}
    return Expected(found.ref, found.hash, golden, queries)
