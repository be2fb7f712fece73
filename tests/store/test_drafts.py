"""What becomes of a draft: nothing until a person decides, and then all of it or nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler import freezing
from labeler.errors import LabelerError
from labeler.model import Grade, Passage, State, content_hash
from labeler.store import corpora, desk, drafts, evidence, goldens, labels, people, queries, runs
from labeler.store.db import Store, open_store
from labeler.store.drafts import Check, Draft, Now, Tried
from labeler.store.evidence import Outcome
from labeler.store.frozen import Anchor

LEAVE = Passage("leave", "Everybody has 28 days of leave.", "Leave", "docs/leave", "char=5,36")
STAFF = Passage("pay", "The bands are paid in June.", "Pay", "docs/pay", scope="hr")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labeler.duckdb") as opened:
        corpora.record(opened, [LEAVE, STAFF], name="handbook")
        drafts.keep(opened, [draft("d-1"), draft("d-2", STAFF), draft("d-3", None)])
        yield opened


def draft(draft_id: str, passage: Passage | None = LEAVE) -> Draft:
    kind = "paraphrase" if passage else "unanswerable"
    anchor = Anchor("handbook", 1, "docs/leave", "char=5,36", 5, 36)
    return Draft(
        draft_id,
        kind,
        f"how long may I be away? {draft_id}",
        passage.passage_id if passage else "",
        anchor,
        content_hash(passage.text) if passage else "",
        0,
        "r",
        "m",
        "" if passage else "sailing",
        0.25 if passage else None,
    )


def accept(store: Store, draft_id: str = "d-1", **changes: object) -> str:
    told: dict[str, object] = {
        "text": f"how long may I be away? {draft_id}",
        "grade": Grade.YES,
        "seen": content_hash(LEAVE.text),
        "person": "rita",
    }
    return drafts.accept(store, draft_id, **{**told, **changes})  # type: ignore[arg-type]


def nothing_counts(store: Store) -> bool:
    tables = ("queries", "candidates", "tasks", "handed", "label_events", "searches", "outcomes")
    return not any(store.rows(f"select 1 from {table}") for table in tables)


def test_a_draft_comes_back_as_it_was_kept_once(store: Store) -> None:
    assert drafts.keep(store, [draft("d-1"), draft("d-4"), draft("d-4")]) == 1
    first = drafts.every(store)[0]
    assert (first.draft, first.checks, first.decision, first.now) == (
        draft("d-1"),
        (),
        None,
        Now.SAME,
    )
    assert nothing_counts(store)


def test_the_newest_result_of_a_check_stands(store: Store) -> None:
    drafts.note(store, [Check("d-1", "answered", False, "no"), Check("d-1", "distinct", True, "")])
    assert [one.name for one in drafts.every(store)[0].failed] == ["answered"]
    drafts.note(store, [Check("d-1", "answered", True, "")])
    assert drafts.every(store)[0].failed == ()


def test_acceptance_makes_a_query_a_candidate_and_the_persons_own_label(store: Store) -> None:
    query_id = accept(store, grade=Grade.PART)
    (query,) = queries.current(store)
    assert query.query_id == query_id
    assert (query.text, query.kind, query.origin) == (
        "how long may I be away? d-1",
        "paraphrase",
        "drafted",
    )
    assert runs.candidates(store) == 1
    assert store.row("select source from candidates") == ("drafted",)
    (said,) = labels.current(store)
    assert (said.query_id, said.passage_id, said.annotator) == (query_id, "leave", "rita")
    assert (said.state, said.grade, said.blind) == (State.LABELLED, Grade.PART, True)
    decided = drafts.every(store)[0].decision
    assert decided is not None
    assert decided[:5] == ("d-1", "accepted", query_id, "", "rita")
    actions = [line.action for line in people.history(store)]
    assert {"write query", "accept draft", "label"} <= set(actions)


def test_an_edited_draft_keeps_what_it_was(store: Store) -> None:
    accept(store, text=" how many days off? ")
    assert [query.text for query in queries.current(store)] == ["how many days off?"]
    decided = drafts.every(store)[0].decision
    assert decided is not None
    assert decided.reason == "edited from: how long may I be away? d-1"


def test_a_query_of_a_restricted_passage_is_asked_by_who_may_see_it(store: Store) -> None:
    query_id = accept(store, "d-2", seen=content_hash(STAFF.text))
    (query,) = queries.current(store)
    assert query.scope == "hr"
    assert evidence.barred(store, query, STAFF) == ""
    assert query_id == query.query_id


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"grade": Grade.NO}, "rejected, not accepted"),
        ({"text": "  "}, "needs words"),
        ({"seen": content_hash("Everybody has 25 days of leave.")}, "has changed since"),
        ({"draft_id": "d-9"}, "no draft 'd-9'"),
        ({"draft_id": "d-3"}, "takes a reason, and no grade"),
    ],
)
def test_what_cannot_be_accepted_leaves_nothing_behind(
    store: Store, changes: dict[str, object], why: str
) -> None:
    with pytest.raises(LabelerError, match=why):
        accept(store, **changes)
    assert nothing_counts(store)
    assert drafts.every(store)[0].decision is None


def test_a_changed_passage_makes_a_draft_stale_which_takes_who_has_seen_the_new_one(
    store: Store,
) -> None:
    now = Passage("leave", "Everybody has 30 days of leave.", "Leave", "docs/leave")
    corpora.record(store, [now], name="handbook")
    assert drafts.every(store)[0].now is Now.CHANGED
    with pytest.raises(LabelerError, match="has changed since you were shown it"):
        accept(store)
    assert accept(store, seen=content_hash(now.text)) == "own-1"


def test_what_one_person_decided_is_not_decided_by_another(store: Store) -> None:
    accept(store)
    with pytest.raises(LabelerError, match="d-1 is decided: accepted as own-1 by rita"):
        accept(store, person="sam")
    with pytest.raises(LabelerError, match="accepted as own-1 by rita"):
        drafts.reject(store, "d-1", reason="silly", person="sam")
    assert len(queries.current(store)) == len(list(labels.current(store))) == 1


def test_of_people_who_decide_at_once_one_does(store: Store) -> None:
    came: list[str] = []

    def decide(person: str) -> None:
        try:
            came.append(accept(store, person=person))
        except LabelerError as error:
            came.append(str(error))

    threads = [threading.Thread(target=decide, args=(f"person {i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one == "own-1" for one in came) == [False] * 7 + [True]
    assert len(queries.current(store)) == len(list(labels.current(store))) == 1


def test_a_rejection_needs_a_reason_and_is_no_query(store: Store) -> None:
    with pytest.raises(LabelerError, match="needs a reason"):
        drafts.reject(store, "d-1", reason=" ", person="rita")
    drafts.reject(store, "d-1", reason="nobody asks this", person="rita")
    decided = drafts.every(store)[0].decision
    assert decided is not None
    assert decided[:5] == ("d-1", "rejected", "", "nobody asks this", "rita")
    assert nothing_counts(store)


TRIED = (Tried("sailing", 0, 2, ("leave",)), Tried("boats", 0, 0, ()))


def test_an_unanswerable_one_becomes_a_query_with_the_searches_as_evidence(store: Store) -> None:
    query_id = drafts.accept_unanswerable(
        store, "d-3", text="may I sail?", reason="no boats here", tried=TRIED, person="rita"
    )
    found = evidence.searches(store, query_id)
    assert [(one.text, one.with_all, one.with_some, one.top, one.person) for one in found] == [
        (*one, "rita") for one in TRIED
    ]
    said = evidence.outcomes(store)[query_id]
    assert (said.outcome, said.reason, said.person) == (
        Outcome.UNANSWERABLE,
        "no boats here",
        "rita",
    )
    assert queries.current(store)[0].kind == "unanswerable"
    assert list(labels.current(store)) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tried": ()}, "needs the searches"),
        ({"reason": ""}, "needs a reason"),
        ({"draft_id": "d-1"}, "it takes a grade"),
    ],
)
def test_unanswerable_without_evidence_leaves_nothing_behind(
    store: Store, changes: dict[str, object], why: str
) -> None:
    told = {"draft_id": "d-3", "text": "may I sail?", "reason": "no boats", "tried": TRIED}
    with pytest.raises(LabelerError, match=why):
        drafts.accept_unanswerable(store, person="rita", **{**told, **changes})  # type: ignore[arg-type]
    assert nothing_counts(store)


def test_a_golden_set_holds_what_was_accepted_and_nothing_else(store: Store) -> None:
    with pytest.raises(LabelerError, match="Nothing to freeze"):
        freezing.freeze(store, "support")
    wanted = accept(store, grade=Grade.PART)
    drafts.reject(store, "d-2", reason="nobody asks this", person="rita")
    nothing = drafts.accept_unanswerable(
        store, "d-3", text="may I sail?", reason="no boats here", tried=TRIED, person="rita"
    )
    freezing.freeze(store, "support", person="rita")
    (golden,) = goldens.current(store)
    assert {(e.query_id, e.passage_id, e.grade, e.kind) for e in golden.entries} == {
        (wanted, "leave", Grade.PART, "paraphrase"),
        (nothing, "", None, "unanswerable"),
    }


def test_the_label_can_be_changed_at_the_persons_desk(store: Store) -> None:
    query_id = accept(store)
    assert desk.standing(store, query_id, passages=["leave"], person="rita") == {"leave": "YES"}
    assert desk.tasks(store, desk.name("rita", query_id)) == 1


def test_a_write_within_a_write_is_part_of_it(store: Store) -> None:
    def write_two(fail: bool) -> None:
        with store.write() as cursor:
            drafts.reject(store, "d-1", reason="silly", person="rita")
            assert cursor.execute("select count(*) from draft_decisions").fetchall() == [(1,)]
            drafts.reject(store, "d-2", reason="silly", person="rita")
            if fail:
                raise LabelerError("no")

    before = store.version
    with pytest.raises(LabelerError, match=r"^no$"):
        write_two(True)
    assert store.version == before
    assert [one.decision for one in drafts.every(store)] == [None] * 3
    write_two(False)
    assert store.version == before + 1
    assert sum(one.decision is not None for one in drafts.every(store)) == 2
