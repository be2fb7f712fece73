"""Importing, beside a bare COPY of the same run by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from bench.files import Files
from bench.table import LABELER, Bench, Row, beside, row, run, timed


def measure(bench: Bench) -> Iterator[Row]:
    """A run, whole commands with the start of Python; then the rest of the project, once."""
    files = Files.made(bench)
    copied, imported = [], []
    for _ in range(bench.times):
        copied += timed(lambda: _copy(bench, files), 1)
        db = bench.folder / "run.duckdb"
        db.unlink(missing_ok=True)
        imported.append(run([*LABELER, "--db", db, "import", "run", files.run, "--system", "s"]))
    yield beside(
        f"import run, {bench.rows:,} rows",
        [one.wall for one in imported],
        "bare COPY",
        copied,
        limit="ratio < 5",
        memory=max(one.memory for one in imported),
    )
    for what, arguments in files.commands:
        ran = run([*LABELER, "--db", files.store, *arguments])
        yield row(what, [ran.wall], memory=ran.memory, limit="peak < 2,000 MB")


def _copy(bench: Bench, files: Files) -> None:
    path = bench.folder / "copied.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table run (query_id text, q0 text, passage_id text, rank integer, "
            "score double, tag text)"
        )
        connection.execute(f"copy run from '{files.run}' (delimiter ' ', header false)")
