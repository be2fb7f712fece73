"""Rows of CSV, TSV, JSON lines and JSON arrays as cells under the names of our fields."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from labeler.formats.cells import numbered_cells
from labeler.formats.fields import KEY, Cells, Row, Shape, bind, kind_of, plain_name, shown
from labeler.formats.reading import Refused
from labeler.formats.source import MARK_INSIDE, NOT_UTF8, Source, line_at, storable
from labeler.formats.write import unguard

DELIMITERS = ",\t;|"
QUEPID = ["query", "docid", "rating"]
"""The header of Quepid's ratings, which name queries and passages that nobody has rated too."""

LINE_SUFFIXES = (".jsonl", ".ndjson")
TREC_SUFFIXES = (".trec", ".qrels", ".qrel", ".run")


def is_json(source: Source) -> bool:
    """Whether the file is JSON, by its extension and its first character."""
    if source.suffix in (".json", *LINE_SUFFIXES):
        return True
    return source.suffix not in (".csv", ".tsv", *TREC_SUFFIXES) and (
        source.first_line().lstrip(" \t")[:1] in ("{", "[")
    )


def delimiter_of(source: Source, shape: Shape, columns: Mapping[str, str]) -> str | None:
    """What parts the cells when the first line is a header of `shape`; None when it is not one."""
    first = source.first_line(past=_ABOVE_HEADER)
    for delimiter in sorted(DELIMITERS, key=first.count, reverse=True):
        names = next(csv.reader([first], delimiter=delimiter), [])
        plain = {plain_name(name) for name in names}
        by_hand = bool(columns) and all(plain_name(name) in plain for name in columns.values())
        if by_hand or shape.knows(names):
            return delimiter
    return None


