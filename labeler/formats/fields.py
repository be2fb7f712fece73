"""From the columns that a file has to the fields of a record, and from cells to values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeler.errors import UsageError
from labeler.formats.reading import Refused
from labeler.formats.source import Source, storable

Cells = dict[str, object]
"""One row: its cells under the names of our fields. A cell of a text file is a str."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Row(NamedTuple):
    """The cells of one row and the physical line that it begins on."""

    line: int
    cells: Cells


class Shape(NamedTuple):
    """The fields that a row of some kind may have, each with the names that files use, best first.

    `required` fields must have a column. `layouts` are the headers of our own exports: a CSV with
    exactly one of them has its cells guarded (see `write.guard`).
    """

    what: str
    fields: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    layouts: tuple[tuple[str, ...], ...] = ()

    def names(self, field: str) -> tuple[str, ...]:
        """Every name by which a column is recognised as `field`."""
        return (field, *self.fields[field])

    def knows(self, names: Sequence[str]) -> bool:
        """Whether a row of these cells is a header: every required field is named in it."""
        plain = {plain_name(name) for name in names}
        return all(plain.intersection(self.names(field)) for field in self.required)


def plain_name(name: object) -> str:
    """A column's name with case, spaces and hyphens set aside."""
    return re.sub(r"[\s-]+", "_", str(name).strip("\ufeff \t").casefold())


def bind(
    names: Sequence[str], shape: Shape, *, columns: Mapping[str, str], source: Source, line: int
) -> dict[str, str]:
    """Which column of `names` holds each field. `columns` maps a field to its column by hand.

    Raises Refused when a required field has no column, UsageError when `columns` names a field
    that this kind of file does not have. Columns that nothing reads are noted.
    """
    bound: dict[str, str] = {}
    for field, column in columns.items():
        if field not in shape.fields:
            known = ", ".join(shape.fields)
            raise UsageError(f"--columns: {shape.what} has no field {field!r}; it has {known}")
        match = [name for name in names if name == column] or [
            name for name in names if plain_name(name) == plain_name(column)
        ]
        if not match:
            raise Refused(f"no column {column!r} among {_listed(names)}", f"one (for {field})")
        bound[field] = match[0]
    free = {plain_name(name): name for name in reversed(names) if name not in bound.values()}
    for field in shape.fields:
        if field not in bound:
            name = next((free[alias] for alias in shape.names(field) if alias in free), None)
            if name is not None:
                bound[field] = name
    for field in shape.required:
        if field not in bound:
            raise Refused(
                f"no {field} among {_listed(names)}",
                f"a header with a column for it, or --columns {field}=NAME",
            )
    for name in names:
        if name not in bound.values() and plain_name(name) not in ("metadata", ""):
            source.note(line, f"column {name!r} is not read")
    return bound


def columns_from(text: str) -> dict[str, str]:
    """Read `--columns query_id=qid,grade=rel`. Raises UsageError on anything else."""
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        field, equals, column = part.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UsageError(f"--columns: {part!r} is not FIELD=COLUMN")
        if columns.setdefault(field.strip(), column.strip()) != column.strip():
            raise UsageError(f"--columns: {field.strip()} is named twice")
    return columns


def identifier(cells: Cells, field: str, *, source: Source, line: int) -> str:
    """An id, exactly as it stands. A JSON integer becomes its digits, which is noted."""
    value = cells.get(field)
    if type(value) is str and value.isascii() and value.isprintable() and value.strip():
        return value  # what nearly all are: nothing below could be wrong with it
    if type(value) is int:
        source.note(line, f"{field} is a number and was read as text")
        return str(value)
    if value is None or value == "":
        raise Refused(f"no {field}", "an id")
    if not isinstance(value, str):
        raise Refused(f"{field} is {kind_of(value)}", "text")
    return checked_id(value, field)


def checked_id(value: str, field: str) -> str:
    """`value` when it can be an id: something visible, without NUL, that can be encoded."""
    if not value.strip():
        raise Refused(f"a blank {field}", "an id")
    if "\0" in value:
        raise Refused(f"a NUL byte in {field}", "an id without it")
    return encoded(value, field)


def encoded(value: str, field: str) -> str:
    """`value` when it holds no lone surrogate."""
    if not storable(value):
        raise Refused(f"half of a surrogate pair in {field}", "text that UTF-8 can hold")
    return value


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
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip(" ")):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"{field} {shown(value)}", "a number")
    if not math.isfinite(value):
        raise Refused(f"{field} {value}", "a finite number")
    return float(value)


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
    plain = str(value).casefold()
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
            return f"the number {value}"
        case str():
            return f"the text {shown(value)}"
        case list():
            return "a list"
    return "a nested object"


def shown(value: object) -> str:
    """A value as an error names it, cut at 60 characters."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _listed(names: Sequence[str]) -> str:
    return "the columns " + (", ".join(shown(name).strip("'") for name in names[:12]) or "(none)")
