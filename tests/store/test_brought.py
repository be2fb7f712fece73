"""Labels that a file brings, beside those that people give in the app."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from labeler.model import Grade, Judgment, LabelEvent
from labeler.store import labels, tasks
from labeler.store.db import Store
from labeler.store.imports import Source

_FILE = Source("labels.csv", "b1:aa")
_OTHER = Source("more.csv", "b1:bb")


def _judgment(passage: str, grade: Grade | None, **rest) -> Judgment:
    return Judgment("q1", passage, grade, **rest)


def _bring(store: Store, *rows: Judgment, source: Source = _FILE, annotator: str = "anna") -> int:
    return labels.bring(store, rows, annotator=annotator, source=source).added


def _standing(store: Store) -> dict[tuple[str, str], str]:
    return {(s.annotator, s.passage_id): str(s.grade or s.state) for s in labels.current(store)}


def _change(store: Store, draw, passage: str, grade: Grade) -> None:
    draw(store, [("q1", passage)], name="again")
    with store.write() as cursor:  # handed out though it is labelled: the person goes back to it
        cursor.execute("insert into handed values ('again', 1, 'anna', $1)", [store.clock()])
    event = LabelEvent(str(uuid.uuid4()), "q1", passage, "anna", "label", grade, spotcheck="again")
    assert labels.record(store, [event]).acknowledged


def test_the_same_file_adds_nothing_after_its_labels_were_changed_in_the_app(
    store: Store, draw
) -> None:
    rows = [_judgment("p1", Grade.YES), _judgment("p2", Grade.NO)]
    assert _bring(store, *rows) == 2
    _change(store, draw, "p1", Grade.PART)
    assert _bring(store, *rows) == 0
    assert _standing(store) == {("anna", "p1"): "PART", ("anna", "p2"): "NO"}


def test_a_file_that_repeated_what_stood_adds_nothing_later_either(store: Store, draw) -> None:
    row = _judgment("p1", Grade.YES)
    _bring(store, row)
    assert _bring(store, row, source=_OTHER) == 0  # what stands already, from another file
    _change(store, draw, "p1", Grade.PART)
    assert _bring(store, row, source=_OTHER) == 0
    assert _standing(store) == {("anna", "p1"): "PART"}


def test_another_file_that_says_otherwise_supersedes(store: Store) -> None:
    _bring(store, _judgment("p1", Grade.YES))
    assert _bring(store, _judgment("p1", Grade.NO), source=_OTHER) == 1
    assert _standing(store) == {("anna", "p1"): "NO"}
    assert [row["grade"] for row in labels.history(store)] == ["YES", "NO"]


def test_the_same_file_read_with_another_map_of_grades_counts(store: Store) -> None:
    _bring(store, _judgment("p1", Grade.YES))
    assert _bring(store, _judgment("p1", Grade.PART)) == 1
    assert _standing(store) == {("anna", "p1"): "PART"}


def test_of_one_persons_rows_on_a_pair_the_last_stands(store: Store) -> None:
    rows = [_judgment("p1", grade) for grade in (Grade.YES, Grade.NO, Grade.YES, Grade.PART)]
    assert _bring(store, *rows) == 1
    assert _bring(store, *rows) == 0
    assert _bring(store, *[_judgment("p2", Grade.NO)] * 3) == 1
    assert _standing(store) == {("anna", "p1"): "PART", ("anna", "p2"): "NO"}


def test_rows_name_their_person_and_the_rest_is_the_annotators(store: Store) -> None:
    rows = [_judgment("p1", Grade.YES, person="ben"), _judgment("p1", Grade.NO)]
    assert _bring(store, *rows) == 2
    assert _standing(store) == {("ben", "p1"): "YES", ("anna", "p1"): "NO"}


def test_no_grade_is_unsure_unless_it_says_later(store: Store) -> None:
    rows = [
        _judgment("p1", None),
        _judgment("p2", None, state="later"),
        _judgment("p3", None, state="labelled"),
        _judgment("p4", Grade.YES, state="unsure"),
    ]
    assert _bring(store, *rows) == 4
    assert list(_standing(store).values()) == ["unsure", "later", "unsure", "YES"]


def test_times_blindness_notes_and_spot_checks_are_kept(store: Store, clock) -> None:
    _bring(
        store,
        _judgment("p1", Grade.YES, at="2026-01-02T03:04:05+01:00", blind=False, spotcheck="old"),
        _judgment("p2", Grade.YES, at="yesterday", note="a\0b \u202e"),
        _judgment("p3", Grade.YES, at="2026-01-02T03:04:05", blind=True),
    )
    first, second, third = labels.current(store)
    assert first.labelled_at == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert (first.blind, first.spotcheck, first.note) == (False, "old", "")
    assert (second.labelled_at, second.blind, second.note) == (clock.now, None, "a\0b \u202e")
    of_utc = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)  # where no zone is named, as of verdicts
    assert (third.labelled_at, third.blind) == (of_utc, True)


def test_a_changed_note_is_a_change(store: Store) -> None:
    _bring(store, _judgment("p1", Grade.YES))
    assert _bring(store, _judgment("p1", Grade.YES, note="see p2"), source=_OTHER) == 1


def test_labels_of_a_file_count_as_done_in_a_spot_check(store: Store, draw) -> None:
    draw(store, [("q1", "p1"), ("q1", "p2")])
    _bring(store, _judgment("p1", Grade.YES), annotator="ben")
    assert tasks.window(store, spotcheck="check", annotator="anna").open == [2]
