"""The key, and what the service says of a model."""

from __future__ import annotations

import traceback

import pytest

from labeler.errors import JudgeServiceError, LabelerError
from labeler.judges import service
from labeler.judges.service import Key, Line
from tests.servers.answers import KEY
from tests.servers.claude import Claude


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "is not set"),
        ({service.KEY: ""}, "is set but empty"),
        ({service.KEY: " \n"}, "is set but empty"),
        ({service.KEY: "sk-secret\n"}, "holds a space, a line break"),
        ({service.KEY: "sk secret"}, "holds a space, a line break"),
        ({service.KEY: "sk-secret\u201d"}, "holds a space, a line break"),
    ],
)
def test_a_key_that_cannot_be_one_is_said_in_words_and_not_shown(environment, words):
    with pytest.raises(LabelerError, match=words) as caught:
        service.key(environment)
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_key_shows_itself_nowhere():
    line = Line(Key(KEY))
    assert KEY not in repr(line)
    assert line.key.scrubbed(f"bad key {KEY}!") == "bad key [key]!"


def test_a_model_is_asked_for_what_it_can_do():
    cannot = {"effort": {"supported": False}, "structured_outputs": {"supported": True}}
    with Claude(capabilities=cannot) as server:
        model = Line(Key(KEY), base_url=server.url).look_up("claude-haiku-5-5")
    assert (model.effort, model.structured, model.batch) == (False, True, True)
    assert server.asked == {"GET /v1/models/claude-haiku-5-5": 1}


@pytest.mark.parametrize(
    ("model", "always", "words"),
    [
        ("claude-nope", "", "knows no model 'claude-nope'"),
        ("gpt", "", "knows no model 'gpt'"),
        ("claude-haiku-5-5", "wrong key", "does not accept the key"),
        ("claude-haiku-5-5", "forbidden", "may not do this"),
    ],
)
def test_a_wrong_key_and_an_unknown_model_are_said_in_words(model, always, words):
    with Claude(always=always) as server, pytest.raises(JudgeServiceError, match=words) as caught:
        Line(Key(KEY), base_url=server.url).look_up(model)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_service_that_is_not_there_is_said_in_words():
    with Claude() as server:
        url = server.url
    line = Line(Key(KEY), base_url=url, timeout=2.0)
    with pytest.raises(JudgeServiceError, match="cannot be reached"):
        line.look_up("claude-haiku-5-5")


def test_no_model_is_a_mistake_of_the_user():
    with pytest.raises(LabelerError, match="No model is named"):
        Line(Key(KEY)).look_up(" ")
