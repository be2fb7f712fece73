"""What a judge's errors do to each measure."""

from __future__ import annotations

import numpy as np
import pytest

from labeler.stats.judge_errors import (
    Judged,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
    success,
    what_if,
)


def test_precision_mixes_hits_kept_and_false_alarms():
    assert precision(0.4, sensitivity=0.9, specificity=0.95) == pytest.approx(0.36 + 0.03)


def test_a_list_with_nothing_relevant_and_ten_percent_false_yes_reads_as_if_there_were():
    # .1 + .09/2 + .081/3 + .0729/4 + .06561/5.
    value = reciprocal_rank([False] * 5, sensitivity=0.9, specificity=0.9)
    assert round(value, 6) == 0.203347


def test_recall_is_what_a_lenient_judge_destroys():
    # 4 of 5 relevant among the top 10 of a pool of 100: (3.6 + .3) / (4.5 + 4.75).
    query = Judged([True] * 4 + [False] * 6, 5, 100)
    assert recall(query, sensitivity=1, specificity=1) == 0.8
    assert round(recall(query, sensitivity=0.9, specificity=0.95), 4) == 0.4216


def test_a_perfect_judge_changes_nothing():
    query = Judged([False, True, True], 4, 20)
    perfect = {"sensitivity": 1.0, "specificity": 1.0}
    assert reciprocal_rank(query.top, **perfect) == 0.5
    assert success(query.top, **perfect) == 1
    assert recall(query, **perfect) == 0.5
    # (1/log2 3 + 1/2) / (1 + 1/log2 3 + 1/2)
    assert ndcg(query, **perfect) == pytest.approx(1.1309297535714573 / 2.1309297535714573)


def test_the_expectations_are_those_of_a_simulated_judge():
    random = np.random.default_rng(3)
    query, se, sp, draws = Judged([True, False, True, False], 3, 12), 0.8, 0.9, 100_000
    chance = np.array([se, 1 - sp, se, 1 - sp] + [se] + [1 - sp] * 7)
    yes = random.random((draws, 12)) < chance
    top = yes[:, :4]
    rates = {"sensitivity": se, "specificity": sp}
    first = np.where(top.any(axis=1), 1 / (top.argmax(axis=1) + 1), 0)
    assert reciprocal_rank(query.top, **rates) == pytest.approx(first.mean(), abs=0.005)
    assert success(query.top, **rates) == pytest.approx(top.any(axis=1).mean(), abs=0.005)
    seen = top.sum(axis=1).mean() / yes.sum(axis=1).mean()
    assert recall(query, **rates) == pytest.approx(seen, abs=0.005)
    discounts = 1 / np.log2(np.arange(2, 6))
    ideals = np.concatenate([[0], discounts.cumsum()])[np.minimum(yes.sum(axis=1), 4)]
    assert ndcg(query, **rates) == pytest.approx(
        (top @ discounts).mean() / ideals.mean(), abs=0.005
    )


def test_a_judge_that_never_says_yes_leaves_recall_and_ndcg_undefined():
    query = Judged([True], 1, 1)
    assert recall(query, sensitivity=0, specificity=1) is None
    assert ndcg(query, sensitivity=0, specificity=1) is None


def test_a_top_that_does_not_fit_its_pool_is_refused():
    with pytest.raises(ValueError, match="do not fit"):
        recall(Judged([True, True], 1, 10), sensitivity=1, specificity=1)
    with pytest.raises(ValueError, match="do not fit"):
        ndcg(Judged([False, False], 1, 2), sensitivity=1, specificity=1)


def test_a_slot_that_can_gain_nothing_gains_nothing_from_a_false_yes_either():
    # The first slot is a repeat or barred: only the second and third can be called relevant.
    query = Judged([None, False, True], 1, 10)
    rates = {"sensitivity": 0.9, "specificity": 0.8}
    assert reciprocal_rank(query.top, **rates) == pytest.approx(0.2 / 2 + 0.8 * 0.9 / 3)
    assert success(query.top, **rates) == pytest.approx(1 - 0.8 * 0.1)
    # Expected YES in the top .2 + .9, in the pool .9 + 9 * .2.
    assert recall(query, **rates) == pytest.approx(1.1 / 2.7)


def test_a_list_shorter_than_the_cutoff_is_divided_by_what_each_measure_divides_by():
    short, empty = Judged([True], 2, 9, k=4), Judged([], 2, 9, k=4)
    (by_k,) = what_if([short], "P", rates=[(0.8, 1)])
    assert (by_k.true, by_k.seen) == pytest.approx((0.25, 0.2))
    (by_retrieved,) = what_if([short], "P/retrieved", rates=[(0.8, 1)])
    assert (by_retrieved.true, by_retrieved.seen) == pytest.approx((1, 0.8))
    # Nothing came back: no P/retrieved, and 0 for the others.
    (none,) = what_if([empty], "P/retrieved", rates=[(0.8, 1)])
    assert none.true is None
    for measure in ("R", "P", "RR", "nDCG", "Success"):
        assert what_if([empty], measure, rates=[(0.8, 0.9)])[0][2:] == (0, 0)
    # The ideal goes down to the cutoff, not to where the list ends: 1 / (1 + 1 / log2 3).
    assert ndcg(short, sensitivity=1, specificity=1) == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_what_if_gives_the_mean_at_each_rate_for_the_answerable_queries():
    queries = [Judged([True, False], 1, 10), Judged([False, True], 2, 10), Judged([False], 0, 5)]
    perfect, lenient = what_if(queries, "P", rates=[(1, 1), (1, 0.9)])
    assert perfect == (1, 1, 0.5, 0.5)
    assert lenient.seen == pytest.approx(0.55)
    for measure in ("R", "RR", "nDCG", "Success"):
        (same,) = what_if(queries, measure, rates=[(1, 1)])
        assert same.seen == same.true
    (none,) = what_if(queries[2:], "R", rates=[(1, 1)])
    assert none.true is None
    with pytest.raises(ValueError, match="none of R, P"):
        what_if(queries, "MAP", rates=[])
