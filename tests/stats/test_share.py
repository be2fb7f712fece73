"""The share of truly relevant pairs."""

from __future__ import annotations

import numpy as np
import pytest

from labeler.stats.share import (
    Stratum,
    effective_counts,
    error_rates,
    relevant_share,
    rogan_gladen,
)

# 36 of 45 labelled pairs judged YES are relevant, 4 of 55 judged NO; 520 of 1,000 are judged YES.
STRATA = [Stratum("YES", True, 520, 45, 36), Stratum("NO", False, 480, 55, 4)]


def test_the_share_is_post_stratified_by_verdict():
    found = relevant_share(STRATA, seed=0)
    # .52 * 36/45 + .48 * 4/55.
    assert round(found.value.value, 6) == 0.450909
    assert found.judge_only.value == 0.52
    assert found.people_only.value == 0.4
    assert round(found.rogan_gladen.value, 6) == 0.493333


def test_the_closed_form_beside_it():
    closed = relevant_share(STRATA, seed=0).closed_form
    assert [round(end, 6) for end in closed] == [0.377495, 0.524323]


def test_the_interval_is_that_of_the_two_betas():
    # .52 X + .48 Y, X ~ Beta(36.5, 9.5), Y ~ Beta(4.5, 51.5), integrated numerically: P(sum < t) is
    # the integral over x of Y's distribution function at (t - .52 x) / .48.
    from scipy.optimize import brentq
    from scipy.stats import beta

    middle = (np.arange(20_000) + 0.5) / 20_000
    density = beta.pdf(middle, 36.5, 9.5) / 20_000

    def below(t):
        return float(density @ beta.cdf((t - 0.52 * middle) / 0.48, 4.5, 51.5))

    expected = [brentq(lambda t, p=p: below(t) - p, 0.2, 0.7) for p in (0.025, 0.975)]
    assert list(relevant_share(STRATA, seed=1).value.interval) == pytest.approx(expected, abs=1e-3)


def test_the_seed_decides_and_is_kept():
    assert relevant_share(STRATA, seed=3) == relevant_share(STRATA, seed=3)
    assert relevant_share(STRATA, seed=3).seed == 3


def test_a_verdict_without_a_label_leaves_the_share_undefined_by_name():
    found = relevant_share([STRATA[0], Stratum("NO", False, 480, 0, 0)], seed=0)
    assert found.value.value is None
    assert found.value.reason == "no label among the pairs judged NO"
    assert found.closed_form is None
    assert found.rogan_gladen.value is None


def test_a_verdict_without_a_pair_is_no_obstacle():
    found = relevant_share([*STRATA, Stratum("PART", False, 0, 0, 0)], seed=0)
    assert found.value == relevant_share(STRATA, seed=0).value


def test_without_a_pair_there_is_no_share():
    assert relevant_share([], seed=0).value.reason == "no judged pair"


def test_counts_that_are_none_are_refused():
    with pytest.raises(ValueError, match="5 of 4"):
        relevant_share([Stratum("YES", True, 10, 4, 5)], seed=0)


def test_rogan_gladen_stays_within_bounds_and_needs_a_judge_better_than_chance():
    assert rogan_gladen(0.05, sensitivity=0.9, specificity=0.9).value == 0
    assert rogan_gladen(0.99, sensitivity=0.9, specificity=0.9).value == 1
    none = rogan_gladen(0.5, sensitivity=0.4, specificity=0.6)
    assert none.value is None
    assert "chance" in none.reason


def test_labels_of_unequal_weight_are_worth_fewer_equal_ones():
    # Weights 1, 1, 2: (4)^2 / 6 = 2.667 labels; relevant the one of 2: half of the weight.
    n, relevant = effective_counts(np.array([False, False, True]), np.array([1.0, 1.0, 2.0]))
    assert n == pytest.approx(16 / 6)
    assert relevant == pytest.approx(8 / 6)
    assert effective_counts(np.array([], bool), np.array([])) == (0, 0)


