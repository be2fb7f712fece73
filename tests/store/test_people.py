"""Who works here, what they settled, and the log of it."""

from __future__ import annotations

import pytest

from labeler.errors import LabelerError
from labeler.model import Grade
from labeler.store import adjudications, people
from labeler.store.db import Store


def test_a_person_has_the_role_given_last_and_the_log_keeps_all(store: Store, clock) -> None:
    assert people.current(store, "anna") is None
    first = people.record(store, " anna ")
    assert first == ("anna", "annotator", clock.now)
    clock.move(days=1)
    assert people.record(store, "anna") == first  # nothing new
    people.record(store, "anna", role="lead")
    people.record(store, "Anna", role="reviewer")  # another person
    assert [(p.name, p.role) for p in people.everyone(store)] == [
        *(("Anna", "reviewer"), ("anna", "lead"))
    ]
    assert [(line.person, line.action, line.detail) for line in people.history(store)] == [
        *(("Anna", "role", "reviewer"), ("anna", "role", "lead"), ("anna", "role", "annotator"))
    ]
    assert len(people.history(store, limit=2)) == 2


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "a\nb", "\u202eanna", "x" * 81])
def test_a_name_that_cannot_be_shown_is_refused(store: Store, name: str) -> None:
    with pytest.raises(LabelerError, match="name"):
        people.record(store, name)
    assert people.everyone(store) == []


def test_an_unknown_role_is_named_with_the_known_ones(store: Store) -> None:
    with pytest.raises(LabelerError, match="'boss' is no role, expected one of annotator, rev"):
        people.record(store, "anna", role="boss")


def test_many_lines_of_the_log_keep_their_order_and_text(store: Store) -> None:
    names = [f"person {n}\0'\"" for n in range(50)]
    with store.write() as cursor:
        people.audit_all(
            cursor,
            store.clock(),
            people=names,
            actions=["label"] * 50,
            subjects=names,
            details=[""] * 50,
        )
    assert [line.person for line in people.history(store)] == names[::-1]


def test_an_adjudication_needs_a_reason_and_a_later_one_supersedes(store: Store) -> None:
    def settle(grade: Grade, reason: str) -> None:
        adjudications.record(
            store, "q", passage_id="p", grade=grade, reason=reason, reviewer="rita"
        )

    with pytest.raises(LabelerError, match="needs a reason"):
        settle(Grade.YES, " \n")
    settle(Grade.YES, "it says so")
    settle(Grade.NO, "it does not")
    assert store.rows("select grade, reason from current_adjudications") == [("NO", "it does not")]
    assert store.row("select count(*) from adjudications") == (2,)
    assert people.history(store)[0].detail == "NO: it does not"
