"""Answers as systems and evaluation tools export them: a query, what was answered, and the context
that the answer was given."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path
from token import NL, STRING
from tokenize import TokenError, generate_tokens

from labeler.formats.fields import (
    Row,
    Shape,
    checked_id,
    encoded,
    identifier,
    kind_of,
    plain_name,
    shown,
    text_of,
)
from labeler.formats.grades import GradeMap, scale_of
from labeler.formats.judgments import PASSAGE_NAMES
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import distinct
from labeler.formats.source import Source
from labeler.formats.tables import delimiter_of, is_json, rows
from labeler.formats.write import Format, write_json_lines, write_table
from labeler.model import Answer, Given, Grade

_FIELDS = {
    "query_id": ("qid", "question_id", "topic_id", "topic"),
    "query": ("question", "user_input", "query_text", "input"),
    "answer": (
        "response",
        "generated_answer",
        "actual_output",
        "output",
        "prediction",
        "completion",
    ),
    "context": (
        *("contexts", "retrieved_contexts", "retrieval_context", "retrieved_passages"),
        *("passages", "source_documents", "documents", "chunks"),
    ),
    "context_ids": ("passage_ids", "retrieved_context_ids", "retrieved_ids", "chunk_ids"),
    "grade": ("verdict", "label"),
    "reason": ("rationale", "explanation", "note"),
}
ANSWER_COLUMNS = ("answer_id", "query_id", "query", "system", "context_kind", "answer", "context")
_LAYOUTS = (ANSWER_COLUMNS,)
_BY_ID = Shape("a file of answers", _FIELDS, ("query_id", "answer"), _LAYOUTS)
_BY_TEXT = Shape("a file of answers", _FIELDS, ("query", "answer"), _LAYOUTS)
_EITHER = Shape("a file of answers", _FIELDS, ("answer",), _LAYOUTS)

_TEXTS = ("text", "content", "page_content", "passage")
_IDS = ("passage_id", "id", *(name for name in PASSAGE_NAMES if name != "passage"))


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer of a file. `query_id` or `query` may be "", not both. A passage of the context
    that was told by one string, which may be its id or its text, is `Given("", string)`. `grade` is
    None where the row has none.
    """

    query_id: str
    query: str
    answer: str
    context: tuple[Given, ...] | None
    grade: Grade | None
    reason: str


def read_answers(
    path: str | Path,
    *,
    grades: GradeMap | None = None,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
    graded: bool = True,
) -> Iterator[Numbered[AnswerRow]]:
    """Read answers from JSON lines, a JSON array, CSV or TSV.

    A context is a list of strings or of {"passage_id", "text"}; in a table it is that list as JSON
    or as Python prints it, or one text. Grades are read as those of judgments, where the file is
    `graded`: by someone. The same answer twice is dropped and noted; two answers to one query are
    refused.
    """
    reading = reading or Reading()
    source = Source(path, reading, name=name)
    known = (
        (grades or scale_of(_grade_values(path, name, columns or {}), source)) if graded else None
    )
    yield from distinct(
        source,
        rows(source, _shape(source, columns or {}), columns=columns),
        build=lambda row: _answer(row, known, source),
        key=lambda row: (row.query_id, "" if row.query_id else row.query),
    )


def _grade_values(
    path: str | Path, name: str, columns: Mapping[str, str]
) -> Iterator[tuple[int, object]]:
    """Every grade of a file with its line; what is malformed is left for the second reading."""
    source = Source(path, Reading(skip_bad=True), name=name)
    for line, cells in rows(source, _shape(source, columns), columns=columns):
        if cells.get("grade") not in (None, ""):
            yield line, cells["grade"]


def _shape(source: Source, columns: Mapping[str, str]) -> Shape:
    """What a row must have: in a table a column says whose answer it is, each object does so
    itself."""
    if is_json(source):
        return _EITHER
    first = source.first_line()
    delimiter = delimiter_of(source, _BY_TEXT, columns) or delimiter_of(source, _BY_ID, columns)
    names = {plain_name(n) for n in next(csv.reader([first], delimiter=delimiter or ","), [])}
    if "query_id" in columns or names.intersection(_BY_ID.names("query_id")):
        return _BY_ID
    by_text = "query" in columns or names.intersection(_BY_ID.names("query"))
    return _BY_TEXT if by_text else _BY_ID