def test_labels_of_whole_queries_are_worth_fewer_pairs():
    # Two queries of two labels each, relevant 1, 1 and 1, 0: p = .75. Sums of (x - p) / 4 by query:
    # .125 and -.125; variance 2 / 1 * 2 * .125^2 = .0625; .1875 / .0625 = 3 labels.
    relevant = np.array([True, True, True, False])
    n, x = effective_counts(relevant, np.ones(4), queries=np.array([0, 0, 7, 7]))
    assert (n, x) == pytest.approx((3, 2.25))
    # Pairs that vary within queries as much as between are worth no more than they are.
    n, _ = effective_counts(np.array([True, False] * 2), np.ones(4), queries=np.array([0, 0, 7, 7]))
    assert n == 4
    assert effective_counts(relevant, np.ones(4), queries=np.zeros(4, int)) == (1, 0.75)


def test_the_error_rates_are_those_of_all_pairs_however_labels_were_drawn():
    # Judged YES 520 * .8 = 416 relevant and 104 not; judged NO 480 * 4/55 = 34.91 and 445.09.
    found = error_rates(STRATA, seed=0)
    assert found.sensitivity.value == pytest.approx(416 / (416 + 480 * 4 / 55))
    assert found.specificity.value == pytest.approx(480 * 51 / 55 / (104 + 480 * 51 / 55))
    # Twice the labels of one verdict, at the same rate, change neither.
    doubled = [Stratum("YES", True, 520, 90, 72), STRATA[1]]
    assert error_rates(doubled, seed=0).sensitivity.value == pytest.approx(found.sensitivity.value)
    for each in found:
        assert each.interval.lo < each.value < each.interval.hi


def test_error_rates_that_have_nothing_to_divide_by_say_so():
    bare = error_rates([STRATA[0], Stratum("NO", False, 480, 0, 0)], seed=0)
    assert bare.sensitivity.reason == "no label among the pairs judged NO"
    assert error_rates([], seed=0).specificity.reason == "no judged pair"
    none = error_rates([Stratum("NO", False, 9, 5, 0)], seed=0)
    assert none.sensitivity.reason == "people call no labelled pair relevant"
    assert none.specificity.value == 1


def test_error_rates_cover_with_labels_drawn_by_verdict():
    # Se = .4 / (.4 + .035): 1,000 pairs, half judged YES, .8 and .07 of them relevant.
    random = np.random.default_rng(8)
    truth, held = 0.4 / 0.435, 0
    for seed in range(400):
        strata = [
            Stratum("YES", True, 500, 30, random.binomial(30, 0.8)),
            Stratum("NO", False, 500, 30, random.binomial(30, 0.07)),
        ]
        lo, hi = error_rates(strata, seed=seed, draws=2000).sensitivity.interval
        held += lo <= truth <= hi
    assert held >= 367


def test_the_interval_covers_with_thirty_labels():
    # 1,000 pairs, half judged YES, of which .8 are relevant and .07 of the others; 30 labels.
    random = np.random.default_rng(4)
    truth, held = 0.5 * 0.8 + 0.5 * 0.07, 0
    for seed in range(400):
        judged = int(random.binomial(1000, 0.5))
        yes = int(np.clip(random.binomial(30, judged / 1000), 1, 29))
        strata = [
            Stratum("YES", True, judged, yes, random.binomial(yes, 0.8)),
            Stratum("NO", False, 1000 - judged, 30 - yes, random.binomial(30 - yes, 0.07)),
        ]
        lo, hi = relevant_share(strata, seed=seed, draws=2000).value.interval
        held += lo <= truth <= hi
    # 95% of 400 is 380, 3 standard errors of 4.4 below it.
    assert held >= 367


def test_an_interval_never_leaves_its_own_value_out():
    # All 5 labelled YES are relevant and none of the 14 NO: Se is 1, which no draw of a Beta is.
    strata = [Stratum("YES", True, 20, 5, 5), Stratum("NO", False, 900, 14, 0)]
    found = error_rates(strata, seed=0)
    assert found.sensitivity.value == 1
    assert found.sensitivity.interval.hi == 1
    assert found.sensitivity.interval.lo < 0.9
    none = relevant_share([Stratum("NO", False, 900, 14, 0)], seed=0)
    assert none.value.interval.lo == none.value.value == 0
