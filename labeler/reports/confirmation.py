"""Whether a rubric was only ever seen on the pairs that it was written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labeler.reports.render import counted, judge_name
from labeler.reports.workshop_lines import look_json, looked
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
        "labelled and has not been confirmed on held-out pairs: it may be fitted to them "
        "(`labeler rubric confirm`)."
    )
    return Confirmation("only tuned", said, before, 0, examples, None)


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
