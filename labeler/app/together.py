"""What several people ask of the store at once, answered in one go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

A = TypeVar("A")
R = TypeVar("R")


class Together(Generic[A, R]):
    """Answers several people's questions with one call: what arrives while one is on its way waits
    for the next.

    The more there is to do, the more share the cost of a commit, and no more than one thread
    works on it: threads that wait for one another are slower than one after the other. Lives on the
    event loop. `answer` gives an answer to each question, in their order; where it raises, each is
    asked alone, so that one bad question stops no other.
    """

    def __init__(self, answer: Callable[[Sequence[A]], Sequence[R]]) -> None:
        self._answer = answer
        self._waiting: list[tuple[A, asyncio.Future[R]]] = []
        self._running: asyncio.Task[None] | None = None

    async def ask(self, question: A) -> R:
        """The answer to a question."""
        answered: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answered))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._drain())
        return await asyncio.shield(answered)

    async def _drain(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            if not await self._answered(batch):
                for one in batch:
                    await self._answered([one])

    async def _answered(self, batch: Sequence[tuple[A, asyncio.Future[R]]]) -> bool:
        """Whether a batch got its answers: a single question always does, if only an exception."""
        try:
            answers = await run_in_threadpool(self._answer, [question for question, _ in batch])
        except Exception as problem:
            if len(batch) > 1:
                return False
            _, future = batch[0]
            if not future.done():
                future.set_exception(problem)
            return True
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)
        return True
