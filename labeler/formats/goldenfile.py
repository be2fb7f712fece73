"""Golden sets: which passages a query should find."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from labeler.errors import LabelerError
from labeler.formats.fields import (
    Cells,
    Row,
    Shape,
    checked_id,
    identifier,
    kind_of,
    shown,
    text_of,
    unpadded,
)
from labeler.formats.grades import GradeMap, scale_of
from labeler.formats.judgments import PASSAGE_NAMES, QRELS_COLUMNS, document_rows, judgment_rows
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import distinct
from labeler.formats.source import Source
from labeler.formats.tables import delimiter_of, is_json, rows
from labeler.formats.write import write_atomically
from labeler.model import GoldenEntry, Grade

GOLDEN_COLUMNS = ("query_id", "passage_id", "grade", "query", "kind")

_FIELDS = {
    "query_id": ("_id", "id", "qid", "topic_id", "topic"),
    "passage_id": PASSAGE_NAMES,
    "grade": ("label", "relevance", "rel", "rating", "judgment", "judgement", "score"),
    "query": ("question", "text", "query_text", "user_input"),
    "kind": ("type", "category"),
    "expected": (
        *("relevant_chunk_ids", "relevant_passage_ids", "relevant_doc_ids", "relevant_ids"),
        *("relevant_docs", "expected_ids", "expected_passage_ids", "expected_chunk_ids"),
        *("reference_context_ids", "passage_ids", "chunk_ids", "doc_ids"),
    ),
    "contexts": ("reference_contexts",),
}
_ROWS = Shape("a golden set", _FIELDS, ("passage_id", "grade"), (GOLDEN_COLUMNS, QRELS_COLUMNS))
_ENTRIES = Shape("a golden set", {**_FIELDS, "part_passages": (), "no_passages": ()}, ())


class _Golden(NamedTuple):
    """One row of a golden file: its passages with their grades, none where nothing is expected."""

    query_id: str
    query: str
    kind: str
    graded: tuple[tuple[str, Grade | None], ...]
    is_pair: bool = False


def read_golden(
    path: str | Path,
    *,
    grades: GradeMap | None = None,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> Iterator[Numbered[GoldenEntry]]:
    """Read a golden set in any of the shapes that teams keep.

    A query with a list of passage ids (all graded YES), JSON or JSON lines; a row a pair with a
    grade (qrels of TREC or BEIR, CSV, TSV, JSON lines, ours); documents of other tools (see
    `foreign`). A query without an id has `query_id` "" and is known by its exact text. A query
    that expects nothing has one entry with `passage_id` "". Grades are read as those of judgments.
    """
    reading = reading or Reading()
    source = Source(path, reading, name=name)
    if grades is None:
        before = Source(path, Reading(skip_bad=True), name=name)
        grades = scale_of(
            (
                (line, cells["grade"])
                for line, cells in _golden_rows(before, columns or {})
                if cells.get("grade") not in (None, "")
            ),
            source,
        )
    known = grades
    asked = _Asked(source)
    golden = distinct(
        source,
        _golden_rows(source, columns or {}),
        build=lambda row: asked.once(row.line, _golden(row, known, source)),
        key=_key,
    )
    for line, entry in golden:
        for passage_id, grade in entry.graded or (("", None),):
            record = GoldenEntry(
                entry.query_id, passage_id, grade, query=entry.query, kind=entry.kind
            )
            yield Numbered(line, record)


class _Told(NamedTuple):
    """What the first rows of a query said of it, and the line of the first."""

    line: int
    query: str
    kind: str
    nothing: bool


class _Asked:
    """The queries of a file, each of which expects passages or none. One that has a list is named
    by its id everywhere in the file, or by its text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._told: dict[tuple[str, str], _Told] = {}
        self._ids: dict[str, str] = {}

    def once(self, line: int, entry: _Golden) -> _Golden:
        """The entry; Refused where it contradicts an earlier one of its query. Another text or kind
        is noted: the versions of a golden set may have had several."""
        name, nothing = entry.query_id or entry.query, not entry.graded
        key = (entry.query_id, "" if entry.query_id else entry.query)
        told = self._told.get(key) or _Told(line, entry.query, entry.kind, nothing)
        for what, here, there in (
            ("text", entry.query, told.query),
            ("kind", entry.kind, told.kind),
        ):
            if here and there and here != there:
                self._source.note(line, f"another {what} of its query than in an earlier row")
        if nothing != told.nothing:
            found = f"passages of query {shown(name)}, and that it expects nothing"
            raise Refused(f"{found} (line {told.line})", "one or the other")
        if not entry.is_pair and entry.query:
            other = self._ids.setdefault(entry.query, entry.query_id)
            if other != entry.query_id and "" in (other, entry.query_id):
                found = f"query {shown(entry.query)} with its id and without"
                raise Refused(found, "one row, or its id in both")
        self._told[key] = told._replace(
            query=told.query or entry.query, kind=told.kind or entry.kind
        )
        return entry


