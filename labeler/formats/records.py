"""From rows to records: each once, what repeats noted, what contradicts refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from labeler.formats.fields import Cells, Row, called
from labeler.formats.reading import Numbered, Refused, Repeats
from labeler.formats.source import DOUBLY_ENCODED, Source, doubly_encoded

T = TypeVar("T", bound=Hashable)

REPEATED = "identical to an earlier line, dropped"


def placed(why: Refused, cells: Cells) -> Refused:
    """`why` with the place within the line, where the row knows it."""
    place = cells.get("where") or cells.get("element")
    return Refused(f"{why.found} in {place}", why.expected, needs=why.needs) if place else why


def distinct(
    source: Source,
    rows: Iterable[Row],
    *,
    build: Callable[[Row], T],
    key: Callable[[T], tuple[str, ...]],
) -> Iterator[Numbered[T]]:
    """The record that `build` makes of each row, without identical repeats, which are noted.

    A row that `build` refuses, or that says otherwise of a `key` than an earlier line, is refused.
    The first parts of a key name the record in the error. Ends the reading of the file.
    """
    repeats = Repeats()
    row = None
    for row in rows:
        if any(isinstance(cell, str) and doubly_encoded(cell) for cell in row.cells.values()):
            source.note(row.line, DOUBLY_ENCODED)
        try:
            record = build(row)
            named = key(record)
            earlier = repeats.earlier(row.line, named, content=record)
            if earlier and not earlier.same:
                what = ", ".join(map(called, filter(None, named)))
                found = f"a second row for {what}, unlike line {earlier.line}"
                raise Refused(found, "one, or the same again")
        except Refused as why:
            source.refuse(row.line, placed(why, row.cells))
            continue
        if earlier:
            source.note(row.line, REPEATED)
        else:
            yield Numbered(row.line, record)
    if row is None and not source.reading.problems:
        source.note(0, "no rows")
    source.reading.finish()
