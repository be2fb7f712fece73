"""What one reading of a file refuses, drops and changes: nothing of it is silent."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, NamedTuple, NoReturn, TypeVar

from labeler.errors import InputError, Problem

LISTED = 20
"""A strict reading stops at this many problems; a note names this many lines."""

T = TypeVar("T")


class Numbered(NamedTuple, Generic[T]):
    """A record and the physical line that it began on, counted from 1 (0: the whole file)."""

    line: int
    record: T


class Note(NamedTuple):
    """Something harmless that was dropped or changed in `file`, with every line that it befell."""

    file: str
    what: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        lines = [*dict.fromkeys(self.lines)]
        named = [str(line) for line in lines[:LISTED] if line]
        more = len(lines) - len(named) if named else 0
        place = "" if not named else ", line " if len(lines) == 1 else ", lines "
        tail = f" and {more:,} more" if more else ""
        return f"{self.file}{place}{', '.join(named)}{tail}: {self.what}"


class Refused(Exception):
    """One row that cannot be read: what was found there, what was expected, and what the reader
    would have to be told (see LabelerError)."""

    def __init__(self, found: str, expected: str, *, needs: str = "") -> None:
        super().__init__(f"{found}, expected {expected}")
        self.found = found
        self.expected = expected
        self.needs = needs


class Reading:
    """Gathers the problems and the notes of the files that are read with it.

    A strict reading raises InputError with every problem of a file when the file ends, or at once
    when there are LISTED of them: a caller stores nothing before its reader is exhausted, or rolls
    back. With `skip_bad` the malformed rows are left out and stand in `problems` for the caller
    to list.
    """

    def __init__(self, *, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.problems: list[Problem] = []
        self._needs = ""
        self._notes: dict[tuple[str, str], list[int]] = {}

    def refuse(self, file: str, line: int, *, found: str, expected: str, needs: str = "") -> None:
        """Take down a malformed place; the row there is left out."""
        self.problems.append(Problem(file, line, found, expected))
        self._needs = self._needs or needs
        if not self.skip_bad and len(self.problems) >= LISTED:
            self.finish()

    def stop(self, file: str, line: int, *, found: str, expected: str, needs: str = "") -> NoReturn:
        """Give up on a file whose rest cannot be read, whether or not bad rows may be skipped."""
        earlier = [] if self.skip_bad else self.problems
        problems = _in_file_order([*earlier, Problem(file, line, found, expected)])
        raise InputError(problems, needs=needs or self._needs)

    def note(self, file: str, line: int, what: str) -> None:
        """Take down something harmless that was dropped or changed."""
        self._notes.setdefault((file, what), []).append(line)

    def take_over(self, other: Reading) -> None:
        """Add every note of another reading."""
        for file, what, lines in other.notes:
            self._notes.setdefault((file, what), []).extend(lines)

    def finish(self) -> None:
        """End a file: raise InputError when a strict reading met a problem."""
        if self.problems and not self.skip_bad:
            raise InputError(_in_file_order(self.problems), needs=self._needs)

    @property
    def notes(self) -> list[Note]:
        """Every note so far, one for each thing that happened, in order of its first line."""
        return [Note(file, what, tuple(lines)) for (file, what), lines in self._notes.items()]


def _in_file_order(problems: list[Problem]) -> list[Problem]:
    files = list(dict.fromkeys(problem.file for problem in problems))
    return sorted(problems, key=lambda problem: (files.index(problem.file), problem.line))


class Earlier(NamedTuple):
    """Where a key stood before in the same file, and whether it said the same there."""

    line: int
    same: bool


class Repeats:
    """Tells an identical repeat from a contradiction within one file.

    Keeps two 64-bit hashes and a line number per key, so that a million rows take about 200 MB.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def earlier(self, line: int, key: Hashable, *, content: Hashable) -> Earlier | None:
        """None for a key that is new (and is now known), else where it stood before."""
        mark = hash(content) & 0xFFFF_FFFF_FFFF_FFFF
        packed = self._seen.get(hash(key))
        if packed is None:
            self._seen[hash(key)] = line << 64 | mark
            return None
        return Earlier(packed >> 64, packed & 0xFFFF_FFFF_FFFF_FFFF == mark)
