"""The service's message batches: made, looked for, and collected by result."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from labeler.errors import JudgeServiceError
from labeler.judges import service
from labeler.judges.base import Request
from labeler.judges.service import Limited, Line, NoReply

if TYPE_CHECKING:
    import anthropic

MOST_REQUESTS = 5_000
MOST_BYTES = 50_000_000
"""What goes into one batch; the service takes 100,000 requests and 256 MB."""

_CREATE_TIMEOUT = 600.0


class Unknown(JudgeServiceError):
    """Whether the service has made the batch is not known."""


class Sent(NamedTuple):
    """A batch as the service tells of it. `gone`: its results are no more."""

    batch_id: str
    created_at: datetime
    requests: int
    ended: bool
    gone: bool


class Result(NamedTuple):
    """One request's end: `kind` is succeeded, errored, canceled or expired.

    `body` is the message of the one and the error of the other as JSON, without the key, else "".
    `error` is the error's type.
    """

    request_id: str
    kind: str
    body: str = ""
    error: str = ""


class Post:
    """The batches of one key."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def create(self, requests: Sequence[Request]) -> str:
        """Send requests as one batch; its id.

        Raises JudgeServiceError where the service did not take them, and Unknown where it may have.
        A rate limit is waited for as often as the line says.
        """
        import anthropic

        sent: list[Any] = [
            {"custom_id": request.request_id, "params": dict(request.params)}
            for request in requests
        ]
        line = self._line
        with line.client(retries=0, timeout=max(_CREATE_TIMEOUT, line.timeout)) as client:
            for turn in range(1, line.attempts + 1):
                try:
                    made = client.messages.batches.create(requests=sent)
                except anthropic.APIError as error:
                    meant = self._meaning(error)
                    if not isinstance(meant, Limited) or turn == line.attempts:
                        raise _not_made(meant) from None
                    time.sleep(min(60.0, meant.retry_after or line.backoff * 2.0**turn))
                else:
                    if not isinstance(getattr(made, "id", None), str):
                        raise Unknown("The service's answer to the batch holds no id")
                    return made.id
        raise AssertionError("unreachable: the last turn returns or raises")

    def recent(self, since: datetime) -> list[Sent]:
        """The batches made since then, the newest first."""
        import anthropic

        found = []
        with self._line.client() as client:
            try:
                for batch in client.messages.batches.list(limit=100):
                    if batch.created_at < since:
                        break
                    found.append(_sent(batch))
            except anthropic.APIError as error:
                raise service.in_words(self._meaning(error)) from None
        return found

    def status(self, batch_id: str) -> Sent | None:
        """How far a batch is; None where the service knows none of that id."""
        import anthropic

        with self._line.client() as client:
            try:
                return _sent(client.messages.batches.retrieve(batch_id))
            except anthropic.NotFoundError:
                return None
            except anthropic.APIError as error:
                raise service.in_words(self._meaning(error)) from None

    def results(self, batch_id: str) -> Iterator[Result]:
        """The results of a batch that has ended, in no order."""
        import anthropic

        with self._line.client() as client:
            try:
                for line in client.messages.batches.results(batch_id):
                    told = line.to_dict(mode="json", warnings=False)
                    yield self._result(told)
            except anthropic.APIError as error:
                raise service.in_words(self._meaning(error)) from None
            except (ValueError, anthropic.AnthropicError):
                raise JudgeServiceError(f"The results of {batch_id} are unreadable") from None

    def _result(self, told: Mapping[str, Any]) -> Result:
        result = told.get("result")
        result = result if isinstance(result, Mapping) else {}
        name, kind = str(told.get("custom_id")), str(result.get("type"))
        if kind == "succeeded":
            return Result(name, kind, self._text(result.get("message")))
        if kind != "errored":
            return Result(name, kind)
        error = result.get("error")
        inner = error.get("error") if isinstance(error, Mapping) else None
        type_ = inner.get("type") if isinstance(inner, Mapping) else None
        return Result(name, kind, self._text(error), str(type_ or ""))

    def _text(self, told: object) -> str:
        return self._line.key.scrubbed(json.dumps(told, ensure_ascii=False, default=str))

    def _meaning(self, error: anthropic.APIError) -> Exception:
        line = self._line
        return service.meaning(error, line.key, model="in the batch", timeout=line.timeout)


def _not_made(meant: Exception) -> JudgeServiceError:
    """A failed creation in words: made, not made, or unknown."""
    if isinstance(meant, NoReply) and meant.arrived:
        return Unknown(
            f"{service.in_words(meant)}; whether the batch was made is not known before the open "
            "batches have been asked for",
            needs="open batches",
        )
    return service.in_words(meant)


def _sent(batch: anthropic.types.messages.MessageBatch) -> Sent:
    counts = batch.request_counts
    total = sum(
        getattr(counts, name) or 0
        for name in ("processing", "succeeded", "errored", "canceled", "expired")
    )
    return Sent(
        batch.id,
        batch.created_at,
        total,
        batch.processing_status == "ended",
        batch.archived_at is not None,
    )
