"""Variants compared need by need."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from labeler.stats.comparison import holm
from labeler.stats.measures import Reading, measure
from labeler.stats.retrieval import evaluate
from labeler.stats.variants import compare, detectable, most_changed, sign_flip_ps

RR = measure("RR@10")
GOLDEN = {f"q{n}": {"a": 2} for n in range(30)}


def ranks(places):
    """A run with the relevant passage at each query's place, 0 for nowhere."""
    return {
        f"q{n}": [f"x{slot}" for slot in range(place - 1)] + ["a"] if place else ["x"]
        for n, place in enumerate(places)
    }


def evaluated(run, **options):
    return evaluate(GOLDEN, run, measures=[RR, measure("Judged@5")], **options)


GOOD = evaluated(ranks([1] * 30))
WORSE = evaluated(ranks([2] * 20 + [1] * 10))


@pytest.mark.parametrize(("n", "smallest"), [(50, 0.119), (100, 0.084), (200, 0.059), (400, 0.042)])
def test_the_smallest_difference_that_so_many_needs_could_show(n, smallest):
    assert round(detectable(0.30, n), 3) == smallest


def test_wins_ties_losses_means_and_the_difference_itself():
    (found,) = compare({"good": GOOD, "worse": WORSE})
    # 20 of 30 needs fall from 1 to 1/2: the mean difference is -10/30.
    assert (found.first, found.second, found.needs) == ("good", "worse", 30)
    assert (found.wins, found.ties, found.losses) == (0, 10, 20)
    assert found.means == pytest.approx((1, 2 / 3))
    assert found.difference.value == pytest.approx(-1 / 3)
    assert found.difference.interval.hi < 0
    # All 20 of one sign: 2 of 2^20 flips are as far out, so only the +1 is left of 10,001.
    assert found.p == pytest.approx(1 / 10_001)
    assert found.p_holm == found.p
    assert found.reading == "good is better"
    # sd of 20 halves and 10 zeros, n - 1: sqrt((20 * (1/6)^2 + 10 * (1/3)^2) / 29).
    sd = ((20 / 36 + 10 / 9) / 29) ** 0.5
    assert found.detectable == pytest.approx(detectable(sd, 30))


def test_identical_runs_read_no_difference_on_any_query():
    (found,) = compare({"a": GOOD, "b": GOOD})
    assert found.reading == "no difference on any query"
    assert found.p == 1
    assert found.difference.value == 0
    assert found.difference.interval is None
    assert found.detectable is None
    assert found.ties == 30


def test_a_difference_that_is_not_shown_says_what_could_have_been():
    mixed = evaluated(ranks([2, 1] + [1] * 28))
    other = evaluated(ranks([1, 2] + [1] * 28))
    (found,) = compare({"a": mixed, "b": other})
    assert found.p > 0.9
    assert found.reading.startswith("no difference shown: 30 needs could show one of 0.0")


def test_p_is_that_of_all_sign_assignments():
    # Differences 1, 2, 3, 4: the 16 sums are +-10 +-8 +-6 +-4 +-4 +-2 +-2 0 0; |sum| >= 4 for the
    # observed 1 + 2 - 3 + 4 = 4: 10 of 16.
    differences = np.array([[1.0], [2.0], [-3.0], [4.0]])
    sums = [
        sum(s * d for s, d in zip(signs, (1, 2, 3, 4), strict=True))
        for signs in product((1, -1), repeat=4)
    ]
    assert sum(abs(of) >= 4 for of in sums) == 10
    (p,) = sign_flip_ps(differences, seed=0, flips=100_000)
    assert p == pytest.approx(10 / 16, abs=0.006)


@settings(max_examples=25)
@given(
    st.lists(
        st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.2, 1 / 3, 0.5, 1.0]), min_size=2, max_size=9
    )
)
def test_scipy_counts_the_same_flips(differences):
    """Thirds and halves tie up to rounding; scipy's exact test knows a tie by a relative 1e-14 of
    the statistic, so its data are scaled to whole numbers (all are multiples of 1/30)."""
    whole = np.round(np.array(differences) * 30)
    exact = (
        permutation_test(
            (whole,), np.sum, permutation_type="samples", vectorized=False, n_resamples=np.inf
        ).pvalue
        if whole.any()
        else 1.0
    )
    (p,) = sign_flip_ps(np.array(differences)[:, None], seed=3, flips=20_000)
    assert p == pytest.approx(exact, abs=0.02)


def test_the_seed_decides_and_is_enough():
    gaps = np.random.default_rng(1).normal(size=(30, 2))
    assert sign_flip_ps(gaps, seed=4).tolist() == sign_flip_ps(gaps, seed=4).tolist()
    assert sign_flip_ps(gaps, seed=4).tolist() != sign_flip_ps(gaps, seed=5).tolist()


def test_flips_in_several_blocks_are_all_counted():
    # 300 needs: more signs than one block holds. One differs, so every flip is as far from 0.
    gaps = np.zeros((300, 1))
    gaps[7] = 0.5
    assert sign_flip_ps(gaps, seed=0).tolist() == [1.0]
    # All differ by 1: no flip of 10,000 comes near, so 1 of 10,001.
    assert sign_flip_ps(np.ones((300, 1)), seed=0)[0] == pytest.approx(1 / 10_001)


