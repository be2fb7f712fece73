"""Reading single cases of a judge: those held out are left alone, or the look at them is counted.

What was read is no evidence any more for a rubric that is mended after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from labeler.reports.render import judge_name
from labeler.stats.parts import Part, held_out
from labeler.store import holdouts, looks
from labeler.store.comparison import Disagreement, Selection
from labeler.store.db import Store
from labeler.store.looks import Look


def held_among(store: Store, cases: Sequence[Disagreement]) -> list[Disagreement]:
    """Those of the cases whose needs are held out of tuning a rubric."""
    needs = holdouts.needs(store, {case.query_id for case in cases})
    return [case for case in cases if held_out(needs[case.query_id])]


def note(
    store: Store, selection: Selection, cases: Sequence[Disagreement], *, person: str
) -> Look | None:
    """Record that a person read the held-out ones of these cases, as a look that counts with the
    others at the same pairs and confirms nothing; None where none is held out."""
    read = held_among(store, cases)
    if not read:
        return None
    look = Look(
        part=Part.ALL,
        spotcheck=selection.spotcheck or "",
        first="",
        second=judge_name(selection.judge, selection.rubric, selection.model),
        rubric=selection.rubric,
        look=0,
        n=len(read),
        disagreements=sum(case.human != case.judge for case in read),
        only_first=0,
        only_second=0,
        p=1.0,
        difference=None,
        lo=None,
        hi=None,
        reading="not confirmed",
        person=person,
    )
    return looks.record(store, look, [(case.query_id, case.passage_id) for case in read])
