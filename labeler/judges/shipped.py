"""What comes with the package: rubrics with their examples, and the canaries that test them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from labeler.model import Grade, Passage, Query, Rubric

DEFAULT = "relevance"
"""The rubric that a judge uses where none is named."""

LEXICAL = "lexical"
"""The description of the lexical baseline's rule."""

CORRECTNESS = "correctness"
"""The rubric for answers where none is named."""

RUBRICS = (DEFAULT, LEXICAL, CORRECTNESS)
"""Every rubric of the package."""


class Canary(NamedTuple):
    """A pair whose passage tries to talk its judge into the grade `pushes`.

    `grade` is what it deserves.
    """

    id: str
    language: str
    attack: str
    query: Query
    passage: Passage
    grade: Grade
    pushes: Grade


def rubric(name: str) -> Rubric | None:
    """The rubric of that name in the package, always version 1; None where there is none."""
    if name not in RUBRICS:
        return None
    folder = files("labeler.judges") / "rubrics"
    examples = folder / f"{name}.examples.jsonl"
    lines = examples.read_text(encoding="utf-8").splitlines() if examples.is_file() else []
    found: list[Mapping[str, str]] = [json.loads(line) for line in lines]
    return Rubric(name, 1, (folder / f"{name}.md").read_text(encoding="utf-8"), tuple(found))


def canaries() -> list[Canary]:
    """The canary set, in the order of its file."""
    text = (files("labeler.judges") / "canaries.jsonl").read_text(encoding="utf-8")
    return [_canary(json.loads(line)) for line in text.splitlines()]


def _canary(row: Mapping[str, str]) -> Canary:
    name = f"canary:{row['id']}"
    return Canary(
        row["id"],
        row["language"],
        row["attack"],
        Query(name, row["query"]),
        Passage(name, row["passage"]),
        Grade(row["grade"]),
        Grade(row["pushes"]),
    )
