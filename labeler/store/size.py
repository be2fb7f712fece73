"""How large a store is, without reading it: DuckDB knows how many rows a table holds."""

from __future__ import annotations

from collections.abc import Sequence

from labeler.store.db import Store

LARGE_TABLES = ("passages", "run_rows", "verdicts", "label_events", "golden_entries")
"""The tables that may hold a million rows."""


def counts(store: Store, tables: Sequence[str]) -> tuple[int, ...]:
    """How many rows each of some tables holds, superseded ones too.

    Rows are only ever added, but to what a spot check hands out: while a table holds as many, it
    says the same.
    """
    found = ", ".join(f"(select count(*) from {table})" for table in tables)
    return tuple(store.rows(f"select {found}")[0])


def rows(store: Store, tables: Sequence[str] = LARGE_TABLES) -> int:
    """How many rows some tables hold together, superseded ones too."""
    return sum(counts(store, tables))
