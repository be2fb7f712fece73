"""Recall against tokens delivered."""

from __future__ import annotations

from labeler.stats.budget import at_cutoffs, at_tokens
from labeler.stats.eligibility import Bar

GOLDEN = {"q1": {"a": 2, "b": 2}, "q2": {"c": 2}, "none": {"a": 0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "none": ["a"]}
TOKENS = {"a": 100, "b": 50, "c": 10, "x": 40}


def test_a_list_is_cut_before_the_first_passage_that_goes_over():
    # 100: q1 delivers a (100) and finds 1 of 2; q2 x and c (50), 1 of 1.
    # 139: x would make 140, so q1 stays at a; b would fit by itself but is not skipped to.
    # 190: q1 delivers all 190 and finds both. 30: nothing fits either.
    points = at_tokens(GOLDEN, RUN, TOKENS, budgets=[30, 100, 139, 190])
    assert [point.recall.value for point in points] == [0, 0.75, 0.75, 1]
    assert [point.tokens.value for point in points] == [0, 75, 75, 120]
    assert [point.passages.value for point in points] == [0, 1.5, 1.5, 2.5]
    assert {point.queries for point in points} == {2}


def test_the_same_curve_by_cutoff():
    points = at_cutoffs(GOLDEN, RUN, TOKENS, ks=[1, 2, 5])
    assert [point.recall.value for point in points] == [0.25, 0.75, 1]
    assert [point.tokens.value for point in points] == [70, 95, 120]


def test_a_repeat_and_a_barred_passage_cost_their_tokens_and_gain_nothing():
    run = {"q": ["s", "a", "a", "b"]}
    golden = {"q": {"a": 2, "b": 2, "s": 2}}
    bars = {"q": {"s": Bar.UNAUTHORISED}}
    tokens = dict.fromkeys("abs", 10)
    points = at_tokens(golden, run, tokens, budgets=[10, 20, 30, 40], barred=bars)
    assert [point.recall.value for point in points] == [0, 0.5, 0.5, 1]


def test_a_passage_of_unknown_length_leaves_its_query_out_once_it_might_matter():
    run = {"q1": ["a", "unknown", "b"], "q2": ["c"]}
    points = at_tokens(GOLDEN, run, TOKENS, budgets=[99, 100])
    # At 99 not even a fits, so what follows does not matter; at 100 it might.
    assert [(point.queries, point.unknown) for point in points] == [(2, 0), (1, 1)]
    assert points[1].recall.value == 1
    (cut,) = at_cutoffs(GOLDEN, {"q1": ["unknown"]}, TOKENS, ks=[3])
    assert (cut.queries, cut.unknown) == (1, 1)
    (gone,) = at_cutoffs({"q1": {"a": 2}}, {"q1": ["unknown"]}, TOKENS, ks=[3])
    assert gone.recall.value is None
    assert gone.recall.reason == "every list has a passage of unknown length"
