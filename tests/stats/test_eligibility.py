"""Scopes and dates."""

from __future__ import annotations

import pytest

from labeler.model import Passage, Query
from labeler.stats.eligibility import Bar, bar, barred


def passage(passage_id="p", **fields):
    return Passage(passage_id, "text", **fields)


def query(query_id="q", **fields):
    return Query(query_id, "text", **fields)


@pytest.mark.parametrize(
    ("caller", "needed", "why"),
    [
        ("", "", None),
        ("hr", "", None),
        ("", "hr", Bar.UNAUTHORISED),
        ("hr", "hr", None),
        ("finance sales", "sales", None),
        ("finance,sales", "hr sales", None),
        ("hr-lead", "hr", Bar.UNAUTHORISED),
        ("HR", "hr", Bar.UNAUTHORISED),
    ],
)
def test_a_passage_is_seen_by_a_caller_with_one_of_its_scopes(caller, needed, why):
    assert bar(query(scope=caller), passage(scope=needed)) is why


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2024-12-31", Bar.OUT_OF_DATE),
        ("2025-01-01", None),
        ("2025-06-30", None),
        ("2025-06-30T23:59:00", None),
        ("2025-07-01", Bar.OUT_OF_DATE),
        ("2025-06", None),
        ("2025", None),
        ("2026", Bar.OUT_OF_DATE),
        ("", None),
    ],
)
def test_both_ends_of_the_dates_are_in_force(day, why):
    dated = passage(effective_from="2025-01-01", effective_to="2025-06-30T12:00:00Z")
    assert bar(query(as_of=day), dated) is why


def test_a_query_without_a_date_is_asked_today_where_today_is_given():
    old = passage(effective_to="2024-12-31")
    assert bar(query(), old) is None
    assert bar(query(), old, today="2025-05-05") is Bar.OUT_OF_DATE
    assert bar(query(as_of="2024-05-05"), old, today="2025-05-05") is None


def test_what_may_not_be_seen_comes_before_what_is_old():
    hidden = passage(scope="hr", effective_to="2020-01-01")
    assert bar(query(as_of="2025-01-01"), hidden) is Bar.UNAUTHORISED


def test_only_candidates_are_looked_at_and_unknown_passages_are_barred_for_nobody():
    passages = [passage("a", scope="hr"), passage("b", scope="hr"), passage("c")]
    found = barred(
        [query("q1"), query("q2", scope="hr"), query("q3")],
        passages,
        candidates={"q1": ["a", "c", "nowhere"], "q2": ["a"]},
    )
    assert found == {"q1": {"a": Bar.UNAUTHORISED}}
