"""What is known of each query beside its labels, and where that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from labeler.model import Grade, Query
from labeler.store import corpora, desk, evidence, queries
from labeler.store.db import Store
from labeler.store.evidence import Decided, Fact, Outcome

T = TypeVar("T", evidence.Search, desk.Failure)


class Answer(NamedTuple):
    """A passage that somebody labelled YES, unless it was adjudicated to be something else;
    `barred` says why it cannot be expected, "" where it can.
    """

    passage_id: str
    title: str
    barred: str


class Case(NamedTuple):
    """A query with what stands of it.

    `conflicts` contradict each other and need somebody to settle them, `remarks` say where a kind
    does not fit. `waiting`: neither an eligible answer nor an outcome is there yet.
    """

    query: Query
    outcome: Outcome
    decided: Decided | None
    answers: tuple[Answer, ...]
    facts: tuple[Fact, ...]
    searches: int
    failures: int
    conflicts: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def waiting(self) -> bool:
        """Whether nobody has found an answer, or said that there is none."""
        expected = any(not answer.barred for answer in self.answers)
        return self.outcome is Outcome.OPEN and not expected

    @property
    def state(self) -> str:
        """How the query stands, in a word or two."""
        if self.conflicts:
            return "conflict"
        if self.outcome is not Outcome.OPEN:
            return str(self.outcome)
        return "waiting" if self.waiting else "answered"


_ANSWERS = """
select l.query_id, l.passage_id from (
    select query_id, passage_id from current_adjudications where grade = $1
    union
    select b.query_id, b.passage_id from blind_labels b where b.grade = $1 and not exists (
        select 1 from current_adjudications a
        where a.query_id = b.query_id and a.passage_id = b.passage_id)) as l
