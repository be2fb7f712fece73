"""What each screen lays out, on the sample project and on nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state, widgets
from labeler.model import Grade
from labeler.reports import agreement, reading_cases, render
from labeler.store import adjudications, labels, looks, people, spotchecks, tasks
from labeler.store.labels import LabelEvent
from tests.app.conftest import Page

SCREENS = ("home", "label", "agreement", "data")


def _texts(test: AppTest) -> str:
    return "\n".join(element.value for element in test.text)


def _label_all(grade: Grade) -> None:
    """Every task of the sample's spot check, labelled by one person with one grade."""
    store = state.store()
    while (window := tasks.window(store, spotcheck="first", annotator="ana")).open:
        mine = {task.task: task for task in window.order}
        labels.record(
            store,
            [
                LabelEvent(
                    event=f"00000000-0000-4000-8000-{number:012d}",
                    query_id=mine[number].query_id,
                    passage_id=mine[number].passage_id,
                    annotator="ana",
                    action="label",
                    grade=grade,
                    spotcheck="first",
                )
                for number in window.open
            ],
        )


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_on_a_store_that_holds_nothing(screen: str, empty: Path, page: Page) -> None:
    test = page(screen, **{"as": "ana"})
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_before_anybody_has_said_who_they_are(
    screen: str, db: Path, page: Page
) -> None:
    assert not page(screen).exception


def test_home_names_the_next_step_and_how_far_it_is(db: Path, page: Page) -> None:
    test = page("home", **{"as": "ana"})
    assert "0 of 30 labels in first" in _texts(test)
    assert [button.label for button in test.button] == ["Start labelling"]


def test_home_loads_the_sample_into_an_empty_store(empty: Path, page: Page) -> None:
    test = page("home", **{"as": "ana"})
    load = next(button for button in test.button if button.label == "Load the sample project")
    load.click().run()
    assert not test.exception
    assert "172 passages, 69 queries" in _texts(test)


def test_a_name_is_asked_for_once_and_kept(db: Path, page: Page) -> None:
    test = page("label")
    test.text_input[0].set_value("ana")
    test.button[0].click().run()
    assert not test.exception
    assert test.query_params["as"] == "ana"


def test_a_name_of_control_characters_is_refused_in_words(db: Path, page: Page) -> None:
    test = page("label")
    test.text_input[0].set_value("a\x00b")
    test.button[0].click().run()
    assert "control characters" in test.error[0].value


def test_the_label_page_of_an_unknown_spot_check_says_which_are_known(db: Path, page: Page) -> None:
    test = page("label", **{"as": "ana", "spotcheck": "nope"})
    assert "nope" in test.error[0].value
    assert "first" in test.error[0].value


def test_repeats_are_labelled_by_their_own_person_alone(db: Path, page: Page) -> None:
    page("home")
    store = state.store()
    check = spotchecks.named(store, "first")._replace(name="own", n=0)
    pair = spotchecks.Drawn("q1", "p1", "again", 1.0, wanted=1)
    spotchecks.record(store, check, [], [pair], person="ana")
    assert (
        "its pairs measure them alone"
        in page("label", **{"as": "bob", "spotcheck": "own"}).error[0].value
    )
    assert not page("label", **{"as": "ana", "spotcheck": "own"}).error


def test_agreement_decides_nothing_before_the_last_label(db: Path, page: Page) -> None:
    test = page("agreement", **{"as": "lee"})
    assert not test.exception
    assert test.warning[0].value.startswith("UNDECIDED")


def test_labels_of_one_grade_alone_are_agreed_with_by_chance_and_trust_nobody(
    db: Path, page: Page
) -> None:
    _label_all(Grade.NO)
    test = page("agreement", **{"as": "lee"})
    kappa = next(metric for metric in test.metric if metric.label == "Kappa")
    # People always say NO: what they agree on is the judge's share of NO, as is chance; kappa is 0.
    assert kappa.value == "0.00"
    assert not test.success


def test_an_adjudicated_grade_is_what_the_page_compares(db: Path, page: Page) -> None:
    _label_all(Grade.NO)
    before = page("agreement", **{"as": "lee"})
    rate = next(metric for metric in before.metric if metric.label == "Compared pairs").delta
    task = next(
        task
        for task in tasks.window(state.store(), spotcheck="first", annotator="ana").order
        if _verdict(task.query_id, task.passage_id) == "YES"
    )
    adjudications.record(
        state.store(),
        task.query_id,
        passage_id=task.passage_id,
        grade=Grade.YES,
        reason="it does answer",
        reviewer="rev",
    )
    after = page("agreement", **{"as": "lee"})
    new = next(metric for metric in after.metric if metric.label == "Compared pairs").delta
    # One disagreement fewer: people said NO where the judge says YES, the adjudication YES.
    assert int(new.split()[0]) == int(rate.split()[0]) - 1


