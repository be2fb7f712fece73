"""The order of a run that came as columns: by its ranks or its scores, as `runs` orders rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.formats import runs
from labeler.formats.source import Source

RUN_SCHEMA = pa.schema(
    [
        ("line", pa.int64()),
        ("query_id", pa.string()),
        ("passage_id", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float64()),
    ]
)


class Plain(NamedTuple):
    """The columns of a plain file as they stand, without `line`: the number of the first row's."""

    table: pa.Table
    first_line: int


def settled(plain: Plain, source: Source) -> pa.Table | None:
    """The rows query by query in the order of their ranks, as a table of RUN_SCHEMA, with notes of
    what `runs` would note; None where the order needs more care than this."""
    table, first_line = plain
    query = table["query_id"].combine_chunks().dictionary_encode()
    passage = table["passage_id"].combine_chunks().dictionary_encode()
    count = len(table)
    ranks, scores = table["rank"].combine_chunks(), table["score"].combine_chunks()
    if not count or not (_visible(query) and _visible(passage)):
        return None
    ranked, scored = ranks.null_count == 0, scores.null_count == 0
    if not (ranked or (scored and ranks.null_count == count)):
        return None
    if not (scored or scores.null_count == count):
        return None
    codes, passages = _numbers(query.indices), _numbers(passage.indices)
    given = _numbers(scores) if scored else np.zeros(count)
    if not np.isfinite(given).all():
        return None
    pairs = np.sort(codes.astype(np.int64) * len(passage.dictionary) + passages)
    if (pairs[1:] == pairs[:-1]).any():
        return None
    asked = len(query.dictionary)
    constant = (
        ranked and scored and count > asked and _numbers(ranks).min() == _numbers(ranks).max()
    )
    if constant:
        rank = ranks[0].as_py()
        source.note(0, f"every rank is {rank}; the scores were sorted instead")
    if ranked and not constant:
        order = _by_rank(codes, _numbers(ranks), given if scored else None, source, first_line)
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
    place[_numbers(pc.sort_indices(passage.dictionary))] = np.arange(len(place))  # UTF-8's order
    return np.lexsort((-place[_numbers(passage.indices)], -scores, codes))


def _places(codes: Any) -> Any:
    """Of codes that stand together, the place of each among its equals, from 0."""
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    return np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)]))


def _visible(ids: Any) -> bool:
    """Whether every id of a dictionary column is there and holds something visible."""
    if ids.null_count:
        return False
    values = ids.dictionary
    unsure = values.filter(pc.invert(pc.match_substring_regex(values, "[!-~]")))
    return all(text.strip() for text in unsure.to_pylist())


# Arrow's own ways to numpy and back load pandas, which costs 0.4 s.
_KINDS = {pa.int32(): "<i4", pa.int64(): "<i8", pa.uint64(): "<u8", pa.float64(): "<f8"}


def _numbers(column: Any) -> Any:
    """The numbers of a column without nulls."""
    found = np.frombuffer(column.buffers()[1] or b"", dtype=_KINDS[column.type])
    return found[column.offset : column.offset + len(column)]


def _column(numbers: Any, kind: pa.DataType) -> pa.Array:
    """A column of numbers."""
    values = np.ascontiguousarray(numbers, dtype=_KINDS[kind])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
