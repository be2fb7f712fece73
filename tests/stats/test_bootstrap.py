"""The bootstrap over queries."""

from __future__ import annotations

import numpy as np
import pytest

from labeler.stats.agreement import measure
from labeler.stats.bootstrap import number, resample, spread, tables_by_query
from labeler.stats.kappa import confusion, kappas


def clustered(queries=12, seed=5):
    """Pairs of queries that differ in size and in how well the judge does."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 12, queries)
    place = np.repeat(np.arange(queries), sizes)
    human = random.integers(0, 3, len(place)).astype(np.int8)
    wrong = random.random(len(place)) < random.random(queries)[place] * 0.6
    judge = np.where(wrong, random.integers(0, 3, len(place)), human).astype(np.int8)
    return human, judge, place


def test_queries_are_numbered_by_their_sorted_ids():
    assert number(["q2", "q10", "q2", "001", "1"]).tolist() == [3, 2, 3, 0, 1]


def test_each_query_has_its_table_and_an_absent_number_has_none():
    human, judge, place = clustered()
    tables = tables_by_query(human, judge, queries=place * 3)
    assert tables.shape == (12, 3, 3)
    for query in range(12):
        here = place == query
        assert (tables[query] == confusion(human[here], judge[here])).all()


def test_a_query_number_is_needed_for_each_pair():
    human, judge, _ = clustered()
    with pytest.raises(ValueError, match="pairs and 1 query numbers"):
        tables_by_query(human, judge, queries=np.zeros(1, dtype=np.intp))


def test_a_resample_is_a_sum_of_whole_queries():
    # Rows 1, 10, 100: three draws of three sum to a number whose digits add up to 3.
    sums = resample(np.array([[1.0], [10.0], [100.0]]), seed=1, draws=500)
    digits = [sum(int(d) for d in f"{int(s):d}") for s in sums[:, 0]]
    assert set(digits) == {3}
    assert len({float(s) for s in sums[:, 0]}) == 10


def test_the_interval_is_that_of_a_bootstrap_written_out():
    human, judge, place = clustered()
    found = measure(human, judge, queries=place, seed=3, draws=4000).kappa.interval
    random = np.random.default_rng(99)
    members = [np.flatnonzero(place == query) for query in range(12)]
    values = []
    for _ in range(4000):
        rows = np.concatenate([members[q] for q in random.integers(0, 12, 12)])
        values.append(float(kappas(confusion(human[rows], judge[rows]))))
    # Two independent sets of 4,000 draws: their ends differ by Monte Carlo error only.
    assert found == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.03)


def test_the_same_pairs_in_any_order_give_the_same_interval():
    human, judge, place = clustered()
    ids = [f"q{p}" for p in place]
    order = np.random.default_rng(0).permutation(len(place))
    one = measure(human, judge, queries=number(ids))
    other = measure(human[order], judge[order], queries=number([ids[i] for i in order]))
    assert one.kappa == other.kappa
    assert measure(human, judge, queries=number(ids), seed=1).kappa != one.kappa


def test_passages_of_one_query_that_move_together_widen_the_interval():
    # 20 queries, in ten the judge is right on all 20 passages, in ten always wrong: what is known
    # is 20 queries, not 400 pairs.
    human = np.tile([0, 2], 200).astype(np.int8)
    place = np.repeat(np.arange(20), 20)
    judge = np.where(place < 10, human, 2 - human).astype(np.int8)
    by_query = measure(human, judge, queries=place).kappa.interval
    by_pair = measure(human, judge, queries=np.arange(400)).kappa.interval
    assert by_query.hi - by_query.lo > 3 * (by_pair.hi - by_pair.lo)


def test_one_query_has_nothing_to_resample():
    human, judge, place = clustered()
    found = measure(human, judge, queries=np.zeros_like(place)).kappa
    assert found.value is not None
    assert found.interval is None
    assert found.reason == "fewer than 2 queries: nothing to resample"


def test_undefined_draws_are_dropped_and_counted():
    values = np.concatenate([np.linspace(0, 1, 960), np.full(40, np.nan)])
    found = spread(values, queries=9)
    assert found.undefined == 40
    assert found.interval == pytest.approx((0.025, 0.975))


def test_too_many_undefined_draws_leave_no_interval():
    values = np.concatenate([np.linspace(0, 1, 940), np.full(60, np.nan)])
    found = spread(values, queries=9)
    assert (found.interval, found.undefined) == (None, 60)
    assert found.reason == "undefined in 6% of the resamples"


def test_a_single_query_that_holds_the_rare_grade_is_often_not_drawn():
    # One of four queries has a YES; it is missed by (3/4)^4 = 32% of draws, whose kappa is 0 / 0.
    human = np.array([0, 0, 0, 0, 0, 0, 0, 2], dtype=np.int8)
    found = measure(human, human, queries=np.repeat(np.arange(4), 2))
    assert found.undefined_draws / found.draws == pytest.approx(0.75**4, abs=0.04)
    assert found.kappa.interval is None
    assert found.kappa.reason.startswith("undefined in ")


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # 200 studies of 60 queries with 5 pairs each, the judge's quality varying by query.
    random = np.random.default_rng(11)
    hit = 0
    for study in range(200):
        quality = random.beta(8, 2, 60).repeat(5)
        human = random.integers(0, 2, 300).astype(np.int8)
        judge = np.where(random.random(300) < quality, human, 1 - human).astype(np.int8)
        place = np.arange(60).repeat(5)
        interval = measure(
            human, judge, queries=place, classes=2, seed=study, draws=400
        ).kappa.interval
        # Mean quality .8 with both grades half the time: kappa = (.8 - .5) / .5 = .6.
        hit += interval.lo <= 0.6 <= interval.hi
    assert 0.90 <= hit / 200 <= 0.99
