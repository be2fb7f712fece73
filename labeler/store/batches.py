"""Message batches: what was meant to be sent, what was sent as which batch, and what became of it.

The intent is written before the batch is created and its id after, so that a crash between the two
is seen. The last row of an intent says how it stands. While it is open its requests are not asked
for again.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from labeler.model import Verdict
from labeler.store import verdicts as verdicts_
from labeler.store.db import Cursor, Store, append

_FIELDS = "intent, batch_id, state, judge, rubric, model, requests, detail, noted_at"
_LAST = f"select distinct on (intent) {_FIELDS} from batches order by intent, seq desc"


class Stage(StrEnum):
    """How far a batch is."""

    INTENDED = "intended"
    SUBMITTED = "submitted"
    COLLECTED = "collected"
    ABANDONED = "abandoned"


OPEN = (Stage.INTENDED, Stage.SUBMITTED)
"""The stages in which a batch may still bring verdicts."""


class Batch(NamedTuple):
    """An intent as it stands; `batch_id` is "" until the service has given one."""

    intent: str
    batch_id: str
    state: Stage
    judge: str
    rubric: str
    model: str
    requests: int
    detail: str
    noted_at: datetime


class Requested(NamedTuple):
    """One request of a batch, the pair it is for, and the texts' hashes when it was sent."""

    request_id: str
    query_id: str
    passage_id: str
    query_hash: str
    passage_hash: str


def intend(
    store: Store, requested: Sequence[Requested], *, judge: str, rubric: str, model: str
) -> Batch:
    """Note that these requests are about to be sent as one batch."""
    batch = Batch(
        uuid.uuid4().hex,
        "",
        Stage.INTENDED,
        judge,
        rubric,
        model,
        len(requested),
        "",
        store.clock(),
    )
    with store.write() as cursor:
        _note(cursor, batch)
        names = Requested._fields
        columns = dict(zip(names, zip(*requested, strict=True), strict=True))
        append(cursor, "batch_requests", {"intent": [batch.intent] * len(requested), **columns})
    return batch


def submitted(store: Store, batch: Batch, batch_id: str) -> Batch:
    """Note the id that the service gave."""
    return _moved(store, batch._replace(batch_id=batch_id, state=Stage.SUBMITTED))


def abandoned(store: Store, batch: Batch, why: str) -> Batch:
    """Note that a batch will bring nothing: its requests are pending again."""
    return _moved(store, batch._replace(state=Stage.ABANDONED, detail=why))


def collected(store: Store, batch: Batch, verdicts: Sequence[Verdict], detail: str) -> Batch:
    """Store what a batch brought and note that it did, in one commit."""
    done = batch._replace(state=Stage.COLLECTED, detail=detail, noted_at=store.clock())
    with store.write() as cursor:
        verdicts_.write(cursor, verdicts, done.noted_at)
        _note(cursor, done)
    return done


def _moved(store: Store, batch: Batch) -> Batch:
    batch = batch._replace(noted_at=store.clock())
    with store.write() as cursor:
        _note(cursor, batch)
    return batch


def _note(cursor: Cursor, batch: Batch) -> None:
    cursor.execute(
        f"insert into batches (seq, {_FIELDS}) "
        "values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7, $8, $9)",
        [*batch[:2], str(batch.state), *batch[3:]],
    )


def unfinished(store: Store) -> list[Batch]:
    """The batches that may still bring verdicts, the oldest first."""
    rows = store.rows(
        f"select * from ({_LAST}) as last where state = any($1) order by noted_at, intent",
        [[str(stage) for stage in OPEN]],
    )
    return [Batch(*row)._replace(state=Stage(row[2])) for row in rows]


def known_ids(store: Store) -> set[str]:
    """Every batch id that any intent has."""
    return {row[0] for row in store.rows("select distinct batch_id from batches")} - {""}


def requests(store: Store, batch: Batch) -> dict[str, Requested]:
    """The requests of a batch, by their id."""
    rows = store.rows(
        f"select {', '.join(Requested._fields)} from batch_requests where intent = $1",
        [batch.intent],
    )
    return {row[0]: Requested(*row) for row in rows}


def waiting(store: Store) -> set[str]:
    """Every request that an open batch may still answer."""
    rows = store.rows(
        f"select r.request_id from batch_requests r join ({_LAST}) as last "
        "on last.intent = r.intent where last.state = any($1)",
        [[str(stage) for stage in OPEN]],
    )
    return {row[0] for row in rows}
