"""What can go wrong, as a sentence for the user and an exit code for the shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple


class LabelerError(Exception):
    """A problem that a person can mend; its text is shown as it is, in the terminal and on a page.

    `needs` names what would mend it, "" where the text says all: the terminal adds its option or
    command for that, a page where on the pages it is done.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str = "", *, needs: str = "") -> None:
        super().__init__(text)
        self.needs = needs

    def told(self, ways: Mapping[str, str]) -> str:
        """Its text with the way to what it needs, where `ways` has one."""
        if self.needs not in ways:
            return str(self)
        several = "\n" in str(self)
        return f"{self}{chr(10) if several else ' '}({ways[self.needs]})"


class UsageError(LabelerError):
    """The command was called with words that do not fit together."""

    exit_code = 2


class StoreBusy(LabelerError):
    """Another process holds the store; the text names it and the way round."""

    exit_code = 3


class StoreDamaged(LabelerError):
    """The file cannot be read as the store that it was, or the disk under it fails."""


class DamageFound(LabelerError):
    """Stored or exported data no longer matches its hash."""

    exit_code = 4


class JudgeServiceError(LabelerError):
    """The judge's service failed, refused, or its budget is spent."""

    exit_code = 6


class Problem(NamedTuple):
    """One malformed place in a file.

    `file` is the base name, `line` counts from 1 (0: the whole file).
    """

    file: str
    line: int
    found: str
    expected: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.found}, expected {self.expected}"


class InputError(LabelerError):
    """A file could not be read as what it was said to be.

    `problems` holds each place, in file order.
    """

    def __init__(self, problems: list[Problem], *, needs: str = "") -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems), needs=needs)
