"""Cutting scores, or refusing to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from labeler.stats.threshold import threshold


def ids(many):
    return [f"q{n}" for n in range(many)]


def test_the_best_cut_of_a_small_table_by_hand():
    # Right .9 .8 .6 .4, wrong .7 .3 .2 .1 .1. Keeping >= .4: 4 of 4 right, drops 4 of 5 wrong,
    # J = .8. Keeping >= .8: 2 of 4, drops 5 of 5, J = .5. Precision at .4 is 4/5.
    # AUC: of 20 pairs .6 and .4 each lose to .7: 18/20.
    scores = [0.9, 0.8, 0.6, 0.4, 0.7, 0.3, 0.2, 0.1, 0.1]
    found = threshold(scores, [True] * 4 + [False] * 5, queries=ids(9))
    assert found.best == pytest.approx((0.4, 0.8, 1.0, 0.8))
    assert found.auc.value == pytest.approx(0.9)
    assert not found.recommended
    assert found.reason.startswith("too few: 4 right and 5 wrong")


def separated(many, gap, *, seed=0):
    random = np.random.default_rng(seed)
    right = random.normal(gap, 1, many).tolist()
    return right + random.normal(0, 1, 3 * many).tolist(), [True] * many + [False] * 3 * many


def test_classes_that_part_well_get_a_cut_with_its_cost():
    scores, right = separated(100, 4)
    found = threshold(scores, right, queries=ids(400))
    assert found.recommended
    assert 1 < found.best.score < 3
    assert found.best.precision > 0.8
    assert found.reason.startswith("the best cut, ")


@pytest.mark.parametrize("gap", [0, 0.5, 1])
def test_classes_that_overlap_get_a_refusal_and_still_show_the_cut(gap):
    scores, right = separated(100, gap)
    found = threshold(scores, right, queries=ids(400))
    assert not found.recommended
    assert found.best is not None
    assert found.reason.startswith(("the classes overlap", "wrong results score higher"))


def test_scores_that_run_the_other_way_are_pointed_out():
    scores, right = separated(50, 4)
    found = threshold([-s for s in scores], right, queries=ids(200))
    assert "distances" in found.reason


def test_a_perfect_separation_has_an_area_of_one_and_no_spread_to_see():
    found = threshold([3.0] * 20 + [1.0] * 20, [True] * 20 + [False] * 20, queries=ids(40))
    assert (found.auc.value, found.auc.interval) == (1, None)
    assert found.recommended
    assert found.best == (3.0, 1, 1, 1)


def test_results_of_one_class_have_nothing_to_part():
    found = threshold([1.0, 2.0], [True, True], queries=ids(2))
    assert found.auc.value is None
    assert found.best is None
    assert found.reason == "no wrong result has a score: there is nothing to part"
    assert "no right result" in threshold([1.0], [False], queries=ids(1)).reason


def test_results_without_a_score_are_counted_and_left_out():
    found = threshold(
        [None, math.nan, math.inf, 1.0, 2.0], [True, False, True, True, False], queries=ids(5)
    )
    assert (found.unscored, found.right, found.wrong) == (3, 1, 1)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="1 scores, 2 truths"):
        threshold([1.0], [True, False], queries=ids(1))


def test_one_query_has_an_area_and_no_interval():
    found = threshold([3.0, 1.0, 2.0, 0.0], [True, True, False, False], queries=["q"] * 4)
    assert found.auc.value == 0.75
    assert found.auc.interval is None


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40).filter(
        lambda rows: len({right for _, right in rows}) == 2
    )
)
def test_scikit_learn_says_the_same_area_and_no_cut_is_better(rows):
    scores, right = [float(score) for score, _ in rows], [truth for _, truth in rows]
    found = threshold(scores, right, queries=ids(len(rows)))
    assert found.auc.value == pytest.approx(roc_auc_score(right, scores))
    best = found.best.recall + found.best.dropped
    for cut in set(scores):
        kept = [truth for score, truth in rows if score >= cut]
        recall = sum(kept) / sum(right)
        dropped = 1 - (len(kept) - sum(kept)) / (len(right) - sum(right))
        assert recall + dropped <= best + 1e-12


def test_the_interval_is_delongs_where_each_query_has_one_result():
    # DeLong's variance from placements, written out: S10 / m + S01 / n.
    random = np.random.default_rng(2)
    right, wrong = random.normal(1, 1, 40), random.normal(0, 1, 60)
    found = threshold([*right, *wrong], [True] * 40 + [False] * 60, queries=ids(100))
    of_right = np.array([(wrong < r).mean() for r in right])
    of_wrong = np.array([(right > w).mean() for w in wrong])
    se = math.sqrt(of_right.var(ddof=1) / 40 + of_wrong.var(ddof=1) / 60)
    auc = of_right.mean()
    logit, half = math.log(auc / (1 - auc)), 1.959963984540054 * se / (auc * (1 - auc))
    expected = [1 / (1 + math.exp(-logit + side * half)) for side in (1, -1)]
    assert list(found.auc.interval) == pytest.approx(expected)


def test_the_interval_holds_the_truth_when_results_of_a_query_hang_together():
    # A query shifts all its scores by N(0, 1): right ~ N(1, 1), wrong ~ N(0, 1) before the shift.
    # AUC over all pairs of queries: P(N(1, 4) > 0) = Phi(1 / 2) = .6915.
    random = np.random.default_rng(8)
    held = 0
    for _ in range(300):
        shift = np.repeat(random.normal(0, 1, 60), 5)
        right = np.tile([True, False, False, False, True], 60)
        scores = random.normal(0, 1, 300) + right + shift
        lo, hi = threshold(
            scores.tolist(), right.tolist(), queries=[f"q{n // 5}" for n in range(300)]
        ).auc.interval
        held += lo <= 0.6915 <= hi
    # 95% of 300 is 285, give or take 3 standard errors of 3.8; pairs of one query are few.
    assert 273 <= held <= 297
