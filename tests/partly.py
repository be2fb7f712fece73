"""What the tests of corrected numbers share: a store with pairs judged, and partly labelled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labeler.model import GRADES, Judgment, RunRow, Status, Verdict
from labeler.store import labels, lists, runs, spotchecks, verdicts
from labeler.store.db import Store
from labeler.store.spotchecks import Drawn, SpotCheck, Stratum


def judge(store: Store, said: Mapping[str, str], *, name: str = "j") -> None:
    """Verdicts of a judge: a query's grades by passage, as in `a2 b0`."""
    verdicts.record(
        store,
        [
            Verdict(q, word[:-1], name, GRADES[int(word[-1])], Status.OK)
            for q, words in said.items()
            for word in words.split()
        ],
    )


def label(store: Store, said: Mapping[str, str]) -> None:
    """Blind labels of one person, as the verdicts are written."""
    given = [
        Judgment(q, word[:-1], GRADES[int(word[-1])])
        for q, words in said.items()
        for word in words.split()
    ]
    labels.bring(store, given, annotator="ann")


def ran(store: Store, lists_of: Mapping[str, str], *, system: str = "s") -> None:
    """A run: a query's passages in their order, parted by blanks."""
    rows = [
        RunRow(q, p, rank)
        for q, passages in lists_of.items()
        for rank, p in enumerate(passages.split(), start=1)
    ]
    runs.record(store, rows, system=system)


def draw(store: Store, chosen: Mapping[str, float], *, name: str) -> None:
    """A list of queries to label next, a task a query, with 1 / the chance of each."""
    tasks = [Drawn(q, "a", lists.NEXT, weight) for q, weight in chosen.items()]
    check = SpotCheck(name, 0, 0, 0, 1, "j", "", "", store.clock())
    spotchecks.record(store, check, [Stratum(lists.NEXT, 9, len(tasks))], tasks)


def population(store: Store, *, seed: int = 1, many: int = 80, labelled: int = 30) -> None:
    """Queries of ten passages, two runs of which the second is better, a lenient judge, and some
    queries labelled through."""
    random = np.random.default_rng(seed)
    truth = {f"q{n:02}": random.choice(3, 10, p=[0.6, 0.2, 0.2]) for n in range(many)}
    seen = {q: np.where(random.random(10) < 0.25, 2, of) for q, of in truth.items()}
    judge(store, {q: " ".join(f"p{n}{g}" for n, g in enumerate(of)) for q, of in seen.items()})
    for system, noise in (("weak", 2.0), ("strong", 0.8)):
        order = {q: np.argsort(-(of + random.normal(0, noise, 10))) for q, of in truth.items()}
        ran(store, {q: " ".join(f"p{n}" for n in of) for q, of in order.items()}, system=system)
    chosen = random.choice(many, labelled, replace=False)
    done = {f"q{n:02}": truth[f"q{n:02}"] for n in chosen}
    label(store, {q: " ".join(f"p{n}{g}" for n, g in enumerate(of)) for q, of in done.items()})
