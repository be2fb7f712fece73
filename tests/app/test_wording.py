"""No page names an option of the terminal: neither on the sample nor where something goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state
from labeler.model import Answer, Grade, Judgment
from labeler.store import answers, labels, tasks
from tests.app.conftest import Page

SCREENS = ("home", "label", "queries", "drafts", "review", "consistency", "judge", "agreement")
SCREENS += ("rubrics", "goldens", "retrieval", "compare", "triage", "answers", "data")
FLAG = re.compile(r"(?<![\w-])--[a-z]|\blabeler (?:judge|pool|spotcheck|import|golden|rubric)\b")


def _shown(test: AppTest) -> Iterator[str]:
    """All text of a page but for that of passages: what elements say, their labels and hints."""
    for element in test:
        if element.type == "code":
            continue
        for name in ("value", "label", "help", "placeholder", "body"):
            said = getattr(element, name, "")
            if isinstance(said, str):
                yield said


def _named(test: AppTest) -> list[str]:
    assert not test.exception
    shown = list(_shown(test))
    assert shown
    return [said for said in shown if FLAG.search(said)]


def _button(test: AppTest, label: str):
    return next(button for button in test.button if button.label == label)


@pytest.mark.parametrize("screen", SCREENS)
def test_on_the_sample(screen: str, db: Path, page: Page) -> None:
    window = tasks.window(state.store(), spotcheck="first", annotator="ana")
    given = [Judgment(t.query_id, t.passage_id, Grade.YES) for t in window.order]
    labels.bring(state.store(), given, annotator="ana")
    assert _named(page(screen, **{"as": "lee"})) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_on_nothing(screen: str, empty: Path, page: Page) -> None:
    assert _named(page(screen, **{"as": "lee"})) == []


def test_the_grades_of_a_file_that_is_not_understood(db: Path, page: Page) -> None:
    test = page("data", **{"as": "lee"})
    next(box for box in test.selectbox if box.label == "What do you bring?").set_value("labels")
    test.run()
    means = next(box for box in test.text_input if box.label.startswith("What the grades mean"))
    means.set_value("3=MAYBE")
    _button(test, "Import").click().run()
    assert _named(test) == []
    assert "What grades mean" in test.error[0].value.replace("\\", "")
    assert 'in "What the grades mean", e.g. 0=NO' in test.error[0].value.replace("\\", "")
    means.set_value("").run()
    columns = next(box for box in test.text_input if box.label.startswith("The file's own column"))
    columns.set_value("grade")
    _button(test, "Import").click().run()
    assert _named(test) == []
    assert "is not FIELD=COLUMN" in test.error[0].value.replace("\\", "")


def test_a_judge_that_may_not_be_frozen_from(db: Path, page: Page) -> None:
    test = page("goldens", **{"as": "lee", "tab": "Freeze"})
    next(one for one in test.selectbox if one.label == "From").set_value("labels+judge")
    next(one for one in test.text_input if one.label == "Golden set").set_value("more")
    _button(test, "Freeze").click().run()
    assert _named(test) == []
    said = test.error[0].value.replace("\\", "")
    assert '(in "Override the gate, with a reason")' in said
    assert any(one.label == "Override the gate, with a reason" for one in test.text_input)


def test_a_grade_that_would_change_without_a_reason(db: Path, page: Page) -> None:
    window = tasks.window(state.store(), spotcheck="first", annotator="ana")
    pairs = [(task.query_id, task.passage_id) for task in window.order]
    test = page("goldens", **{"as": "lee", "tab": "Freeze"})
    for grade in (Grade.YES, Grade.PART):
        given = [Judgment(q, p, grade) for q, p in pairs]
        labels.bring(state.store(), given, annotator="ana")
        next(one for one in test.text_input if one.label == "Golden set").set_value("mine")
        _button(test, "Freeze").click().run()
    assert _named(test) == []
    said = test.error[0].value.replace("\\", "")
    assert 'say why (in "Why grades change, where they do")' in said
    assert any(one.label == "Why grades change, where they do" for one in test.text_input)


def test_a_system_whose_answers_have_nothing_to_be_compared_with(db: Path, page: Page) -> None:
    answers.record(state.store(), [answers.Brought(Answer("q01", "bot", "production", "42"), "")])
    test = page("answers", **{"as": "lee"})
    assert _named(test) == []
    assert any('the context "selected"' in text.value for text in test.text)
