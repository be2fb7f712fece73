"""The gate: whether a judge is TRUSTED, REJECTED, or UNDECIDED for want of labels.

TRUSTED when the one-sided 95% exact upper bound of the disagreement is at most the threshold,
REJECTED when the lower bound is above it, else UNDECIDED. Whatever the bound, a judge that is not
shown to beat the best constant judge (`agreement.ConstantJudge`) is never TRUSTED; with one grade
everywhere none can be. Nothing is decided before the planned labels are in: the bounds hold for
one look at a number of labels fixed beforehand. A weighted sample is decided as the plain sample
that it is worth, with real-valued counts. Pairs are taken as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labeler.model import GRADES, Decision
from labeler.stats import explanation
from labeler.stats.agreement import ConstantJudge, Effective
from labeler.stats.evidence import (
    LEAST_THRESHOLD,
    THRESHOLD,
    Evidence,
    Outlook,
    labels_to_trust,
    rule_of_thumb,
)
from labeler.stats.intervals import Interval

FURTHER = (0, 1, 2)
"""The further disagreements for which an undecided gate says what it would take."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A decision and all that it rests on.

    `sentence` is for a manager, `reasons` for whoever asks why. `labels_needed`: more labels at the
    present rate until decided; None when decided, and when no realistic number would do it (a
    reason says so). `outlooks`: what 0, 1, 2 further disagreements would take, while the upper
    bound is what is missing. `bounds` are the one-sided 95% lower and upper bound, `sequence` the
    interval that holds at every look, both None without a pair, as is `rule_of_thumb`, which is
    x / n <= threshold and decides nothing.
    """

    decision: Decision
    sentence: str
    reasons: tuple[str, ...]
    labels_needed: int | None
    outlooks: tuple[Outlook, ...]
    n: int
    disagreements: int
    threshold: float
    planned: int | None
    bounds: Interval | None
    sequence: Interval | None
    rule_of_thumb: bool | None


def decide(
    x: int,
    n: int,
    *,
    constant: ConstantJudge | None,
    effective: Effective | None = None,
    threshold: float = THRESHOLD,
    planned: int | None = None,
    uncovered: Sequence[int] = (),
) -> Gate:
    """Decide on a judge that disagrees on x of n compared pairs.

    `constant` is `Agreement.constant_judge` of the same pairs, None only for n = 0; `effective` is
    `Agreement.effective` of a weighted sample. `planned` is the number of pairs that will be
    compared when the spot check is done (unsure ones leave the plan), None when n is not a stage of
    anything. `uncovered` are the grades (0, 1, 2) of verdicts that have no label yet
    (`sampling.weigh`): a decision would not speak for them.
    Raises ValueError for counts or a threshold that are none.
    """
    if not LEAST_THRESHOLD <= threshold < 1:
        raise ValueError(f"a threshold of {threshold}: expected between {LEAST_THRESHOLD} and 1")
    if n == 0:
        return _nothing(threshold, planned)
    if constant is None:
        raise ValueError(f"{n} compared pairs without their constant judge")
    evidence = Evidence(
        x=x,
        n=n,
        worth=effective or Effective(x / n, n, x),
        weighted=effective is not None,
        constant=constant,
        threshold=threshold,
        planned=planned,
        uncovered=tuple(GRADES[grade] for grade in uncovered),
    )
    decision, bounds = evidence.decision, evidence.bounds
    short = decision is Decision.UNDECIDED and bounds.hi > threshold
    return Gate(
        decision=decision,
        sentence=explanation.sentence(evidence),
        reasons=explanation.reasons(evidence),
        labels_needed=evidence.labels_needed,
        outlooks=tuple(evidence.outlook(further) for further in FURTHER) if short else (),
        n=n,
        disagreements=x,
        threshold=threshold,
        planned=planned,
        bounds=bounds,
        sequence=evidence.sequence,
        rule_of_thumb=rule_of_thumb(x, n, threshold=threshold),
    )


def _nothing(threshold: float, planned: int | None) -> Gate:
    """The gate before anything was compared: no rate yet, so the best case is what is needed."""
    needed = max(planned or 0, labels_to_trust(0, threshold))
    because = "no pair has both a label and a verdict"
    return Gate(
        decision=Decision.UNDECIDED,
        sentence=f"UNDECIDED: {because}: at least {needed:,} labels are needed.",
        reasons=(
            f"{because[0].upper()}{because[1:]}.",
            f"Without any disagreement {needed:,} labels could show that the judge is good enough.",
        ),
        labels_needed=needed,
        outlooks=tuple(
            Outlook(further, max(planned or 0, labels_to_trust(further, threshold)))
            for further in FURTHER
        ),
        n=0,
        disagreements=0,
        threshold=threshold,
        planned=planned,
        bounds=None,
        sequence=None,
        rule_of_thumb=None,
    )
