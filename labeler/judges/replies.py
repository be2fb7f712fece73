"""What becomes of a reply: the verdict that it is, with its account of tokens and its cost."""

from __future__ import annotations

import json
from typing import Generic, NamedTuple, TypeVar

from labeler.judges import prices
from labeler.judges.base import Request, Subject, plain
from labeler.judges.reading import read
from labeler.model import Status, Verdict

Kept = TypeVar("Kept")


class Seat(NamedTuple):
    """Who speaks: a judge with its rubric (`name@version`) and model, and the model's price."""

    judge: str
    rubric: str
    model: str
    price: prices.Price | None

    def worst(self, request: Request, *, batch: bool = False) -> float:
        """US dollars that a request can cost at most; 0 where no price is known."""
        if self.price is None:
            return 0.0
        most = request.params["max_tokens"]
        return prices.worst(self.price, request.size, max_tokens=most, batch=batch)


class Reply(NamedTuple):
    """A reply as it came, without the key. `latency_ms` is None for what came in a batch."""

    body: str
    api_request_id: str = ""
    latency_ms: float | None = None


class Heard(NamedTuple, Generic[Kept]):
    """What a reply is once read. `cost` in US dollars, None where it is unknown; `why` says why the
    body was no reply of a model at all, "" where it was one.
    """

    kept: Kept
    cost: float | None
    why: str


def heard(seat: Seat, subject: Subject, reply: Reply, *, batch: bool = False) -> Heard[Verdict]:
    """The verdict that a reply is: a grade, or unreadable with the reason in words."""
    reading = read(reply.body)
    usage = reading.usage
    verdict = Verdict(
        subject.query_id,
        subject.passage_id,
        seat.judge,
        reading.grade,
        reading.status,
        rubric=seat.rubric,
        model=seat.model,
        reason=reading.reason or reading.why_unreadable,
        raw=reply.body,
        request_id=subject.request_id,
        stop_reason=reading.stop_reason,
        input_tokens=prices.tokens(usage, "input_tokens"),
        output_tokens=prices.tokens(usage, "output_tokens"),
        cost=prices.cost(seat.price, usage, batch=batch),
        latency_ms=reply.latency_ms,
        api_request_id=plain(reply.api_request_id),
        query_hash=subject.query_hash,
        passage_hash=subject.passage_hash,
        usage="" if usage is None else plain(json.dumps(usage, sort_keys=True)),
    )
    return Heard(verdict, verdict.cost, "" if reading.message else reading.why_unreadable)


def refused(seat: Seat, subject: Subject, *, why: str, body: str) -> Verdict:
    """The unreadable verdict that stands for a request which the service would not take."""
    return Verdict(
        subject.query_id,
        subject.passage_id,
        seat.judge,
        None,
        Status.UNREADABLE,
        rubric=seat.rubric,
        model=seat.model,
        reason=why,
        raw=body,
        request_id=subject.request_id,
        stop_reason="error",
        cost=0.0,
        query_hash=subject.query_hash,
        passage_hash=subject.passage_hash,
    )
