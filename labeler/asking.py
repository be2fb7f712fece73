"""A run of prompts that ask for no grade: resumable, and paid once.

What was answered readably is never asked again; `estimate` says what the rest would cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labeler.estimating import BYTES_A_TOKEN
from labeler.hiring import Reached
from labeler.judges import prices
from labeler.judges.writer import Prompt, Writer, Written
from labeler.judging import Progress, never, until_stopped
from labeler.model import Status
from labeler.store import replies
from labeler.store.db import Store


@dataclass(frozen=True)
class Asked:
    """What a run of prompts did. `kept` are the replies that it bought, as they came.

    `before` prompts had a readable reply already, `unreadable` ones have an unreadable one (now or
    before), `missed` got none, `left` were not asked. `stopped` and `problem` as in
    `judging.Summary`; US dollars.
    """

    prompts: int
    before: int
    kept: int
    unreadable: int
    missed: int
    left: int
    cost: float | None
    cost_uncertain: float
    stopped: str = ""
    problem: str = ""


class Estimate(NamedTuple):
    """What prompts would take. `dollars` is None where no price is known."""

    requests: int
    input_tokens: int
    output_tokens: int
    dollars: float | None


def writer(
    reached: Reached,
    table: Mapping[str, prices.Price],
    *,
    max_cost: float | None = None,
    concurrency: int | None = None,
) -> Writer:
    """A writer at the price of its model; asks nothing."""
    made = Writer(
        reached.line, model=reached.model, price=table.get(reached.model.id), max_cost=max_cost
    )
    made.concurrency = concurrency or made.concurrency
    return made


def pending(
    store: Store, prompts: Iterable[Prompt], *, purpose: str, retry_unreadable: bool = False
) -> list[Prompt]:
    """The prompts without a reply, each distinct request once."""
    known = {
        reply.request_id
        for reply in replies.every(store, purpose)
        if reply.status == Status.OK or not retry_unreadable
    }
    distinct = {prompt.request.request_id: prompt for prompt in prompts}
    return [prompt for request_id, prompt in distinct.items() if request_id not in known]


def estimate(
    prompts: Sequence[Prompt], *, price: prices.Price | None, output_tokens: int
) -> Estimate:
    """What prompts would cost at `output_tokens` a reply, input at three bytes a token."""
    many = len(prompts)
    tokens = round(sum(prompt.request.size for prompt in prompts) / BYTES_A_TOKEN)
    usage = {"input_tokens": tokens, "output_tokens": output_tokens * many}
    return Estimate(many, tokens, output_tokens * many, prices.cost(price, usage))


def ask(
    store: Store,
    writer: Writer,
    prompts: Sequence[Prompt],
    *,
    purpose: str,
    limit: int | None = None,
    retry_unreadable: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Asked:
    """Ask what has no reply yet, at most `limit` prompts, and store each reply as it comes.

    Never raises for the service, the budget or Ctrl-C: the outcome says what stopped the run.
    """
    todo = pending(store, prompts, purpose=purpose, retry_unreadable=retry_unreadable)
    asked = todo if limit is None else todo[:limit]
    missed: list[str] = []
    came: list[Written] = []

    def tell() -> None:
        if progress is not None:
            unreadable = sum(one.found is None for one in came)
            done, cost = len(came) + len(missed), writer.spending.known
            progress(Progress(done, len(asked), unreadable, len(missed), cost))

    def keep(written: Sequence[Written]) -> None:
        replies.keep(store, [_kept(purpose, one) for one in written])
        came.extend(written)
        tell()

    def miss(prompt: Prompt, why: str) -> None:
        missed.append(f"{prompt.subject}: {why}")
        tell()

    def work() -> None:
        if asked:
            writer.write(iter(asked), keep, missed=miss, stop=stop)

    stopped, problem = until_stopped(work)
    left = len(todo) - len(came) - len(missed)
    if not stopped and left:
        stopped = "interrupted" if stop() else "limit"
    if not problem and missed:
        problem = f"{len(missed)} requests got no reply and stay pending; the first: {missed[0]}"
    return _outcome(
        store, writer, prompts, purpose, came, missed=len(missed), stopped=(stopped, problem)
    )


def _kept(purpose: str, one: Written) -> replies.Kept:
    return replies.Kept(
        purpose,
        one.subject,
        one.request_id,
        one.model,
        one.status,
        one.reason,
        one.raw,
        one.input_tokens,
        one.output_tokens,
        one.cost,
        one.api_request_id,
        one.usage,
    )


def _outcome(
    store: Store,
    writer: Writer,
    prompts: Sequence[Prompt],
    purpose: str,
    came: Sequence[Written],
    *,
    missed: int,
    stopped: tuple[str, str],
) -> Asked:
    standing = {reply.request_id: reply.status for reply in replies.every(store, purpose)}
    wanted = {prompt.request.request_id for prompt in prompts}
    readable = sum(standing.get(one) == Status.OK for one in wanted)
    unreadable = sum(standing.get(one) == Status.UNREADABLE for one in wanted)
    bought = sum(one.found is not None for one in came)
    spending = writer.spending
    return Asked(
        len(wanted),
        readable - bought,
        bought,
        unreadable,
        missed,
        len(wanted) - readable - unreadable - missed,
        None if spending.unpriced and not spending.known else spending.known,
        spending.uncertain,
        *stopped,
    )
