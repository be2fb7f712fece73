"""A reviewer's settling of a difference. It stands beside the labels and never overwrites one."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Grade, LabelEvent
from labeler.store import labels
from labeler.store.db import Cursor, Store
from labeler.store.people import audit


class Adjudication(NamedTuple):
    """A decision on a pair: the grade, why, by whom and when."""

    query_id: str
    passage_id: str
    grade: Grade
    reason: str
    reviewer: str
    decided_at: datetime


class Voice(NamedTuple):
    """What one person says of a pair: blind, and after having seen a verdict, where that is
    another answer. "" where they did not; else a grade or "unsure".
    """

    annotator: str
    blind: str
    after: str
    note: str
    said_at: datetime


def record(
    store: Store, query_id: str, *, passage_id: str, grade: Grade, reason: str, reviewer: str
) -> None:
    """Settle a pair. A reason is needed; a later decision supersedes the earlier, which stays."""
    if not reason.strip():
        raise LabelerError("An adjudication needs a reason")
    at = store.clock()
    with store.write() as cursor:
        cursor.execute(
            "insert into adjudications values (nextval('seq'), $1, $2, $3, $4, $5, $6)",
            [query_id, passage_id, grade, reason, reviewer, at],
        )
        audit(
            cursor,
            at,
            person=reviewer,
            action="adjudicate",
            subject=f"{query_id} / {passage_id}",
            detail=f"{grade}: {reason}",
        )


_FIELDS = "query_id, passage_id, grade, reason, reviewer, decided_at"


def history(store: Store, query_id: str, passage_id: str) -> list[Adjudication]:
    """Every decision on a pair, the newest, which stands, first."""
    rows = store.rows(
        f"select {_FIELDS} from adjudications where query_id = $1 and passage_id = $2 "
        "order by seq desc",
        [query_id, passage_id],
    )
    return [_adjudication(row) for row in rows]


def current(store: Store) -> list[Adjudication]:
    """The decisions that stand, the newest first."""
    rows = store.rows(f"select {_FIELDS} from current_adjudications order by seq desc")
    return [_adjudication(row) for row in rows]


def every(store: Store) -> list[Adjudication]:
    """All decisions ever taken, the oldest first."""
    return [
        _adjudication(row)
        for row in store.rows(f"select {_FIELDS} from adjudications order by seq")
    ]


def _adjudication(row: Sequence[object]) -> Adjudication:
    query_id, passage_id, grade, *rest = row
    return Adjudication(query_id, passage_id, Grade(str(grade)), *rest)  # type: ignore[arg-type]


def voices(store: Store, query_id: str, passage_id: str) -> list[Voice]:
    """What people say of a pair, by name: blind, and apart from it after a verdict was seen."""
    with store.read() as cursor:
        blind = _said(cursor, query_id, passage_id, blind=True)
        after = _said(cursor, query_id, passage_id, blind=False)
    return [
        Voice(
            annotator,
            blind[annotator][0] if annotator in blind else "",
            after[annotator][0] if annotator in after else "",
            (after.get(annotator) or blind[annotator])[1],
            (after.get(annotator) or blind[annotator])[2],
        )
        for annotator in sorted(blind.keys() | after.keys())
    ]


def _said(
    cursor: Cursor, query_id: str, passage_id: str, *, blind: bool
) -> dict[str, tuple[str, str, datetime]]:
    rows = cursor.execute(
        "select distinct on (annotator) annotator, coalesce(grade, state), note, labelled_at, "
        "state from label_events where query_id = $1 and passage_id = $2 "
        "and (blind is distinct from false) = $3 order by annotator, seq desc",
        [query_id, passage_id, blind],
    ).fetchall()
    return {row[0]: (row[1], row[2], row[3]) for row in rows if row[4] in ("labelled", "unsure")}


def reconsider(
    store: Store, query_id: str, *, passage_id: str, grade: Grade, note: str, annotator: str
) -> None:
    """Store what a person says of a pair after having seen its verdict. Their blind label stays,
    and stays what is compared with a judge: this one is kept apart as not blind.
    """
    row = store.row(
        "select t.spotcheck from handed h join tasks t on t.spotcheck = h.spotcheck "
        "and t.task = h.task where h.annotator = $1 and t.query_id = $2 and t.passage_id = $3 "
        "order by h.handed_at desc limit 1",
        [annotator, query_id, passage_id],
    )
    if row is None:
        raise LabelerError(f"{annotator} was never handed this pair, and has no label to change")
    event = LabelEvent(
        str(uuid.uuid4()),
        query_id,
        passage_id,
        annotator,
        "label",
        grade,
        note,
        spotcheck=row[0],
        blind=False,
    )
    done = labels.record(store, [event])
    if done.refused:
        raise LabelerError(f"Not stored: {done.refused[0].why}")
