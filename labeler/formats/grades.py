"""What the grades of a file mean: words in any case, small scales by rule, the rest by a map."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from labeler.errors import UsageError
from labeler.formats.fields import kind_of, shown
from labeler.formats.reading import Refused
from labeler.formats.source import Source
from labeler.model import GRADES, Grade

NEEDS = "grades"
"""What a reader has to be told where a file's grades are not understood: see LabelerError."""

_WORDS = {grade.value.casefold(): grade for grade in GRADES}
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_WHOLE_FLOAT = re.compile(r"(-?[0-9]{1,18})(?:\.0*|,00?)")
"""A whole number with its decimals; where a comma parts them, not so many that it is thousands."""

_FURTHER = re.compile(r"=\s*(yes|part|no)\b", re.IGNORECASE)
"""What is within a value of a map whose parts have anything but commas between them."""


@dataclass(frozen=True)
class GradeMap:
    """The grade that each value of a file stands for; the words YES, PART and NO always stand.

    `given` tells a map that a person wrote from a scale that was recognised. A person's map for 1
    reads 1.0 as well; a recognised scale refuses it, for a float may be an average.
    """

    meanings: Mapping[str, Grade]
    given: bool = True
    _known: dict[object, Grade | None] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> GradeMap:
        """Read `0=NO,1=NO,2=PART,3=YES`. Raises UsageError on anything else."""
        meanings: dict[str, Grade] = {}
        for part in text.split(","):
            value, equals, word = (piece.strip() for piece in part.rpartition("="))
            grade = _WORDS.get(word.casefold())
            if not value or not equals or grade is None or _FURTHER.search(value):
                said = f"What grades mean: {part.strip()!r} is not VALUE=YES, PART or NO"
                raise UsageError(said, needs=NEEDS)
            if meanings.setdefault(_whole(plain_grade(value)), grade) != grade:
                raise UsageError(f"What grades mean: {value} is given two", needs=NEEDS)
        return cls(meanings)

    def read(self, value: object) -> Grade:
        """The grade of a cell or a JSON value. Raises Refused for a value outside the map."""
        if value.__class__ is str and value in self._known:
            grade = self._known[value]
        else:
            grade = self._meaning(value)
            if isinstance(value, str) and len(self._known) < 1000:
                self._known[value] = grade
        if grade is None:
            raise Refused(f"grade {_named(value)}", self._expected(), needs=NEEDS)
        return grade

    def _meaning(self, value: object) -> Grade | None:
        plain = plain_grade(value)
        grade = self.meanings.get(plain) or _WORDS.get(plain)
        if grade is None and self.given:
            grade = self.meanings.get(_whole(plain))
        return grade

    def _expected(self) -> str:
        values = [*self.meanings] or ["YES", "PART", "NO"]
        known = f"one of {', '.join(values)}"
        return known if self.given else f"{known}; say what others mean"


def _whole(plain: str) -> str:
    """1 for 1.0: in a map they are one value."""
    whole = _WHOLE_FLOAT.fullmatch(plain)
    return str(int(whole[1])) if whole else plain


def is_word(value: object) -> bool:
    """Whether a value is YES, PART or NO in any case."""
    return isinstance(value, str) and plain_grade(value) in _WORDS


def plain_grade(value: object) -> str:
    """A grade's value as text, composed (NFC), without spaces around it and without case."""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value.strip(" \t").casefold())
    return str(value) if isinstance(value, int | float) else ""


GAINS = GradeMap({str(grade.gain): grade for grade in GRADES})
"""What our own qrels files mean by 0, 1 and 2."""

_BINARY = {"0": Grade.NO, "1": Grade.YES}


def scale_of(values: Iterable[tuple[int, object]], source: Source) -> GradeMap:
    """The map of a file without one, from every (line, value) in it; stops the file when unsure.

    Words need none. Numbers that are all 0 or 1 read NO, YES; all 0, 1 or 2 read NO, PART, YES.
    Any other whole number, or numbers beside words, ask for a map, naming each value and the line
    where it stands first: skipping those rows would silently change the scale.
    """
    first: dict[str, int] = {}
    for line, value in values:
        first.setdefault(plain_grade(value), line)
    words = first.keys() & _WORDS.keys()
    numbers = sorted((text for text in first if _INTEGER.fullmatch(text)), key=int)
    if not numbers:
        return GradeMap({}, given=False)
    odd = [text for text in numbers if text not in GAINS.meanings]
    if odd or words:
        named = [f"{text} (line {first[text]})" for text in odd or [*numbers, *sorted(words)]]
        found = f"grade{'s' if len(named) > 1 else ''} {', '.join(named[:20])}"
        runs = f"whose grades run from {numbers[0]} to {numbers[-1]}"
        source.stop(
            first[(odd or numbers)[0]],
            found=f"{found} in a file {runs if odd else 'of numbers and words'}",
            expected="0 and 1, or 0 to 2; say what each means" if odd else "one kind, or a map",
            needs=NEEDS,
        )
    if "2" not in first:
        return GradeMap(_BINARY, given=False)
    if "0" not in first:
        source.note(0, "no grade 0 in the file; 1 was read as PART and 2 as YES")
    return GradeMap(GAINS.meanings, given=False)


def _named(value: object) -> str:
    if value is None or value == "":
        return "missing"
    return shown(value).strip("'") if isinstance(value, str | int | float) else kind_of(value)
