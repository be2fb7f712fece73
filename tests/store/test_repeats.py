"""Pairs that come again: hidden, for their own person, and never part of a sample."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from labeler.errors import LabelerError
from labeler.model import Grade, LabelEvent
from labeler.store import adjudications, labels, repeats, spotchecks, tasks
from labeler.store.db import Store
from tests.store.conftest import Clock

PAIRS = [("q", f"p{i}") for i in range(8)]


@pytest.fixture
def labelled(store: Store, clock: Clock, draw: Callable[..., object]) -> Store:
    """A spot check that ann has labelled YES, two hours ago."""
    draw(store, PAIRS)
    _answer(store, "check", Grade.YES)
    clock.move(hours=2)
    return store


def _answer(store: Store, name: str, grade: Grade, person: str = "ann") -> int:
    window = tasks.window(store, spotcheck=name, annotator=person, limit=20)
    order = {task.task: task for task in window.order}
    events = [
        LabelEvent(
            str(uuid.uuid4()),
            order[number].query_id,
            order[number].passage_id,
            person,
            "label",
            grade,
            spotcheck=name,
        )
        for number in window.open
    ]
    assert not labels.record(store, events).refused
    return len(events)


def test_repeats_are_handed_out_after_everything_else_without_the_earlier_answer(
    labelled: Store,
) -> None:
    (name,) = repeats.draw(labelled, "check", n=3)
    check = tasks.with_work_left(labelled, annotator="ann")
    assert check is not None
    assert check.name == name == "check/2"
    window = tasks.window(labelled, spotcheck=name, annotator="ann")
    assert len(window.open) == 3
    assert [task.own for task in window.order] == [None] * 3
    assert window.progress == (0, 3, 0)


def test_an_answer_given_again_does_the_task_and_both_answers_stay(labelled: Store) -> None:
    (name,) = repeats.draw(labelled, "check", n=3)
    assert _answer(labelled, name, Grade.NO) == 3
    assert tasks.progress(labelled, spotcheck=name, annotator="ann").done == 3
    assert repeats.of(labelled, "ann") == []
    grades = labelled.rows("select grade, count(*) from label_events group by grade order by 1")
    assert grades == [("NO", 3), ("YES", 8)]


def test_repeats_are_no_spot_check_and_nobody_elses(labelled: Store) -> None:
    repeats.draw(labelled, "check", n=3)
    assert [check.name for check in spotchecks.history(labelled)] == ["check"]
    check = tasks.with_work_left(labelled, annotator="bob")
    assert check is not None
    assert check.name == "check"


def test_a_list_takes_no_name_that_a_spot_check_has(labelled: Store, draw) -> None:
    draw(labelled, [("q", "other")], name="check/2")
    assert repeats.draw(labelled, "check", n=3) == ["check/3"]
    assert tasks.overall(labelled, "check/2") == (0, 1)


def test_the_same_seed_chooses_the_same_pairs_and_another_not(labelled: Store) -> None:
    def chosen(name: str) -> list[tuple[object, ...]]:
        return labelled.rows("select passage_id from tasks where spotcheck = $1", [name])

    found = []
    for seed in (1, 1, 2):
        (name,) = repeats.draw(labelled, "check", n=3, seed=seed)
        found.append(chosen(name))
        _answer(labelled, name, Grade.YES)
        labelled.clock.move(hours=2)  # type: ignore[attr-defined]
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_who_has_repeats_to_do_gets_no_further_ones(labelled: Store) -> None:
    assert len(repeats.draw(labelled, "check", n=3)) == 1
    assert repeats.draw(labelled, "check", n=3) == []


def test_what_was_just_labelled_or_whose_verdict_was_seen_is_not_repeated(
    store: Store, clock: Clock, draw: Callable[..., object]
) -> None:
    draw(store, PAIRS)
    _answer(store, "check", Grade.YES)
    with pytest.raises(LabelerError, match="nothing to repeat yet"):
        repeats.draw(store, "check")
    clock.move(hours=2)
    labels.note_view(store, PAIRS[:6], person="ann")
    (name,) = repeats.draw(store, "check")
    rows = store.rows("select passage_id from tasks where spotcheck = $1 order by 1", [name])
    assert rows == [("p6",), ("p7",)]


def test_a_warm_up_comes_first_and_is_of_settled_pairs_that_its_person_has_not_seen(
    labelled: Store,
) -> None:
    for _, passage_id in PAIRS[:3]:
        adjudications.record(
            labelled, "q", passage_id=passage_id, grade=Grade.NO, reason="so", reviewer="rita"
        )
    labels.note_view(labelled, [PAIRS[0]], person="bob")
    name = repeats.warm_up(labelled, "bob")
    check = tasks.with_work_left(labelled, annotator="bob")
    assert check is not None
    assert check.name == name
    window = tasks.window(labelled, spotcheck=name, annotator="bob")
    # ann has labelled both already: bob is asked all the same.
    assert [task.passage_id for task in window.order] == ["p1", "p2"]
    assert _answer(labelled, name, Grade.NO, "bob") == 2
    after = tasks.with_work_left(labelled, annotator="bob")
    assert after is not None
    assert after.name == "check"
    for nobody in ("ann", "rita"):
        with pytest.raises(LabelerError, match="no settled pair"):
            repeats.warm_up(labelled, nobody)


def test_a_repeat_whose_verdict_was_seen_meanwhile_holds_nobody_up(labelled: Store) -> None:
    (name,) = repeats.draw(labelled, "check", n=2)
    labels.note_view(labelled, PAIRS, person="ann")
    check = tasks.with_work_left(labelled, annotator="ann")
    assert check is not None
    assert check.name == "check" != name
