"""Verdicts from a file."""

from __future__ import annotations

from datetime import UTC, datetime

from labeler.judges import recorded
from labeler.model import Grade, Judgment, Status


def test_a_row_is_a_verdict_of_the_named_judge_and_rubric():
    (verdict,) = recorded.verdicts(
        [Judgment("q", "p", Grade.PART, model="m", reason="half", at="2026-03-01T09:00:00+01:00")],
        judge="ours",
        rubric="strict@2",
    )
    assert (verdict.judge, verdict.rubric, verdict.model) == ("ours", "strict@2", "m")
    assert (verdict.grade, verdict.status, verdict.reason) == (Grade.PART, Status.OK, "half")
    assert verdict.judged_at == datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def test_a_row_without_a_grade_is_unreadable_and_its_own_rubric_wins():
    row = Judgment("q", "p", None, rubric="lax@1", raw="Yes, perhaps", at="yesterday")
    (verdict,) = recorded.verdicts([row], judge="ours", rubric="strict@2")
    assert (verdict.grade, verdict.status) == (None, Status.UNREADABLE)
    assert (verdict.rubric, verdict.raw, verdict.judged_at) == ("lax@1", "Yes, perhaps", None)
