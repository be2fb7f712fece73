"""From rows to records: each once, what repeats noted, what contradicts refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from labeler.formats.fields import Row, called
from labeler.formats.reading import Numbered, Refused, Repeats
from labeler.formats.source import Source

T = TypeVar("T", bound=Hashable)

REPEATED = "identical to an earlier line, dropped"


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
        try:
            record = build(row)
            named = key(record)
            earlier = repeats.earlier(row.line, named, content=record)
            if earlier and not earlier.same:
                what = ", ".join(map(called, filter(None, named)))
                found = f"a second row for {what}, unlike line {earlier.line}"
                raise Refused(found, "one, or the same again")
        except Refused as why:
            place = row.cells.get("where")
            source.refuse(
                row.line, Refused(f"{why.found} in {place}", why.expected) if place else why
            )
            continue
        if earlier:
            source.note(row.line, REPEATED)
        else:
            yield Numbered(row.line, record)
    if row is None and not source.reading.problems:
        source.note(0, "no rows")
    source.reading.finish()
