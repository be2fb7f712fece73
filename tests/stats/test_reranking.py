"""A reranker cannot change recall at the depth that it reranks."""

from __future__ import annotations

import pytest

from labeler.stats.reranking import reranked

GOLDEN = {"q1": {"a": 2, "b": 2}, "q2": {"c": 2}, "q3": {"d": 0}}
FIRST = {"q1": ["a", "x", "b"], "q2": ["y", "c", "z"], "q3": ["d", "e", "f"]}


def reversed_top(run):
    return {query_id: ranking[::-1] for query_id, ranking in run.items()}


def test_the_same_candidates_in_another_order_are_a_reranking_and_fine():
    found = reranked(GOLDEN, FIRST, reversed_top(FIRST), depth=3)
    assert found.reranker
    assert not found.flagged
    assert found.reading == "the same candidates, reordered on 3 of 3 queries"


def test_a_reranker_that_changes_recall_at_its_own_depth_is_flagged():
    second = reversed_top(FIRST) | {"q2": ["z", "y", "w"]}
    found = reranked(GOLDEN, FIRST, second, depth=3)
    assert found.flagged
    assert found.recall_changed == ("q2",)
    assert found.reading.startswith("not of the same candidates: recall@3 differs on 1 queries")


def test_other_candidates_of_equal_recall_are_said_without_a_flag():
    second = reversed_top(FIRST) | {"q2": ["c", "y", "w"]}
    found = reranked(GOLDEN, FIRST, second, depth=3)
    assert not found.flagged
    assert found.reading.startswith("the top 3 differ on 1 of 3")


def test_another_system_is_no_reranker_unless_it_is_said_to_be():
    other = {"q1": ["a", "m", "n"], "q2": ["o", "p", "q"], "q3": ["r", "s", "t"]}
    assert not reranked(GOLDEN, FIRST, other, depth=3).flagged
    assert reranked(GOLDEN, FIRST, other, depth=3).reading == ""
    assert reranked(GOLDEN, FIRST, other, depth=3, declared=True).flagged


def test_the_same_run_is_no_reranker_of_itself():
    assert not reranked(GOLDEN, FIRST, FIRST, depth=3).reranker


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match="1 or more"):
        reranked(GOLDEN, FIRST, FIRST, depth=0)
