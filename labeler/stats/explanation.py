"""A decision in words: one sentence for a manager, and the reasons for whoever asks why."""

from __future__ import annotations

import math

from labeler.model import GRADES, Decision
from labeler.stats.agreement import SIGNIFICANT
from labeler.stats.evidence import MOST_LABELS, Evidence, rule_of_thumb, rule_of_thumb_passes


def sentence(evidence: Evidence) -> str:
    """The decision and what it rests on."""
    decision, limit = evidence.decision, percent(evidence.threshold)
    lo, hi = (percent(end, beside=evidence.threshold) for end in evidence.bounds)
    seen = f"{evidence.x:,} of {evidence.n:,} pairs disagree"
    if evidence.weighted and evidence.x:
        seen += f" ({percent(evidence.worth.rate)} after reweighting)"
    if decision is Decision.TRUSTED:
        because = f"{seen}, so with 95% confidence at most {hi} of all, within the limit of {limit}"
    elif decision is Decision.REJECTED:
        because = f"{seen}, so with 95% confidence more than {lo} of all, over the limit of {limit}"
    elif evidence.awaited:
        because = (
            f"{evidence.n:,} of {evidence.planned:,} labels are in, and nothing is decided before "
            f"the last; so far {seen}, which leaves {_any_look(evidence)} open"
        )
    else:
        because = f"{seen}, {_undecided(evidence)}: {_way_out(evidence)}"
    return f"{decision}: {because}."


def _undecided(evidence: Evidence) -> str:
    """What stands in the way once the planned labels are in."""
    limit = percent(evidence.threshold)
    lo, hi = (percent(end, beside=evidence.threshold) for end in evidence.bounds)
    if evidence.uncovered:
        return f"but no label speaks for the verdict {_uncovered(evidence)}"
    if evidence.bounds.hi <= evidence.threshold:
        always = GRADES[evidence.constant.grade]
        if not evidence.constant.disagreement:
            return (
                f"but every label is {always}, as a judge that always says {always} would have it"
            )
        return (
            f"within the limit of {limit}, but the judge is not shown to beat one that always says "
            f"{always}"
        )
    if evidence.x:
        return f"which fits any rate from {lo} to {hi} with the limit at {limit}"
    if not evidence.weighted:
        return f"but {evidence.n:,} are too few to show at most {limit}"
    worth = _worth(evidence)
    return (
        f"but drawn by verdict they are worth about {worth} drawn at random, and {worth} are too "
        f"few to show at most {limit}"
    )


def _way_out(evidence: Evidence) -> str:
    """How many more labels settle an open decision, or why none do."""
    needed, constant = evidence.labels_needed, evidence.constant
    if needed is not None:
        return f"about {needed:,} more {'label settles' if needed == 1 else 'labels settle'} it"
    if evidence.worth.rate <= evidence.threshold and not constant.disagreement:
        return "more labels of one grade settle nothing, label pairs of other grades"
    if evidence.worth.rate <= evidence.threshold and constant.ahead <= constant.behind:
        return "at the present rate no number of labels shows it better"
    return (
        f"at the present rate no realistic number of labels, up to {MOST_LABELS:,} more, settles it"
    )


def reasons(evidence: Evidence) -> tuple[str, ...]:
    """Each thing that bears on the decision, as a sentence, the weightiest first."""
    n, t = evidence.n, evidence.threshold
    lo, hi = (percent(end, beside=t) for end in evidence.bounds)
    found = [
        f"One-sided 95% bounds of the disagreement: at least {lo}, at most {hi}; "
        f"the limit is {percent(t)}."
    ]
    if evidence.weighted:
        found.append(
            f"The sample was drawn by verdict: reweighted, {percent(evidence.worth.rate)} "
            f"disagree, and {n:,} labels are worth about {_worth(evidence)} drawn at random."
        )
    found.append(_beside_constant(evidence))
    if evidence.awaited:
        found.append(
            f"{n:,} of the {evidence.planned:,} planned labels are in; the bounds hold only then. "
            f"At every look the rate lies in {_any_look(evidence)}."
        )
    if evidence.uncovered:
        found.append(f"No label yet for the verdict {_uncovered(evidence)}: nothing speaks for it.")
    if evidence.decision is Decision.UNDECIDED:
        way_out = _way_out(evidence)
        found.append(f"{way_out[0].upper()}{way_out[1:]}.")
    found.append(_thumb(evidence))
    return tuple(found)


def _beside_constant(evidence: Evidence) -> str:
    """The judge beside the best constant judge."""
    constant = evidence.constant
    always = f"a judge that always says {GRADES[constant.grade]}"
    if not constant.disagreement:
        return (
            f"Every label is {GRADES[constant.grade]}: {always} is never wrong here, and no judge "
            "can be trusted on such pairs alone."
        )
    rate = percent(constant.disagreement, beside=evidence.worth.rate)
    if constant.beaten:
        return f"It beats {always}, which would disagree on {rate} of the same pairs."
    return (
        f"It is not shown to beat {always} ({rate} disagreement on the same pairs): only the judge "
        f"is right on {constant.ahead:.3g}, only the other on {constant.behind:.3g} "
        f"(exact one-sided p = {constant.p:.2g}; shown is p of at most {SIGNIFICANT})."
    )


def _thumb(evidence: Evidence) -> str:
    """The rule of thumb, and how much it lets through."""
    x, n, t = evidence.x, evidence.n, evidence.threshold
    worse = min(1.0, 1.5 * t)
    chance = rule_of_thumb_passes(worse, n, threshold=t)
    return (
        f"Rule of thumb: {x:,} of {n:,} is {percent(x / n, beside=t)}, which "
        f"{'passes' if rule_of_thumb(x, n, threshold=t) else 'fails'} at {percent(t)}. With {n:,} "
        f"pairs a judge that is wrong on {percent(worse)} passes it {percent(chance)} of the time."
    )


def _worth(evidence: Evidence) -> str:
    """The effective number of pairs, in whole ones that it is at least."""
    return f"{math.floor(evidence.worth.n + 1e-9):,}"


def _any_look(evidence: Evidence) -> str:
    """The interval that holds at every look."""
    return " to ".join(percent(end) for end in evidence.sequence)


def _uncovered(evidence: Evidence) -> str:
    """The verdicts without a label."""
    return " and ".join(evidence.uncovered)


def percent(value: float, *, beside: float | None = None) -> str:
    """A share as a percentage, to one decimal or to as many as tell it from `beside`."""
    text = ""
    for digits in range(1, 6):
        text = _rounded(value, digits)
        if beside is None or value == beside or text != _rounded(beside, digits):
            break
    return text


def _rounded(value: float, digits: int) -> str:
    """A percentage without trailing zeros, and without the sign of a zero."""
    text = f"{100 * value:.{digits}f}".rstrip("0").rstrip(".")
    return f"{'0' if text == '-0' else text}%"
