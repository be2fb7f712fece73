"""Intervals of a proportion, against the printed values and a second implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv, betaln, xlog1py, xlogy
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from labeler.stats.intervals import (
    binomial_tail,
    clopper_pearson_bounds,
    confidence_sequence,
    wilson,
)

# x of 30: Wilson 95%; one-sided 95% exact bounds; the confidence sequence.
OF_30 = [
    (0, (0, 0.1135), (0, 0.095034), (0, 0.1612)),
    (1, (0.0059, 0.1667), (0.001708, 0.148596), (0.0001, 0.2390)),
    (2, (0.0185, 0.2132), (0.011976, 0.195326), (0.0022, 0.2970)),
    (3, (0.0346, 0.2562), (0.027816, 0.238598), (0.0080, 0.3473)),
    (4, (0.0531, 0.2968), (0.046855, 0.279615), (0.0171, 0.3930)),
    (5, (0.0734, 0.3356), (0.068056, 0.318971), (0.0289, 0.4355)),
    (6, (0.0951, 0.3731), (0.090874, 0.357009), (0.0429, 0.4754)),
    (7, (0.1179, 0.4093), (0.114987, 0.393947), (0.0588, 0.5133)),
]
COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("x", "wilson_95", "bounds", "sequence"), OF_30)
def test_the_table_for_thirty_pairs_comes_out(x, wilson_95, bounds, sequence):
    assert wilson(x, 30) == pytest.approx(wilson_95, abs=5e-5)
    assert clopper_pearson_bounds(x, 30) == pytest.approx(bounds, abs=5e-7)
    assert confidence_sequence(x, 30) == pytest.approx(sequence, abs=5e-5)


@given(COUNTS)
def test_wilson_and_the_exact_bounds_equal_statsmodels(counts):
    x, n = counts
    assert wilson(x, n) == pytest.approx(proportion_confint(x, n, method="wilson"), abs=1e-12)
    # A two-sided 90% interval is the two one-sided 95% bounds.
    two_sided = proportion_confint(x, n, alpha=0.10, method="beta")
    assert clopper_pearson_bounds(x, n) == pytest.approx(two_sided, abs=1e-9)


def evidence_against(p: float, x: int, n: int) -> float:
    """Log of the mixture over the likelihood of p; p is in the set while it is below log 20."""
    return float(betaln(0.5 + x, 0.5 + n - x) - betaln(0.5, 0.5) - xlogy(x, p) - xlog1py(n - x, -p))


@given(COUNTS)
def test_the_confidence_sequence_ends_where_the_evidence_is_twenty_to_one(counts):
    x, n = counts
    lo, hi = confidence_sequence(x, n)
    assert (lo == 0) is (x == 0)
    assert (hi == 1) is (x == n)
    assert lo <= x / n <= hi
    for end in {lo, hi} - {0.0, 1.0}:
        assert evidence_against(end, x, n) == pytest.approx(math.log(20), abs=1e-6)


def test_the_confidence_sequence_holds_at_every_look():
    # 4,000 judges wrong on 10% of pairs, looked at after each of 200 labels: at most 5% may ever be
    # outside, where the plain bounds, looked at as often, are outside far more often.
    wrong = np.random.default_rng(1).random((4000, 200)) < 0.10
    seen = wrong.cumsum(axis=1)
    outside = np.zeros(4000, dtype=bool)
    outside_plain = np.zeros(4000, dtype=bool)
    for n in range(1, 201):
        counts = np.arange(n + 1)
        ends = [confidence_sequence(x, n) for x in range(n + 1)]
        missed = np.array([not lo <= 0.10 <= hi for lo, hi in ends])
        lo = betaincinv(np.maximum(counts, 1e-9), n - counts + 1, 0.025)
        hi = betaincinv(counts + 1, np.maximum(n - counts, 1e-9), 0.975)
        plain = (lo > 0.10) | (hi < 0.10)
        outside |= missed[seen[:, n - 1]]
        outside_plain |= plain[seen[:, n - 1]]
    assert outside.mean() <= 0.05
    assert outside_plain.mean() > 0.10


def test_a_weighted_sample_that_nearly_all_disagrees_has_an_interval_at_every_look():
    # 3.04 pairs' worth of which all but .02 disagree: every rate up to 1 stays open.
    lo, hi = confidence_sequence(3.0198, 3.0399)
    assert lo == pytest.approx(confidence_sequence(3, 3).lo, abs=0.01)
    assert hi == pytest.approx(1)


def test_nothing_seen_leaves_every_rate_open():
    assert confidence_sequence(0, 0) == (0, 1)


@given(COUNTS, st.floats(0.01, 0.99))
def test_the_binomial_tail_is_the_chance_of_as_many_or_more(counts, p):
    x, n = counts
    assert binomial_tail(x, n, p) == pytest.approx(binom.sf(x - 1, n, p), abs=1e-9)


@given(COUNTS)
def test_real_valued_counts_lie_between_whole_ones(counts):
    x, n = counts
    if x == n:
        return
    between = clopper_pearson_bounds(x + 0.5, n)
    below, above = clopper_pearson_bounds(x, n), clopper_pearson_bounds(x + 1, n)
    assert below.lo <= between.lo <= above.lo
    assert below.hi <= between.hi <= above.hi


@pytest.mark.parametrize(("x", "n"), [(-1, 10), (11, 10), (0, 0), (float("nan"), 10)])
@pytest.mark.parametrize("interval", [wilson, clopper_pearson_bounds])
def test_counts_that_are_none_are_refused(interval, x, n):
    with pytest.raises(ValueError, match="is no count"):
        interval(x, n)
