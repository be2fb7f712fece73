"""The Rubrics and the Golden sets page, on the sample project and on nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state
from labeler.app.widgets import DWELL
from labeler.model import Grade, Judgment, Passage, RunRow, Status, Verdict
from labeler.stats.parts import held_out
from labeler.store import (
    adjudications,
    bindings,
    corpora,
    evidence,
    goldens,
    holdouts,
    labels,
    looks,
    people,
    queries,
    rubrics,
    runs,
    spotchecks,
    tasks,
    verdicts,
)
from tests.app.conftest import Page

SCREENS = ("rubrics", "goldens")


def _button(test: AppTest, label: str):
    return next(button for button in test.button if button.label == label)


def _texts(test: AppTest) -> str:
    return "\n".join(element.value for element in test.text)


def _judged_twice() -> int:
    """The first pairs of the sample's spot check labelled YES (how many), and a second version of
    its judge that says so too."""
    store = state.store()
    window = tasks.window(store, spotcheck="first", annotator="ana")
    pairs = [(task.query_id, task.passage_id) for task in window.order]
    labels.bring(store, [Judgment(q, p, Grade.YES) for q, p in pairs], annotator="ana")
    found = [Verdict(q, p, "lexical", Grade.YES, Status.OK, "lexical@2") for q, p in pairs]
    verdicts.keep(store, found)
    return len(pairs)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_on_a_store_that_holds_nothing(screen: str, empty: Path, page: Page) -> None:
    test = page(screen, **{"as": "ana"})
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("tab", ["Versions", "Freeze", "Changes", "Near misses", "Rebind"])
def test_a_tab_of_the_golden_sets_opens_alone_also_where_nothing_is_frozen(
    tab: str, empty: Path, page: Page
) -> None:
    test = page("goldens", **{"as": "ana", "tab": tab})
    assert not test.exception
    assert not test.error
    assert [one.label for one in test.tabs if len(one.children)] == [tab]


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_asks_who_is_there(screen: str, db: Path, page: Page) -> None:
    test = page(screen)
    assert not test.exception
    assert test.text_input[0].label == "Your name"


def test_a_new_version_shows_its_diff_and_takes_an_adjudicated_pair_as_an_example(
    db: Path, page: Page
) -> None:
    store = state.store()
    for task in tasks.window(store, spotcheck="first", annotator="ana").order:
        adjudications.record(
            store,
            task.query_id,
            passage_id=task.passage_id,
            grade=Grade.PART,
            reason="half of it",
            reviewer="rita",
        )
    test = page("rubrics", **{"as": "lee"})
    base = next(one for one in test.selectbox if one.label == "Begin with")
    assert base.value.name == "relevance"
    area = test.text_area[0]
    area.set_value(area.value + "\nBe strict.").run()
    assert any("+Be strict." in code.value for code in test.code)
    offered = next(one for one in test.multiselect if one.label.startswith("Examples from"))
    assert 0 < len(offered.options) < 30  # of needs that are not held out
    offered.set_value([offered.options[0]])
    test.run()
    _button(test, "Add as a new version").click().run()
    assert not test.exception
    added = rubrics.named(store, "relevance")
    assert added is not None
    # The five that come with the package, and the one that was taken.
    assert (added.version, len(added.examples)) == (2, 6)
    assert added.examples[-1]["reason"] == "half of it"
    assert people.history(store)[0].action == "add rubric"


def test_the_page_shows_pairs_to_tune_on_and_counts_a_look_at_the_others(
    db: Path, page: Page
) -> None:
    _judged_twice()
    test = page("rubrics", **{"as": "lee"})
    assert not test.exception
    assert not test.error
    assert "confirms nothing" in _texts(test)
    store = state.store()
    assert looks.history(store) == []
    _button(test, "Look at the held-out pairs").click().run()
    assert not test.exception
    (look,) = looks.history(store)
    assert (look.look, look.person, look.spotcheck) == (1, "lee", "first")
    test = page("rubrics", **{"as": "lee"})
    assert "First look at these pairs." in _texts(test)
    _button(test, "Draw 30 more held-out pairs").click().run()
    assert not test.exception
    drawn = spotchecks.history(store)[0]
    window = tasks.window(store, spotcheck="held-out 1", annotator="ana")
    assert (drawn.name, drawn.rubric) == ("held-out 1", "lexical@1")
    assert window.order
    needs = holdouts.needs(store, {task.query_id for task in window.order})
    assert all(map(held_out, needs.values()))


def test_a_golden_set_is_frozen_verified_and_its_history_shown(db: Path, page: Page) -> None:
    labelled = _judged_twice()
    test = page("goldens", **{"as": "lee", "tab": "Freeze"})
    assert not test.exception
    next(one for one in test.text_input if one.label == "Golden set").set_value("mine")
    _button(test, "Freeze").click().run()
    assert not test.exception
    kept = goldens.named(state.store(), "mine")
    # Of the pairs labelled YES or PART, those whose passage is barred for the query are no answer.
    assert (kept.ref, kept.frozen_by, len(kept.entries)) == ("mine@1", "lee", labelled - _barred())
    versions = page("goldens", **{"as": "lee"})
    _button(versions, "Verify").click().run()
    assert "as they were frozen" in versions.success[-1].value
    next(one for one in test.selectbox if one.label == "From").set_value("labels+judge")
    next(one for one in test.text_input if one.label == "Golden set").set_value("more")
    _button(test, "Freeze").click().run()
    assert "not frozen" in test.error[0].value


def test_what_is_to_be_rebound_is_looked_at_side_by_side(db: Path, page: Page) -> None:
    store = state.store()
    text = corpora.passages(store, ["err-sync-4012"])["err-sync-4012"].text
    corpora.record(
        store, [Passage("half-1", text[:200]), Passage("half-2", text[200:])], name="halves"
    )
    test = page("goldens", **{"as": "rita", "tab": "Rebind"})
    next(one for one in test.selectbox if one.label == "To corpus").set_value("halves").run()
    _button(test, "Carry grades over").click().run()
    assert not test.exception
    waiting = bindings.queue(store, "larkfen")
    assert {one.new_passage for one in waiting} == {"half-1", "half-2"}
    _button(test, "YES").click().run()
    assert "too quick to have been read" in test.error[0].value  # nothing is decided unread
    time.sleep(DWELL + 0.05)
    _button(test, "YES").click().run()
    assert not test.exception
    assert len(bindings.queue(store, "larkfen")) == len(waiting) - 1
    _button(test, "Freeze what was decided").click().run()
    kept = goldens.named(store, "larkfen")
    assert any(e.passage_id.startswith("half-") and e.grade is Grade.YES for e in kept.entries)


def _barred() -> int:
    """The useful labels on passages that their queries' callers may not be answered from."""
    store = state.store()
    useful = [label for label in labels.current(store) if label.grade not in (None, Grade.NO)]
    asked = queries.named(store, [label.query_id for label in useful])
    found = corpora.passages(store, [label.passage_id for label in useful])
    return len(
        {
            (label.query_id, label.passage_id)
            for label in useful
            if evidence.barred(store, asked[label.query_id], found[label.passage_id])
        }
    )