def _answer(row: Row, grades: GradeMap | None, source: Source) -> AnswerRow:
    cells = row.cells
    query = text_of(cells, "query")
    named = cells.get("query_id") not in (None, "")
    query_id = identifier(cells, "query_id", source=source, line=row.line) if named else ""
    if not query_id and not query.strip():
        raise Refused("neither query_id nor query", "the query's id or its text")
    if cells.get("answer") is None:
        raise Refused("no answer", 'its text, "" where nothing came')
    text = text_of(cells, "answer")
    if not text.strip():
        source.note(row.line, "an empty answer, which is kept as one")
    given = cells.get("grade")
    grade = None
    if given is not None and given != "":
        if grades is None:
            source.note(0, "its grades are not read: whose they are was not said")
        else:
            grade = grades.read(given)
    return AnswerRow(query_id, query, text, _context(cells), grade, text_of(cells, "reason"))


def _context(cells: Mapping[str, object]) -> tuple[Given, ...] | None:
    """The passages that the answer was given, in order; None where the row says nothing of them."""
    ids, told = _listed(cells, "context_ids"), _listed(cells, "context")
    if ids is None and told is None:
        return None
    named = [_id(value) for value in ids or ()]
    given = [_given(value) for value in told or ()]
    if ids is None or told is None:
        return tuple(given if ids is None else (Given(name, "") for name in named))
    if len(named) != len(given):
        raise Refused(f"{len(named)} context_ids of {len(given)} contexts", "one for each")
    return tuple(Given(name, one.text) for name, one in zip(named, given, strict=True))


def _listed(cells: Mapping[str, object], field: str) -> list[object] | None:
    value = cells.get(field)
    if isinstance(value, str):
        value = _unfolded(value, field)
    if value is None or isinstance(value, list):
        return value
    raise Refused(f"{field} is {kind_of(value)}", "a list")


def _unfolded(cell: str, field: str) -> list[object] | None:
    """The list that a table's cell holds as text; a cell that begins none is one text."""
    text = cell.strip()
    if not text:
        return None
    if not text.startswith("["):
        return [cell]
    for read in (json.loads, _literal):
        try:
            found = read(text)
        except (ValueError, SyntaxError, TokenError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(found, list):
            return found
    raise Refused(f"{field} {shown(cell)}", 'a list as JSON writes it, such as ["p1", "p2"]')


def _literal(text: str) -> object:
    """What Python prints. Raises ValueError where texts stand side by side without a comma, as in a
    printed array: Python would make one of them."""
    found = ast.literal_eval(text)
    kinds = (token.type for token in generate_tokens(StringIO(text).readline))
    if any(one == other == STRING for one, other in pairwise(kind for kind in kinds if kind != NL)):
        raise ValueError("texts without a comma between them")
    return found


def _id(value: object) -> str:
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value:
        raise Refused(f"an id in context_ids is {kind_of(value)}", "text")
    return checked_id(value, "context_ids")


def _given(value: object) -> Given:
    """A passage of the context as a string or as an object."""
    if isinstance(value, str):
        if not value.strip():
            raise Refused("an empty text in context", "a passage's id or text")
        return Given("", encoded(value, "context"))
    if not isinstance(value, dict):
        raise Refused(f"{kind_of(value)} in context", 'text or {"passage_id", "text"}')
    known = {plain_name(name): told for name, told in value.items()}
    text = next((known[name] for name in _TEXTS if known.get(name)), "")
    name = next((known[name] for name in _IDS if known.get(name) not in (None, "")), "")
    if not isinstance(text, str):
        raise Refused(f"a text in context is {kind_of(text)}", "text")
    if not name and not text.strip():
        raise Refused("a context without passage_id and text", "one of the two")
    return Given(_id(name) if name != "" else "", encoded(text, "context"))


def write_answers(path: str | Path, answers: Iterable[tuple[Answer, str]], *, form: Format) -> int:
    """Write answers with their queries' texts as csv or jsonl; returns their number. Both forms can
    be imported again, as another kind of context say; the ids are those of verdicts and labels."""
    if form == "jsonl":
        return write_json_lines(path, (_told(answer, query) for answer, query in answers))
    rows = (
        [
            json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell
            for cell in _told(answer, query).values()
        ]
        for answer, query in answers
    )
    return write_table(path, ANSWER_COLUMNS, rows=rows, form=form)


def _told(answer: Answer, query: str) -> dict[str, str | list[dict[str, str]] | None]:
    given = answer.context
    context = None if given is None else [one._asdict() for one in given]
    cells = (
        answer.answer_id,
        answer.query_id,
        query,
        answer.system,
        answer.context_kind,
        answer.text,
        context,
    )
    return dict(zip(ANSWER_COLUMNS, cells, strict=True))
