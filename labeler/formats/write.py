"""Writing files: whole or not at all, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from labeler.errors import LabelerError

Cell = str | int | float | bool | None
Format = Literal["csv", "jsonl", "trec", "beir", "json", "html", "md"]

RUNS = "=+\\-@\t\r\n\0\ufeff＝＋－＠"  # noqa: RUF001 - spreadsheets in East Asia run the full-width ones
_MUST_GUARD = re.compile(f"'*[{RUNS}]")
_GUARDED = re.compile(f"''*[{RUNS}]")


def guard(text: str) -> str:
    """`text` with an apostrophe before it when a spreadsheet would run it as a formula.

    A text that begins with apostrophes and then such a character gets one more, so that `unguard`
    is the exact inverse: `=1` -> `'=1`, `'=1` -> `''=1`, and `'tis` stays as it is.
    """
    return "'" + text if _MUST_GUARD.match(text) else text


def unguard(text: str) -> str:
    """The inverse of `guard`, for files that have one of our own layouts."""
    return text[1:] if _GUARDED.match(text) else text


@contextmanager
def write_atomically(path: str | Path) -> Iterator[TextIO]:
    """Open `path` for writing UTF-8; it appears whole when the block ends, or not at all.

    Line ends are written as given. Raises LabelerError when the folder cannot be written to.
    """
    target = Path(path)
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    except OSError as error:
        raise LabelerError(f"{target} cannot be written: {error.strerror}") from error
    try:
        with open(number, "w", encoding="utf-8", newline="") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        Path(name).chmod(mode)
        os.replace(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise LabelerError(f"{target} cannot be written: {error.strerror}") from error
        raise


def _umask() -> int:
    """The process's file mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_csv(path: str | Path, columns: Sequence[str], *, rows: Iterable[Sequence[Cell]]) -> int:
    """Write a header and `rows` as guarded RFC 4180 CSV; returns the number of rows.

    None is an empty cell, a truth value true or false. Numbers are no text and never guarded.
    """
    written = 0
    with write_atomically(path) as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_csv_cell(cell) for cell in row])
            written += 1
    return written


def write_jsonl(path: str | Path, columns: Sequence[str], *, rows: Iterable[Sequence[Cell]]) -> int:
    """Write `rows` as one JSON object a line with the keys `columns`; returns their number."""
    return write_json_lines(path, (dict(zip(columns, row, strict=True)) for row in rows))


def write_json_lines(path: str | Path, records: Iterable[object]) -> int:
    """Write one JSON value a line; returns their number."""
    written = 0
    with write_atomically(path) as handle:
        for record in records:
            handle.write(json.dumps(record, ensure_ascii=False) + "\n")
            written += 1
    return written


def write_table(
    path: str | Path, columns: Sequence[str], *, rows: Iterable[Sequence[Cell]], form: Format
) -> int:
    """Write `rows` as CSV or JSON lines; returns their number."""
    if form == "csv":
        return write_csv(path, columns, rows=rows)
    if form == "jsonl":
        return write_jsonl(path, columns, rows=rows)
    raise LabelerError(f"{Path(path).name}: this can be written as csv or jsonl, not as {form}")


def _csv_cell(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return guard(cell) if isinstance(cell, str) else cell
