"""Runs as Arrow columns: the plain TREC file of a million rows, read at the speed of a bare load.

A file that is anything but plain (runs of spaces, ranks from 0, a repeat, a malformed line) is
read by `read_run`, whose answer this one equals in every case: a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from labeler.formats.reading import Reading
from labeler.formats.runs import read_run

RUN_SCHEMA = pa.schema(
    [
        ("line", pa.int64()),
        ("query_id", pa.string()),
        ("passage_id", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float64()),
    ]
)
PLAIN_BYTES = 1 << 29
"""Files above 512 MB are read by rows, for the quick way holds the whole file."""

_NAMES = ["query_id", "q0", "passage_id", "rank", "score", "tag"]
_TYPES = {
    **dict.fromkeys(("query_id", "q0", "passage_id", "tag"), pa.string()),
    "rank": pa.int32(),
    "score": pa.float64(),
}


def read_run_table(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> pa.Table:
    """The rows of `read_run` as a table of RUN_SCHEMA, with the same errors and notes."""
    table = None if columns else _plain_trec(Path(path))
    if table is not None:
        return table
    lines, query_ids, passage_ids, ranks, scores = [], [], [], [], []
    for line, row in read_run(path, reading=reading, columns=columns, name=name):
        lines.append(line)
        query_ids.append(row.query_id)
        passage_ids.append(row.passage_id)
        ranks.append(row.rank)
        scores.append(row.score)
    return pa.table([lines, query_ids, passage_ids, ranks, scores], schema=RUN_SCHEMA)


def _plain_trec(path: Path) -> pa.Table | None:
    """The run of a TREC file in which there is nothing to say, else None."""
    if not path.is_file() or path.stat().st_size > PLAIN_BYTES:
        return None
    data = path.read_bytes()
    first = data[: data.find(b"\n") + 1].strip(b"\n")
    delimiter, other = (" ", b"\t") if b" " in first else ("\t", b" ")
    odd = (b"\r", b"\0", b"\xef\xbb\xbf", other, delimiter.encode() * 2, b"\n\n", b"\n#")
    if first.count(delimiter.encode()) != 5 or first[:1] in b"{[#" or any(b in data for b in odd):
        return None
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            read_options=pa_csv.ReadOptions(column_names=_NAMES),
            parse_options=pa_csv.ParseOptions(
                delimiter=delimiter,
                quote_char=False,
                double_quote=False,
                escape_char=False,
                newlines_in_values=False,
                ignore_empty_lines=False,
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=_TYPES, null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return _ordered(table.combine_chunks())


def _ordered(table: pa.Table) -> pa.Table | None:
    """The rows query by query, or None when ranks or scores need more than the plain reading."""
    query = table["query_id"].combine_chunks().dictionary_encode()
    codes = query.indices.to_numpy()
    ranks, scores = table["rank"].to_numpy(), table["score"].to_numpy()
    lengths = [table[name].combine_chunks() for name in ("query_id", "passage_id")]
    if any(_has_empty(column) for column in lengths) or not np.isfinite(scores).all():
        return None
    order = np.argsort(codes, kind="stable")
    codes, ranks, scores = codes[order], ranks[order], scores[order]
    same = codes[1:] == codes[:-1]
    starts = np.flatnonzero(np.r_[True, ~same])
    expected = np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)])) + 1
    if not np.array_equal(ranks, expected) or (same & (scores[1:] > scores[:-1])).any():
        return None
    passages = table["passage_id"].combine_chunks().dictionary_encode()
    pairs = codes.astype(np.int64) * len(passages.dictionary) + passages.indices.to_numpy()[order]
    pairs.sort()
    if (pairs[1:] == pairs[:-1]).any():
        return None
    contiguous = np.array_equal(order, np.arange(len(order)))
    rows: Any = table if contiguous else table.take(pa.array(order))
    numbered = [pa.array(order + 1), *(rows[name] for name in RUN_SCHEMA.names[1:])]
    return pa.table(numbered, schema=RUN_SCHEMA)


def _has_empty(column: Any) -> bool:
    offsets = np.frombuffer(column.buffers()[1], dtype=np.int32)[: len(column) + 1]
    return bool((np.diff(offsets) == 0).any())