where not exists (select 1 from answers w where w.answer_id = l.passage_id)
order by 1, 2
"""


def cases(store: Store) -> list[Case]:
    """Every query as a case: conflicts first, then what failed in production and waits, then what
    else waits, then the rest, each in the order of import.
    """
    asked = queries.current(store)
    answers = _answers(store, asked)
    decided = evidence.outcomes(store)
    facts: dict[str, list[Fact]] = {}
    for fact in evidence.facts(store):
        facts.setdefault(fact.query_id, []).append(fact)
    tried = _counts(store, "searches")
    failed = _counts(store, "failures")
    found = [
        _case(
            query,
            decided.get(query.query_id),
            answers.get(query.query_id, []),
            facts.get(query.query_id, []),
            searches=tried.get(query.query_id, 0),
            failures=failed.get(query.query_id, 0),
        )
        for query in asked
    ]
    return sorted(found, key=_urgency)


def _urgency(case: Case) -> tuple[bool, bool, bool, bool]:
    """False comes before True."""
    reported = case.waiting and case.failures > 0
    failed = case.waiting and case.query.origin == desk.FAILURE
    return (not case.conflicts, not reported, not failed, not case.waiting)


def _counts(store: Store, table: str) -> dict[str, int]:
    return dict(store.rows(f"select query_id, count(*) from {table} group by query_id"))


def _answers(store: Store, asked: Sequence[Query]) -> dict[str, list[Answer]]:
    rows = store.rows(_ANSWERS, [str(Grade.YES)])
    passages = corpora.passages(store, sorted({row[1] for row in rows}))
    by_id = {query.query_id: query for query in asked}
    found: dict[str, list[Answer]] = {}
    for query_id, passage_id in rows:
        query, passage = by_id.get(query_id), passages.get(passage_id)
        known = query is not None and passage is not None
        barred = evidence.barred(store, query, passage) if query and passage and known else ""
        title = passage.title if passage else ""
        found.setdefault(query_id, []).append(Answer(passage_id, title or passage_id, barred))
    return found


def _case(
    query: Query,
    decided: Decided | None,
    answers: Sequence[Answer],
    facts: Sequence[Fact],
    *,
    searches: int,
    failures: int,
) -> Case:
    outcome = decided.outcome if decided else Outcome.OPEN
    return Case(
        query,
        outcome,
        decided,
        tuple(answers),
        tuple(facts),
        searches,
        failures,
        tuple(_conflicts(query, outcome, answers)),
        tuple(_remarks(query, outcome, answers, facts)),
    )


def _conflicts(query: Query, outcome: Outcome, answers: Sequence[Answer]) -> Iterator[str]:
    for answer in answers:
        if outcome is not Outcome.OPEN and not answer.barred:
            yield f"It was said to be {outcome}, and {answer.title} was labelled YES"
        elif outcome is Outcome.UNANSWERABLE:
            yield (
                f"It was said to be unanswerable, and {answer.title}, which is {answer.barred}, "
                "was labelled YES: rather unavailable?"
            )
        elif outcome is Outcome.OPEN and query.kind == "unanswerable" and not answer.barred:
            yield f"Its kind says unanswerable, and {answer.title} was labelled YES"


def _remarks(
    query: Query, outcome: Outcome, answers: Sequence[Answer], facts: Sequence[Fact]
) -> Iterator[str]:
    expected = [answer for answer in answers if not answer.barred]
    carriers = [set(fact.passages) for fact in facts]
    alone = set.intersection(*carriers) if carriers else set()
    if query.kind == "multi_passage":
        if len(facts) == 1:
            yield "Its kind says multi_passage, and it has one required fact"
        elif facts and alone:
            yield f"Its kind says multi_passage, and {sorted(alone)[0]} carries every fact alone"
        elif not facts and len(expected) == 1:
            yield "Its kind says multi_passage, and one passage is labelled YES"
    elif len(facts) > 1 and all(carriers) and not alone and query.kind:
        yield f"No passage carries every fact alone, and its kind says {query.kind}"
    for fact in facts:
        if not fact.passages:
            yield f"No passage carries the fact {fact.text!r} yet"
    if query.kind == "historical" and not query.as_of:
        yield "Its kind says historical, and it names no day"
    if outcome is Outcome.OPEN and query.kind != "unanswerable":
        for answer in answers:
            if answer.barred:
                yield f"{answer.title} was labelled YES and is {answer.barred}: not expected"


COLUMNS = (
    "query_id",
    "query",
    "kind",
    "origin",
    "scope",
    "as_of",
    "outcome",
    "reason",
    "decided_by",
    "decided_at",
    "searches",
    "facts",
    "failures",
    "conflicts",
)
"""The columns of `rows`."""


def rows(store: Store) -> Iterator[dict[str, Any]]:
    """Every query with its outcome, the searches kept, the facts and the failures, for export."""
    searches, failures = _grouped(evidence.searches(store)), _grouped(desk.failures(store))
    for case in cases(store):
        query, decided = case.query, case.decided
        yield dict(
            zip(
                COLUMNS,
                (
                    query.query_id,
                    query.text,
                    query.kind,
                    query.origin,
                    query.scope,
                    query.as_of,
                    str(case.outcome),
                    decided.reason if decided else "",
                    decided.person if decided else "",
                    decided.decided_at.isoformat() if decided else "",
                    [_search(one) for one in searches.get(query.query_id, [])],
                    [{"fact": fact.text, "passages": list(fact.passages)} for fact in case.facts],
                    [_failure(one) for one in failures.get(query.query_id, [])],
                    list(case.conflicts),
                ),
                strict=True,
            )
        )


def _grouped(found: Sequence[T]) -> dict[str, list[T]]:
    """By query, in their order."""
    groups: dict[str, list[T]] = {}
    for one in found:
        groups.setdefault(one.query_id, []).append(one)
    return groups


def _search(found: evidence.Search) -> dict[str, Any]:
    return {
        "text": found.text,
        "filters": {name: value for name, value in vars(found.filters).items() if value},
        "with_all": found.with_all,
        "with_some": found.with_some,
        "top": list(found.top),
        "person": found.person,
        "tried_at": found.tried_at.isoformat(),
    }


def _failure(found: desk.Failure) -> dict[str, Any]:
    return {
        "asked": found.asked,
        "answer": found.answer,
        "came_back": list(found.came_back),
        "note": found.note,
        "person": found.person,
        "reported_at": found.reported_at.isoformat(),
    }
