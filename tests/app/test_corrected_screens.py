"""The corrected numbers on the Retrieval and Compare pages, run without a server."""

from __future__ import annotations

from pathlib import Path

from labeler.app import state
from labeler.reports import corrected
from labeler.reports.retrieval_text import number
from tests.app.conftest import Page
from tests.partly import judge, label, population, ran


def texts(test) -> str:
    return "\n".join(element.value for element in test.text)


def tables(test, column: str):
    return [frame.value for frame in test.dataframe if column in frame.value.columns]


def test_the_page_shows_the_three_numbers_that_the_report_has(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("retrieval", **{"as": "lee"})
    assert not test.exception
    system = test.selectbox[0].value
    report = corrected.build(state.store(), [system], judge="j")
    (table,) = tables(test, "people only")
    assert list(table["corrected"]) == [number(of.corrected) for of in report.runs[system].values()]
    assert f"{corrected.statement('R@5', report.runs[system]['R@5'])}." in texts(test)
    assert "30 of them with labels" in texts(test)


def test_the_plot_of_other_judges_has_its_numbers_beside_it(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("retrieval", **{"as": "lee"})
    next(box for box in test.selectbox if box.label == "What it does to").set_value("P@5").run()
    assert not test.exception
    report = corrected.build(state.store(), [test.selectbox[0].value], judge="j")
    (imagined,) = report.imagined.values()
    (table,) = tables(test, "specificity")
    assert list(table["as that judge would print it"]) == [
        f"{each.seen:.3f}" for each in imagined.measures["P@5"]
    ]


def test_compare_shows_the_runs_and_their_difference(empty: Path, page: Page) -> None:
    population(state.store())
    test = page("compare", **{"as": "lee"})
    assert not test.exception
    first, second = test.multiselect[0].value
    assert len(tables(test, "people only")) == 3
    assert f"{second} minus {first}: Quote R@5 = " in texts(test)


def test_another_judge_gives_other_numbers(empty: Path, page: Page) -> None:
    store = state.store()
    population(store)
    judge(store, {"q00": "p02 p10"}, name="![x](http://x)")
    test = page("retrieval", **{"as": "lee"})
    box = next(box for box in test.selectbox if box.label == "Judge")
    assert box.value == "![x](http://x)"
    assert "1 judged query, " in texts(test)
    box.set_value("j").run()
    assert not test.exception
    assert "80 judged queries, " in texts(test)


def test_a_store_without_a_verdict_says_what_to_do(empty: Path, page: Page) -> None:
    store = state.store()
    label(store, {"q": "p2"})
    ran(store, {"q": "p"})
    test = page("retrieval", **{"as": "lee"})
    assert not test.exception
    assert not test.error
    assert "No judge has judged anything yet" in texts(test)


def test_a_run_that_the_judge_never_saw_leaves_the_rest_of_the_page(
    empty: Path, page: Page
) -> None:
    store = state.store()
    label(store, {"q": "p2"})
    ran(store, {"q": "p"})
    judge(store, {"other": "p2"})
    test = page("retrieval", **{"as": "lee"})
    assert not test.error
    assert "has judged no pair of a query of s" in texts(test)
    assert "R@5" in {metric.label for metric in test.metric}
    assert any(button.label == "Keep this evaluation" for button in test.button)
