"""Single calls to the judge's service: many in flight in one event loop, behind one gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Generic, Protocol, TypeVar

from labeler.errors import JudgeServiceError
from labeler.judges import service
from labeler.judges.base import Model, Request, Stop
from labeler.judges.gate import Closed, Gate
from labeler.judges.prices import Price
from labeler.judges.replies import Heard, Reply
from labeler.judges.service import Limited, Line, NoReply, Refused
from labeler.judges.spending import OutOfBudget, Spending

CONCURRENCY = 32
"""Calls in flight at most, while the service sets no lower limit."""

BARREN = 5
"""Questions in a row without any reply of the model after which a run stops."""

CHARGED = 2
"""Calls for one question that may be charged and brought nothing, after which it is left."""


class Question(Protocol):
    """Anything that can be asked."""

    @property
    def request(self) -> Request:
        """The call that asks it."""


Q = TypeVar("Q", bound=Question)
R = TypeVar("R")
_Q = TypeVar("_Q", bound=Question, contravariant=True)


class Ear(Protocol[_Q, R]):
    """Who asks, and what is made of the replies: R, which is kept."""

    @property
    def model(self) -> str:
        """The model's id."""

    def worst(self, request: Request) -> float:
        """US dollars that a request can cost at most."""

    def heard(self, asked: _Q, reply: Reply) -> Heard[R]:
        """What a reply is."""

    def refused(self, asked: _Q, *, why: str, body: str) -> R:
        """What stands for a request that the service would not take."""


@dataclass
class _Luck:
    """How the questions fare: `barren` in a row brought no reply of the model, `last` says why."""

    barren: int = 0
    replies: int = 0
    last: str = ""

    def note(self, why: str) -> None:
        """One more question; `why` is "" where the model replied."""
        self.barren = self.barren + 1 if why else 0
        self.replies += not why
        self.last = why or self.last


