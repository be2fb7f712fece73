"""Passages as columns: a plain file of a million, in a few seconds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from labeler.formats.columnar import Kind, coded, filled, plain, quickly, unseen, visible
from labeler.formats.corpora import CORPUS_COLUMNS, CORPUS_SHAPE, DAYS, WITHOUT_TEXT
from labeler.formats.fields import is_day
from labeler.formats.reading import Reading
from labeler.formats.records import REPEATED
from labeler.formats.repeated import once
from labeler.formats.source import Source

PASSAGE_SCHEMA = pa.schema([(name, pa.string()) for name in CORPUS_COLUMNS])
"""The fields of a Passage; none is null."""

_KIND = Kind(CORPUS_SHAPE)


def plain_passages(
    path: str | Path,
    *,
    reading: Reading,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> pa.Table | None:
    """The records of `read_corpus`, in their order, as a table of PASSAGE_SCHEMA, with the same
    notes, where the file is plain and no passage has two texts; None where it is not."""
    return quickly(Path(path), partial(_read, columns=columns or {}), reading=reading, name=name)


def _read(source: Source, columns: Mapping[str, str]) -> pa.Table | None:
    found = plain(source, _KIND, columns=columns)
    if found is None or found.table["text"].null_count:
        return None
    ids = coded(found.table["passage_id"])
    if not visible(ids) or not _in_order(found.table):
        return None
    kept = once(_complete(found.table), ids)
    without_text = unseen(found.table["text"].combine_chunks())
    if kept is None or ((without_text or kept.left_out) and not found.first_line):
        return None
    noted = [(row, WITHOUT_TEXT) for row in without_text]
    noted += [(row, REPEATED) for row in kept.left_out]
    for row, what in sorted(noted, key=itemgetter(0)):
        source.note(found.first_line + row, what)
    return kept.table


def _complete(table: pa.Table) -> pa.Table:
    """All fields of a Passage; "" for what there is not."""
    none = pa.nulls(len(table), pa.string())
    there = {name: table[name] for name in table.column_names}
    return pa.table(
        {name: filled(there.get(name, none)) for name in CORPUS_COLUMNS}, schema=PASSAGE_SCHEMA
    )


def _in_order(table: pa.Table) -> bool:
    """Whether every day is one, and none at which a passage comes into force is after its end."""
    days = [filled(table[name]) for name in DAYS if name in table.column_names]
    if not all(is_day(day) for column in days for day in column.unique().to_pylist() if day):
        return False
    if len(days) < len(DAYS):
        return True
    start, end = days
    ended = pc.not_equal(end, "")
    return not pc.any(pc.and_(ended, pc.greater(start, end))).as_py()
