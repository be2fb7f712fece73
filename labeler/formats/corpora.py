"""Corpora: passages from BEIR or JSON lines, tables, or a folder of texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

from labeler.formats.fields import (
    PASSAGE_IDS,
    Row,
    Shape,
    identifier,
    is_blank,
    is_day,
    kind_of,
    shown,
    text_of,
)
from labeler.formats.folders import read_folder
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import distinct
from labeler.formats.source import Source
from labeler.formats.tables import is_json, rows, values
from labeler.model import Passage

CORPUS_COLUMNS = tuple(field.name for field in fields(Passage))
CORPUS_SHAPE = Shape(
    "a corpus",
    {
        "passage_id": (
            *("_id", "id"),
            *PASSAGE_IDS,
        ),
        "text": ("passage", "contents", "content", "body", "page_content"),
        "title": ("heading",),
        "source_uri": ("url", "uri"),
        "locator": (),
        "scope": (),
        "effective_from": ("valid_from",),
        "effective_to": ("valid_to",),
    },
    ("passage_id", "text"),
    (CORPUS_COLUMNS,),
)
DAYS = ("effective_from", "effective_to")
NO_DAY = "{} is no day as YYYY-MM-DD; it is kept, and compared as text"
WITHOUT_TEXT = "a passage without text"


def read_corpus(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> Iterator[Numbered[Passage]]:
    """Read passages from a file, or from every .md and .txt file below a folder.

    The id of a file in a folder is its path below it, with `/`. Texts come exactly as they stand.
    The same passage twice is dropped and noted; the same id with another text is refused, with
    both lines. LlamaIndex's EmbeddingQAFinetuneDataset brings its own corpus.
    """
    reading = reading or Reading()
    if os.path.isdir(path):
        yield from read_folder(Path(path), reading)
        reading.finish()
        return
    source = Source(path, reading, name=name)
    yield from distinct(
        source,
        rows_or_mapping(source, CORPUS_SHAPE, key="corpus", columns=columns or {}),
        build=lambda row: _passage(row, source),
        key=lambda passage: (passage.passage_id,),
    )


def rows_or_mapping(
    source: Source, shape: Shape, *, key: str, columns: Mapping[str, str]
) -> Iterator[Row]:
    """The rows of a table, or of the mapping {id: text} under `key` of a LlamaIndex dataset."""
    if is_json(source) and source.suffix == ".json" and source.first_line().startswith("{"):
        line, document = next(values(Source(source.path, Reading(skip_bad=True))), (0, None))
        if isinstance(document, dict) and {"queries", "corpus", "relevant_docs"} <= set(document):
            texts = document[key]
            if not isinstance(texts, dict):
                source.stop(line, found=f"{kind_of(texts)} in {key}", expected="{id: text}")
            identity = shape.required[0]
            for name, text in texts.items():
                where = f"{key}, {shown(name)}"
                yield Row(line, {identity: name, "text": text, "where": where})
            return
    yield from rows(source, shape, columns=columns)


def _passage(row: Row, source: Source) -> Passage:
    identity = identifier(row.cells, "passage_id", source=source, line=row.line)
    if row.cells.get("text") is None:
        raise Refused("no text", "the passage's text")
    given = {field: text_of(row.cells, field) for field in CORPUS_COLUMNS[1:]}
    passage = Passage(identity, **given)
    if is_blank(passage.text):
        source.note(row.line, WITHOUT_TEXT)
    for field in DAYS:
        if (day := given.get(field)) and not is_day(day):
            source.note(row.line, NO_DAY.format(field))
    start, end = passage.effective_from, passage.effective_to
    if start[: len(end)] > end[: len(start)]:
        source.note(row.line, "effective_from is after effective_to: in force on no day")
    return passage
