"""How far a project is, and what comes next."""

from __future__ import annotations

from typing import NamedTuple

from labeler.reports.render import counted
from labeler.store import corpora, queries, runs, spotchecks, tasks, verdicts
from labeler.store.db import Store


class Step(NamedTuple):
    """One step of the path from nothing to a decision. `page` is where the app does it."""

    name: str
    done: bool
    said: str
    page: str


def steps(store: Store) -> list[Step]:
    """The path, in order, as far as it has been walked."""
    passages, asked = corpora.count(store), len(queries.ids(store))
    systems, candidates = len(runs.systems(store)), runs.candidates(store)
    judges = verdicts.judges(store)
    check = next(iter(spotchecks.history(store)), None)
    overall = tasks.overall(store, check.name) if check else tasks.Overall(0, 0)
    named = f" in {check.name}" if check else ""
    graded = sum(judged.ok for judged in judges)
    return [
        Step(
            "Bring passages and queries",
            passages > 0 and asked > 0,
            f"{counted(passages, 'passage')}, {counted(asked, 'query', plural='queries')}",
            "data",
        ),
        Step(
            "Bring runs and pool them",
            candidates > 0,
            f"{counted(systems, 'system')}, {counted(candidates, 'candidate pair')}",
            "judge" if systems else "data",
        ),
        Step(
            "Let a judge grade them",
            graded > 0,
            f"{counted(graded, 'verdict')} of {counted(len(judges), 'judge')}",
            "judge",
        ),
        Step(
            "Draw a spot check",
            check is not None,
            f"{counted(check.n, 'pair')}{named}" if check else "none is drawn",
            "judge",
        ),
        Step(
            "Label it blind",
            0 < overall.wanted <= overall.done,
            f"{overall.done:,} of {overall.wanted:,} labels{named}",
            "label",
        ),
    ]
