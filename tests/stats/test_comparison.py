"""Two judges on the same pairs, and slices against the threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from labeler.stats.agreement import measure
from labeler.stats.comparison import Part, Stratum, compare, holm, mcnemar, slices, weighted
from labeler.stats.intervals import wilson


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        (6, 0, 0.031250),
        (5, 0, 0.0625),
        (6, 1, 0.125),
        (9, 2, 0.065430),
        (12, 3, 0.035156),
        (3, 3, 1),
        (0, 0, 1),
    ],
)
def test_the_printed_mcnemar_values_come_out(b, c, p):
    assert mcnemar(b, c) == pytest.approx(p, abs=5e-7)
    assert mcnemar(c, b) == mcnemar(b, c)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_equals_statsmodels(b, c):
    if b + c:
        expected = statsmodels_mcnemar([[0, b], [c, 0]], exact=True).pvalue
        assert mcnemar(b, c) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=15)  # statsmodels takes 40 ms a call
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_equals_statsmodels(ps):
    expected = multipletests(ps, method="holm")[1] if ps else []
    assert holm(ps) == pytest.approx(list(expected))


def test_the_printed_slices_come_out():
    parts = [
        Part("kind", name, n, x)
        for name, x, n in [("A", 1, 12), ("B", 6, 14), ("C", 3, 30), ("D", 9, 25), ("E", 0, 8)]
    ]
    found = slices(parts, threshold=0.10)
    expected = [0.717570, 0.001474, 0.588649, 0.000458, 1]
    assert [s.p for s in found] == pytest.approx(expected, abs=5e-7)
    assert [s.p_holm for s in found] == pytest.approx([1, 0.005896, 1, 0.002288, 1], abs=5e-7)
    above = "above the threshold"
    assert [s.reading for s in found] == ["", above, "", above, "too few"]
    assert found[1].disagreement.value == 6 / 14
    assert found[1].disagreement.interval == wilson(6, 14)
    assert [s.value for s in found] == list("ABCDE")


def test_a_slice_without_a_pair_is_not_tested_and_costs_the_others_nothing():
    full = Part("kind", "exact", 14, 6)
    alone, beside = (
        slices(parts, threshold=0.10) for parts in ([full], [Part("kind", "x", 0, 0), full])
    )
    assert beside[1] == alone[0]
    assert beside[0].p is beside[0].p_holm is beside[0].disagreement.value is None
    assert beside[0].reading == "too few"


def judges(queries=40, *, seed=4, second=0.1):
    """Labels and two judges, wrong on 30% and on `second` of pairs; ten pairs a query."""
    random = np.random.default_rng(seed)
    human = random.integers(0, 3, queries * 10).astype(np.int8)
    place = np.repeat(np.arange(queries), 10)
    wrong = [random.random(len(human)) < rate for rate in (0.3, second)]
    first, other = (np.where(w, (human + 1) % 3, human).astype(np.int8) for w in wrong)
    return human, first, other, place


def test_the_judge_that_disagrees_less_is_named():
    human, first, second, place = judges()
    found = compare(human, first, second, queries=place)
    assert found.first == measure(human, first, queries=place).disagreement.value
    assert found.second == measure(human, second, queries=place).disagreement.value
    assert found.difference.value == pytest.approx(found.second - found.first)
    assert found.difference.interval.hi < 0
    assert found.reading == "second"
    assert found.only_first == ((first == human) & (second != human)).sum()
    assert found.only_second == ((first != human) & (second == human)).sum()
    assert found.p == mcnemar(found.only_first, found.only_second)
    assert compare(human, second, first, queries=place).reading == "first"


def test_a_difference_whose_interval_holds_0_is_not_shown():
    human, first, second, place = judges(second=0.3)
    found = compare(human, first, second, queries=place)
    assert found.difference.interval.lo <= 0 <= found.difference.interval.hi
    assert found.reading == "no difference shown"


def test_queries_decide_where_pairs_would_say_too_much():
    # The second is right on all ten pairs of three queries, the first on all of two others: McNemar
    # counts 30 against 20 as pairs, but that is three queries against two.
    human = np.zeros(100, dtype=np.int8)
    place = np.repeat(np.arange(10), 10)
    first = np.where(np.isin(place, [0, 1, 2, 3, 4, 5]), 1, 0).astype(np.int8)
    second = np.where(np.isin(place, [6]), 1, 0).astype(np.int8)
    second[np.isin(place, [3, 4, 5])] = 1
    found = compare(human, first, second, queries=place)
    assert (found.only_first, found.only_second) == (10, 30)
    assert found.p < 0.01
    assert found.reading == "no difference shown"


def test_identical_judges_differ_by_0_without_an_interval():
    human, first, _, place = judges()
    found = compare(human, first, first, queries=place)
    assert (found.difference.value, found.difference.interval) == (0, None)
    assert (found.p, found.reading) == (1, "no difference shown")


def test_the_difference_is_weighted_and_the_counts_are_not():
    human = np.zeros(4, dtype=np.int8)
    first, second = np.array([1, 0, 0, 0], np.int8), np.array([0, 1, 1, 0], np.int8)
    weights = np.array([5.0, 1.0, 1.0, 3.0])
    found = compare(human, first, second, queries=np.arange(4), weights=weights)
    assert (found.only_first, found.only_second) == (2, 1)
    assert (found.first, found.second) == (0.5, 0.2)
    assert found.difference.value == pytest.approx(-0.3)


def test_no_pairs_compare_nothing():
    none = np.empty(0, dtype=np.int8)
    found = compare(none, none, none, queries=np.empty(0, dtype=np.intp))
    assert found.first is found.second is found.difference.value is None
    assert found.reading == "no difference shown"


def test_lists_of_different_lengths_are_refused():
    one, two = np.zeros(1, np.int8), np.zeros(2, np.int8)
    with pytest.raises(ValueError, match="1 labels, 2 and 2 verdicts"):
        compare(one, two, two, queries=np.zeros(2, np.intp))


def test_a_slice_of_a_sample_drawn_by_verdict_is_reweighted() -> None:
    # 10 of the NO stratum at weight 80, none wrong; 10 of the YES stratum at weight 8, 5 wrong.
    # rate = 8 * 5 / (800 + 80) = .045455; worth (880)^2 / (10 * 6400 + 10 * 64) = 11.980198.
    part = weighted("kind", "exact", strata=[Stratum(10, 0, 80.0), Stratum(10, 5, 8.0)])
    (found,) = slices([part], threshold=0.10)
    assert (found.n, found.disagreements) == (20, 5)
    assert found.disagreement.value == pytest.approx(0.045455, abs=1e-6)
    assert part.effective is not None
    assert part.effective.n == pytest.approx(11.980198, abs=1e-6)
    assert found.reading == ""  # unweighted, 5 of 20 against 10% would be p = .0432


def test_equal_weights_change_nothing_but_the_type() -> None:
    part = weighted("kind", "exact", strata=[Stratum(8, 1, 3.0), Stratum(6, 2, 3.0)])
    (drawn,) = slices([part], threshold=0.10)
    (plain,) = slices([Part("kind", "exact", 14, 3)], threshold=0.10)
    assert drawn.disagreement.value == pytest.approx(plain.disagreement.value)
    assert drawn.p == pytest.approx(plain.p)
