"""From the columns that a file has to the fields of a record, and from cells to values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from labeler.errors import UsageError
from labeler.formats.reading import LISTED, Refused
from labeler.formats.source import Source, storable
from labeler.model import moment

Cells = dict[str, object]
"""One row: its cells under the names of our fields. A cell of a text file is a str."""

PASSAGE_IDS = ("chunk_id", "pid", "doc_id", "docid", "docno", "document_id", "corpus_id")
"""Names for a passage's id: where a file names the chunk and its document, the chunk is meant."""

HEADER = "a header with a column for it, or to be told which column it is"
KEY = "a key for it in each object, or to be told which key it is"
"""What is expected where a field has no column, by what a file is."""

NEEDS = "columns"
"""What a reader has to be told where a file names its columns otherwise: see LabelerError."""

BY_TEXT = "by_text"
"""The cell that a row has where it names its query by its text alone."""


LONGEST_NAME = 200
"""Characters in a name of someone or something."""

_DAY = re.compile(r"[0-9]{4}(-[0-9]{2})?(-[0-9]{2})?([T ].*)?", re.DOTALL)
_NUMBERED = re.compile(r"[0-9]{9}")
"""How a number begins that is no day; some of them Python would read as a time: 1796010112000."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_UNSEEN = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_INVISIBLE, _VISIBLE = re.compile(f"[{_UNSEEN}]"), re.compile(rf"[^\s{_UNSEEN}]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Row(NamedTuple):
    """The cells of one row and the physical line that it begins on."""

    line: int
    cells: Cells


class Shape(NamedTuple):
    """The fields that a row of some kind may have, each with the names that files use, best first.

    `required` fields must have a column. `layouts` are the headers of our own exports: a CSV with
    exactly one of them has its cells guarded (see `write.guard`). A `query_id` in a column of one
    of the names `by_text` is the query's text, and the row's cell BY_TEXT as well.
    """

    what: str
    fields: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    layouts: tuple[tuple[str, ...], ...] = ()
    by_text: tuple[str, ...] = ()

    def names(self, field: str) -> tuple[str, ...]:
        """Every name by which a column is recognised as `field`."""
        return (field, *self.fields[field])

    def knows(self, names: Sequence[str]) -> bool:
        """Whether a row of these cells is a header: every required field is named in it."""
        plain = {plain_name(name) for name in names}
        return all(plain.intersection(self.names(field)) for field in self.required)

    def headings(self) -> frozenset[str]:
        """All that a cell of a header may say, in lower case."""
        known = {name for field in self.fields for name in self.names(field)}
        return frozenset(name.replace("_", gap) for name in known for gap in "_- ")


def plain_name(name: object) -> str:
    """A column's name with case, spaces, hyphens and what is invisible set aside."""
    return re.sub(r"[\s-]+", "_", without_invisible(str(name)).strip().casefold())


def bind(
    names: Sequence[str],
    shape: Shape,
    *,
    columns: Mapping[str, str],
    source: Source,
    line: int,
    expected: str = HEADER,
) -> dict[str, str]:
    """Which column of `names` holds each field. `columns` maps a field to its column by hand.

    Raises Refused when a required field has no column, UsageError when `columns` names a field
    that this kind of file does not have. Columns that nothing reads are noted.
    """
    bound: dict[str, str] = {}
    for field, column in columns.items():
        if field not in shape.fields:
            known = ", ".join(shape.fields)
            said = f"Columns: {shape.what} has no field {field!r}; it has {known}"
            raise UsageError(said, needs=NEEDS)
        match = [name for name in names if name == column] or [
            name for name in names if plain_name(name) == plain_name(column)
        ]
        if not match:
            found = f"no column {column!r} among {_listed(names)}"
            raise Refused(found, f"one (for {field})", needs=NEEDS)
        if match[0] in bound.values():
            said = f"Columns: {column!r} is to be two fields: each column can be one"
            raise UsageError(said, needs=NEEDS)
        bound[field] = match[0]
    free = {plain_name(name): name for name in reversed(names) if name not in bound.values()}
    for field in shape.fields:
        if field not in bound:
            name = next((free[alias] for alias in shape.names(field) if alias in free), None)
            if name is not None:
                bound[field] = name
    for field in shape.required:
        if field not in bound:
            raise Refused(f"no {field} among {_listed(names)}", expected, needs=NEEDS)
    if "query_id" not in columns and plain_name(bound.get("query_id", "")) in shape.by_text:
        bound[BY_TEXT] = name = bound["query_id"]
        source.note(0, f"column {shown(name)} names the queries, by their text or an id")
    taken = {*bound.values()}
    for name in names:
        if name not in taken:
            _unread(name, source=source, line=line)
    return bound


def _unread(name: str, *, source: Source, line: int) -> None:
    """Take down that nothing reads a column: the first of them by name."""
    if not plain_name(name):
        source.note(line, "a column without a name is not read")
        return
    if len(source.unread) < LISTED:
        source.unread.add(name)
    named = name in source.unread
    source.note(line, f"column {shown(name)} is not read" if named else "more columns are not read")


def columns_from(text: str) -> dict[str, str]:
    """Read `query_id=qid,grade=rel`. Raises UsageError on anything else."""
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        field, equals, column = part.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UsageError(f"Columns: {part!r} is not FIELD=COLUMN", needs=NEEDS)
        if columns.setdefault(field.strip(), column.strip()) != column.strip():
            raise UsageError(f"Columns: {field.strip()} is named twice", needs=NEEDS)
    return columns


