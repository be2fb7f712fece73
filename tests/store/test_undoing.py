"""What undoing a decision on a draft takes back, and when it no longer can."""

from __future__ import annotations

import pytest

from labeler import freezing, judging
from labeler.errors import LabelerError
from labeler.model import Grade, Judgment, Status, Verdict, content_hash
from labeler.reports import drafts as reports
from labeler.reports.drafts import State
from labeler.sifting import survey
from labeler.store import (
    desk,
    drafts,
    evidence,
    goldens,
    labels,
    people,
    queries,
    runs,
    undoing,
    verdicts,
)
from labeler.store.db import Store
from labeler.store.drafts import Tried
from labeler.store.evidence import Outcome
from labeler.store.pairs import Scope
from tests.store.test_drafts import accept, store

__all__ = ("store",)


def state(of: Store, draft_id: str) -> State:
    (one,) = [one for one in drafts.every(of) if one.draft.draft_id == draft_id]
    return reports.state_of(one)


def test_a_rejection_is_undone_and_the_draft_waits_again(store: Store) -> None:
    drafts.reject(store, "d-1", reason="nobody asks this", person="rita")
    assert state(store, "d-1") is State.REJECTED
    assert undoing.undo(store, "d-1", person="lee") == "d-1 waits again."
    assert state(store, "d-1") is State.UNCHECKED
    last = people.history(store)[0]
    assert (last.action, last.subject, last.person) == ("undo draft", "d-1", "lee")
    assert last.detail == "rejected by rita"
    assert store.row("select count(*) from draft_decisions") == (1,)  # nothing is deleted


def test_an_acceptance_is_undone_with_its_query_its_label_and_its_candidate(store: Store) -> None:
    query_id = accept(store)
    assert undoing.undo(store, "d-1", person="rita") == (
        f"d-1 waits again; {query_id} is no query any more."
    )
    assert queries.current(store) == []
    assert list(labels.current(store)) == []
    assert runs.candidates(store) == 0
    assert [row["state"] for row in labels.history(store)] == ["labelled", "open"]
    assert len(desk.versions(store, query_id)) == 2
    with pytest.raises(LabelerError, match="Nothing to freeze"):
        freezing.freeze(store, "mine", person="rita")


def test_a_draft_can_be_decided_anew_and_the_label_is_blind_no_more(store: Store) -> None:
    """The first decision showed what the judge's checks had said."""
    first = accept(store)
    undoing.undo(store, "d-1", person="rita")
    second = accept(store, grade=Grade.PART)
    assert (first, second) == ("own-1", "own-2")
    (said,) = labels.current(store)
    assert (said.query_id, said.grade, said.blind) == ("own-2", Grade.PART, False)
    undoing.undo(store, "d-1", person="rita")
    accept(store, person="ben")
    (said,) = labels.current(store)
    assert (said.query_id, said.annotator, said.blind) == ("own-3", "ben", True)
    drafts.reject(store, "d-2", reason="no", person="ben")
    with pytest.raises(LabelerError, match="d-1 is decided: accepted as own-3 by ben"):
        drafts.reject(store, "d-1", reason="no", person="rita")


def test_a_query_that_nothing_answers_is_undone_with_its_outcome(store: Store) -> None:
    query_id = drafts.accept_unanswerable(
        store,
        "d-3",
        text="may I sail?",
        reason="no word of it",
        tried=[Tried("sail", 0, 0, ())],
        person="rita",
    )
    undoing.undo(store, "d-3", person="rita")
    assert evidence.outcomes(store)[query_id].outcome is Outcome.OPEN
    assert queries.current(store) == []
    assert len(evidence.searches(store, query_id)) == 1  # evidence is kept


def _label(store: Store, query_id: str) -> None:
    labels.bring(store, [Judgment(query_id, "leave", Grade.NO)], annotator="ben")


def _judge(store: Store, query_id: str) -> None:
    verdicts.record(store, [Verdict(query_id, "leave", "j", Grade.YES, Status.OK)])


def _reword(store: Store, query_id: str) -> None:
    (query,) = queries.current(store)
    desk.write(store, query.__class__(query_id, "how long is my leave?"), person="ben")


def _freeze(store: Store, query_id: str) -> None:
    assert query_id in {e.query_id for e in freezing.freeze(store, "mine").golden.entries}
    assert goldens.current(store)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (_label, "labelled"),
        (_judge, "judged"),
        (_reword, "reworded"),
        (_freeze, "frozen in a golden set"),
    ],
)
def test_a_query_that_was_used_since_stays(store: Store, use, said: str) -> None:
    query_id = accept(store)
    use(store, query_id)
    before = store.row("select count(*) from audit")
    with pytest.raises(LabelerError, match=f"stays accepted: {query_id} has been .*{said}"):
        undoing.undo(store, "d-1", person="rita")
    assert state(store, "d-1") is State.ACCEPTED
    assert [query.query_id for query in queries.current(store)] == [query_id]
    assert store.row("select count(*) from audit") == before


def test_what_is_not_decided_is_not_undone(store: Store) -> None:
    for draft_id in ("d-1", "d-9"):
        with pytest.raises(LabelerError, match=f"Draft {draft_id} is not decided"):
            undoing.undo(store, draft_id, person="rita")
    drafts.reject(store, "d-1", reason="no", person="rita")
    undoing.undo(store, "d-1", person="rita")
    with pytest.raises(LabelerError, match="Draft d-1 is not decided"):
        undoing.undo(store, "d-1", person="rita")


def test_the_judge_is_not_asked_about_a_pair_that_was_undone(store: Store) -> None:
    accept(store)
    accept(store, "d-2", seen=content_hash("The bands are paid in June."))
    undoing.undo(store, "d-1", person="rita")
    found = survey(store, judging.lexical(store), scope=Scope(), retry_unreadable=False)
    assert sum(found.needs.values()) == 1
