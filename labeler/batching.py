"""A judge's requests as message batches: submitted now, collected whenever they are ready.

The intent is stored before a batch is made and its id after. Where a crash came between the two,
the service is asked for a batch of that size which nobody knows; it is told from others by the
request ids in its results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.judges import prices
from labeler.judges.base import Asked, Subject
from labeler.judges.batches import MOST_BYTES, MOST_REQUESTS, Post, Result, Unknown
from labeler.judges.claude import Claude
from labeler.judges.replies import Reply, Seat, heard, refused
from labeler.judging import keep_rubric
from labeler.model import Verdict
from labeler.sifting import Need, pending, survey
from labeler.store import batches
from labeler.store.batches import Batch, Requested
from labeler.store.db import Store
from labeler.store.pairs import POOL, Scope

_PATIENCE = timedelta(minutes=1)
"""How long after its intent a batch may still turn up at the service."""

_SKEW = timedelta(hours=1)
"""How far the service's clock may be from ours."""


class Submitted(NamedTuple):
    """What was sent: batches, the requests in them, and what is left for another time.

    `most` is what they cost in US dollars at most; None where no price is known.
    """

    batches: list[Batch]
    requests: int
    left: int
    in_batches: int
    most: float | None
    problem: str = ""


@dataclass
class Collected:
    """What became of the open batches, and of the requests in those that have ended."""

    running: list[Batch] = field(default_factory=list)
    done: list[Batch] = field(default_factory=list)
    lost: list[Batch] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    judged: int = 0
    unreadable: int = 0
    pending_again: int = 0
    cost: float = 0.0


def submit(
    store: Store,
    judge: Claude,
    *,
    scope: Scope = POOL,
    limit: int | None = None,
    retry_unreadable: bool = False,
    post: Post | None = None,
    most_requests: int = MOST_REQUESTS,
) -> Submitted:
    """Send what the scope's pairs need, as batches; at most `limit` requests and within the
    budget.

    Raises JudgeServiceError where a batch could not be made; those before it stand.
    """
    if not judge.model.batch:
        raise LabelerError(f"The model {judge.model_id} takes no message batches")
    keep_rubric(store, judge.rubric)
    post = post or Post(judge.line)
    found = survey(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    budget, sent, most = judge.spending, [], 0.0
    needed = pending(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    todo = _affordable(judge, needed, limit)
    for part in _parts(todo, most_requests):
        requested = [Requested(*asked.subject) for asked in part]
        batch = batches.intend(
            store,
            requested,
            judge=judge.name,
            rubric=judge.rubric.ref,
            model=judge.model_id,
        )
        sent.append(_created(store, post, batch, part))
        most += sum(judge.seat.worst(asked.request, batch=True) for asked in part)
    total = sum(batch.requests for batch in sent)
    left = found.needs[Need.REPLY] - total
    short = left and limit is None and budget.most is not None
    return Submitted(
        sent,
        total,
        left,
        found.needs[Need.BATCH],
        most if judge.price else None,
        f"The budget of ${budget.most:g} has no room for {left} more requests" if short else "",
    )


def _created(store: Store, post: Post, batch: Batch, part: list[Asked]) -> Batch:
    try:
        batch_id = post.create([asked.request for asked in part])
    except Unknown:
        raise  # the intent stays open: `resume` looks for the batch
    except LabelerError as error:
        batches.abandoned(store, batch, str(error))
        raise
    return batches.submitted(store, batch, batch_id)


def _affordable(judge: Claude, asked: Iterator[Asked], limit: int | None) -> Iterator[Asked]:
    budget = judge.spending
    for count, one in enumerate(asked):
        worst = judge.seat.worst(one.request, batch=True)
        if count == limit or not budget.fits(worst):
            return
        budget.reserve(worst)
        yield one


def _parts(todo: Iterator[Asked], most_requests: int) -> Iterator[list[Asked]]:
    """Parts of bounded count and size."""
    part: list[Asked] = []
    size = 0
    for asked in todo:
        if part and (len(part) == most_requests or size + asked.request.size > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(asked)
        size += asked.request.size
    if part:
        yield part


def resume(
    store: Store,
    post: Post,
    *,
    table: Mapping[str, prices.Price],
    told: Callable[[str], None] = lambda _text: None,
) -> Collected:
    """Collect every open batch that has ended. What failed there or never ran is pending again."""
    found = Collected()
    for batch in batches.unfinished(store):
        if not batch.batch_id:
            batch = _sought(store, post, batch, found) or batch
        if batch.batch_id and batch.state in batches.OPEN:
            _collect(store, post, batch, found, table)
        told(f"{len(found.done)} batches collected, {len(found.running)} still open")
    return found


def _sought(store: Store, post: Post, batch: Batch, found: Collected) -> Batch | None:
    """The batch of an intent whose id was never stored; None while that cannot be told."""
    known = batches.known_ids(store)
    fits = [
        sent
        for sent in post.recent(batch.noted_at - _SKEW)
        if sent.batch_id not in known and sent.requests == batch.requests
    ]
    own = set(batches.requests(store, batch))
    for sent in fits:
        ended = sent.ended and not sent.gone
        first = next(iter(post.results(sent.batch_id)), None) if ended else None
        if (first and first.request_id in own) or (not sent.ended and len(fits) == 1):
            return batches.submitted(store, batch, sent.batch_id)
    if any(not sent.ended for sent in fits) or store.clock() - batch.noted_at < _PATIENCE:
        found.running.append(batch)
        return None
    found.pending_again += batch.requests
    found.lost.append(batches.abandoned(store, batch, "the service has no such batch"))
    return found.lost[-1]


def _collect(
    store: Store, post: Post, batch: Batch, found: Collected, table: Mapping[str, prices.Price]
) -> None:
    sent = post.status(batch.batch_id)
    if sent is None or sent.gone:
        why = "its results are no longer there" if sent else "the service does not know it"
        found.lost.append(batches.abandoned(store, batch, why))
        found.pending_again += batch.requests
        return
    if not sent.ended:
        found.running.append(batch)
        return
    seat = Seat(batch.judge, batch.rubric, batch.model, table.get(batch.model))
    own = batches.requests(store, batch)
    came, ends = [], Counter[str]()
    for result in post.results(batch.batch_id):
        requested = own.pop(result.request_id, None)
        if requested is None:  # not ours, or told twice
            ends["unknown"] += 1
            continue
        ends[result.kind] += 1
        verdict = _verdict(seat, Subject(*requested), result)
        if verdict is not None:
            came.append(verdict)
    if own:
        ends["without a result"] = len(own)
    again = batch.requests - len(came)
    detail = ", ".join(f"{count} {kind}" for kind, count in sorted(ends.items()))
    found.done.append(batches.collected(store, batch, came, detail))
    found.ends.update(ends)
    found.pending_again += again
    found.judged += sum(verdict.grade is not None for verdict in came)
    found.unreadable += sum(verdict.grade is None for verdict in came)
    found.cost += sum(verdict.cost or 0.0 for verdict in came)


def _verdict(seat: Seat, subject: Subject, result: Result) -> Verdict | None:
    """What a result is.

    A verdict; or an unreadable one, where the service would not take the request; or nothing.
    """
    if result.kind == "succeeded":
        return heard(seat, subject, Reply(result.body), batch=True).kept
    if result.kind == "errored" and result.error == "invalid_request_error":
        return refused(
            seat, subject, why="the service refused the request (in a batch)", body=result.body
        )
    return None