def test_near_misses_are_given_to_people_and_seen_only_by_whoever_asks(
    db: Path, page: Page
) -> None:
    test = page("goldens", **{"as": "lee", "tab": "Near misses"})
    assert any("pooled pairs larkfen@1 grades" in text.value for text in test.text)
    seen = "select count(*) from verdict_views where person = 'lee'"
    assert state.store().row(seen) == (0,)
    (toggle,) = (one for one in test.toggle if one.label.startswith("Show what the judge proposes"))
    toggle.set_value(True).run()
    (many,) = state.store().row(seen) or (0,)
    assert f"({many:,})" in toggle.label
    field = next(field for field in test.text_input if field.label == "Name of the list")
    field.set_value("second look")
    _button(test, "Give them to people").click().run()
    assert not test.exception
    handed = tasks.with_work_left(state.store(), annotator="ben")
    assert handed is not None
    assert handed.name == "second look"
    assert tasks.overall(state.store(), "second look").wanted == many


def test_no_model_is_asked_to_judge_by_the_lexical_baselines_rule(db: Path, page: Page) -> None:
    test = page("rubrics", **{"as": "ana"})
    offered = next(box for box in test.selectbox if box.label == "Rubric to judge by")
    assert offered.options == ["relevance@1", "correctness@1"]


def test_the_name_of_a_run_is_text_also_where_near_misses_are_parted_by_run(
    db: Path, page: Page
) -> None:
    runs.record(state.store(), [RunRow("q01", "err-nav", 1, 1.0)], system="**bold**")
    test = page("goldens", **{"as": "ana", "tab": "Near misses"})
    assert not test.exception
    assert r"\*\*bold\*\*" in [tab.label for tab in test.tabs]
