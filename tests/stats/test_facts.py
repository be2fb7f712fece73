"""Facts as the unit of recall."""

from __future__ import annotations

import pytest

from labeler.stats.eligibility import Bar
from labeler.stats.facts import fact_recall

FACTS = {"q1": {"price": ["a", "b"], "date": ["c"]}, "q2": {"limit": ["d"]}}


def test_two_passages_that_say_the_same_cover_one_fact_once():
    # q1: a and b both say the price, nobody the date: 1 of 2. q2: 1 of 1.
    found = fact_recall(FACTS, {"q1": ["a", "b"], "q2": ["x", "d"]}, k=2)
    assert found.recall.value == 0.75
    assert found.complete.value == 0.5
    assert found.found[0].covered == ("price",)
    assert found.found[0].uncovered == ("date",)
    assert found.queries == 2


def test_the_cut_comes_first_and_a_missing_query_covers_nothing():
    found = fact_recall(FACTS, {"q2": ["x", "d"]}, k=1)
    assert found.recall.value == 0
    assert found.recall.interval is None


def test_a_barred_passage_covers_nothing_and_a_fact_that_none_may_say_is_told_apart():
    bars = {"q1": {"c": Bar.UNAUTHORISED, "a": Bar.OUT_OF_DATE}}
    found = fact_recall(FACTS, {"q1": ["a", "c"]}, k=5, barred=bars).found[0]
    assert found.uncarried == ("date",)
    assert found.uncovered == ("price",)
    assert found.recall == 0


def test_a_query_whose_facts_nobody_carries_is_in_no_mean():
    found = fact_recall({"q": {"price": []}}, {"q": ["a"]}, k=5)
    assert found.queries == 0
    assert found.recall.value is None
    assert found.found[0].recall is None


def test_means_are_within_need_first():
    facts = {q: {"f": ["a"]} for q in ("q1", "q2", "q3")}
    needs = {"q1": "n", "q2": "n"}
    found = fact_recall(facts, {"q1": ["a"], "q2": ["a"]}, k=1, needs=needs)
    assert found.recall.value == 0.5


def test_beyond_the_depth_there_is_no_value():
    assert fact_recall(FACTS, {"q1": ["a"]}, k=5, depth=3).recall.reason == "depth 3"
    with pytest.raises(ValueError, match="1 or more"):
        fact_recall(FACTS, {}, k=0)
