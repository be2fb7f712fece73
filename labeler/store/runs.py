"""Runs of systems, and the candidates that their top passages make."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, NamedTuple

from labeler.errors import LabelerError
from labeler.model import RunRow, content_hash
from labeler.store.columns import NAMES, digests, run_table, slices, with_run
from labeler.store.db import Cursor, Store, append_table, arrow_batches, scalar
from labeler.store.imports import NOWHERE, Imported, Source, log, parts

STANDING = "(source <> 'drafted' or query_id in (select query_id from current_queries))"
"""Which candidates stand: that of a draft does not once its acceptance was undone."""


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
    tables = map(run_table, parts(rows, source))
    return _record(store, tables, system=system, note=note, source=source)


def record_table(
    store: Store, table: Any, *, system: str, note: str = "", source: Source = NOWHERE
) -> Imported:
    """As `record`, of an Arrow table with query_id, passage_id (text), rank (int32) and score
    (float64, may be null): a million rows in half a second."""
    return _record(
        store, slices(table.select(NAMES), source), system=system, note=note, source=source
    )


def _record(
    store: Store, tables: Iterable[Any], *, system: str, note: str, source: Source
) -> Imported:
    with store.write() as cursor:
        number = scalar(cursor, "select nextval('seq')")
        run_id = f"{system}#{number}"
        read = 0
        for table in tables:
            append_table(cursor, "run_rows", with_run(table, run_id))
            read += len(table)
        digest = _digest(cursor, run_id)
        standing = cursor.execute(
            "select hash, imported_at from current_runs where system = $1", [system]
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
        earlier = (
            f"takes the place of the run of {standing[0][1]:%Y-%m-%d %H:%M}" if standing else ""
        )
        done = Imported(read, added, (earlier,) if earlier and added else ())
        log(store, cursor, kind="run", source=source, done=done)
    return done


def _digest(cursor: Cursor, run_id: str) -> str:
    """A hash of a run's rows, the same in whatever order a file has them."""
    sorted_rows = arrow_batches(
        cursor,
        "select query_id, passage_id, rank, score from run_rows where run_id = $1 "
        "order by query_id, rank, passage_id, score",
        [run_id],
    )
    return content_hash(digests(sorted_rows))


def current(store: Store) -> list[Run]:
    """Each system's newest run, by name."""
    rows = store.rows(
        "select r.run_id, r.system, r.rows, count(distinct x.query_id), r.depth, r.imported_at "
        "from current_runs r left join run_rows x on x.run_id = r.run_id "
        "group by r.run_id, r.system, r.rows, r.depth, r.imported_at order by r.system"
    )
    return [Run(*row) for row in rows]


def systems(store: Store) -> list[str]:
    """The systems that have a run, by name."""
    return [row[0] for row in store.rows("select distinct system from runs order by system")]


def ranked(store: Store, column: Literal["query_id", "passage_id"]) -> set[str]:
    """The ids of all queries, or of all passages, that the systems' newest runs rank."""
    rows = store.rows(
        f"select distinct x.{column} from run_rows x join current_runs r on r.run_id = x.run_id"
    )
    return {row[0] for row in rows}


def rankings(store: Store, system: str) -> list[RunRow]:
    """The rows of a system's newest run, by query and rank."""
    rows = store.rows(
        "select x.query_id, x.passage_id, x.rank, x.score from run_rows x "
        "join current_runs r on r.run_id = x.run_id where r.system = $1 "
        "order by x.query_id, x.rank",
        [system],
    )
    if not rows:
        require(store, system)
    return [RunRow(*row) for row in rows]


def require(store: Store, system: str) -> None:
    """Raise LabelerError where a system has no run."""
    if not store.row("select 1 from runs where system = $1", [system]):
        known = ", ".join(systems(store)) or "none is imported"
        raise LabelerError(f"There is no run of {system!r}; known: {known}")


def unscored(store: Store, system: str) -> int:
    """How many rows of a system's newest run have no score."""
    row = store.row(
        "select count(*) from run_rows x join current_runs r on r.run_id = x.run_id "
        "where r.system = $1 and x.score is null",
        [system],
    )
    return int(row[0]) if row else 0


class Lists(NamedTuple):
    """A system's newest run as lists by query: passage ids in the order of their ranks, and their
    scores."""

    run_id: str
    note: str
    hash: str
    passages: dict[str, list[str]]
    scores: dict[str, list[float | None]]


def lists(store: Store, system: str) -> Lists | None:
    """A system's newest run, a million rows in a second or two; None where there is none."""
    found = store.row("select run_id, note, hash from current_runs where system = $1", [system])
    if found is None:
        return None
    rows = store.rows(
        "select query_id, array_agg(passage_id order by rank), array_agg(score order by rank) "
        "from run_rows where run_id = $1 group by query_id order by query_id",
        [found[0]],
    )
    run_id, note, digest = found
    passages = {query_id: ids for query_id, ids, _ in rows}
    return Lists(run_id, note, digest, passages, {query_id: scores for query_id, _, scores in rows})


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
    row = store.row(f"select count(*) from candidates where {STANDING}")
    return int(row[0]) if row else 0
