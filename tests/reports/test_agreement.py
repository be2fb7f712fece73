"""The report: what is chosen, compared, weighed, sliced and left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler import drawing
from labeler.errors import LabelerError
from labeler.model import GRADES, Decision, Grade, Judgment, Passage, Query, Status, Verdict
from labeler.reports import agreement
from labeler.store import corpora, labels, queries, verdicts
from labeler.store.db import Store, open_store

NO, PART, YES = GRADES


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb") as opened:
        yield opened


def judged(store: Store, *said: tuple[str, str, Grade | None], judge: str = "j", rubric: str = ""):
    verdicts.record(
        store,
        [
            Verdict(q, p, judge, grade, Status.OK if grade else Status.UNREADABLE, rubric)
            for q, p, grade in said
        ],
    )


def labelled(store: Store, *said: tuple[str, str, Grade | None], person: str = "anna"):
    labels.bring(store, [Judgment(q, p, g, person=person) for q, p, g in said], annotator=person)


def test_what_is_left_open_is_the_newest(store):
    judged(store, ("q", "p", YES), judge="old")
    judged(store, ("q", "p", YES), judge="new", rubric="r@1")
    judged(store, ("q", "p", NO), judge="new", rubric="r@2")
    assert agreement.choose(store).rubric == "r@2"
    assert agreement.choose(store, judge="new", rubric="r@1").rubric == "r@1"
    assert agreement.choose(store, judge="old").judge == "old"
    with pytest.raises(LabelerError, match=r"no verdicts of old r@1; known: new r@2, new r@1, old"):
        agreement.choose(store, judge="old", rubric="r@1")


def test_a_spot_check_brings_its_judge_unless_another_is_named(store):
    judged(store, ("q", "p", YES), judge="a", rubric="r@1")
    drawing.draw(store, "first", judged=agreement.choose(store))
    judged(store, ("q", "p", NO), judge="a", rubric="r@2")
    judged(store, ("q", "p", NO), judge="b")
    chosen = agreement.choose(store, spotcheck="first")
    assert (chosen.judge, chosen.rubric, chosen.spotcheck) == ("a", "r@1", "first")
    chosen = agreement.choose(store, spotcheck="first", judge="b")
    assert (chosen.judge, chosen.rubric) == ("b", "")
    assert agreement.choose(store, spotcheck="first", rubric="r@2").rubric == "r@2"
    assert agreement.newest(store).spotcheck == "first"


def test_every_pair_that_is_not_compared_is_counted_once(store):
    """q1: compared; q2: unlabelled; q3: unjudged; q4: unreadable; q5: unsure; q6: a tie."""
    judged(store, *((q, "p", NO) for q in ("q1", "q2", "q5", "q6")), ("q4", "p", None))
    labelled(store, *((q, "p", NO) for q in ("q1", "q3", "q4", "q6")), ("q5", "p", None))
    labelled(store, ("q6", "p", YES), person="ben")
    report = agreement.build(store, agreement.choose(store))
    assert report.agreement.n == 1
    assert report.missing == (1, 1, 1, 1, 1)


def test_the_majority_counts_and_one_person_can_be_read_alone(store):
    judged(store, ("q", "p", YES))
    for person, grade in (("a", NO), ("b", YES), ("c", YES)):
        labelled(store, ("q", "p", grade), person=person)
    assert agreement.build(store, agreement.choose(store)).agreement.disagreements == 0
    alone = agreement.build(store, agreement.choose(store, annotator="a"))
    assert alone.agreement.disagreements == 1


def test_before_the_planned_labels_are_in_nothing_is_decided(store):
    """20 of 40 labels, all wrong: the interval that holds at every look is shown, no decision."""
    pairs = [(f"q{n}", "p") for n in range(40)]
    judged(store, *((q, p, YES if n % 2 else NO) for n, (q, p) in enumerate(pairs)))
    drawing.draw(store, "first", judged=agreement.choose(store), n=40)
    labelled(store, *((q, p, NO if n % 2 else YES) for n, (q, p) in enumerate(pairs[:20])))
    report = agreement.build(store, agreement.choose(store, spotcheck="first"))
    assert report.gate.decision is Decision.UNDECIDED
    assert (report.gate.planned, report.gate.n) == (40, 20)
    assert report.gate.sequence is not None
    assert "20 of 40 labels are in" in report.gate.sentence
    labelled(store, *((q, p, NO if n % 2 else YES) for n, (q, p) in enumerate(pairs)))
    report = agreement.build(store, agreement.choose(store, spotcheck="first"))
    assert report.gate.decision is Decision.REJECTED


def test_a_spot_check_of_everything_weighs_every_pair_the_same(store):
    judged(store, *((f"q{n}", "p", YES if n < 3 else NO) for n in range(10)))
    drawing.draw(store, "all", judged=agreement.choose(store), n=100)
    labelled(store, *((f"q{n}", "p", NO) for n in range(10)))
    report = agreement.build(store, agreement.choose(store, spotcheck="all"))
    assert not report.weighted
    assert report.agreement.weighted_disagreement is None


def test_a_persons_label_in_a_stratum_where_all_others_tie_weighs_nothing(store):
    """Of 10 NO 3 are drawn and compared; of 2 YES both, on which anna and ben differ: the stratum
    YES has no compared pair, and so no weight for anna's own labels in it."""
    no = [(f"q{n}", "p") for n in range(10)]
    yes = [("y1", "p"), ("y2", "p")]
    judged(store, *((q, p, NO) for q, p in no), *((q, p, YES) for q, p in yes))
    drawing.draw(store, "first", judged=agreement.choose(store), n=5, per_verdict=2)
    labelled(store, *((q, p, NO) for q, p in no), *((q, p, YES) for q, p in yes))
    labelled(store, *((q, p, NO) for q, p in yes), person="ben")
    report = agreement.build(store, agreement.choose(store, spotcheck="first"))
    assert report.agreement.n == 3
    people = {part.value: part.n for part in report.slices if part.name == "annotator"}
    assert people == {"anna": 3}


