"""Runs as columns, in the order of their ranks or their scores, as `runs` orders rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.formats import runs
from labeler.formats.columnar import (
    KINDS,
    Kind,
    Plain,
    coded,
    numbers,
    plain,
    quickly,
    visible,
)
from labeler.formats.reading import Reading
from labeler.formats.repeated import repeats
from labeler.formats.source import Source
from labeler.formats.trec import require_run

RUN_SCHEMA = pa.schema(
    [
        ("line", pa.int64()),
        ("query_id", pa.string()),
        ("passage_id", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float64()),
    ]
)


RANK_DIGITS = 9
"""What is longer is no rank, or is written oddly: it is read with care."""

_KIND = Kind(
    runs.RUN_SHAPE,
    trec=("query_id", "q0", "passage_id", "rank", "score", "tag"),
    cells={"score": pa.float64()},
    values={"rank": pa.int32(), "score": pa.float64()},
)


def read_run_table(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> pa.Table:
    """The rows of `read_run` as a table of RUN_SCHEMA, with the same errors and notes."""
    reading = reading or Reading()
    table = plain_run(path, reading=reading, columns=columns, name=name)
    if table is not None:
        return table
    lines, query_ids, passage_ids, ranks, scores = [], [], [], [], []
    for line, row in runs.read_run(path, reading=reading, columns=columns, name=name):
        lines.append(line)
        query_ids.append(row.query_id)
        passage_ids.append(row.passage_id)
        ranks.append(row.rank)
        scores.append(row.score)
    return pa.table([lines, query_ids, passage_ids, ranks, scores], schema=RUN_SCHEMA)


def plain_run(
    path: str | Path,
    *,
    reading: Reading,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> pa.Table | None:
    """The rows of a plain run, in which there is nothing to note but that ranks count from 0, that
    all are the same, or that scores contradict them. None where it is not plain."""
    return quickly(Path(path), partial(_read, columns=columns or {}), reading=reading, name=name)


def _read(source: Source, columns: Mapping[str, str]) -> pa.Table | None:
    named = runs.is_named(source, columns)
    if not named:
        require_run(source.first_line(), source)
    found = plain(source, _KIND, columns=columns, named=named)
    if found is None or not found.first_line:
        return None
    typed = _typed(found.table)
    return None if typed is None else settled(Plain(typed, found.first_line), source)


def _typed(table: pa.Table) -> pa.Table | None:
    """The columns of a run, of our types; one that there is not is null. None where a rank is
    longer than any that is meant so."""
    columns = []
    for name in RUN_SCHEMA.names[1:]:
        type_ = RUN_SCHEMA.field(name).type
        if name not in table.column_names:
            columns.append(pa.nulls(len(table), type_))
            continue
        column = table[name].combine_chunks()
        if name == "rank" and column.type == pa.string():
            if len(column) and pc.max(pc.binary_length(column)).as_py() > RANK_DIGITS:
                return None
            column = column.cast(pa.int32())
        columns.append(column)
    return pa.table(columns, names=RUN_SCHEMA.names[1:])


def settled(plain: Plain, source: Source) -> pa.Table | None:
    """The rows query by query in the order of their ranks, as a table of RUN_SCHEMA, with notes of
    what `runs` would note; None where the order needs more care than this."""
    table, first_line = plain
    query, passage = coded(table["query_id"]), coded(table["passage_id"])
    count = len(table)
    ranks, scores = table["rank"].combine_chunks(), table["score"].combine_chunks()
    if not count or not (visible(query) and visible(passage)):
        return None
    ranked, scored = ranks.null_count == 0, scores.null_count == 0
    if not (ranked or (scored and ranks.null_count == count)):
        return None
    if not (scored or scores.null_count == count):
        return None
    codes = numbers(query.indices)
    given = numbers(scores) if scored else np.zeros(count)
    if not np.isfinite(given).all() or (ranked and numbers(ranks).min() < 0):
        return None
    if repeats(query, passage):
        return None
    asked = len(query.dictionary)
    constant = ranked and scored and count > asked and numbers(ranks).min() == numbers(ranks).max()
    if constant:
        rank = ranks[0].as_py()
        source.note(0, f"every rank is {rank}; the scores were sorted instead")
    if ranked and not constant:
        order = _by_rank(codes, numbers(ranks), given if scored else None, source, first_line)
    else:
        order = _by_score(codes, given, passage)
    if order is None:
        return None
    sorted_codes = codes[order]
    rows = (
        table if np.array_equal(order, np.arange(count)) else table.take(_column(order, pa.int64()))
    )
    return pa.table(
        [
            _column(order + first_line, pa.int64()),
            rows["query_id"],
            rows["passage_id"],
            _column(_places(sorted_codes) + 1, pa.int32()),
            rows["score"],
        ],
        schema=RUN_SCHEMA,
    )


def _by_rank(codes: Any, ranks: Any, scores: Any, source: Source, first_line: int) -> Any:
    """The order of the rows, or None where a query's ranks are no whole sequence from 0 or 1."""
    order = np.lexsort((ranks, codes))
    codes, ranks = codes[order], ranks[order]
    places = _places(codes)
    starts = np.flatnonzero(places == 0)
    base = ranks[starts]
    if ((base != 0) & (base != 1)).any() or (ranks != base[codes] + places).any():
        return None
    contradicted = np.zeros(len(starts), dtype=bool)
    if scores is not None:
        scores = scores[order]
        rises = (codes[1:] == codes[:-1]) & (scores[1:] > scores[:-1])
        contradicted[codes[1:][rises]] = True
    for number in np.flatnonzero((base == 0) | contradicted).tolist():
        line = int(order[starts[number]]) + first_line
        if base[number] == 0:
            source.note(line, runs.FROM_ZERO)
        if contradicted[number]:
            source.note(line, runs.CONTRADICTED)
    return order


def _by_score(codes: Any, scores: Any, passage: Any) -> Any:
    """The order of the rows: ties by passage id from the last to the first."""
    order = np.lexsort((-scores, codes))
    ties = (codes[order][1:] == codes[order][:-1]) & (scores[order][1:] == scores[order][:-1])
    if not ties.any():
        return order
    place = np.empty(len(passage.dictionary), dtype=np.int64)
    place[numbers(pc.sort_indices(passage.dictionary))] = np.arange(len(place))  # UTF-8's order
    return np.lexsort((-place[numbers(passage.indices)], -scores, codes))


def _places(codes: Any) -> Any:
    """Of codes that stand together, the place of each among its equals, from 0."""
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    return np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)]))


def _column(numbers: Any, kind: pa.DataType) -> pa.Array:
    """A column of numbers."""
    values = np.ascontiguousarray(numbers, dtype=KINDS[kind])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
