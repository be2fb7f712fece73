"""Importing, beside a bare COPY of the same run by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb

from bench.files import Files
from bench.table import LABELER, Bench, Row, beside, row, run, timed


def measure(bench: Bench) -> Iterator[Row]:
    """A run, whole commands with the start of Python; then the rest of the project, once."""
    files = Files.made(bench)
    yield _beside_copy(
        bench,
        files.run,
        "TREC",
        "query_id text, q0 text, passage_id text, rank integer, score double, tag text",
        "delimiter ' ', header false",
    )
    yield _beside_copy(
        bench,
        files.table,
        "CSV",
        "query_id text, passage_id text, rank integer, score double",
        "header true",
    )
    for what, arguments in files.commands:
        ran = run([*LABELER, "--db", files.store, *arguments])
        yield row(what, [ran.wall], memory=ran.memory, limit="peak < 2,000 MB")


def _beside_copy(bench: Bench, path: Path, form: str, columns: str, options: str) -> Row:
    """A run imported and copied by turns."""
    copied, imported = [], []
    for _ in range(bench.times):
        copied += timed(lambda: _copy(bench, path, columns, options), 1)
        db = bench.folder / "run.duckdb"
        db.unlink(missing_ok=True)
        imported.append(run([*LABELER, "--db", db, "import", "run", path, "--system", "s"]))
    return beside(
        f"import run, {bench.rows:,} rows of {form}",
        [one.wall for one in imported],
        "bare COPY",
        copied,
        limit="ratio < 5",
        memory=max(one.memory for one in imported),
    )


def _copy(bench: Bench, path: Path, columns: str, options: str) -> None:
    copy = bench.folder / "copied.duckdb"
    copy.unlink(missing_ok=True)
    with duckdb.connect(str(copy)) as connection:
        connection.execute(f"create table run ({columns})")
        connection.execute(f"copy run from '{path}' ({options})")