def test_sources_are_grouped_by_site_and_first_folder(store):
    uris = {
        "p1": "https://docs.example/en/a/b?x=1#y",
        "p2": "https://docs.example/en/c",
        "p3": "https://docs.example/de",
        "p4": "https://docs.example/",
        "p5": "https://docs.example",
        "p6": "handbook/leave/2026.md",
        "p7": "./handbook/sick.md",
        "p8": "faq.md#top",
        "p9": "/srv/docs/a.md",
        "p10": "",
    }
    corpora.record(store, [Passage(p, "t", source_uri=uri) for p, uri in uris.items()], name="c")
    judged(store, *(("q", p, YES) for p in uris), ("q", "no passage", YES))
    labelled(store, *(("q", p, YES) for p in uris), ("q", "no passage", YES))
    report = agreement.build(store, agreement.choose(store), by=["source"])
    assert {part.value: part.n for part in report.slices} == {
        "docs.example/en": 2,
        "docs.example/de": 1,
        "docs.example": 2,
        "handbook": 2,
        "faq.md": 1,
        "/srv": 1,
        "": 2,
    }


def test_slices_by_kind_verdict_and_annotator(store):
    queries.record(store, [Query("q1", "t", kind="exact"), Query("q2", "t", kind="historical")])
    judged(store, ("q1", "p", YES), ("q2", "p", NO), ("q3", "p", NO))
    labelled(store, ("q1", "p", YES), ("q2", "p", YES), ("q3", "p", NO))
    labelled(store, ("q1", "p", NO), person="ben")
    labelled(store, ("q1", "p", YES), person="cleo")
    report = agreement.build(store, agreement.choose(store))
    found = {(s.name, s.value): (s.n, s.disagreements) for s in report.slices}
    assert found == {
        ("kind", ""): (1, 0),
        ("kind", "exact"): (1, 0),
        ("kind", "historical"): (1, 1),
        ("verdict", "NO"): (2, 1),
        ("verdict", "YES"): (1, 0),
        ("annotator", "anna"): (3, 1),
        ("annotator", "ben"): (1, 1),
        ("annotator", "cleo"): (1, 0),
        ("source", ""): (3, 1),
    }


def test_cases_of_a_cell_and_the_disagreements_are_the_same_pairs(store):
    grades = {("q1", "p"): (NO, YES), ("q2", "p"): (NO, PART), ("q3", "p"): (YES, YES)}
    labelled(store, *((q, p, human) for (q, p), (human, _) in grades.items()))
    judged(store, *((q, p, judge) for (q, p), (_, judge) in grades.items()))
    chosen = agreement.choose(store)
    assert [case.query_id for case in agreement.cases(store, chosen)] == ["q1", "q2"]
    assert [case.query_id for case in agreement.cases(store, chosen, cell=(2, 2))] == ["q3"]
    assert list(agreement.cases(store, chosen, cell=(1, 1))) == []


def test_json_is_plain_and_says_why_a_number_is_missing(store):
    judged(store, ("q", "p", NO))
    for said in ((), (("q", "p", NO),)):
        if said:
            labelled(store, *said)
        found = agreement.as_json(agreement.build(store, agreement.choose(store)))
        text = json.dumps(found, allow_nan=False)
        assert json.loads(text)["kappa"] is None
        for name in ("kappa", "kappa_linear", "kappa_quadratic", "yes_recall", "yes_precision"):
            assert found[name] is None
            assert found["undefined"][name]
        assert found["confusion"]["labels"] == ["NO", "PART", "YES"]
