"""The reviewers' screens on the sample project and on nothing, run without a server."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state
from labeler.model import Grade, LabelEvent, Query
from labeler.store import adjudications, desk, evidence, labels, people, queries, tasks
from labeler.store.evidence import Outcome
from labeler.store.wording import UNBOUNDED
from tests.app.conftest import Page

SCREENS = ("queries", "review", "consistency")


def _texts(test: AppTest) -> str:
    return "\n".join(element.value for element in test.text)


def _field(test: AppTest, label: str):
    return next(field for field in test.text_input if field.label == label)


def _press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def _label(person: str, grades: dict[tuple[str, str], Grade]) -> None:
    """Labels of one person at their desks."""
    store = state.store()
    for (query_id, passage_id), grade in grades.items():
        desk.add(store, query_id, passage_id=passage_id, person=person)
        name = desk.name(person, query_id)
        tasks.window(store, spotcheck=name, annotator=person)
        event = LabelEvent(
            str(uuid.uuid4()), query_id, passage_id, person, "label", grade, spotcheck=name
        )
        assert not labels.record(store, [event]).refused


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_on_a_store_that_holds_nothing(screen: str, empty: Path, page: Page) -> None:
    test = page(screen, **{"as": "rita"})
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_before_anybody_has_said_who_they_are(
    screen: str, db: Path, page: Page
) -> None:
    assert not page(screen).exception


def test_a_query_is_written_and_shown_with_what_is_nearly_the_same(db: Path, page: Page) -> None:
    test = page("queries", **{"as": "rita"})
    _field(test, "Query as asked").set_value("ledger import err 4021")
    _press(test, "Save")
    assert not test.exception
    assert test.query_params["query"] == "own-1"
    assert any("q03" in info.value.replace("\\", "") for info in test.info)
    line = next(line for line in people.history(state.store()) if line.action == "write query")
    assert (line.person, line.subject) == ("rita", "own-1")


def test_a_query_without_words_is_refused_in_words(db: Path, page: Page) -> None:
    test = _press(page("queries", **{"as": "rita"}), "Save")
    assert "needs words" in test.error[0].value


def test_a_changed_query_is_its_second_version(db: Path, page: Page) -> None:
    test = page("queries", **{"as": "rita", "query": "q01"})
    fields = [field for field in test.text_input if field.label == "Query as asked"]
    fields[1].set_value("ERR-4021 in Sync")
    buttons = [button for button in test.button if button.label == "Save"]
    buttons[1].click().run()
    assert [query.text for query in desk.versions(state.store(), "q01")] == [
        "ERR-4021",
        "ERR-4021 in Sync",
    ]


def test_unanswerable_needs_a_kept_search_on_the_page_too(db: Path, page: Page) -> None:
    test = page("queries", **{"as": "rita", "query": "q01"})
    test.radio[0].set_value(Outcome.UNANSWERABLE)
    _field(test, "Why").set_value("no such code")
    _press(test, "Record it")
    assert "searches" in test.error[0].value
    assert evidence.outcomes(state.store()) == {}


def test_a_yes_contradicts_unanswerable_and_the_query_comes_first(db: Path, page: Page) -> None:
    store = state.store()
    evidence.keep_search(
        store,
        "q05",
        text="code",
        filters=UNBOUNDED,
        with_all=0,
        with_some=0,
        top=[],
        person="rita",
    )
    evidence.decide(store, "q05", outcome=Outcome.UNANSWERABLE, reason="none", person="rita")
    assert not page("queries", **{"as": "rita", "query": "q05"}).error
    _label("sam", {("q05", "err-table"): Grade.YES})
    test = page("queries", **{"as": "rita"})
    assert test.selectbox[0].value == "q05"
    assert "unanswerable" in test.error[0].value
    assert "1 in conflict" in _texts(test)


def test_a_production_failure_comes_before_other_queries(db: Path, page: Page) -> None:
    made = desk.report_failure(
        state.store(), Query("", "why **now**?"), answer="<b>because</b>", person="rita"
    )
    test = page("queries", **{"as": "rita"})
    assert test.selectbox[0].value == made.query_id
    assert "<b>because</b>" in [code.value for code in test.code]


def test_people_who_differ_are_settled_with_a_reason_and_the_label_stays(
    db: Path, page: Page
) -> None:
    pair = ("q01", "err-sync-4021-v3")
    _label("ann", {pair: Grade.YES})
    _label("bob", {pair: Grade.NO})
    test = page("review", **{"as": "rita"})
    assert "1 where people differ" in _texts(test)
    assert "ann: YES" in _texts(test)
    decision = next(radio for radio in test.radio if radio.label == "Decision")
    decision.set_value(Grade.PART)
    _press(test, "Settle it")
    assert "needs a reason" in test.error[0].value
    next(radio for radio in test.radio if radio.label == "Decision").set_value(Grade.PART)
    _field(test, "Reason").set_value("one product of two")
    _press(test, "Settle it")
    assert not test.exception
    (settled,) = adjudications.current(state.store())
    assert (settled.grade, settled.reviewer, settled.reason) == (
        Grade.PART,
        "rita",
        "one product of two",
    )
    rows = state.store().rows("select annotator, grade from label_events order by annotator")
    assert rows == [("ann", "YES"), ("bob", "NO")]


def test_a_mind_changed_on_the_page_is_kept_apart(db: Path, page: Page) -> None:
    pair = ("q01", "err-sync-4021-v3")
    _label("ann", {pair: Grade.YES})
    _label("bob", {pair: Grade.NO})
    test = page("review", **{"as": "ann"})
    next(radio for radio in test.radio if radio.label == "I now say").set_value(Grade.NO)
    _press(test, "Keep it")
    assert not test.exception
    assert "ann: YES, and NO after the verdict" in _texts(test)
    assert ("ann", "YES") in state.store().rows("select annotator, grade from blind_labels")


def test_consistency_says_why_a_number_is_missing(db: Path, page: Page) -> None:
    _label("ann", {("q01", "err-sync-4021-v3"): Grade.YES})
    test = page("consistency", **{"as": "lee"})
    assert "no pair has labels of two people" in _texts(test)
    assert [metric.value for metric in test.metric][:2] == ["—", "—"]


def test_consistency_shows_each_two_people(db: Path, page: Page) -> None:
    ids = [query.query_id for query in queries.current(state.store())[:4]]
    for person, graded in {"ann": "YYNN", "bob": "YNNN"}.items():
        grades = {"Y": Grade.YES, "N": Grade.NO}
        _label(
            person,
            {(one, "err-table"): grades[g] for one, g in zip(ids, graded, strict=True)},
        )
    test = page("consistency", **{"as": "lee"})
    table = test.dataframe[0].value
    # Observed 3/4; by chance (2/4 * 1/4 + 2/4 * 3/4) = 1/2: kappa = (3/4 - 1/2) / (1/2) = 0.5.
    assert table["kappa"][0].startswith("0.50")
    assert table["pairs"][0] == 4


def test_people_are_handed_pairs_again_and_settled_ones_first(db: Path, page: Page) -> None:
    pair = ("q01", "err-sync-4021-v3")
    _label("ann", {pair: Grade.YES})
    settled = {"grade": Grade.YES, "reason": "It says so.", "reviewer": "rita"}
    adjudications.record(state.store(), pair[0], passage_id=pair[1], **settled)
    early = _press(page("consistency", **{"as": "lee"}), "Hand out again")
    assert "an hour ago or earlier: nothing to repeat yet" in early.error[0].value.replace("\\", "")
    test = page("consistency", **{"as": "lee"})
    _field(test, "Who").set_value("newcomer")
    _press(test, "Hand out a warm-up")
    assert not test.exception
    check = tasks.with_work_left(state.store(), annotator="newcomer")
    assert check is not None
    given = tasks.window(state.store(), spotcheck=check.name, annotator="newcomer").order
    assert [(task.query_id, task.passage_id) for task in given] == [pair]
    seen = people.history(state.store())[0]
    assert (seen.person, seen.action) == ("lee", "warm-up")
