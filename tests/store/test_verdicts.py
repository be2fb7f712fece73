"""Verdicts: what stands, what adds nothing, what is asked of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.model import Grade, Status, Verdict
from labeler.store import verdicts
from labeler.store.db import open_store

YES, PART, NO = Grade.YES, Grade.PART, Grade.NO


def _verdict(grade=YES, query="q1", passage="p1", **more):
    status = Status.OK if grade else Status.UNREADABLE
    return Verdict(query, passage, "ours", grade, status, rubric="r@1", **more)


def test_the_same_verdicts_again_add_nothing(store):
    brought = [_verdict(YES), _verdict(None, passage="p2", raw="Yes."), _verdict(NO, passage="p3")]
    assert verdicts.record(store, brought) == 3
    assert verdicts.record(store, brought) == 0
    assert [v.grade for v in verdicts.current(store)] == [YES, None, NO]


def test_another_grade_supersedes_and_the_old_one_stays_in_the_history(store, clock):
    verdicts.record(store, [_verdict(YES)])
    clock.move(days=1)
    assert verdicts.record(store, [_verdict(NO)]) == 1
    assert [v.grade for v in verdicts.current(store)] == [NO]
    past = verdicts.history(store, "q1", "p1")
    assert [v.grade for v in past] == [YES, NO]
    assert (past[1].judged_at - past[0].judged_at).days == 1


def test_a_judge_rubric_or_model_of_its_own_stands_beside(store):
    one = _verdict(YES)
    others = [replace(one, judge="other"), replace(one, rubric="r@2"), replace(one, model="m")]
    assert verdicts.record(store, [one, *others]) == 4
    assert len(verdicts.judges(store)) == 4


@settings(deadline=None, max_examples=30)  # each example opens a store
@given(
    st.lists(st.sampled_from([YES, PART, NO, None]), max_size=6),
    st.lists(st.sampled_from([YES, PART, NO, None]), max_size=6),
)
def test_a_repeat_of_what_stands_is_left_out_wherever_it_comes(tmp_path_factory, first, second):
    # the rule in one line: an event is new if it differs from the event before it
    path = tmp_path_factory.mktemp("s") / "s.duckdb"
    with open_store(path) as store:
        added = sum(verdicts.record(store, map(_verdict, part)) for part in (first, second))
        events = first + second
        wanted = [g for i, g in enumerate(events) if i == 0 or g != events[i - 1]]
        assert added == len(wanted)
        assert [v.grade for v in verdicts.history(store, "q1", "p1")] == wanted


def test_a_reply_just_given_is_always_an_event(store):
    verdicts.keep(store, [_verdict(None, raw="")])
    verdicts.keep(store, [_verdict(None, raw="")])
    verdicts.keep(store, [])
    assert len(verdicts.history(store, "q1", "p1")) == 2


def test_few_and_many_replies_are_stored_alike(store):
    told = {"cost": 0.5, "latency_ms": 12.0, "input_tokens": 7, "usage": "{}"}
    few = [_verdict(YES, passage=f"p{i}", **told) for i in range(3)]
    many = [_verdict(PART, query="q2", passage=f"p{i}", **told) for i in range(100)]
    verdicts.keep(store, few)
    verdicts.keep(store, many)
    stored = [replace(v, judged_at=None) for v in verdicts.current(store)]
    assert stored == sorted(few + many, key=lambda v: (v.query_id, v.passage_id))


def test_judges_are_told_newest_first_with_what_stands_of_them(store, clock):
    verdicts.record(store, [_verdict(YES), _verdict(None, passage="p2")])
    clock.move(hours=1)
    verdicts.record(store, [replace(_verdict(NO), judge="later")])
    newest, older = verdicts.judges(store)
    assert (newest.judge, newest.ok, newest.unreadable) == ("later", 1, 0)
    assert (older.judge, older.rubric, older.ok, older.unreadable) == ("ours", "r@1", 1, 1)
    assert newest.last > older.last


def test_a_hundred_thousand_rows_come_in_one_transaction(store):
    brought = (_verdict(NO, query=f"q{i % 100}", passage=f"p{i}") for i in range(100_000))
    before = store.version
    assert verdicts.record(store, brought) == 100_000
    assert store.version == before + 1


def test_a_request_that_was_answered_readably_is_known_on_any_pair(store):
    verdicts.keep(store, [_verdict(YES, request_id="a"), _verdict(None, "q2", request_id="b")])
    assert verdicts.answered(store) == {"a"}
    assert verdicts.readable(store, ["a", "b"])["a"].query_id == "q1"
    assert "b" not in verdicts.readable(store, ["a", "b"])
