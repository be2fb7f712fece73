"""Replies of a model that are no verdicts, as they came: what was paid for is never bought again.

`purpose` is what they were asked for; what they mean is for the module that asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from labeler.model import Status
from labeler.store.db import Store


class Kept(NamedTuple):
    """A reply. `subject` is what it was asked about, `raw` the body as the service sent it; US
    dollars.
    """

    purpose: str
    subject: str
    request_id: str
    model: str
    status: Status
    reason: str
    raw: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    api_request_id: str
    usage: str


def keep(store: Store, came: Sequence[Kept]) -> None:
    """Store replies in one commit."""
    now = store.clock()
    with store.write() as cursor:
        cursor.executemany(
            "insert into replies values (nextval('seq'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
            "$11, $12, $13)",
            [[*reply[:4], str(reply.status), *reply[5:], now] for reply in came],
        )


def readable(store: Store, purpose: str) -> dict[str, Kept]:
    """The readable replies asked for a purpose, by request id."""
    return {reply.request_id: reply for reply in every(store, purpose) if reply.status == Status.OK}


def every(store: Store, purpose: str) -> list[Kept]:
    """The newest reply to each request of a purpose, readable or not, the oldest first.

    A readable one stands whatever came after it.
    """
    rows = store.rows(
        "select distinct on (request_id) purpose, subject, request_id, model, status, reason, raw, "
        "input_tokens, output_tokens, cost, api_request_id, usage, seq from replies "
        "where purpose = $1 order by request_id, status = 'ok' desc, seq desc",
        [purpose],
    )
    rows.sort(key=lambda row: row[-1])
    return [Kept(*(*row[:4], Status(row[4]), *row[5:-1])) for row in rows]
