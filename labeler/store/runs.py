"""Runs of systems, and the candidates that their top passages make."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import RunRow, content_hash
from labeler.store.db import Store, append, scalar
from labeler.store.imports import NOWHERE, Imported, Source, log, parts


class Run(NamedTuple):
    """A system's newest run. `depth` is the longest ranking in it."""

    run_id: str
    system: str
    rows: int
    queries: int
    depth: int
    imported_at: datetime


def record(
    store: Store,
    rows: Iterable[RunRow],
    *,
    system: str,
    note: str = "",
    source: Source = NOWHERE,
) -> Imported:
    """Add a run of `system`, which supersedes its earlier ones; the same rows again add nothing."""
    with store.write() as cursor:
        number = scalar(cursor, "select nextval('seq')")
        run_id = f"{system}#{number}"
        read = total = 0
        for part in parts(rows, source):
            total = sum(map(_number, part), total)
            append(
                cursor,
                "run_rows",
                {
                    "run_id": [run_id] * len(part),
                    "query_id": [row.query_id for row in part],
                    "passage_id": [row.passage_id for row in part],
                    "rank": [row.rank for row in part],
                    "score": [row.score for row in part],
                },
            )
            read += len(part)
        digest = content_hash([read, f"{total % (1 << 256):x}"])
        standing = cursor.execute(
            "select hash from current_runs where system = $1", [system]
        ).fetchall()
        added = 0 if standing and standing[0][0] == digest else read
        if added:
            cursor.execute(
                "insert into runs select $1, $2, $3, $4, count(*), coalesce(max(rank), 0), $5, $6 "
                "from run_rows where run_id = $2",
                [number, run_id, system, digest, note, store.clock()],
            )
        else:
            cursor.execute("delete from run_rows where run_id = $1", [run_id])
        done = Imported(read, added)
        log(store, cursor, kind="run", source=source, done=done)
    return done


def _number(row: RunRow) -> int:
    """A row's SHA-256 as a number: their sum is the same in whatever order a file has them."""
    text = json.dumps([row.query_id, row.passage_id, row.rank, row.score and float(row.score)])
    return int.from_bytes(sha256(text.encode()).digest())


def current(store: Store) -> list[Run]:
    """Each system's newest run, by name."""
    rows = store.rows(
        "select r.run_id, r.system, r.rows, count(distinct x.query_id), r.depth, r.imported_at "
        "from current_runs r left join run_rows x on x.run_id = r.run_id "
        "group by r.run_id, r.system, r.rows, r.depth, r.imported_at order by r.system"
    )
    return [Run(*row) for row in rows]


def rankings(store: Store, system: str) -> list[RunRow]:
    """The rows of a system's newest run, by query and rank."""
    rows = store.rows(
        "select x.query_id, x.passage_id, x.rank, x.score from run_rows x "
        "join current_runs r on r.run_id = x.run_id where r.system = $1 "
        "order by x.query_id, x.rank",
        [system],
    )
    if not rows:
        known = ", ".join(run.system for run in current(store)) or "none is imported"
        raise LabelerError(f"There is no run of {system!r}; known: {known}")
    return [RunRow(*row) for row in rows]


def pool(store: Store, *, depth: int = 20) -> Imported:
    """Make the union of all systems' top `depth` the candidates; pairs that are candidates
    already stay.
    """
    with store.write() as cursor:
        read = scalar(
            cursor,
            "select count(*) from (select distinct x.query_id, x.passage_id from run_rows x "
            "join current_runs r on r.run_id = x.run_id where x.rank <= $1) as pooled",
            [depth],
        )
        added = cursor.execute(
            "insert into candidates select nextval('seq'), x.query_id, x.passage_id, min(x.rank), "
            "'pool', $2 from run_rows x join current_runs r on r.run_id = x.run_id "
            "where x.rank <= $1 and not exists (select 1 from candidates c "
            "where c.query_id = x.query_id and c.passage_id = x.passage_id) "
            "group by x.query_id, x.passage_id returning 1",
            [depth, store.clock()],
        ).fetchall()
    return Imported(read, len(added))


def candidates(store: Store) -> int:
    """How many pairs are candidates."""
    row = store.row("select count(*) from candidates")
    return int(row[0]) if row else 0
