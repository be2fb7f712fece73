"""Drawing a spot check from what a judge has graded."""

from __future__ import annotations

from collections.abc import Sequence

from labeler.errors import LabelerError
from labeler.model import GRADES
from labeler.stats import parts, sampling
from labeler.store import holdouts, settled, spotchecks, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store


def draw(
    store: Store,
    name: str,
    *,
    judged: Selection,
    n: int = 30,
    seed: int = 0,
    per_verdict: int = sampling.PER_VERDICT,
    overlap: int = 1,
    held_out: bool = False,
    person: str = "",
) -> spotchecks.SpotCheck:
    """Draw `n` of the pairs that a judge has graded, by verdict, and store them as tasks.

    At least `per_verdict` of each verdict where there are that many, the rest in proportion; more
    than there are means all. Each pair is wanted from `overlap` people. The same seed on the same
    verdicts draws the same pairs. `held_out` draws fresh pairs to confirm a rubric on: only those
    of held-out needs that nobody has labelled.
    """
    if n < 1 or overlap < 1 or per_verdict < 0:
        raise LabelerError("A spot check needs at least one pair and one person a pair")
    frame = verdicts.frame(
        store,
        judge=judged.judge,
        rubric=judged.rubric,
        model=judged.model,
        answers=judged.answers,
    )
    if not len(frame.gain):
        raise LabelerError(
            f"{judged.judge} has no readable verdict to draw from: let it judge first",
            needs="verdicts",
        )
    pairs: list[tuple[str, str]] = list(zip(frame.query_id, frame.passage_id, strict=True))
    gain = frame.gain
    if held_out:
        places = _held_out(store, pairs, answers=judged.answers)
        pairs, gain = [pairs[place] for place in places], gain[places]
    drawn = sampling.draw(pairs, gain, n=n, per_verdict=per_verdict, seed=seed)
    chosen = [
        spotchecks.Drawn(pairs[place][0], pairs[place][1], str(GRADES[gain[place]]), weight)
        for place, weight in zip(drawn.chosen.tolist(), drawn.weights.tolist(), strict=True)
    ]
    check = spotchecks.SpotCheck(
        name=named(name),
        seed=seed,
        n=len(chosen),
        per_verdict=per_verdict,
        overlap=overlap,
        judge=judged.judge,
        rubric=judged.rubric,
        model=judged.model,
        drawn_at=store.clock(),
    )
    strata = [
        spotchecks.Stratum(str(GRADES[part.verdict]), part.size, part.drawn)
        for part in drawn.strata
    ]
    spotchecks.record(store, check, strata, by_query(chosen), person=person)
    return check


def _held_out(store: Store, pairs: Sequence[tuple[str, str]], *, answers: bool) -> list[int]:
    """The places of the pairs that nobody has labelled and whose need is held out."""
    needs = holdouts.needs(store, {query_id for query_id, _ in pairs})
    held = {query_id for query_id, need in needs.items() if parts.held_out(need)}
    seen = {(pair.query_id, pair.passage_id) for pair in settled.pairs(store, answers=answers)}
    places = [n for n, pair in enumerate(pairs) if pair[0] in held and pair not in seen]
    if not places:
        raise LabelerError("Every held-out pair that the judge has graded is labelled already")
    return places


def by_query(drawn: Sequence[spotchecks.Drawn]) -> list[spotchecks.Drawn]:
    """The pairs of one query together, queries in the order of their first pair.

    The draw's order is a keyed hash and so gives away neither rank nor verdict.
    """
    groups: dict[str, list[spotchecks.Drawn]] = {}
    for pair in drawn:
        groups.setdefault(pair.query_id, []).append(pair)
    return [pair for group in groups.values() for pair in group]


def named(name: str, *, what: str = "spot check") -> str:
    """A name for a spot check or a list, without outer white space; raises where it is none."""
    name = name.strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise LabelerError(f"A {what}'s name has 1 to 80 characters, no control characters")
    return name
