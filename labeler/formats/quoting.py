"""Quotation marks of a CSV, looked at as a whole before Arrow, which forgives more, reads them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labeler.formats.cells import least_alike

_PART = 1 << 24
"""Bytes that are looked at at once."""


class Quoting(NamedTuple):
    """Whether any cell of a CSV is quoted, and whether a line ends within one."""

    any: bool
    across_lines: bool


UNQUOTED = Quoting(any=False, across_lines=False)


def quoting_of(data: bytes, delimiter: str) -> Quoting | None:
    """How a CSV is quoted. None where it is not well-formed: where a mark opens that no delimiter
    or line end is before, or closes that none is behind, or does not close; or where a row is
    blank, may be a comment, or ends in a carriage return alone."""
    if b'"' not in data:
        return None if any(odd in data for odd in (b"\r", b"\n\n", b"\n# ")) else UNQUOTED
    if b'\n"# ' in data:
        return None
    marks = _places(data, b'"')
    opening, closing = marks[0::2], marks[1::2]
    if len(opening) != len(closing):
        return None
    doubled = opening[1:] == closing[:-1] + 1  # two marks together are one of the text
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    begins = (opening == 0) | _among(bytes_[opening - 1], b"\n" + delimiter.encode())
    behind = bytes_[(closing + 1) % len(data)]
    ended = (closing == len(data) - 1) | _among(behind, b"\r\n" + delimiter.encode())
    if not (begins[:1].all() and ended[-1:].all()):
        return None
    if not ((begins[1:] | doubled).all() and (ended[:-1] | doubled).all()):
        return None
    ends, returns = _places(data, b"\n"), _places(data, b"\r")
    inside = np.searchsorted(marks, ends) % 2 == 1
    of_rows = returns[np.searchsorted(marks, returns) % 2 == 0]
    first = bytes_[(ends[~inside] + 1) % len(data)]  # behind the last line end, the header's
    if _among(first, b"\r\n#").any() or (bytes_[(of_rows + 1) % len(data)] != ord("\n")).any():
        return None
    return Quoting(any=True, across_lines=bool(inside.any()))


def takes_in_rows(data: bytes, delimiter: str, *, width: int) -> bool:
    """Whether a row of a well-formed CSV runs on over lines that each look like a row of `width`
    cells, as `cells` tells it."""
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    returns = _places(data, b"\r")
    alone = returns[bytes_[(returns + 1) % len(data)] != ord("\n")]
    ends = np.sort(np.concatenate([_places(data, b"\n"), alone, [len(data)]]))
    marks = _places(data, b'"')
    going_on = np.searchsorted(marks, ends) % 2 == 1
    row = np.cumsum(np.r_[False, ~going_on[:-1]])
    parted = np.diff(np.searchsorted(_places(data, delimiter.encode()), ends), prepend=0)
    lines = np.bincount(row)
    alike = np.bincount(row, weights=parted == width - 1)
    quotes = np.bincount(row[np.searchsorted(ends, marks)], minlength=len(lines))
    return bool(((quotes == 2) & (lines >= least_alike(delimiter)) & (alike == lines)).any())


def _among(found: Any, bytes_: bytes) -> Any:
    """Which of some bytes are among these."""
    return np.isin(found, np.frombuffer(bytes_, dtype=np.uint8))


def _places(data: bytes, mark: bytes) -> Any:
    """Where a byte stands, ascending."""
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    found = [
        np.flatnonzero(bytes_[start : start + _PART] == mark[0]) + start
        for start in range(0, len(bytes_), _PART)
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])
