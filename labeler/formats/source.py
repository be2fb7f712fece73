"""Opening a file that people really bring: its encoding, line ends and compression."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn, TextIO, cast

from labeler.formats.reading import Reading, Refused

HEAD = 4096
"""Bytes that are looked at to tell what a file is."""

_NOT_TEXT = {
    b"PK\x03\x04": "a zip archive or an .xlsx workbook",
    b"PK\x05\x06": "an empty zip archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"BZh91AY&SY": "a bzip2 archive",
    b"PAR1\x15": "a Parquet file",
    b"ARROW1\0\0": "an Arrow or Feather file",
    b"\xff\xff\xff\xff": "a stream of Arrow",
    b"\x93NUMPY": "an array of NumPy",
    b"\x89PNG\r\n": "a picture",
    b"SQLite format 3\x00": "an SQLite database",
    b"%PDF-": "a PDF",
    b"\x1f\x8b": "a gzip archive within another",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an .xls workbook or another old Office file",
}
_NO_DATA = re.compile(
    r"\s*(?:(?P<lfs>version https://git-lfs)|(?P<html><!doctype\b|<html\b)|(?P<xml><\?xml\b))", re.I
)
_NO_DATA_NAMES = {
    "lfs": "a pointer of Git LFS in the place of the file",
    "html": "a web page (HTML)",
    "xml": "XML",
}
"""What is text, and no table, by how it begins."""

_BOMS = {  # the longer mark first: UTF-32 LE begins with the mark of UTF-16 LE
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK = re.compile(r"[ \t]*$")
_DOUBLY = re.compile(
    "(?<![A-Z\u00c0-\u00de])[ÂÃ][\x80-\xbf\u201e\u2013\u0153\u0178\u2030]|â[\x80€]|[ÐÑ][\x80-\xbf][ÐÑ]"
)
"""What UTF-8 becomes when it is read as Latin-1 or Windows-1252, and no language writes."""

_DOUBLY_MARKS = ("Â", "Ã", "â\x80", "â€", "Ð", "Ñ")
"""One of them is in all that _DOUBLY finds."""

_DOUBLY_BYTES = (  # each begins with bytes that are searched for quickly
    re.compile(rb"\xc3(?:[\x82\x83][\xc2\xc5\xe2]|\xa2(?:\xc2\x80|\xe2\x82\xac)|[\x90\x91]\xc2)"),
    re.compile(rb"\\u00(?:[cC][23]\\u|[eE]2\\u(?:0080|20[aA][cC])|[dD][01]\\u00)"),
)
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")


def storable(text: str) -> bool:
    """Whether `text` can be encoded at all: a lone surrogate cannot."""
    return text.isascii() or not _SURROGATE.search(text)


def doubly_encoded(text: str) -> bool:
    """Whether `text` looks like UTF-8 that was taken for Latin-1 and encoded again."""
    if text.isascii() or not any(mark in text for mark in _DOUBLY_MARKS):  # nearly all, and quick
        return False
    return _DOUBLY.search(text) is not None


def may_be_doubly_encoded(data: bytes) -> bool:
    """Whether the bytes of a UTF-8 file, or of JSON's escapes, may hold such a text."""
    return any(marks.search(data) for marks in _DOUBLY_BYTES)


def shown_file(name: str) -> str:
    """A file's name as messages and the store hold it: what is no UTF-8, and what would move a
    terminal's cursor, is escaped.
    """
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda found: repr(found.group())[1:-1], text)


