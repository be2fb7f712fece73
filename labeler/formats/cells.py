"""The cells of CSV and TSV as people bring them: marks, blank lines, comments, stray quotes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Literal

from labeler.formats.reading import Refused
from labeler.formats.source import MARK_INSIDE, Source

csv.field_size_limit(2**31 - 1)  # a passage may be longer than csv's 131,072 characters


def numbered_cells(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, under the number of its first physical line."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    if delimiter == "\t" and not _quotes_close(source):
        quoting = csv.QUOTE_NONE
        source.note(0, "quotation marks are read as text, for some do not close in their row")
    lines = _RowLines(source, delimiter)
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    width = 0
    while True:
        line = reader.line_num + 1
        lines.start()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            extent = f" up to line {reader.line_num}" if reader.line_num > line else ""
            found, expected = f"a row that is no CSV ({error}){extent}", "quotes that close"
            if not width:  # no row can be read without the header
                source.stop(line, found=found, expected=expected)
            source.refuse(line, Refused(found, expected))
            continue
        if not row or _is_none(source, line, row, header=not width):
            continue
        if lines.marked:
            source.note(line, MARK_INSIDE)
        if width and lines.look_like_rows(width):
            source.note(line, f"a quoted text holds what look like rows, to line {reader.line_num}")
        if row[0].startswith("# ") and width:
            source.note(line, "it begins as a comment does, and was read as a row")
        width = width or len(row)
        yield line, row


class _RowLines:
    """The physical lines of a table as csv's reader asks for them, row by row; a byte order mark
    that stands before a row is taken off."""

    def __init__(self, source: Source, delimiter: str) -> None:
        self._source = source
        self._delimiter = delimiter
        self._first = ""
        self._further: list[str] = []
        self.marked = False

    def start(self) -> None:
        """Whatever is read from now on is another row's."""
        self._first = ""
        if self._further:
            self._further = []

    def __iter__(self) -> Iterator[str]:
        for text in self._source.raw_lines(newline=""):
            if self._first:
                self._further.append(text)
                yield text
            else:
                self._first = text
                self.marked = text[0] == "\ufeff"
                yield text.lstrip("\ufeff") if self.marked else text

    def look_like_rows(self, width: int) -> bool:
        """Whether the row runs on over several lines, each of as many cells as a row of the file: a
        quotation mark that was forgotten takes in rows up to the next one."""
        if 1 + len(self._further) < least_alike(self._delimiter):
            return False
        lines = [self._first, *self._further]
        alike = all(line.count(self._delimiter) == width - 1 for line in lines)
        return alike and sum(line.count('"') for line in lines) == 2


def least_alike(delimiter: str) -> int:
    """How many lines make a quoted text look like rows. Few texts hold a tab; many, a comma."""
    return 2 if delimiter == "\t" else 4


def _is_none(source: Source, line: int, row: list[str], *, header: bool) -> bool:
    """Whether a row is blank or a comment, which is noted. Above the header a comment may hold
    cells, and Excel's `sep=;` may stand there."""
    if row[0].startswith("#") and (header or len(row) == 1):
        source.note(line, "a comment was left out")
        return True
    if header:
        return row[0].lower().startswith("sep=") or not any(cell.strip() for cell in row)
    return len(row) == 1 and not row[0].strip(" \t")


def _quotes_close(source: Source) -> bool:
    """Whether a whole TSV reads without an error when its quotation marks are taken as quoting, and
    none of them takes in further rows."""
    lines, width = _RowLines(source, "\t"), 0
    reader = csv.reader(lines, delimiter="\t", strict=True)
    try:
        for row in reader:
            if width and lines.look_like_rows(width):
                return False
            width = width or len(row)
            lines.start()
    except csv.Error:
        return False
    return True
