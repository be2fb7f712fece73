"""What labelled units stand for, by the lists that they were drawn in."""

from __future__ import annotations

import numpy as np
import pytest

from labeler.stats.lists import represented


def test_without_a_list_nothing_says_how_labelled_units_were_drawn():
    assert represented([3, 5], [], everything=10) is None
    assert represented([3, 5], [{4: 2.0}], everything=10) is None


def test_a_list_stands_for_all_that_was_not_labelled_when_it_was_drawn():
    # 30 and 60 of 90; of the same list with the second alone labelled so far: it stands for all.
    lists = [{10: 30.0, 11: 60.0, 12: 45.0}]
    assert represented([11, 10], lists, everything=90).tolist() == [60.0, 30.0]
    assert represented([11], lists, everything=90).tolist() == [90.0]


def test_what_was_labelled_without_a_list_stands_for_itself():
    # Nobody knows how 0..9 came to be labelled: 1 each, and the list for the other 90.
    found = represented([*range(10), 10, 11], [{10: 30.0, 11: 60.0, 12: 45.0}], everything=100)
    assert found.tolist() == [1.0] * 10 + [30.0, 60.0]


def test_two_lists_are_two_estimates_averaged_by_their_labels():
    # The first: 30 and 60 for the 90 unlabelled; the second, one label, stands for 100 - 12 = 88
    # and the first's two for themselves. Two thirds of the one and a third of the other:
    # 2/3 * 30 + 1/3 = 20.33, 2/3 * 60 + 1/3 = 40.33, 1/3 * 88 = 29.33; the ten keep 1.
    lists = [{10: 30.0, 11: 60.0}, {12: 7.0, 13: 9.0}]
    found = represented([12, 11, 10, *range(10)], lists, everything=100)
    assert found[:3] == pytest.approx([88 / 3, 121 / 3, 61 / 3])
    assert found[3:] == pytest.approx(np.ones(10))
    assert found.sum() == pytest.approx(100)


def test_a_unit_drawn_twice_belongs_to_the_first_list():
    found = represented([1, 2], [{1: 2.0}, {1: 50.0, 2: 4.0}], everything=11)
    # The first for 11; the second for 10, the first's unit for itself; half of each.
    assert found.tolist() == [0.5 * 11 + 0.5, 5.0]


def systematic(units, sizes, many, random):
    """Units drawn with chances in exact proportion to size, and 1 / each one's chance."""
    order = random.permutation(len(units))
    ends = (sizes[order] / sizes.sum() * many).cumsum()
    places = np.searchsorted(ends, random.random() + np.arange(many))
    return {int(units[n]): float(sizes.sum() / (many * sizes[n])) for n in order[places]}


def test_successive_draws_are_unbiased_on_average():
    # The six highest are labelled on purpose, and high values are drawn more often; a mean that
    # does not mind it leans up.
    random = np.random.default_rng(5)
    values = random.beta(2, 3, 60)
    means, naive = [], []
    for _ in range(2000):
        outside = values.argsort()[-6:]
        left, lists = np.setdiff1d(np.arange(60), outside), []
        for many in (12, 8):
            lists.append(systematic(left, 0.5 + values[left], many, random))
            left = np.setdiff1d(left, list(lists[-1]))
        labelled = [*outside.tolist(), *lists[0], *lists[1]]
        weights = represented(labelled, lists, everything=60)
        assert weights.sum() == pytest.approx(60)
        means.append(float(weights @ values[labelled] / 60))
        naive.append(values[labelled].mean())
    error = np.std(means) / 2000**0.5
    # A list that is scaled to all it stands for is a ratio: its lean is far below its spread.
    assert abs(np.mean(means) - values.mean()) < 3 * error + 0.1 * np.std(means)
    assert np.mean(naive) - values.mean() > 10 * error


def test_what_counts_as_drawn_at_random_is_one_sample_with_the_list():
    # Two of 20 were labelled before. The list would have given them 1/8 and 1/2, and gave its own
    # two 1/2 and 1/8: .1 + .9 / 2 = .55 and .1 + .9 / 8 = .2125, in either.
    before, drawn = {0: 8.0, 1: 2.0}, {2: 2.0, 3: 8.0}
    found = represented([0, 1, 2, 3], [drawn], everything=20, at_random=[before])
    each = np.array([1 / 0.2125, 1 / 0.55, 1 / 0.55, 1 / 0.2125])
    assert found == pytest.approx(20 * each / each.sum())
    # With one of two labelled the list has had half its chances: 1/16 and 1/4 of the rest.
    half = represented([0, 1, 2], [drawn], everything=20, at_random=[before])
    each = 1 / (0.1 + 0.9 / np.array([16, 4, 4]))
    assert half == pytest.approx(20 * each / each.sum())
    # Nothing of the list is labelled: nothing says how the two were drawn.
    assert represented([0, 1], [drawn], everything=20, at_random=[before]) is None


@pytest.mark.parametrize("done", [1.0, 0.4])
def test_a_sample_before_a_list_makes_the_mean_no_less_right_and_more_precise(done):
    random = np.random.default_rng(8)
    values = random.beta(2, 3, 80)
    sizes = 0.5 + values
    joined, alone = [], []
    for _ in range(2000):
        before = random.choice(80, 16, replace=False)
        left = np.setdiff1d(np.arange(80), before)
        drawn = systematic(left, sizes[left], 20, random)
        given = sizes[left].sum() / (20 * sizes[before])
        labelled = [*before.tolist(), *random.permutation(list(drawn))[: int(20 * done)].tolist()]
        at_random = dict(zip(before.tolist(), given.tolist(), strict=True))
        for means, counted in ((joined, [at_random]), (alone, ())):
            weights = represented(labelled, [drawn], everything=80, at_random=counted)
            means.append(float(weights @ values[labelled] / 80))
    lean = np.mean(joined) - values.mean()
    assert abs(lean) < 3 * np.std(joined) / 2000**0.5 + 0.1 * np.std(joined)
    assert np.std(joined) < 0.9 * np.std(alone)
