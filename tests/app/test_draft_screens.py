"""The Drafts page, run without a server: one draft at a time, and nothing counts before a person
has said so."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler.app import state
from labeler.app.widgets import DWELL
from labeler.drafting import Wanted
from labeler.model import Grade, Judgment
from labeler.reports import waiting
from labeler.store import corpora, drafts, evidence, labels, people, queries
from labeler.store.drafts import Check, Standing
from labeler.store.evidence import Outcome
from tests import drafted
from tests.app.conftest import Page
from tests.servers.answers import KEY
from tests.servers.claude import Claude


@pytest.fixture
def service(empty: Path) -> Iterator[Claude]:
    """A store with the corpus, and a service that the app is told of."""
    drafted.fill(state.store())
    with drafted.server("NO") as at:
        told = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": at.url}
        before = {name: os.environ.get(name) for name in told}
        os.environ.update(told)
        yield at
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@pytest.fixture
def standing(service: Claude) -> list[Standing]:
    """Four passages with a paraphrase and an exact query each, and a query on what is missing; the
    judge says NO of the second."""
    drafted.draft(state.store(), service, Wanted(n=4))
    every = drafts.every(state.store())
    drafts.note(
        state.store(),
        [Check(one.draft.draft_id, "answered", True, "") for one in every[:1] + every[2:]],
    )
    return drafts.every(state.store())


def press(test: AppTest, label: str, *, after: float = DWELL + 0.05) -> AppTest:
    time.sleep(after)
    return next(button for button in test.button if button.label == label).click().run()


def texts(test: AppTest) -> str:
    shown = [*test.text, *test.info, *test.warning, *test.error, *test.success, *test.code]
    return "\n".join(element.value.replace("\\", "") for element in shown)


def field(test: AppTest, label: str):
    return next(found for found in test.text_input if found.label == label)


def test_the_page_opens_on_nothing_and_before_anybody_said_who_they_are(empty: Path, page: Page):
    test = page("drafts", **{"as": "rita"})
    assert not test.exception
    assert "No draft waits here" in texts(test)
    assert not page("drafts").exception


def test_a_draft_is_shown_with_its_whole_passage_and_without_what_the_judge_said(
    standing: list[Standing], page: Page
):
    first, second = standing[0].draft, standing[1].draft
    test = page("drafts", **{"as": "rita", "draft": first.draft_id})
    assert not test.exception
    assert field(test, "Query").value == first.query
    passage = corpora.passages(state.store(), [first.passage_id])[first.passage_id]
    assert [code.value for code in test.code] == [passage.text]
    assert "Leakage 20%: the passage holds 1 of its 5 content words" in texts(test)
    test = page("drafts", **{"as": "rita", "draft": second.draft_id})
    assert standing[1].failed
    assert "The judge's checks set it aside" in texts(test)
    assert "the judge says" not in texts(test)


def test_acceptance_stores_query_and_label_tells_what_the_judge_said_and_goes_on(
    standing: list[Standing], page: Page
):
    draft = standing[1].draft
    test = page("drafts", **{"as": "rita", "draft": draft.draft_id})
    field(test, "Query").set_value("what does it mean?").run()
    test = press(test, "PART, accept")
    assert not test.exception
    (query,) = queries.current(state.store())
    assert (query.text, query.origin) == ("what does it mean?", "drafted")
    (said,) = labels.current(state.store())
    assert (said.grade, said.annotator, said.blind) == (Grade.PART, "rita", True)
    assert "the judge says NO" in texts(test)
    assert test.query_params["draft"] != draft.draft_id


def test_a_press_right_after_the_draft_appeared_is_refused(standing: list[Standing], page: Page):
    draft_id = standing[0].draft.draft_id
    test = page("drafts", **{"as": "rita", "draft": draft_id})
    # However long this machine took to draw the page: the draft appears in an hour, then now.
    test.session_state["first"] = {("draft", draft_id): time.monotonic() + 3_600}
    press(test, "YES, accept", after=0)
    assert "too quick" in texts(test)
    assert queries.current(state.store()) == []
    test.session_state["first"] = {("draft", draft_id): time.monotonic()}
    press(test, "YES, accept")
    assert len(queries.current(state.store())) == 1


def test_a_rejection_asks_for_a_reason(standing: list[Standing], page: Page):
    draft = standing[0].draft
    test = page("drafts", **{"as": "rita", "draft": draft.draft_id})
    press(test, "Reject")
    assert "needs a reason" in texts(test)
    next(box for box in test.selectbox if box.label == "Why not").set_value("nobody would ask this")
    press(test, "Reject")
    decided = drafts.every(state.store())[0].decision
    assert decided is not None
    assert (decided.decision, decided.reason) == ("rejected", "nobody would ask this")


def test_a_draft_that_somebody_else_decided_meanwhile_is_said(standing: list[Standing], page: Page):
    draft = standing[0].draft
    test = page("drafts", **{"as": "rita", "draft": draft.draft_id})
    drafts.reject(state.store(), draft.draft_id, reason="silly", person="sam")
    test = press(test, "YES, accept")
    assert f"Draft {draft.draft_id} is decided: rejected by sam" in texts(test)
    assert queries.current(state.store()) == []


def test_a_changed_passage_has_to_be_read_before(standing: list[Standing], page: Page):
    draft = standing[0].draft
    old = corpora.passages(state.store(), [draft.passage_id])[draft.passage_id]
    corpora.record(state.store(), [replace(old, text=old.text + " Now also."[:9])], name="manual")
    test = page("drafts", **{"as": "rita", "draft": draft.draft_id})
    assert "has changed since" in texts(test)
    assert next(b for b in test.button if b.label == "YES, accept").disabled
    test.checkbox[0].check().run()
    press(test, "YES, accept")
    assert len(queries.current(state.store())) == 1


def test_an_unanswerable_draft_shows_what_searches_find_and_keeps_them(
    standing: list[Standing], page: Page
):
    (draft,) = [one.draft for one in standing if not one.draft.passage_id]
    test = page("drafts", **{"as": "rita", "draft": draft.draft_id})
    assert "0 passages with all words" in texts(test)
    field(test, "Search for something else").set_value("vacation").run()
    press(test, "Nothing does, accept")
    (query,) = queries.current(state.store())
    assert [one.text for one in evidence.searches(state.store(), query.query_id)] == [
        draft.query,
        "vacation",
    ]
    assert evidence.outcomes(state.store())[query.query_id].outcome is Outcome.UNANSWERABLE


def test_drafts_wait_for_a_reviewer_and_what_was_decided_is_told(standing: list[Standing]):
    store = state.store()
    rita = people.record(store, "rita", role="reviewer")
    (waits,) = [one for one in waiting.waiting(store, rita) if one.page == "drafts"]
    assert waits.said == "8 drafted queries to decide on"
    drafts.reject(store, standing[0].draft.draft_id, reason="silly", person="rita")
    since = datetime(2020, 1, 1, tzinfo=UTC)
    assert ("Drafts rejected", 1, "rita") in waiting.changes(store, since)


def test_drafts_are_made_from_the_page_with_the_cost_known_before(service: Claude, page: Page):
    test = page("drafts", **{"as": "rita"})
    next(number for number in test.number_input if number.label == "Passages").set_value(2)
    press(test, "What would it cost?", after=0)
    assert "Nothing has been bought" in texts(test)
    assert sum(service.paid.values()) == 0
    press(test, "Draft", after=0)
    deadline = time.monotonic() + 30
    while len(drafts.every(state.store())) < 4 or "new draft" not in texts(test):
        assert time.monotonic() < deadline
        time.sleep(0.2)
        test.run()
    assert not test.exception
    assert "4 new drafts" in texts(test)


def test_a_decision_is_undone_from_the_page_and_the_draft_is_shown_again(
    standing: list[Standing], page: Page
):
    draft_id = standing[0].draft.draft_id
    test = page("drafts", **{"as": "rita", "draft": draft_id})
    assert not any(button.label.startswith("Undo") for button in test.button)
    test = press(test, "YES, accept")
    undo = next(button.label for button in test.button if button.label.startswith("Undo my last"))
    assert draft_id in undo.replace("\\", "")
    test = press(test, undo, after=0)
    assert "too quick" in texts(test)
    assert len(queries.current(state.store())) == 1
    test = press(test, undo)
    assert not test.exception
    assert f"{draft_id} waits again; own-1 is no query any more." in texts(test)
    assert test.query_params["draft"] == draft_id
    assert queries.current(state.store()) == []
    assert list(labels.current(state.store())) == []


def test_what_was_used_since_cannot_be_undone_and_the_page_says_why(
    standing: list[Standing], page: Page
):
    draft = standing[0].draft
    test = press(page("drafts", **{"as": "rita", "draft": draft.draft_id}), "YES, accept")
    said = [Judgment("own-1", draft.passage_id, Grade.NO)]
    labels.bring(state.store(), said, annotator="ben")
    undo = next(button.label for button in test.button if button.label.startswith("Undo my last"))
    test = press(test, undo)
    assert f"{draft.draft_id} stays accepted: own-1 has been labelled since" in texts(test)
    assert [query.query_id for query in queries.current(state.store())] == ["own-1"]
