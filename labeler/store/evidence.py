"""What reviewers found out about a query beside labels: the searches they tried, what its answer
should be, and the facts that an answer needs.

Everything is added and nothing changed: the newest row of a query, or of a query's fact, stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Passage, Query
from labeler.stats.eligibility import bar
from labeler.store import corpora, queries
from labeler.store.db import Cursor, Store, numbers, scalar
from labeler.store.people import audit
from labeler.store.wording import Filters

TOP = 10
"""Passages that a kept search remembers."""


class Outcome(StrEnum):
    """What the right answer to a query is.

    OPEN: the passages that are labelled YES. UNANSWERABLE: no passage answers it. UNAVAILABLE: one
    does, and the caller may not see it or it did not hold on the day that was asked about.
    """

    OPEN = "open"
    UNANSWERABLE = "unanswerable"
    UNAVAILABLE = "unavailable"


class Search(NamedTuple):
    """A search that was tried: what was typed, how many passages had all and some of its words,
    and the ids of the first TOP.
    """

    query_id: str
    text: str
    filters: Filters
    with_all: int
    with_some: int
    top: tuple[str, ...]
    person: str
    tried_at: datetime


class Decided(NamedTuple):
    """What somebody said the outcome of a query is, and why."""

    query_id: str
    outcome: Outcome
    reason: str
    person: str
    decided_at: datetime


class Fact(NamedTuple):
    """Something that an answer must say, and the passages that each say it."""

    query_id: str
    fact: int
    text: str
    passages: tuple[str, ...]


def keep_search(
    store: Store,
    query_id: str,
    *,
    text: str,
    filters: Filters,
    with_all: int,
    with_some: int,
    top: Sequence[str],
    person: str,
) -> None:
    """Keep a search as evidence; the same one again is kept again, with what it found then."""
    if not text.strip():
        raise LabelerError("A search needs words to be kept as evidence")
    at = store.clock()
    with store.write() as cursor:
        _require_query(cursor, query_id)
        cursor.execute(
            "insert into searches values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            [
                query_id,
                text,
                filters.source,
                filters.scope,
                filters.as_of,
                with_all,
                with_some,
                json.dumps(list(top[:TOP])),
                person,
                at,
            ],
        )
        detail = f"{text}: {with_all} with all words, {with_some} with some"
        audit(cursor, at, person=person, action="search", subject=query_id, detail=detail)


def searches(store: Store, query_id: str | None = None) -> list[Search]:
    """The searches kept for a query, or for all, oldest first."""
    rows = store.rows(
        "select query_id, text, source, scope, as_of, with_all, with_some, top, person, tried_at "
        "from searches where $1::text is null or query_id = $1 order by seq",
        [query_id],
    )
    found = []
    for query, text, source, scope, as_of, with_all, with_some, top, person, at in rows:
        filters, ids = Filters(source, scope, as_of), tuple(json.loads(top))
        found.append(Search(query, text, filters, with_all, with_some, ids, person, at))
    return found


def decide(store: Store, query_id: str, *, outcome: Outcome, reason: str, person: str) -> None:
    """Say what the outcome of a query is. "Unanswerable" needs searches kept as evidence, and
    both it and "unavailable" a reason.
    """
    if outcome is not Outcome.OPEN and not reason.strip():
        raise LabelerError(f"That a query is {outcome} needs a reason")
    at = store.clock()
    with store.write() as cursor:
        _require_query(cursor, query_id)
        tried = scalar(cursor, "select count(*) from searches where query_id = $1", [query_id])
        if outcome is Outcome.UNANSWERABLE and not tried:
            raise LabelerError(
                "That nothing answers a query needs the searches that were tried: "
                "search, and press Enter to keep each one"
            )
        cursor.execute(
            "insert into outcomes values (nextval('seq'), $1, $2, $3, $4, $5)",
            [query_id, outcome, reason, person, at],
        )
        detail = f"{reason} ({tried} searches kept)" if reason else f"{tried} searches kept"
        audit(cursor, at, person=person, action=str(outcome), subject=query_id, detail=detail)


def outcomes(store: Store) -> dict[str, Decided]:
    """What stands, by query; a query of which nothing was said is open and left out."""
    rows = store.rows(
        "select query_id, outcome, reason, person, decided_at from standing_outcomes order by seq"
    )
    return {row[0]: Decided(row[0], Outcome(row[1]), *row[2:]) for row in rows}


def note_fact(
    store: Store,
    query_id: str,
    *,
    text: str,
    passages: Sequence[str],
    person: str,
    fact: int | None = None,
) -> int:
    """Note a required fact and who carries it, or change fact number `fact`; its number.

    A text of "" withdraws it. A passage that the caller may not see, or that is not in force on the
    day asked about, cannot be expected and is refused.
    """
    text, at = text.strip(), store.clock()
    if fact is None and not text:
        raise LabelerError("What must an answer say? A fact needs its words")
    asked = queries.named(store, [query_id]).get(query_id, Query(query_id, ""))
    known = corpora.passages(store, list(passages))
    for passage_id in passages:
        passage = known.get(passage_id)
        if passage is None:
            raise LabelerError(f"There is no passage {passage_id!r}")
        if why := barred(store, asked, passage):
            raise LabelerError(f"{passage_id} cannot be expected: it is {why} for this query")
    with store.write() as cursor:
        _require_query(cursor, query_id)
        if fact is None:
            fact = scalar(
                cursor,
                "select coalesce(max(fact), 0) + 1 from facts where query_id = $1",
                [query_id],
            )
        (seq,) = numbers(cursor, 1)
        cursor.execute(
            "insert into facts values ($1, $2, $3, $4, $5, $6)",
            [seq, query_id, fact, text, person, at],
        )
        for passage_id in dict.fromkeys(passages):
            cursor.execute("insert into fact_passages values ($1, $2)", [seq, passage_id])
        detail = f"{fact}: {text} [{', '.join(passages)}]" if text else f"{fact} withdrawn"
        audit(cursor, at, person=person, action="fact", subject=query_id, detail=detail)
    assert fact is not None
    return fact


def facts(store: Store, query_id: str | None = None) -> list[Fact]:
    """The facts that stand, of a query or of all, in their order."""
    rows = store.rows(
        "select f.query_id, f.fact, f.text, p.passage_id from standing_facts f "
        "left join fact_passages p on p.seq = f.seq "
        "where $1::text is null or f.query_id = $1 order by f.query_id, f.fact, p.passage_id",
        [query_id],
    )
    found: dict[tuple[str, int, str], list[str]] = {}
    for query, fact, text, passage_id in rows:
        carriers = found.setdefault((query, fact, text), [])
        if passage_id is not None:
            carriers.append(passage_id)
    return [Fact(*key, tuple(carriers)) for key, carriers in found.items()]


def barred(store: Store, query: Query, passage: Passage) -> str:
    """Why a passage cannot be expected for a query, in words; "" where it can."""
    found = bar(query, passage, today=store.clock().date().isoformat())
    return str(found) if found else ""


def barring(store: Store) -> Callable[[str, str], bool]:
    """Tells of a query's and a passage's id whether the passage cannot be expected: out of the
    caller's scope, or not in force on the day asked about. A judgment of it is true, and no answer.
    """
    told = corpora.bounded(store)
    asked = {query.query_id: query for query in queries.current(store)} if told else {}

    def is_barred(query_id: str, passage_id: str) -> bool:
        query, passage = asked.get(query_id), told.get(passage_id)
        return bool(query and passage and barred(store, query, passage))

    return is_barred


def _require_query(cursor: Cursor, query_id: str) -> None:
    if not cursor.execute(
        "select 1 from current_queries where query_id = $1", [query_id]
    ).fetchall():
        raise LabelerError(f"There is no query {query_id!r}")
