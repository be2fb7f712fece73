"""Plain files as Arrow columns: a million rows, read at the speed of a bare load.

Plain is a TREC file, a CSV or TSV, or JSON lines, in UTF-8, gzipped or not, whose rows are all
alike and well-formed. What is anything but plain is read row by row, with care; the quick way
answers the same in every case: tests hold the two together.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json

from labeler.errors import InputError
from labeler.formats.fields import BY_TEXT, Shape, bind, is_blank, is_padded
from labeler.formats.quoting import UNQUOTED, Quoting, quoting_of, takes_in_rows
from labeler.formats.reading import Reading, Refused
from labeler.formats.source import UNREADABLE, Source, may_be_doubly_encoded
from labeler.formats.tables import LINE_SUFFIXES, QUEPID, delimiter_of, is_json
from labeler.formats.write import unguard

PLAIN_BYTES = 1 << 29
"""Files above 512 MB, unpacked, are read by rows, for the quick way holds the whole file."""

FIXED_COLUMN = "fixed"
"""The column of a TREC form that no field is read from, where it has to be looked at."""

_BOM = b"\xef\xbb\xbf"


class Kind(NamedTuple):
    """What a kind of file holds: its shape, the columns of its TREC form, the fields of a table
    that are read as numbers, and those of JSON that are no text (None: they come in any type)."""

    shape: Shape
    trec: tuple[str, ...] = ()
    cells: Mapping[str, pa.DataType] = {}
    values: Mapping[str, pa.DataType | None] = {}


class Plain(NamedTuple):
    """The columns of a plain file as they stand, under the names of the fields that it has, and the
    line of the first row; each further row is on the next. Where a row can be longer than a line,
    `first_line` is 0."""

    table: pa.Table
    first_line: int


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


def quickly(
    path: Path, read: Callable[[Source], pa.Table | None], *, reading: Reading, name: str
) -> pa.Table | None:
    """What `read` makes of a plain file, with its notes. None, and no note, where it is not plain:
    then whoever reads with care says what is wrong, and where."""
    tried = Reading()
    if not os.path.isfile(path) or path.stat().st_size > PLAIN_BYTES:
        return None
    try:
        table = read(Source(path, tried, name=name))
    except (pa.ArrowException, InputError, Refused, *UNREADABLE):
        return None
    if table is not None:
        reading.take_over(tried)
    return table


def plain(
    source: Source, kind: Kind, *, columns: Mapping[str, str], named: bool = True
) -> Plain | None:
    """The columns of a plain file, `named` by a header or by keys, or in TREC's form; None where it
    is not plain. May raise ArrowException, UnicodeError or Refused instead."""
    data = _plain_bytes(source)
    if data is None or (kind.cells and _hexadecimal(data)):
        return None
    if not named:
        return _trec(_line_feeds(data), kind)
    if is_json(source):
        return _json_lines(_line_feeds(data), source, kind, columns)
    return _csv(data if b'"' in data else _line_feeds(data), source, kind, columns)


def _plain_bytes(source: Source) -> bytes | None:
    """The bytes of a UTF-8 file that begins with no blank line, without a mark at its start."""
    with source.binary() as handle:
        data = handle.read(PLAIN_BYTES + 1)
    if len(data) > PLAIN_BYTES:
        return None
    data = data.removeprefix(_BOM)
    odd = data[:1] in (b"\r", b"\n") or b"\0" in data or _BOM in data
    if odd or may_be_doubly_encoded(data):
        return None
    _require_utf8(data)
    return data


def _line_feeds(data: bytes) -> bytes:
    """The same, its lines ended by line feeds, where they are alike."""
    if b"\r" in data and data.count(b"\r\n") == data.count(b"\r") == data.count(b"\n"):
        return data.replace(b"\r\n", b"\n")
    return data


def _hexadecimal(data: bytes) -> bool:
    """Whether 0x stands somewhere, with which Arrow would begin a number. (A lone letter is looked
    for first: zeros are many.)"""
    return any(letter in data and b"0" + letter in data for letter in (b"x", b"X"))


def _require_utf8(data: bytes) -> None:
    """Raise ArrowInvalid where a file is no UTF-8, be it in a column that is not read."""
    if not data.isascii():
        bounds = pa.py_buffer(np.array([0, len(data)], dtype="<i4"))
        pa.Array.from_buffers(pa.binary(), 1, [None, bounds, pa.py_buffer(data)]).cast(pa.string())


def _trec(data: bytes, kind: Kind) -> Plain | None:
    first = data[: data.find(b"\n")]
    delimiter, other = (b" ", b"\t") if b" " in first else (b"\t", b" ")
    odd = (other, delimiter * 2, delimiter + b"\n", b"\n#", b"\n\n", b"\r")
    if first.count(delimiter) != len(kind.trec) - 1 or first[:1] == b"#":
        return None
    if data.endswith(delimiter) or any(mark in data for mark in odd):
        return None
    if kind.trec[-1] not in kind.shape.fields and not _ends_alike(data, first, delimiter):
        return None
    read = {*kind.shape.fields, FIXED_COLUMN}
    bound = {field: field for field in kind.trec if field in read}
    return Plain(_parsed(data, delimiter.decode(), [*kind.trec], bound, kind), 1)


def _ends_alike(data: bytes, first: bytes, delimiter: bytes) -> bool:
    """Whether the last column says the same in every row: the name of one system."""
    name = delimiter + first.rpartition(delimiter)[2]
    rows = data.count(b"\n") + (not data.endswith(b"\n"))
    return data.count(name + b"\n") + data.endswith(name) == rows


def _csv(data: bytes, source: Source, kind: Kind, columns: Mapping[str, str]) -> Plain | None:
    delimiter = delimiter_of(source, kind.shape, columns)
    head, _, below = data.partition(b"\n")
    if delimiter is None or not below or head[:1] in (b"#", b" ", b"\t"):
        return None
    quotes = quoting_of(data, delimiter)
    if quotes is None or head.count(b'"') % 2:
        return None
    head = head.removesuffix(b"\r")
    names = next(csv.reader([head.decode()], delimiter=delimiter))
    first = names[0].lower()
    if first.startswith(("#", "sep=")) or (delimiter == "|" and not first.strip()):
        return None
    if head in below or names == QUEPID:  # again, as in files that were joined; of which is told
        return None
    if kind.cells and b"\t" in data and delimiter != "\t":  # which Arrow would strip off numbers
        return None
    bound = bind(names, kind.shape, columns=columns, source=source, line=1)
    if len(set(names)) < len(names) or BY_TEXT in bound:
        return None
    if quotes.across_lines and takes_in_rows(data, delimiter, width=len(names)):
        return None
    table = _parsed(below, delimiter, names, bound, kind, quotes)
    leading = table[kind.shape.required[0]]
    headings = _texts([*kind.shape.headings(), bound[kind.shape.required[0]].lower()])
    if pc.any(pc.is_in(pc.utf8_lower(leading), headings)).as_py():  # as of files that were joined
        return None
    if tuple(names) in kind.shape.layouts and b"'" in data:
        table = _unguarded(table)
    return Plain(table, 0 if quotes.across_lines else 2)


def _unguarded(table: pa.Table) -> pa.Table:
    """The columns with their texts as they were before they were made safe for a spreadsheet."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    for name, column in columns.items():
        if column.type == pa.string():
            cells = column.combine_chunks()
            guarded = pc.starts_with(cells, "'")
            plain_ones = pa.array(map(unguard, cells.filter(guarded).to_pylist()), pa.string())
            columns[name] = pc.replace_with_mask(cells, guarded, plain_ones)
    return pa.table(columns)


