"""An evaluation: means over needs, what is reported apart, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from labeler.stats.eligibility import Bar
from labeler.stats.measures import Reading, measure
from labeler.stats.retrieval import STANDARD, Outcome, evaluate

R5 = [measure("R@5")]


def test_a_golden_query_that_the_run_lacks_counts_0_and_is_listed():
    golden = {"q1": {"a": 2}, "q2": {"b": 2}, "q3": {"c": 2}}
    asked = [measure("R@5"), measure("P/retrieved@5")]
    done = evaluate(golden, {"q1": ["a"], "q3": []}, measures=asked)
    assert done.missing == ("q2",)
    assert done.means["R@5"].value == pytest.approx(1 / 3)
    assert done.of("q2").outcome is Outcome.MISSING
    assert done.of("q3").outcome is Outcome.NOTHING_RETURNED
    # Nothing came back for two: they are not in this mean, and it says that it goes over one.
    assert done.means["P/retrieved@5"].value == 1
    assert done.counts == {"R@5": 3, "P/retrieved@5": 1}
    assert done.of("q2").values["P/retrieved@5"] is None
    assert done.of("q2").reasons == {"P/retrieved@5": "nothing returned"}


def test_missed_queries_are_those_with_nothing_relevant_in_the_top_k():
    golden = {"q1": {"a": 2, "b": 2}, "q2": {"a": 2, "x": 1}, "q3": {"a": 2}, "no": {"a": 0}}
    run = {"q1": ["x", "a"], "q2": ["x", "y", "z", "a"], "no": ["a"]}
    done = evaluate(golden, run, measures=R5)
    assert done.missed(1) == ("q1", "q2", "q3")
    assert done.missed(2) == ("q2", "q3")
    assert done.missed(5) == ("q3",)


def test_a_query_of_the_run_that_the_golden_set_lacks_counts_nowhere():
    done = evaluate({"q": {"a": 2}}, {"q": ["a"], "other": ["a"]}, measures=R5)
    assert done.unknown == ("other",)
    assert done.means["R@5"].value == 1


def test_k_beyond_the_depth_is_undefined_with_the_depth_as_its_reason():
    done = evaluate({"q": {"a": 2}}, {"q": ["a"]}, depth=10)
    assert done.means["R@20"].value is None
    assert done.means["R@20"].reason == "depth 10"
    assert done.of("q").reasons["R@20"] == "depth 10"
    assert done.means["R@5"].value == 1
    assert done.counts["R@20"] == 0


def test_a_k_that_no_list_reaches_is_said_where_the_depth_is_not_known():
    done = evaluate({"q": {"a": 2}}, {"q": ["a", "b", "c"]}, measures=R5)
    assert done.warnings == ("no list is longer than 3: R@5 counted what there is",)


def test_queries_without_a_relevant_passage_are_reported_apart_and_in_no_mean():
    golden = {"q1": {"a": 2}, "no": {"a": 0}, "part": {"a": 1}, "never": {}}
    run = {"q1": ["a"], "no": ["x", "y"], "part": ["a"], "never": []}
    scores = {"no": [0.25, 0.75], "part": [None]}
    done = evaluate(golden, run, measures=R5, scores=scores)
    assert done.means["R@5"].value == 1
    no, part, never = done.unanswerable
    assert (no.returned, no.top_score, no.quiet) == (2, 0.75, False)
    assert no.why == "nothing is labelled relevant"
    assert part.why == "only PART is labelled, which the strict reading does not count"
    assert part.top_score is None
    assert never.quiet
    assert done.of("no").values == {"R@5": None}
    assert done.of("no").reasons == {"R@5": "no relevant passage"}


def test_without_an_answerable_query_nothing_has_a_value():
    done = evaluate({"q": {"a": 0}}, {"q": ["a"]})
    assert all(of.value is None and of.reason for of in done.means.values())
    assert evaluate({}, {"q": ["a"]}).means["R@5"].reason == "no query has a relevant passage"


def test_a_repeated_passage_keeps_its_slot_gains_nothing_and_is_counted():
    # Cut at 2 first: a, a. The second a gains nothing and b is past the cut.
    done = evaluate({"q": {"a": 2, "b": 2}}, {"q": ["a", "a", "b"]}, measures=[measure("P@2")])
    assert done.means["P@2"].value == 0.5
    assert done.duplicates == {"q": 1}


def test_barred_passages_are_counted_over_the_whole_list_and_improve_nothing():
    golden = {"q": {"secret": 2, "old": 2, "a": 2}}
    run = {"q": ["secret", "x", "a", "y", "z", "u", "old", "secret"]}
    bars = {"q": {"secret": Bar.UNAUTHORISED, "old": Bar.OUT_OF_DATE, "elsewhere": Bar.OUT_OF_DATE}}
    done = evaluate(golden, run, measures=[*R5, measure("RR@5"), measure("P@5")], barred=bars)
    # Only a can be found, so recall is 1 of 1; it stands third, for the slots stay taken.
    assert done.means["R@5"].value == 1
    assert done.means["RR@5"].value == pytest.approx(1 / 3)
    assert done.means["P@5"].value == pytest.approx(1 / 5)
    assert done.unauthorised == {"q": ("secret",)}
    assert done.out_of_date == {"q": ("old",)}


def test_returning_more_barred_passages_never_improves_a_number():
    golden = {"q": {"a": 2, "b": 1, "s": 2}}
    bars = {"q": {"s": Bar.UNAUTHORISED}}
    without = evaluate(golden, {"q": ["a", "b"]}, barred=bars, reading=Reading.LENIENT, draws=2)
    for place in range(3):
        ranking = ["a", "b"]
        ranking.insert(place, "s")
        leaky = evaluate(golden, {"q": ranking}, barred=bars, reading=Reading.LENIENT, draws=2)
        for each in STANDARD:
            if each.name != "Judged":
                assert leaky.means[str(each)].value <= without.means[str(each)].value


def test_a_query_whose_relevant_passages_are_all_barred_is_reported_apart():
    bars = {"q": {"a": Bar.UNAUTHORISED}}
    done = evaluate({"q": {"a": 2}}, {"q": ["a"]}, measures=R5, barred=bars)
    (only,) = done.unanswerable
    assert only.why == "every relevant passage is out of the caller's scope or of its dates"
    assert done.unauthorised == {"q": ("a",)}


def test_negative_labels_are_read_as_0_with_a_warning():
    done = evaluate({"q": {"a": 2, "spam": -2}}, {"q": ["spam", "a"]}, measures=[measure("nDCG@2")])
    # 2 / log2 3 over 2.
    assert done.means["nDCG@2"].value == pytest.approx(0.6309297535714575)
    assert done.warnings == ("1 negative labels were read as 0",)


def test_paraphrases_of_one_need_are_one_voice():
    # Need n has three paraphrases, all found; the need q4 is not found: (1 + 0) / 2, not 3 / 4.
    golden = {q: {"a": 2} for q in ("q1", "q2", "q3", "q4")}
    run = {q: ["a"] for q in ("q1", "q2", "q3")}
    needs = {"q1": "n", "q2": "n", "q3": "n", "q4": ""}
    done = evaluate(golden, run, measures=R5, needs=needs)
    assert done.means["R@5"].value == 0.5
    assert done.n_needs == 2
    assert done.need_values(R5[0]).tolist() == [1.0, 0.0]


def test_the_interval_resamples_needs_and_so_does_not_shrink_with_paraphrases():
    random = np.random.default_rng(5)
    hits = random.random(40) < 0.6
    once = {f"n{n}": ["a"] if hit else ["x"] for n, hit in enumerate(hits)}
    often = {f"{n}.{copy}": ranking for n, ranking in once.items() for copy in range(5)}
    needs = {query_id: query_id.split(".")[0] for query_id in often}
    alone = evaluate({q: {"a": 2} for q in once}, once, measures=R5)
    copied = evaluate({q: {"a": 2} for q in often}, often, measures=R5, needs=needs)
    assert copied.means["R@5"] == alone.means["R@5"]
    # The percentile bootstrap of a share is about the binomial's: .6 +- 1.96 sqrt(.24 / 40).
    lo, hi = alone.means["R@5"].interval
    p = hits.mean()
    half = 1.96 * (p * (1 - p) / 40) ** 0.5
    assert (lo, hi) == pytest.approx((p - half, p + half), abs=0.03)


def test_one_query_has_a_value_and_no_interval():
    done = evaluate({"q": {"a": 2}}, {"q": ["a"]}, measures=R5)
    assert done.means["R@5"].interval is None
    assert "fewer than 2" in done.means["R@5"].reason


def test_the_same_seed_gives_the_same_interval_and_another_does_not():
    golden = {f"q{n}": {"a": 2} for n in range(30)}
    run = {f"q{n}": ["x"] * (n % 4) + ["a"] for n in range(30)}
    asked = [measure("RR@5")]
    first, again, other = (
        evaluate(golden, run, measures=asked, seed=seed).means["RR@5"] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_slices_have_their_own_means_and_small_ones_are_marked():
    golden = {f"q{n}": {"a": 2} for n in range(24)}
    run = {f"q{n}": ["a"] if n < 12 else ["x"] for n in range(24)}
    kinds = {f"q{n}": "exact" if n < 12 else "paraphrase" for n in range(21)}
    done = evaluate(golden, run, measures=R5, slices={"kind": kinds})
    exact, paraphrase = done.slices
    assert (exact.name, exact.value, exact.queries, exact.needs) == ("kind", "exact", 12, 12)
    assert exact.means["R@5"].value == 1
    assert not exact.small
    assert (paraphrase.queries, paraphrase.means["R@5"].value, paraphrase.small) == (9, 0, True)


def test_a_need_whose_paraphrases_lie_in_two_slices_counts_in_each():
    golden = {"q1": {"a": 2}, "q2": {"a": 2}, "q3": {"a": 2}}
    run = {"q1": ["a"], "q2": ["x"], "q3": ["a"]}
    kinds = {"q1": "exact", "q2": "wordy", "q3": "wordy"}
    needs = {"q1": "n", "q2": "n", "q3": "n"}
    done = evaluate(golden, run, measures=R5, needs=needs, slices={"kind": kinds})
    assert [part.means["R@5"].value for part in done.slices] == [1.0, 0.5]
    assert done.means["R@5"].value == pytest.approx(2 / 3)


def test_what_is_barred_is_said_before_what_is_only_part_of_an_answer():
    bars = {"q": {"a": Bar.OUT_OF_DATE}}
    done = evaluate({"q": {"a": 2, "b": 1}}, {"q": ["b"]}, measures=R5, barred=bars)
    assert done.unanswerable[0].why.startswith("every relevant passage is out of")
