"""How consistent people are: with each other, with what reviewers settled, and with themselves."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.model import GRADES
from labeler.stats import consistency
from labeler.stats.agreement import share
from labeler.stats.bootstrap import number
from labeler.stats.intervals import Estimate
from labeler.stats.kappa import Weighting
from labeler.store import consistency as stored
from labeler.store.consistency import Given, Press
from labeler.store.db import Store

SITTING = 300.0
"""Seconds without an answer that end a sitting: a pause is no pace."""

WARM_UP = 10
"""A person's first labels, which are compared with the later ones."""

AGAIN = 3600.0
"""Seconds after which an answer on the same pair measures a person against themselves; before
that it mends a slip."""


class Twosome(NamedTuple):
    """Two people on the `n` pairs that both labelled blind; the intervals count queries."""

    first: str
    second: str
    n: int
    disagreements: int
    kappa: Estimate
    kappa_linear: Estimate


class Drift(NamedTuple):
    """A person against adjudicated grades: on `n` pairs, how often they differ, and by how many
    grades they are higher (lenient) or lower (strict) in the mean; None without a pair.
    """

    when: str
    n: int
    disagreement: Estimate
    mean_difference: float | None


class Personal(NamedTuple):
    """One person: what they labelled, how fast, how often unsure, and how steady.

    `pace` is the median of seconds between two answers of a sitting; None with fewer than two.
    `steady` is the share of pairs, answered blind again an hour or more later, that got the same
    grade. `drift` is by month, the last row over all; `warm_up` over the first WARM_UP labels.
    """

    name: str
    labels: int
    unsure: Estimate
    pace: float | None
    steady: Estimate
    repeats: int
    warm_up: Drift
    drift: tuple[Drift, ...]


@dataclass(frozen=True)
class Report:
    """Everything that is said of people's consistency. `shared` pairs have two labels or more."""

    shared: int
    queries: int
    alpha: Estimate
    alpha_nominal: Estimate
    twosomes: tuple[Twosome, ...]
    people: tuple[Personal, ...]


def build(store: Store, *, seed: int = 0) -> Report:
    """Compare people's blind labels."""
    given, presses = stored.given(store), stored.presses(store)
    pairs = number_pairs(given)
    gains = np.array([one.gain for one in given], dtype=np.int8)
    counts = consistency.label_counts(pairs, gains, classes=len(GRADES))
    queries = _queries_of(given, pairs)
    names = sorted({one.annotator for one in given} | {one.annotator for one in presses})
    shared = counts.sum(axis=1) > 1
    return Report(
        int(shared.sum()),
        len(set(queries[shared].tolist())),
        consistency.clustered_alpha(counts, queries=queries, seed=seed),
        consistency.clustered_alpha(counts, queries=queries, level="nominal", seed=seed),
        tuple(_twosomes(given, seed=seed)),
        tuple(_personal(name, given, presses) for name in names),
    )


def number_pairs(given: Sequence[Given]) -> NDArray[np.intp]:
    """A number for each distinct pair, in the order of `given`, which keeps pairs together."""
    places: dict[tuple[str, str], int] = {}
    numbers = [places.setdefault((one.query_id, one.passage_id), len(places)) for one in given]
    return np.array(numbers, dtype=np.intp)


def _queries_of(given: Sequence[Given], pairs: NDArray[np.intp]) -> NDArray[np.intp]:
    """The query number of each pair number."""
    queries = number([one.query_id for one in given])
    found = np.zeros(int(pairs.max()) + 1 if pairs.size else 0, dtype=np.intp)
    found[pairs] = queries
    return found


def _twosomes(given: Sequence[Given], *, seed: int) -> list[Twosome]:
    by_person: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for one in given:
        by_person[one.annotator][one.query_id, one.passage_id] = one.gain
    found = []
    for first, second in combinations(sorted(by_person), 2):
        both = sorted(by_person[first].keys() & by_person[second].keys())
        if not both:
            continue
        a = np.array([by_person[first][pair] for pair in both], dtype=np.intp)
        b = np.array([by_person[second][pair] for pair in both], dtype=np.intp)
        queries = number([pair[0] for pair in both])
        plain, linear = (
            consistency.clustered_kappa(a, b, queries=queries, weighting=weighting, seed=seed)
            for weighting in (Weighting.PLAIN, Weighting.LINEAR)
        )
        found.append(Twosome(first, second, len(both), int((a != b).sum()), plain, linear))
    return found


def _personal(name: str, given: Sequence[Given], presses: Sequence[Press]) -> Personal:
    mine = sorted((one for one in given if one.annotator == name), key=lambda one: one.labelled_at)
    pressed = [one for one in presses if one.annotator == name]
    latest = {(one.query_id, one.passage_id): one.state for one in pressed}
    unsure = sum(state == "unsure" for state in latest.values())
    months: dict[str, list[Given]] = defaultdict(list)
    for one in mine:
        months[f"{one.labelled_at:%Y-%m}"].append(one)
    by_month = [_drift(month, part) for month, part in sorted(months.items())]
    steady, repeats = _steady(pressed)
    return Personal(
        name,
        len(mine),
        share(unsure, len(latest), reason="no answer was given in the app"),
        _pace(pressed),
        steady,
        repeats,
        _drift("warm-up", mine[:WARM_UP]),
        (*(part for part in by_month if part.n), _drift("all", mine)),
    )


def _drift(when: str, given: Sequence[Given]) -> Drift:
    apart = [one.gain - one.adjudicated for one in given if one.adjudicated is not None]
    differ = sum(difference != 0 for difference in apart)
    rate = share(differ, len(apart), reason="none of these pairs was adjudicated")
    return Drift(when, len(apart), rate, statistics.fmean(apart) if apart else None)


def _pace(pressed: Sequence[Press]) -> float | None:
    gaps = [
        (after.pressed_at - before.pressed_at).total_seconds()
        for before, after in pairwise(pressed)
    ]
    within = [gap for gap in gaps if 0 < gap <= SITTING]
    return statistics.median(within) if within else None


def _steady(pressed: Sequence[Press]) -> tuple[Estimate, int]:
    """Of the pairs graded again AGAIN or later, the share that got the grade of the time before."""
    before: dict[tuple[str, str], Press] = {}
    same = repeats = 0
    for one in pressed:
        pair = (one.query_id, one.passage_id)
        last = before.get(pair)
        graded = last is not None and last.gain is not None and one.gain is not None
        if last and graded and (one.pressed_at - last.pressed_at).total_seconds() >= AGAIN:
            repeats += 1
            same += one.gain == last.gain
        before[pair] = one
    return share(same, repeats, reason="no pair was labelled again later"), repeats
