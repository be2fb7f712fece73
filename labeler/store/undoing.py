"""Decisions on drafts taken back. Nothing is deleted: the decision stays, an event says that it no
longer stands, and what had come of it is superseded or withdrawn by further events.

The event is a line of the audit log, which is numbered with the decisions: a decision stands while
no such line comes after it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.store import drafts, evidence
from labeler.store.db import Cursor, Store
from labeler.store.evidence import Outcome
from labeler.store.people import audit


class _Use(NamedTuple):
    """A table in which a query that was a draft may have been used: how many of its rows the
    acceptance itself wrote at most, and what more of them means."""

    table: str
    own: int
    said: str


_USES = (
    _Use("queries", 1, "reworded"),
    _Use("label_events", 1, "labelled"),
    _Use("verdicts", 0, "judged"),
    _Use("adjudications", 0, "adjudicated"),
    _Use("candidates", 1, "given other candidates"),
    _Use("outcomes", 1, "decided on again"),
    _Use("facts", 0, "given facts"),
    _Use("run_rows", 0, "asked in a run"),
    _Use("answers", 0, "answered"),
    _Use("golden_entries", 0, "frozen in a golden set"),
)


def undo(store: Store, draft_id: str, *, person: str) -> str:
    """Take the standing decision on a draft back, in one commit; what that means, in words.

    A rejected draft waits again. So does an accepted one: its query is superseded by none, the
    label that came with it is withdrawn, and nothing is said any more of its being unanswerable.
    Raises LabelerError where nothing is decided, and where the query has been used since.
    """
    with store.write() as cursor:
        decision = drafts.standing(cursor, draft_id)
        if decision is None:
            raise LabelerError(f"Draft {draft_id} is not decided")
        query_id = decision.query_id
        if query_id:
            used = list(_used(cursor, query_id))
            if used:
                raise LabelerError(
                    f"{draft_id} stays accepted: {query_id} has been {', '.join(used)} since. "
                    "Change the query, or find it unanswerable, on the Queries page"
                )
            _withdraw(store, cursor, query_id, person)
        detail = f"{decision.decision}{f' as {query_id}' if query_id else ''} by {decision.person}"
        audit(
            cursor,
            store.clock(),
            person=person,
            action=drafts.UNDONE,
            subject=draft_id,
            detail=detail,
        )
    gone = f"; {query_id} is no query any more" if query_id else ""
    return f"{draft_id} waits again{gone}."


def _used(cursor: Cursor, query_id: str) -> Iterator[str]:
    for use in _USES:
        many = f"select count(*) from {use.table} where query_id = $1"
        ((found,),) = cursor.execute(many, [query_id]).fetchall()
        if found > use.own:
            yield use.said


def _withdraw(store: Store, cursor: Cursor, query_id: str, person: str) -> None:
    """Let the query stand no more, nor what the acceptance said of it."""
    at = store.clock()
    if query_id in evidence.outcomes(store):
        evidence.decide(
            store, query_id, outcome=Outcome.OPEN, reason="the draft waits again", person=person
        )
    # A last version that stands no more: what is kept in memory is told by a new row.
    cursor.execute(
        f"insert into queries (seq, {_QUERY}, superseded) select nextval('seq'), {_QUERY}, true "
        "from queries where not superseded and query_id = $1",
        [query_id],
    )
    cursor.execute(
        "update queries set superseded = true where not superseded and query_id = $1", [query_id]
    )
    for (event,) in cursor.execute(
        "select event from label_events where query_id = $1", [query_id]
    ).fetchall():
        cursor.execute(
            "insert into label_events (event, seq, query_id, passage_id, annotator, action, "
            "grade, state, note, spotcheck, blind, passage_hash, query_hash, client_at, "
            "labelled_at) select $2, nextval('seq'), query_id, passage_id, annotator, 'withdraw', "
            "null, 'open', '', spotcheck, blind, passage_hash, query_hash, '', $3 "
            "from label_events where event = $1",
            [event, str(uuid.uuid5(drafts.PRESSES, f"withdraw\0{event}")), at],
        )


_QUERY = "query_id, text, kind, need_id, origin, scope, as_of, split, note, hash"
