"""What a measure of each query may come to once people label it, by what the judges said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.reports.partly import Partly
from labeler.reports.render import judge_name
from labeler.stats import next_labels
from labeler.stats.chances import NONE, Gains, chances
from labeler.stats.measures import Golden, Measure, Values
from labeler.stats.needs import need_means
from labeler.store import verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store

OTHERS = 4
"""How many other judges are listened to, the newest first."""


class Other(NamedTuple):
    """A judge beside the one that is corrected, and its verdicts as gains."""

    name: str
    verdicts: Golden


def others(store: Store, judged: Selection) -> list[Other]:
    """What other judges, rubrics and models say, the newest first, OTHERS at most."""
    own = (judged.judge, judged.rubric, judged.model)
    found: list[Other] = []
    for judge, rubric, model, *_ in verdicts.judges(store):
        if (judge, rubric, model) != own and len(found) < OTHERS:
            gains: dict[str, dict[str, int]] = {}
            for of in verdicts.graded(store, judge=judge, rubric=rubric, model=model):
                gains.setdefault(of.query_id, {})[of.passage_id] = of.grade.gain
            found.append(Other(judge_name(judge, rubric, model), gains))
    return found


def drawn_values(
    found: Partly,
    measured: Measure,
    *,
    pools: Sequence[Sequence[str]],
    others: Sequence[Other],
    complete: NDArray[np.bool_],
    seed: int,
) -> Values:
    """The measure of each need, of the second run less the first where there are two, under grades
    drawn for the `pools`, the passages of each query: (needs, draws), NaN where it is undefined.

    What is labelled of a need that is not `complete` (needs) is certain. One that is counts as if
    it had no label, so that the chance it would have had does not hang on what people said of it.
    """
    random, runs = np.random.default_rng(seed), list(found.runs.values())
    open_ = _chances(found, pools, others=others, complete=complete)
    rows = np.empty((len(pools), next_labels.DRAWS))
    start = 0
    for row, (query_id, pool) in enumerate(zip(found.query_ids, pools, strict=True)):
        own = open_[start : start + len(pool)]
        start += len(pool)
        grades = next_labels.drawn_grades(own, draws=next_labels.DRAWS, random=random)
        of_each = [
            _values(found, measured, grades, pool=pool, ranking=ranked.run.get(query_id, ()))
            for ranked in runs
        ]
        rows[row] = of_each[1] - of_each[0] if len(of_each) == 2 else of_each[0]
    return need_means(rows, found.needs)


def _values(
    found: Partly,
    measured: Measure,
    grades: Gains,
    *,
    pool: Sequence[str],
    ranking: Sequence[str],
) -> Values:
    # Built backwards, so that a repeated passage is known by its first slot.
    first = dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))
    slots = np.array([first.get(passage_id, 0) for passage_id in pool], dtype=np.intp)
    return next_labels.values(
        grades, slots, measured=measured, reading=found.reading, returned=len(ranking)
    )


def _chances(
    found: Partly,
    pools: Sequence[Sequence[str]],
    *,
    others: Sequence[Other],
    complete: NDArray[np.bool_],
) -> Values:
    """The chances of every pair of the pools, one query's below the other's."""
    told: list[Mapping[str, Mapping[str, int]]] = [found.verdicts, *(o.verdicts for o in others)]
    rows, labels, fixed = [], [], []
    for query_id, need, pool in zip(found.query_ids, found.needs, pools, strict=True):
        said = [of.get(query_id, {}) for of in told]
        own = found.labels.get(query_id, {})
        for passage_id in pool:
            rows.append([of.get(passage_id, NONE) for of in said])
            labels.append(own.get(passage_id, NONE))
            fixed.append(passage_id in own and not complete[need])
    verdict = np.array(rows, dtype=np.int64).reshape(len(rows), len(told))
    label, certain = np.array(labels, dtype=np.int64), np.array(fixed, dtype=bool)
    open_ = chances(verdict, label)
    open_[certain] = np.eye(3)[label[certain]]
    return open_
