"""The Answers page on a store with answers and on nothing, run without a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state
from labeler.model import Answer, Given, Grade, Status, Verdict
from labeler.reports import answers as reports
from labeler.reports import answers_text
from labeler.store import answers, spotchecks, tasks, verdicts
from labeler.store.answers import Brought
from tests.answered import fill
from tests.app.conftest import Page

HOSTILE = "![x](https://example.org/x.png) <script>alert(1)</script> :red[$x$]"


def _texts(test: AppTest) -> str:
    return "\n".join(element.value for element in test.text)


def _press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


@pytest.fixture
def filled(empty: Path) -> Path:
    """Two answers in production and one with the right passages, graded."""
    store = state.store()
    fill(store)
    found = [
        (Answer("q-leave", "bot", "production", HOSTILE, (Given("leave", ""),)), Grade.NO),
        (Answer("q-lunch", "bot", "production", "At noon.", (Given("lunch", ""),)), Grade.YES),
        (Answer("q-leave", "bot", "selected", "30 days.", (Given("leave", ""),)), Grade.YES),
    ]
    answers.record(store, [Brought(answer) for answer, _ in found])
    said = [
        Verdict(a.query_id, a.answer_id, "j", grade, Status.OK, "correctness@1", reason=HOSTILE)
        for a, grade in found
    ]
    verdicts.keep(store, said)
    return empty


def test_the_page_says_what_to_do_where_there_are_no_answers(empty: Path, page: Page) -> None:
    test = page("answers", **{"as": "lee"})
    assert not test.exception
    assert not test.error
    assert "No answer is there yet" in test.info[0].value


def test_the_page_shows_the_numbers_of_the_report(filled: Path, page: Page) -> None:
    test = page("answers", **{"as": "lee"})
    assert not test.exception
    store = state.store()
    report = reports.build(store, judged=reports.choose(store))
    table = test.dataframe[0].value
    assert [tuple(row) for row in table.to_numpy()] == answers_text.rows(report)
    for one in report.compared:
        assert answers_text.advice(one) in _texts(test)
    assert "UNDECIDED" in test.warning[0].value


def test_who_looks_at_the_grades_labels_those_answers_blind_no_more(
    filled: Path, page: Page
) -> None:
    store = state.store()
    test = page("answers", **{"as": "lee"})
    assert store.rows("select * from verdict_views") == []
    test = test.toggle[0].set_value(True).run()
    assert not test.exception
    (seen,) = store.rows("select query_id, person from verdict_views")
    assert seen == ("q-leave", "lee")
    assert any(HOSTILE in code.value for code in test.code)
    assert not [each for each in test.markdown if "script" in each.value]


def test_a_spot_check_of_answers_is_drawn_for_the_label_page(filled: Path, page: Page) -> None:
    test = page("answers", **{"as": "lee"})
    next(field for field in test.text_input if field.label == "Name").set_value("blind")
    test = _press(test, "Draw")
    assert not test.exception
    assert "3 answers drawn into blind" in test.success[0].value
    store = state.store()
    assert spotchecks.named(store, "blind").rubric == "correctness@1"
    window = tasks.window(store, spotcheck="blind", annotator="anna")
    told = tasks.texts(store, spotcheck="blind", annotator="anna", tasks=window.open)
    assert len(told) == 3


def test_without_a_key_it_is_said_before_anything_is_sent(filled: Path, page: Page) -> None:
    test = page("answers", **{"as": "lee"})
    test = _press(test, "What would it cost?")
    assert "ANTHROPIC\\_API\\_KEY" in test.error[0].value


def test_bringing_answers_without_a_file_says_what_is_missing(empty: Path, page: Page) -> None:
    test = _press(page("answers", **{"as": "lee"}), "Import")
    assert [error.value for error in test.error] == ["Choose a file first"]
