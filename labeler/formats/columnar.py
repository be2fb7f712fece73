"""Runs as Arrow columns: a plain file of a million rows, read at the speed of a bare load.

Plain is a TREC file, a CSV or TSV without quotation marks, or JSON lines, in which there is nothing
to say but that ranks count from 0, that all are the same, or that scores contradict them. What is
anything but plain (a malformed line, a repeat, a gap) is read by `read_run`, whose answer this one
equals in every case: tests hold the two together.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json

from labeler.errors import InputError
from labeler.formats import runs
from labeler.formats.fields import bind
from labeler.formats.ranking import RUN_SCHEMA, Plain, settled
from labeler.formats.reading import Reading, Refused
from labeler.formats.source import Source
from labeler.formats.tables import LINE_SUFFIXES, delimiter_of, is_json

PLAIN_BYTES = 1 << 29
"""Files above 512 MB are read by rows, for the quick way holds the whole file."""

RANK_DIGITS = 9
"""What is longer is no rank, or is written oddly: it is read with care."""

_TREC = ["query_id", "q0", "passage_id", "rank", "score", "tag"]
_TYPES = {field.name: field.type for field in RUN_SCHEMA}
_BOM = b"\xef\xbb\xbf"


class Distinct(Collection[str]):
    """The distinct texts of a column: counted as Arrow holds them, made Python's only on the way
    through them."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._texts = column.unique()

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        yield from self._texts.to_pylist()

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._texts.index(text).as_py() >= 0


def read_run_table(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> pa.Table:
    """The rows of `read_run` as a table of RUN_SCHEMA, with the same errors and notes."""
    reading = reading or Reading()
    tried = Reading()
    table = _quickly(Path(path), tried, columns or {}, name)
    if table is not None:
        for note in tried.notes:
            for line in note.lines:
                reading.note(note.file, line, note.what)
        return table
    lines, query_ids, passage_ids, ranks, scores = [], [], [], [], []
    for line, row in runs.read_run(path, reading=reading, columns=columns, name=name):
        lines.append(line)
        query_ids.append(row.query_id)
        passage_ids.append(row.passage_id)
        ranks.append(row.rank)
        scores.append(row.score)
    return pa.table([lines, query_ids, passage_ids, ranks, scores], schema=RUN_SCHEMA)


def _quickly(
    path: Path, reading: Reading, columns: Mapping[str, str], name: str
) -> pa.Table | None:
    """The rows of a plain file, with its notes in `reading`; None where it is not plain."""
    if not path.is_file() or path.stat().st_size > PLAIN_BYTES:
        return None
    try:
        source = Source(path, reading, name=name)
        named = runs.is_named(source, columns)
        data = _plain_bytes(path)
        if data is None:
            return None
        if not named:
            plain = _trec(data)
        elif is_json(source):
            plain = _json_lines(data, source, columns)
        else:
            plain = _csv(data, source, columns)
        return None if plain is None else settled(plain, source)
    except (pa.ArrowInvalid, UnicodeError, InputError, Refused):  # `read_run` says what and where
        return None


def _plain_bytes(path: Path) -> bytes | None:
    """The bytes of a UTF-8 file with line feeds and no blank line; a mark at its start is cut."""
    data = path.read_bytes().removeprefix(_BOM)
    if b"\r" in data and data.count(b"\r\n") == data.count(b"\r") == data.count(b"\n"):
        data = data.replace(b"\r\n", b"\n")
    odd = (b"\r", b"\0", _BOM, b"\n\n", b"0x", b"0X")  # Arrow would read 0x1 as a number
    if data[:2] == b"\x1f\x8b" or data[:1] == b"\n" or any(mark in data for mark in odd):
        return None
    return data


def _trec(data: bytes) -> Plain | None:
    first = data[: data.find(b"\n")]
    delimiter, other = (b" ", b"\t") if b" " in first else (b"\t", b" ")
    odd = (other, delimiter * 2, delimiter + b"\n", b"\n#")
    if first.count(delimiter) != 5 or first[:1] == b"#" or data.endswith(delimiter):
        return None
    if any(mark in data for mark in odd):
        return None
    bound = {field: field for field in RUN_SCHEMA.names[1:]}
    return _typed(_parsed(data, delimiter.decode(), _TREC, bound), bound, first_line=1)


def _csv(data: bytes, source: Source, columns: Mapping[str, str]) -> Plain | None:
    delimiter = delimiter_of(source, runs.RUN_SHAPE, columns)
    head, _, below = data.partition(b"\n")
    if delimiter is None or not below or b'"' in data or head[:1] in (b"#", b" ", b"\t"):
        return None
    names = next(csv.reader([head.decode()], delimiter=delimiter))
    guarded = tuple(names) in runs.RUN_SHAPE.layouts
    if head[:4].lower() == b"sep=" or (guarded and b"'" in data):
        return None
    if b"\t" in data and delimiter != "\t":  # which Arrow would strip off numbers
        return None
    bound = bind(names, runs.RUN_SHAPE, columns=columns, source=source, line=1)
    if len(set(names)) < len(names):
        return None
    return _typed(_parsed(below, delimiter, names, bound), bound, first_line=2)


def _json_lines(data: bytes, source: Source, columns: Mapping[str, str]) -> Plain | None:
    rows = data.count(b"\n") + (not data.endswith(b"\n"))
    # Each line is an object: then as many rows as lines means one in each.
    if source.suffix not in LINE_SUFFIXES or data.count(b"}\n{") != rows - 1:
        return None
    try:
        first = json.loads(data.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict):
        return None
    bound = bind(tuple(first), runs.RUN_SHAPE, columns=columns, source=source, line=1)
    if set(bound.values()) != set(first):
        return None
    if any(data.count(json.dumps(key).encode()) != rows for key in first):  # a key said twice
        return None
    schema = pa.schema([(key, _TYPES[field]) for field, key in bound.items()])
    table = pa_json.read_json(
        pa.BufferReader(data),
        parse_options=pa_json.ParseOptions(
            explicit_schema=schema, newlines_in_values=False, unexpected_field_behavior="error"
        ),
    )
    return _typed(table, bound, first_line=1) if len(table) == rows else None


def _parsed(data: bytes, delimiter: str, names: list[str], bound: Mapping[str, str]) -> pa.Table:
    """The columns that are read, the scores as numbers, nothing quoted or left out. ArrowInvalid
    where the rows differ in width, are no UTF-8, or have a score that is no number."""
    return pa_csv.read_csv(
        pa.BufferReader(data),
        read_options=pa_csv.ReadOptions(column_names=names),
        parse_options=pa_csv.ParseOptions(
            delimiter=delimiter,
            quote_char=False,
            double_quote=False,
            escape_char=False,
            newlines_in_values=False,
            ignore_empty_lines=False,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types={
                name: pa.float64() if field == "score" else pa.string()
                for field, name in bound.items()
            },
            include_columns=list(bound.values()),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _typed(table: pa.Table, bound: Mapping[str, str], *, first_line: int) -> Plain | None:
    """The columns under our names and of our types; one that there is not is null. None where a
    rank is longer than any that is meant so."""
    columns = []
    for field in RUN_SCHEMA.names[1:]:
        if field not in bound:
            columns.append(pa.nulls(len(table), _TYPES[field]))
            continue
        column = table[bound[field]].combine_chunks()
        if field == "rank" and column.type == pa.string():
            if len(column) and pc.max(pc.binary_length(column)).as_py() > RANK_DIGITS:
                return None
            column = column.cast(pa.int32())
        columns.append(column)
    return Plain(pa.table(columns, names=RUN_SCHEMA.names[1:]), first_line)
