"""Misses in words."""

from __future__ import annotations

import pytest

from labeler.model import Query
from labeler.stats.eligibility import Bar
from labeler.stats.misses import ADVICE, Cluster, cluster, clusters, reach

GOLDEN = {"q1": {"a": 2, "b": 2, "gone": 2, "part": 1}, "q2": {"c": 2, "s": 2}}


def test_relevant_passages_are_counted_by_where_they_stand():
    # Near 1, far 2. a first; b second; c third, which is past far; gone is in no corpus.
    run = {"q1": ["a", "b"], "q2": ["x", "y", "c"]}
    bars = {"q2": {"s": Bar.UNAUTHORISED}}
    found = reach(GOLDEN, run, near=1, far=2, corpus={"a", "b", "c", "s"}, barred=bars)
    assert found[2:] == (1, 1, 1, 1)
    assert found.relevant == 4
    assert found.reading.startswith(
        "Of 4 relevant passages 1 are in the top 1, 1 found but ranked badly (rank 2 to 2), "
        "1 not found in the top 2, 1 not in the corpus."
    )


@pytest.mark.parametrize(
    ("run", "advice"),
    [
        ({"q": ["x", "a", "b"]}, "work on the ranking"),
        ({"q": ["x"]}, "work on the search itself"),
        ({"q": []}, "work on the search itself"),
    ],
)
def test_the_largest_kind_of_miss_is_the_one_advised_on(run, advice):
    assert advice in reach({"q": {"a": 2, "b": 2}}, run, near=1, far=3).reading


def test_where_nothing_is_missed_nothing_is_advised():
    assert reach({"q": {"a": 2}}, {"q": ["a"]}).reading == (
        "Of 1 relevant passages 1 are in the top 5."
    )
    assert reach({"q": {"a": 0}}, {}).reading == "No relevant passage to look for."


def test_a_passage_that_came_back_is_in_the_corpus_whatever_the_list_says():
    assert reach({"q": {"a": 2}}, {"q": ["x", "a"]}, near=1, far=2, corpus=set()).ranked_badly == 1


def test_near_must_come_before_far():
    with pytest.raises(ValueError, match="near"):
        reach({}, {}, near=5, far=5)


@pytest.mark.parametrize(
    ("text", "kind", "relevant", "expected"),
    [
        ("what does ERR-4021 mean", "", 1, Cluster.EXACT),
        ("code128 in pdf layout", "", 1, Cluster.EXACT),
        ("page_size maximum", "", 1, Cluster.EXACT),
        ("holidayEntitlement field", "", 1, Cluster.EXACT),
        ("price list of 2024", "", 1, Cluster.DATES),
        ("the old travel rules", "", 1, Cluster.DATES),
        ("notice period and unused holiday", "", 3, Cluster.MULTI),
        ("how do I get a chair", "", 1, Cluster.WORDING),
        ("how do I get a chair", "multi_passage", 1, Cluster.MULTI),
        ("how do I get a chair", "our own kind", 1, Cluster.WORDING),
        ("ERR-4021", "historical", 1, Cluster.DATES),
        ("salary bands", "permission", 1, Cluster.PERMISSION),
    ],
)
def test_a_missed_query_joins_those_that_one_change_would_mend(text, kind, relevant, expected):
    assert cluster(Query("q", text, kind=kind), relevant=relevant) is expected


def test_a_query_with_a_date_is_about_dates():
    assert cluster(Query("q", "chairs", as_of="2025-01-01"), relevant=1) is Cluster.DATES


def test_clusters_come_largest_first_and_each_has_advice():
    codes = [(Query(f"q{n}", f"ERR-402{n}"), 1) for n in range(2)]
    found = clusters([(Query("q", "a chair"), 1), *codes])
    assert list(found) == [Cluster.EXACT, Cluster.WORDING]
    assert set(ADVICE) == set(Cluster)
