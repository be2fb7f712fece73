"""Evaluations are only added, and a baseline is one that somebody has reviewed."""

from __future__ import annotations

import pytest

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, Passage, RunRow
from labeler.store import corpora, evaluations, goldens, outlines, people, rubrics, runs
from labeler.store.db import Store
from labeler.store.evaluations import Asking, Evaluation
from tests.store.conftest import Clock

MEASURED = Evaluation(
    system="bm25",
    run_hash="b1:01",
    golden="g@1",
    golden_hash="b1:02",
    reading="strict",
    n_queries=3,
    code_version="0.1.0",
    corpora="c@1",
    conventions={"depth": None},
    measures={"R@5": 0.5, "R@20": None},
    note="as it was",
    person="ana",
)


def test_an_evaluation_comes_back_as_it_was_measured(store: Store, clock: Clock) -> None:
    first = evaluations.record(store, MEASURED)
    clock.move(days=1)
    second = evaluations.record(store, MEASURED)
    assert evaluations.history(store) == [first, second]
    assert first.number < second.number
    assert (second.evaluated_at, second.measures) == (clock.now, {"R@5": 0.5, "R@20": None})
    assert evaluations.history(store, system="other") == []


def test_a_baseline_names_its_reviewer_and_what_it_replaced_stays(store: Store) -> None:
    first, second = evaluations.record(store, MEASURED), evaluations.record(store, MEASURED)
    assert evaluations.baselines(store) == []
    for each, who in ((first, "ana"), (second, "rita")):
        evaluations.set_baseline(store, "main", evaluation=each, reviewer=who, reason="looks right")
    (standing,) = evaluations.baselines(store)
    assert (standing.evaluation, standing.reviewer) == (second, "rita")
    assert store.rows("select evaluation, reviewer from baselines order by seq") == [
        (first.number, "ana"),
        (second.number, "rita"),
    ]
    line = people.history(store)[0]
    assert (line.person, line.action, line.subject) == ("rita", "set baseline", "main")
    assert evaluations.baseline(store, "main") == standing


@pytest.mark.parametrize(
    ("name", "reviewer", "reason"),
    [("", "ana", "so"), ("main", " ", "so"), ("main", "ana", " "), ("a\nb", "ana", "so")],
)
def test_a_baseline_without_name_reviewer_or_reason_is_refused(
    store: Store, name: str, reviewer: str, reason: str
) -> None:
    kept = evaluations.record(store, MEASURED)
    with pytest.raises(LabelerError):
        evaluations.set_baseline(store, name, evaluation=kept, reviewer=reviewer, reason=reason)
    assert evaluations.baselines(store) == []


def test_a_baseline_is_of_a_stored_evaluation(store: Store) -> None:
    with pytest.raises(LabelerError, match="no stored evaluation"):
        evaluations.set_baseline(store, "main", evaluation=MEASURED, reviewer="ana", reason="so")
    with pytest.raises(LabelerError, match="known: none is set"):
        evaluations.baseline(store, "main")


def test_marks_are_the_changes_that_can_move_the_numbers(store: Store, clock: Clock) -> None:
    corpora.record(store, [Passage("p", "text")], name="c")
    clock.move(days=1)
    goldens.record(store, "g", [GoldenEntry("q", "p", Grade.YES)], origin="f", person="ana")
    rubrics.add(store, "r", text="be strict")
    assert [(mark.kind, mark.ref) for mark in evaluations.marks(store)] == [
        ("corpus", "c@1"),
        ("golden set", "g@1"),
        ("rubric", "r@1"),
    ]


def test_how_the_newest_run_was_made_is_known_and_of_an_imported_one_it_is_not(
    store: Store,
) -> None:
    runs.record(store, [RunRow("q", "p", 1)], system="mine")
    (old,) = runs.current(store)
    assert evaluations.asking(store, old.run_id) is None
    runs.record(store, [RunRow("q", "r", 1)], system="mine")
    made = Asking(20, ("s",), "python search.py")
    evaluations.note_asking(store, "mine", made)
    (new,) = runs.current(store)
    assert evaluations.asking(store, new.run_id) == made
    assert evaluations.asking(store, old.run_id) is None


def test_an_outline_says_how_long_a_text_is_and_which_are_copies(store: Store) -> None:
    same = "ab " * 20
    corpora.record(
        store,
        [
            Passage("p", same, scope="hr", effective_from="2025-01-01"),
            Passage("r", same, title="another title"),
            Passage("empty", ""),
        ],
        name="c",
    )
    found = outlines.current(store)
    # 60 characters at 4 a token.
    assert (found["p"].characters, found["p"].tokens, found["empty"].tokens) == (60, 15, 1)
    assert found["p"].fingerprint == found["r"].fingerprint != found["empty"].fingerprint
    assert found["p"].passage == Passage("p", "", scope="hr", effective_from="2025-01-01")
    corpora.record(store, [Passage("p", "new")], name="c")
    assert outlines.current(store)["p"].characters == 3
