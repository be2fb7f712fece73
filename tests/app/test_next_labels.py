"""What to label next, on the Retrieval and Compare pages, run without a server."""

from __future__ import annotations

from pathlib import Path

from labeler import planning
from labeler.app import state
from labeler.reports import plans
from labeler.stats.measures import measure
from labeler.store import lists, tasks
from labeler.store.comparison import Selection
from tests.app.conftest import Page
from tests.partly import judge, label, population, ran


def texts(test) -> str:
    return "\n".join(element.value for element in test.text)


def button(test, name: str):
    return next(each for each in test.button if each.label == name)


def planned(*systems: str) -> planning.Plan:
    return planning.plan(
        state.store(), systems=systems, measured=measure("R@5"), judged=Selection("j")
    )


def test_a_list_is_drawn_for_the_run_of_the_page(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("retrieval", **{"as": "lee"})
    plan = planned(test.selectbox[0].value)
    assert f"{plans.standing(plan)}." in texts(test)
    asked = next(box for box in test.text_input if box.label == "Name of the list")
    asked.set_value("monday")
    button(test, "Draw the list").click().run()
    assert not test.exception
    assert not test.error
    assert lists.newest(state.store()) == "monday"
    assert tasks.overall(state.store(), "monday") == (0, plan.labels)
    assert f"The newest list is monday: 0 of {plan.labels} labels." in texts(test)
    assert "wait in monday on the Label page" in test.success[0].value.replace("\\", "")


def test_the_question_of_two_runs_is_which_is_better(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("compare", **{"as": "lee"})
    first, second = test.multiselect[0].value
    assert f"{plans.settled(planned(first, second))}." in texts(test)
    number = next(box for box in test.selectbox if box.label == "The number that matters")
    assert number.value == f"{second} minus {first}"
    number.set_value(first).run()
    assert f"{plans.standing(planned(first))}." in texts(test)


def test_a_target_says_how_many_labels_settle_it(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("retrieval", **{"as": "lee"})
    next(box for box in test.number_input if box.label == "Is it over").set_value(0.99).run()
    system = test.selectbox[0].value
    assert f"Whether R@5 of {system} is over 0.99: settled, it is under." in texts(test)


def test_where_all_is_labelled_it_says_so(empty: Path, page: Page) -> None:
    store = state.store()
    judge(store, {"p": "a2 b0"})
    ran(store, {"p": "a b"})
    label(store, {"p": "a2 b0"})
    test = page("retrieval", **{"as": "lee"})
    assert not test.exception
    assert "Every judged query is labelled for R@5: none is next." in texts(test)


def test_a_name_without_letters_is_refused_in_words(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("retrieval", **{"as": "lee"})
    button(test, "Draw the list").click().run()
    assert any("name has 1 to 80" in error.value for error in test.error)
    assert lists.newest(state.store()) is None
