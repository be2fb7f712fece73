"""The service behind the Claude judge: its key, its client, and what its errors mean for a run.

The key is checked before anything is sent, and is taken out of every text that is kept or shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from labeler.errors import JudgeServiceError, LabelerError
from labeler.judges.base import Model, plain

if TYPE_CHECKING:
    import anthropic

KEY = "ANTHROPIC_API_KEY"
"""The environment variable that holds the key."""

_SPENT = ("spend_limit", "billing", "organization_on_hold", "not_billable", "storage_quota")
_SPENT_WORDS = ("you have reached your specified", "your credit balance is too low")


class Key:
    """A key that shows itself nowhere."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Key(hidden)"

    def reveal(self) -> str:
        """The key, for the client alone."""
        return self._text

    def scrubbed(self, text: str) -> str:
        """`text` without the key."""
        return plain(text).replace(self._text, "[key]")


def key(environment: Mapping[str, str]) -> Key:
    """The key from the environment, or words on what is wrong with it."""
    text = environment.get(KEY)
    if text is None:
        raise LabelerError(f"The Claude judge needs a key: {KEY} is not set")
    if not text.strip():
        raise LabelerError(f"The Claude judge needs a key: {KEY} is set but empty")
    if any(not 33 <= ord(letter) <= 126 for letter in text):
        raise LabelerError(
            f"{KEY} holds a space, a line break or a letter that no key has; set it again"
        )
    return Key(text)


@dataclass(frozen=True)
class Line:
    """How to reach the service: times in seconds, `timeout` for a whole call.

    `attempts` is how often one pair is tried when calls bring nothing, after pauses of `backoff`,
    twice that, and so on; `patience` is how long nothing may come through a rate limit; `grace` is
    how long the calls in flight may still come back after Ctrl-C.
    """

    key: Key
    base_url: str | None = None
    timeout: float = 60.0
    attempts: int = 4
    backoff: float = 0.5
    patience: float = 900.0
    grace: float = 20.0

    def client(self, *, retries: int = 2, timeout: float | None = None) -> anthropic.Anthropic:
        """A client for single questions."""
        import anthropic

        return anthropic.Anthropic(
            api_key=self.key.reveal(),
            base_url=self.base_url,
            timeout=timeout or self.timeout,
            max_retries=retries,
        )

    def async_client(self) -> anthropic.AsyncAnthropic:
        """A client that never tries again by itself: the gate decides about that."""
        import anthropic

        return anthropic.AsyncAnthropic(
            api_key=self.key.reveal(),
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=0,
        )

    def look_up(self, model: str) -> Model:
        """What the service says of a model. Proves the key too, and costs nothing."""
        with self.client() as client:
            return _look_up(client, model, key=self.key, timeout=self.timeout)