def identifier(cells: Cells, field: str, *, source: Source, line: int) -> str:
    """An id, exactly as it stands. A JSON integer becomes its digits, which is noted, as are blanks
    and invisible characters around an id: they are part of it."""
    value = cells.get(field)
    if type(value) is str and is_plain(value):
        return value  # what nearly all are: nothing below could be wrong with it
    if type(value) is int:
        source.note(line, f"{field} is a number and was read as text")
        return str(value)
    if value is None or value == "":
        raise Refused(f"no {field}", "an id")
    if not isinstance(value, str):
        raise Refused(f"{field} is {kind_of(value)}", "text")
    return unpadded(checked_id(value, field), field, source=source, line=line)


def is_plain(value: str) -> bool:
    """Whether there is nothing to ask of an id: visible characters of ASCII at both ends."""
    return value.isascii() and value.isprintable() and "" != value == value.strip()


def without_invisible(text: str) -> str:
    """`text` without the characters that take no place, such as marks of direction."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    """Whether a text holds nothing visible."""
    return not _VISIBLE.search(text)


def is_padded(value: str) -> bool:
    """Whether blanks or invisible characters stand around an id, or are all of it."""
    ends = value[:1] + value[-1:]
    return ends != without_invisible(ends) or value != value.strip()


def unpadded(value: str, field: str, *, source: Source, line: int) -> str:
    """`value`; what stands around it unseen is noted: another file may have the id without it."""
    if value != value.strip():
        source.note(line, f"{field} has blanks around it, which are kept")
    elif is_padded(value):
        source.note(line, f"{field} has invisible characters around it, which are kept")
    return value


def checked_id(value: str, field: str) -> str:
    """`value` when it can be an id: something visible, without NUL, that can be encoded."""
    if is_blank(value):
        raise Refused(f"a blank {field}", "an id")
    if "\0" in value:
        raise Refused(f"a NUL byte in {field}", "an id without it")
    return encoded(value, field)


def encoded(value: str, field: str) -> str:
    """`value` when it holds no lone surrogate."""
    if not storable(value):
        raise Refused(f"half of a surrogate pair in {field}", "text that UTF-8 can hold")
    return value


def is_name(text: str) -> bool:
    """Whether someone or something can be called so: 1 to 200 printable characters, and no blanks
    around them."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()


def name_of(cells: Cells, field: str, *, source: Source, line: int) -> str:
    """A name without the blanks around it, which are noted, as is a JSON integer; "" for none."""
    value = cells.get(field)
    if type(value) is int:
        source.note(line, f"{field} is a number and was read as text")
        return str(value)
    told = text_of(cells, field)
    name = told.strip()
    if name != told:
        source.note(line, f"blanks around {field} were taken off")
    if name and not is_name(name):
        raise Refused(f"{field} {shown(name)}", f"1 to {LONGEST_NAME} printable characters")
    return name


def time_of(cells: Cells, field: str, *, source: Source, line: int) -> str:
    """An ISO 8601 time, exactly as it stands; "" where there is none. Any other is left out, which
    is noted: what it is the time of stands without it."""
    if isinstance(cells.get(field), int | float):  # since 1970, in whatever unit
        cells = {field: str(cells[field])}
    text = text_of(cells, field)
    if text and (_NUMBERED.match(text) or moment(text) is None):
        source.note(line, "a time that is not ISO 8601, of a year from 1 to 9999, was left out")
        return ""
    return text


def is_day(text: str) -> bool:
    """Whether `text` is a day, a month or a year of ISO 8601 with hyphens, with or without a time:
    what days are compared by.
    """
    found = _DAY.fullmatch(text)
    if not found:
        return False
    year, month, day = text[:4], found[1] or "-01", found[2] or "-01"
    try:
        date.fromisoformat(f"{year}{month}{day}")
    except ValueError:
        return False
    return True


def text_of(cells: Cells, field: str) -> str:
    """A text, exactly as it stands; "" where there is none."""
    value = cells.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refused(f"{field} is {kind_of(value)}", "text")
    return encoded(value, field)


def float_of(cells: Cells, field: str) -> float | None:
    """A finite number; None where there is none."""
    value = cells.get(field)
    if value is None or value == "":
        return None
    told = isinstance(value, str) and _NUMBER.fullmatch(value.strip(" "))
    if not told and type(value) not in (int, float):
        raise Refused(f"{field} {shown(value)}", "a number")
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # of an integer that JSON writes out
        number = math.inf
    if not math.isfinite(number):
        raise Refused(f"{field} {shown(value)}", "a finite number")
    return number


def integer_of(cells: Cells, field: str) -> int | None:
    """A whole number; None where there is none."""
    value = cells.get(field)
    if value is None or value == "":
        return None
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip(" ")):
        return int(value)
    if type(value) is int:
        return value
    raise Refused(f"{field} {shown(value)}", "a whole number")


def bool_of(cells: Cells, field: str) -> bool | None:
    """true or false in any case; None where there is none."""
    value = cells.get(field)
    if value is None or value == "":
        return None
    plain = str(value).strip(" \t").casefold()
    if plain in ("true", "1", "yes"):
        return True
    if plain in ("false", "0", "no"):
        return False
    raise Refused(f"{field} {shown(value)}", "true or false")


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {shown(value)}"
        case str():
            return f"the text {shown(value)}"
        case list():
            return "a list"
    return "a nested object"


def shown(value: object) -> str:
    """A value as an error names it, cut at 60 characters."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def called(identity: str) -> str:
    """An id within a sentence: cut at 60 characters, what moves a terminal's cursor escaped."""
    return shown(identity)[1:-1] if len(identity) <= 58 else shown(identity)[1:]


def _listed(names: Sequence[str]) -> str:
    return "the columns " + (", ".join(shown(name).strip("'") for name in names[:12]) or "(none)")
