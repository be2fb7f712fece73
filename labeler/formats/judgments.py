"""Labels and verdicts: a grade of a pair, from a person or from a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from labeler.errors import InputError
from labeler.formats.fields import (
    BY_TEXT,
    PASSAGE_IDS,
    Cells,
    Row,
    Shape,
    bool_of,
    float_of,
    identifier,
    name_of,
    plain_name,
    text_of,
    time_of,
)
from labeler.formats.foreign import reader_of
from labeler.formats.grades import GradeMap, scale_of
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import distinct
from labeler.formats.source import Source
from labeler.formats.tables import (
    TREC_SUFFIXES,
    delimiter_of,
    is_json,
    rows,
    values,
)
from labeler.formats.trec import (
    FIXED,
    QRELS,
    QRELS_WIDTH,
    bare_beir_rows,
    fields_of,
    is_bare_beir,
    require_qrels,
    trec_fields,
)
from labeler.model import Judgment, State, Status

LABEL_COLUMNS = (
    *("query_id", "passage_id", "annotator", "grade", "state"),
    *("labelled_at", "blind", "spotcheck", "note"),
)
VERDICT_COLUMNS = (
    *("query_id", "passage_id", "judge", "rubric", "model"),
    *("grade", "status", "reason", "judged_at", "cost"),
)
HISTORY_COLUMNS = (
    *("event", "query_id", "passage_id", "annotator", "action", "grade", "state", "note"),
    *("spotcheck", "blind", "client_at", "labelled_at"),
)
ADJUDICATION_COLUMNS = ("query_id", "passage_id", "grade", "reason", "reviewer", "decided_at")
QRELS_COLUMNS = ("query_id", "passage_id", "grade")
PASSAGE_NAMES = (*PASSAGE_IDS, "passage")
_FIELDS = {
    "query_id": ("qid", "topic", "topic_id", "query", "query_text"),
    "passage_id": PASSAGE_NAMES,
    "grade": ("label", "relevance", "rel", "rating", "judgment", "judgement", "score"),
    "state": ("status",),
    "person": ("annotator", "judge", "assessor", "rater", "user"),
    "rubric": (),
    "model": (),
    "reason": ("rationale", "explanation"),
    "note": ("notes", "comment"),
    "raw": ("raw_reply",),
    "at": ("labelled_at", "judged_at", "timestamp", "created_at"),
    "blind": (),
    "spotcheck": ("spot_check",),
    "cost": ("cost_usd",),
}
JUDGMENT_SHAPE = Shape(
    "a file of judgments",
    _FIELDS,
    QRELS_COLUMNS,
    (LABEL_COLUMNS, HISTORY_COLUMNS, VERDICT_COLUMNS, ADJUDICATION_COLUMNS, QRELS_COLUMNS),
    by_text=("query", "query_text"),
)

UNGRADED = {State.UNSURE.value, State.LATER.value, Status.UNREADABLE.value}
"""The states that are no grade."""

_STATES = UNGRADED | {State.LABELLED.value, Status.OK.value}


def read_judgments(
    path: str | Path,
    *,
    grades: GradeMap | None = None,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
    person: str = "",
    rubric: str = "",
    named: Callable[[str], str] = str,
) -> Iterator[Numbered[Judgment]]:
    """Read labels or verdicts: TREC or BEIR qrels, CSV, TSV, JSON, or a document of another tool.

    Without `grades` the file is read once before, to know its scale (see `scale_of`). A missing
    grade is an error unless the row's state is unsure, later or unreadable. A file that names
    its queries by their text alone (Quepid, judgment lists) has what `named` makes of that text as
    `query_id`, which is noted. The same judgment twice is dropped and noted; a contradiction is
    refused, with both lines. Judgments are the same pair's when person, rubric and model are the
    same; `person` and `rubric` are those of rows that name none.
    """
    reading = reading or Reading()
    source = Source(path, reading, name=name)
    if grades is None:
        grades = scale_of(_grade_values(path, name, columns or {}), source)
    known = grades
    yield from distinct(
        source,
        judgment_rows(source, columns or {}),
        build=lambda row: _judgment(row, known, source, named, person=person, rubric=rubric),
        key=lambda r: (r.query_id, r.passage_id, r.person, r.rubric, r.model),
    )


def judgment_rows(source: Source, columns: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a file of judgments, in whichever of its forms, their grades still unread."""
    if is_json(source):
        read_documents = document_rows(source)
        yield from read_documents or rows(source, JUDGMENT_SHAPE, columns=columns)
        return
    if is_qrels(source, columns):
        yield from _qrels_rows(source)
    elif not _is_named(source, columns) and is_bare_beir(source.first_line()):
        yield from bare_beir_rows(source)
    else:  # a CSV without a header is told which column is missing
        yield from rows(source, JUDGMENT_SHAPE, columns=columns)