class Limited(Exception):
    """The service asks to slow down; `retry_after` in seconds where it says for how long."""

    def __init__(self, why: str, retry_after: float | None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class NoReply(Exception):
    """One call brought nothing; another may.

    `arrived` where the request may have reached the service, `billed` where it may be charged.
    """

    def __init__(self, why: str, *, billed: bool, arrived: bool = True) -> None:
        super().__init__(why)
        self.billed = billed
        self.arrived = arrived


class Refused(Exception):
    """The service does not take this one request; `body` is what it answered."""

    def __init__(self, why: str, body: str) -> None:
        super().__init__(why)
        self.body = body


def meaning(error: anthropic.APIError, key: Key, *, model: str, timeout: float) -> Exception:
    """What an error of the client means: Limited, NoReply, Refused, or the end of the run."""
    import anthropic

    if isinstance(error, anthropic.APIConnectionError):
        if _unsent(error):
            return NoReply("the service cannot be reached", billed=False, arrived=False)
        if isinstance(error, anthropic.APITimeoutError):
            return NoReply(f"no reply within {timeout:g} s", billed=True)
        return NoReply("the connection broke before the reply was complete", billed=True)
    if not isinstance(error, anthropic.APIStatusError):
        return NoReply(key.scrubbed(str(error)), billed=True)
    status, said = error.status_code, key.scrubbed(error.api_message or "").strip()
    said = f": {said[:300]}" if said else ""
    if ended := _end(error, said, model):
        return ended
    if status in (429, 503, 529):
        words = "rate limited" if status == 429 else "overloaded"
        return Limited(f"the service is {words} ({status}){said}", _retry_after(error))
    if status in (400, 413, 422):
        return Refused(f"the service refused the request ({status}){said}", _body(error, key))
    return NoReply(f"the service failed ({status}){said}", billed=False)


def _end(error: anthropic.APIStatusError, said: str, model: str) -> JudgeServiceError | None:
    """The end of the run, where no further call can succeed."""
    code, status = error.error_code or error.type or "", error.status_code
    words = (error.api_message or "").lower()
    coded = any(part in code for part in _SPENT)
    if status == 402 or coded or (status == 400 and words.startswith(_SPENT_WORDS)):
        return JudgeServiceError(f"The service's spend limit or credit is used up{said}")
    if status == 401:
        return JudgeServiceError(f"The service does not accept the key in {KEY} (401)")
    if status == 403:
        return JudgeServiceError(f"The key in {KEY} may not do this (403){said}")
    if status == 404:
        return JudgeServiceError(f"The service knows no model {model!r} (404){said}")
    if status == 429 and (wait := _retry_after(error)) is not None and wait > 3600:
        return JudgeServiceError(f"The service asks to wait {wait / 3600:.1f} hours (429){said}")
    if 300 <= status < 400 or (status < 500 and status not in (400, 408, 409, 413, 422, 429)):
        return JudgeServiceError(f"The service answered {status}{said}")
    return None


def _unsent(error: anthropic.APIConnectionError) -> bool:
    """Whether the request cannot have arrived."""
    return type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout", "PoolTimeout")


def _retry_after(error: anthropic.APIStatusError) -> float | None:
    """Seconds to wait, from retry-after-ms or retry-after (a number, or a date against the
    reply's own).
    """
    headers = error.response.headers
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        if seconds > 0 and not math.isnan(seconds):
            return seconds
    try:
        until, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        seconds = (until - now).total_seconds()
    except (KeyError, ValueError, TypeError):
        return None
    return seconds if seconds > 0 else None


def _body(error: anthropic.APIStatusError, key: Key) -> str:
    try:
        return key.scrubbed(error.response.text)
    except RuntimeError:  # the body was not read
        return ""


def _look_up(client: anthropic.Anthropic, model: str, *, key: Key, timeout: float) -> Model:
    """Ask what a model can do.

    Raises JudgeServiceError in words where key, model or service won't do.
    """
    import anthropic

    if not model.strip():
        said = "No model is named: expected an id such as claude-haiku-5-5"
        raise LabelerError(said, needs="model")
    try:
        reply = client.models.with_raw_response.retrieve(model).http_response
        told = reply.json()
    except anthropic.APIError as error:
        meant = meaning(error, key, model=model, timeout=timeout)
        raise in_words(meant) from None
    except ValueError:
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("id"), str):
        raise JudgeServiceError("The service's answer about the model is unreadable")
    if told.get("lifecycle") == "retired":
        raise JudgeServiceError(f"The model {model} is retired")
    return _model(model, told)


def in_words(meant: Exception) -> JudgeServiceError:
    """What an error means, as the end of a run."""
    if isinstance(meant, JudgeServiceError):
        return meant
    text = str(meant)
    return JudgeServiceError(text[:1].upper() + text[1:])


def _model(model: str, told: Mapping[str, Any]) -> Model:
    """What the service said of a model, read leniently.

    What it does not say is taken for granted.
    """

    def can(*path: str) -> bool:
        value: Any = told.get("capabilities")
        for step in (*path, "supported"):
            if not isinstance(value, Mapping) or step not in value:
                return True
            value = value[step]
        return bool(value)

    most = told.get("max_tokens")
    return Model(
        id=model,
        effort=can("effort") and can("effort", "low"),
        structured=can("structured_outputs"),
        batch=can("batch"),
        max_tokens=most if isinstance(most, int) and most > 0 else Model(model).max_tokens,
        name=str(told.get("display_name") or ""),
    )
