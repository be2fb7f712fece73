"""A spot check drawn from all verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from bench.files import Files
from bench.table import LABELER, Bench, Row, row, run


def measure(bench: Bench) -> Iterator[Row]:
    """The whole command; a spot check is drawn once, so each has a name of its own."""
    files = Files.filled(bench)
    drawn = [
        run([*LABELER, "--db", files.store, "spotcheck", "draw", f"drawn {number}"])
        for number in range(bench.times)
    ]
    yield row(
        f"`labeler spotcheck draw` from {bench.rows:,} verdicts",
        [one.wall for one in drawn],
        memory=max(one.memory for one in drawn),
        limit="peak < 2,000 MB",
    )