def _key(entry: _Golden) -> tuple[str, ...]:
    """A row a pair is known by its pair, a list by its query."""
    query = entry.query_id or entry.query
    return (query, entry.graded[0][0]) if entry.is_pair else (query,)


def _golden_rows(source: Source, columns: Mapping[str, str]) -> Iterator[Row]:
    if is_json(source):
        yield from document_rows(source) or rows(source, _ENTRIES, columns=columns)
    elif columns or delimiter_of(source, _ROWS, columns) is not None:
        yield from rows(source, _ROWS, columns=columns)
    else:
        yield from judgment_rows(source, columns)


def _golden(row: Row, grades: GradeMap, source: Source) -> _Golden:
    line, cells = row
    query_id = ""
    if cells.get("query_id") not in (None, ""):
        query_id = identifier(cells, "query_id", source=source, line=line)
    query = text_of(cells, "query")
    if not query_id and not query.strip():
        raise Refused("neither query_id nor query", "one of them")
    if "where" in cells and query_id == query:
        query_id = ""  # a document of another tool that knows the query by its text alone
    kind = text_of(cells, "kind")
    if "expected" in cells:
        for field in ("passage_id", "grade"):
            if cells.get(field) not in (None, ""):
                source.note(line, f"{field} beside a list of expected passages is not read")
        return _Golden(query_id, query, kind, _lists(cells, source, line))
    if cells.get("contexts") is not None:
        raise Refused("the texts of passages", "their ids, under reference_context_ids")
    if "passage_id" not in cells:
        raise Refused("no list of expected passages", '"expected": [ids], or [] for none')
    if cells["passage_id"] in (None, "") and cells.get("grade") in (None, ""):
        return _Golden(query_id, query, kind, ())
    passage_id = identifier(cells, "passage_id", source=source, line=line)
    grade = grades.read(cells.get("grade"))
    return _Golden(query_id, query, kind, ((passage_id, grade),), is_pair=True)


_LISTS = {"expected": Grade.YES, "part_passages": Grade.PART, "no_passages": Grade.NO}


def _lists(cells: Cells, source: Source, line: int) -> tuple[tuple[str, Grade | None], ...]:
    """The passages of the lists that a row has: those expected, and of our own files the others."""
    graded: dict[str, Grade] = {}
    for field, grade in _LISTS.items():
        for passage_id in _expected(cells.get(field, []), source, line):
            if graded.setdefault(passage_id, grade) is not grade:
                raise Refused(f"passage {passage_id} under {graded[passage_id]} and {grade}", "one")
    return tuple(graded.items())


def _expected(value: object, source: Source, line: int) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Refused(f"{kind_of(value)} where the expected passages stand", "a list of ids")
    ids = []
    for element in value:
        if type(element) is int:
            source.note(line, "passage_id is a number and was read as text")
            element = str(element)
        if not isinstance(element, str):
            raise Refused(f"{kind_of(element)} among the expected passages", "an id")
        identity = checked_id(element, "passage_id")
        ids.append(unpadded(identity, "passage_id", source=source, line=line))
    distinct_ids = tuple(dict.fromkeys(ids))
    if len(distinct_ids) < len(ids):
        source.note(line, "a passage stands twice in a list of expected ones, read once")
    return distinct_ids


def write_golden(path: str | Path, entries: Iterable[GoldenEntry]) -> int:
    """Write a golden set as json, a query an object: `[{"query", "expected": [ids]}]` with its id
    and kind, and under "part_passages" and "no_passages" those of these grades, if any. Returns the
    number of queries.
    """
    queries: dict[str, dict[str, object]] = {}
    lists: dict[str, dict[str, list[str]]] = {}
    for entry in entries:
        named = {"query_id": entry.query_id, "query": entry.query, "kind": entry.kind}
        known = queries.setdefault(entry.query_id, {})
        for name, text in named.items():
            if text and known.setdefault(name, text) != text:
                raise LabelerError(
                    f"The golden set has two of what this form holds once, {name} of query "
                    f"{shown(entry.query_id)}: export as csv or jsonl instead"
                )
        found = lists.setdefault(entry.query_id, {"expected": []})
        for field, grade in _LISTS.items():
            if entry.grade is grade:
                found.setdefault(field, []).append(entry.passage_id)
    with write_atomically(path) as handle:
        lines = (
            json.dumps(asked | lists[query_id], ensure_ascii=False)
            for query_id, asked in queries.items()
        )
        handle.write("[\n  " + ",\n  ".join(lines) + "\n]\n")
    return len(queries)


BEIR_HEAD = "query-id\tcorpus-id\tscore\n"


def beir_line(row: tuple[str, str, int]) -> str:
    """A row of BEIR's qrels."""
    # csv leaves a lone carriage return bare when it is no part of the line's end, and a byte order
    # mark, which is no part of an id where a line begins with it. Marks around every cell tell a
    # line end within an id from one that a stray mark takes in.
    odd = row[0][:1] == "\ufeff" or any(end in row[0] + row[1] for end in "\r\n")
    line = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    csv.writer(line, delimiter="\t", lineterminator="\n", quoting=quoting).writerow(row)
    return line.getvalue()
