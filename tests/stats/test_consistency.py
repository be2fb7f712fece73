"""Consistency of people with each other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from labeler.stats.consistency import alpha, label_counts, pairwise

A = np.array([[14, 1, 0], [2, 4, 1], [0, 1, 7]])
B = np.array([[18, 1, 0], [1, 4, 0], [0, 1, 5]])
E = np.array([[40, 9, 1], [6, 20, 4], [0, 3, 17]])


def labels_of(table):
    """Two people's labels from a table: pair numbers and grades, the first person's first."""
    rows, columns = np.indices(table.shape)
    first, second = (np.repeat(side.ravel(), table.ravel()) for side in (rows, columns))
    pairs = np.arange(table.sum())
    return np.concatenate([pairs, pairs]), np.concatenate([first, second])


@pytest.mark.parametrize(
    ("table", "nominal", "ordinal"),
    [(A, 0.733514, 0.877190), (B, 0.815047, 0.901596), (E, 0.636400, 0.772350)],
    ids="ABE",
)
def test_the_printed_alphas_come_out(table, nominal, ordinal):
    counts = label_counts(*labels_of(table))
    assert alpha(counts, "nominal").value == pytest.approx(nominal, abs=5e-7)
    assert alpha(counts, "ordinal").value == pytest.approx(ordinal, abs=5e-7)


def test_a_pair_with_one_label_changes_nothing():
    counts = label_counts(*labels_of(A))
    lonely = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    assert alpha(np.concatenate([counts, lonely])) == alpha(counts)


def test_three_people_with_holes_by_hand():
    # Nominal, pairs NN, NY, YYN (2 + 2 + 3 labels): coincidences a pair of m labels weigh 1/(m-1).
    # Observed: NY 2 of (ordered) 2 at 1; YYN 4 ordered unlike at 1/2 = 2; so Do = (2 + 2) / 7.
    # N 4 and Y 3 of 7 labels: De = 2 * 4 * 3 / (7 * 6). alpha = 1 - (4/7) / (24/42) = 0.
    pairs = np.array([0, 0, 1, 1, 2, 2, 2])
    grades = np.array([0, 0, 0, 2, 2, 2, 0])
    assert alpha(label_counts(pairs, grades), "nominal").value == pytest.approx(0)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_one_grade_everywhere_has_no_alpha_but_a_reason(level):
    pairs, grades = np.array([0, 0, 1, 1, 2]), np.array([2, 2, 2, 2, 0])
    found = alpha(label_counts(pairs, grades), level)
    assert found.value is None
    assert found.reason == "every label is YES: alpha has no value"


@pytest.mark.parametrize("pairs", [[], [0, 1, 2]])
def test_without_a_pair_of_two_labels_there_is_no_alpha(pairs):
    counts = label_counts(np.array(pairs, dtype=np.intp), np.zeros(len(pairs), dtype=np.int8))
    assert alpha(counts).reason == "no pair has labels of two people"


def test_a_grade_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"outside 0\.\.2"):
        label_counts(np.array([0, 0]), np.array([0, 3]))


def test_every_two_people_are_compared_on_what_both_labelled():
    random = np.random.default_rng(0)
    names = ["first", "second", "third", "alone"]
    table = random.integers(0, 3, (3, 40))
    # The third labelled only pairs 10 to 39; "alone" only a pair that nobody else has.
    people = np.concatenate([np.repeat([0, 1], 40), np.repeat(2, 30), [3]])
    pairs = np.concatenate([np.arange(40), np.arange(40), np.arange(10, 40), [40]])
    grades = np.concatenate([table[0], table[1], table[2, 10:], [1]])
    order = random.permutation(len(people))
    found = pairwise(names, people[order], pairs[order], grades[order])
    assert [(t.first, t.second, t.n) for t in found] == [
        ("first", "second", 40),
        ("first", "third", 30),
        ("second", "third", 30),
    ]
    for twosome, (a, b) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        one, other = (table[p, -twosome.n :] for p in (a, b))
        assert twosome.disagreements == (one != other).sum()
        plain, linear = (
            cohen_kappa_score(one, other, labels=[0, 1, 2], weights=w) for w in (None, "linear")
        )
        assert twosome.kappa.value == pytest.approx(plain)
        assert twosome.kappa_linear.value == pytest.approx(linear)


def test_two_people_who_give_one_grade_have_no_kappa():
    people, pairs = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    (twosome,) = pairwise(["a", "b"], people, pairs, np.zeros(4, dtype=np.int8))
    assert (twosome.n, twosome.disagreements, twosome.kappa.value) == (2, 0, None)


def test_nobody_is_compared_with_nobody():
    none = np.empty(0, dtype=np.intp)
    assert pairwise([], none, none, none) == []
