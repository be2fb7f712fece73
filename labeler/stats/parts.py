"""Tune and held-out: which needs a rubric may be mended on, and which say whether it is mended.

A need falls into its part by the hash of its name alone, so that every spot check, person and
machine parts alike, and what was tuned on once is never held out later.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum

SHARE = 0.5
"""The share of needs that is held out of tuning a rubric, in expectation."""


class Part(StrEnum):
    """Which pairs are looked at: those to tune on, those held out, or (before any spot check has
    been drawn) all."""

    TUNE = "tune"
    HELD_OUT = "held-out"
    ALL = "all"


def held_out(need_id: str, *, share: float = SHARE, purpose: str = "rubric") -> bool:
    """Whether a need is held out: the first 8 bytes of SHA-256("purpose:need") as a fraction of 1
    are below `share`. Different purposes part independently of one another.
    """
    name = f"{purpose}:{need_id}".encode("utf-8", "surrogatepass")
    place: int = int.from_bytes(hashlib.sha256(name).digest()[:8], "big")
    return place < share * 2**64


def in_part(need_id: str, part: Part) -> bool:
    """Whether a need's pairs are looked at."""
    return part is Part.ALL or held_out(need_id) == (part is Part.HELD_OUT)
