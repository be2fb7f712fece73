"""Several people's presses in one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from labeler.model import LabelEvent
from labeler.store.labels import Recorded


class _Submission(NamedTuple):
    """The events of one request, and where its answer goes."""

    events: list[LabelEvent]
    done: asyncio.Future[Recorded]

    @property
    def ids(self) -> set[str]:
        return {event.event for event in self.events}


class Recorder:
    """Stores events of several people in one commit: what arrives during a commit waits for the
    next.

    Lives on the event loop; the commit itself runs in a thread, one at a time.
    """

    def __init__(self, record: Callable[[Sequence[LabelEvent]], Recorded]) -> None:
        self._record = record
        self._waiting: list[_Submission] = []
        self._running: asyncio.Task[None] | None = None

    async def record(self, events: list[LabelEvent]) -> Recorded:
        """What became of these events, once it is on disk."""
        if not events:
            return Recorded([], [])
        done: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Submission(events, done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._drain())
        return await asyncio.shield(done)

    async def _drain(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            try:
                await self._commit(batch)
            except Exception as problem:
                if len(batch) == 1:
                    _fail(batch[0].done, problem)
                    continue
                for one in batch:  # one bad submission must not stop the others
                    try:
                        await self._commit([one])
                    except Exception as own:
                        _fail(one.done, own)

    def _next_batch(self) -> list[_Submission]:
        """Submissions that share no event id: an answer by id is then an answer to one of them."""
        taken: set[str] = set()
        batch: list[_Submission] = []
        rest: list[_Submission] = []
        for submission in self._waiting:
            if taken.isdisjoint(submission.ids):
                taken |= submission.ids
                batch.append(submission)
            else:
                rest.append(submission)
        self._waiting = rest
        return batch

    async def _commit(self, batch: list[_Submission]) -> None:
        events = [event for submission in batch for event in submission.events]
        recorded = await run_in_threadpool(self._record, events)
        for submission in batch:
            ids = submission.ids
            stored = [event for event in recorded.acknowledged if event in ids]
            refused = [refusal for refusal in recorded.refused if refusal.event in ids]
            if not submission.done.done():
                submission.done.set_result(Recorded(stored, refused))


def _fail(done: asyncio.Future[Recorded], problem: Exception) -> None:
    if not done.done():
        done.set_exception(problem)
