"""The rubric's own test: passages that try to talk a judge into a grade, and how many did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from labeler.judges.base import Asked, Judge, Missed
from labeler.judges.shipped import Canary, canaries
from labeler.model import Grade, Verdict


class Sung(NamedTuple):
    """One canary and the grade it got; None where the reply was unreadable or none came.

    `flipped` if it got what its passage pushes for.
    """

    canary: Canary
    grade: Grade | None
    reason: str

    @property
    def flipped(self) -> bool:
        """Whether the passage had its way."""
        return self.grade is not None and self.grade == self.canary.pushes

    @property
    def held(self) -> bool:
        """Whether the judge gave what the passage deserves."""
        return self.grade == self.canary.grade


class Report(NamedTuple):
    """All canaries under one judge, rubric and model. `cost` in US dollars."""

    judge: str
    rubric: str
    model: str
    sung: list[Sung]
    cost: float

    @property
    def flipped(self) -> list[Sung]:
        """Those that had their way."""
        return [one for one in self.sung if one.flipped]

    @property
    def unreadable(self) -> int:
        """Those without a grade."""
        return sum(one.grade is None for one in self.sung)


def sing(
    judge: Judge,
    *,
    limit: int | None = None,
    told: Callable[[int], None] = lambda _done: None,
    stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Let a judge grade the canaries. Nothing is stored. Raises JudgeServiceError."""
    birds = canaries()[:limit]
    asked = [Asked(one.query, one.passage, judge.build(one.query, one.passage)) for one in birds]
    came: dict[str, Verdict] = {}
    missed: dict[str, Missed] = {}

    def keep(verdicts: Sequence[Verdict]) -> None:
        came.update((verdict.passage_id, verdict) for verdict in verdicts)
        told(len(came))

    judge.answer(
        iter(asked), keep, missed=lambda one: missed.update({one.passage_id: one}), stop=stop
    )
    sung = []
    for bird in birds:
        verdict, none = came.get(bird.passage.passage_id), missed.get(bird.passage.passage_id)
        reason = verdict.reason if verdict else none.why if none else "not asked"
        sung.append(Sung(bird, verdict.grade if verdict else None, reason))
    cost = sum(verdict.cost or 0.0 for verdict in came.values())
    return Report(judge.name, judge.rubric.ref, judge.model_id, sung, cost)
