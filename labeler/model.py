"""The vocabulary as frozen types, and the content hashes that identify them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple


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
    """What a person's latest event says of a pair: a grade, or a state that is none."""

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


def moment(text: str) -> datetime | None:
    """The moment of an ISO 8601 text, in UTC, which is its zone where it names none. None for any
    other text, and where the year in UTC would be none of 1 to 9999."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


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
    """One press of an annotator. `event` is the browser's UUID, `passage_hash` of what was read."""

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
    passage_hash: str = ""


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


class Given(NamedTuple):
    """A passage as an answer was given it: its id, its text, or both; what is not known is ""."""

    passage_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system answered to a query, and the context that it was given.

    `context_kind` is one of CONTEXTS; `context` is in the order in which it was given, empty where
    nothing was, and None where it is not known.
    """

    query_id: str
    system: str
    context_kind: str
    text: str
    context: tuple[Given, ...] | None = None

    @property
    def answer_id(self) -> str:
        """Known by what it says, for whom and how: it tells nothing of the system."""
        told = [self.query_id, self.system, self.context_kind, self.text]
        return f"answer-{content_hash(told)[3:19]}"

    @property
    def hash(self) -> str:
        """The content hash of the text and its context."""
        given = None if self.context is None else [list(one) for one in self.context]
        return content_hash([self.text, given])


CONTEXTS = ("production", "frozen", "selected")
"""What an answer was given: what retrieval really brought, a fixed context, or the right passages
as a person chose them."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What an answer to a query is judged against.

    `unanswerable` says in words why a right answer refuses; "" where the query can be answered.
    """

    facts: tuple[str, ...] = ()
    expected: tuple[Given, ...] = ()
    unanswerable: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An answer beside what it is judged against, as judge and people see it: without its system.

    The texts of its context are filled in from the corpus where the answer brought ids alone.
    """

    answer: Answer
    yardstick: Yardstick

    @property
    def passage(self) -> Passage:
        """It as the text that the labelling page shows, under the answer's id."""
        against, context = self.yardstick, self.answer.context
        parts = [_GRADED, "THE ANSWER", self.answer.text.strip() or "(an empty answer)"]
        if against.unanswerable:
            parts += ["A RIGHT ANSWER REFUSES", against.unanswerable]
        if against.facts:
            facts = enumerate(against.facts, start=1)
            parts += ["WHAT IT HAS TO SAY", "\n".join(f"{n}. {fact}" for n, fact in facts)]
        if against.expected:
            parts += ["WHAT ANSWERS THE QUERY", *(_quoted(one) for one in against.expected)]
        if context is None:
            parts += ["ITS CONTEXT", "(not known)"]
        else:
            given = (f"{n}. {_quoted(one)}" for n, one in enumerate(context, start=1))
            parts += ["ITS CONTEXT", *(given if context else ["(it was given nothing)"])]
        return Passage(self.answer.answer_id, "\n\n".join(parts), title="An answer")


_GRADED = (
    "Grade the answer, by what stands below it. YES: right and complete, or a right refusal. PART: "
    "right and not complete. NO: wrong, unsupported, or a refusal of what can be answered."
)


def _quoted(given: Given) -> str:
    name = f"[{given.passage_id}] " if given.passage_id else ""
    return name + (given.text.strip() or "(its text is not known)")
