"""A service that misbehaves: what is stored, what is said, and when a run stops."""

from __future__ import annotations

import pytest

from labeler import judging
from labeler.model import Status
from labeler.store import verdicts
from labeler.store.db import open_store
from tests.judged import claude, fill
from tests.servers.answers import KEY, MISCHIEF
from tests.servers.claude import Claude

STORED_UNREADABLE = ("refusal", "max_tokens", "thinking only", "empty", "chatter")
STORED_UNREADABLE += ("two grades", "two replies", "off-enum")


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


@pytest.mark.parametrize(
    "order", ["429 retry-after", "429", "529", "500", "slow", "in drops", "cut"]
)
def test_a_failure_that_passes_loses_nothing(store, order):
    fill(store, 4)
    with Claude(orders=[order]) as server:
        done = judging.run(store, claude(server, timeout=1.0))
    assert (done.judged, done.missed, done.left, done.problem) == (4, 0, 0, "")
    assert len(verdicts.history(store, "q0", "p0")) == 1
    assert (done.cost_uncertain > 0) == (
        order in ("slow", "in drops", "cut")
    )  # may be charged all the same


@pytest.mark.parametrize("order", [*STORED_UNREADABLE, "html", "{}", "bad json", "bad request"])
def test_a_reply_without_a_grade_is_kept_counted_and_retryable(store, order):
    fill(store, 3)
    with Claude(orders=[order]) as server:
        done = judging.run(store, claude(server))
        assert (done.judged, done.unreadable, done.left, done.problem) == (2, 1, 0, "")
        (odd,) = [v for v in verdicts.current(store) if v.grade is None]
        assert odd.status is Status.UNREADABLE
        assert odd.raw == MISCHIEF[order].body
        assert odd.reason
        again = judging.run(store, claude(server))
        assert (again.judged, again.unreadable_kept) == (0, 1)
        retried = judging.run(store, claude(server), retry_unreadable=True)
    assert (retried.judged, retried.unreadable) == (1, 0)
    assert all(v.grade for v in verdicts.current(store))


@pytest.mark.parametrize("order", STORED_UNREADABLE)
def test_replies_that_are_all_unreadable_are_all_kept_and_none_is_a_grade(store, order):
    fill(store, 7)
    with Claude(always=order) as server:
        done = judging.run(store, claude(server))
    assert (done.judged, done.unreadable, done.stopped, done.problem) == (0, 7, "", "")
    assert done.grades == {"NO": 0, "PART": 0, "YES": 0}


@pytest.mark.parametrize("order", ["html", "{}", "bad json", "bad request"])
def test_a_run_stops_where_pair_after_pair_brings_no_reply_of_the_model(store, order):
    fill(store, 9)
    with Claude(always=order) as server:
        done = judging.run(store, claude(server))
    assert (done.stopped, done.unreadable, done.left) == ("service", 5, 4)
    assert "5 questions in a row brought no reply of the model" in done.problem
    assert server.asked["POST /v1/messages"] == 5


@pytest.mark.parametrize(
    ("order", "words", "uncertain"),
    [
        ("500", "the service failed (500)", False),
        ("slow", "no reply within 0.4 s", True),
        ("in drops", "no reply within 0.4 s", True),
        ("cut", "the connection broke", True),
    ],
)
def test_a_run_stops_where_calls_keep_failing_and_the_pairs_stay_pending(
    store, order, words, uncertain
):
    fill(store, 9)
    with Claude(always=order) as server:
        done = judging.run(store, claude(server, timeout=0.4))
    assert (done.stopped, done.missed, done.left) == ("service", 5, 9)
    assert words in done.problem
    assert (done.cost_uncertain > 0) is uncertain
    assert list(verdicts.current(store)) == []
    assert server.asked["POST /v1/messages"] == 10  # five pairs, two attempts each


@pytest.mark.parametrize("order", ["429 retry-after", "429", "529"])
def test_a_limit_through_which_nothing_comes_ends_the_run_after_its_patience(store, order):
    fill(store, 3)
    with Claude(always=order) as server:
        done = judging.run(store, claude(server, patience=0.5))
    assert (done.stopped, done.judged, done.left) == ("service", 0, 3)
    assert "Nothing came through for" in done.problem


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("wrong key", "does not accept the key"),
        ("forbidden", "may not do this"),
        ("unknown model", "knows no model"),
        ("spend limit", "spend limit or credit is used up"),
        ("own limit", "spend limit or credit is used up"),
        ("no credit", "spend limit or credit is used up"),
    ],
)
def test_what_no_further_call_can_mend_stops_the_run_at_once(store, order, words):
    fill(store, 5)
    with Claude(orders=["", order]) as server:
        done = judging.run(store, claude(server))
    assert (done.stopped, done.judged, done.left) == ("service", 1, 4)
    assert words in done.problem
    assert server.asked["POST /v1/messages"] == 2


def test_a_service_that_is_away_is_said_and_costs_nothing(store):
    fill(store, 2)
    with Claude() as server:
        gone = claude(server)
    done = judging.run(store, gone)
    assert (done.stopped, done.missed, done.cost_uncertain) == ("service", 2, 0)
    assert "cannot be reached" in done.problem


def test_the_key_is_in_nothing_that_is_kept_or_said(store, tmp_path):
    fill(store, 9)
    with Claude(always="429", echo_key=True) as server:
        done = judging.run(store, claude(server, patience=0.2))
        assert server.authorization == {f"Bearer {KEY}"}
    assert "slow down [key]" in done.problem
    store.close()
    assert all(KEY.encode() not in f.read_bytes() for f in tmp_path.iterdir())
