"""Asking a Claude model for something other than a grade: a draft, a claim, an account.

A prompt is a system text, a turn and the JSON schema of the reply; the reply counts only if it is
that one JSON object, read as strictly as a judge's (`reading.read_object`). Calls go through the
same gate, budget and key as those of the judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from labeler.judges import prices
from labeler.judges.base import Model, Request, Stop, ask, plain
from labeler.judges.calls import Caller
from labeler.judges.reading import read_object
from labeler.judges.replies import Heard, Reply, Seat
from labeler.model import Status

MAX_TOKENS = 2048
"""What a reply may cost in output tokens unless a prompt says otherwise."""


Shape = Callable[[Mapping[str, Any]], str]
"""Why a JSON object is not what was asked for; "" where it is."""


def any_object(_found: Mapping[str, Any]) -> str:
    """The shape of a reply that may be any object."""
    return ""


class Prompt(NamedTuple):
    """A request about a `subject`, which is the asker's own name for what it asks about. A reply
    without the right `shape` is unreadable.
    """

    subject: str
    request: Request
    shape: Shape = any_object


@dataclass(frozen=True, slots=True)
class Written:
    """A reply to a prompt. `found` is the JSON object; None exactly when `status` is unreadable,
    and then `reason` says why. US dollars.
    """

    subject: str
    request_id: str
    model: str
    status: Status
    reason: str
    raw: str
    found: Mapping[str, Any] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    api_request_id: str = ""
    usage: str = ""


def build(
    model: Model,
    *,
    system: str,
    turn: str,
    schema: Mapping[str, Any],
    max_tokens: int = MAX_TOKENS,
    effort: str = "low",
) -> Request:
    """The call. `turn` is the asker's to make safe: quote material with `base.escaped`."""
    return ask(
        model,
        system=plain(system),
        turn=plain(turn),
        schema=schema,
        max_tokens=max_tokens,
        effort=effort,
    )


class Writer(Caller):
    """A Claude model that replies in JSON."""

    @property
    def seat(self) -> Seat:
        """Its model at its price, without a rubric."""
        return Seat("claude", "", self.model.id, self.price)

    def write(
        self,
        prompts: Iterator[Prompt],
        keep: Callable[[Sequence[Written]], None],
        *,
        missed: Callable[[Prompt, str], None],
        stop: Stop,
    ) -> None:
        """Ask each prompt, and keep each reply before the next is bought.

        Raises as `Caller.call`.
        """
        self.call(prompts, _Ear(self.seat), keep=keep, missed=missed, stop=stop)


def read(prompt: Prompt, reply: Reply, *, model: str, price: prices.Price | None) -> Heard[Written]:
    """What a reply is: an object, or unreadable with the reason in words."""
    told = read_object(reply.body)
    usage = told.usage
    why = told.why_unreadable if told.found is None else prompt.shape(told.found)
    written = Written(
        prompt.subject,
        prompt.request.request_id,
        model,
        Status.UNREADABLE if why else Status.OK,
        why,
        reply.body,
        found=None if why else told.found,
        input_tokens=prices.tokens(usage, "input_tokens"),
        output_tokens=prices.tokens(usage, "output_tokens"),
        cost=prices.cost(price, usage),
        api_request_id=plain(reply.api_request_id),
        usage="" if usage is None else plain(json.dumps(usage, sort_keys=True)),
    )
    return Heard(written, written.cost, "" if told.message else told.why_unreadable)


class _Ear:
    """Hears JSON objects."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.model = seat.model
        self.worst = seat.worst

    def heard(self, asked: Prompt, reply: Reply) -> Heard[Written]:
        """What a reply is."""
        return read(asked, reply, model=self._seat.model, price=self._seat.price)

    def refused(self, asked: Prompt, *, why: str, body: str) -> Written:
        """What stands for a request that was not taken."""
        return Written(
            asked.subject,
            asked.request.request_id,
            self._seat.model,
            Status.UNREADABLE,
            why,
            body,
            cost=0.0,
        )
