"""The retrieval pages on the sample project and on nothing, run without a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import on_demand, state
from labeler.cli.main import run
from labeler.model import GoldenEntry, Grade, Query, RunRow
from labeler.reports import retrieval, variants
from labeler.reports.retrieval_text import number
from labeler.store import desk, evaluations, goldens, queries, runs
from tests.app.conftest import Page

SCREENS = ("retrieval", "compare", "triage")


def _texts(test: AppTest) -> str:
    return "\n".join(element.value for element in test.text)


def _table(test: AppTest, column: str):
    """The first table that has a column of this name."""
    return next(frame.value for frame in test.dataframe if column in frame.value.columns)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_on_a_store_that_holds_nothing(screen: str, empty: Path, page: Page) -> None:
    test = page(screen, **{"as": "lee"})
    assert not test.exception
    assert not test.error
    assert "No run is there yet" in test.info[0].value


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_before_anybody_has_said_who_they_are(
    screen: str, db: Path, page: Page
) -> None:
    assert not page(screen).exception


@pytest.mark.parametrize("screen", SCREENS)
def test_a_run_without_anything_to_measure_against_says_so(
    screen: str, empty: Path, page: Page
) -> None:
    runs.record(state.store(), [RunRow("q", "p", 1)], system="mine")
    runs.record(state.store(), [RunRow("q", "p", 1)], system="yours")
    test = page(screen, **{"as": "lee"})
    assert not test.exception
    assert "nothing to measure against" in test.error[0].value


def test_in_a_large_store_a_report_is_made_when_it_is_asked_for_and_kept(
    db: Path, page: Page
) -> None:
    store = state.store()
    with store.write() as cursor:  # rows of no run: they change no number
        cursor.execute(
            "insert into run_rows select 'none', 'q', 'p', 1, 1.0 from generate_series(1, $1)",
            [on_demand.LARGE],
        )
    test = page("retrieval", **{"as": "lee"})
    assert not test.dataframe
    system = test.selectbox[0].value
    (make,) = [button for button in test.button if button.label.startswith("Make the report on")]
    make.click().run()
    assert not test.exception
    report = retrieval.build(store, system, baseline=False)
    (row,) = [r for r in _table(test, "value and 95% interval").values.tolist() if r[0] == "R@5"]
    assert number(report.means["R@5"]) in row
    queries.record(store, [Query("new", "what else?")])
    test.run()
    assert "the store has changed since" in _texts(test)
    assert test.dataframe
    (again,) = [button for button in test.button if button.label.endswith("again")]
    again.click().run()
    assert "the store has changed since" not in _texts(test)


def test_the_page_shows_the_numbers_that_the_report_has(db: Path, page: Page) -> None:
    test = page("retrieval", **{"as": "lee"})
    system = test.selectbox[0].value
    report = retrieval.build(state.store(), system)
    table = _table(test, "value and 95% interval")
    assert dict(zip(table["measure"], table["value and 95% interval"], strict=True)) == {
        name: number(found) for name, found in report.means.items()
    }
    metrics = {metric.label: metric.value for metric in test.metric}
    assert metrics["R@20"] == f"{report.means['R@20'].value:.2f}"


def test_what_must_not_come_back_is_said_before_any_number(db: Path, page: Page) -> None:
    test = page("retrieval", **{"as": "lee"})
    next(box for box in test.selectbox if box.label == "System").set_value("bm25").run()
    # As `labeler evaluate --run bm25 --json` counts them.
    assert [error.value for error in test.error] == [
        "59 unauthorised passages came back, for 36 queries: must be 0",
        "215 out-of-date passages came back, for 64 queries: must be 0",
    ]


def test_another_reading_gives_other_numbers(db: Path, page: Page) -> None:
    store = state.store()
    entries = [GoldenEntry("q", "p", Grade.PART), GoldenEntry("q", "r", Grade.YES)]
    goldens.record(store, "parted", entries, origin="test", person="lee")
    runs.record(store, [RunRow("q", "p", 1), RunRow("q", "x", 2)], system="mine")
    test = page("retrieval", **{"as": "lee"})
    # Of the one YES nothing came back, of YES and PART the first of two.
    assert {metric.label: metric.value for metric in test.metric}["R@5"] == "0.00"
    next(box for box in test.selectbox if box.label == "Reading").set_value("lenient").run()
    assert {metric.label: metric.value for metric in test.metric}["R@5"] == "0.50"


def test_an_evaluation_is_kept_once_by_whoever_presses(db: Path, page: Page) -> None:
    test = page("retrieval", **{"as": "lee"})
    assert evaluations.history(state.store()) == []
    next(each for each in test.button if each.label == "Keep this evaluation").click().run()
    assert not test.exception
    (kept,) = evaluations.history(state.store())
    assert (kept.person, kept.golden, kept.system) == ("lee", "larkfen@1", test.selectbox[0].value)
    table = _table(test, "version")
    assert list(table["golden set"]) == ["larkfen@1"]


def test_hostile_names_and_texts_are_shown_as_text(db: Path, page: Page) -> None:
    store = state.store()
    hostile = "![x](https://tracker.example/p.png)<script>alert(1)</script>"
    queries.record(store, [Query("hostile", hostile)])
    goldens.record(store, "g", [GoldenEntry("hostile", "p", Grade.YES)], origin="t", person="lee")
    rows = [RunRow("hostile", "x", 1, 1.0), RunRow("hostile", hostile, 2, 0.5)]
    runs.record(store, rows, system=hostile)
    runs.record(store, [RunRow("hostile", "p", 1, 1.0)], system="plain")
    for screen in SCREENS:
        test = page(screen, **{"as": "lee"})
        assert not test.exception
        for element in (*test.markdown, *test.caption, *test.subheader, *test.error, *test.warning):
            assert "![x](" not in element.value
            assert "<script" not in element.value


def test_compare_shows_the_differences_that_the_report_has(db: Path, page: Page) -> None:
    test = page("compare", **{"as": "lee"})
    test.multiselect[0].set_value(["bm25", "fusion", "tfidf"]).run()
    assert not test.exception
    report = variants.build(state.store(), ["bm25", "fusion", "tfidf"])
    table = _table(test, "Holm")
    assert len(table) == len(report.differences) == 3 * 7
    assert list(table["Holm"]) == [f"{each.p_holm:.4f}" for each in report.differences]
    assert "bm25 baseline" in _table(test, "measure").columns


def test_compare_asks_for_two_systems(db: Path, page: Page) -> None:
    test = page("compare", **{"as": "lee"})
    test.multiselect[0].set_value(["bm25"]).run()
    assert "two systems" in test.error[0].value


def test_triage_lists_failures_and_writes_the_ticket(db: Path, page: Page) -> None:
    test = page("triage", **{"as": "lee"})
    next(box for box in test.selectbox if box.label == "System").set_value("bm25").run()
    table = _table(test, "next step")
    # 15 of the sample's 59 answerable queries, as `labeler triage --all --run bm25` says too.
    assert set(table["stage"]) == {"RETRIEVAL"}
    assert f"{len(table)} RETRIEVAL" in _texts(test)
    assert table["query"][0] in test.code[0].value


def test_a_reported_failure_is_read_by_what_came_back_then(db: Path, page: Page) -> None:
    store = state.store()
    asked = queries.named(store, ["q03"])["q03"]
    desk.report_failure(store, asked, answer="no", came_back=["err-nav"], person="rita")
    test = page("triage", **{"as": "lee"})
    box = next(box for box in test.selectbox if box.label == "System")
    box.set_value("what came back in production").run()
    assert not test.exception
    table = _table(test, "next step")
    row = table[table["query"] == "q03"].iloc[0]
    assert (row["reported"], row["stage"]) == ("in production", "RETRIEVAL")


def test_the_terminal_and_the_page_have_the_same_numbers(
    db: Path, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    test = page("retrieval", **{"as": "lee"})
    next(box for box in test.selectbox if box.label == "System").set_value("fusion").run()
    table = _table(test, "value and 95% interval")
    state.close()
    capsys.readouterr()
    assert run(["--db", str(db), "evaluate", "--run", "fusion"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, value in zip(table["measure"], table["value and 95% interval"], strict=True):
        assert any(line.startswith(name) and value in line for line in lines), name


def test_the_whole_report_is_made_when_it_is_asked_for(db: Path, page: Page) -> None:
    test = page("retrieval", **{"as": "lee"})
    (toggle,) = (one for one in test.toggle if one.label == "Make the whole report")
    before = {button.label for button in test.get("download_button")}
    toggle.set_value(True).run()
    assert not test.exception
    after = {button.label for button in test.get("download_button")}
    assert after - before == {"Download report.html", "Download report.md"}
