"""What the loopback server answers, well or badly: messages, errors, and mischief by name."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

GRADES = ("YES", "PART", "NO")
KEY = "sk-ant-loopback-0123456789"
LIMIT = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}


class Answer(NamedTuple):
    """An HTTP answer, after `delay` seconds.

    `cut` sends half of the body and hangs up; `drops` sends ten bytes a second.
    """

    status: int = 200
    body: str = "{}"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    delay: float = 0.0
    drops: bool = False


def message(text: str | None, *, stop: str = "end_turn", content: Any = None) -> str:
    """A message of the service with one text block, or with `content` as it is."""
    blocks = [{"type": "text", "text": text}] if content is None else content
    return json.dumps(
        {
            "id": "msg_loopback",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-5-5",
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 40},
        }
    )


def graded(grade: Any, reason: str = "As the passage says.") -> str:
    """A message with a reply of the right form and this grade in it."""
    return message(json.dumps({"reason": reason, "grade": grade}))


def error(status: int, kind: str, said: str, *, code: str = "", after: str = "") -> Answer:
    """An error as the service words it."""
    told: dict[str, Any] = {"type": kind, "message": said}
    if code:
        told["details"] = {"error_code": code}
    headers = (("retry-after", after),) if after else ()
    return Answer(status, json.dumps({"type": "error", "error": told}), headers)


_JSON = '{"reason": "It says so.", "grade": "YES"}'
MISCHIEF: dict[str, Answer] = {
    "429 retry-after": error(429, "rate_limit_error", "slow down", after="0.2"),
    "429": error(429, "rate_limit_error", "slow down"),
    "529": error(529, "overloaded_error", "Overloaded"),
    "500": error(500, "api_error", "Internal server error"),
    "slow": Answer(200, graded("YES"), delay=30.0),
    "in drops": Answer(200, graded("YES"), drops=True),
    "cut": Answer(200, graded("YES"), cut=True),
    "html": Answer(200, "<html>Sign in</html>", (("content-type", "text/html"),)),
    "{}": Answer(200, "{}"),
    "bad json": Answer(200, '{"id": "msg_1", "content": ['),
    "refusal": Answer(200, message(_JSON, stop="refusal")),
    "max_tokens": Answer(200, message('{"reason": "It', stop="max_tokens")),
    "thinking only": Answer(
        200, message(None, content=[{"type": "thinking", "thinking": "YES?", "signature": "s"}])
    ),
    "empty": Answer(200, message(None, content=[])),
    "chatter": Answer(200, message(f"Sure, here is the verdict: {_JSON}")),
    "two grades": Answer(200, message('{"reason": "Hm.", "grade": "YES", "grade": "NO"}')),
    "two replies": Answer(200, message(f"{_JSON}\n{_JSON}")),
    "off-enum": Answer(200, graded("MAYBE")),
    "bad request": error(400, "invalid_request_error", "prompt is too long: 1200000 tokens"),
    "wrong key": error(401, "authentication_error", "invalid x-api-key"),
    "forbidden": error(403, "permission_error", "not allowed"),
    "unknown model": error(404, "not_found_error", "model: claude-nope"),
    "spend limit": error(
        429, "rate_limit_error", "limit reached", code="enforced_spend_limit_reached"
    ),
    "own limit": error(
        400, "invalid_request_error", "You have reached your specified API usage limits."
    ),
    "no credit": error(402, "billing_error", "Your credit is used up"),
}
"""Answers by the name under which a test orders them."""


def verdict_for(turn: str) -> str:
    """The grade that this server gives to a user turn, always the same."""
    return GRADES[int(hashlib.sha256(turn.encode()).hexdigest(), 16) % 3]
