"""Rows of a file as Arrow columns: appended whole, and hashed column by column.

Arrow is loaded at the first use: most commands import nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np

from labeler.model import Judgment, RunRow
from labeler.store.imports import Source

NAMES = ["query_id", "passage_id", "rank", "score"]
"""The columns of a run: two of text, int32, and float64 that may be null."""

_SLICE = 1_000_000
"""Rows that are appended, and told to the progress, at once: what is appended in parts is written
twice."""


def run_table(rows: Sequence[RunRow]) -> Any:
    """The table of NAMES that these rows make."""
    import pyarrow as pa

    types = [pa.string(), pa.string(), pa.int32(), pa.float64()]
    columns = [[getattr(row, name) for row in rows] for name in NAMES]
    return pa.table([*map(pa.array, columns, types)], names=NAMES)


def judgment_table(rows: Sequence[Judgment]) -> Any:
    """The table that these rows make, a column a field."""
    import pyarrow as pa

    types = {"blind": pa.bool_(), "cost": pa.float64()}
    return pa.table(
        {
            name: pa.array([getattr(row, name) for row in rows], types.get(name, pa.string()))
            for name in Judgment.__slots__
        }
    )


def slices(table: Any, source: Source, *, rows: int = _SLICE) -> Iterator[Any]:
    """A table in parts of so many rows, each told to the source's progress once it is stored."""
    for start in range(0, len(table), rows):
        part = table.slice(start, rows)
        yield part
        if source.progress:
            source.progress(start + len(part))


def with_run(table: Any, run_id: str) -> Any:
    """The table with the run's id as one more column."""
    return table.append_column("run_id", of_width(run_id.encode() * len(table), len(table)))


def of_width(text: bytes, count: int) -> Any:
    """A column of `count` texts, all of one length, that stand one behind another."""
    import pyarrow as pa

    starts = np.arange(count + 1, dtype="<i4") * (len(text) // max(count, 1))
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(text)]  # pa.repeat loads pandas
    return pa.Array.from_buffers(pa.string(), count, buffers)


def each(column: Any, read: Callable[[str], object], kind: Any) -> Any:
    """What `read` makes of each text of a column, asked once for all that are the same."""
    import pyarrow as pa

    texts = column.combine_chunks().dictionary_encode()
    return pa.array(map(read, texts.dictionary.to_pylist()), kind).take(texts.indices)


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


def texts_of(column: Any) -> Iterator[bytes]:
    """Each text of a column as UTF-8."""
    lengths, text = _bytes(column)
    for start, end in pairwise([0, *np.cumsum(lengths).tolist()]):
        yield text[start:end]


def _bytes(texts: Any) -> tuple[Any, Any]:
    """The lengths of a column of texts, and their UTF-8 joined."""
    import pyarrow as pa

    column = texts.cast(pa.string())
    _, starts, text = column.buffers()
    at = np.frombuffer(starts, dtype="<i4")[column.offset : column.offset + len(column) + 1]
    return np.diff(at), memoryview(text or b"")[at[0] : at[-1]] if len(column) else b""
