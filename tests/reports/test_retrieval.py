"""What the retrieval reports add to the statistics: basis, gates, summaries, the Python call."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labeler
from labeler import retrieving
from labeler.bm25 import K1, B, Bm25
from labeler.errors import InputError, LabelerError, UsageError
from labeler.model import GoldenEntry, Grade, Judgment, Passage, Query, RunRow
from labeler.reports import basis, gates, history, retrieval, summaries, triage, variants
from labeler.reports.basis import Basis
from labeler.reports.gates import Check, Floor
from labeler.stats.measures import Measure, Reading
from labeler.store import corpora, evaluations, evidence, goldens, labels, queries, runs
from labeler.store.db import Store, open_store
from labeler.store.evidence import Outcome
from labeler.store.wording import UNBOUNDED


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


def ranked(run: dict[str, str], *, system: str = "s", depth: int | None = None) -> basis.Ranked:
    rows = [
        RunRow(query, passage, rank, 1 / rank)
        for query, ids in run.items()
        for rank, passage in enumerate(ids.split(), start=1)
    ]
    return basis.rank(rows, system=system, depth=depth)


@pytest.mark.parametrize("k", [0, -1, 10_001])
def test_a_cutoff_that_is_none_is_refused_and_does_not_end_the_process(k: int) -> None:
    with pytest.raises(UsageError, match="expected a k from 1 to 10,000"):
        labeler.evaluate(lambda text, top_n: ["a"], {"x": ["a"]}, k=[k])


def test_a_number_of_a_comparison_that_does_not_exist_has_its_reason_beside_it(
    store: Store,
) -> None:
    corpora.record(store, [Passage("known", "text")], name="c")
    goldens.record(store, "g", [GoldenEntry("q", "known", Grade.YES)], origin="hand", person="")
    for system in ("a", "b"):
        runs.record(store, [RunRow("q", "of unknown length", 1)], system=system)
    told = variants.as_json(variants.build(store, ["a", "b"]))
    for point in told["variants"][0]["at_tokens"]:
        assert point["recall"] is None
        assert point["undefined"]["recall"] == "every list has a passage of unknown length"
    why = told["differences"][0]["undefined"]["difference"]
    assert why == "fewer than 2 queries: nothing to resample"


def plain(golden: dict[str, dict[str, int]], **asked: Query) -> Basis:
    found = {query_id: asked.get(query_id, Query(query_id, query_id)) for query_id in golden}
    return Basis("g@1", "b1:00", golden, found)


TWO = plain({"q": {"a": 2, "b": 2}, "r": {"c": 2}})


# The basis


def bring(store: Store) -> None:
    """Two queries, one by somebody who may read hr; passages open, of hr, and of last year."""
    corpora.record(
        store,
        [
            Passage("open", "the answer"),
            Passage("hr", "the answer", scope="hr"),
            Passage("old", "the answer", effective_to="2020-12-31"),
        ],
        name="c",
    )
    queries.record(store, [Query("q", "what?"), Query("h", "what?", scope="hr", need_id="q")])
    entries = [GoldenEntry(q, p, Grade.YES) for q in "qh" for p in ("open", "hr", "old")]
    goldens.record(store, "g", entries, origin="f", person="ana")
    runs.record(
        store,
        [RunRow(q, p, r) for q in "qh" for r, p in enumerate(("hr", "old", "open"), start=1)],
        system="mine",
    )


def test_what_the_caller_may_not_read_is_counted_and_improves_nothing(store: Store) -> None:
    bring(store)
    found = retrieval.build(store, "mine")
    assert found.evaluation.unauthorised == {"q": ("hr",)}
    assert found.evaluation.out_of_date == {"q": ("old",), "h": ("old",)}
    # q may have "open" alone, at rank 3; h may have "hr", at rank 1.
    assert found.evaluation.of("q").values["RR@10"] == pytest.approx(1 / 3)
    assert found.evaluation.of("h").values["RR@10"] == 1
    # Both are one need: the mean within it is the mean.
    assert found.means["RR@10"].value == pytest.approx((1 / 3 + 1) / 2)
    assert (found.evaluation.n_needs, len(found.evaluation.query_ids)) == (1, 2)


def test_the_newest_golden_set_is_read_unless_another_is_named(store: Store) -> None:
    bring(store)
    goldens.record(store, "g", [GoldenEntry("q", "new", Grade.YES)], origin="f", person="ana")
    goldens.record(store, "other", [GoldenEntry("x", "y", Grade.YES)], origin="f", person="ana")
    assert basis.read(store).ref == "other@1"
    assert basis.read(store, "g").ref == "g@2"
    assert "new" not in basis.read(store, "g@1").golden["q"]
    assert basis.read(store).queries["x"] == Query("x", "")


def test_settled_labels_hold_unanswerable_queries_too(store: Store) -> None:
    queries.record(store, [Query("q", "what?"), Query("u", "nothing?")])
    labels.bring(
        store, [Judgment("q", "p", Grade.YES), Judgment("q", "n", Grade.NO)], annotator="a"
    )
    evidence.keep_search(
        store,
        "u",
        text="nothing",
        filters=UNBOUNDED,
        with_all=0,
        with_some=0,
        top=[],
        person="rita",
    )
    evidence.decide(store, "u", outcome=Outcome.UNANSWERABLE, reason="none", person="rita")
    found = basis.read(store)
    assert found.ref == basis.SETTLED
    assert found.golden == {"q": {"p": 2, "n": 0}, "u": {}}


def test_required_facts_are_what_a_query_with_them_is_measured_by(store: Store) -> None:
    bring(store)
    for text, carriers in (("that", ["open"]), ("and this", ["open", "hr"])):
        evidence.note_fact(store, "h", text=text, passages=carriers, person="rita")
    found = retrieval.build(store, "mine", ks=(1,)).facts
    assert found is not None
    # The top 1 is "hr", which carries one of two facts.
    assert (found.recall.value, found.complete.value, found.queries) == (0.5, 0.0, 1)
    lost = triage.build(store, query="h", system="mine", k=1).cases[0].triage
    assert (lost.stage, lost.needed) == ("RETRIEVAL", "every required fact")


def test_no_run_to_triage_is_said_in_words(store: Store) -> None:
    goldens.record(store, "g", [GoldenEntry("q", "p", Grade.YES)], origin="f", person="ana")
    with pytest.raises(LabelerError, match="no run to triage"):
        triage.build(store)


def test_the_same_text_under_another_id_is_seen_by_triage(store: Store) -> None:
    corpora.record(store, [Passage("p", "same"), Passage("copy", "same")], name="c")
    goldens.record(store, "g", [GoldenEntry("q", "p", Grade.YES)], origin="f", person="ana")
    runs.record(store, [RunRow("q", "copy", 1)], system="mine")
    (case,) = triage.build(store).cases
    (lost,) = case.triage.passages
    assert (case.triage.reason, lost.other_id, lost.why) == (
        "under another id",
        "copy",
        "same text",
    )


# Measuring


def test_the_least_k_says_what_is_missed_and_the_greatest_how_far_is_looked() -> None:
    found = retrieval.measured(TWO, ranked({"q": "x a b", "r": "x x2 c"}), ks=(1, 3))
    assert [query.query_id for query, _ in found.missed] == ["q", "r"]
    assert found.reach._asdict() == {
        **{"near": 1, "far": 3, "found": 0},
        **{"ranked_badly": 3, "not_found": 0, "not_in_corpus": 0},
    }


def test_every_measure_is_taken_at_each_k_that_is_asked_for() -> None:
    assert [str(each) for each in retrieval.measures_at((20, 5, 5))] == [
        f"{name}@{k}"
        for name in ("R", "P", "P/retrieved", "RR", "nDCG", "Success", "Judged")
        for k in (5, 20)
    ] + ["RR@10", "nDCG@10"]


def test_scores_of_a_query_without_labels_are_wrong_results_and_repeats_count_once() -> None:
    rows = [RunRow("q", "a", 1, 0.9), RunRow("q", "a", 2, 0.8), RunRow("u", "x", 1, 0.7)]
    found = retrieval.measured(plain({"q": {"a": 2}, "u": {}}), basis.rank(rows, system="s"))
    assert (found.threshold.right, found.threshold.wrong) == (1, 1)


def test_the_json_has_no_nan_and_says_why_a_number_is_missing() -> None:
    found = retrieval.measured(TWO, basis.rank([], system="s", quiet=["q", "r"]))
    made = json.loads(json.dumps(retrieval.as_json(found), allow_nan=False))
    assert made["measures"]["P/retrieved@5"] is None
    assert made["undefined"]["P/retrieved@5"] == "nothing was returned"
    assert made["measures"]["R@5"] == 0
    assert "P/retrieved@5  — (nothing was returned)" in str(found)


# BM25


def reference_bm25(texts: dict[str, str], query: str) -> dict[str, float]:
    """Okapi BM25 by its formula, word by word."""
    split = {passage_id: text.split() for passage_id, text in texts.items()}
    mean = sum(map(len, split.values())) / len(split)
    scores = {}
    for passage_id, words in split.items():
        total = 0.0
        for word in query.split():
            times, within = words.count(word), sum(word in of for of in split.values())
            idf = np.log(1 + (len(split) - within + 0.5) / (within + 0.5))
            total += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * len(words) / mean))
        scores[passage_id] = total
    return scores


words = st.lists(st.sampled_from(["a", "b", "c", "dd", "e1"]), min_size=1, max_size=8).map(" ".join)


@given(texts=st.lists(words, min_size=1, max_size=6), query=words)
def test_bm25_is_its_formula(texts: list[str], query: str) -> None:
    named = {f"p{n}": text for n, text in enumerate(texts)}
    expected = reference_bm25(named, query)
    found = Bm25(named.items()).search(query, 10)
    assert {hit.passage_id for hit in found} == {p for p, score in expected.items() if score > 0}
    for hit in found:
        assert hit.score == pytest.approx(expected[hit.passage_id], abs=1e-6)
    assert [(-hit.score, hit.passage_id) for hit in found] == sorted(
        (-hit.score, hit.passage_id) for hit in found
    )


def test_bm25_of_nothing_finds_nothing() -> None:
    assert Bm25([]).search("word", 5) == []
    assert Bm25([("p", "!?")]).search("word", 5) == []
    assert Bm25([("p", "word")]).search("другое", 5) == []
    assert len(Bm25([("p", "word"), ("r", "word")]).search("word", 1)) == 1


# Gates


def test_a_floor_is_held_exactly_and_rounding_alone_never_fails_it() -> None:
    found = retrieval.measured(TWO, ranked({"q": "a", "r": "c"}))
    # Recall is (1/2 + 1)/2.
    assert gates.check(found, floors=[Floor(Measure("R", 5), 0.75)])[0].passed
    assert not gates.check(found, floors=[Floor(Measure("R", 5), 0.7500001)])[0].passed


def test_floors_are_read_and_what_is_none_is_refused() -> None:
    assert gates.floor("P/retrieved@5=0.8") == Floor(Measure("P/retrieved", 5), 0.8)
    with pytest.raises(UsageError):
        gates.floor("recall@5=0.8")
    for text in ("R@5", "R@5=", "R@5=80%", "R@5=-0.1", "R@5=inf"):
        with pytest.raises(LabelerError):
            gates.floor(text)


def test_a_drop_is_of_every_measure_but_judged(store: Store) -> None:
    before = retrieval.measured(TWO, ranked({"q": "a b", "r": "c"}))
    kept = history.keep(store, before)
    held = evaluations.set_baseline(store, "m", evaluation=kept, reviewer="ana", reason="so")
    after = retrieval.measured(TWO, ranked({"q": "a b", "r": "x"}))
    checks = gates.check(after, baseline=held, max_drop=0.5)
    # Recall falls from 1 to 1/2: a drop of .5 is allowed, one of .49 is not.
    assert all(each.passed for each in checks)
    assert {each.name.split("@")[0] for each in checks}.isdisjoint({"Judged"})
    tight = gates.check(after, baseline=held, max_drop=0.49)
    assert not next(each for each in tight if each.name.startswith("R@5")).passed


# Summaries


HOSTILE = "a|b `code` ``x`` <script>\x00\ud800]]> [x](y)\nnew line"


def test_a_summary_holds_any_text() -> None:
    asked = plain({"q": {"a": 2}}, q=Query("q", HOSTILE))
    found = retrieval.measured(asked, ranked({"q": "x"}, system=HOSTILE))
    checks = [Check(HOSTILE, False, "no")]
    root = ElementTree.fromstring(summaries.junit(found, checks).encode("utf-8"))
    assert root.get("failures") == "1"
    written = summaries.markdown(found, checks)
    gate = next(line for line in written.splitlines() if "**failed**" in line)
    assert gate.count("|") == 4


@given(st.text())
def test_a_code_span_ends_where_its_fence_ends(text: str) -> None:
    made = summaries.code(text)
    fence = made[: len(made) - len(made.lstrip("`"))]
    assert made.endswith(fence)
    assert fence not in made[len(fence) : -len(fence)]
    assert "\n" not in made
    assert "|" not in made


# Compare


def test_variants_are_measured_on_the_same_queries_and_the_baseline_takes_part_in_no_test(
    store: Store,
) -> None:
    corpora.record(store, [Passage("a", "apple pie"), Passage("b", "banana split")], name="c")
    queries.record(store, [Query("q", "apple"), Query("r", "banana")])
    entries = [GoldenEntry("q", "a", Grade.YES), GoldenEntry("r", "b", Grade.YES)]
    goldens.record(store, "g", entries, origin="f", person="ana")
    runs.record(store, [RunRow("q", "b", 1), RunRow("q", "a", 2)], system="one")
    runs.record(store, [RunRow("q", "a", 1), RunRow("r", "b", 1)], system="two")
    found = variants.build(store, ["one", "two"])
    assert found.baseline is not None
    assert found.baseline["RR@10"].value == 1
    pairs = {(each.first, each.second) for each in found.differences}
    assert pairs == {("one", "two")}
    by_name = {str(each.measure): each for each in found.differences}
    # one: 1/2 and 0 (missing); two: 1 and 1.
    assert by_name["RR@10"].means == (pytest.approx(0.25), 1.0)
    cut = found.variants["one"].at_cutoffs[0]
    # "banana split" has 12 characters, 3 tokens; the missing query costs none: (3 + 0)/2.
    assert (cut.limit, cut.recall.value, cut.tokens.value) == (1, 0.0, 1.5)


# The Python call


def test_the_python_call_takes_ids_and_scores_and_any_number_of_them() -> None:
    expected = {"one": ["a"], "two": ["b"]}
    asked = []

    def search(text: str, top_n: int) -> list[object]:
        asked.append((text, top_n))
        return ["x", ("a", 0.5), ["b", np.float64(0.25)]]

    found = labeler.evaluate(search, expected, top_n=7)
    assert asked == [("one", 7), ("two", 7)]
    assert found.means["RR@10"].reason == "depth 7"
    # a is second, b third.
    found = labeler.evaluate(search, expected)
    assert found.means["RR@10"].value == pytest.approx((1 / 2 + 1 / 3) / 2)


@pytest.mark.parametrize(
    "result", [3, None, "", ("a",), ("a", "high"), ("a", float("nan")), (1, 0.5), ("", 0.5)]
)
def test_what_is_no_id_and_no_score_is_named_with_its_query(result: object) -> None:
    with pytest.raises(LabelerError, match="expected a passage id"):
        labeler.evaluate(lambda _text, _n: [result], {"one": ["a"]})


def test_golden_queries_without_a_text_cannot_be_asked(tmp_path: Path) -> None:
    (tmp_path / "g.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    with pytest.raises(LabelerError, match="1 of 1 golden queries have no text"):
        labeler.evaluate(lambda _text, _n: [], tmp_path / "g.qrels")


def test_a_call_that_names_no_golden_set_or_two_kinds_of_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match="Against what"):
        labeler.evaluate(lambda _text, _n: [])
    with pytest.raises(LabelerError, match="name of one of its golden sets"):
        labeler.evaluate(lambda _text, _n: [], {"one": ["a"]}, db=tmp_path / "s.duckdb")
    (tmp_path / "bad.json").write_text("[")
    with pytest.raises(InputError):
        labeler.evaluate(lambda _text, _n: [], tmp_path / "bad.json")


def test_a_run_cannot_take_the_baselines_name(store: Store) -> None:
    asked = retrieving.Asked([RunRow("q", "p", 1)], ())
    with pytest.raises(LabelerError, match="built-in"):
        retrieving.keep_run(store, asked, system="bm25 baseline", top_n=5)
    with pytest.raises(LabelerError, match="nothing for any query"):
        retrieving.keep_run(store, retrieving.Asked([], ("q",)), system="mine", top_n=5)


def test_importing_labeler_loads_nothing_heavy() -> None:
    program = (
        "import sys, labeler\n"
        "heavy = {'numpy', 'duckdb', 'scipy', 'sklearn', 'pandas', 'streamlit', 'click'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "assert callable(labeler.evaluate)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        labeler.nothing  # noqa: B018 the access is what is tested


def test_reading_is_said_by_name() -> None:
    found = labeler.evaluate(
        lambda _t, _n: ["p"], {"one": {"p": "PART", "y": "YES"}}, reading="lenient"
    )
    assert found.evaluation.reading is Reading.LENIENT
    assert found.means["R@5"].value == 0.5
