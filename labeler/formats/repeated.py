"""Rows of a table of columns that come again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.formats.columnar import numbers


def repeats(*key: pa.DictionaryArray) -> bool:
    """Whether several rows have one key. (Also where there are more possible keys than can be
    numbered, which no file has.)"""
    marks = _marks(key)
    return marks is None or _any_again(marks)


def _marks(key: Sequence[pa.DictionaryArray]) -> Any:
    """The key of each row as a number; None where there are more possible keys than numbers."""
    marks, possible = np.zeros(len(key[0]), dtype=np.int64), 1
    for column in key:
        size = len(column.dictionary)
        marks, possible = marks * size + numbers(column.indices), possible * size
    return None if possible >= 1 << 63 else marks


def _any_again(marks: Any) -> bool:
    """Whether a number comes again. Sorts them, which is quicker than to find their order."""
    marks.sort()
    return bool((marks[1:] == marks[:-1]).any())


class Once(NamedTuple):
    """A table with each key once, and the places of the rows that were left out."""

    table: pa.Table
    left_out: list[int]


def once(table: pa.Table, *key: pa.DictionaryArray) -> Once | None:
    """A table without the rows that say an earlier one again; None where a row says otherwise of
    its key than an earlier one."""
    marks = _marks(key)
    if marks is None:
        return None
    if not _any_again(marks.copy()):
        return Once(table, [])
    order = np.argsort(marks, kind="stable")
    places = np.flatnonzero(marks[order][1:] == marks[order][:-1])
    earlier, later = (table.take(pa.array(order[places + n].tolist())) for n in (0, 1))
    if not all(map(_same, earlier.columns, later.columns)):
        return None
    left_out = sorted(order[places + 1].tolist())
    kept = np.ones(len(table), dtype=bool)
    kept[left_out] = False
    return Once(table.filter(pa.array(kept.tolist())), left_out)


def _same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    """Whether two columns hold the same, row by row."""
    alike = pc.fill_null(pc.equal(one, other), False)
    return pc.all(pc.or_(alike, pc.and_(one.is_null(), other.is_null()))).as_py() is not False
