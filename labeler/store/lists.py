"""Lists of queries to label next, as they were drawn: tasks of the stratum NEXT, each weighing
1 / the chance with which its query was drawn. What was labelled before and counts as drawn at
random has a record too, a task of the stratum BEFORE that nobody is asked, with the weight that it
would have had."""

from __future__ import annotations

from labeler.store.db import Store

NEXT = "next"
"""The stratum of the tasks that such a list is made of."""

BEFORE = "before"
"""The stratum of a task that stands for a query labelled before the list was drawn."""


def drawn(store: Store, *, stratum: str = NEXT) -> list[dict[str, float]]:
    """Each list's queries with 1 / the chance of each, the oldest list first; those of the stratum
    BEFORE in the same order of lists."""
    rows = store.rows(
        "select s.seq, t.query_id, max(t.weight), t.stratum from tasks t "
        "join spotchecks s on s.name = t.spotcheck where t.stratum in ($1, $2) "
        "group by s.seq, t.query_id, t.stratum order by s.seq, t.query_id",
        [NEXT, BEFORE],
    )
    found: dict[int, dict[str, float]] = {}
    for seq, query_id, weight, of in rows:
        queries = found.setdefault(seq, {})
        if of == stratum:
            queries[query_id] = float(weight)
    return list(found.values())


def newest(store: Store) -> str | None:
    """The name of the list that was drawn last; None where none was."""
    row = store.row(
        "select s.name from spotchecks s where exists (select 1 from tasks t "
        "where t.spotcheck = s.name and t.stratum = $1) order by s.seq desc limit 1",
        [NEXT],
    )
    return None if row is None else str(row[0])
