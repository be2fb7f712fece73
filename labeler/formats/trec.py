"""TREC's two text forms, split on spaces and tabs only: ids may hold anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from labeler.errors import LabelerError
from labeler.formats.fields import Row
from labeler.formats.reading import Refused
from labeler.formats.source import Source

QRELS = "4 (query_id 0 passage_id grade)"
RUN = "6 (query_id Q0 passage_id rank score tag)"
QRELS_WIDTH = 4
RUN_WIDTH = 6

_FIELD = re.compile(r"[^ \t\n]+")
FIXED = ("0", "Q0", "q0")
"""What the second column holds."""


def fields_of(line: str) -> list[str]:
    """The fields of a line, parted by runs of spaces and tabs; other blanks belong to the ids."""
    return _FIELD.findall(line)


def trec_fields(source: Source, width: int, *, expected: str) -> Iterator[tuple[int, list[str]]]:
    """The `width` fields of each line that is not blank.

    A line of another width is refused. A comment (`# ...`) is left out and noted; `#` can also be
    an id, which is told by the fixed second column.
    """
    for line, text in source.lines():
        text = text.rstrip("\n")
        fields = text.split(" " if " " in text else "\t")
        if len(fields) != width or "" in fields or ("\t" in text and " " in text):
            fields = fields_of(text)
            if not fields:
                continue
        if fields[0][0] == "#" and _is_comment(fields):
            source.note(line, "a comment was left out")
        elif len(fields) != width:
            found = f"found {len(fields)} field{'s' if len(fields) > 1 else ''}"
            source.refuse(line, Refused(found, expected))
        elif "\0" in text:
            source.refuse(line, Refused("a NUL byte", "text without it"))
        else:
            yield line, fields


def _is_comment(fields: list[str]) -> bool:
    return not fields[0].strip("#") and (len(fields) < 2 or fields[1] not in FIXED)


def require_qrels(first_line: str, source: Source) -> None:
    """Stop a file whose first line has four fields, but not those of qrels in their order: then an
    id would be read as a grade, or the fixed column as an id."""
    fields = fields_of(first_line)
    if len(fields) != QRELS_WIDTH or fields[1] in FIXED:
        return
    if fields[1].startswith("qid:"):
        source.stop(0, found="a line of RankLib's form (grade qid:query # passage)", expected=QRELS)
    for place, which in ((2, "third"), (0, "first")):
        # A query may be called 0, where subtopics stand in the second column.
        if fields[place] in FIXED and (place or not fields[1].isdigit()):
            found = f"{fields[place]} in the {which} column, not the second"
            source.stop(0, found=found, expected=QRELS)


def require_run(first_line: str, source: Source) -> None:
    """Stop a run whose first line has the fixed Q0 beside its place: then an id would be read as
    the fixed column, and Q0 as an id."""
    fields = fields_of(first_line)
    if len(fields) != RUN_WIDTH or fields[1] in FIXED:
        return
    for place, field in (("first", fields[0]), ("third", fields[2])):
        if field in ("Q0", "q0"):
            source.stop(0, found=f"Q0 in the {place} column, not the second", expected=RUN)


def bare_beir_rows(source: Source) -> Iterator[Row]:
    """The rows of BEIR's qrels without their header: three cells parted by tabs."""
    source.note(1, "no header row; the columns were read as query-id, corpus-id, score")
    for line, text in source.lines():
        cells = text.rstrip("\n").split("\t")
        if not text.strip(" \t\n"):
            continue
        if len(cells) != 3:
            why = Refused(f"found {len(cells)} cells", "3 (query-id, corpus-id, score)")
            source.refuse(line, why)
            continue
        yield Row(line, dict(zip(("query_id", "passage_id", "grade"), cells, strict=True)))


def is_bare_beir(first_line: str) -> bool:
    """Whether a file's first line is one of BEIR's qrels without a header: three cells of tabs.

    An id with a space makes four fields of it, as in TREC's form; the fixed column tells them.
    """
    fields = fields_of(first_line)
    return first_line.count("\t") == 2 and not (len(fields) == QRELS_WIDTH and fields[1] in FIXED)


FIELD_BREAK = re.compile("[ \t\r\n\ufeff]+")


def tag_of(system: str) -> str:
    """A system's name as the last field of a run."""
    return FIELD_BREAK.sub("_", system) or "-"


def writable(identity: str) -> str:
    """An id; LabelerError where TREC's form cannot hold it."""
    if not identity or FIELD_BREAK.search(identity) or "\0" in identity:
        raise LabelerError(
            f"the id {identity!r} cannot be written in TREC's form, which parts ids by spaces, "
            "tabs and line ends; export as csv, jsonl or beir instead"
        )
    return identity
