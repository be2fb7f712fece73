"""Queries as cases: what contradicts itself, what waits, and what comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from labeler.model import Grade, Judgment, Passage, Query
from labeler.reports import casebook, likeness, query_states, waiting
from labeler.store import adjudications, corpora, desk, evidence, labels, queries, runs
from labeler.store.db import Store, open_store
from labeler.store.evidence import Outcome
from labeler.store.people import Person
from labeler.store.wording import UNBOUNDED


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "labels.duckdb") as opened:
        corpora.record(
            opened,
            [
                Passage("a", "text", "Alpha"),
                Passage("b", "text", "Beta"),
                Passage("hr", "text", "Secret", scope="hr"),
            ],
            name="c",
        )
        yield opened


def ask(store: Store, kind: str = "", **more: str) -> None:
    queries.record(store, [Query("q", "how?", kind=kind, **more)])


def label(store: Store, **grades: Grade) -> None:
    labels.bring(store, [Judgment("q", p, g) for p, g in grades.items()], annotator="ann")


def unanswerable(store: Store) -> None:
    evidence.keep_search(
        store,
        "q",
        text="how",
        filters=UNBOUNDED,
        with_all=0,
        with_some=0,
        top=[],
        person="rita",
    )
    evidence.decide(store, "q", outcome=Outcome.UNANSWERABLE, reason="none", person="rita")


def fact(store: Store, text: str, *passages: str) -> None:
    evidence.note_fact(store, "q", text=text, passages=passages, person="rita")


def only(store: Store) -> casebook.Case:
    (case,) = casebook.cases(store)
    assert query_states.standing(store) == (
        case.waiting,
        case.waiting and case.failures > 0,
        bool(case.conflicts),
    )
    return case


def test_a_query_waits_until_it_has_an_answer_or_an_outcome(store: Store) -> None:
    ask(store)
    assert (only(store).waiting, only(store).state) == (True, "waiting")
    label(store, a=Grade.PART)
    assert only(store).waiting
    label(store, a=Grade.YES)
    assert (only(store).waiting, only(store).state) == (False, "answered")


def test_a_query_whose_every_fact_has_a_carrier_waits_no_more(store: Store) -> None:
    ask(store, "multi_passage")
    label(store, a=Grade.PART, b=Grade.PART)
    fact(store, "one", "a")
    fact(store, "two")
    assert only(store).waiting
    evidence.note_fact(store, "q", text="two", passages=["b"], person="rita", fact=2)
    assert only(store).state == "answered"


def test_a_yes_after_unanswerable_is_a_conflict_until_it_is_settled(store: Store) -> None:
    ask(store, "unanswerable")
    unanswerable(store)
    assert (only(store).state, only(store).conflicts) == ("unanswerable", ())
    label(store, a=Grade.YES)
    assert only(store).state == "conflict"
    assert "Alpha was labelled YES" in only(store).conflicts[0]
    adjudications.record(
        store, "q", passage_id="a", grade=Grade.NO, reason="another cat", reviewer="rita"
    )
    assert only(store).conflicts == ()


def test_an_answer_that_the_caller_may_not_see_is_no_answer(store: Store) -> None:
    ask(store, "permission")
    label(store, hr=Grade.YES)
    assert only(store).waiting
    assert only(store).remarks == ("Secret was labelled YES and is unauthorised: not expected",)
    unanswerable(store)
    assert "rather unavailable" in only(store).conflicts[0]
    evidence.decide(store, "q", outcome=Outcome.UNAVAILABLE, reason="hr only", person="rita")
    assert (only(store).conflicts, only(store).state) == ((), "unavailable")


def test_a_kind_that_says_unanswerable_is_contradicted_by_a_yes(store: Store) -> None:
    ask(store, "unanswerable")
    label(store, a=Grade.YES)
    assert only(store).conflicts == ("Its kind says unanswerable, and Alpha was labelled YES",)


def test_a_multi_passage_query_with_one_passage_is_pointed_out(store: Store) -> None:
    ask(store, "multi_passage")
    label(store, a=Grade.YES)
    assert "one passage is labelled YES" in only(store).remarks[0]
    fact(store, "one", "a")
    assert "one required fact" in only(store).remarks[0]
    fact(store, "two", "a", "b")
    assert "a carries every fact alone" in only(store).remarks[0]
    evidence.note_fact(store, "q", text="two", passages=["b"], person="rita", fact=2)
    assert only(store).remarks == ()


def test_two_facts_that_need_two_passages_contradict_another_kind(store: Store) -> None:
    ask(store, "exact")
    fact(store, "one", "a")
    fact(store, "two", "b")
    assert only(store).remarks == ("No passage carries every fact alone, and its kind says exact",)
    fact(store, "three")
    assert "No passage carries the fact 'three' yet" in only(store).remarks


def test_a_historical_query_names_its_day(store: Store) -> None:
    ask(store, "historical")
    assert "names no day" in only(store).remarks[0]
    ask(store, "historical", as_of="2025-01-01")
    assert only(store).remarks == ()


def test_conflicts_come_first_then_reported_failures_then_what_waits(store: Store) -> None:
    ids = ["done", "waits", "imported", "clash"]
    made = [Query(one, one, origin=desk.FAILURE if one == "imported" else "") for one in ids]
    queries.record(store, made)
    yes = [Judgment(one, "a", Grade.YES) for one in ("done", "clash")]
    labels.bring(store, yes, annotator="ann")
    evidence.decide(store, "clash", outcome=Outcome.UNAVAILABLE, reason="so", person="rita")
    reported = desk.report_failure(store, Query("", "broken"), person="rita").query_id
    order = [case.query.query_id for case in casebook.cases(store)]
    assert order == ["clash", reported, "imported", "waits", "done"]
    # Waiting: the reported one, the imported one and "waits"; only the first is reported.
    assert query_states.standing(store) == (3, 1, 1)


def test_the_rows_hold_evidence_facts_and_failures(store: Store) -> None:
    made = desk.report_failure(
        store, Query("q", "how?"), answer="so", came_back=["a"], person="rita"
    )
    unanswerable(store)
    fact(store, "one", "a")
    (row,) = casebook.rows(store)
    assert tuple(row) == casebook.COLUMNS
    assert row["query_id"] == made.query_id == "q"
    assert row["outcome"] == "unanswerable"
    assert [one["text"] for one in row["searches"]] == ["how"]
    assert row["facts"] == [{"fact": "one", "passages": ["a"]}]
    assert row["failures"][0]["came_back"] == ["a"]


@pytest.mark.parametrize(
    ("one", "other", "like"),
    [
        ("refund after 30 days", "Refunds after 30 days?", True),
        ("ERR-4021 in ledger import", "ledger import err 4021", True),
        ("anual leave alowance", "annual leave allowance", True),
        ("annual leave", "sick leave", False),
        ("ERR-4021", "ERR-4210 after the update", False),
        ("", "", False),
    ],
)
def test_nearly_the_same_is_found_by_letters_and_words(one: str, other: str, like: bool) -> None:
    found = likeness.near(one, [Query("x", other)])
    assert bool(found) is like


def test_the_likest_come_first() -> None:
    asked = [
        Query("c", "leave days left"),
        Query("a", "days of leave"),
        Query("b", "leave, days of"),
    ]
    assert [one.query.query_id for one in likeness.near("days of leave", asked)] == ["a", "b", "c"]


def test_each_role_is_told_of_its_own_work_and_lands_there(store: Store) -> None:
    ask(store)
    for person, grade in (("ann", Grade.YES), ("bob", Grade.NO)):
        labels.bring(store, [Judgment("q", "a", grade)], annotator=person)
    queries.record(store, [Query("other", "who?")])
    at = store.clock()
    reviewer, lead, annotator = (
        Person("x", role, at) for role in ("reviewer", "lead", "annotator")
    )
    assert [one.page for one in waiting.waiting(store, reviewer)] == ["review", "queries"]
    assert waiting.landing(waiting.waiting(store, reviewer)) == "review"
    # No spot check is drawn to agree on.
    assert waiting.landing(waiting.waiting(store, lead)) == "review"
    assert waiting.landing(waiting.waiting(store, annotator)) == "home"


def test_what_changed_is_counted_by_what_was_done(store: Store) -> None:
    before = store.clock()
    for text in ("one", "two"):
        desk.write(store, Query("", text), person="rita")
    desk.write(store, Query("", "three"), person="sam")
    found = {change.said: change for change in waiting.changes(store, before)}
    assert (found["Queries written"].times, found["Queries written"].people) == (3, "rita, sam")
    assert waiting.changes(store, store.clock()) == []
    assert runs.candidates(store) == 0
