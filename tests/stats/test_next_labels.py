"""Which queries to label next, and what more labels are expected to do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from labeler.stats import next_labels as labels
from labeler.stats import outlook
from labeler.stats.chances import MOSTLY_RIGHT, NONE, PRIOR, chances
from labeler.stats.correction import correct
from labeler.stats.measures import Reading, measure
from labeler.stats.retrieval import evaluate

NAN = float("nan")

# What people will say


def test_without_labels_a_judge_is_mostly_right():
    found = chances(np.array([[0], [1], [2]]), np.full(3, NONE))
    assert found == pytest.approx(MOSTLY_RIGHT)


def test_the_rates_of_a_verdict_are_those_of_its_labels_and_of_the_prior():
    # Judged YES: 20 labels, 5 of them YES and 15 NO, beside 5 made-up ones, .1 .2 .7 of them.
    verdicts = np.array([[2]] * 21 + [[NONE]])
    said = np.array([2] * 5 + [0] * 15 + [NONE, NONE])
    found = chances(verdicts, said)
    assert found[20] == pytest.approx([15.5 / 25, 1 / 25, 8.5 / 25])
    # A labelled pair's own label is one among many.
    assert found[0] == pytest.approx(found[20])
    # Without a verdict, the rates of all labels: the prior's mean row is .4 .25 .35.
    assert found[21] == pytest.approx([17 / 25, 1.25 / 25, 6.75 / 25])
    assert PRIOR == 5


def test_other_judges_are_listened_to_once_they_can_be_compared_with_people():
    random = np.random.default_rng(1)
    truth = random.choice(3, 400)
    noise = np.where(random.random(400) < 0.6, random.choice(3, 400), truth)
    verdicts = np.stack([noise, truth], axis=1)
    said = np.where(np.arange(400) < 150, truth, NONE)
    found = chances(verdicts, said)
    assert found.sum(axis=1) == pytest.approx(np.ones(400))
    unlabelled = np.arange(150, 400)
    right = found[unlabelled, truth[unlabelled]]
    assert right.min() > 0.75
    # One whose verdicts are all elsewhere changes nothing.
    elsewhere = np.stack([noise, np.where(said == NONE, truth, NONE)], axis=1)
    assert chances(elsewhere, said) == pytest.approx(chances(verdicts[:, :1], said))


def test_verdicts_and_labels_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="of 3 pairs"):
        chances(np.zeros((2, 1), dtype=np.int64), np.zeros(3, dtype=np.int64))


# The measures of drawn grades


@given(st.data())
def test_the_measures_of_drawn_grades_are_those_of_the_evaluation(data):
    many = data.draw(st.integers(1, 7))
    returned = data.draw(st.integers(0, many))
    gains = data.draw(st.lists(st.integers(0, 2), min_size=many, max_size=many))
    reading = data.draw(st.sampled_from(Reading))
    name = data.draw(st.sampled_from(["R", "P", "P/retrieved", "RR", "nDCG", "Success"]))
    asked = measure(f"{name}@{data.draw(st.integers(1, 6))}")
    pool = [f"p{n}" for n in range(many)]
    golden = {"q": dict(zip(pool, gains, strict=True))}
    done = evaluate(golden, {"q": pool[:returned]}, measures=[asked], reading=reading, draws=2)
    expected = float(done.values[0, 0]) if len(done.values) else NAN
    slots = np.array([n + 1 if n < returned else 0 for n in range(many)])
    found = labels.values(
        np.array([gains]), slots, measured=asked, reading=reading, returned=returned
    )
    assert found.tolist() == pytest.approx([expected], nan_ok=True)


def test_a_measure_of_labels_alone_is_refused():
    with pytest.raises(ValueError, match="Judged"):
        labels.values(
            np.array([[2]]),
            np.array([1]),
            measured=measure("Judged@5"),
            reading=Reading.STRICT,
            returned=1,
        )


def test_grades_are_drawn_with_their_chances():
    of = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    drawn = labels.drawn_grades(of, draws=4000, random=np.random.default_rng(0))
    for pair in range(3):
        shares = np.bincount(drawn[:, pair], minlength=3) / 4000
        assert shares == pytest.approx(of[pair], abs=0.03)  # 3.8 standard errors of a half


# Sizes and the draw


def test_the_residual_is_what_the_judge_leaves_open_and_what_it_is_off_by():
    # The judge is right of the first two and the last; of the third people say 0 or 1, and of the
    # fourth the judge is off by 1. The draws' mean is .5.
    drawn = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    judge = np.array([0.0, 1.0, 0.5, 1.0, 1.0])
    found = labels.foretell(drawn, judge)
    assert found.value == pytest.approx(0.5)
    human, proxy = drawn - 0.5, judge - 0.5
    lam = np.cov(human.mean(axis=1), proxy, ddof=0)[0, 1] / proxy.var()
    rest = human - lam * proxy[:, None]
    assert found.weight == pytest.approx(lam)
    assert found.residual == pytest.approx(((rest - rest.mean()) ** 2).mean(axis=1) ** 0.5)
    assert found.residual[3] == found.residual.max()


def test_a_query_that_has_the_measure_in_no_draw_is_in_no_mean():
    found = labels.foretell(np.full((2, 3), NAN), np.array([0.5, NAN]))
    assert (found.value, found.weight, found.residual.tolist()) == (None, 0.0, [0.0, 0.0])


def test_sizes_grow_with_the_residual_and_shrink_with_the_root_of_the_cost():
    # 3/4 of 2 and 0 plus 1/4: 1.75 and .25; a cost of 4 halves; each over their mean.
    assert labels.sizes(np.array([2.0, 0.0]), np.ones(2)).tolist() == [1.75, 0.25]
    found = labels.sizes(np.array([1.0, 1.0]), np.array([1.0, 4.0]))
    assert found.tolist() == pytest.approx([4 / 3, 2 / 3])
    # However little a query tells it stands for 5 average ones at most.
    many = labels.sizes(np.array([1.0] * 99 + [0.0]), np.array([1.0] * 99 + [1e6]))
    assert many[-1] == pytest.approx(0.2, rel=0.01)
    assert labels.sizes(np.zeros(3), np.ones(3)).tolist() == [1, 1, 1]


def test_chances_are_in_proportion_to_size_until_they_are_certain():
    assert labels.chances(np.array([1.0, 2.0, 1.0]), n=1).tolist() == [0.25, 0.5, 0.25]
    # 3 * 8/12 is over 1: certain; the other two share 2 of 4, as 1 and 1 of 4 each; .5 each.
    assert labels.chances(np.array([8.0, 1, 1, 1, 1]), n=3).tolist() == [1, 0.5, 0.5, 0.5, 0.5]
    # First 10, then 3 are certain: 4 * 10/16 = 2.5, 3 * 3/6 = 1.5, and the rest share 2 of 3.
    found = labels.chances(np.array([10.0, 3, 1, 1, 1]), n=4)
    assert found == pytest.approx([1, 1, 2 / 3, 2 / 3, 2 / 3])
    assert labels.chances(np.array([5.0, 1.0]), n=2).tolist() == [1, 1]


def test_a_longer_list_extends_a_shorter_one_and_the_seed_decides():
    units, size = [f"q{n}" for n in range(50)], np.linspace(0.5, 1.5, 50)
    short = labels.draw(units, size, n=5, seed=1)
    longer = labels.draw(units, size, n=20, seed=1)
    assert longer.chosen[:5].tolist() == short.chosen.tolist()
    assert labels.draw(units, size, n=5, seed=2).chosen.tolist() != short.chosen.tolist()
    # In whatever order the units are given.
    turned = labels.draw(units[::-1], size[::-1], n=5, seed=1)
    assert (49 - turned.chosen).tolist() == short.chosen.tolist()
    everything = labels.draw(units, size, n=99, seed=1)
    assert sorted(everything.chosen.tolist()) == list(range(50))
    assert everything.chances.tolist() == [1] * 50


def test_queries_come_up_as_often_as_their_chance_says():
    units, size = [f"q{n}" for n in range(30)], np.linspace(0.2, 1.8, 30)
    chance, times = labels.chances(size, n=10), np.zeros(30)
    for seed in range(1500):
        times[labels.draw(units, size, n=10, seed=seed).chosen] += 1
    # Sequential Poisson sampling is exact in the limit; the standard error is .013 at most.
    assert np.abs(times / 1500 - chance).max() < 0.045


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 units, 1 sizes"):
        labels.draw(["a", "b"], np.ones(1), n=1, seed=0)
    with pytest.raises(ValueError, match="positive"):
        labels.draw(["a"], np.zeros(1), n=1, seed=0)


# How many more


def standing(n=40, *, many=400, seed=3):
    """A corrected number of n labelled queries, with what it was corrected from."""
    random = np.random.default_rng(seed)
    people = random.beta(4, 3, many)
    judge = np.clip(people + random.normal(0, 0.2, many), 0, 1)
    found = correct(judge, people[:n], labelled=np.arange(n))
    drawn = labels.foretell(people[:, None] + random.normal(0, 0.2, (many, 50)), judge)
    return found, judge, drawn


def look(found, judge, drawn, *, units, labelled=40, target=None, gain=1.0, cost=5.0):
    frame = outlook.Frame(units, cost, gain)
    return outlook.look(
        found, labelled=labelled, judge=judge, foretold=drawn, open_=frame, target=target
    )


def test_more_queries_narrow_what_labels_can_narrow():
    found, judge, drawn = standing()
    done = look(found, judge, drawn, units=360)
    half = (found.corrected.interval.hi - found.corrected.interval.lo) / 2
    assert done.half_width == pytest.approx(half)
    assert [each.queries for each in done.steps] == [10, 20, 50, 100]
    assert [each.labels for each in done.steps] == [50, 100, 250, 500]
    # The variance of lam times the judge's mean stays; the rest falls as 40 / 140.
    now = (half / t.ppf(0.975, 38)) ** 2
    fixed = found.weight**2 * judge.var() / 400
    after = fixed + (now - fixed) * 40 / 140
    assert done.steps[-1].half_width == pytest.approx(t.ppf(0.975, 138) * after**0.5)
    # Labelled queries that are in no mean come up again among the others: 60 of them, and 100 more.
    wide = look(found, judge, drawn, units=360, labelled=60)
    now = (half / t.ppf(0.975, 58)) ** 2
    after = fixed + (now - fixed) * 60 / 160
    assert wide.steps[-1].half_width == pytest.approx(t.ppf(0.975, 158) * after**0.5)
    now = (half / t.ppf(0.975, 38)) ** 2
    # A list whose queries are worth 1 / .8 of one at random narrows it by more: (40 + 80) / 140^2.
    better = look(found, judge, drawn, units=360, gain=0.8)
    after = fixed + (now - fixed) * 40 * (40 + 0.8 * 100) / 140**2
    assert better.steps[-1].half_width == pytest.approx(t.ppf(0.975, 138) * after**0.5)


def test_what_is_expected_comes_true():
    found, judge, drawn = standing(40)
    later, _, _ = standing(140)
    expected = look(found, judge, drawn, units=360).steps[-1].half_width
    half = (later.corrected.interval.hi - later.corrected.interval.lo) / 2
    assert expected == pytest.approx(half, rel=0.2)


def test_a_target_is_settled_once_it_is_outside_the_interval():
    found, judge, drawn = standing()
    value, interval = found.corrected.value, found.corrected.interval
    assert look(found, judge, drawn, units=360, target=interval.hi + 0.01).needed == (0, 0, "")
    near = look(found, judge, drawn, units=360, target=value - 0.6 * (value - interval.lo)).needed
    far = look(found, judge, drawn, units=360, target=value - 0.8 * (value - interval.lo)).needed
    # Where nothing stayed it would be 40 (1 / .36 - 1) = 71 and 40 (1 / .64 - 1) = 22.5.
    assert near.queries > 71
    assert 22 <= far.queries < near.queries
    assert far.labels == 5 * far.queries


def test_what_no_number_of_labels_settles_has_a_reason():
    found, judge, drawn = standing()
    value = found.corrected.value
    at = look(found, judge, drawn, units=360, target=value).needed
    assert (at.queries, at.labels) == (None, None)
    assert "at the target" in at.reason
    close = look(found, judge, drawn, units=20, target=value + 1e-4).needed
    assert close.queries is None
    assert close.reason.startswith("labelling all 20 other queries would leave it open")
    none = look(found, judge, drawn, units=0, target=value + 1e-4).needed
    assert none.reason.startswith("no query is left to label: it stays open")


def test_nothing_is_settled_before_a_number_is_quoted():
    found, judge, drawn = standing(6)
    far = look(found, judge, drawn, units=360, labelled=6, target=0.0).needed
    assert far == (4, 20, "")  # ten are quoted
    few = look(found, judge, drawn, units=3, labelled=6, target=0.0).needed
    assert (few.queries, few.reason) == (None, "fewer than 10 queries: no number is quoted")
    same = correct(np.linspace(0, 1, 50), np.full(12, 0.5), labelled=np.arange(12))
    flat = look(same, np.linspace(0, 1, 50), drawn, units=38, labelled=12, target=0.8)
    assert (flat.half_width, flat.needed.queries) == (None, None)
    assert flat.needed.reason == same.corrected.reason == "every labelled query has the same value"


def test_without_labels_the_verdicts_foretell_the_interval_and_nothing_is_settled():
    _, judge, drawn = standing()
    nobody = correct(judge, np.array([]), labelled=np.array([], dtype=np.intp))
    done = look(nobody, judge, drawn, units=400, labelled=0, target=0.8, gain=0.9)
    assert done.half_width is None
    assert done.foretold
    assert done.needed.queries is None
    assert done.needed.reason.startswith("only 0 labelled queries")
    fixed = drawn.weight**2 * judge.var() / 400
    spread = 0.9 * (drawn.residual**2).mean() / 50
    assert done.steps[2].half_width == pytest.approx(1.959964 * (fixed + spread) ** 0.5)


def test_a_frame_says_what_a_list_costs_and_is_worth():
    # Sizes 1.5 and .5 on residuals 2 and 1: (4 / 1.5 + 1 / .5) / 2 over 2.5 = .9333; the dearer one
    # comes up three times as often: (1.5 * 8 + .5 * 4) / 2 = 7.
    found = outlook.frame(np.array([2.0, 1.0]), np.array([3.0, 1.0]), np.array([8.0, 4.0]))
    assert found == pytest.approx((2, 7.0, 14 / 15))
    assert outlook.frame(np.array([]), np.array([]), np.array([])) == (0, 0.0, 1.0)
