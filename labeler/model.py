"""The vocabulary as frozen types, and the content hashes that identify them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Grade(StrEnum):
    """A judgment of a pair. Ordered NO < PART < YES by `gain` (the names sort wrongly)."""

    NO = "NO"
    PART = "PART"
    YES = "YES"

    @property
    def gain(self) -> int:
        """0 for NO, 1 for PART, 2 for YES."""
        return GRADES.index(self)


GRADES: tuple[Grade, ...] = (Grade.NO, Grade.PART, Grade.YES)
"""All grades, in the order of their gains."""

KINDS = ("exact", "paraphrase", "multi_passage", "historical", "permission", "unanswerable")
"""The kinds of query that ship with the product; a team may use its own."""


class State(StrEnum):
    """What a person's latest event says of a pair.

    A grade, or one of two states that are no grade.
    """

    LABELLED = "labelled"
    UNSURE = "unsure"
    LATER = "later"


class Status(StrEnum):
    """Whether a judge's reply was a verdict.

    An unreadable one is kept and counted, never graded.
    """

    OK = "ok"
    UNREADABLE = "unreadable"


class Decision(StrEnum):
    """What the gate says of a judge."""

    TRUSTED = "TRUSTED"
    REJECTED = "REJECTED"
    UNDECIDED = "UNDECIDED"


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(value: object) -> str:
    """ "b1:" and the SHA-256 of the canonical JSON of `value` (sorted keys, no spaces, UTF-8).

    Lone surrogates, which no UTF-8 can hold, are hashed by their code point.
    """
    text = _CANONICAL.encode(value)
    return "b1:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record_hash(record: Passage | Query, *, but: str) -> str:
    """The content hash of all fields but one. `dataclasses.asdict` would copy each value deeply."""
    return content_hash({name: getattr(record, name) for name in record.__slots__ if name != but})


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit of relevance.

    Dates are ISO 8601 text ("" when open); `scope` "" is open to every caller.
    """

    passage_id: str
    text: str
    title: str = ""
    source_uri: str = ""
    locator: str = ""
    scope: str = ""
    effective_from: str = ""
    effective_to: str = ""

    @property
    def hash(self) -> str:
        """The content hash of everything but the id."""
        return _record_hash(self, but="passage_id")


@dataclass(frozen=True, slots=True)
class Query:
    """An information need as asked.

    `need_id` ties paraphrases of one need; it is the query's own id by default.
    """

    query_id: str
    text: str
    kind: str = ""
    need_id: str = ""
    origin: str = ""
    scope: str = ""
    as_of: str = ""
    split: str = ""
    note: str = ""

    @property
    def hash(self) -> str:
        """The content hash of everything but the id."""
        return _record_hash(self, but="query_id")


@dataclass(frozen=True, slots=True)
class RunRow:
    """One ranked passage of a run: `rank` counts from 1 in the retriever's own order."""

    query_id: str
    passage_id: str
    rank: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade of a pair as a file brings it: from a person (label) or a judge (verdict).

    `grade` None means that there is none: a person was unsure, or a judge's reply was unreadable.
    The other fields are what `export labels` and `export verdicts` write, "" or None when absent.
    """

    query_id: str
    passage_id: str
    grade: Grade | None
    state: str = ""
    person: str = ""
    rubric: str = ""
    model: str = ""
    reason: str = ""
    note: str = ""
    raw: str = ""
    at: str = ""
    blind: bool | None = None
    spotcheck: str = ""
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class GoldenEntry:
    """One expected passage of a golden query; a query that expects nothing has one entry with
    `passage_id` "".
    """

    query_id: str
    passage_id: str
    grade: Grade | None
    query: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A judge's instructions, `name@version`: never edited, only superseded."""

    name: str
    version: int
    text: str
    examples: tuple[Mapping[str, str], ...] = ()

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"

    @property
    def hash(self) -> str:
        """The content hash of the text and its examples."""
        return content_hash({"text": self.text, "examples": [dict(e) for e in self.examples]})


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's reply to one request, readable or not.

    Money in US dollars, latency in milliseconds.
    """

    query_id: str
    passage_id: str
    judge: str
    grade: Grade | None
    status: Status
    rubric: str = ""
    model: str = ""
    reason: str = ""
    raw: str = ""
    request_id: str = ""
    stop_reason: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    latency_ms: float | None = None
    api_request_id: str = ""
    query_hash: str = ""
    passage_hash: str = ""
    usage: str = ""
    judged_at: datetime | None = None
    """None: the moment in which it is stored."""


@dataclass(frozen=True, slots=True)
class LabelEvent:
    """One press of an annotator, as the browser sends it. `event` is a UUID made by the client."""

    event: str
    query_id: str
    passage_id: str
    annotator: str
    action: str
    grade: Grade | None = None
    note: str = ""
    spotcheck: str = ""
    blind: bool = True
    client_at: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person's events say of a pair now."""

    query_id: str
    passage_id: str
    annotator: str
    state: State
    grade: Grade | None
    note: str
    labelled_at: datetime
    blind: bool | None
    spotcheck: str = ""
