"""Answers are graded as passages are, and are passages nowhere else."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest

from labeler import bm25, drawing, freezing
from labeler.errors import LabelerError
from labeler.model import (
    Answer,
    Given,
    GoldenEntry,
    Grade,
    Judgment,
    LabelEvent,
    Passage,
    Query,
    Status,
    Verdict,
)
from labeler.reports import agreement, casebook
from labeler.reports import basis as bases
from labeler.store import (
    adjudications,
    answers,
    comparison,
    consistency,
    corpora,
    evidence,
    exports,
    goldens,
    labels,
    outlines,
    pairs,
    queries,
    runs,
    settled,
    tasks,
    texts,
    verdicts,
)
from labeler.store.answers import Brought
from labeler.store.db import Store
from labeler.store.pairs import ANSWERS
from tests.answered import fill

RUBRIC = "correctness@1"
LEAVE = Answer("q-leave", "secret-bot", "production", "30 days.", (Given("leave", ""),))
LUNCH = Answer("q-lunch", "secret-bot", "production", "At noon.", (Given("", "Lunch is at noon."),))


@pytest.fixture
def brought(store: Store) -> Store:
    fill(store)
    answers.record(store, [Brought(LEAVE), Brought(LUNCH)])
    return store


def _judge(store: Store, *found: tuple[Answer, Grade], judge: str = "j") -> None:
    said = [Verdict(a.query_id, a.answer_id, judge, grade, Status.OK, RUBRIC) for a, grade in found]
    verdicts.keep(store, said)


def _label(store: Store, *found: tuple[Answer, Grade]) -> None:
    given = [Judgment(a.query_id, a.answer_id, grade) for a, grade in found]
    labels.bring(store, given, annotator="anna")


def test_the_same_answers_add_nothing_and_a_new_one_supersedes(brought: Store) -> None:
    assert answers.record(brought, [Brought(LEAVE), Brought(LUNCH)]).added == 0
    other = replace(LEAVE, text="31 days.")
    assert answers.record(brought, [Brought(other)]).added == 1
    assert {one.text for one in answers.current(brought)} == {"31 days.", "At noon."}
    assert set(answers.named(brought, [LEAVE.answer_id])) == {LEAVE.answer_id}  # it stays
    selected = replace(LEAVE, context_kind="selected")
    answers.record(brought, [Brought(selected)])
    assert len(answers.current(brought)) == 3
    answers.record(brought, [Brought(LEAVE)])
    assert {one.text for one in answers.current(brought)} == {"30 days.", "At noon."}


def test_another_context_of_the_same_answer_is_the_same_answer_read_anew(brought: Store) -> None:
    before = texts.passages(brought, [LEAVE.answer_id])[LEAVE.answer_id]
    answers.record(brought, [Brought(replace(LEAVE, context=(Given("lunch", ""),)))])
    after = texts.passages(brought, [LEAVE.answer_id])[LEAVE.answer_id]
    assert before.hash != after.hash
    assert "Lunch is at noon." in after.text


def test_a_query_known_by_its_text_joins_and_an_unknown_one_becomes_a_query(store: Store) -> None:
    fill(store)
    blank = replace(LUNCH, query_id="")
    done = answers.record(store, [Brought(blank, "When is lunch?"), Brought(blank, "What now?")])
    known, new = done.answers
    assert known.query_id == "q-lunch"
    assert queries.named(store, [new.query_id])[new.query_id].text == "What now?"


def test_two_answers_to_one_query_leave_nothing(store: Store) -> None:
    fill(store)
    blank = replace(LUNCH, query_id="", text="other")
    with pytest.raises(LabelerError, match="Two answers of secret-bot to query 'q-lunch'"):
        answers.record(store, [Brought(LUNCH), Brought(blank, "When is lunch?")])
    assert answers.current(store) == []


def test_an_id_never_stands_for_an_answer_and_a_passage(brought: Store) -> None:
    clash = Passage(LEAVE.answer_id, "text")
    with pytest.raises(LabelerError, match="There is an answer"):
        corpora.record(brought, [clash], name="handbook")
    new = replace(LEAVE, text="new")
    corpora.record(brought, [Passage(new.answer_id, "text")], name="handbook")
    with pytest.raises(LabelerError, match="There is a passage"):
        answers.record(brought, [Brought(new)])


def test_people_see_what_it_is_judged_against_and_not_whose_it_is(brought: Store) -> None:
    shown = texts.passages(brought, [LEAVE.answer_id, LUNCH.answer_id, "leave"])
    assert shown["leave"].text == "Everybody has 30 days of leave."
    leave, lunch = shown[LEAVE.answer_id], shown[LUNCH.answer_id]
    for part in ("30 days.", "[trial] Trial", "[leave] Leave", "Everybody has 30 days of leave."):
        assert part in leave.text
    assert "1. lunch is at noon" in lunch.text
    for passage in (leave, lunch):
        assert "secret-bot" not in repr(passage)
        assert "production" not in repr(passage)


def test_whatever_it_is_judged_against_changes_its_hash(brought: Store) -> None:
    def now() -> str:
        return texts.passages(brought, [LUNCH.answer_id])[LUNCH.answer_id].hash

    seen = {now()}
    evidence.note_fact(brought, "q-lunch", text="every day", passages=["lunch"], person="rita")
    seen.add(now())
    corpora.record(brought, [Passage("lunch", "Lunch is at one.")], name="handbook")
    seen.add(now())
    entry = GoldenEntry("q-lunch", "leave", Grade.YES)
    goldens.record(brought, "support", [entry], origin="test", person="lead")
    seen.add(now())
    assert len(seen) == 4


def test_the_newest_golden_set_with_the_query_says_what_is_expected(brought: Store) -> None:
    entry = GoldenEntry("q-late", "trial", Grade.YES)
    goldens.record(brought, "other", [entry], origin="test", person="lead")
    against = answers.yardsticks(brought, ["q-late", "q-leave", "q-flat", "q-none"])
    assert [g.passage_id for g in against["q-late"].expected] == ["trial"]
    assert [g.passage_id for g in against["q-leave"].expected] == ["leave", "trial"]
    assert against["q-flat"].unanswerable.endswith("no passage says it")
    assert against["q-none"] == answers.Yardstick()


def test_the_scope_of_answers_is_the_answers_with_their_texts(brought: Store) -> None:
    found = list(pairs.of(brought, ANSWERS))
    assert [(p.query_id, p.passage_id) for p in found] == [
        ("q-leave", LEAVE.answer_id),
        ("q-lunch", LUNCH.answer_id),
    ]
    assert all(p.query and p.passage and p.passage.text for p in found)
    _label(brought, (LEAVE, Grade.YES))
    assert list(pairs.of(brought, pairs.POOL)) == []  # nothing is pooled, no passage is labelled


def test_agreement_on_passages_knows_nothing_of_answers_and_the_other_way_round(
    brought: Store,
) -> None:
    verdicts.keep(brought, [Verdict("q-leave", "leave", "j", Grade.YES, Status.OK, "relevance@1")])
    labels.bring(brought, [Judgment("q-leave", "leave", Grade.YES)], annotator="anna")
    _judge(brought, (LEAVE, Grade.NO), (LUNCH, Grade.YES))
    _label(brought, (LEAVE, Grade.YES), (LUNCH, Grade.YES))
    default = agreement.choose(brought)
    assert (default.rubric, default.answers) == ("relevance@1", False)
    report = agreement.build(brought, default)
    assert (report.agreement.n, report.agreement.disagreements) == (1, 0)
    assert sum(report.missing) == 0
    about = agreement.choose(brought, rubric=RUBRIC)
    assert about.answers
    report = agreement.build(brought, about)
    assert (report.agreement.n, report.agreement.disagreements) == (2, 1)
    assert sum(report.missing) == 0
    assert [case.passage for case in agreement.cases(brought, about)] == ["30 days."]


def test_verdicts_under_one_name_are_told_apart_by_what_they_are_on(brought: Store) -> None:
    """A file of verdicts may name no rubric at all."""
    said = [
        Verdict("q-leave", "leave", "j", Grade.YES, Status.OK),
        Verdict("q-leave", LEAVE.answer_id, "j", Grade.NO, Status.OK),
    ]
    verdicts.keep(brought, said)
    labels.bring(
        brought, [Judgment(v.query_id, v.passage_id, Grade.YES) for v in said], annotator="anna"
    )
    assert [(j.ok, j.answers) for j in verdicts.judges(brought, answers=None)] == [
        (1, True),
        (1, False),
    ]
    report = agreement.build(brought, agreement.choose(brought))
    assert (report.agreement.n, report.agreement.disagreements) == (1, 0)


def test_without_a_rubric_an_answers_judge_is_not_chosen(brought: Store) -> None:
    _judge(brought, (LEAVE, Grade.YES))
    assert verdicts.judges(brought) == []
    with pytest.raises(LabelerError, match=r"known: j correctness@1 \(answers\)"):
        agreement.choose(brought)


def test_a_settled_answer_is_no_settled_passage(brought: Store) -> None:
    _judge(brought, (LEAVE, Grade.YES))
    _label(brought, (LEAVE, Grade.YES))
    adjudications.record(
        brought,
        "q-leave",
        passage_id=LEAVE.answer_id,
        grade=Grade.YES,
        reason="right",
        reviewer="rita",
    )
    assert list(comparison.settled(brought)) == []
    assert list(settled.pairs(brought)) == []
    assert [s.grade for s in comparison.settled(brought, answers=True)] == ["YES"]
    assert [s.grade for s in settled.pairs(brought, answers=True)] == [Grade.YES]
    assert not list(verdicts.graded(brought, judge="j", rubric=RUBRIC, model=""))
    assert consistency.given(brought) == []
    case = next(c for c in casebook.cases(brought) if c.query.query_id == "q-leave")
    assert not case.answers
    assert bases.read(brought, bases.SETTLED).golden == {"q-flat": {}}  # found unanswerable


def test_an_answer_is_never_frozen_or_found(brought: Store) -> None:
    _judge(brought, (LEAVE, Grade.YES), (LUNCH, Grade.YES))
    _label(brought, (LEAVE, Grade.YES))
    frozen = freezing.freeze(brought, "fresh").golden
    assert {entry.passage_id for entry in frozen.entries} == {""}  # q-flat expects nothing
    assert corpora.count(brought) == 3
    assert LEAVE.answer_id not in corpora.ids(brought)
    assert LEAVE.answer_id not in outlines.current(brought)
    index = bm25.Bm25((p.passage_id, p.text) for p in corpora.every_passage(brought))
    assert {hit.passage_id for hit in index.search("30 days", 10)} == {"leave"}
    assert runs.candidates(brought) == 0


def test_a_spot_check_of_answers_is_handed_out_labelled_and_compared(brought: Store) -> None:
    verdicts.keep(brought, [Verdict("q-leave", "leave", "j", Grade.NO, Status.OK, RUBRIC)])
    _judge(brought, (LEAVE, Grade.NO), (LUNCH, Grade.YES))
    judged = agreement.choose(brought, rubric=RUBRIC)
    assert judged.answers
    check = drawing.draw(brought, "check", judged=judged)
    assert check.n == 2  # and not the passage under the same rubric
    window = tasks.window(brought, spotcheck="check", annotator="anna")
    told = tasks.texts(brought, spotcheck="check", annotator="anna", tasks=window.open)
    assert {text.passage.passage_id for text in told} == {LEAVE.answer_id, LUNCH.answer_id}
    for text in told:
        assert "WHAT ANSWERS THE QUERY" in text.passage.text
        assert "secret-bot" not in repr(text)
    events = [
        LabelEvent(
            str(uuid.uuid4()),
            text.query.query_id,
            text.passage.passage_id,
            "anna",
            "label",
            Grade.YES,
            spotcheck="check",
        )
        for text in told
    ]
    assert not labels.record(brought, events).refused
    report = agreement.build(brought, agreement.choose(brought, spotcheck="check"))
    assert (report.agreement.n, report.agreement.disagreements) == (2, 1)


def test_exported_pairs_hold_the_answers_text(brought: Store) -> None:
    _judge(brought, (LEAVE, Grade.YES))
    (batch,) = exports.pairs(brought)
    (row,) = batch.to_pylist()
    assert (row["passage"], row["verdicts"]) == ("30 days.", f"j {RUBRIC}=YES")


def test_an_answer_to_a_query_without_text_is_left_to_be_judged_later(store: Store) -> None:
    answers.record(store, [Brought(replace(LEAVE, query_id="unheard"))])
    (pair,) = pairs.of(store, ANSWERS)
    assert pair.query is None
    queries.record(store, [Query("unheard", "what?")])
    (pair,) = pairs.of(store, ANSWERS)
    assert pair.query is not None
