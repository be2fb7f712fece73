"""The report on answers: what became of each query, by hand, and one object for text and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labeler.errors import LabelerError
from labeler.judges import claims
from labeler.model import Answer, Given, GoldenEntry, Grade, Judgment, Query, Status, Verdict
from labeler.reports import answers as reports
from labeler.reports import answers_json, answers_text
from labeler.reports.answers import Group, Report
from labeler.stats.answers import Fate
from labeler.store import answers, goldens, holdouts, labels, queries, replies, verdicts
from labeler.store.answers import Brought
from labeler.store.db import Store, open_store
from labeler.store.replies import Kept
from tests.answered import fill
from tests.servers.answers import message

RUBRIC = "correctness@1"
BOTH = (Given("leave", ""), Given("trial", ""))
LEAVE = Answer("q-leave", "bot", "production", "30 days.", BOTH)
HALF = replace(LEAVE, context=BOTH[:1])
LUNCH = Answer("q-lunch", "bot", "production", "At noon.", (Given("", "X: Lunch is\nat noon."),))
FLAT = Answer("q-flat", "bot", "production", "It does not say.", ())
LATE = Answer("q-late", "bot", "production", "Until one.", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb") as opened:
        fill(opened)
        yield opened


def graded(store: Store, *found: tuple[Answer, Grade | None], judge: str = "j") -> None:
    """Answers with a judge's grades; one without is not graded."""
    answers.record(store, [Brought(answer) for answer, _ in found])
    said = [
        Verdict(a.query_id, a.answer_id, judge, grade, Status.OK, RUBRIC, reason=f"why {grade}")
        for a, grade in found
        if grade is not None
    ]
    verdicts.keep(store, said)


def labelled(store: Store, *found: tuple[Answer, Grade]) -> None:
    given = [Judgment(a.query_id, a.answer_id, grade) for a, grade in found]
    labels.bring(store, given, annotator="anna")


def claimed(store: Store, answer: Answer, *support: str, refuses: bool = False) -> None:
    """A reply that lists claims with this support."""
    exhibit = answers.exhibits(store, [answer])[answer.answer_id]
    query = queries.named(store, [answer.query_id])[answer.query_id]
    listed = [
        {"claim": f"c{n}", "support": s, "passages": [] if s == "not found" else [1]}
        for n, s in enumerate(support)
    ]
    raw = message(json.dumps({"refuses": refuses, "claims": listed}))
    subject = claims.subject(query, exhibit)
    kept = Kept(claims.PURPOSE, subject, subject, "m", Status.OK, "", raw, 1, 1, 0.0, "", "")
    replies.keep(store, [kept])


def built(store: Store, **options: Any) -> Report:
    return reports.build(store, judged=reports.choose(store), **options)


def only(store: Store) -> Group:
    (group,) = built(store).groups
    return group


@pytest.mark.parametrize(
    ("answer", "grade", "found"),
    [
        (LEAVE, Grade.YES, Fate.OK),
        (LEAVE, Grade.PART, Fate.GENERATION),
        (HALF, Grade.NO, Fate.RETRIEVAL),  # a query of kind multi_passage needs both
        (HALF, Grade.YES, Fate.LUCKY),
        (LUNCH, Grade.YES, Fate.OK),  # the passage's text came, spaced otherwise, without its id
        (replace(LUNCH, context=(Given("", "Dinner is at noon."),)), Grade.YES, Fate.LUCKY),
        (replace(LUNCH, context=()), Grade.NO, Fate.RETRIEVAL),
        (FLAT, Grade.YES, Fate.REFUSED),
        (replace(FLAT, text="At sea."), Grade.NO, Fate.OVERREACH),
        (LATE, Grade.NO, Fate.UNKNOWN),
        (LEAVE, None, Fate.UNKNOWN),
    ],
)
def test_whether_the_passages_came_and_the_answer_is_right(
    store: Store, answer: Answer, grade: Grade | None, found: Fate
) -> None:
    graded(store, (answer, grade))
    assert dict(only(store).fates) == {found: 1}


