"""Rows of a run as Arrow columns: appended whole, and hashed column by column.

Arrow is loaded at the first use: most commands never touch a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from labeler.model import RunRow
from labeler.store.imports import Source

NAMES = ["query_id", "passage_id", "rank", "score"]
"""The columns of a run: two of text, int32, and float64 that may be null."""

_SLICE = 100_000
"""Rows that are appended, and told to the progress, at once."""


def run_table(rows: Sequence[RunRow]) -> Any:
    """The table of NAMES that these rows make."""
    import pyarrow as pa

    types = [pa.string(), pa.string(), pa.int32(), pa.float64()]
    columns = [[getattr(row, name) for row in rows] for name in NAMES]
    return pa.table([*map(pa.array, columns, types)], names=NAMES)


def slices(table: Any, source: Source) -> Iterator[Any]:
    """A table in parts, each told to the source's progress once it is stored."""
    rows = table.select(NAMES)
    for start in range(0, len(rows), _SLICE):
        part = rows.slice(start, _SLICE)
        yield part
        if source.progress:
            source.progress(start + len(part))


def with_run(table: Any, run_id: str) -> Any:
    """The table with the run's id as one more column."""
    import pyarrow as pa

    text, count = run_id.encode(), len(table)
    starts = np.arange(0, (count + 1) * len(text), len(text), dtype="<i4")
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(text * count)]  # pa.repeat loads pandas
    return table.append_column("run_id", pa.Array.from_buffers(pa.string(), count, buffers))


def digests(batches: Iterable[Any]) -> list[str]:
    """SHA-256 of each column of NAMES, by its values' bytes, little endian.

    Neither the parts in which the rows come nor the form in which a database prints numbers
    matter. Texts are hashed as lengths and UTF-8, a score as its value and whether it is there.
    """
    hashes = [sha256() for _ in range(7)]
    for batch in batches:
        query, passage, rank, score = batch.columns
        there = _there(score)
        given = np.where(there, _values(score, "<f8"), 0.0) + 0.0  # of -0.0 makes 0.0
        parts = (*_bytes(query), *_bytes(passage), _values(rank, "<i4"), given, there)
        for found, values in zip(hashes, parts, strict=True):
            found.update(values)
    return [found.hexdigest() for found in hashes]


def _values(column: Any, kind: str) -> Any:
    """A column's numbers, whatever stands where there is none. (Arrow's own way loads pandas.)"""
    return np.frombuffer(column.buffers()[1] or b"", dtype=kind)[
        column.offset : column.offset + len(column)
    ]


def _there(column: Any) -> Any:
    """Which values of a column are not null."""
    bits = column.buffers()[0]
    if bits is None:
        return np.ones(len(column), dtype=bool)
    flags = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return flags[column.offset : column.offset + len(column)].astype(bool)


def _bytes(texts: Any) -> tuple[Any, Any]:
    """The lengths of a column of texts, and their UTF-8 joined."""
    import pyarrow as pa

    column = texts.cast(pa.string())
    _, starts, text = column.buffers()
    at = np.frombuffer(starts, dtype="<i4")[column.offset : column.offset + len(column) + 1]
    return np.diff(at), memoryview(text or b"")[at[0] : at[-1]] if len(column) else b""
