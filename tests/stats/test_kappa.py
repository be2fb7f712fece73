"""Chance-corrected agreement from confusion tables, against the printed values, scikit-learn and
statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa

from labeler.stats.agreement import ac1
from labeler.stats.kappa import (
    Weighting,
    ac1s,
    confusion,
    kappa,
    kappa_closed_form,
    kappas,
    merged,
)

A = np.array([[14, 1, 0], [2, 4, 1], [0, 1, 7]], dtype=float)
B = np.array([[18, 1, 0], [1, 4, 0], [0, 1, 5]], dtype=float)
C = np.array([[27, 2], [1, 0]], dtype=float)
E = np.array([[40, 9, 1], [6, 20, 4], [0, 3, 17]], dtype=float)

TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 40), min_size=k, max_size=k), min_size=k, max_size=k
    ).map(lambda rows: np.array(rows, dtype=float))
)
SKLEARN = {Weighting.PLAIN: None, Weighting.LINEAR: "linear", Weighting.QUADRATIC: "quadratic"}


def pairs_of(table):
    """The two lists of grades that a table of counts was made from."""
    human, judge = np.indices(table.shape)
    counts = table.astype(int).ravel()
    return np.repeat(human.ravel(), counts), np.repeat(judge.ravel(), counts)


@pytest.mark.parametrize(
    ("table", "plain", "linear", "quadratic", "gwet"),
    [
        (A, 0.729242, 0.812968, 0.884438, 0.759326),
        (B, 0.812109, 0.869186, 0.918626, 0.863791),
        (E, 0.634921, 0.711538, 0.789644, 0.664381),
        # With two grades every weighting is the plain one.
        (C, -0.046512, -0.046512, -0.046512, 0.889503),
    ],
    ids="ABEC",
)
def test_the_printed_tables_come_out(table, plain, linear, quadratic, gwet):
    assert kappa(table).value == pytest.approx(plain, abs=5e-7)
    assert kappa(table, Weighting.LINEAR).value == pytest.approx(linear, abs=5e-7)
    assert kappa(table, Weighting.QUADRATIC).value == pytest.approx(quadratic, abs=5e-7)
    assert ac1(table).value == pytest.approx(gwet, abs=5e-7)


@pytest.mark.parametrize(
    ("table", "error"), [(A, 0.107318), (B, 0.100417), (E, 0.066570)], ids="ABE"
)
def test_the_closed_form_error_comes_out(table, error):
    closed = kappa_closed_form(table)
    assert closed.standard_error == pytest.approx(error, abs=5e-7)
    # 1.96 standard errors either side; B's .812 + .197 is over 1 and is clipped.
    value = kappa(table).value
    assert closed.interval.lo == pytest.approx(value - 1.959964 * error, abs=5e-6)
    assert closed.interval.hi == pytest.approx(min(1, value + 1.959964 * error), abs=5e-6)


@given(TABLES, st.sampled_from(Weighting))
def test_kappa_equals_scikit_learn_or_has_a_reason(table, weighting):
    human, judge = pairs_of(table)
    found = kappa(table, weighting)
    if found.value is None:
        assert len(set(human) | set(judge)) <= 1
        assert found.reason
    else:
        expected = cohen_kappa_score(
            human, judge, labels=range(len(table)), weights=SKLEARN[weighting]
        )
        assert found.value == pytest.approx(expected, abs=1e-9)


@given(TABLES, st.sampled_from(Weighting))
def test_the_closed_form_equals_statsmodels(table, weighting):
    # It also divides by the error under no agreement, which is 0 with an empty margin.
    assume(((table.sum(0) > 0) & (table.sum(1) > 0)).sum() > 1)
    distances = {} if weighting is Weighting.PLAIN else {"weights": np.arange(len(table))}
    name = "linear" if weighting is Weighting.LINEAR else "quadratic"
    expected = cohens_kappa(table, wt=name if distances else None, **distances)
    closed = kappa_closed_form(table, weighting)
    # Perfect agreement has variance 0, of which rounding may leave either one a little.
    assert closed.standard_error**2 == pytest.approx(expected.var_kappa, abs=1e-9)


def test_an_undefined_kappa_has_no_closed_form():
    assert kappa_closed_form(np.zeros((3, 3))) is None


@given(TABLES)
def test_confusion_and_its_readings_equal_scikit_learn(table):
    assume(table.any())  # scikit-learn has no table of no pairs
    human, judge = pairs_of(table)
    size = len(table)
    assert (confusion(human, judge, classes=size) == table).all()
    for cut in range(1, size):
        expected = confusion_matrix(human >= cut, judge >= cut, labels=[False, True])
        assert (merged(table, cut) == expected).all()


def test_weights_are_those_of_scikit_learn():
    random = np.random.default_rng(3)
    human, judge = random.integers(0, 3, 200), random.integers(0, 3, 200)
    weights = random.random(200)
    table = confusion(human, judge, weights=weights)
    expected = cohen_kappa_score(human, judge, labels=[0, 1, 2], sample_weight=weights)
    assert kappa(table).value == pytest.approx(expected)


def test_a_stack_of_tables_is_read_as_each_alone():
    stack = np.stack([A, B, E])
    for weighting in Weighting:
        assert kappas(stack, weighting) == pytest.approx([kappa(t, weighting).value for t in stack])
    assert ac1s(stack) == pytest.approx([ac1(t).value for t in stack])
    assert (merged(stack, 2) == np.stack([merged(t, 2) for t in stack])).all()


@pytest.mark.parametrize("grade", [0, 1, 2])
@pytest.mark.parametrize("weighting", Weighting)
def test_one_grade_everywhere_has_no_kappa_but_a_reason(grade, weighting):
    table = np.zeros((3, 3))
    table[grade, grade] = 30
    found = kappa(table, weighting)
    name = ("NO", "PART", "YES")[grade]
    assert found.value is None
    assert found.reason == f"every label and every verdict is {name}: kappa has no value"
    assert kappa_closed_form(table, weighting) is None


def test_a_fractional_weight_does_not_turn_an_undefined_kappa_into_a_number():
    # 0.1 added up ten times is not 1: a test of pe == 1 would miss that one grade is everywhere.
    grades = np.zeros(10, dtype=np.int8)
    table = confusion(grades, grades, weights=np.full(10, 0.1))
    assert kappa(table).value is None


def test_a_judge_that_never_moves_has_kappa_0_where_people_differ():
    assert kappa(np.array([[10.0, 0, 0], [5, 0, 0], [5, 0, 0]])).value == 0


def test_no_pairs_have_no_kappa_and_no_ac1():
    assert kappa(np.zeros((3, 3))).reason == "no pair has both a label and a verdict"
    assert ac1(np.zeros((3, 3))).value is None


def test_ac1_is_the_agreement_when_one_grade_is_everywhere():
    # pi = (1, 0, 0), pe = 0: AC1 = po = 1 by its own formula, which is what it was made for.
    assert ac1(np.diag([30.0, 0, 0])).value == 1


@pytest.mark.parametrize("bad", [-1, 3])
def test_a_grade_out_of_range_is_refused_on_either_side(bad):
    good, wrong = np.array([0, 1], dtype=np.int8), np.array([0, bad], dtype=np.int8)
    with pytest.raises(ValueError, match=r"a judge grade is outside 0\.\.2"):
        confusion(good, wrong)
    with pytest.raises(ValueError, match=r"a human grade is outside 0\.\.2"):
        confusion(wrong, good)


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="2 human grades and 3 of the judge"):
        confusion(np.zeros(2, np.int8), np.zeros(3, np.int8))
