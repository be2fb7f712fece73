"""What a run would cost, without buying anything."""

from __future__ import annotations

import pytest

from labeler import estimating, judging
from labeler.judges import prices
from labeler.judges.claude import counting
from labeler.store.db import open_store
from tests.judged import claude, fill
from tests.servers.claude import Claude

TABLE = prices.table()


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "labels.duckdb") as opened:
        fill(opened, 30, twins=2)
        yield opened


def test_a_dry_run_counts_and_prices_every_model_and_buys_nothing(store):
    with Claude() as server:
        judge = claude(server)
        dry = estimating.dry_run(store, judge, table=TABLE, count=counting(judge.line))
    assert set(server.asked) == {"POST /v1/messages/count_tokens"}
    assert (dry.requests, dry.survey.pairs, server.paid) == (30, 32, {})
    assert [one.model for one in dry.estimates] == list(TABLE)
    haiku = dry.estimates[0]
    # 30 requests of the counted size in, 30 of 120 tokens out
    wanted = (haiku.input_tokens * 0.10 + 30 * 120 * 0.50) / 1e6
    assert haiku.single == pytest.approx(wanted, rel=1e-3)
    assert haiku.batch == pytest.approx(haiku.single / 2)
    assert haiku.counted


def test_without_a_key_tokens_are_estimated_and_said_to_be(store):
    with Claude() as server:
        dry = estimating.dry_run(store, claude(server), table=TABLE)
    assert server.asked == {}
    assert not any(one.counted for one in dry.estimates)
    # the bytes of all requests, at three a token
    assert dry.estimates[0].input_tokens == round(dry.survey.size / 3)


def test_output_is_what_this_models_replies_took_so_far(store):
    with Claude() as server:
        judge = claude(server)
        judging.run(store, judge, limit=10)
        dry = estimating.dry_run(store, judge, table=TABLE)
    assert dry.requests == 20
    assert dry.estimates[0].output_tokens == 20 * 40  # the server's replies take 40 each
    assert dry.estimates[1].output_tokens == 20 * estimating.OUTPUT_TOKENS


def test_a_model_that_the_service_does_not_count_is_estimated_and_named(store):
    table = {**TABLE, "gone": TABLE["claude-opus-5"]}

    def count(request, model):
        if model == "gone":
            raise estimating.JudgeServiceError("unknown")
        return 1000

    with Claude() as server:
        dry = estimating.dry_run(store, claude(server), table=table, count=count, limit=5)
    assert dry.remark == "gone is estimated: unknown"
    assert {one.model: one.counted for one in dry.estimates}["gone"] is False
    assert dry.estimates[0].input_tokens == pytest.approx(5 * 1000, rel=0.01)


def test_a_finished_run_would_cost_nothing_more(store):
    with Claude() as server:
        judge = claude(server)
        judging.run(store, judge)
        dry = estimating.dry_run(store, judge, table=TABLE, count=counting(judge.line))
    assert (dry.requests, dry.estimates[0].single, dry.estimates[0].input_tokens) == (0, 0.0, 0)
