"""What is queued to be settled, what settling leaves alone, and minds that changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from labeler.errors import LabelerError
from labeler.model import Grade, Judgment, LabelEvent, Passage, Query, Status, Verdict
from labeler.reports import agreement
from labeler.store import (
    adjudications,
    corpora,
    differences,
    labels,
    people,
    queries,
    tasks,
    verdicts,
)
from labeler.store.db import Store
from labeler.store.differences import Difference

Y, P, N = Grade.YES, Grade.PART, Grade.NO


@pytest.fixture
def said(store: Store) -> Store:
    """Pairs of query q: a people differ, b nobody could tell, c people and judge differ by two
    grades, d by one, e all agree, f has no verdict.
    """
    queries.record(store, [Query("q", "how?")])
    corpora.record(store, [Passage(p, "text", title=f"Title {p}") for p in "abcdef"], name="c")
    for person, grades in {
        "ann": {"a": Y, "b": None, "c": Y, "d": P, "e": N, "f": Y},
        "bob": {"a": N, "c": Y},
    }.items():
        labels.bring(
            store,
            [
                Judgment("q", p, grade, state="labelled" if grade else "unsure")
                for p, grade in grades.items()
            ],
            annotator=person,
        )
    graded = {"a": N, "b": N, "c": N, "d": N, "e": N}
    verdicts.keep(
        store, [Verdict("q", p, "judge", grade, Status.OK) for p, grade in graded.items()]
    )
    return store


def queue(store: Store, judge: str) -> list[Difference]:
    """Every pair to settle, in order."""
    found = differences.queue(store, judge=judge)
    listed = [found.at(place) for place in range(found.total)]
    assert found.at(found.total) is None
    return [one for one in listed if one is not None]


def test_the_queue_has_what_differs_people_first_and_the_widest_apart_first(said: Store) -> None:
    found = queue(said, "judge")
    assert [(one.passage_id, one.between) for one in found] == [
        ("a", "people"),
        ("b", "unsure"),
        ("c", "judge"),
        ("d", "judge"),
    ]
    assert found[0] == Difference("q", "a", "people")
    counts = differences.queue(said, judge="judge").counts
    assert counts == {"people": 1, "unsure": 1, "judge": 2}


def test_another_judge_has_no_differences_with_people(said: Store) -> None:
    found = queue(said, "somebody else")
    assert differences.queue(said, judge="somebody else").total == 2
    assert differences.queue(said, judge="judge").total == 4
    assert [one.passage_id for one in found] == ["a", "b"]


def test_settling_takes_a_pair_out_of_the_queue_and_leaves_every_label(said: Store) -> None:
    before = said.rows("select * from label_events order by seq")
    adjudications.record(said, "q", passage_id="a", grade=P, reason="half of it", reviewer="rita")
    assert [one.passage_id for one in queue(said, "judge")] == ["b", "c", "d"]
    assert said.rows("select * from label_events order by seq") == before
    line = people.history(said)[0]
    assert (line.person, line.action, line.detail) == ("rita", "adjudicate", "PART: half of it")


def test_a_decision_without_a_reason_is_none(said: Store) -> None:
    with pytest.raises(LabelerError, match="needs a reason"):
        adjudications.record(said, "q", passage_id="a", grade=P, reason=" \n", reviewer="rita")
    assert adjudications.every(said) == []


def test_a_later_decision_stands_and_the_earlier_stays_in_the_history(said: Store) -> None:
    for grade in (Y, N):
        adjudications.record(said, "q", passage_id="a", grade=grade, reason="so", reviewer="rita")
    assert [one.grade for one in adjudications.history(said, "q", "a")] == [N, Y]
    assert [one.grade for one in adjudications.current(said)] == [N]
    assert [one.grade for one in adjudications.every(said)] == [Y, N]


def test_a_mind_that_changed_after_the_verdict_stands_apart_from_the_blind_label(
    store: Store, draw: Callable[..., object]
) -> None:
    queries.record(store, [Query("q", "how?")])
    draw(store, [("q", "p")])
    tasks.window(store, spotcheck="check", annotator="ann")

    def press(grade: Grade) -> None:
        labels.record(
            store,
            [LabelEvent(str(uuid.uuid4()), "q", "p", "ann", "label", grade, spotcheck="check")],
        )

    press(Y)
    (before,) = adjudications.voices(store, "q", "p")
    assert (before.annotator, before.blind, before.after) == ("ann", "YES", "")
    labels.note_view(store, [("q", "p")], person="ann")
    adjudications.reconsider(store, "q", passage_id="p", grade=N, note="misread", annotator="ann")
    (after,) = adjudications.voices(store, "q", "p")
    assert (after.blind, after.after, after.note) == ("YES", "NO", "misread")
    assert store.rows("select grade from blind_labels") == [("YES",)]


def test_who_was_never_handed_a_pair_has_no_label_to_change(said: Store) -> None:
    with pytest.raises(LabelerError, match="never handed"):
        adjudications.reconsider(said, "q", passage_id="a", grade=N, note="", annotator="zoe")


@pytest.mark.parametrize(
    ("labels_read", "n", "disagreements"),
    [
        # a is a tie (YES, NO) settled NO as the judge says; c is YES twice, settled NO; d, e stand.
        ("both", 4, 1),  # a NO-NO, c NO-NO, d PART-NO, e NO-NO
        ("blind", 3, 2),  # c YES-NO, d PART-NO, e NO-NO; a is unresolved
        ("adjudicated", 2, 0),  # a and c alone
    ],
)
def test_a_report_reads_blind_labels_adjudicated_grades_or_both_and_says_which(
    said: Store, labels_read: str, n: int, disagreements: int
) -> None:
    for passage_id in "ac":
        adjudications.record(
            said, "q", passage_id=passage_id, grade=N, reason="so", reviewer="rita"
        )
    selection = agreement.choose(said, judge="judge", labels=labels_read)
    report = agreement.build(said, selection)
    assert (report.agreement.n, report.agreement.disagreements) == (n, disagreements)
    assert agreement.as_json(report)["labels"] == labels_read
    found = list(agreement.cases(said, selection))
    assert len(found) == disagreements
    assert not any(case.adjudicated for case in found)
