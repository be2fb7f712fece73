"""A judge's run: paid once, never guessed, resumable."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace

import pytest

from labeler import judging
from labeler.errors import LabelerError
from labeler.judges import shipped
from labeler.judges.base import Model
from labeler.model import Grade, Passage, Query
from labeler.store import corpora, queries, rubrics, spotchecks, verdicts
from labeler.store.db import open_store
from labeler.store.pairs import Scope
from tests.judged import MODEL, claude, fill
from tests.servers.answers import verdict_for
from tests.servers.claude import Claude


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


def test_every_candidate_gets_the_verdict_that_the_model_gave(store):
    fill(store, 12)
    with Claude() as server:
        judge = claude(server, concurrency=4)
        done = judging.run(store, judge)
    assert (done.judged, done.left, done.missed, done.problem, done.stopped) == (12, 0, 0, "", "")
    by_turn = {
        params["messages"][0]["content"]: verdict_for(params["messages"][0]["content"])
        for params in server.seen
    }
    for verdict in verdicts.current(store):
        query, passage = Query("q", _query(store, verdict)), Passage("p", _passage(store, verdict))
        turn = judge.build(query, passage).params["messages"][0]["content"]
        assert verdict.grade == by_turn[turn]
    assert done.grades == Counter(by_turn.values())


def _query(store, verdict):
    return queries.named(store, [verdict.query_id])[verdict.query_id].text


def _passage(store, verdict):
    return {p.passage_id: p.text for p in corpora.every_passage(store)}[verdict.passage_id]


def test_a_verdict_keeps_all_that_came_with_it(store):
    fill(store, 1)
    with Claude() as server:
        judging.run(store, claude(server))
    (verdict,) = verdicts.current(store)
    assert (verdict.judge, verdict.rubric, verdict.model) == ("claude", "relevance@1", MODEL.id)
    assert (verdict.input_tokens, verdict.output_tokens) == (1000, 40)
    assert verdict.cost == pytest.approx(0.00012)  # 1,000 at $.10 and 40 at $.50 a million
    assert (verdict.stop_reason, verdict.api_request_id) == ("end_turn", "req_loopback")
    assert verdict.reason == "As the passage says."
    assert '"stop_reason": "end_turn"' in verdict.raw
    assert verdict.latency_ms > 0
    assert verdict.query_hash.startswith("b1:")
    assert len(verdict.request_id) == 64


def test_a_finished_run_costs_nothing_when_repeated(store):
    fill(store, 6)
    with Claude() as server:
        judging.run(store, claude(server))
        again = judging.run(store, claude(server))
    assert (again.judged, again.judged_before, again.cost) == (0, 6, 0)
    assert sum(server.paid.values()) == 6


def test_the_same_texts_under_another_id_are_bought_once_and_judged_both(store):
    fill(store, 5, twins=3)
    with Claude() as server:
        done = judging.run(store, claude(server))
        assert sum(server.paid.values()) == 5
        again = judging.run(store, claude(server))
    assert (done.judged, done.copied, done.left) == (5, 3, 0)
    assert (again.judged, again.copied, again.judged_before) == (0, 0, 8)
    of = {v.passage_id: v for v in verdicts.current(store)}
    assert of["twin0"].grade == of["p0"].grade
    assert of["twin0"].cost == 0


def test_a_text_that_changed_back_takes_its_old_verdict_over(store):
    fill(store, 1)
    first, other = Passage("p0", "Passage number 0."), Passage("p0", "Something else.")
    with Claude() as server:
        judging.run(store, claude(server))
        corpora.record(store, [other], name="corpus")
        judging.run(store, claude(server))
        corpora.record(store, [first], name="corpus")
        done = judging.run(store, claude(server))
    assert (done.judged, done.copied) == (0, 1)
    assert sum(server.paid.values()) == 2
    assert [v.request_id for v in verdicts.current(store)] == [
        verdicts.history(store, "q0", "p0")[0].request_id
    ]


@pytest.mark.parametrize("changed", ["rubric", "model", "query", "passage"])
def test_a_changed_rubric_model_query_or_passage_is_asked_anew(store, changed):
    fill(store, 1)
    with Claude() as server:
        judging.run(store, claude(server))
        options = {}
        if changed == "rubric":
            options["rubric"] = rubrics.add(store, "strict", text="Be strict.")
        elif changed == "model":
            options["model"] = Model("claude-opus-5-5")
        elif changed == "query":
            queries.record(store, [Query("q0", "What was number 0?")])
        else:
            corpora.record(store, [Passage("p0", "Changed.")], name="corpus")
        done = judging.run(store, claude(server, **options))
    assert done.judged == 1
    assert len(server.paid) == 2


def test_a_rate_limited_service_loses_nothing_and_sells_nothing_twice(store):
    fill(store, 60)
    with Claude(rate=20, latency=0.01, retry_after="1") as server:
        done = judging.run(store, claude(server, concurrency=16, patience=30, timeout=10))
    assert (done.judged, done.left) == (60, 0)
    assert Counter(server.paid.values()) == {1: 60}


def test_a_limit_stops_a_run_and_the_next_one_goes_on(store):
    fill(store, 6)
    with Claude() as server:
        first = judging.run(store, claude(server), limit=4)
        second = judging.run(store, claude(server))
    assert (first.judged, first.left, first.stopped, first.problem) == (4, 2, "limit", "")
    assert (second.judged, second.judged_before) == (2, 4)
    assert sum(server.paid.values()) == 6


def test_a_budget_is_never_exceeded_and_what_is_left_is_said(store):
    fill(store, 20)
    with Claude() as server:
        judge = claude(server, concurrency=4)
        asked = next(judging.pending(store, judge))
        worst = judge.seat.worst(asked.request)
        judge.spending.most = worst + 5 * 0.00012  # room for the worst case after five replies
        done = judging.run(store, judge)
    assert done.stopped == "budget"
    assert done.cost <= judge.spending.most
    assert 5 <= done.judged < 20
    assert done.left == 20 - done.judged


def test_a_budget_without_room_for_one_call_sends_nothing(store):
    fill(store, 3)
    with Claude() as server:
        done = judging.run(store, claude(server, max_cost=0.0000001))
    assert (done.stopped, done.judged, done.left) == ("budget", 0, 3)
    assert server.asked["POST /v1/messages"] == 0


def test_the_stop_button_keeps_what_came_back(store):
    fill(store, 40)
    pressed = threading.Event()
    seen = []

    def progress(now):
        seen.append(now)
        if now.done >= 10:
            pressed.set()

    with Claude(latency=0.01) as server:
        judge = claude(server, concurrency=4)
        done = judging.run(store, judge, progress=progress, stop=pressed.is_set)
    assert done.stopped == "interrupted"
    assert 10 <= done.judged <= 14  # at most the four in flight came on top
    assert len(list(verdicts.current(store))) == done.judged == sum(server.paid.values())
    assert (seen[-1].done, seen[-1].total) == (done.judged, 40)


def test_only_a_spot_checks_pairs_are_judged_where_one_is_named(store):
    fill(store, 6)
    check = spotchecks.SpotCheck("first", 1, 2, 5, 1, "claude", "", "", store.clock())
    drawn = [spotchecks.Drawn("q0", f"p{i}", "NO", 3.0) for i in (1, 3)]
    spotchecks.record(store, check, [spotchecks.Stratum("NO", 6, 2)], drawn)
    with Claude() as server:
        done = judging.run(store, claude(server), scope=Scope("first"))
        assert (done.judged, done.pairs) == (2, 2)
        with pytest.raises(LabelerError, match="no spot check 'second'; known: first"):
            judging.run(store, claude(server), scope=Scope("second"))
    assert {v.passage_id for v in verdicts.current(store)} == {"p1", "p3"}


def test_pairs_without_a_text_are_counted_and_not_asked(store):
    fill(store, 2)
    store_rows = "insert into candidates values (nextval('seq'), 'q0', 'nowhere', 9, 'pool', $1)"
    with store.write() as cursor:
        cursor.execute(store_rows, [store.clock()])
    with Claude() as server:
        done = judging.run(store, claude(server))
    assert (done.judged, done.without_text, done.pairs) == (2, 1, 3)


def test_nothing_to_judge_is_said_with_the_way_on(store):
    with pytest.raises(LabelerError, match="There is nothing to judge"):
        judging.run_lexical(store)


def test_the_lexical_baseline_judges_everything_once_and_offline(store):
    fill(store, 12)
    done = judging.run_lexical(store)
    assert (done.judge, done.rubric, done.judged, done.cost) == ("lexical", "lexical@1", 12, 0)
    assert judging.run_lexical(store).judged == 0
    assert rubrics.named(store, "lexical@1") == shipped.rubric("lexical")
    assert all(v.grade in Grade for v in verdicts.current(store))


def test_the_rubric_of_the_package_is_stored_with_its_first_use_and_never_over_the_users(store):
    fill(store, 1)
    own = rubrics.add(store, "relevance", text="Our own.")
    with Claude() as server:
        done = judging.run(store, claude(server, rubric=judging.rubric(store)))
    assert done.rubric == own.ref
    assert [entry.rubric for entry in rubrics.history(store)] == [own]


def test_a_rubric_that_is_nowhere_is_named_with_those_that_are(store):
    rubrics.add(store, "strict", text="Be strict.")
    with pytest.raises(LabelerError, match="no rubric 'lax'; known: strict@1"):
        judging.rubric(store, "lax")


def test_a_judge_with_another_name_for_its_rubric_takes_over_the_same_request(store):
    fill(store, 2)
    shown = shipped.rubric("relevance")
    with Claude() as server:
        judging.run(store, claude(server))
        renamed = rubrics.add(store, "ours", text=shown.text, examples=shown.examples)
        done = judging.run(store, claude(server, rubric=renamed))
    assert (done.judged, done.copied) == (0, 2)
    assert {v.rubric for v in verdicts.current(store)} == {"relevance@1", "ours@1"}
    assert replace(renamed, name="relevance") == shown
