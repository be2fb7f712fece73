"""Queries written by hand, cases from production, evidence, facts, and the desk's tasks."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import pytest

from labeler.errors import LabelerError
from labeler.model import Grade, LabelEvent, Passage, Query
from labeler.store import corpora, desk, evidence, labels, people, queries, spotchecks, tasks
from labeler.store.db import Store
from labeler.store.evidence import Outcome
from labeler.store.wording import UNBOUNDED, Filters


@pytest.fixture
def corpus(store: Store) -> Store:
    corpora.record(
        store,
        [
            Passage("open", "Refunds take five days."),
            Passage("hr", "Bands are reviewed in May.", scope="hr"),
            Passage("old", "Refunds take nine days.", effective_to="2025-12-31"),
        ],
        name="c",
    )
    return store


def _press(store: Store, query_id: str, passage_id: str, person: str, grade: Grade) -> list[str]:
    event = LabelEvent(
        str(uuid.uuid4()),
        query_id,
        passage_id,
        person,
        "label",
        grade,
        spotcheck=desk.name(person, query_id),
    )
    return [refusal.why for refusal in labels.record(store, [event]).refused]


def _keep(store: Store, query_id: str, text: str, top: Sequence[str] = ()) -> None:
    evidence.keep_search(
        store,
        query_id,
        text=text,
        filters=Filters(as_of="2026-01-01"),
        with_all=0,
        with_some=3,
        top=top,
        person="rita",
    )


def test_a_query_written_by_hand_gets_a_free_id_and_a_line_in_the_audit_log(store: Store) -> None:
    queries.record(store, [Query("own-7", "older"), Query("own-x", "no number")])
    written = desk.write(store, Query("", "how long?", kind="exact"), person="rita")
    assert written.query_id == "own-8"
    line = people.history(store)[0]
    assert line.person == "rita"
    assert line.action == "write query"
    assert line.subject == "own-8"
    assert line.at == store.clock()


def test_a_changed_query_is_a_new_version_and_an_unchanged_one_is_none(store: Store) -> None:
    first = desk.write(store, Query("", "how long?"), person="rita")
    desk.write(store, first, person="rita")
    desk.write(store, Query(first.query_id, "how many days?"), person="sam")
    assert [query.text for query in desk.versions(store, first.query_id)] == [
        "how long?",
        "how many days?",
    ]
    assert [query.text for query in queries.current(store)] == ["how many days?"]
    assert people.history(store)[0].action == "change query"


@pytest.mark.parametrize("query", [Query("", " "), Query("", "when?", as_of="last year")])
def test_a_query_without_words_or_with_a_day_that_is_none_is_refused(
    store: Store, query: Query
) -> None:
    with pytest.raises(LabelerError, match=r"needs words|is no day"):
        desk.write(store, query, person="rita")
    assert queries.current(store) == []


def test_a_production_failure_is_a_query_with_its_origin_for_good_and_its_candidates(
    corpus: Store,
) -> None:
    made = desk.report_failure(
        corpus,
        Query("", "refund?", origin="colleague"),
        answer="nine days",
        came_back=["old", "gone", "old"],
        person="rita",
    )
    assert made.origin == "production failure"
    assert [row.passage_id for row in desk.candidates(corpus, made.query_id, person="rita")] == [
        "old",
        "gone",
    ]
    (failure,) = desk.failures(corpus)
    assert failure.answer == "nine days"
    assert failure.came_back == ("old", "gone", "old")
    assert [line.action for line in people.history(corpus)[:2]] == ["failure", "write query"]


def test_a_passage_that_was_found_is_labelled_in_place_and_in_no_sample(corpus: Store) -> None:
    query = desk.write(corpus, Query("", "refund?"), person="rita")
    assert _press(corpus, query.query_id, "open", "rita", Grade.YES) == [
        "this pair was not handed to rita"
    ]
    assert desk.add(corpus, query.query_id, passage_id="open", person="rita") == 1
    assert desk.add(corpus, query.query_id, passage_id="open", person="rita") == 1
    desk.add(corpus, query.query_id, passage_id="old", person="rita")
    found = tasks.window(corpus, spotcheck=desk.name("rita", query.query_id), annotator="rita")
    assert [task.passage_id for task in found.order] == ["open", "old"]
    assert _press(corpus, query.query_id, "open", "rita", Grade.YES) == []
    assert spotchecks.history(corpus) == []
    assert tasks.with_work_left(corpus, annotator="rita") is None


def test_no_two_people_and_queries_share_a_desk(store: Store) -> None:
    assert desk.name("a/b", "c") != desk.name("a", "b/c")
    assert desk.name("rita", "q01") == "desk/rita/q01"


def test_others_labels_are_shown_once_ones_own_is_stored(corpus: Store) -> None:
    query = desk.write(corpus, Query("", "refund?"), person="rita")
    for person in ("rita", "sam"):
        desk.add(corpus, query.query_id, passage_id="open", person=person)
        tasks.window(corpus, spotcheck=desk.name(person, query.query_id), annotator=person)
    _press(corpus, query.query_id, "open", "sam", Grade.PART)
    (before,) = desk.candidates(corpus, query.query_id, person="rita")
    assert (before.own, before.others) == ("", "")
    _press(corpus, query.query_id, "open", "rita", Grade.YES)
    (after,) = desk.candidates(corpus, query.query_id, person="rita")
    assert (after.own, after.others) == ("YES", "sam=PART")


@pytest.mark.parametrize(("query_id", "passage_id"), [("nope", "open"), ("own-1", "nope")])
def test_only_what_is_there_can_be_a_task(corpus: Store, query_id: str, passage_id: str) -> None:
    desk.write(corpus, Query("", "refund?"), person="rita")
    with pytest.raises(LabelerError, match=r"There is no (query|passage) 'nope'"):
        desk.add(corpus, query_id, passage_id=passage_id, person="rita")
    assert corpus.rows("select * from tasks") == []


def test_unanswerable_needs_a_search_and_a_reason_and_can_be_taken_back(store: Store) -> None:
    queries.record(store, [Query("q", "a cat in the office?")])

    def decide(outcome: Outcome, reason: str) -> None:
        evidence.decide(store, "q", outcome=outcome, reason=reason, person="rita")

    with pytest.raises(LabelerError, match="needs the searches"):
        decide(Outcome.UNANSWERABLE, "nothing on pets")
    _keep(store, "q", "cat", top=[f"p{i}" for i in range(30)])
    with pytest.raises(LabelerError, match="needs a reason"):
        decide(Outcome.UNANSWERABLE, "  ")
    decide(Outcome.UNANSWERABLE, "nothing on pets")
    assert evidence.outcomes(store)["q"].outcome is Outcome.UNANSWERABLE
    (search,) = evidence.searches(store, "q")
    assert search.filters == Filters(as_of="2026-01-01")
    assert search.top == tuple(f"p{i}" for i in range(10))
    assert people.history(store)[0].detail == "nothing on pets (1 searches kept)"
    decide(Outcome.OPEN, "")
    assert evidence.outcomes(store)["q"].outcome is Outcome.OPEN


def test_unavailable_needs_no_search(store: Store) -> None:
    queries.record(store, [Query("q", "salary bands?")])
    evidence.decide(
        store, "q", outcome=Outcome.UNAVAILABLE, reason="hr alone may see them", person="rita"
    )
    assert evidence.outcomes(store)["q"].outcome is Outcome.UNAVAILABLE


def test_a_fact_is_changed_and_withdrawn_without_losing_what_it_was(corpus: Store) -> None:
    queries.record(corpus, [Query("q", "how long and since when?")])

    def note(text: str, passages: Sequence[str] = (), fact: int | None = None) -> int:
        return evidence.note_fact(
            corpus, "q", text=text, passages=passages, person="rita", fact=fact
        )

    assert note("five days", ["open"]) == 1
    assert note("since May") == 2
    note("five working days", ["open"], fact=1)
    note("", fact=2)
    assert evidence.facts(corpus) == [evidence.Fact("q", 1, "five working days", ("open",))]
    assert len(corpus.rows("select * from facts")) == 4
    assert note("another") == 3


def test_what_the_caller_may_not_see_or_no_longer_holds_cannot_be_expected(corpus: Store) -> None:
    queries.record(
        corpus,
        [
            Query("q", "refund?"),
            Query("then", "refund?", as_of="2025-06-01"),
            Query("hr", "bands?", scope="hr finance"),
        ],
    )

    def note(query_id: str, passage_id: str) -> None:
        evidence.note_fact(corpus, query_id, text="so", passages=[passage_id], person="rita")

    with pytest.raises(LabelerError, match="hr cannot be expected: it is unauthorised"):
        note("q", "hr")
    with pytest.raises(LabelerError, match="old cannot be expected: it is out of date"):
        note("q", "old")  # the clock stands in March 2026
    note("then", "old")
    note("hr", "hr")
    assert {fact.query_id for fact in evidence.facts(corpus)} == {"then", "hr"}


def test_a_search_without_words_is_no_evidence(store: Store) -> None:
    queries.record(store, [Query("q", "?")])
    with pytest.raises(LabelerError, match="needs words"):
        _keep(store, "q", " ")
    assert Filters() == UNBOUNDED