def test_every_golden_query_counts_and_one_without_an_answer_is_wrong(store: Store) -> None:
    graded(store, (LEAVE, Grade.YES), (LUNCH, Grade.NO), (FLAT, Grade.YES))
    group = only(store)
    assert group.strict.corrected.judge_only.value == pytest.approx(2 / 3)
    assert group.overall is not None
    # A right refusal is right; q-late has no answer: 2 of 4.
    assert group.overall.corrected.judge_only.value == pytest.approx(2 / 4)
    assert (group.missing, group.outside) == (1, 0)


def test_people_are_believed_before_the_judge_and_both_are_shown(store: Store) -> None:
    graded(store, (LEAVE, Grade.NO), (LUNCH, Grade.YES))
    labelled(store, (LEAVE, Grade.YES))
    group = only(store)
    assert dict(group.fates) == {Fate.OK: 2}
    right = group.strict.corrected
    assert (right.judge_only.value, right.people_only.value) == (0.5, 1.0)
    assert group.strict.uncovered == (Grade.YES,)
    judged = built(store).judged
    assert judged is not None
    assert (judged.n, str(judged.decision)) == (1, "UNDECIDED")


def test_answers_to_held_out_queries_are_left_alone(store: Store) -> None:
    graded(store, (LEAVE, Grade.YES), (LUNCH, Grade.YES), (FLAT, Grade.YES), (LATE, Grade.YES))
    holdouts.hold_out(store, "support", share=0.5, person="lead")
    held = holdouts.held(store, "support", ["q-leave", "q-lunch", "q-flat", "q-late"])
    assert 0 < len(held) < 4
    report = built(store)
    (group,) = report.groups
    assert report.left_alone == len(held)
    assert held.isdisjoint(case.answer.query_id for case in group.cases)
    assert (group.missing, group.outside) == (0, 0)
    assert any("to held-out ones are left alone" in line for line in answers_text.head(report))


def test_refusals_right_and_wrong(store: Store) -> None:
    queries.record(store, [Query("q-moon", "Who owns the moon?")])
    more = [GoldenEntry("q-moon", "", None)]
    goldens.record(store, "support", more, origin="test", person="lead")
    graded(store, (LEAVE, Grade.NO), (LUNCH, Grade.YES), (FLAT, Grade.NO))
    claimed(store, LEAVE, refuses=True)
    claimed(store, LUNCH, "supported")
    assert only(store).refusals == reports.Refusals(
        unanswerable=2, right=0, wrong=1, ungraded=0, missing=1, refused=1, checked=2
    )


def test_faithfulness_is_a_mean_over_answers_that_claim_something(store: Store) -> None:
    graded(store, (LEAVE, None), (LUNCH, None), (FLAT, None), (LATE, None))
    claimed(store, LEAVE, "supported", "contradicted", "not found", "supported")
    claimed(store, LUNCH, "supported")
    claimed(store, FLAT, refuses=True)
    found = only(store).faithfulness
    assert found.mean.value == pytest.approx((2 / 4 + 1) / 2)
    assert (found.answers, found.without_claims, found.unknown, found.unchecked) == (2, 1, 1, 0)
    assert found.claims == {"supported": 3, "contradicted": 1, "not found": 1}
    # Another context is another question.
    answers.record(store, [Brought(HALF)])
    assert only(store).faithfulness.unchecked == 1


def test_no_answer_with_a_claim_has_no_mean(store: Store) -> None:
    graded(store, (FLAT, Grade.YES))
    claimed(store, FLAT, refuses=True)
    mean = only(store).faithfulness.mean
    assert (mean.value, mean.reason) == (None, "no answer with a claim has been checked")