def _json_lines(
    data: bytes, source: Source, kind: Kind, columns: Mapping[str, str]
) -> Plain | None:
    rows = data.count(b"\n") + (not data.endswith(b"\n"))
    # Each line is an object: then as many rows as lines means one in each.
    if source.suffix not in LINE_SUFFIXES or data.count(b"}\n{") != rows - 1:
        return None
    try:
        first = json.loads(data[: data.find(b"\n")] if rows > 1 else data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict) or b"\\u0000" in data or b"\r" in data:
        return None
    names = tuple(name for name in first if name != "metadata" or first[name])
    bound = bind(names, kind.shape, columns=columns, source=source, line=1)
    empty = set(first).difference(bound.values())
    if empty - {"metadata"} or BY_TEXT in bound:
        return None
    types = {key: kind.values.get(field, pa.string()) for field, key in bound.items()}
    table = pa_json.read_json(
        pa.BufferReader(data),
        parse_options=pa_json.ParseOptions(
            explicit_schema=pa.schema([(key, type_) for key, type_ in types.items() if type_]),
            newlines_in_values=False,
        ),
    )
    if len(table) != rows or set(table.column_names) != set(first):
        return None
    partly = [key for key in first if table[key].null_count]  # null, or not there in some rows
    if any(data.count(json.dumps(key).encode()) != rows for key in partly):
        return None
    if any(table.schema.field(key).type not in (pa.struct([]), pa.null()) for key in empty):
        return None
    return Plain(table.select([*bound.values()]).rename_columns([*bound]), 1)


