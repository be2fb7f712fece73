"""How long a command takes to start, and what the app needs before anybody has come."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bench.table import LABELER, Bench, Row, beside, row, run

_LOADED = "import duckdb, sklearn.metrics"


def measure(bench: Bench) -> Iterator[Row]:
    """Help, and the agreement of the sample beside Python with DuckDB and scikit-learn loaded."""
    helped = [run([*LABELER, "--help"]) for _ in range(2 * bench.times)]
    yield row("help of `labeler`", [one.wall for one in helped[1:]], limit="p95 < 400 ms")
    demo = bench.folder / "demo"
    run([*LABELER, "demo", "--no-app", "--dir", demo])
    db = demo / "labeler.duckdb"
    loaded, asked = [], []
    for _ in range(2 * bench.times):
        loaded.append(run([sys.executable, "-c", _LOADED]).wall)
        asked.append(run([*LABELER, "--db", db, "agreement", "--json"]))
    yield beside(
        "`labeler agreement` on the sample",
        [one.wall for one in asked[1:]],
        "Python with DuckDB and scikit-learn",
        loaded[1:],
        limit="ratio < 1.2",
        memory=max(one.memory for one in asked),
    )
