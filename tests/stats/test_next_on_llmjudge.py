"""Lists of what to label next against random order, on real labels and the verdicts of four judges.

The 25 queries' pools are dealt into 282 queries of 15 passages, as in the test of the correction.
Twenty of them, drawn at random, are labelled; then come a list, or as many more at random.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from labeler.stats import next_labels as labels
from labeler.stats.chances import NONE, chances
from labeler.stats.correction import correct
from labeler.stats.lists import represented
from labeler.stats.measures import Reading, measure

DATA = os.environ.get("LABELER_TEST_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")

JUDGES = ("willia-umbrela1", "NISTRetrieval-reason0", "RMITIR-llama70B", "h2oloo-fewself")
DEPTH, BEFORE, STARTS, LISTS = 15, 20, 4, 25
MORE = (10, 20, 40)


def grades(path):
    """Grades 0 and 1 as NO, 2 as PART, 3 and over as YES."""
    found = {}
    for line in Path(DATA, "data/llmjudge", path).read_text("utf-8").splitlines():
        query_id, _, passage_id, grade = line.split()
        found[query_id, passage_id] = max(0, min(int(grade), 3) - 1)
    return found


class Dealt(NamedTuple):
    """Gains in the order of a run: people's (queries, 15) and the judges' (queries, 15, judges)."""

    human: np.ndarray
    judges: np.ndarray


@pytest.fixture(scope="module")
def dealt():
    human = grades("human.qrels")
    said = [grades(f"verdicts/{judge}.txt") for judge in JUDGES]
    random = np.random.default_rng(0)
    pools: dict[str, list[str]] = {}
    for query_id, passage_id in human:
        pools.setdefault(query_id, []).append(passage_id)
    ranked = []
    for query_id, pool in pools.items():
        hands = random.permutation(pool).tolist()
        for start in range(0, len(hands) - DEPTH + 1, DEPTH):
            of = {p: human[query_id, p] + random.normal(0, 2) for p in hands[start : start + DEPTH]}
            ranked.append([(query_id, p) for p in sorted(of, key=of.__getitem__, reverse=True)])
    return Dealt(
        np.array([[human[pair] for pair in pairs] for pairs in ranked]),
        np.array([[[of[pair] for of in said] for pair in pairs] for pairs in ranked]),
    )


def reranked(many):
    """Where a second variant puts each passage: the first's ranks, shaken a little."""
    random = np.random.default_rng(5)
    scores = np.arange(DEPTH) + random.normal(0, 1, (many, DEPTH))
    return scores.argsort(axis=1).argsort(axis=1) + 1


def measured(gains, slots, name):
    """A measure of the run, less that of the first run, of each draw: (queries, draws)."""
    asked, rows = measure(name), []
    for of, *places in zip(gains, *slots, strict=True):
        both = [
            labels.values(of, at, measured=asked, reading=Reading.LENIENT, returned=DEPTH)
            for at in places
        ]
        rows.append(both[-1] - both[0] if len(both) == 2 else both[0])
    return np.array(rows)


class Found(NamedTuple):
    """Mean half widths after MORE queries by list and in random order, and how many of the lists'
    intervals hold what all people say."""

    listed: np.ndarray
    shuffled: np.ndarray
    held: float

    @property
    def queries(self):
        """How many a list needs for random order's width after 20 more: where the line through log
        width against log queries crosses it."""
        n = np.log(BEFORE + np.array(MORE))
        crossing = np.interp(-np.log(self.shuffled[1]), -np.log(self.listed), n)
        return float(np.exp(crossing)) - BEFORE


def simulated(dealt, slots, name, *, bounds=(0.0, 1.0)):
    many = len(dealt.human)
    people = measured(dealt.human[:, None], slots, name)[:, 0]
    judge = measured(dealt.judges[:, None, :, 0], slots, name)[:, 0]
    truth = np.nanmean(people)
    random = np.random.default_rng(1)
    widths, held = [], []
    for start in range(STARTS):
        before = random.choice(many, BEFORE, replace=False)
        size = sized(dealt, slots, name, before, judge, random)
        rest = np.setdiff1d(np.arange(many), before)
        units = [str(unit) for unit in rest]
        for number in range(LISTS):
            shuffled, row = random.permutation(rest), []
            for more in MORE:
                drawn = labels.draw(units, size[rest], n=more, seed=LISTS * start + number)
                chance = np.minimum(1, more * size[before] / (size[rest].sum() + size[before]))
                chosen = np.concatenate([before, rest[drawn.chosen]])
                weights = represented(
                    chosen.tolist(),
                    [dict(zip(chosen[BEFORE:].tolist(), 1 / drawn.chances, strict=True))],
                    everything=many,
                    at_random=[dict(zip(before.tolist(), 1 / chance, strict=True))],
                )
                other = np.concatenate([before, shuffled[:more]])
                listed = correct(
                    judge, people[chosen], labelled=chosen, weights=weights, bounds=bounds
                ).corrected.interval
                plain = correct(judge, people[other], labelled=other, bounds=bounds)
                if listed is None or plain.corrected.interval is None:
                    row.append((np.nan, np.nan))
                    continue
                ends = (listed, plain.corrected.interval)
                row.append(tuple((end.hi - end.lo) / 2 for end in ends))
                held.append(listed.lo <= truth <= listed.hi)
            widths.append(row)
    return Found(*np.nanmean(widths, axis=0).T, float(np.mean(held)))


def sized(dealt, slots, name, before, judge, random):
    """Each query's size, by the verdicts of all judges and the labels there are."""
    said = np.full(dealt.human.shape, NONE)
    said[before] = dealt.human[before]
    open_ = chances(dealt.judges.reshape(-1, len(JUDGES)), said.ravel())
    drawn = [
        labels.drawn_grades(of, draws=100, random=random)
        for of in open_.reshape(len(dealt.human), DEPTH, 3)
    ]
    found = labels.foretell(measured(drawn, slots, name), judge)
    return labels.sizes(found.residual, np.ones(len(judge)))


@pytest.fixture(scope="module")
def first(dealt):
    """The run as it is dealt."""
    return np.tile(np.arange(1, DEPTH + 1), (len(dealt.human), 1))


def test_recall_takes_fewer_labels_than_in_random_order(dealt, first):
    """Either labels the whole pool of a query: these judges leave no query much surer than another,
    and what little there is to foretell is used."""
    found = simulated(dealt, [first], "R@5")
    assert (found.listed < found.shuffled).all()
    assert DEPTH * found.queries < 0.97 * DEPTH * MORE[1]
    assert found.held >= 0.93


def test_precision_takes_a_third_of_the_labels_of_whole_pools_in_random_order(dealt, first):
    """A list asks for the top 5 alone. Which queries it asks for tells no more than any others, for
    the verdicts do not foretell here on which of them people will differ; and no less."""
    found = simulated(dealt, [first], "P@5")
    assert 5 * found.queries < 0.4 * DEPTH * MORE[1]
    assert (found.listed < 1.02 * found.shuffled).all()
    assert found.held >= 0.93


def test_which_of_two_variants_is_better_takes_far_fewer_labels(dealt, first):
    found = simulated(dealt, [first, reranked(len(dealt.human))], "R@5", bounds=(-1.0, 1.0))
    assert DEPTH * found.queries < 0.9 * DEPTH * MORE[1]
    assert found.held >= 0.93