def _verdict(query_id: str, passage_id: str) -> str:
    row = state.store().row(
        "select grade from current_verdicts where query_id = $1 and passage_id = $2",
        [query_id, passage_id],
    )
    assert row is not None
    return str(row[0])


def test_who_opens_the_disagreements_no_longer_labels_them_blind(db: Path, page: Page) -> None:
    _label_all(Grade.NO)
    page("agreement", **{"as": "ana"})
    seen = state.store().rows("select distinct person from verdict_views")
    assert seen == [("ana",)]
    event = state.store().row(
        "select query_id, passage_id from verdict_views order by query_id limit 1"
    )
    assert event is not None
    again = LabelEvent(
        "00000000-0000-4000-8000-999999999999",
        event[0],
        event[1],
        "ana",
        "label",
        Grade.YES,
        spotcheck="first",
    )
    assert labels.record(state.store(), [again]).acknowledged
    row = state.store().row(
        "select blind from current_labels where annotator = 'ana' and grade = 'YES'"
    )
    assert row == (False,)


def test_the_texts_of_held_out_cases_are_not_shown_before_somebody_asks_and_that_is_a_look(
    db: Path, page: Page
) -> None:
    _label_all(Grade.NO)
    store = state.store()
    of = agreement.choose(store, spotcheck="first")
    every = list(agreement.cases(store, of))
    held = reading_cases.held_among(store, every)
    assert 0 < len(held) < len(every)
    test = page("agreement", **{"as": "lee"})
    assert not test.exception
    assert f"Disagreements ({len(every)})" in [one.value for one in test.subheader]
    (shown,) = [frame.value for frame in test.dataframe if "judge's reason" in frame.value.columns]
    assert len(shown) == len(every) - len(held)
    assert not {render.short(case.passage, width=120) for case in held} & set(shown["passage"])
    assert looks.history(store) == []

    (toggle,) = (one for one in test.toggle if one.label.startswith("Show the held-out ones"))
    assert toggle.label == f"Show the held-out ones too ({len(held)})"
    toggle.set_value(True).run()
    assert not test.exception
    (shown,) = [frame.value for frame in test.dataframe if "judge's reason" in frame.value.columns]
    assert len(shown) == len(every)
    (look,) = looks.history(store)
    assert (look.person, look.look, look.n, look.part) == ("lee", 1, len(held), "all")
    pairs = [(case.query_id, case.passage_id) for case in held]
    assert looks.earlier(store, pairs) == 1  # the next confirmation is the second look
    test.run()
    assert len(looks.history(store)) == 1  # once a session
    # It is no confirmation: what the gate reads of the rubric is as before.
    assert agreement.build(store, of).confirmed.looks == 0
    last = people.history(store)[0]
    assert (last.action, last.person) == ("look at all", "lee")
    assert last.detail == f"not confirmed, look 1, {len(held)} pairs, read one by one"


def test_nothing_is_computed_again_on_a_rerun_that_changed_nothing(db: Path) -> None:
    made = []
    for _ in range(3):
        state.unchanged("probe", lambda: made.append(1))
    assert len(made) == 1
    with state.store().write():
        pass
    state.unchanged("probe", lambda: made.append(1))
    assert len(made) == 2


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://tracker.example/p.png)",
        "<script>alert(1)</script>",
        ":red[no] :material/home: $x^2$ **bold** ~~gone~~",
        "# title\n- item",
        "[link](javascript:alert(1))",
        "1. one",
        "www.example.com https://example.com a@example.com",
    ],
)
def test_text_for_a_label_holds_no_markup(text: str) -> None:
    shown = widgets.plain(text)
    # Whatever could begin markup stands behind a backslash, so taking those away gives the text.
    assert shown.replace("\\", "") == text.replace("\n", " ").replace("\\", "")
    for mark in "![<:*_#$~@.-":
        position = shown.find(mark)
        while position != -1:
            assert shown[position - 1] == "\\"
            position = shown.find(mark, position + 1)
