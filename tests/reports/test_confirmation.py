"""A rubric that was tuned is trusted only for what held-out pairs say of it."""

from __future__ import annotations

import pytest

from labeler.model import Decision
from labeler.reports.confirmation import Confirmation, held_to
from labeler.stats import gate
from labeler.stats.agreement import ConstantJudge
from labeler.store.looks import Look

BEATEN = ConstantJudge(grade=0, disagreement=0.5, ahead=50, behind=0, p=0.5**50)


def decided(x: int = 0, n: int = 100) -> gate.Gate:
    return gate.decide(x, n, constant=BEATEN)


def looked(x: int, n: int, reading: str = "confirmed") -> Confirmation:
    look = Look(
        *("held-out", "check", "j r@1", "j r@2", "r@2", 1, n, x, 0, 9, 0.004),
        *(-0.3, -0.4, -0.2, reading),
    )
    return Confirmation(reading, "What the look said.", 60, 1, 0, look)


def test_a_rubric_that_was_not_tuned_is_decided_as_it_stands() -> None:
    untuned = Confirmation("not tuned", "", 0, 0, 0, None)
    assert held_to(decided(), untuned) == decided()
    assert decided().decision is Decision.TRUSTED


def test_one_that_was_only_tuned_is_never_trusted() -> None:
    tuned = Confirmation("only tuned", "It may be fitted to them.", 60, 0, 0, None)
    found = held_to(decided(), tuned)
    assert found.decision is Decision.UNDECIDED
    assert found.sentence == "UNDECIDED: It may be fitted to them."
    assert found.reasons[-1] == "It may be fitted to them."
    # What was rejected stays so: fitted pairs can only flatter.
    assert held_to(decided(40), tuned).decision is Decision.REJECTED


@pytest.mark.parametrize(
    ("x", "n", "decision", "needed"),
    [
        # The table of the exact bounds at n = 30: .095034 with none, .148596 with one.
        (0, 30, Decision.TRUSTED, None),
        # 46 pairs with one disagreement are the fewest that are trusted: 16 more.
        (1, 30, Decision.UNDECIDED, 16),
        (7, 30, Decision.REJECTED, None),
        # 29 without one are the fewest: 17 more.
        (0, 12, Decision.UNDECIDED, 17),
    ],
)
def test_the_held_out_pairs_alone_must_allow_it(
    x: int, n: int, decision: Decision, needed: int | None
) -> None:
    found = held_to(decided(), looked(x, n))
    assert (found.decision, found.labels_needed) == (decision, needed)
    assert found.sentence.startswith(str(decision))


def test_one_that_is_worse_than_the_version_before_is_not_trusted() -> None:
    assert held_to(decided(), looked(0, 60, "worse")).decision is Decision.UNDECIDED
