"""The Claude judge: one call a pair, many in flight behind one gate (`calls`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from labeler.judges import service
from labeler.judges.base import Asked, Keep, Missed, Request, Stop, build
from labeler.judges.calls import Caller
from labeler.judges.replies import Heard, Reply, Seat, heard, refused
from labeler.judges.service import Line
from labeler.model import Passage, Query, Rubric, Verdict

NAME = "claude"
DEFAULT_MODEL = "claude-haiku-5-5"


@dataclass(eq=False, kw_only=True)
class Claude(Caller):
    """A judge by a Claude model."""

    rubric: Rubric

    @property
    def name(self) -> str:
        """ "claude"."""
        return NAME

    @property
    def model_id(self) -> str:
        """The model's id as the user named it."""
        return self.model.id

    @property
    def seat(self) -> Seat:
        """Who speaks in its verdicts, and at what price."""
        return Seat(NAME, self.rubric.ref, self.model.id, self.price)

    def build(self, query: Query, passage: Passage) -> Request:
        """The request for a pair."""
        return build(self.model, self.rubric, query=query, passage=passage)

    def answer(
        self,
        asked: Iterator[Asked],
        keep: Keep,
        *,
        missed: Callable[[Missed], None],
        stop: Stop,
    ) -> None:
        """Judge each pair. Raises as `Caller.call`."""

        def none(one: Asked, why: str) -> None:
            missed(Missed(one.query.query_id, one.passage.passage_id, why))

        self.call(asked, _Ear(self.seat), keep=keep, missed=none, stop=stop)


class _Ear:
    """Hears verdicts."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.model = seat.model
        self.worst = seat.worst

    def heard(self, asked: Asked, reply: Reply) -> Heard[Verdict]:
        """The verdict that a reply is."""
        return heard(self._seat, asked.subject, reply)

    def refused(self, asked: Asked, *, why: str, body: str) -> Verdict:
        """The unreadable verdict of a request that was not taken."""
        return refused(self._seat, asked.subject, why=why, body=body)


Count = Callable[[Request, str], int]
"""The input tokens of a request, were it sent to a model."""


def counting(line: Line) -> Count:
    """Counts by asking the service, which costs nothing. They raise JudgeServiceError."""
    import anthropic

    client = line.client()
    told = ("messages", "system", "output_config")

    def count(request: Request, model: str) -> int:
        params = {name: request.params[name] for name in told if name in request.params}
        try:
            return client.messages.count_tokens(model=model, **params).input_tokens
        except anthropic.APIError as error:
            meant = service.meaning(error, line.key, model=model, timeout=line.timeout)
            raise service.in_words(meant) from None

    return count