def _qrels_rows(source: Source) -> Iterator[Row]:
    """The rows of TREC's form, `query_id 0 passage_id grade`, perhaps below the columns' names."""
    fields = trec_fields(source, QRELS_WIDTH, expected=QRELS)
    for number, (line, (query_id, fixed, passage_id, grade)) in enumerate(fields):
        cells: Cells = {"query_id": query_id, "passage_id": passage_id, "grade": grade}
        if not number and all(
            plain_name(cell) in JUDGMENT_SHAPE.names(field) for field, cell in cells.items()
        ):
            source.note(line, "a header was left out")
            continue
        if fixed not in FIXED:
            source.note(line, "the second column is not read, though it is not 0")
        yield Row(line, cells)


def is_qrels(source: Source, columns: Mapping[str, str]) -> bool:
    """Whether a file has the four columns of TREC's form, without names."""
    if is_json(source) or _is_named(source, columns):
        return False
    first = source.first_line()
    if is_bare_beir(first) and source.suffix not in TREC_SUFFIXES:
        return False
    if source.suffix == ".csv" and len(fields_of(first)) != QRELS_WIDTH:
        return False
    require_qrels(first, source)
    return True


def _is_named(source: Source, columns: Mapping[str, str]) -> bool:
    return bool(columns) or delimiter_of(source, JUDGMENT_SHAPE, columns) is not None


def document_rows(source: Source) -> Iterator[Row] | None:
    """The rows of another tool's JSON document; None when the file is no such document."""
    try:
        _, first = next(values(Source(source.path, Reading())), (0, None))
    except InputError:
        return None  # broken JSON: reading it as rows names the place
    read = reader_of(first)
    return None if read is None else _linked(source, read)


def _linked(source: Source, read: Callable[[dict[str, Any]], Iterable[Any]]) -> Iterator[Row]:
    for line, document in values(source):
        try:
            if reader_of(document) is not read:
                raise Refused("a further JSON value, unlike the first", "documents of one tool")
            for where, cells in read(document):
                if not cells:
                    source.note(line, "a query without a rating was left out")
                    continue
                if cells["query_id"] is None and isinstance(cells.get("query"), str):
                    cells["query_id"] = cells["query"]
                    cells[BY_TEXT] = cells["query"]
                    source.note(0, "queries without an id are named by their text")
                cells["where"] = where
                yield Row(line, cells)
        except Refused as why:
            source.refuse(line, why)


def _grade_values(
    path: str | Path, name: str, columns: Mapping[str, str]
) -> Iterator[tuple[int, object]]:
    """Every grade of a file with its line; what is malformed is left for the second reading."""
    source = Source(path, Reading(skip_bad=True), name=name)
    for line, cells in judgment_rows(source, columns):
        yield line, cells.get("grade")


def _judgment(
    row: Row,
    grades: GradeMap,
    source: Source,
    named: Callable[[str], str],
    *,
    person: str,
    rubric: str,
) -> Judgment:
    line, cells = row
    state = state_of(cells)
    value = cells.get("grade")
    empty = value is None or value == ""
    if state in UNGRADED and not empty:
        raise Refused(f"grade {value} beside state {state}", "no grade, or another state")
    query_id = identifier(cells, "query_id", source=source, line=line)
    if BY_TEXT in cells:
        query_id = named(query_id)
    passage_id = identifier(cells, "passage_id", source=source, line=line)
    grade = None if state in UNGRADED else grades.read(value)
    if len(cells) <= 3:
        return Judgment(query_id, passage_id, grade, person=person, rubric=rubric)
    return Judgment(
        query_id,
        passage_id,
        grade,
        state=state,
        person=name_of(cells, "person", source=source, line=line) or person,
        rubric=name_of(cells, "rubric", source=source, line=line) or rubric,
        model=name_of(cells, "model", source=source, line=line),
        reason=text_of(cells, "reason"),
        note=text_of(cells, "note"),
        raw=text_of(cells, "raw"),
        at=time_of(cells, "at", source=source, line=line),
        blind=bool_of(cells, "blind"),
        spotcheck=text_of(cells, "spotcheck"),
        cost=cost_of(cells),
    )


def state_of(cells: Cells) -> str:
    """The state of a judgment, in small letters; "" where it says none."""
    state = text_of(cells, "state").strip().casefold()
    if state and state not in _STATES:
        raise Refused(f"state {state!r}", "labelled, unsure, later, ok or unreadable")
    return state


def cost_of(cells: Cells) -> float | None:
    """What a verdict cost; None where it does not say."""
    cost = float_of(cells, "cost")
    if cost is not None and cost < 0:
        raise Refused(f"cost {cost}", "0 or more")
    return cost
