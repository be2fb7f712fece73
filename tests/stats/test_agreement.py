"""The summary of a judge's agreement with people."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import SquareTable

import labeler
from labeler.stats.agreement import (
    best_constant,
    direction,
    measure,
    yes_precision,
    yes_recall,
)
from labeler.stats.intervals import wilson

A = np.array([[14, 1, 0], [2, 4, 1], [0, 1, 7]], dtype=float)
E = np.array([[40, 9, 1], [6, 20, 4], [0, 3, 17]], dtype=float)
# People's grades by verdict, of strata of 800, 120 and 80 pairs with ten drawn of each.
BY_VERDICT = {0: [10, 0, 0], 1: [2, 7, 1], 2: [0, 2, 8]}
GRADE, WEIGHT = st.integers(0, 2), st.sampled_from([1.0, 80 / 7, 1e3, 1e6 / 3])
TABLES = st.lists(st.lists(st.integers(0, 40), min_size=3, max_size=3), min_size=3, max_size=3)


def stratified():
    """Human grades, verdicts and weights of BY_VERDICT."""
    human = [g for v in BY_VERDICT for g, k in enumerate(BY_VERDICT[v]) for _ in range(k)]
    judge = [v for v in BY_VERDICT for _ in range(10)]
    weights = np.repeat([80.0, 12.0, 8.0], 10)
    return np.array(human, np.int8), np.array(judge, np.int8), weights


def pairs_of(table):
    """The two arrays of grades that a table of counts was made from."""
    human, judge = np.indices(np.shape(table))
    counts = np.asarray(table).astype(int).ravel()
    return np.repeat(human.ravel(), counts), np.repeat(judge.ravel(), counts)


def test_a_sample_drawn_by_verdict_is_reweighted():
    human, judge, weights = stratified()
    queries = np.arange(30)
    naive = measure(human, judge, queries=queries)
    weighed = measure(human, judge, queries=queries, weights=weights)
    assert naive.disagreement.value == pytest.approx(5 / 30)
    assert naive.weighted_disagreement is None
    assert naive.kappa.value == pytest.approx(0.75)
    assert naive.kappa_linear.value == pytest.approx(0.814815, abs=5e-7)
    # .8 * 0 + .12 * 3/10 + .08 * 2/10
    assert weighed.weighted_disagreement.value == pytest.approx(0.052)
    assert weighed.disagreement == naive.disagreement
    assert weighed.kappa.value == pytest.approx(0.838870, abs=5e-7)
    assert weighed.kappa_linear.value == pytest.approx(0.884300, abs=5e-7)
    shares = weighed.table.sum(axis=1) / weighed.table.sum()
    assert shares == pytest.approx([0.824, 0.100, 0.076])
    # 1 / (.64/10 + .0144/10 + .0064/10)
    assert weighed.effective.n == pytest.approx(1 / 0.06608)
    assert weighed.effective.x == pytest.approx(0.052 / 0.06608)
    assert weighed.weighted_disagreement.interval == wilson(*weighed.effective[:0:-1])
    assert (weighed.counts == naive.counts).all()
    assert weighed.kappa_closed_form is None


def test_equal_weights_change_nothing():
    human, judge = pairs_of(E)
    queries = np.arange(100) % 20
    plain = measure(human, judge, queries=queries)
    equal = measure(human, judge, queries=queries, weights=np.full(100, 7.0))
    for name in ("kappa", "kappa_quadratic", "kappa_strict", "ac1", "yes_recall"):
        one, other = getattr(plain, name), getattr(equal, name)
        assert other.value == pytest.approx(one.value)
        assert other.interval == pytest.approx(one.interval)
    assert equal.weighted_disagreement.value == pytest.approx(plain.disagreement.value)
    assert equal.weighted_disagreement.interval == pytest.approx(plain.disagreement.interval)
    assert equal.constant_judge == pytest.approx(plain.constant_judge)
    assert equal.direction.statistic == pytest.approx(plain.direction.statistic)


def test_recall_and_precision_of_yes_are_of_the_row_and_the_column():
    # E: 20 labels YES, 17 of them found; 22 verdicts YES, 17 of them right.
    assert yes_recall(E).value == 17 / 20
    assert yes_recall(E).interval == pytest.approx(wilson(17, 20))
    assert yes_precision(E).value == pytest.approx(17 / 22)


def test_without_a_yes_there_is_no_recall_or_precision():
    assert yes_recall(np.diag([9.0, 4, 0])).reason == "no label is YES"
    assert yes_precision(np.diag([9.0, 4, 0])).reason == "no verdict is YES"


def test_the_best_constant_judge_is_counted_on_the_same_pairs():
    # A: rows 15, 7, 8, so NO is best and wrong on 15 of 30. Only the judge is right on 4 + 7, only
    # NO on the one NO that the judge calls PART: P(X >= 11 | 12, 1/2) = 13 / 4096.
    constant = best_constant(A)
    assert (constant.grade, constant.disagreement) == (0, 0.5)
    assert (constant.ahead, constant.behind) == (11, 1)
    assert constant.p == pytest.approx(13 / 4096)
    assert constant.beaten


def test_a_tie_of_constant_judges_goes_to_the_lower_grade():
    assert best_constant(np.diag([3.0, 5, 5])).grade == 1


def test_five_pairs_that_only_the_judge_gets_right_are_the_fewest_that_beat_a_constant():
    # .5^4 = .0625 and .5^5 = .03125 beside .05.
    assert not best_constant(np.diag([26.0, 0, 4])).beaten
    assert best_constant(np.diag([25.0, 0, 5])).beaten


def test_one_grade_everywhere_is_beaten_by_nobody():
    constant = best_constant(np.diag([30.0, 0, 0]))
    assert (constant.disagreement, constant.p) == (0, 1)


@given(TABLES)
def test_the_constant_judge_is_tested_by_the_exact_sign_test(rows):
    table = np.array(rows, dtype=float)
    constant = best_constant(table)
    if constant is None:
        assert not table.sum()
        return
    ahead, behind = int(constant.ahead), int(constant.behind)
    if ahead + behind:
        expected = binomtest(ahead, ahead + behind, alternative="greater").pvalue
        assert constant.p == pytest.approx(expected, abs=1e-9)
    # The judge's lead over the constant judge is what the two counts differ by.
    lead = constant.disagreement - (1 - np.trace(table) / table.sum())
    assert (ahead - behind) / table.sum() == pytest.approx(lead)


def test_unequal_weights_make_fewer_pairs_of_those_that_tell_the_judges_apart():
    # Five PART weighing 2 and five YES weighing 1, all right: (5*2 + 5*1)^2 / (5*4 + 5*1) = 9.
    grades = np.repeat([0, 1, 2], [20, 5, 5])
    weights = np.repeat([10.0, 2.0, 1.0], [20, 5, 5])
    constant = measure(grades, grades, queries=np.arange(30), weights=weights).constant_judge
    assert (constant.grade, constant.behind) == (0, 0)
    assert constant.ahead == pytest.approx(9)
    assert constant.p == pytest.approx(0.5**9)


@pytest.mark.parametrize(
    ("table", "statistic", "p"), [(A, 0.333333, 0.846482), (E, 1.385827, 0.500117)], ids="AE"
)
def test_stuart_and_maxwells_test_comes_out(table, statistic, p):
    found = direction(table)
    assert found.statistic == pytest.approx(statistic, abs=5e-7)
    assert found.p == pytest.approx(p, abs=5e-7)
    assert (found.df, found.reading) == (2, "none")


@given(st.lists(st.lists(st.integers(1, 40), min_size=4, max_size=4), min_size=4, max_size=4))
def test_stuart_and_maxwells_test_equals_statsmodels(rows):
    table = np.array(rows, dtype=float)
    expected = SquareTable(table, shift_zeros=False).homogeneity(method="stuart_maxwell")
    found = direction(table)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_a_judge_that_grades_up_is_lenient_and_its_mirror_image_strict():
    # Ten of 30 one grade higher: mean 1/3; NO-PART only, so chi2 = 10^2 / 10 = 10 with one df.
    table = np.array([[10.0, 10, 0], [0, 5, 0], [0, 0, 5]])
    up, down = direction(table), direction(table.T)
    assert (up.mean_difference, up.reading) == (pytest.approx(1 / 3), "lenient")
    assert (down.mean_difference, down.reading) == (pytest.approx(-1 / 3), "strict")
    assert (up.df, up.statistic) == (1, pytest.approx(10))
    assert up.p == pytest.approx(math.erfc(math.sqrt(5)))


def test_without_a_disagreement_there_is_no_direction_to_test():
    found = direction(np.diag([10.0, 5, 5]))
    assert found.p is None
    assert (found.mean_difference, found.reading) == (0, "none")
    assert found.reason == "no pair disagrees: nothing to test"


@given(st.lists(st.tuples(GRADE, GRADE), min_size=1, max_size=30), st.lists(WEIGHT, min_size=3))
def test_weights_far_apart_leave_a_certain_rate_and_the_degrees_of_freedom_alone(pairs, weights):
    human, judge = np.array(pairs).T
    each = np.array(weights)[judge]
    found = measure(human, judge, queries=np.arange(len(pairs)), weights=each, draws=50)
    plain = measure(human, judge, queries=np.arange(len(pairs)), draws=50)
    # A difference of sums would make 1e-17 of a rate of 0, and so a bound above 0.
    if plain.disagreements in (0, plain.n):
        assert found.weighted_disagreement.value == plain.disagreements / plain.n
    # Which grades anybody disagrees on does not hang on what a pair weighs.
    assert found.direction.df == plain.direction.df
    assert found.direction.p is None or 0 <= found.direction.p <= 1


def test_a_heavy_verdict_on_which_all_agree_hides_no_disagreement_of_direction():
    # 40 pairs weigh 1 and go up one grade, 5 weigh 100,000 and agree: z = 40 / sqrt(40).
    human, judge = np.repeat([1, 0], [40, 5]), np.repeat([2, 0], [40, 5])
    found = measure(
        human, judge, queries=np.arange(45), weights=np.repeat([1.0, 1e5], [40, 5]), draws=50
    ).direction
    assert (found.df, found.reading) == (1, "lenient")
    assert found.statistic == pytest.approx(40)


def test_one_grade_everywhere_leaves_every_kappa_without_a_value():
    grades = np.zeros(30, dtype=np.int8)
    found = measure(grades, grades, queries=np.arange(30))
    for name in ("kappa", "kappa_linear", "kappa_quadratic", "kappa_strict", "kappa_lenient"):
        assert getattr(found, name).value is None
        assert getattr(found, name).interval is None
    assert found.kappa_strict.reason.startswith("every label and every verdict is not YES")
    assert found.disagreement.value == 0
    assert found.undefined_draws == found.draws


def test_only_the_readings_that_a_grade_is_missing_from_lack_a_value():
    grades = np.repeat([0, 1], 15)
    found = measure(grades, grades, queries=np.arange(30))
    assert found.kappa.value == found.kappa_lenient.value == 1
    assert found.kappa_strict.value is None


def test_perfect_agreement_has_no_interval_of_kappa_rather_than_one_without_width():
    grades = np.repeat([0, 1, 2], 10)
    found = measure(grades, grades, queries=np.arange(30))
    assert found.kappa.value == 1
    assert found.kappa.interval is None
    assert found.kappa.reason == "every resample gives the same value"


def test_nothing_compared_is_none_everywhere():
    empty = np.empty(0, dtype=np.int8)
    found = measure(empty, empty, queries=np.empty(0, dtype=np.intp), weights=np.empty(0))
    assert (found.n, found.disagreements, found.queries) == (0, 0, 0)
    assert found.effective is found.weighted_disagreement is found.constant_judge is None
    for name in ("disagreement", "kappa", "kappa_strict", "ac1", "yes_recall", "yes_precision"):
        assert getattr(found, name).value is None
        assert getattr(found, name).reason
    assert found.direction.mean_difference is None


def test_a_million_pairs_in_ten_thousand_queries_take_no_time_to_speak_of():
    random = np.random.default_rng(0)
    human = random.integers(0, 3, 1_000_000).astype(np.int8)
    judge = np.where(random.random(1_000_000) < 0.8, human, 1).astype(np.int8)
    queries = np.repeat(np.arange(10_000), 100)
    start = time.perf_counter()
    found = measure(human, judge, queries=queries)
    # 0.15 s on an idle core; the rest is left for a busy one.
    assert time.perf_counter() - start < 3
    assert found.kappa.interval.lo < found.kappa.value < found.kappa.interval.hi


def test_the_package_loads_none_of_the_slow_libraries():
    program = (
        "import sys, labeler.stats.comparison, labeler.stats.consistency, labeler.stats.gate, "
        "labeler.stats.sampling\n"
        "heavy = {'scipy', 'sklearn', 'statsmodels', 'krippendorff', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    root = Path(labeler.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "[]"
