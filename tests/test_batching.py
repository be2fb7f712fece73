"""Message batches: submitted, collected, found again after a crash."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from labeler import batching, judging
from labeler.errors import JudgeServiceError, LabelerError
from labeler.judges import prices
from labeler.judges.base import Model
from labeler.judges.batches import Post, Unknown
from labeler.judges.service import Key, Line
from labeler.model import Status
from labeler.store import batches, verdicts
from labeler.store.batches import Stage
from labeler.store.db import open_store
from tests.judged import claude, fill
from tests.servers.answers import KEY, verdict_for
from tests.servers.claude import Claude

TABLE = prices.table()


class Clock:
    """The present moment, and as much later as the test says."""

    def __init__(self):
        self.ahead = timedelta()

    def __call__(self):
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    with open_store(tmp_path / "labels.duckdb", clock=clock) as opened:
        yield opened


def _post(server):
    return Post(Line(Key(KEY), base_url=server.url, timeout=5.0, attempts=2, backoff=0.01))


def test_a_batch_is_submitted_and_collected_at_half_the_price(store):
    fill(store, 7)
    with Claude() as server:
        judge = claude(server)
        sent = batching.submit(store, judge)
        assert (sent.requests, len(sent.batches), sent.left) == (7, 1, 0)
        assert list(verdicts.current(store)) == []
        found = batching.resume(store, _post(server), table=TABLE)
    assert (found.judged, found.unreadable, found.pending_again) == (7, 0, 0)
    assert found.cost == pytest.approx(7 * 0.00006)  # half of $.00012
    turns = {one["custom_id"]: one["params"] for one in server.batches["msgbatch_1"]["requests"]}
    for verdict in verdicts.current(store):  # results came in reverse order
        turn = turns[verdict.request_id]["messages"][0]["content"]
        assert verdict.grade == verdict_for(turn)
        assert verdict.query_hash.startswith("b1:")


def test_what_waits_in_a_batch_is_bought_neither_singly_nor_in_another_batch(store):
    fill(store, 4)
    with Claude(batch_ends=False) as server:
        batching.submit(store, claude(server))
        done = judging.run(store, claude(server))
        again = batching.submit(store, claude(server))
        found = batching.resume(store, _post(server), table=TABLE)
    assert (done.judged, done.in_batches) == (0, 4)
    assert (again.requests, again.in_batches, len(server.batches)) == (0, 4, 1)
    assert [batch.batch_id for batch in found.running] == ["msgbatch_1"]
    assert server.asked["POST /v1/messages"] == 0


def test_a_collected_batch_is_not_collected_again(store):
    fill(store, 3)
    with Claude() as server:
        batching.submit(store, claude(server))
        batching.resume(store, _post(server), table=TABLE)
        again = batching.resume(store, _post(server), table=TABLE)
        assert judging.run(store, claude(server)).judged == 0
    assert (again.judged, again.done, again.running) == (0, [], [])


def test_each_result_ends_where_it_should(store):
    fill(store, 8)
    orders = ["succeeded", "errored", "errored invalid_request_error", "canceled", "expired"]
    orders += ["off-enum", "refusal", "succeeded"]
    with Claude() as server:
        server.batch_orders = dict(enumerate(orders))
        batching.submit(store, claude(server))
        found = batching.resume(store, _post(server), table=TABLE)
        ids = [one["custom_id"] for one in server.batches["msgbatch_1"]["requests"]]
        standing = {v.request_id: v for v in verdicts.current(store)}
        # errored by the service, cancelled and expired ones were never judged and are pending again
        assert set(standing) == {ids[i] for i in (0, 2, 5, 6, 7)}
        refused = standing[ids[2]]
        assert (refused.status, refused.cost) == (Status.UNREADABLE, 0.0)
        assert "invalid_request_error" in refused.raw
        assert standing[ids[5]].reason == '"MAYBE" is no grade'
        assert standing[ids[6]].reason == "the model refused"
        assert (found.judged, found.unreadable, found.pending_again) == (2, 3, 3)
        assert dict(found.ends) == {"succeeded": 4, "errored": 2, "canceled": 1, "expired": 1}
        assert judging.run(store, claude(server)).judged == 3


def test_a_batch_collected_days_later_is_still_paid_once(store, clock):
    fill(store, 3)
    with Claude() as server:
        batching.submit(store, claude(server))
        clock.ahead = timedelta(days=5)
        assert batching.resume(store, _post(server), table=TABLE).judged == 3
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("ended", [True, False])
def test_a_crash_after_the_batch_was_made_and_before_its_id_was_stored_loses_nothing(store, ended):
    fill(store, 5)
    with Claude(batch_ends=ended) as server:
        _crash_after_create(store, server)
        (lost,) = batches.unfinished(store)
        assert (lost.state, lost.batch_id) == (Stage.INTENDED, "")
        assert judging.run(store, claude(server)).in_batches == 5
        found = batching.resume(store, _post(server), table=TABLE)
        if not ended:
            assert [batch.batch_id for batch in found.running] == ["msgbatch_1"]
            server.options.batch_ends = True
            found = batching.resume(store, _post(server), table=TABLE)
    assert found.judged == 5
    assert set(server.paid.values()) == {1}


def _crash_after_create(store, server):
    """Send a batch as `submit` does, and stop where a kill would have: before the id is stored."""
    judge = claude(server)
    asked = list(judging.pending(store, judge))
    requested = [batches.Requested(*one.subject) for one in asked]
    batches.intend(store, requested, judge="claude", rubric=judge.rubric.ref, model=judge.model_id)
    _post(server).create([one.request for one in asked])


def test_another_projects_batch_of_the_same_size_is_not_taken_for_ours(store):
    fill(store, 2)
    with Claude() as server:
        strange = [
            {"custom_id": f"theirs-{i}", "params": {"messages": [{"content": "x"}]}}
            for i in range(2)
        ]
        server.batches["msgbatch_0"] = {"requests": strange, "made": 4e9}
        _crash_after_create(store, server)
        found = batching.resume(store, _post(server), table=TABLE)
    assert [batch.batch_id for batch in found.done] == ["msgbatch_2"]
    assert found.judged == 2


def test_a_batch_that_never_arrived_is_given_up_after_a_minute(store, clock):
    fill(store, 2)
    with Claude() as server:
        judge = claude(server)
        requested = [batches.Requested(*one.subject) for one in judging.pending(store, judge)]
        batches.intend(store, requested, judge="claude", rubric="relevance@1", model="m")
        early = batching.resume(store, _post(server), table=TABLE)
        assert (len(early.running), early.lost) == (1, [])
        clock.ahead = timedelta(minutes=2)
        late = batching.resume(store, _post(server), table=TABLE)
        assert (late.running, len(late.lost), late.pending_again) == ([], 1, 2)
        assert judging.run(store, judge).judged == 2


def test_a_batch_that_the_service_has_forgotten_is_pending_again(store):
    fill(store, 2)
    with Claude() as server:
        batching.submit(store, claude(server))
        server.batches.clear()
        found = batching.resume(store, _post(server), table=TABLE)
    assert [batch.detail for batch in found.lost] == ["the service does not know it"]
    assert found.pending_again == 2


@pytest.mark.parametrize("order", ["wrong key", "spend limit", "bad request", "429", "529"])
def test_a_batch_that_was_not_taken_is_pending_again_at_once(store, order):
    fill(store, 2)
    with Claude(always=order) as server:
        with pytest.raises(JudgeServiceError) as caught:
            batching.submit(store, claude(server))
        assert not isinstance(caught.value, Unknown)
        server.options.always = ""
        assert batching.submit(store, claude(server)).requests == 2


@pytest.mark.parametrize("order", ["500", "cut"])
def test_a_batch_of_which_nobody_knows_whether_it_was_made_stays_open(store, order):
    fill(store, 2)
    with Claude(always=order) as server:
        with pytest.raises(Unknown, match="whether the batch was made is not known"):
            batching.submit(store, claude(server))
        assert len(batches.unfinished(store)) == 1
        assert server.asked["POST /v1/messages/batches"] == 1  # never sent twice


def test_many_requests_go_in_several_batches_and_twins_in_none(store):
    fill(store, 5, twins=2)
    with Claude() as server:
        sent = batching.submit(store, claude(server), most_requests=2)
        assert [batch.requests for batch in sent.batches] == [2, 2, 1]
        batching.resume(store, _post(server), table=TABLE)
        done = judging.run(store, claude(server))
    assert (done.judged, done.copied) == (0, 2)


def test_a_limit_and_a_budget_hold_for_batches_too(store):
    fill(store, 6)
    with Claude() as server:
        judge = claude(server)
        assert batching.submit(store, judge, limit=2).requests == 2
        one = next(judging.pending(store, judge))
        poor = claude(server, max_cost=2.5 * judge.seat.worst(one.request, batch=True))
        sent = batching.submit(store, poor)
    assert (sent.requests, sent.left) == (2, 2)
    assert "has no room for 2 more requests" in sent.problem


def test_a_model_without_batches_is_said_before_anything_is_sent(store):
    fill(store, 1)
    with Claude() as server:
        judge = claude(server, model=Model("claude-old", batch=False))
        with pytest.raises(LabelerError, match="takes no message batches"):
            batching.submit(store, judge)
    assert server.asked == {}


def test_the_intent_is_stored_before_the_batch_is_made(store):
    fill(store, 1)
    stages = []

    class Watching(Post):
        def create(self, requests):
            stages.append([batch.state for batch in batches.unfinished(store)])
            return super().create(requests)

    with Claude() as server:
        line = Line(Key(KEY), base_url=server.url)
        batching.submit(store, claude(server), post=Watching(line))
        stages.append([batch.state for batch in batches.unfinished(store)])
    assert stages == [[Stage.INTENDED], [Stage.SUBMITTED]]