def rows(
    source: Source, shape: Shape, *, columns: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Each row of a table or of JSON objects. What has no known shape stops the file."""
    columns = columns or {}
    if is_json(source):
        yield from json_rows(source, shape, columns=columns)
        return
    delimiter = delimiter_of(source, shape, columns)
    if delimiter is None:
        delimiter = "\t" if source.suffix == ".tsv" else ","
    yield from table_rows(source, shape, delimiter=delimiter, columns=columns)


def json_rows(source: Source, shape: Shape, *, columns: Mapping[str, str]) -> Iterator[Row]:
    """Each JSON object; the object under "metadata" (BEIR) lends fields that the row has not. Of
    several on a line it is told which "element" a row is."""
    bindings: dict[tuple[str, ...], dict[str, str]] = {}
    before = 0
    for number, (line, value) in enumerate(values(source), 1):
        where, before = f"element {number}" if line == before else "", line
        if not isinstance(value, dict):
            place = f" in {where}" if where else ""
            source.refuse(line, Refused(kind_of(value) + place, "a JSON object"))
            continue
        record = _with_metadata(value, shape)
        keys = tuple(record)
        try:
            if keys not in bindings:
                bindings[keys] = bind(
                    keys, shape, columns=columns, source=source, line=line, expected=KEY
                )
        except Refused as why:
            place = f" in {where}" if where else ""
            source.refuse(line, Refused(why.found + place, why.expected, needs=why.needs))
            continue
        cells: Cells = {field: record[name] for field, name in bindings[keys].items()}
        yield Row(line, cells | {"element": where} if where else cells)


def _with_metadata(value: dict[str, Any], shape: Shape) -> dict[str, Any]:
    more = value.get("metadata", value)
    if not isinstance(more, dict | None) or more is value:
        return value  # none, or a text or a list, of which is told as of any column
    value = {name: value[name] for name in value if name != "metadata"}
    own = {plain_name(name) for name in value}
    missing = {field for field in shape.fields if own.isdisjoint(shape.names(field))}
    lent = {
        name if name in missing else f"metadata.{name}": one for name, one in (more or {}).items()
    }
    return {**lent, **value}


def values(source: Source) -> Iterator[tuple[int, Any]]:
    """Each JSON value of a file: one a line, or the elements of an array, or several documents."""
    first = source.first_line().strip()
    of_lines = source.suffix in LINE_SUFFIXES or _is_value(first)
    if first.startswith("[") or first == "{" or not of_lines:
        yield from _document_values(source)
        return
    for line, text in source.lines():
        if text.strip(" \t\n"):
            try:
                yield line, _DECODER.decode(text)
            except (ValueError, RecursionError) as error:
                source.refuse(line, _broken(error, "one JSON object a line"))


def _document_values(source: Source) -> Iterator[tuple[int, Any]]:
    text = source.text()
    if text[:1] == "\ufeff":
        source.note(1, MARK_INSIDE)
        text = text.lstrip("\ufeff")
    ends = _Lines(text)
    at = _SPACE.match(text, 0).end()  # type: ignore[union-attr]
    closing = text[at : at + 1] == "["
    if closing:
        at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
        if text[at : at + 1] == "]":
            return
    while at < len(text):
        line = ends.at(at)
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            place = line_at(text, error.pos) if isinstance(error, json.JSONDecodeError) else line
            why = _broken(error, "valid JSON to the end of the file")
            source.stop(place, found=why.found, expected=why.expected)
        yield line, value
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        mark = text[at : at + 1]
        if closing and mark not in (",", "]"):
            found = "JSON that breaks off" if not mark else f"{mark!r} after an element"
            source.stop(line_at(text, at), found=found, expected="',' or ']'")
        if closing and mark == "]":
            at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
            if at < len(text):
                source.stop(line_at(text, at), found="text after the array", expected="nothing")
            return
        at = _SPACE.match(text, at + closing).end()  # type: ignore[union-attr]
    if closing:
        source.stop(line_at(text, at), found="JSON that breaks off", expected="']'")


class _Lines:
    """The lines of positions asked for in rising order, counting each part of the text once."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def at(self, position: int) -> int:
        self._line += line_at(self._text[self._at : position], position - self._at) - 1
        self._at = position
        return self._line


def table_rows(
    source: Source, shape: Shape, *, delimiter: str, columns: Mapping[str, str]
) -> Iterator[Row]:
    """Each row below the header; a header that lacks a required field stops the file."""
    cells = numbered_cells(source, delimiter)
    line, names = next(cells, (0, []))
    if delimiter == "|" and len(names) > 2 and not (names[0].strip() or names[-1].strip()):
        source.stop(line, found="a table as Markdown has it", expected="CSV, TSV or JSON")
    if not storable("".join(names)):
        source.stop(line, found=NOT_UTF8.found, expected=NOT_UTF8.expected)
    try:
        bound = bind(names, shape, columns=columns, source=source, line=line)
    except Refused as why:
        above = " (what begins with # is a comment)" if source.first_line()[0] == "#" else ""
        source.stop(line, found=why.found + above, expected=why.expected, needs=why.needs)
    repeated = [name for name in bound.values() if names.count(name) > 1]
    if repeated:
        source.stop(
            line, found=f"two columns named {shown(repeated[0])}", expected="each name once"
        )
    cells_of = itemgetter(*(names.index(name) for name in bound.values()))  # at least two
    guarded = tuple(names) in shape.layouts
    headings, leading = shape.headings(), names.index(bound[shape.required[0]])
    for line, row in cells:
        if names == QUEPID and not any(row[2:]):
            source.note(line, "a query or passage without a rating was left out")
        elif len(row) != len(names) and any(row[len(names) :]) | (len(row) < len(names)):
            found = f"{len(row)} cell{'s' if len(row) > 1 else ''}"
            source.refuse(line, Refused(found, f"{len(names)}, as in the header"))
        elif not storable(whole := "".join(row)):
            source.refuse(line, NOT_UTF8)
        elif row == names or (row[leading].lower() in headings and shape.knows(row)):
            if [*map(plain_name, row)] == [*map(plain_name, names)]:
                source.note(line, "the header again, left out")
            else:
                source.refuse(line, Refused("another header", "the columns of the first"))
        elif not whole.strip(" \t"):
            source.note(line, "a row of empty cells was left out")
        else:
            plain = [unguard(cell) for cell in row] if guarded and "'" in whole else row
            yield Row(line, dict(zip(bound, cells_of(plain), strict=True)))


class _RepeatedKey(ValueError):
    """A JSON object that names a key twice, of which a parser silently keeps the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKey(next(name for name in names if names.count(name) > 1))
    return record


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object)
_ABOVE_HEADER = re.compile(r"[ \t]*$|#|\"?sep=.?\"?[,;|\t]*$", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n]*")


def _is_value(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _broken(error: Exception, expected: str) -> Refused:
    if isinstance(error, _RepeatedKey):
        return Refused(f"the key {shown(str(error))} twice in one object", "each key once")
    if isinstance(error, json.JSONDecodeError):
        return Refused(f"broken JSON ({error.msg}, column {error.colno})", expected)
    return Refused("JSON that is nested too deep or holds a number too long to read", expected)