class Run(Generic[Q, R]):
    """One run: workers that share an iterator of questions, a gate and a budget.

    What a worker heard is kept before it asks the next question, so that a crash costs at most what
    is in flight.
    """

    def __init__(
        self,
        line: Line,
        ear: Ear[Q, R],
        *,
        spending: Spending,
        keep: Callable[[Sequence[R]], None],
        missed: Callable[[Q, str], None],
        stop: Stop,
    ) -> None:
        self._line = line
        self._ear = ear
        self._spending = spending
        self._keep = keep
        self._missed = missed
        self._stop = stop
        self._luck = _Luck()
        self._ended: JudgeServiceError | None = None

    async def all(self, asked: Iterator[Q], concurrency: int) -> None:
        """Ask all questions, or raise the reason why the run ended before."""
        self._gate = Gate(concurrency, stop=self._stop)
        self._desk = asyncio.Lock()
        self._waiting: list[R] = []
        self._client = self._line.async_client()
        self._create = self._client.messages.with_raw_response.create
        workers = [asyncio.create_task(self._work(asked)) for _ in range(concurrency)]
        try:
            await asyncio.wait(workers)
        except asyncio.CancelledError:  # Ctrl-C: what is in flight is paid for
            self._gate.close()
            await asyncio.wait(workers, timeout=self._line.grace)
            raise
        finally:
            for worker in workers:
                worker.cancel()
            results = await asyncio.gather(*workers, return_exceptions=True)
            await self._client.close()
        for result in results:
            if isinstance(result, Exception):
                raise result
        if self._luck.barren and not self._luck.replies:
            self._end("no question brought a reply of the model")
        if self._ended is not None:
            raise self._ended

    async def _work(self, asked: Iterator[Q]) -> None:
        try:
            for one in asked:
                worst = self._ear.worst(one.request)
                await self._admit(worst)
                await self._buy(one, worst)
        except Closed:
            pass
        except JudgeServiceError as error:
            self._ended = self._ended or error
            self._gate.close()
        except BaseException:
            self._gate.close()
            raise

    async def _admit(self, worst: float) -> None:
        """Wait until the budget has room for a call, or end the run."""
        spending = self._spending
        while not spending.fits(worst):
            if spending.idle:
                raise OutOfBudget(spending.over())
            await asyncio.sleep(0.01)
        spending.reserve(worst)

    async def _buy(self, asked: Q, worst: float) -> None:
        """Buy one reply and keep it, or note that the question brought none."""
        cost, replied = None, False
        try:
            reply = await self._reply(asked.request, worst)
            kept, cost, why = self._ear.heard(asked, reply)
            replied = True
            await self._store(kept)
        except Refused as error:
            why = str(error)
            await self._store(self._ear.refused(asked, why=why, body=error.body))
        except NoReply as error:
            why = str(error)
            self._missed(asked, why)
        finally:
            self._spending.settle(worst, cost, replied=replied)
        self._luck.note(why)
        if self._luck.barren >= BARREN:
            self._end(f"{BARREN} questions in a row brought no reply of the model")

    def _end(self, what: str) -> None:
        words = f"Stopped: {what}; the last one: {self._luck.last}"
        self._ended = self._ended or JudgeServiceError(words)
        self._gate.close()

    async def _store(self, kept: R) -> None:
        """Keep what was heard, and come back once it is safe.

        What comes while other replies are being kept goes together after them.
        """
        self._waiting.append(kept)
        async with self._desk:
            if not any(one is kept for one in self._waiting):
                return  # whoever had the desk before took it along
            taken, self._waiting = self._waiting, []
            await asyncio.to_thread(self._keep, taken)

    async def _reply(self, request: Request, worst: float) -> Reply:
        """The reply to a request, through rate limits and failures that pass.

        Raises Refused, NoReply, Closed, or the JudgeServiceError that ends the run.
        """
        failures = charged = 0
        while True:
            told = await self._once(request)
            if isinstance(told, Reply):
                return told
            if isinstance(told, Limited):
                continue
            if not isinstance(told, NoReply):
                raise told
            failures += 1
            if told.billed:
                self._spending.lost(worst)
                charged += 1
            if failures >= self._line.attempts or charged >= CHARGED:
                raise told
            await asyncio.sleep(self._line.backoff * 2.0 ** (failures - 1))

    async def _once(self, request: Request) -> Reply | Exception:
        """One call: its reply, or what its failure means."""
        import anthropic

        line = self._line
        async with self._gate as entered:
            told: Exception
            try:
                async with asyncio.timeout(line.timeout):  # also where a reply comes in drops
                    reply = await self._call(request, entered)
            except TimeoutError:
                told = NoReply(f"no reply within {line.timeout:g} s", billed=True)
            except anthropic.APIError as error:
                told = service.meaning(error, line.key, model=self._ear.model, timeout=line.timeout)
            else:
                self._gate.through()
                return reply
            if isinstance(told, Limited):
                self._gate.limited(entered, told.retry_after)
                if self._gate.stuck_for() > line.patience:
                    minutes = f"{line.patience / 60:.2g} minutes"
                    return JudgeServiceError(f"Nothing came through for {minutes}: {told}")
            return told

    async def _call(self, request: Request, entered: float) -> Reply:
        raw = await self._create(**request.params)
        response = raw.http_response
        took = (asyncio.get_running_loop().time() - entered) * 1000
        scrubbed = self._line.key.scrubbed
        name = response.headers.get("request-id", "")
        return Reply(scrubbed(response.text), scrubbed(name), took)


@dataclass(eq=False)
class Caller:
    """A Claude model that can be called at its price, within `max_cost` US dollars. `spending`
    tells what its calls have cost.
    """

    line: Line
    _: KW_ONLY
    model: Model
    price: Price | None
    concurrency: int = CONCURRENCY
    max_cost: float | None = None
    spending: Spending = field(init=False)

    def __post_init__(self) -> None:
        self.spending = Spending(self.max_cost)

    def call(
        self,
        asked: Iterator[Q],
        ear: Ear[Q, R],
        *,
        keep: Callable[[Sequence[R]], None],
        missed: Callable[[Q, str], None],
        stop: Stop,
    ) -> None:
        """Ask each question, and keep what was heard before the next is bought.

        Raises JudgeServiceError once the service won't go on, after what was in flight is kept. On
        KeyboardInterrupt what is in flight may still come back for a while, and is kept.
        """
        run = Run(self.line, ear, spending=self.spending, keep=keep, missed=missed, stop=stop)
        asyncio.run(run.all(asked, self.concurrency))
