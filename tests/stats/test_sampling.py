"""Drawing a spot check by verdict, and the estimates that it gives."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.errors import UsageError
from labeler.stats.sampling import allocate, draw, stratified_rate, weigh

SIZES = st.lists(st.integers(0, 500), min_size=1, max_size=5)


def corpus(sizes):
    """Pairs whose verdicts have the given numbers, interleaved by a fixed shuffle."""
    verdicts = np.repeat(np.arange(len(sizes)), sizes)
    np.random.default_rng(0).shuffle(verdicts)
    return [(f"q{i % 7}", f"p{i}") for i in range(len(verdicts))], verdicts


def test_five_of_each_verdict_then_the_rest_in_proportion():
    # 15 of 30 go by the floor, 15 by size: 12, 1.8 and 1.2, of which the .8 is rounded up.
    assert allocate([800, 120, 80], 30) == (17, 7, 6)


def test_a_verdict_with_fewer_than_five_is_drawn_whole():
    assert allocate([1000, 3, 0], 30) == (27, 3, 0)


def test_a_floor_above_every_stratum_takes_no_time():
    assert allocate([4, 0, 9], 12, per_verdict=10**15) == allocate([4, 0, 9], 12, per_verdict=9)


def test_more_than_there_is_means_all():
    assert allocate([4, 0, 9], 30) == (4, 0, 9)


def test_floors_that_do_not_fit_are_lowered_evenly():
    # 15 by the floor are more than 8: two each are 6, and 2 go by size: 1.6, .24, .16.
    assert allocate([800, 120, 80], 8) == (4, 2, 2)


def test_every_verdict_is_drawn_even_without_a_floor():
    assert min(allocate([10_000, 1, 1], 30, per_verdict=0)) == 1


def test_fewer_pairs_than_verdicts_are_refused_in_words():
    with pytest.raises(UsageError, match="2 pairs cannot cover 3 verdicts: draw at least 3"):
        allocate([800, 120, 80], 2)


def test_equal_remainders_go_to_the_larger_stratum_and_then_to_the_earlier():
    assert allocate([50, 50, 50], 16) == (6, 5, 5)
    # 5 each, 2 more: of 60, 20 and 20 in 100 that is 1.2, .4 and .4.
    assert allocate([60, 20, 20], 17) == (6, 6, 5)


@given(SIZES, st.integers(1, 400), st.integers(0, 8))
def test_an_allocation_is_whole_and_keeps_its_floors(sizes, n, per_verdict):
    present = sum(size > 0 for size in sizes)
    if n < present:
        return
    drawn = allocate(sizes, n, per_verdict=per_verdict)
    assert sum(drawn) == min(n, sum(sizes))
    assert all(0 <= k <= size for k, size in zip(drawn, sizes, strict=True))
    floors = [min(max(1, per_verdict), size) for size in sizes]
    if sum(floors) <= n:
        assert all(k >= floor for k, floor in zip(drawn, floors, strict=True))
    # A larger stratum never has fewer drawn.
    ordered = [k for _, k in sorted(zip(sizes, drawn, strict=True))]
    assert ordered == sorted(ordered)


@given(SIZES.filter(lambda sizes: sum(sizes) > 0), st.integers(5, 60), st.integers(0, 2**40))
def test_a_draw_has_its_allocation_and_its_weights_add_up_to_the_pairs(sizes, n, seed):
    pairs, verdicts = corpus(sizes)
    drawn = draw(pairs, verdicts, n=n, seed=seed)
    assert len(set(drawn.chosen.tolist())) == len(drawn.chosen) == min(n, len(pairs))
    assert drawn.weights.sum() == pytest.approx(len(pairs))
    for stratum in drawn.strata:
        here = verdicts[drawn.chosen] == stratum.verdict
        assert (here.sum(), sizes[stratum.verdict]) == (stratum.drawn, stratum.size)
        assert (drawn.weights[here] == stratum.size / stratum.drawn).all()


def test_the_same_pairs_in_any_order_give_the_same_spot_check():
    pairs, verdicts = corpus([300, 60, 40])
    order = np.random.default_rng(1).permutation(len(pairs))
    one = draw(pairs, verdicts, seed=7)
    other = draw([pairs[i] for i in order], verdicts[order], seed=7)
    assert [pairs[i] for i in one.chosen] == [pairs[order[i]] for i in other.chosen]
    assert (one.weights == other.weights).all()
    assert set(draw(pairs, verdicts, seed=8).chosen) != set(one.chosen)


def test_a_larger_spot_check_of_the_same_seed_keeps_the_smaller_one():
    pairs, verdicts = corpus([300, 60, 40])
    small, large = (set(draw(pairs, verdicts, n=n, seed=7).chosen) for n in (30, 60))
    assert small < large


def test_ids_that_run_together_are_different_pairs():
    pairs = [("a", "bc"), ("ab", "c"), ("", "abc"), ("abc", "")]
    places = [draw(pairs, np.zeros(4, int), n=2, seed=s).chosen.tolist() for s in range(40)]
    assert {tuple(sorted(p)) for p in places} == {(a, b) for a in range(4) for b in range(a + 1, 4)}


def test_every_pair_of_a_verdict_is_as_likely_as_any_other():
    pairs, verdicts = corpus([40, 20])
    times = np.zeros(60)
    for seed in range(2000):
        times[draw(pairs, verdicts, n=20, seed=seed).chosen] += 1
    # Of 20: 5 + 10 * 2/3 = 12 of 40 and 8 of 20; four standard errors of 2,000 draws.
    for verdict, share in ((0, 12 / 40), (1, 8 / 20)):
        error = (share * (1 - share) / 2000) ** 0.5
        assert np.abs(times[verdicts == verdict] / 2000 - share).max() < 4 * error


def test_the_order_gives_away_no_verdict():
    pairs, verdicts = corpus([40, 20, 20])
    first = [int(verdicts[draw(pairs, verdicts, n=30, seed=s).chosen[0]]) for s in range(200)]
    assert set(first) == {0, 1, 2}


def test_nothing_to_draw_from_is_an_empty_spot_check():
    drawn = draw([], np.empty(0, dtype=int), seed=0)
    assert (len(drawn.chosen), len(drawn.weights), drawn.strata) == (0, 0, ())


def test_a_verdict_is_needed_for_each_pair():
    with pytest.raises(ValueError, match="1 pairs and 2 verdicts"):
        draw([("q", "p")], np.zeros(2, int), seed=0)


def test_a_million_verdicts_are_drawn_from_in_seconds():
    pairs = [(f"q{i // 100}", f"p{i}") for i in range(1_000_000)]
    verdicts = np.arange(1_000_000) % 10 // 8
    start = time.perf_counter()
    drawn = draw(pairs, verdicts, n=300, seed=1)
    # 0.9 s on an idle core.
    assert time.perf_counter() - start < 6
    assert len(drawn.chosen) == 300


def test_the_printed_stratified_estimate_comes_out():
    found = stratified_rate([800, 120, 80], [10, 10, 10], [0, 3, 2])
    assert found.naive == pytest.approx(0.166667, abs=5e-7)
    assert found.rate == pytest.approx(0.052)
    assert found.standard_error.value == pytest.approx(0.020188, abs=5e-7)
    # W^2 / n: .064 + .00144 + .00064 = .06608.
    assert found.n == pytest.approx(1 / 0.06608)
    assert found.x == pytest.approx(0.052 / 0.06608)


def test_thirty_drawn_by_verdict_are_worth_about_twenty_four():
    sizes = [800, 120, 80]
    assert stratified_rate(sizes, allocate(sizes, 30), [0, 0, 0]).n == pytest.approx(
        24.53, abs=0.01
    )


def test_a_verdict_drawn_whole_adds_no_error():
    # Only the 100 are uncertain: W = .5, p = .5, 1 - 10/100, / 9.
    found = stratified_rate([100, 100], [10, 100], [5, 20])
    assert found.standard_error.value == pytest.approx((0.25 * 0.9 * 0.25 / 9) ** 0.5)


def test_a_single_label_of_a_larger_verdict_has_no_measurable_error():
    found = stratified_rate([100, 10], [10, 1], [1, 0])
    assert found.standard_error.value is None
    assert found.standard_error.reason == "a verdict with a single label has no measurable spread"
    assert found.rate == pytest.approx(10 / 110)


@pytest.mark.parametrize(
    ("drawn", "disagreements"), [([10, 0], [1, 0]), ([10, 5], [11, 0]), ([200, 5], [0, 0])]
)
def test_counts_that_do_not_fit_the_strata_are_refused(drawn, disagreements):
    with pytest.raises(ValueError, match="drawn of"):
        stratified_rate([100, 10], drawn, disagreements)


def test_the_standard_error_is_the_spread_of_repeated_draws():
    sizes, drawn = [200, 60, 40], [12, 8, 6]
    random = np.random.default_rng(2)
    wrong = [
        np.arange(size) < size * rate for size, rate in zip(sizes, (0.1, 0.4, 0.5), strict=True)
    ]
    found = []
    for _ in range(4000):
        xs = [
            int(random.choice(w, k, replace=False).sum()) for w, k in zip(wrong, drawn, strict=True)
        ]
        found.append(stratified_rate(sizes, drawn, xs))
    assert np.mean([f.rate for f in found]) == pytest.approx((20 + 24 + 20) / 300, abs=0.004)
    expected = np.mean([f.standard_error.value**2 for f in found]) ** 0.5
    assert np.std([f.rate for f in found]) == pytest.approx(expected, rel=0.05)


def test_weights_are_of_the_labels_that_are_in():
    # Ten of each drawn; two NO and one YES are in, no PART: 800/2 and 80/1.
    found = weigh([800, 120, 80], np.array([0, 2, 0]))
    assert found.weights.tolist() == [400, 80, 400]
    assert found.uncovered == (1,)


def test_an_empty_verdict_is_no_gap():
    assert weigh([10, 0, 5], np.array([0, 2])).uncovered == ()


def test_more_labels_than_pairs_of_a_verdict_are_refused():
    with pytest.raises(ValueError, match=r"\[0, 2, 0\] compared pairs of strata of \[5, 1, 5\]"):
        weigh([5, 1, 5], np.array([1, 1]))
    with pytest.raises(ValueError, match="compared pairs of strata"):
        weigh([5, 1], np.array([2]))
