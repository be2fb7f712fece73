"""Whether a rubric was only ever seen on the pairs that it was written from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from labeler.model import Decision
from labeler.reports.render import counted, judge_name
from labeler.reports.workshop_lines import look_json, looked
from labeler.stats.evidence import labels_more
from labeler.stats.explanation import percent
from labeler.stats.gate import Gate
from labeler.stats.intervals import clopper_pearson_bounds
from labeler.store import contrasts, looks, rubrics
from labeler.store.comparison import Comparison, Selection
from labeler.store.db import Store
from labeler.store.looks import Look


@dataclass(frozen=True)
class Confirmation:
    """`status` is "not tuned" (no compared pair had a label when the rubric was added), "only
    tuned" (some had, and nobody has looked at held-out pairs), or the reading of the newest look
    at them: "confirmed", "not confirmed", "worse". `before` of the compared pairs had been
    labelled before the rubric was added, `looks` is how often held-out pairs were looked at for
    it, and `examples` pairs were left out because the rubric shows them.
    """

    status: str
    sentence: str
    before: int
    looks: int
    examples: int
    look: Look | None


def confirmation(store: Store, selection: Selection, found: Comparison, *, n: int) -> Confirmation:
    """What is known of a judge's rubric, for the `n` compared pairs of `found`."""
    second = judge_name(selection.judge, selection.rubric, selection.model)
    of_it = [look for look in looks.history(store, second=second) if look.part == "held-out"]
    examples = len(found.examples)
    entry = _entry(store, selection.rubric)
    before = contrasts.labelled_before(found, entry.added_at) if entry else 0
    if of_it:
        said = looked(of_it[0])
        return Confirmation(of_it[0].reading, said, before, len(of_it), examples, of_it[0])
    if not before:
        return Confirmation("not tuned", "", 0, 0, examples, None)
    said = (
        f"{selection.rubric} was added after {before:,} of these {counted(n, 'pair')} had been "
        "labelled and has not been confirmed on held-out pairs: it may be fitted to them."
    )
    return Confirmation("only tuned", said, before, 0, examples, None)


def held_to(decided: Gate, found: Confirmation) -> Gate:
    """The gate's decision on a rubric that was written from labelled pairs: what it was tuned on
    does not speak for it, so it is TRUSTED only where the held-out pairs of the newest look allow
    it as well, by the same bound."""
    reasons = (*decided.reasons, found.sentence) if found.sentence else decided.reasons
    decided = replace(decided, reasons=reasons)
    if not found.before or decided.decision is not Decision.TRUSTED:
        return decided
    look = found.look
    if look is None or look.reading == "worse":
        return replace(
            decided,
            decision=Decision.UNDECIDED,
            sentence=f"UNDECIDED: {found.sentence}",
        )
    x, n, limit = look.disagreements, look.n, decided.threshold
    bounds = clopper_pearson_bounds(x, n)
    if bounds.hi <= limit:
        return decided
    said = f"on {counted(n, 'held-out pair')} alone the judge disagrees on {x:,}"
    if bounds.lo > limit:
        sentence = f"REJECTED: {said}, at least {percent(bounds.lo)} with 95% confidence."
        return replace(decided, decision=Decision.REJECTED, sentence=sentence)
    more = labels_more(x, n, threshold=limit)
    sentence = (
        f"UNDECIDED: {said}, which leaves up to {percent(bounds.hi)}, and it was tuned on the "
        f"others: {counted(more, 'more held-out label')} without a disagreement would settle it "
        "(draw held-out pairs, then look again)."
    )
    return replace(decided, decision=Decision.UNDECIDED, sentence=sentence, labels_needed=more)


def _entry(store: Store, ref: str) -> rubrics.Entry | None:
    """A version that a person wrote; what comes with the package was tuned on nobody's labels."""
    name = ref.rpartition("@")[0]
    found = [entry for entry in rubrics.history(store, name) if entry.rubric.ref == ref]
    return found[0] if name and found and found[0].added_by != "labeler" else None


def as_json(found: Confirmation) -> dict[str, Any]:
    """The `confirmed` part of the agreement report."""
    return {
        "status": found.status,
        "sentence": found.sentence,
        "labelled_before": found.before,
        "looks": found.looks,
        "examples_left_out": found.examples,
        "look": None if found.look is None else look_json(found.look),
    }
