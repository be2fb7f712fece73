"""Prompts that ask for no grade: paid once, resumable, and read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeler import asking, hiring
from labeler.config import Config
from labeler.judges import prices, writer
from labeler.judges.base import Model
from labeler.judges.writer import Prompt, Writer
from labeler.store import replies
from labeler.store.db import Store, open_store
from tests.servers.answers import KEY
from tests.servers.claude import Claude

SCHEMA = {
    "type": "object",
    "properties": {"said": {"type": "string"}},
    "required": ["said"],
    "additionalProperties": False,
}
MODEL = "claude-haiku-5-5"


def said(params: dict[str, Any]) -> dict[str, str]:
    return {"said": params["messages"][0]["content"].upper()}


@pytest.fixture
def server() -> Iterator[Claude]:
    with Claude(write=said) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labeler.duckdb") as opened:
        yield opened


def writer_at(url: str, **options: Any) -> Writer:
    environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
    reached = hiring.reach(Config(environment=environment))
    return asking.writer(reached, prices.table({}), **options)


def prompts(*subjects: str) -> list[Prompt]:
    return [
        Prompt(s, writer.build(Model(MODEL), system="Say.", turn=s, schema=SCHEMA))
        for s in subjects
    ]


def test_a_reply_is_kept_as_it_came_and_never_bought_again(store: Store, server: Claude) -> None:
    done = asking.ask(store, writer_at(server.url), prompts("a", "b", "a"), purpose="said")
    # Two distinct requests at 1,000 tokens in and 40 out.
    assert (done.prompts, done.before, done.kept, done.left) == (2, 0, 2, 0)
    assert done.cost is not None
    assert done.cost > 0
    kept = replies.readable(store, "said")
    found = {one.subject: json.loads(one.raw)["content"][0]["text"] for one in kept.values()}
    assert found == {"a": '{"said": "A"}', "b": '{"said": "B"}'}
    again = asking.ask(store, writer_at(server.url), prompts("a", "b", "c"), purpose="said")
    assert (again.before, again.kept, sum(server.paid.values())) == (2, 1, 3)


def test_a_purpose_does_not_take_the_replies_of_another(store: Store, server: Claude) -> None:
    asking.ask(store, writer_at(server.url), prompts("a"), purpose="said")
    asking.ask(store, writer_at(server.url), prompts("a"), purpose="sung")
    assert len(replies.readable(store, "sung")) == 1


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("refusal", "the model refused"),
        ("max_tokens", "the reply was cut off at max_tokens"),
        ("chatter", "the reply is not one JSON object"),
        ("two replies", "the reply is not one JSON object"),
        ("thinking only", "the model only thought"),
    ],
)
def test_a_reply_that_is_no_object_is_kept_with_the_reason_and_retried_on_demand(
    store: Store, order: str, why: str
) -> None:
    with Claude(write=said, orders=[order]) as server:
        done = asking.ask(store, writer_at(server.url), prompts("a"), purpose="said")
        assert (done.kept, done.unreadable, done.left) == (0, 1, 0)
        assert [one.reason for one in replies.every(store, "said")] == [why]
        asking.ask(store, writer_at(server.url), prompts("a"), purpose="said")
        assert sum(server.paid.values()) == 1
        asking.ask(
            store, writer_at(server.url), prompts("a"), purpose="said", retry_unreadable=True
        )
        assert len(replies.readable(store, "said")) == 1


def test_what_stops_a_run_is_said_and_the_rest_can_be_asked_later(store: Store) -> None:
    with Claude(write=said, always="html") as server:
        done = asking.ask(store, writer_at(server.url), prompts(*"abcdefgh"), purpose="said")
    assert done.stopped == "service"
    assert "brought no reply of the model" in done.problem
    with Claude(write=said) as server:
        told = asking.ask(store, writer_at(server.url), prompts(*"ijkl"), purpose="said", limit=3)
        assert (told.kept, told.left, told.stopped) == (3, 1, "limit")
        poor = asking.ask(store, writer_at(server.url, max_cost=1e-9), prompts("m"), purpose="said")
        assert (poor.stopped, poor.left) == ("budget", 1)


def test_the_cost_is_known_before(store: Store, server: Claude) -> None:
    todo = asking.pending(store, prompts("a", "b"), purpose="said")
    size = sum(one.request.size for one in todo)
    told = asking.estimate(todo, price=prices.table({})[MODEL], output_tokens=40)
    assert told.requests == 2
    assert told.input_tokens == round(size / 3)
    assert told.dollars is not None
    assert asking.estimate(todo, price=None, output_tokens=40).dollars is None
    asking.ask(store, writer_at(server.url), prompts("a"), purpose="said")
    assert len(asking.pending(store, prompts("a", "b"), purpose="said")) == 1
