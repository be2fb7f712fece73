"""What is known of each query beside its labels, and where that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from labeler.model import Grade, Passage, Query
from labeler.store import desk, evidence, queries
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
    does not fit. `waiting`: neither an eligible answer, nor a carrier of each fact, nor an outcome
    is there yet.
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
        """Whether nobody has found an answer, in one passage or fact by fact, or said that there is
        none."""
        expected = any(not answer.barred for answer in self.answers)
        carried = bool(self.facts) and all(fact.passages for fact in self.facts)
        return self.outcome is Outcome.OPEN and not expected and not carried

    @property
    def state(self) -> str:
        """How the query stands, in a word or two."""
        if self.conflicts:
            return "conflict"
        if self.outcome is not Outcome.OPEN:
            return str(self.outcome)
        return "waiting" if self.waiting else "answered"


# What is newest is found by its number: at a million rows that is quicker than the views are.
_ANSWERS = """
with said as (
    select query_id, passage_id from current_adjudications where grade = $1 {only}
    union
    select b.query_id, b.passage_id from label_events b where b.grade = $1
    and b.seq in (select max(seq) from label_events where blind is distinct from false {only}
        group by query_id, passage_id, annotator)
    and not exists (select 1 from adjudications a
        where a.query_id = b.query_id and a.passage_id = b.passage_id))
select l.query_id, l.passage_id, p.title, p.scope, p.effective_from, p.effective_to from said l
left join (select passage_id, title, scope, effective_from, effective_to from passages
    where seq in (select max(seq) from passages where not superseded
        and passage_id in (select passage_id from said) group by passage_id)) p
    on p.passage_id = l.passage_id
where not exists (select 1 from answers w where w.answer_id = l.passage_id) order by 1, 2
"""


def cases(store: Store) -> list[Case]:
    """Every query as a case: conflicts first, then what failed in production and waits, then what
    else waits, then the rest, each in the order of import.
    """
    made = made_of(store, queries.current(store), None)
    return sorted(
        made,
        key=lambda case: urgency(
            case.query, bool(case.conflicts), case.waiting, reported=case.failures > 0
        ),
    )


def case_of(store: Store, query: Query) -> Case:
    """One query as a case."""
    (case,) = made_of(store, [query], [query.query_id])
    return case


def made_of(store: Store, asked: Sequence[Query], only: Sequence[str] | None) -> list[Case]:
    """These queries, which are all that there are or have the ids `only`, as cases."""
    answers = _answers(store, asked, only)
    decided = evidence.outcomes(store)
    facts: dict[str, list[Fact]] = {}
    for fact in evidence.facts(store):
        facts.setdefault(fact.query_id, []).append(fact)
    tried = _counts(store, "searches")
    failed = reported(store)
    return [
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


class Urgency(NamedTuple):
    """Where a query comes among others; False comes before True."""

    calm: bool
    unreported: bool
    sound: bool
    answered: bool


def urgency(query: Query, conflict: bool, waiting: bool, *, reported: bool) -> Urgency:
    """Conflicts first, then what waits: of that first what was reported as failed in production."""
    failed = waiting and query.origin == desk.FAILURE
    return Urgency(not conflict, not (waiting and reported), not failed, not waiting)


def reported(store: Store) -> dict[str, int]:
    """How often each query was reported as failed in production, where it was."""
    return _counts(store, "failures")


def _counts(store: Store, table: str) -> dict[str, int]:
    return dict(store.rows(f"select query_id, count(*) from {table} group by query_id"))


def _answers(
    store: Store, asked: Sequence[Query], only: Sequence[str] | None
) -> dict[str, list[Answer]]:
    by_id = {query.query_id: query for query in asked}
    found: dict[str, list[Answer]] = {}
    if only is None:
        rows = store.rows(_ANSWERS.format(only=""), [str(Grade.YES)])
    else:
        some = _ANSWERS.format(only="and query_id = any($2)")
        rows = store.rows(some, [str(Grade.YES), list(only)])
    for query_id, passage_id, title, *bounds in rows:
        query, barred = by_id.get(query_id), ""
        if query is not None and any(bounds):  # most passages are open, and always were
            scope, start, end = bounds
            passage = Passage(passage_id, "", scope=scope, effective_from=start, effective_to=end)
            barred = evidence.barred(store, query, passage)
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