class Source:
    """A text file to be read by lines or whole; gzip is opened transparently.

    What cannot be read at all (missing, a folder, empty, a pipe, an archive) raises InputError
    here. Bytes that are no text of the file's encoding refuse their line. `name` is the base name
    that errors show; it is the path's own unless an upload kept another.
    """

    def __init__(self, path: str | Path, reading: Reading, *, name: str = "") -> None:
        self.path = Path(path)
        self.name = name or shown_file(self.path.name)
        self.reading = reading
        self.unread: set[str] = set()
        """The columns that were noted as not read."""
        self.head = self._head()
        self.encoding = _encoding(self.head)

    @property
    def suffix(self) -> str:
        """The extension in lower case, looking through `.gz`."""
        name = self.name.lower().removesuffix(".gz")
        return Path(name).suffix

    def refuse(self, line: int, why: Refused) -> None:
        """Take down that the row on `line` cannot be read."""
        self.reading.refuse(
            self.name, line, found=why.found, expected=why.expected, needs=why.needs
        )

    def stop(self, line: int, *, found: str, expected: str, needs: str = "") -> NoReturn:
        """Give up on the file."""
        self.reading.stop(self.name, line, found=found, expected=expected, needs=needs)

    def note(self, line: int, what: str) -> None:
        """Take down something harmless that was dropped or changed."""
        self.reading.note(self.name, line, what)

    def first_line(self, *, past: re.Pattern[str] = _BLANK) -> str:
        """The first line that is not all blank nor matched by `past`, at most a megabyte of it.

        Where `past` matches every line, the first that is not all blank. A page or a document of
        markup, which a download often is instead of its file, stops here.
        """
        passed = ""
        try:
            with self.open() as handle:
                while line := handle.readline(1 << 20):
                    plain = line.strip("\ufeff\n")
                    if plain.strip(" \t") and not past.match(plain):
                        self._require_data(plain)
                        return plain
                    passed = passed or (plain.strip(" \t") and plain)
        except UNREADABLE as error:
            self.unreadable(0, error)
        if not passed:
            self.stop(0, found="only blank lines", expected="at least one row")
        return passed

    def _require_data(self, first: str) -> None:
        """Stop where the first line is that of something else than rows of a text file."""
        if found := _NO_DATA.match(first):
            what = _NO_DATA_NAMES[found.lastgroup or ""]
            self.stop(0, found=what, expected="the data themselves: CSV, TSV, JSON or TREC")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each physical line with its number; ends of any system read as one line feed."""
        for line, text in enumerate(self.raw_lines(), 1):
            if text.isascii():
                yield line, text
            elif _SURROGATE.search(text):
                self.refuse(line, NOT_UTF8)
            elif text[0] == "\ufeff":
                self.note(line, MARK_INSIDE)
                yield line, text[1:]
            else:
                yield line, text

    def raw_lines(self, *, newline: str | None = None) -> Iterator[str]:
        """Each physical line; bytes that are no UTF-8 come as lone surrogates."""
        line = 0
        with self.open(newline=newline) as handle:
            try:
                for line, text in enumerate(handle, 1):  # noqa: B007 - the error names the line
                    yield text
            except UNREADABLE as error:
                self.unreadable(line + 1, error)

    def text(self) -> str:
        """The whole file, its line ends as they are."""
        try:
            with self.open(newline="") as handle:
                text = handle.read()
        except UNREADABLE as error:
            self.unreadable(0, error)
        broken = None if text.isascii() else _SURROGATE.search(text)
        if broken:
            line = line_at(text, broken.start())
            self.stop(line, found=NOT_UTF8.found, expected=NOT_UTF8.expected)
        return text

    def open(self, *, newline: str | None = None) -> TextIO:
        """The text; bytes that are no UTF-8 come as lone surrogates, which `storable` finds."""
        return io.TextIOWrapper(
            self.binary(), encoding=self.encoding, errors="surrogateescape", newline=newline
        )

    def unreadable(self, line: int, error: Exception) -> NoReturn:
        """Give up on a file that broke off or changed its encoding."""
        if isinstance(error, UnicodeError):
            self.stop(line, found=f"bytes that are no {self.encoding}", expected="UTF-8 or UTF-16")
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if not line and isinstance(error, OSError) and error.errno:
            self.stop(0, found=f"a file that cannot be opened ({why})", expected="one that can")
        self.stop(line, found=f"a file that cannot be read on ({why})", expected="a whole file")

    def binary(self) -> BinaryIO:
        """The bytes, unpacked."""
        handle = self.path.open("rb")
        if handle.read(2) != b"\x1f\x8b":
            handle.seek(0)
            return handle
        handle.close()
        return cast(BinaryIO, gzip.open(self.path, "rb"))

    def _head(self) -> bytes:
        if os.path.isdir(self.path):
            self.stop(0, found="a folder", expected="a file")
        if os.path.exists(self.path) and not os.path.isfile(self.path):  # it may never end
            self.stop(0, found="a pipe or a device", expected="a file, which is read several times")
        try:
            with self.binary() as handle:
                head = handle.read(HEAD)
        except FileNotFoundError:
            self.stop(0, found="no such file", expected="a file that is there")
        except UNREADABLE as error:
            self.unreadable(0, error)
        for magic, what in _NOT_TEXT.items():
            if head.startswith(magic):
                self.stop(0, found=what, expected="a text file, unpacked or gzipped")
        if head[8:12] == b"DUCK" and head[15:20] == bytes(5):  # then the version, of 8 bytes
            self.stop(0, found="a DuckDB file", expected="a text file, unpacked or gzipped")
        if head[257:262] == b"ustar":
            self.stop(0, found="a tar archive", expected="a text file, unpacked or gzipped")
        if len(head) < HEAD and not head.replace(b"\0", b"").strip(b" \t\r\n\xef\xbb\xbf\xff\xfe"):
            self.stop(0, found=EMPTY, expected="at least one row")
        return head


EMPTY = "an empty file"
"""What is found where there is nothing but blanks."""

UNREADABLE = (UnicodeError, EOFError, OSError, zlib.error)
"""What reading on in a broken file raises."""

MARK_INSIDE = "a byte order mark inside the file was taken off"
"""What is noted of files that were joined without reading them."""

DOUBLY_ENCODED = "it looks like doubly encoded UTF-8 (cafÃ© for café), and is kept as it is"

NOT_UTF8 = Refused("bytes that are not UTF-8", "UTF-8 or UTF-16 text")


def line_at(text: str, position: int) -> int:
    """The number of the line that holds `position`, for any kind of line end."""
    before = text[:position]
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")


def _encoding(head: bytes) -> str:
    for mark, encoding in _BOMS.items():
        if head.startswith(mark):
            return encoding
    # Without a mark, UTF-16 has NULs at every other byte: of all Latin letters, if only a header's,
    # and of the digits, commas and line ends between those of other scripts. A few may be there by
    # mistake.
    for part in (head, head[:16]):
        even, odd = part[0::2].count(0), part[1::2].count(0)
        for many, few, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
            if many > len(part) * (0.3 if many < 8 else 0.03) and few < many * 0.05:
                return encoding
    return "utf-8"