def test_holm_goes_over_the_pairs_of_variants():
    third = evaluated(ranks([2] * 5 + [1] * 25))
    found = compare({"good": GOOD, "worse": WORSE, "third": third})
    assert [(each.first, each.second) for each in found] == list(
        combinations(["good", "worse", "third"], 2)
    )
    assert [each.p_holm for each in found] == pytest.approx(holm([each.p for each in found]))
    # Five needs of one sign: 2 of 32 assignments, .0625, and largest of the three.
    assert found[1].p == pytest.approx(0.0625, abs=0.01)
    assert found[1].p_holm == found[1].p


def test_every_measure_is_its_own_family_and_judged_is_no_merit():
    both = [RR, measure("Success@1"), measure("Judged@5")]
    variants = {
        name: evaluate(GOLDEN, run, measures=both)
        for name, run in (("a", ranks([1] * 30)), ("b", ranks([2] * 30)))
    }
    found = compare(variants)
    assert [str(each.measure) for each in found] == ["RR@10", "Success@1"]
    assert [each.p_holm for each in found] == [each.p for each in found]
    assert compare(variants, measures=[RR]) == found[:1]


def test_slices_show_where_the_difference_lies():
    kinds = {f"q{n}": "first" if n < 20 else "rest" for n in range(26)}
    (found,) = compare({"good": GOOD, "worse": WORSE}, slices={"kind": kinds})
    first, rest = found.slices
    assert (first.value, first.needs, first.difference.value, first.small) == (
        "first",
        20,
        -0.5,
        False,
    )
    assert (rest.value, rest.needs, rest.difference.value, rest.small) == ("rest", 6, 0, True)


def test_a_measure_that_neither_has_is_none_with_the_reason():
    shallow = [evaluated(ranks([1] * 30), depth=5) for _ in range(2)]
    (found,) = compare(dict(zip("ab", shallow, strict=True)))
    assert found.difference.value is None
    assert found.reading == "no query has it in both"
    assert (found.p, found.p_holm, found.means, found.needs) == (None, None, None, 0)


def test_runs_without_an_answerable_query_differ_nowhere_that_is_known():
    golden = {"q": {"a": 0}}
    one, other = (evaluate(golden, {"q": [p]}, draws=10) for p in "ab")
    for each in compare({"a": one, "b": other}, flips=10, draws=10):
        assert (each.needs, each.p, each.difference.value) == (0, None, None)
        assert each.reading == "no query has it in both"


def test_needs_with_a_value_in_both_are_compared():
    run = ranks([1] * 30)
    fewer = {query_id: ranking for query_id, ranking in run.items() if query_id != "q3"}
    asked = [measure("P/retrieved@1")]
    first, second = (evaluate(GOLDEN, each, measures=asked) for each in (run, fewer))
    (found,) = compare({"a": first, "b": second})
    assert (found.needs, found.means, found.reading) == (29, (1, 1), "no difference on any query")


def test_evaluations_of_different_things_are_refused():
    fewer = evaluate({"q1": {"a": 2}}, {}, measures=[RR])
    with pytest.raises(ValueError, match="other queries"):
        compare({"a": GOOD, "b": fewer})
    lenient = evaluated(ranks([1] * 30), reading=Reading.LENIENT)
    with pytest.raises(ValueError, match="lenient reading"):
        compare({"a": GOOD, "b": lenient})
    grouped = evaluated(ranks([1] * 30), needs={"q1": "q0"})
    with pytest.raises(ValueError, match="needs"):
        compare({"a": GOOD, "b": grouped})


def test_one_variant_has_nothing_to_be_compared_with():
    assert compare({"a": GOOD}) == []


def test_the_queries_that_changed_most_come_with_both_rankings():
    before, after = ranks([1, 4, 2] + [1] * 27), ranks([2, 1, 2] + [1] * 27)
    found = most_changed(
        evaluated(before), evaluated(after), runs=(before, after), measure=RR, many=5
    )
    assert [(each.query_id, each.difference) for each in found] == [("q1", 0.75), ("q0", -0.5)]
    assert found[0].first_top == ("x0", "x1", "x2", "a")
    assert found[0].second_top == ("a",)


def simulated(needs, *, variants, random):
    """Success of variants that differ in nothing but luck, given how hard each need is."""
    hard = random.random(needs)[:, None]
    values = (random.random((needs, variants)) < hard).astype(float)
    pairs = combinations(range(variants), 2)
    return np.column_stack([values[:, b] - values[:, a] for a, b in pairs])


def test_six_variants_that_do_not_differ_are_rarely_said_to():
    random = np.random.default_rng(11)
    wrong = 0
    for seed in range(120):
        ps = sign_flip_ps(simulated(50, variants=6, random=random), seed=seed, flips=2000)
        wrong += min(holm(ps.tolist())) < 0.05
    # Family-wise at .05 the chance of 13 or more of 120 is under .01.
    assert wrong <= 12


def test_forty_needs_with_five_paraphrases_are_forty_and_not_two_hundred():
    random = np.random.default_rng(12)
    by_need = by_query = 0
    for seed in range(300):
        shared = random.normal(0, 0.3, size=(40, 1))
        gaps = shared + random.normal(0, 0.1, size=(40, 5))
        by_need += sign_flip_ps(gaps.mean(axis=1)[:, None], seed=seed, flips=1000)[0] < 0.05
        by_query += sign_flip_ps(gaps.reshape(-1, 1), seed=seed, flips=1000)[0] < 0.05
    # At .05 the chance of 26 or more of 300 is under .005; by query it is far beyond.
    assert by_need <= 25
    assert by_query > 75
