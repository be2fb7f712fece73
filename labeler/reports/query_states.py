"""How each query stands, without its case: kept in memory, and made anew for the queries of which
something was said since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from labeler.model import Grade, Query
from labeler.reports import casebook
from labeler.store import by_query, evidence, queries
from labeler.store.db import Store
from labeler.store.differences import LABELLED_AGAIN


class QueryState(NamedTuple):
    """How a query stands, in a word or two; whether it waits for an answer; whether what is known
    of it contradicts itself."""

    state: str
    waiting: bool
    conflict: bool


class Entry(NamedTuple):
    """A query and how it stands."""

    query: Query
    now: QueryState


class Standing(NamedTuple):
    """How many queries wait for an answer, how many of these failed in production, and how many
    contradict themselves."""

    waiting: int
    failed: int
    conflicts: int


_ANSWERED = QueryState("answered", False, False)
_WAITING = QueryState("waiting", True, False)

# By query: whether anything that was said to answer it is open to everybody and always was. Most
# passages are: the exceptions are found first.
_SAID = (
    f"with {LABELLED_AGAIN},"
    """
said as (
    select query_id, passage_id from current_adjudications where grade = $1 {only}
    union all
    select query_id, passage_id
    from label_events b left join again a using (query_id, passage_id, annotator)
    where b.grade = $1 and b.blind is distinct from false {only}
    and (a.seq is null or a.seq = b.seq)
    and not exists (select 1 from adjudications s
        where s.query_id = b.query_id and s.passage_id = b.passage_id)),
bounded as (
    select passage_id from passages where seq in (select max(seq) from passages
        where not superseded and passage_id in (select passage_id from passages
            where not superseded and {bounds}) group by passage_id) and {bounds})
select l.query_id, bool_or(b.passage_id is null)
from said l left join bounded b on b.passage_id = l.passage_id
where not exists (select 1 from answers w where w.answer_id = l.passage_id)
group by l.query_id
"""
)
_BOUNDS = "(scope <> '' or effective_from <> '' or effective_to <> '')"


def states(store: Store) -> Mapping[str, QueryState]:
    """How every query stands, by its id."""
    today = store.clock().date()  # what a passage's day bars changes with it
    return by_query.of(
        store,
        ("query states", today),
        _made,
        touching=("label_events", "adjudications", "outcomes", "facts", "queries"),
        whole=("passages", "answers"),
    )


def _made(store: Store, only: list[str] | None) -> dict[str, QueryState]:
    """A case is made only of what takes a closer look. A query without an outcome and without facts
    that is not of the kind unanswerable is answered by any passage that is open to everybody, and
    contradicts nothing."""
    said = partial(_SAID.format, bounds=_BOUNDS)
    if only is None:
        asked, rows = queries.current(store), store.rows(said(only=""), [str(Grade.YES)])
    else:
        asked = list(queries.named(store, only).values())
        rows = store.rows(said(only="and query_id = any($2)"), [str(Grade.YES), only])
    answered: dict[str, bool] = dict(rows)
    told = evidence.outcomes(store).keys() | {fact.query_id for fact in evidence.facts(store)}
    found, closer = {}, []
    for query in asked:
        named = query.query_id
        if named in told or query.kind == "unanswerable" or answered.get(named) is False:
            closer.append(query)
        else:
            found[named] = _ANSWERED if named in answered else _WAITING
    for case in casebook.made_of(store, closer, [query.query_id for query in closer]):
        known = QueryState(case.state, case.waiting, bool(case.conflicts))
        found[case.query.query_id] = known
    return found


def standing(store: Store) -> Standing:
    """The numbers of all queries."""
    now = states(store)
    failed = casebook.reported(store)
    return Standing(
        sum(one.waiting for one in now.values()),
        sum(query_id in now and now[query_id].waiting for query_id in failed),
        sum(one.conflict for one in now.values()),
    )


def entries(store: Store, asked: Sequence[Query]) -> list[Entry]:
    """All queries with how they stand, in the order of `casebook.cases`."""
    now, failed = states(store), casebook.reported(store)
    found = [
        Entry(query, now[query.query_id])
        for query in asked
        if query.query_id in now  # one may have been written a moment ago
    ]
    return sorted(
        found,
        key=lambda one: casebook.urgency(
            one.query, one.now.conflict, one.now.waiting, reported=one.query.query_id in failed
        ),
    )
