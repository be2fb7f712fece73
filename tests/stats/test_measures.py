"""The measures against an independent reference, ir_measures and hand-worked lists."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import UsageError
from labeler.stats.measures import Measure, Reading, measure, measure_queries
from labeler.stats.retrieval import Outcome, evaluate

DATA = os.environ.get("LABELER_TEST_DATA")
LENIENT = Reading.LENIENT

TOY = {
    "q1": {"d1": 2, "d2": 0, "d3": 1, "d4": 2, "d5": 0, "d9": 1},
    "q2": {"d1": 0, "d2": 0, "d3": 1},
    "q3": {"d1": 0, "d2": 0},
    "q4": {"d1": 2},
}
TOY_RUN = {
    "q1": ["d2", "d1", "d3", "d7", "d4"],
    "q2": ["d1", "d2", "d3", "d8", "d9"],
    "q3": ["d1", "d2", "d5"],
}


def measures(*texts):
    return [measure(text) for text in texts]


def one(labels, ranking, text, *, reading=Reading.STRICT):
    """One measure of one query."""
    done = evaluate(
        {"q": labels}, {"q": ranking}, measures=measures(text), reading=reading, draws=2
    )
    return done.of("q").values[text]


def test_a_measure_is_read_as_it_is_written():
    assert measure("P/retrieved@5") == Measure("P/retrieved", 5)
    assert str(Measure("nDCG", 10)) == "nDCG@10"


@pytest.mark.parametrize("text", ["R@0", "R@", "R", "MAP@5", "R@-1", "R@5.0", "R@²", "@5"])
def test_what_is_no_measure_is_refused_by_name(text):
    with pytest.raises(UsageError, match="is no measure"):
        measure(text)


def test_the_toy_set_reads_as_worked_by_hand():
    # P@3 ((2+1+0)/3)/3, recall (2/4 + 1/1 + 0)/3, RR (1/2 + 1/3 + 0)/3 over q1, q2, q4; q3 has no
    # relevant passage; nDCG of q1 is (2/log2 3 + 1/2) / (2 + 2/log2 3 + 1/2), of q2 1/2.
    asked = measures("P@3", "R@3", "RR@3", "nDCG@3")
    done = evaluate(TOY, TOY_RUN, measures=asked, reading=LENIENT)
    means = {name: round(of.value, 6) for name, of in done.means.items()}
    assert means == {"P@3": 0.333333, "R@3": 0.5, "RR@3": 0.277778, "nDCG@3": 0.322783}
    assert [each.query_id for each in done.unanswerable] == ["q3"]
    assert done.missing == ("q4",)
    # Over all four, the one without a relevant passage as 0, which is what ir_measures prints.
    over_four = {name: round(of.value * 3 / 4, 6) for name, of in done.means.items()}
    assert over_four == {"P@3": 0.25, "R@3": 0.375, "RR@3": 0.208333, "nDCG@3": 0.242087}


def test_precision_and_recall_divide_by_what_their_names_say():
    four = {"a": 2, "b": 2, "c": 2, "d": 2}
    ranking = ["a", "x", "b", "y", "z", "c", "d", "u", "v", "w"]
    assert one(four, ranking, "P@5") == 0.4
    assert one(four, ranking, "R@5") == 0.5
    assert one(four, ranking, "R@10") == 1
    assert one(four, ranking, "P@10") == 0.4
    # Three returned, two relevant: 2/3 of what came back, 2/5 of five.
    assert one({"a": 2, "b": 2}, ["a", "x", "b"], "P/retrieved@5") == pytest.approx(2 / 3)
    assert one({"a": 2, "b": 2}, ["a", "x", "b"], "P@5") == 0.4


def test_the_reciprocal_rank_of_first_fourth_and_never():
    golden = {q: {"a": 2} for q in ("q1", "q2", "q3")}
    run = {"q1": ["a"], "q2": ["x", "y", "z", "a"], "q3": ["x", "y"]}
    done = evaluate(golden, run, measures=measures("RR@10"))
    assert done.means["RR@10"].value == pytest.approx((1 + 0.25 + 0) / 3)


def test_the_reciprocal_rank_is_0_past_the_cutoff_and_exact_at_it():
    assert one({"a": 2}, ["x", "y", "a"], "RR@2") == 0
    assert one({"a": 2}, ["x", "y", "a"], "RR@3") == pytest.approx(1 / 3)


def test_ndcg_has_linear_gains_in_either_reading():
    # YES third, PART first: (1 + 2/2) / (2 + 1/log2 3).
    expected = 2 / (2 + 1 / math.log2(3))
    for reading in Reading:
        value = one({"a": 2, "b": 1}, ["b", "x", "a"], "nDCG@5", reading=reading)
        assert value == pytest.approx(expected)


def test_strict_reads_yes_alone():
    assert one({"a": 1, "b": 2}, ["a", "b"], "P@2") == 0.5
    assert one({"a": 1, "b": 2}, ["a", "b"], "P@2", reading=LENIENT) == 1


@pytest.mark.parametrize("odd", ["", "\0", "a\0b", "\ud800", "-1", "1", "2", "\u00e9", "e\u0301"])
def test_no_id_can_be_misread(odd):
    # Slots are named by numbers inside: an id that looks like one must change nothing.
    assert one({odd: 2, "x": 0}, ["x", odd], "RR@5") == 0.5
    assert one({odd: 2, "x": 2}, ["x", "y"], "R@5") == 0.5


def reference(path):
    if not DATA:
        return []
    return json.loads(Path(DATA, path).read_text(encoding="utf-8"))["cases"]


@pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")
@pytest.mark.parametrize("case", reference("oracles/retrieval.json"), ids=lambda case: case["id"])
def test_every_reference_case_comes_out(case):
    """Exponential gains are not ours; every other number is."""
    k, expected = case["k"], case["outputs"]["proposed"]
    names = {
        "recall": f"R@{k}",
        "precision_k": f"P@{k}",
        "precision_returned": f"P/retrieved@{k}",
        "mrr": f"RR@{k}",
        "ndcg_linear": f"nDCG@{k}",
        "success": f"Success@{k}",
        "judged_k": f"Judged@{k}",
    }
    run = {q: [p for p, _ in ranking] for q, ranking in case["run"].items()}
    done = evaluate(
        case["qrels"], run, measures=measures(*names.values()), reading=LENIENT, draws=2
    )
    for key, value in expected["macro"].items():
        if key in names:
            assert rounded(done.means[names[key]].value) == value
    nothing = [q for q in done.query_ids if not done.of(q).returned]
    assert len(done.query_ids) == expected["n_answerable"]
    assert len(done.unanswerable) == expected["n_unanswerable"]
    assert len(nothing) == expected["n_no_results"]
    outcomes = {
        "ok": Outcome.MEASURED,
        "missing_from_run": Outcome.MISSING,
        "unanswerable": Outcome.UNANSWERABLE,
    }
    for query_id, of in expected["per_query"].items():
        found = done.of(query_id)
        assert found.outcome is outcomes[of["status"]]
        counted = (found.returned, found.duplicates, found.relevant)
        assert counted == (of["n_returned"], of["duplicates"], of["n_relevant"])
        for key, name in names.items():
            if key == "judged_k" and found.outcome is Outcome.UNANSWERABLE:
                continue  # in no mean here: what came back for it is reported apart
            assert rounded(found.values[name]) == of[key]
            assert (name in found.reasons) == (of[key] is None)


def rounded(value):
    return None if value is None else round(value, 6)


PASSAGES = [f"p{n}" for n in range(12)]
LABELS = st.dictionaries(st.sampled_from(PASSAGES), st.integers(0, 2), min_size=1).filter(
    lambda labels: 2 in labels.values()
)
RANKING = st.lists(st.sampled_from(PASSAGES), unique=True, max_size=12)
SECOND = {
    "R": lambda k, rel: ir_measures.R(rel=rel) @ k,
    "P": lambda k, rel: ir_measures.P(rel=rel) @ k,
    "RR": lambda k, rel: ir_measures.RR(rel=rel) @ k,
    "nDCG": lambda k, rel: ir_measures.nDCG @ k,
    "Success": lambda k, rel: ir_measures.Success(rel=rel) @ k,
    "Judged": lambda k, rel: ir_measures.Judged @ k,
}


@settings(max_examples=60)
@given(
    golden=st.dictionaries(st.sampled_from("abcdef"), LABELS, min_size=1),
    run=st.dictionaries(st.sampled_from("abcdef"), RANKING, min_size=1),
    k=st.integers(1, 13),
    reading=st.sampled_from(Reading),
)
def test_ir_measures_says_the_same_of_random_runs(golden, run, k, reading):
    """Judged alone differs, and only where nothing came back: 0 there, undefined here."""
    asked = [Measure(name, k) for name in SECOND]
    done = evaluate(golden, run, measures=asked, reading=reading, draws=2)
    scored = {q: {p: -float(rank) for rank, p in enumerate(r)} for q, r in run.items() if r}
    for name, of in SECOND.items():
        # One measure a call: nDCG beside another can come out wrong there.
        theirs = {
            metric.query_id: metric.value
            for metric in ir_measures.iter_calc([of(k, reading.least)], golden, scored)
        }
        for query_id in golden:
            ours = done.of(query_id).values[f"{name}@{k}"]
            if name == "Judged" and not run.get(query_id):
                assert ours is None
            else:
                assert ours == pytest.approx(theirs.get(query_id, 0.0), abs=1e-9)


@settings(max_examples=60)
@given(
    labels=LABELS,
    ranking=st.lists(st.sampled_from(PASSAGES), max_size=20),
    k=st.integers(1, 21),
)
def test_a_plain_second_implementation_agrees_with_repeats_in_the_list(labels, ranking, k):
    top = [p if p not in ranking[:at] else None for at, p in enumerate(ranking)][:k]
    gains = [labels.get(p, 0) for p in top]
    hits = [gain >= 2 for gain in gains]
    relevant = sum(gain >= 2 for gain in labels.values())
    dcg = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))
    best = sorted(labels.values(), reverse=True)[:k]
    ideal = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(best))
    expected = {
        "R": sum(hits) / relevant,
        "P": sum(hits) / k,
        "P/retrieved": sum(hits) / len(top) if top else None,
        "RR": 1 / (hits.index(True) + 1) if any(hits) else 0,
        "nDCG": dcg / ideal,
        "Success": any(hits),
        "Judged": sum(p in labels for p in top) / len(top) if top else None,
    }
    for name, value in expected.items():
        ours = one(labels, ranking, f"{name}@{k}")
        assert ours == (value if value is None else pytest.approx(float(value)))


@pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")
@pytest.mark.parametrize(
    ("system", "queries", "published"),
    [
        ("base", 99, (0.425926, 0.655724, 0.734007, 0.414141, 0.636595)),
        ("level_two", 100, (0.450000, 0.709167, 0.773333, 0.440000, 0.682773)),
        ("level_three", 100, (0.453333, 0.709167, 0.838333, 0.443333, 0.716353)),
    ],
)
def test_the_published_figures_of_three_recorded_rankings_come_out(system, queries, published):
    golden, run = {}, {}
    for line in Path(DATA, "data/claude_docs/qrels/trec.qrels").read_text("utf-8").splitlines():
        query_id, _, passage_id, _ = line.split("\t" if "\t" in line else " ")
        golden.setdefault(query_id, {})[passage_id] = 2
    for line in Path(DATA, f"data/claude_docs/run.{system}.trec").read_text("utf-8").splitlines():
        query_id, _, passage_id, *_ = line.split("\t")
        run.setdefault(query_id, []).append(passage_id)
    asked = measures("P/retrieved@3", "R@3", "RR@3", "P@3", "nDCG@3")
    ranked = {q: labels for q, labels in golden.items() if q in run}
    done = evaluate(ranked, run, measures=asked, depth=3, draws=2)
    assert len(done.query_ids) == queries
    assert [round(of.value, 6) for of in done.means.values()] == list(published)
    # Over all 100 the missing query counts 0 and is listed; P/retrieved has nothing to divide by.
    whole = evaluate(golden, run, measures=asked, depth=3, draws=2)
    assert len(whole.query_ids) == 100
    assert len(whole.missing) == 100 - queries
    assert whole.counts["P/retrieved@3"] == queries
    assert whole.means["P/retrieved@3"].value == pytest.approx(done.means["P/retrieved@3"].value)
    for name in ("R@3", "RR@3", "P@3", "nDCG@3"):
        expected = done.means[name].value * queries / 100
        assert whole.means[name].value == pytest.approx(expected)
    assert np.isfinite(whole.values[:, 1:]).all()


@pytest.mark.parametrize("k", [0, -1])
def test_a_cutoff_below_1_is_refused_before_it_ends_the_process(k):
    with pytest.raises(ValueError, match="expected every k to be 1 or more"):
        measure_queries([], [Measure("R", k)], reading=Reading.STRICT)
