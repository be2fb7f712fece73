"""The gate: three decisions, their reasons, and the labels still needed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeler.model import Decision
from labeler.stats.agreement import ConstantJudge, Effective, best_constant, measure
from labeler.stats.evidence import Evidence, labels_to_trust, rule_of_thumb, rule_of_thumb_passes
from labeler.stats.explanation import percent
from labeler.stats.gate import decide
from labeler.stats.intervals import clopper_pearson_bounds, confidence_sequence
from labeler.stats.sampling import allocate, stratified_rate

BEATEN = ConstantJudge(grade=0, disagreement=0.5, ahead=15, behind=0, p=0.5**15)
"""Always NO, on pairs half of which are not."""

TRUSTED, REJECTED, UNDECIDED = Decision.TRUSTED, Decision.REJECTED, Decision.UNDECIDED


@pytest.mark.parametrize(
    ("x", "decision"), [(0, TRUSTED), *((x, UNDECIDED) for x in range(1, 7)), (7, REJECTED)]
)
def test_the_decisions_for_thirty_pairs_come_out(x, decision):
    gate = decide(x, 30, constant=BEATEN)
    assert gate.decision is decision
    assert gate.sentence.startswith(f"{decision}: {x} of 30 pairs disagree")
    assert gate.bounds == clopper_pearson_bounds(x, 30)
    assert gate.rule_of_thumb is (x <= 3)
    assert (gate.labels_needed is None) is (decision is not UNDECIDED or x == 3)


def test_the_sentences_are_for_a_manager():
    assert decide(0, 30, constant=BEATEN).sentence == (
        "TRUSTED: 0 of 30 pairs disagree, so with 95% confidence at most 9.5% of all, "
        "within the limit of 10%."
    )
    assert decide(7, 30, constant=BEATEN).sentence == (
        "REJECTED: 7 of 30 pairs disagree, so with 95% confidence more than 11.5% of all, "
        "over the limit of 10%."
    )
    assert decide(1, 30, constant=BEATEN).sentence == (
        "UNDECIDED: 1 of 30 pairs disagree, which fits any rate from 0.2% to 14.9% with the limit "
        "at 10%: about 32 more labels settle it."
    )
    assert decide(0, 28, constant=BEATEN).sentence == (
        "UNDECIDED: 0 of 28 pairs disagree, but 28 are too few to show at most 10%: about 1 more "
        "label settles it."
    )


def test_the_smallest_samples_that_can_trust_come_out():
    smallest = [29, 46, 61, 76, 89, 103, 116, 129, 142, 154, 167]
    assert [labels_to_trust(x) for x in range(11)] == smallest
    for x, n in enumerate(smallest):
        assert decide(x, n, constant=BEATEN).decision is TRUSTED
        assert decide(x, n - 1, constant=BEATEN).decision is UNDECIDED


@pytest.mark.parametrize(
    ("rate", "passed"),
    [(0.05, 0.939), (0.10, 0.647), (0.15, 0.322), (0.20, 0.123), (0.25, 0.037), (0.30, 0.009)],
)
def test_what_the_rule_of_thumb_lets_through_comes_out(rate, passed):
    assert rule_of_thumb_passes(rate, 30) == pytest.approx(passed, abs=5e-4)
    assert rule_of_thumb_passes(rate, 30) == pytest.approx(binom.cdf(3, 30, rate))


def test_the_rule_of_thumb_is_not_moved_by_rounding():
    # .29 * 100 is 28.999999999999996 in floating point.
    assert rule_of_thumb(29, 100, threshold=0.29)
    assert not rule_of_thumb(30, 100, threshold=0.29)


@pytest.mark.parametrize(("x", "n"), [(1, 30), (2, 30), (4, 30), (5, 30), (6, 30), (3, 60), (0, 5)])
def test_the_labels_needed_are_the_fewest_that_settle_it(x, n):
    needed = decide(x, n, constant=BEATEN).labels_needed

    def settled(more):
        total = n + more
        lo, hi = clopper_pearson_bounds(x * total / n, total)
        return lo > 0.10 or hi <= 0.10

    # One by one, where the gate searches by doubling and halving.
    assert needed == next(more for more in range(10_000) if settled(more))


def test_further_disagreements_raise_the_labels_needed():
    # 1 of 30: with 0, 1, 2 more the smallest samples are 46, 61 and 76.
    outlooks = decide(1, 30, constant=BEATEN).outlooks
    assert outlooks == ((0, 46 - 30), (1, 61 - 30), (2, 76 - 30))
    assert decide(0, 30, constant=BEATEN).outlooks == ()


def test_a_rate_at_the_limit_is_settled_by_no_realistic_number():
    gate = decide(3, 30, constant=BEATEN)
    assert gate.labels_needed is None
    assert gate.sentence.endswith(
        "at the present rate no realistic number of labels, up to 10,000 more, settles it."
    )
    assert any("no realistic number" in reason for reason in gate.reasons)
    assert gate.outlooks[0] == (0, 76 - 30)


def test_nothing_compared_is_undecided_and_says_what_the_best_case_takes():
    gate = decide(0, 0, constant=None)
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, 29)
    assert gate.bounds is gate.sequence is gate.rule_of_thumb is None
    assert decide(0, 0, constant=None, planned=40).labels_needed == 40


@pytest.mark.parametrize("grade", [0, 1, 2])
@pytest.mark.parametrize("n", [30, 10_000])
def test_one_grade_everywhere_is_never_trusted(grade, n):
    table = np.zeros((3, 3))
    table[grade, grade] = n
    gate = decide(0, n, constant=best_constant(table))
    name = ("NO", "PART", "YES")[grade]
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, None)
    assert f"every label is {name}" in gate.sentence
    assert "label pairs of other grades" in gate.sentence


def test_a_judge_that_is_better_by_luck_is_not_trusted():
    # 375 of 4,423 is 8.48% with an upper bound of 9.2%, and always saying NO is 8.52%: two pairs.
    table = np.array([[4046.0, 0, 0], [0, 0, 0], [375, 0, 2]])
    gate = decide(375, 4423, constant=best_constant(table))
    assert gate.bounds.hi < 0.10
    assert gate.decision is UNDECIDED
    assert "not shown to beat one that always says NO" in gate.sentence
    # 2 of the 5 pairs that would show it: 4423 * 5 / 2, give or take the real-valued tail.
    assert gate.labels_needed == pytest.approx(4423 * 1.5, rel=0.25)


def test_a_judge_worse_than_a_constant_one_is_not_trusted_at_any_number():
    table = np.array([[970.0, 20, 0], [5, 5, 0], [0, 0, 0]])
    gate = decide(25, 1000, constant=best_constant(table))
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, None)
    assert gate.sentence.endswith("at the present rate no number of labels shows it better.")


def test_a_judge_beyond_the_limit_is_rejected_though_it_beats_the_constant_one():
    table = np.array([[10.0, 3, 0], [0, 10, 4], [0, 0, 10]])
    constant = best_constant(table)
    assert constant.beaten
    assert decide(7, 37, constant=constant, threshold=0.05).decision is REJECTED


def test_nothing_is_decided_before_the_plan_is_done():
    for x, n in [(0, 29), (20, 29)]:
        early = decide(x, n, constant=BEATEN, planned=30)
        assert early.decision is UNDECIDED
        assert early.sequence == confidence_sequence(x, n)
        assert f"{n} of 30 labels are in, and nothing is decided before the last" in early.sentence
        assert early.labels_needed == 1
        assert decide(x, n, constant=BEATEN).decision is not UNDECIDED
    assert decide(0, 30, constant=BEATEN, planned=30).decision is TRUSTED
    assert decide(0, 20, constant=BEATEN, planned=60).labels_needed == 40


def test_thirty_labels_drawn_by_verdict_fall_about_six_short():
    # n_eff 24 of 30: ln .05 / ln .9 = 28.43 are needed, 30 * 28.43 / 24 = 35.5.
    gate = decide(0, 30, constant=BEATEN, effective=Effective(0.0, 24.0, 0.0))
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, 6)
    assert gate.sentence == (
        "UNDECIDED: 0 of 30 pairs disagree, but drawn by verdict they are worth about 24 drawn at "
        "random, and 24 are too few to show at most 10%: about 6 more labels settle it."
    )
    assert gate.outlooks[0] == (0, 6)


def test_the_floor_of_five_is_named_for_what_it_costs():
    # 17, 7 and 6 of 800, 120 and 80: n_eff 24.53, and 30 * 28.43 / 24.53 = 34.8.
    rate = stratified_rate([800, 120, 80], allocate([800, 120, 80], 30), [0, 0, 0])
    gate = decide(0, 30, constant=BEATEN, effective=Effective(rate.rate, rate.n, rate.x))
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, 5)
    assert "worth about 24 drawn at random" in gate.sentence
    # And so many, drawn the same way, do settle it.
    rate = stratified_rate([800, 120, 80], allocate([800, 120, 80], 35), [0, 0, 0])
    gate = decide(0, 35, constant=BEATEN, effective=Effective(rate.rate, rate.n, rate.x))
    assert gate.decision is TRUSTED


def test_a_verdict_without_a_label_leaves_it_undecided():
    gate = decide(0, 60, constant=BEATEN, uncovered=(1, 2))
    assert (gate.decision, gate.labels_needed) == (UNDECIDED, 2)
    assert "no label speaks for the verdict PART and YES" in gate.sentence


def test_a_mixed_sample_without_a_disagreement_is_trusted():
    grades = np.repeat([0, 1, 2], [22, 4, 4]).astype(np.int8)
    found = measure(grades, grades, queries=np.arange(30))
    gate = decide(found.disagreements, found.n, constant=found.constant_judge)
    assert gate.decision is TRUSTED
    assert "It beats a judge that always says NO, which would disagree on 26.7%" in gate.reasons[1]


@settings(max_examples=60)
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_every_decision_has_a_sentence_and_reasons_in_finite_numbers(counts):
    x, n = counts
    for planned in (None, n + 5):
        gate = decide(x, n, constant=BEATEN, planned=planned)
        words = " ".join((gate.sentence, *gate.reasons))
        assert "nan" not in words.lower()
        assert "None" not in words
        if gate.decision is not UNDECIDED:
            assert gate.labels_needed is None
        assert gate.labels_needed is None or gate.labels_needed > 0


@pytest.mark.parametrize("threshold", [0, 1, -0.1, 1e-320, float("nan")])
def test_a_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(ValueError, match=r"expected between 0.0001 and 1"):
        decide(0, 30, constant=BEATEN, threshold=threshold)


def test_compared_pairs_need_their_constant_judge():
    with pytest.raises(ValueError, match="30 compared pairs without their constant judge"):
        decide(0, 30, constant=None)


def test_percentages_that_differ_never_read_the_same():
    assert percent(0.1, beside=0.1) == "10%"
    assert percent(0.10004, beside=0.1) == "10.004%"
    assert percent(0.0848, beside=0.0852) == "8.48%"
    assert percent(0.0848, beside=0.1) == "8.5%"
    assert percent(0.0848) == "8.5%"


def chances(sizes, rates, *, n):
    """How often a judge exactly at the limit is TRUSTED and REJECTED, by adding up every outcome
    of the weighted rule; `rates` by verdict are scaled to 10% overall."""
    drawn = allocate(sizes, n)
    overall = sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(sizes)
    weights = [
        binom(k, 0.10 * rate / overall).pmf(range(k + 1))
        for k, rate in zip(drawn, rates, strict=True)
    ]
    trusted = rejected = 0.0
    for xs in product(*(range(k + 1) for k in drawn)):
        chance = float(np.prod([w[x] for w, x in zip(weights, xs, strict=True)]))
        if chance < 1e-8:
            continue
        rate = stratified_rate(sizes, drawn, xs)
        worth = Effective(rate.rate, rate.n, min(rate.x, rate.n))
        decision = Evidence(sum(xs), n, worth, True, BEATEN, 0.10, None, ()).decision
        trusted += chance * (decision is TRUSTED)
        rejected += chance * (decision is REJECTED)
    return trusted, rejected


@pytest.mark.parametrize("sizes", [(800, 120, 80), (900, 60, 40), (600, 250, 150), (340, 330, 330)])
@pytest.mark.parametrize("n", [30, 60, 100])
@pytest.mark.parametrize("rates", [(1, 1, 1), (1, 4, 4), (4, 1, 1), (1, 1, 6)])
def test_a_judge_at_the_limit_is_rarely_decided_on_a_weighted_sample(sizes, n, rates):
    trusted, rejected = chances(sizes, rates, n=n)
    assert trusted <= 0.05
    assert rejected <= 0.05
    if rates == (1, 4, 4) and sizes[0] >= 800:
        # The usual case, few YES and the judge wrong mostly on those: half the nominal level.
        assert trusted <= 0.025
