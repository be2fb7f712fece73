"""Alpha written out for resampling, and the clustered intervals of alpha and pairwise kappa."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labeler.stats.consistency import (
    alpha,
    alphas,
    clustered_alpha,
    clustered_kappa,
    coincidences,
)
from labeler.stats.kappa import Weighting

COUNTS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=25).map(
    lambda rows: np.array(rows, dtype=np.intp)
)


def test_a_coincidence_matrix_by_hand():
    # Labels NO, NO, YES on one pair: m = 3. o_NN = 2 * 1 / 2 = 1, o_NY = o_YN = 2 * 1 / 2 = 1.
    found = coincidences(np.array([[2, 0, 1]]))
    assert found[0].tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@settings(max_examples=100, deadline=None)
@given(counts=COUNTS)
def test_alpha_of_summed_coincidences_is_the_librarys(level, counts):
    ours = alphas(coincidences(counts).sum(axis=0), level)
    shared = counts[counts.sum(axis=1) > 1]
    if not len(shared) or np.count_nonzero(shared.sum(axis=0)) < 2:
        assert np.isnan(ours)
        assert alpha(counts, level).value is None
        assert alpha(counts, level).reason
    else:
        theirs = krippendorff.alpha(
            value_counts=shared, value_domain=[0, 1, 2], level_of_measurement=level
        )
        assert ours == pytest.approx(theirs, abs=1e-9)


def _grades(seed, queries=40, each=5):
    random = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(queries), each)
    first = random.integers(0, 3, size=queries * each)
    second = np.where(random.random(first.size) < 0.7, first, random.integers(0, 3, first.size))
    return numbers, first, second


@pytest.mark.parametrize("weighting", list(Weighting))
def test_the_kappa_of_two_people_is_scikit_learns_inside_its_interval(weighting):
    numbers, first, second = _grades(1)
    found = clustered_kappa(first, second, queries=numbers, weighting=weighting)
    theirs = cohen_kappa_score(
        first, second, weights=None if weighting is Weighting.PLAIN else str(weighting)
    )
    assert found.value == pytest.approx(theirs)
    assert found.interval is not None
    assert found.interval.lo < found.value < found.interval.hi


def test_passages_of_few_queries_make_the_intervals_wider():
    # The same labels, copied five times within each query: five times the pairs, no more evidence.
    numbers, first, second = _grades(2, each=1)
    fives = np.repeat(numbers, 5)
    once = clustered_kappa(first, second, queries=numbers)
    copied = clustered_kappa(np.repeat(first, 5), np.repeat(second, 5), queries=fives)
    assert copied.value == pytest.approx(once.value)
    assert copied.interval.lo == pytest.approx(once.interval.lo)
    counts = np.zeros((len(first), 3), dtype=np.intp)
    np.add.at(counts, (np.arange(len(first)), first), 1)
    np.add.at(counts, (np.arange(len(first)), second), 1)
    whole = clustered_alpha(counts, queries=numbers)
    copied = clustered_alpha(np.repeat(counts, 5, axis=0), queries=fives)
    assert copied.interval.hi - copied.interval.lo == pytest.approx(
        whole.interval.hi - whole.interval.lo, rel=0.05
    )


def test_what_has_no_value_says_why_and_has_no_interval():
    ones = np.zeros(6, dtype=np.intp)
    numbers = np.arange(6)
    found = clustered_kappa(ones, ones, queries=numbers)
    assert (found.value, found.interval) == (None, None)
    assert "NO" in found.reason
    counts = np.array([[2, 0, 0]] * 6)
    assert (
        clustered_alpha(counts, queries=numbers).reason == "every label is NO: alpha has no value"
    )
    alone = np.array([[1, 0, 0], [0, 0, 1]])
    assert "two people" in clustered_alpha(alone, queries=np.arange(2)).reason


def test_one_query_gives_a_number_without_an_interval():
    counts = np.array([[1, 0, 1], [0, 2, 0], [0, 0, 2]])
    found = clustered_alpha(counts, queries=np.zeros(3, dtype=np.intp))
    assert found.value is not None
    assert found.interval is None
    assert "fewer than 2 queries" in found.reason
