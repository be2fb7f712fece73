"""Query sets: what people ask, with whatever is known of each query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, fields
from pathlib import Path

from labeler.formats.corpora import NO_DAY, rows_or_mapping
from labeler.formats.fields import Row, Shape, identifier, is_blank, is_day, text_of
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import distinct
from labeler.formats.source import Source
from labeler.formats.write import Format, write_json_lines, write_table
from labeler.model import Query

QUERY_COLUMNS = tuple(field.name for field in fields(Query))
QUERY_SHAPE = Shape(
    "a query set",
    {
        "query_id": ("_id", "id", "qid", "topic_id", "topic"),
        "text": ("query", "question", "query_text", "user_input"),
        "kind": ("type", "category"),
        "need_id": (),
        "origin": (),
        "scope": (),
        "as_of": (),
        "split": (),
        "note": ("notes", "comment"),
    },
    ("query_id", "text"),
    (QUERY_COLUMNS,),
)


def read_queries(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> Iterator[Numbered[Query]]:
    """Read queries from BEIR or JSON lines, CSV, TSV, or a LlamaIndex dataset.

    The same query twice is dropped and noted; the same id with another content is refused, with
    both lines. `need_id` is left "" where the file has none.
    """
    reading = reading or Reading()
    source = Source(path, reading, name=name)
    yield from distinct(
        source,
        rows_or_mapping(source, QUERY_SHAPE, key="queries", columns=columns or {}),
        build=lambda row: _query(row, source),
        key=lambda query: (query.query_id,),
    )


def _query(row: Row, source: Source) -> Query:
    identity = identifier(row.cells, "query_id", source=source, line=row.line)
    if row.cells.get("text") is None:
        raise Refused("no text", "the query's text")
    query = Query(identity, *(text_of(row.cells, field) for field in QUERY_COLUMNS[1:]))
    if is_blank(query.text):
        source.note(row.line, "a query without text")
    if query.as_of and not is_day(query.as_of):
        source.note(row.line, NO_DAY.format("as_of"))
    return query


def write_queries(path: str | Path, queries: Iterable[Query], *, form: Format) -> int:
    """Write queries as csv, jsonl or beir; returns their number.

    BEIR's form keeps what it has no field for under "metadata", and is read back from there.
    """
    if form == "beir":
        return write_json_lines(path, map(_beir, queries))
    return write_table(path, QUERY_COLUMNS, rows=map(astuple, queries), form=form)


def _beir(query: Query) -> dict[str, object]:
    rest = dict(zip(QUERY_COLUMNS[2:], astuple(query)[2:], strict=True))
    metadata = {name: value for name, value in rest.items() if value}
    return {"_id": query.query_id, "text": query.text, "metadata": metadata}
