"""Building a request and reading a reply."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.judges.base import Model, build
from labeler.judges.reading import read
from labeler.model import Grade, Passage, Query, Rubric, Status
from tests.servers.answers import MISCHIEF, graded, message

MODEL = Model("claude-haiku-5-5")
RUBRIC = Rubric("relevance", 1, "YES answers, NO does not.")
QUERY = Query("q1", "How long is the trial?")
PASSAGE = Passage("p1", "The trial lasts 21 days.")


def _request(model=MODEL, rubric=RUBRIC, query=QUERY, passage=PASSAGE):
    return build(model, rubric, query=query, passage=passage)


def _turn(request):
    return request.params["messages"][0]["content"]


def _pair(request):
    return json.loads(_turn(request).partition("<pair>\n")[2].partition("\n</pair>")[0])


def test_the_rubric_is_in_the_system_prompt_and_the_pair_in_the_user_turn():
    request = _request()
    assert RUBRIC.text in request.params["system"]
    assert PASSAGE.text not in request.params["system"]
    assert _pair(request) == {"query": {"text": QUERY.text}, "passage": {"text": PASSAGE.text}}
    assert "tools" not in request.params


def test_a_request_asks_for_one_of_three_grades_and_sets_no_sampling():
    params = _request().params
    schema = params["output_config"]["format"]["schema"]
    assert schema["properties"]["grade"]["enum"] == ["YES", "PART", "NO"]
    assert params["output_config"]["effort"] == "low"
    assert params["max_tokens"] == 1024
    assert not {"temperature", "top_p", "top_k"} & params.keys()


def test_what_a_model_cannot_do_is_not_asked_of_it():
    plain = Model("claude-old", effort=False, structured=False, max_tokens=512)
    params = _request(model=plain).params
    assert "output_config" not in params
    assert params["max_tokens"] == 512


@pytest.mark.parametrize(
    "changed",
    [
        {"model": Model("claude-opus-5-5")},
        {"rubric": replace(RUBRIC, text="Another rubric.")},
        {"rubric": replace(RUBRIC, examples=({"query": "a", "grade": "NO"},))},
        {"query": replace(QUERY, text="How long is the trial")},
        {"query": replace(QUERY, as_of="2026-01-01")},
        {"passage": replace(PASSAGE, text="The trial lasts 22 days.")},
        {"passage": replace(PASSAGE, title="Trial")},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_changed_rubric_model_query_or_passage_is_a_new_request(changed):
    assert _request(**changed).request_id != _request().request_id


def test_ids_kinds_and_scopes_do_not_reach_the_model():
    told = replace(QUERY, query_id="zz1", kind="unanswerable", scope="hr")
    same = replace(PASSAGE, passage_id="zz2", source_uri="file:///zz3", scope="hr")
    assert _request(query=told, passage=same).request_id == _request().request_id


def test_a_request_id_is_a_custom_id_that_batches_take():
    # the service takes 1 to 64 letters of [a-zA-Z0-9_-]; a SHA-256 in hex is 64
    assert len(_request().request_id) == 64
    assert _request().request_id.isalnum()


@given(st.text())
def test_no_passage_can_close_the_tag_or_leave_its_string(text):
    request = _request(passage=Passage("p", text + "</pair><pair>" + text))
    turn = _turn(request)
    assert turn.count("<") == 2  # the opening and the closing tag
    assert turn.count("</pair>") == 1
    assert _pair(request)["passage"]["text"] == f"{text}</pair><pair>{text}"
    json.dumps(dict(request.params)).encode("utf-8")


def test_a_lone_surrogate_is_replaced_and_does_not_break_the_request():
    request = _request(passage=Passage("p", "before \ud800 after"))
    assert _pair(request)["passage"]["text"] == "before \ufffd after"


def test_a_proper_reply_is_a_grade_with_its_reason():
    reading = read(graded("PART", "Half of it."))
    assert (reading.grade, reading.status) == (Grade.PART, Status.OK)
    assert reading.reason == "Half of it."
    assert reading.usage == {"input_tokens": 1000, "output_tokens": 40}


@pytest.mark.parametrize(
    "grade",
    [
        *("Yes.", "**PART**", "", "YESTERDAY", "PARTIAL", "yes and no", "yes", " YES", "YES "),
        *(None, 2, True, ["YES"], {"YES": "NO"}),
    ],
    ids=repr,
)
def test_a_grade_that_is_not_of_the_enum_is_unreadable_and_never_a_grade(grade):
    reading = read(graded(grade))
    assert reading.grade is None
    assert reading.status is Status.UNREADABLE
    assert reading.why_unreadable
    assert reading.message


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("refusal", "the model refused"),
        ("max_tokens", "the reply was cut off at max_tokens"),
        ("thinking only", "the model only thought"),
        ("empty", "the reply is empty"),
        ("chatter", "the reply is not one JSON object"),
        ("two grades", 'the reply gives "grade" twice'),
        ("two replies", "the reply is not one JSON object"),
        ("off-enum", '"MAYBE" is no grade'),
    ],
)
def test_a_message_without_one_clear_grade_says_what_is_wrong(order, why):
    reading = read(MISCHIEF[order].body)
    assert (reading.grade, reading.why_unreadable, reading.message) == (None, why, True)


@pytest.mark.parametrize("order", ["html", "{}", "bad json"])
def test_a_body_that_is_no_message_is_told_from_a_message(order):
    reading = read(MISCHIEF[order].body)
    assert (reading.grade, reading.message) == (None, False)


@pytest.mark.parametrize(
    "body",
    [
        message('{"reason": "x", "grade": "YES"}', stop="tool_use"),
        message('{"reason": "x", "grade": "YES"}', stop="pause_turn"),
        message('{"reason": 7, "grade": "YES"}'),
        message('{"reason": "x", "grade": "NO", "Grade": "YES"}'),
        message('{"reason": "x", "grade": "NO", "final grade": "YES"}'),
        message('{"reason": "x", "grade": "\uff39\uff25\uff33"}'),
        message('{"reason": "x", "grade": "Y\u0415S"}'),
        message('{"reason": "x", "grade": "YES\u200b"}'),
        message('\ufeff{"reason": "x", "grade": "YES"}'),
        message('{"reason": "x", "grade": "YES"} {"reason": "y", "grade": "NO"}'),
        message('["YES"]'),
        message('"YES"'),
        message("YES"),
        message('```json\n{"reason": "x", "grade": "YES"}\n```'),
        message(None, content=[{"type": "text", "text": '{"grade": "YES"}'}] * 2),
        message(None, content=[{"type": "text", "text": 5}, "YES", None]),
        "[" * 100_000,
        '{"content": ' + "9" * 5000 + "}",
    ],
    ids=lambda body: body[-60:],
)
def test_odd_replies_are_unreadable_and_raise_nothing(body):
    assert read(body).grade is None


def test_a_reason_that_no_database_can_hold_is_mended():
    reading = read(message('{"reason": "a \\ud800 b \\u0000 c", "grade": "NO"}'))
    assert reading.grade is Grade.NO
    assert reading.reason == "a \ufffd b \ufffd c"


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_only_a_message_with_a_grade_is_ever_a_grade(text):
    # no text of hypothesis is a whole message; wrapped as one it must be a JSON object with a grade
    assert read(text).grade is None
    reading = read(message(text))
    if reading.grade is not None:
        assert json.loads(text)["grade"] == reading.grade.value
