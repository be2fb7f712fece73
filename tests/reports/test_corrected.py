"""Numbers corrected for a judge's errors, from the store to the sentence that says which one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, Passage, Query
from labeler.reports import corrected, corrected_text, partly
from labeler.stats.correction import Quote, correct
from labeler.stats.judge_errors import Judged, recall
from labeler.stats.measures import Reading, measure
from labeler.store import corpora, evidence, goldens, holdouts, queries
from labeler.store.comparison import Selection
from labeler.store.db import Store, open_store
from labeler.store.evidence import Outcome
from labeler.store.wording import UNBOUNDED
from tests.partly import draw, judge, label, population, ran

R2, P2, RR2 = measure("R@2"), measure("P@2"), measure("RR@2")
J = Selection("j")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


# What people have labelled far enough


def test_a_query_is_complete_for_a_measure_when_people_have_settled_what_it_looks_at(store):
    judge(store, dict.fromkeys("pqrst", "a2 b0 c2"))
    ran(store, dict.fromkeys("pqrst", "a b c"))
    # p: the pool; q: the top two; r: the first alone, which is relevant; s: none of the top.
    label(store, {"p": "a2 b0 c0", "q": "a2 b0", "r": "a2", "s": "c2"})
    found = partly.build(store, ["s"], judged=J)
    assert found.complete(R2, "s") == ("p",)
    assert found.complete(P2, "s") == ("p", "q")
    # A first relevant one says what RR is, and is soonest found where RR is high: not enough.
    assert found.complete(RR2, "s") == ("p", "q")
    assert found.lacking(R2, "s", "q") == {"c"}
    assert found.lacking(P2, "s", "s") == {"a", "b"}
    assert found.needed(R2, "s", "t") == {"a", "b", "c"}


def test_a_passage_without_a_verdict_is_needed_where_it_came_back_and_gains_nothing(store):
    judge(store, {"q": "a2 b0"})
    ran(store, {"q": "x a b"})
    label(store, {"q": "a2 b0"})
    found = partly.build(store, ["s"], judged=J)
    assert found.lacking(R2, "s", "q") == {"x"}
    assert found.sides("s", [P2]).judge.tolist() == [[0.5]]
    report = corrected.build(store, ["s"], judge="j")
    assert (
        "1 of the 3 passages in the top 20 of s have no verdict and gain 0 under the judge"
        in report.warnings
    )


def test_a_top_without_anything_relevant_counts_0_until_people_say_that_nothing_answers(store):
    judge(store, dict.fromkeys("pqr", "a2 b0 c2"))
    ran(store, dict.fromkeys("pqr", "a b c"))
    queries.record(store, [Query("r", "what?")])
    label(store, {"p": "a0 b0", "q": "a0 b0 c0"})
    evidence.keep_search(
        store, "r", text="it", filters=UNBOUNDED, with_all=0, with_some=0, top=[], person="ann"
    )
    evidence.decide(store, "r", outcome=Outcome.UNANSWERABLE, reason="none", person="ann")
    found = partly.build(store, ["s"], judged=J)
    assert found.unproven(P2, "s") == ("p",)
    # Of q the pool is labelled, of r people say so: neither is in a mean.
    sides = found.sides("s", [P2, R2])
    assert sides.complete.tolist() == [[True, False], [True, True], [True, True]]
    assert sides.people[0, 0] == 0
    assert np.isnan(sides.people[1:]).all()
    warned = corrected.build(store, ["s"], judge="j", ks=[2]).warnings
    assert warned[0].startswith("up to 1 query of s count 0 under people")


def test_a_barred_passage_needs_no_label_and_gains_nothing(store):
    corpora.record(store, [Passage("a", "x", scope="hr"), Passage("b", "y")], name="c")
    queries.record(store, [Query("q", "what?")])
    judge(store, {"q": "a2 b2"})
    ran(store, {"q": "a b"})
    label(store, {"q": "b2"})
    found = partly.build(store, ["s"], judged=J)
    assert found.pool("q") == {"b"}
    assert found.complete(R2, "s") == ("q",)
    sides = found.sides("s", [P2, R2])
    assert sides.judge.tolist() == sides.people.tolist() == [[0.5, 1.0]]


def test_held_out_queries_are_left_alone_and_those_of_other_runs_left_out(store):
    asked = [f"q{n}" for n in range(20)]
    goldens.record(
        store, "g", [GoldenEntry(q, "a", Grade.YES) for q in asked], origin="f", person="ann"
    )
    holdouts.hold_out(store, "g", share=0.3)
    judge(store, dict.fromkeys([*asked, "elsewhere"], "a2"))
    ran(store, dict.fromkeys(asked, "a"))
    held = holdouts.part(store, goldens.named(store, "g")).held_out
    found = partly.build(store, ["s"], judged=J)
    assert set(found.query_ids) == set(asked) - held
    assert (found.left_alone, found.elsewhere) == (len(held), 1)
    assert held
    every = partly.build(store, ["s"], judged=J, golden="settled labels")
    assert set(every.query_ids) == set(asked)


def test_a_judge_that_judged_nothing_of_a_run_is_said_so(store):
    judge(store, {"q": "a2"})
    ran(store, {"other": "a"})
    with pytest.raises(LabelerError, match="j has judged no pair of a query of s: let it judge"):
        partly.build(store, ["s"], judged=J)
    with pytest.raises(LabelerError, match="no verdicts of nobody; known: j"):
        corrected.build(store, ["s"], judge="nobody")


def test_the_queries_of_one_need_are_one_unit(store):
    judge(store, {"p": "a2", "q": "a0 b2", "r": "a2"})
    ran(store, {"p": "a", "q": "a b", "r": "b"})
    queries.record(store, [Query(q, q, need_id=n) for q, n in (("p", "n"), ("q", "n"), ("r", "r"))])
    label(store, {"p": "a2", "q": "a2 b2"})
    found = partly.build(store, ["s"], judged=J)
    one = measure("P@1")
    by_need = found.by_need(found.sides("s", [one]))
    # The judge: (1 + 0) / 2 and 0; people: (1 + 1) / 2, and r is not labelled.
    assert by_need.judge.tolist() == [[0.5], [0.0]]
    assert by_need.complete.tolist() == [[True], [False]]
    assert by_need.people[0, 0] == 1


def test_lists_say_what_the_labelled_needs_stand_for(store):
    judge(store, {f"q{n}": "a2" for n in range(10)})
    ran(store, {f"q{n}": "a" for n in range(10)})
    draw(store, {"q1": 2.0, "q2": 6.0}, name="next")
    found = partly.build(store, ["s"], judged=J)
    # q0 was labelled without a list: 1; q1 and q2 stand for the other 9, as 2 to 6.
    assert found.weights([0, 1, 2]).tolist() == [1.0, 2.25, 6.75]
    assert found.weights([0]) is None


# The numbers


MEASURES = tuple(
    measure(text)
    for text in ("R@5", "R@20", "P@5", "P/retrieved@5", "RR@10", "nDCG@10", "Success@5")
)


def in_mean(report: corrected.Report, system: str, query_id: str) -> float:
    """R@5 of a query by its labels, counted by hand."""
    grades = report.partly.labels[query_id]
    relevant = {p for p, gain in grades.items() if gain == 2}
    top = report.partly.runs[system].run[query_id][:5]
    return len(relevant & set(top)) / len(relevant) if relevant else float("nan")


def test_the_three_numbers_are_those_of_the_formula_on_hand_counted_values(store):
    population(store)
    report = corrected.build(store, ["weak", "strong"])
    of = report.partly
    assert [str(each) for each in report.measures] == [str(each) for each in MEASURES]
    labelled = [n for n, q in enumerate(of.query_ids) if q in of.labels]
    assert report.labelled == len(labelled) == 30
    people = {
        system: np.array([in_mean(report, system, of.query_ids[n]) for n in labelled])
        for system in report.runs
    }
    judged = {}
    for system in report.runs:
        values = []
        for q in of.query_ids:
            relevant = {p for p, gain in of.verdicts[q].items() if gain == 2}
            top = of.runs[system].run[q][:5]
            values.append(len(relevant & set(top)) / len(relevant) if relevant else np.nan)
        judged[system] = np.array(values)
        expected = correct(judged[system], people[system], labelled=np.array(labelled))
        assert report.runs[system]["R@5"] == expected
    (difference,) = report.differences
    assert (difference.first, difference.second) == ("weak", "strong")
    assert difference.measures["R@5"] == correct(
        judged["strong"] - judged["weak"],
        people["strong"] - people["weak"],
        labelled=np.array(labelled),
        bounds=(-1, 1),
    )


def test_the_lists_weights_go_into_every_number(store):
    population(store)
    of = corrected.build(store, ["weak"]).partly
    drawn = {q: 1.0 + 3 * (n % 2) for n, q in enumerate(of.labels)}
    draw(store, drawn, name="next")
    report = corrected.build(store, ["weak"])
    weights = np.array(list(drawn.values()))
    values = np.array([in_mean(report, "weak", q) for q in drawn])
    known = ~np.isnan(values)
    expected = weights[known] @ values[known] / weights[known].sum()
    assert report.runs["weak"]["R@5"].people_only.value == pytest.approx(expected)
    assert report.by_lists
    assert "others stand for themselves" in corrected.drawn(report)


def test_the_share_and_the_error_rates_are_post_stratified_by_verdict(store):
    population(store)
    report = corrected.build(store, ["weak"])
    verdicts_of, labels_of = report.partly.verdicts, report.partly.labels
    share, relevant, right = 0.0, 0.0, 0.0
    gains = [gain for of in verdicts_of.values() for gain in of.values()]
    for verdict in range(3):
        said = [
            gain == 2
            for q, of in labels_of.items()
            for p, gain in of.items()
            if verdicts_of[q][p] == verdict
        ]
        share += gains.count(verdict) / len(gains) * np.mean(said)
        relevant += gains.count(verdict) * np.mean(said)
        right += gains.count(verdict) * np.mean(said) * (verdict == 2)
    assert report.errors.pairs == 300
    assert report.errors.share.value.value == pytest.approx(share)
    assert report.errors.rates.sensitivity.value == pytest.approx(right / relevant)
    assert report.errors.share.judge_only.value == pytest.approx(gains.count(2) / 800)
    # Ten pairs of a query are not ten queries: no stratum is worth more than its labels.
    assert all(0 < each.labelled <= 300 for each in report.errors.strata)


def test_what_other_judges_would_print_is_said_of_the_queries_that_people_labelled(store):
    population(store)
    report = corrected.build(store, ["strong"])
    found, of = report.imagined["strong"], report.partly
    answered = [q for q, labels in of.labels.items() if 2 in labels.values()]
    assert found.by_people
    assert found.queries == len(answered)
    perfect = found.measures["R@5"][0]
    assert perfect.true == pytest.approx(np.mean([in_mean(report, "strong", q) for q in answered]))
    assert perfect.seen == perfect.true
    last = found.measures["R@5"][-1]
    assert found.own == last[:2]
    by_hand = [
        recall(
            Judged(
                [of.labels[q][p] == 2 for p in of.runs["strong"].run[q][:5]],
                sum(gain == 2 for gain in of.labels[q].values()),
                10,
            ),
            sensitivity=last.sensitivity,
            specificity=last.specificity,
        )
        for q in answered
    ]
    assert last.seen == pytest.approx(np.mean(by_hand))


def test_with_few_labels_nothing_is_quoted_and_the_judge_is_taken_at_its_word(store):
    population(store, labelled=4)
    report = corrected.build(store, ["weak"], reading=Reading.LENIENT)
    assert {each.quote for each in report.runs["weak"].values()} == {Quote.NONE}
    assert not report.imagined["weak"].by_people
    said = corrected.statement("R@5", report.runs["weak"]["R@5"])
    assert said.startswith("Quote no R@5 yet: only 4 labelled queries have the measure: label 6")
    assert "how far off the judge's own" in said


def test_a_measure_deeper_than_the_run_is_undefined_by_name(store):
    population(store)
    report = corrected.build(store, ["weak", "strong"], depth=10)
    for of in (report.runs["weak"]["R@20"], report.differences[0].measures["R@20"]):
        assert of.corrected.reason == "depth 10"
        assert of.quoted.value is None
    assert "R@20" not in report.imagined["weak"].measures
    assert report.runs["weak"]["R@5"].corrected.value is not None


def undefined(found: object, path: str = "") -> Sequence[str]:
    """Where a number is null without a reason beside it."""
    if isinstance(found, list):
        return [bad for n, each in enumerate(found) for bad in undefined(each, f"{path}[{n}]")]
    if not isinstance(found, dict):
        return []
    bad = [place for key, each in found.items() for place in undefined(each, f"{path}.{key}")]
    if "undefined" in found:
        bad += [
            f"{path}.{key}"
            for key, each in found.items()
            if each is None and key in {k.removesuffix("_interval") for k in found if "_int" in k}
            if key not in found["undefined"]
        ]
    return bad


@pytest.mark.parametrize("labelled", [0, 1, 30])
def test_the_json_holds_every_number_and_says_why_any_is_missing(store, labelled):
    population(store, labelled=labelled)
    report = corrected.build(store, ["weak", "strong"])
    told = json.loads(json.dumps(corrected.as_json(report), allow_nan=False))
    assert undefined(told) == []
    assert [each["run"] for each in told["runs"]] == ["weak", "strong"]
    for name, of in report.runs["weak"].items():
        found = told["runs"][0]["measures"][name]
        assert found["corrected"] == of.corrected.value
        assert found["quoted"] == of.quoted.value
        assert found["n_labelled"] == of.labelled
    assert told["labelled_queries"] == labelled


def test_the_terminal_says_which_number_to_quote(store):
    population(store)
    report = corrected.build(store, ["weak", "strong"])
    lines = list(corrected_text.section(report))
    of = report.runs["weak"]["R@5"]
    assert of.quote is Quote.CORRECTED
    lo, hi = of.corrected.interval
    said = f"weak: Quote R@5 = {of.corrected.value:.3f} [{lo:.3f}, {hi:.3f}] (corrected): the judge"
    assert any(line.startswith(said) for line in lines)
    assert any(line.startswith("strong minus weak: Quote R@5 = +0.") for line in lines)
    assert any("this judge: Se " in line for line in lines)
