"""Judgments as columns: a plain file of a million labels or verdicts, in a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from labeler.formats.columnar import FIXED_COLUMN, Kind, coded, filled, plain, quickly, visible
from labeler.formats.fields import bool_of, name_of, time_of
from labeler.formats.grades import GradeMap, scale_of
from labeler.formats.judgments import (
    JUDGMENT_SHAPE,
    UNGRADED,
    cost_of,
    document_rows,
    is_qrels,
    state_of,
)
from labeler.formats.reading import Reading
from labeler.formats.records import REPEATED
from labeler.formats.repeated import Once, once
from labeler.formats.source import Source
from labeler.formats.tables import is_json
from labeler.formats.trec import FIXED

JUDGMENT_SCHEMA = pa.schema(
    [
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in ("query_id", "passage_id")),
        *((name, pa.string()) for name in ("grade", "state", "person")),
        *((name, pa.string()) for name in ("rubric", "model", "reason", "note", "raw", "at")),
        ("blind", pa.bool_()),
        ("spotcheck", pa.string()),
        ("cost", pa.float64()),
    ]
)
"""The fields of a Judgment. Only `grade`, `blind` and `cost` may be null."""

_KIND = Kind(
    JUDGMENT_SHAPE,
    trec=("query_id", FIXED_COLUMN, "passage_id", "grade"),
    values={"grade": None, "blind": None, "cost": None},
)
_GRADES = (pa.string(), pa.int64(), pa.bool_(), pa.null())
"""The types of a column of grades in which each is still what it was: among fractions, Arrow makes
fractions of whole numbers."""

_NAMES = JUDGMENT_SCHEMA.names
_KEY = ("query_id", "passage_id", "person", "rubric", "model")
_TEXTS = ("reason", "note", "raw", "spotcheck")

Read = Callable[[object], object]
"""From a cell to its value. Raises Refused."""


def plain_judgments(
    path: str | Path,
    *,
    grades: GradeMap | None = None,
    reading: Reading,
    columns: Mapping[str, str] | None = None,
    name: str = "",
    person: str = "",
    rubric: str = "",
) -> pa.Table | None:
    """The records of `read_judgments`, in their order, as a table of JUDGMENT_SCHEMA, with the same
    notes, where the file is plain and no judgment contradicts another; None where it is not."""

    def read(source: Source) -> pa.Table | None:
        if is_json(source) and document_rows(source) is not None:
            return None
        of_header = Reading()
        below = Source(source.path, of_header, name=source.name)
        named = not is_qrels(source, columns or {})
        found = plain(below, _KIND, columns=columns or {}, named=named)
        if found is None or found.table["grade"].type not in _GRADES:
            return None
        if not named and not set(FIXED).issuperset(found.table[FIXED_COLUMN].unique().to_pylist()):
            return None
        cells = found.table["grade"].unique().to_pylist()
        known = grades or scale_of(((0, cell) for cell in cells), source)
        source.reading.take_over(of_header)  # of the scale is told first
        judged = _judged(found.table, known, source, person=person, rubric=rubric)
        if judged is None or (judged.left_out and not found.first_line):
            return None
        for row in judged.left_out:
            source.note(found.first_line + row, REPEATED)
        return judged.table

    return quickly(Path(path), read, reading=reading, name=name)


def _judged(
    found: pa.Table, grades: GradeMap, source: Source, *, person: str, rubric: str
) -> Once | None:
    """The columns with their cells read; what there is not is empty. None where judgments
    contradict each other, an id is not to be seen, a state and a grade do not go together, or a
    cell has anything that is noted."""
    noticed = Reading()
    readers = _readers(Source(source.path, noticed), grades, person=person, rubric=rubric)
    none = pa.chunked_array([pa.nulls(len(found), pa.string())])
    columns = {name: found[name] if name in found.column_names else none for name in _NAMES}
    for name, read in readers.items():
        columns[name] = _each(columns[name], read, JUDGMENT_SCHEMA.field(name).type)
    for name in _TEXTS:
        columns[name] = filled(columns[name])
    ungraded = pc.is_in(columns["state"], value_set=pa.array(sorted(UNGRADED)))
    if noticed.notes or pc.any(pc.xor(ungraded, columns["grade"].is_null())).as_py():
        return None
    key = [coded(columns[name]) for name in _KEY]
    if not (visible(key[0]) and visible(key[1])):
        return None
    ids = {"query_id": key[0], "passage_id": key[1]}
    return once(pa.table({**columns, **ids}, schema=JUDGMENT_SCHEMA), *key)


def _readers(source: Source, grades: GradeMap, *, person: str, rubric: str) -> dict[str, Read]:
    """How `judgments` reads the cells of each field that is no plain text."""

    def called(field: str, default: str = "") -> Read:
        return lambda cell: name_of({field: cell}, field, source=source, line=0) or default

    return {
        "grade": lambda cell: None if cell in (None, "") else grades.read(cell),
        "state": lambda cell: state_of({"state": cell}),
        "person": called("person", person),
        "rubric": called("rubric", rubric),
        "model": called("model"),
        "at": lambda cell: time_of({"at": cell}, "at", source=source, line=0),
        "blind": lambda cell: bool_of({"blind": cell}, "blind"),
        "cost": lambda cell: cost_of({"cost": cell}),
    }


def _each(column: pa.ChunkedArray, read: Read, kind: pa.DataType) -> pa.ChunkedArray:
    """What `read` makes of each cell, asked once for all that are the same."""
    if pa.types.is_floating(column.type):  # of which 0.0 and -0.0 would be the same
        return pa.chunked_array([pa.array(map(read, column.to_pylist()), kind)])
    cells = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = pa.array([read(cell) for cell in cells.dictionary.to_pylist()], kind)
    return pa.chunked_array([values.take(cells.indices)])