def _parsed(
    data: bytes,
    delimiter: str,
    names: list[str],
    bound: Mapping[str, str],
    kind: Kind,
    quotes: Quoting = UNQUOTED,
) -> pa.Table:
    """The columns that are read, nothing left out. ArrowInvalid where the rows differ in width, or
    hold text where a number should be."""
    table = pa_csv.read_csv(
        pa.BufferReader(data),
        read_options=pa_csv.ReadOptions(column_names=names),
        parse_options=pa_csv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if quotes.any else False,
            double_quote=quotes.any,
            escape_char=False,
            newlines_in_values=quotes.across_lines,
            ignore_empty_lines=False,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types={
                name: kind.cells.get(field, pa.string()) for field, name in bound.items()
            },
            include_columns=list(bound.values()),
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    return table.select([*bound.values()]).rename_columns([*bound])


def filled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of text with "" for what is not there."""
    return pc.fill_null(column, "") if column.null_count else column


def coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column as numbers of its distinct values."""
    return column.combine_chunks().dictionary_encode()


def visible(ids: pa.DictionaryArray) -> bool:
    """Whether every id of a column is there and holds something visible, with nothing around it
    that would be noted."""
    if ids.null_count:
        return False
    unsure = pc.invert(pc.match_substring_regex(ids.dictionary, "(?s)^[!-~](.*[!-~])?$"))
    return all(text and not is_padded(text) for text in ids.dictionary.filter(unsure).to_pylist())


def unseen(texts: pa.Array) -> list[int]:
    """The places of the texts that hold nothing visible, as `is_blank` tells it."""
    unsure = pc.indices_nonzero(pc.invert(pc.match_substring_regex(texts, "[!-~]")))
    return [place for place in unsure.to_pylist() if is_blank(texts[place].as_py())]


# Arrow's own ways from Python's values and numpy's, and back, load pandas, which costs 0.4 s.


def _texts(values: Sequence[str]) -> pa.StringArray:
    """The values as a column."""
    said = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, said)], dtype="<i4")
    held = (pa.py_buffer(part) for part in (ends.tobytes(), b"".join(said)))
    return pa.StringArray.from_buffers(len(said), *held)


KINDS = {pa.int32(): "<i4", pa.int64(): "<i8", pa.uint64(): "<u8", pa.float64(): "<f8"}


def numbers(column: pa.Array) -> Any:
    """The numbers of a column without nulls."""
    found = np.frombuffer(column.buffers()[1] or b"", dtype=KINDS[column.type])
    return found[column.offset : column.offset + len(column)]
