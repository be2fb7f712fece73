"""The strict reading of a reply. Pure.

A reply is a verdict only if the model ended its turn with one JSON object that holds one grade,
spelled as the enum spells it, and at most the reason beside it. Everything else is "unreadable":
kept with its raw text, counted, and never a grade.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from labeler.judges.base import plain
from labeler.model import GRADES, Grade, Status


class Reading(NamedTuple):
    """What a reply says. `grade` is None exactly when `status` is unreadable, and then
    `why_unreadable` says why.

    `message` is false where the body was no reply of a model at all. `usage` is the service's own
    account of tokens.
    """

    grade: Grade | None
    status: Status
    reason: str
    why_unreadable: str
    stop_reason: str = ""
    usage: Mapping[str, Any] | None = None
    message: bool = True


def read(body: str) -> Reading:
    """Read the body of a reply (a message as JSON text). Never raises, and never guesses."""
    told = read_object(body)
    grade, reason, why = None, "", told.why_unreadable
    if told.found is not None:
        grade, reason, why = _decided(told.found)
    if grade is None:
        return Reading(None, Status.UNREADABLE, "", why, *told[2:])
    return Reading(grade, Status.OK, reason, "", *told[2:])


class Told(NamedTuple):
    """The one JSON object that a reply holds. `found` is None exactly when the reply cannot count,
    and then `why_unreadable` says why. The rest as in `Reading`.
    """

    found: Mapping[str, Any] | None
    why_unreadable: str
    stop_reason: str = ""
    usage: Mapping[str, Any] | None = None
    message: bool = True


def read_object(body: str) -> Told:
    """Read the body of a reply that is to hold one JSON object, as strictly as `read`."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return Told(None, "the service's answer is not JSON", message=False)
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return Told(None, "the service's answer holds no message", message=False)
    stop_reason = message.get("stop_reason")
    stop_reason = plain(stop_reason) if isinstance(stop_reason, str) else ""
    usage = message.get("usage")
    usage = usage if isinstance(usage, dict) else None
    found, why = None, _stopped(stop_reason)
    if not why:
        found, why = _object(message["content"])
    return Told(found, why, stop_reason, usage)


def _stopped(stop_reason: str) -> str:
    """Why a reply that stopped like this cannot count; "" if it can."""
    known = {
        "end_turn": "",
        "refusal": "the model refused",
        "max_tokens": "the reply was cut off at max_tokens",
        "model_context_window_exceeded": "the passage does not fit into the model",
        "": "the reply says nothing about how it ended",
    }
    return known.get(stop_reason, f"the reply stopped for {stop_reason!r}, not at its end")


class _Object(NamedTuple):
    found: Mapping[str, Any] | None
    why: str


def _object(content: list[object]) -> _Object:
    blocks = [block for block in content if isinstance(block, dict)]
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    words = [text for text in texts if isinstance(text, str) and text.strip()]
    if not words:
        thought = any(block.get("type") == "thinking" for block in blocks)
        return _Object(None, "the model only thought" if thought else "the reply is empty")
    if len(words) > 1:
        return _Object(None, "the reply has several parts")
    try:
        reply = json.loads(words[0], object_pairs_hook=_once)
    except _Twice as twice:
        return _Object(None, f"the reply gives {twice} twice")
    except (ValueError, RecursionError):
        return _Object(None, "the reply is not one JSON object")
    if not isinstance(reply, dict):
        return _Object(None, "the reply is not one JSON object")
    return _Object(reply, "")


class _Decided(NamedTuple):
    grade: Grade | None
    reason: str
    why: str


def _decided(reply: Mapping[str, Any]) -> _Decided:
    if "grade" not in reply:
        return _Decided(None, "", "the reply holds no grade")
    if beside := [name for name in reply if name not in ("grade", "reason")]:
        return _Decided(None, "", f"the reply says {_short(beside[0])} beside its grade")
    grade, reason = reply["grade"], reply.get("reason", "")
    if not isinstance(grade, str) or grade not in GRADES:
        return _Decided(None, "", f"{_short(grade)} is no grade")
    if not isinstance(reason, str):
        return _Decided(None, "", "the reason is no text")
    return _Decided(Grade(grade), plain(reason).strip(), "")


class _Twice(ValueError):
    """A key that an object gives twice."""


def _once(members: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in members:
        if key in found:
            raise _Twice(_short(key))
        found[key] = value
    return found


def _short(value: object) -> str:
    text = plain(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 40 else text[:39] + "…"