def test_the_stage_to_work_on_is_read_off_the_same_queries(store: Store) -> None:
    asked = [Query(f"q{n:02}", f"query {n}?") for n in range(40)]
    queries.record(store, asked)
    production = [Answer(q.query_id, "bot", "production", "x", ()) for q in asked]
    selected = [replace(one, context_kind="selected", text="y") for one in production]
    frozen = [replace(one, context_kind="frozen", text="z") for one in production]

    def so(found: list[Answer], right: int) -> list[tuple[Answer, Grade]]:
        return [(a, Grade.YES if n < right else Grade.NO) for n, a in enumerate(found)]

    graded(store, *so(production, 20), *so(selected, 38), *so(frozen, 21))
    first, second = built(store).compared
    assert (first.context, second.context) == ("frozen", "selected")
    assert "52.5% are right, against 50% in production (+2.5 points" in answers_text.advice(first)
    assert answers_text.advice(first).endswith("not told apart.")
    said = answers_text.advice(second)
    assert said.startswith("bot: with the right passages in hand 95% are right, against 50% in")
    assert "work on retrieval. Generation loses 5% even so." in said
    graded(store, *so(selected, 24))
    said = answers_text.advice(built(store).compared[1])
    assert "even with the right passages in hand only 60% are right" in said
    assert "work on generation, which loses 40%" in said
    assert answers_text.caution(built(store)).endswith("the gate says UNDECIDED of that judge.")
    graded(store, *so(selected, 30))
    assert "Which stage loses more is not told apart" in answers_text.advice(
        built(store).compared[1]
    )


def test_a_verdict_on_what_has_changed_since_is_counted(store: Store) -> None:
    graded(store, (LEAVE, None))
    shown = answers.exhibits(store, [LEAVE])[LEAVE.answer_id].passage
    said = Verdict(
        "q-leave", LEAVE.answer_id, "j", Grade.YES, Status.OK, RUBRIC, passage_hash=shown.hash
    )
    verdicts.keep(store, [said])
    assert only(store).stale == 0
    answers.record(store, [Brought(HALF)])
    assert only(store).stale == 1


def test_without_anything_to_measure_against_the_answers_are_still_judged(tmp_path: Path) -> None:
    with open_store(tmp_path / "bare.duckdb") as store:
        with pytest.raises(LabelerError, match="There are no answers"):
            built(store)
        graded(store, (LEAVE, Grade.YES))
        report = built(store)
        assert report.basis is None
        (group,) = report.groups
        assert (group.overall, dict(group.fates)) == (None, {Fate.UNKNOWN: 1})
        assert group.strict.corrected.judge_only.value == 1.0
        assert any("Golden set none" in line for line in answers_text.lines(report))
        with pytest.raises(LabelerError, match="no golden set"):
            built(store, golden="nothing")
        with pytest.raises(LabelerError, match="There are no answers of 'bat'; known: bot"):
            built(store, system="bat")


def test_the_judge_is_chosen_by_name_or_is_the_newest(store: Store) -> None:
    assert reports.choose(store) is None
    graded(store, (LEAVE, Grade.YES), judge="old")
    graded(store, (LEAVE, Grade.NO), judge="new")
    newest, named = reports.choose(store), reports.choose(store, judge="old")
    assert newest is not None
    assert named is not None
    assert (newest.judge, named.judge) == ("new", "old")
    with pytest.raises(LabelerError, match="no verdicts of who on answers; known: new correct"):
        reports.choose(store, judge="who")


def test_the_json_has_the_numbers_of_the_text(store: Store) -> None:
    graded(store, (LEAVE, Grade.NO), (LUNCH, Grade.YES), (FLAT, Grade.YES))
    claimed(store, LEAVE, "supported", "not found")
    report = built(store)
    told = json.loads(json.dumps(answers_json.as_json(report), allow_nan=False))
    (system,) = told["systems"]
    right = system["correctness"]["strict"]
    assert right["judge_only"]["value"] == pytest.approx(2 / 3)
    assert right["people_only"] == {
        "value": None,
        "interval": None,
        "reason": "no labelled query has the measure",
    }
    assert system["end_to_end"]["missing"] == 1
    assert system["faithfulness"]["value"] == 0.5
    (wrong,) = system["wrong"]
    assert (wrong["query_id"], wrong["grade"], wrong["fate"]) == ("q-leave", "NO", "GENERATION")
    assert [one["support"] for one in wrong["claims"]] == ["supported", "not found"]
    text = "\n".join(answers_text.lines(report))
    assert "66.7%" in text
    assert "claim   not found: c1" in text
    assert "q-leave: NO (judge), GENERATION" in text
    assert "0 of" not in text
