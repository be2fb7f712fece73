"""What to label next: drawn by chance from what is unlabelled, stored as a list, and worth it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from labeler import planning
from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, LabelEvent, Query
from labeler.reports import corrected, partly, plans
from labeler.stats.measures import Reading, measure
from labeler.store import (
    evaluations,
    evidence,
    goldens,
    holdouts,
    labels,
    lists,
    queries,
    spotchecks,
    tasks,
)
from labeler.store.comparison import Selection
from labeler.store.db import Store, open_store
from labeler.store.evidence import Outcome
from labeler.store.wording import UNBOUNDED
from tests.partly import judge, label, population, ran

R5, P2 = measure("R@5"), measure("P@2")
J = Selection("j")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


def planned(store: Store, **asked) -> planning.Plan:
    defaults = {"systems": ["weak"], "measured": R5, "judged": J, "n": 8, "seed": 3}
    return planning.plan(store, **(defaults | asked))


def stored(store: Store, name: str) -> list[tuple[str, str, str, float, int]]:
    sql = "select query_id, passage_id, stratum, weight, wanted from tasks where spotcheck = $1"
    return [tuple(row) for row in store.rows(f"{sql} order by task", [name])]


def test_a_list_holds_all_that_its_queries_lack_query_by_query(store):
    population(store)
    plan = planned(store)
    check = planning.draw(store, " monday ", plan, person="lead")
    assert (check.name, check.n, check.seed, check.judge) == ("monday", 0, 3, "j")
    rows = [row for row in stored(store, "monday") if row[2] == lists.NEXT]
    by_query: dict[str, list[str]] = {}
    for query_id, passage_id, _, weight, wanted in rows:
        by_query.setdefault(query_id, []).append(passage_id)
        chance = next(each.chance for each in plan.chosen if each.query_id == query_id)
        assert weight == pytest.approx(1 / chance)
        assert wanted == 1
    assert list(by_query) == [each.query_id for each in plan.chosen]
    assert len(by_query) == plan.needs == 8
    assert plan.labels == len(rows) == 80
    everything = {f"p{n}" for n in range(10)}
    assert all(set(of) == everything for of in by_query.values())
    # Neither the order of the ids nor that of the ranks, and another for every query.
    assert len({tuple(of) for of in by_query.values()}) > 1
    assert all(of != sorted(of) for of in by_query.values())
    labelled = set(partly.build(store, ["weak"], judged=J).labels)
    assert labelled.isdisjoint(by_query)


def test_a_measure_of_the_top_alone_asks_for_the_top_alone(store):
    population(store)
    plan = planned(store, measured=P2)
    found = partly.build(store, ["weak"], judged=J)
    for each in plan.chosen:
        assert set(each.passages) == set(found.runs["weak"].run[each.query_id][:2])
    two = planned(store, measured=P2, systems=["weak", "strong"])
    both = partly.build(store, ["weak", "strong"], judged=J)
    for each in two.chosen:
        tops = {p for of in both.runs.values() for p in of.run[each.query_id][:2]}
        assert set(each.passages) == tops


def test_what_is_labelled_already_is_not_asked_again(store):
    judge(store, dict.fromkeys("pqr", "a2 b0 c1"))
    ran(store, dict.fromkeys("pqr", "a b c"))
    label(store, {"p": "a2 b0 c0", "q": "b0"})
    plan = planned(store, systems=["s"], n=9)
    assert {each.query_id: set(each.passages) for each in plan.chosen} == {
        "q": {"a", "c"},
        "r": {"a", "b", "c"},
    }
    assert plan.needs == 2
    assert [each.chance for each in plan.chosen] == [1, 1]


def test_a_query_that_got_nothing_can_be_labelled_too(store):
    judge(store, {"p": "a2 b0", "q": "a2 b0"})
    ran(store, {"p": "a b"})
    ran(store, {"p": "b a", "q": "b a"}, system="other")
    plan = planned(store, systems=["s", "other"], measured=P2, n=9)
    assert {each.query_id: set(each.passages) for each in plan.chosen}["q"] == {"a", "b"}


def test_the_queries_of_a_need_come_and_weigh_together(store):
    queries.record(store, [Query(q, q, need_id="one") for q in "pq"])
    judge(store, dict.fromkeys("pqr", "a2 b1"))
    ran(store, dict.fromkeys("pqr", "a b"))
    plan = planned(store, systems=["s"], n=1, seed=5)
    drawn = {seed: planned(store, systems=["s"], n=1, seed=seed) for seed in range(12)}
    chosen = {tuple(sorted(e.query_id for e in of.chosen)) for of in drawn.values()}
    assert chosen == {("p", "q"), ("r",)}
    assert all(len({e.chance for e in of.chosen}) == 1 for of in drawn.values())
    # The need of two costs twice as much and tells as much as either: it comes up less often.
    assert plan.open.units == 2


def test_what_was_labelled_before_counts_as_drawn_at_random_unless_told(store):
    population(store, labelled=20)
    plan = planned(store)
    planning.draw(store, "list", plan)
    before = [row for row in stored(store, "list") if row[2] == lists.BEFORE]
    assert len(before) == len(plan.before) == 20
    assert {row[4] for row in before} == {0}
    # Nobody is asked for these, and they are no part of the list's work.
    assert tasks.overall(store, "list") == (0, 80)
    assert tasks.progress(store, spotcheck="list", annotator="ann") == (0, 80, 0)
    first = plan.chosen[0].query_id
    label(store, {first: " ".join(f"p{n}0" for n in range(10))})
    report = corrected.build(store, ["weak"], judge="j")
    number = report.partly.query_ids.index(first)
    labelled = [*map(report.partly.query_ids.index, sorted(report.partly.labels))]
    weights = dict(zip(labelled, report.partly.weights(labelled), strict=True))
    # One of 21, so that it stands for about a 21st of the 80.
    assert 2 < weights[number] < 8
    # Picked on purpose, the 20 would stand for themselves and the first of the list for the rest.
    alone = planned(store, at_random=False)
    assert alone.before == ()


def test_a_later_list_leaves_to_the_first_what_it_counts(store):
    population(store, labelled=20)
    planning.draw(store, "first", planned(store))
    again = planned(store)
    assert again.before == ()
    # What the first passed over has its chance again, by other numbers.
    assert [e.query_id for e in again.chosen] != [e.query_id for e in planned(store, n=4).before]


def test_the_same_seed_plans_the_same_list_and_a_longer_one_extends_it(store):
    population(store)
    short, longer = planned(store, n=5), planned(store, n=15)
    assert [e.query_id for e in longer.chosen[:5]] == [e.query_id for e in short.chosen]
    assert planned(store, n=5).chosen == short.chosen
    assert planned(store, n=5, seed=4).chosen != short.chosen


def test_a_query_that_verdicts_leave_open_comes_up_more_often(store):
    """Other judges agree with j on half of the queries and contradict it on the rest."""
    sure = {f"s{n}": "a2 b0 c0 d0" for n in range(30)}
    open_ = {f"o{n}": "a2 b0 c0 d0" for n in range(30)}
    judge(store, sure | open_)
    judge(store, sure | dict.fromkeys(open_, "a0 b2 c2 d0"), name="second")
    ran(store, dict.fromkeys([*sure, *open_], "a b c d"))
    said = {f"s{n}": "a2 b0 c0 d0" for n in range(8)}
    said |= {f"o{n}": "a2 b0 c0 d0" if n % 2 else "a0 b2 c2 d0" for n in range(8)}
    label(store, said)
    plan = planned(store, systems=["s"], measured=measure("P@1"), n=15)
    chance = {each.query_id: each.chance for each in plan.chosen}
    kinds = Counter(query_id[0] for query_id in chance)
    assert plan.judges == ("second",)
    assert kinds["o"] > kinds["s"]
    assert min(chance[q] for q in chance if q[0] == "o") > max(
        chance[q] for q in chance if q[0] == "s"
    )


def test_the_number_stands_as_the_corrected_report_has_it(store):
    population(store)
    one = planned(store, reading=Reading.LENIENT, target=0.99)
    report = corrected.build(store, ["weak", "strong"], judge="j", reading=Reading.LENIENT)
    assert one.now == report.runs["weak"]["R@5"]
    assert one.outlook.needed == (0, 0, "")
    two = planned(store, reading=Reading.LENIENT, systems=["weak", "strong"])
    assert two.now == report.differences[0].measures["R@5"]
    assert two.target == 0
    assert two.after is not None
    assert two.after.labels == pytest.approx(two.labels, abs=2)


def test_held_out_queries_are_left_alone(store):
    population(store, labelled=0)
    names = partly.build(store, ["weak"], judged=J).query_ids
    entries = [GoldenEntry(q, "p0", Grade.YES) for q in names]
    goldens.record(store, "kept", entries, origin="file", person="ann")
    holdouts.hold_out(store, "kept", share=0.5)
    held = holdouts.part(store, goldens.named(store, "kept")).held_out
    plan = planned(store, n=80)
    assert held
    assert held.isdisjoint(each.query_id for each in plan.chosen)
    assert plan.needs == 80 - len(held)


def test_the_list_is_handed_out_and_after_it_the_interval_is_as_narrow_as_expected(store):
    population(store, many=160, labelled=30)
    plan = planned(store, n=40)
    planning.draw(store, "list", plan)
    assert tasks.with_work_left(store, annotator="ann").name == "list"
    assert spotchecks.history(store) == []
    window = tasks.window(store, spotcheck="list", annotator="ben", limit=1000)
    assert len(window.open) == plan.labels
    random = np.random.default_rng(0)
    order = {task.task: task for task in window.order}
    events = [
        LabelEvent(
            f"{number:08}-0000-4000-8000-000000000000",
            order[number].query_id,
            order[number].passage_id,
            "ben",
            "label",
            [Grade.NO, Grade.NO, Grade.NO, Grade.PART, Grade.YES][random.integers(5)],
            spotcheck="list",
        )
        for number in window.open
    ]
    assert not labels.record(store, events).refused
    report = corrected.build(store, ["weak"], judge="j")
    assert report.by_lists
    found = report.runs["weak"]["R@5"]
    half = (found.corrected.interval.hi - found.corrected.interval.lo) / 2
    assert found.labelled >= 60
    assert half < plan.outlook.half_width
    assert plan.after.half_width == pytest.approx(half, rel=0.35)


def test_a_query_that_nothing_answers_is_not_asked(store):
    population(store, labelled=5)
    name = next(iter(partly.build(store, ["weak"], judged=J).query_ids))
    queries.record(store, [Query(name, "what?")])
    evidence.keep_search(
        store, name, text="it", filters=UNBOUNDED, with_all=0, with_some=0, top=[], person="ann"
    )
    evidence.decide(store, name, outcome=Outcome.UNANSWERABLE, reason="none", person="ann")
    plan = planned(store, n=80)
    assert name not in {each.query_id for each in plan.chosen}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"systems": []}, "0 runs: the number is of one run, or of two compared"),
        ({"systems": ["weak", "strong", "x"]}, "3 runs"),
        ({"systems": ["weak", "strong"], "target": 0.1}, "A target is of one run"),
        ({"systems": ["x"]}, "There is no run of 'x'"),
        ({"measured": measure("Judged@5")}, "has no interval for them to narrow"),
        ({"judged": Selection("k")}, "k has judged no pair of a query of weak"),
    ],
)
def test_what_cannot_be_planned_is_said(store, asked, said):
    population(store)
    with pytest.raises(LabelerError, match=said):
        planned(store, **asked)


def test_a_run_that_is_too_shallow_for_the_measure_is_refused(store):
    population(store)
    evaluations.note_asking(store, "weak", evaluations.Asking(4, (), ""))
    with pytest.raises(LabelerError, match="weak was asked for 4 passages: no R@5"):
        planned(store)
    assert planned(store, measured=P2).labels == 16


def test_nothing_is_next_once_all_is_labelled(store):
    judge(store, {"p": "a2 b0"})
    ran(store, {"p": "a b"})
    label(store, {"p": "a2 b0"})
    with pytest.raises(LabelerError, match="Every judged query is labelled for R@5: none is next"):
        planned(store, systems=["s"])


def test_a_name_that_is_taken_or_missing_stores_nothing(store):
    population(store)
    plan = planned(store)
    planning.draw(store, "list", plan)
    with pytest.raises(LabelerError, match="already"):
        planning.draw(store, "list", plan)
    with pytest.raises(LabelerError, match="list's name has 1 to 80"):
        planning.draw(store, "  ", plan)
    assert len(store.rows("select name from spotchecks")) == 1


def test_what_is_said_of_a_plan_is_what_it_holds(store):
    population(store)
    plan = planned(store, target=0.5)
    said = "\n".join(plans.lines(plan, name="monday"))
    assert said.startswith(
        "monday: 8 queries and 80 labels for R@5 of weak, strict reading, seed 3"
    )
    assert f"{plan.now.corrected.value:.3f} [" in said
    assert f"+- {plan.after.half_width:.3f} is expected" in said
    assert "The 30 queries labelled before count as drawn at random." in said
    assert "Whether R@5 of weak is over 0.5: " in said
    two = planned(store, systems=["weak", "strong"])
    assert "R@5 of strong minus weak" in "\n".join(plans.lines(two))
    assert plans.settled(two) == "Which of weak and strong has more R@5: settled, it is strong"
    found = plans.as_json(plan)
    assert found["labels"] == 80
    assert found["interval"] == list(plan.now.corrected.interval)
    assert [each["queries"] for each in found["expected"]] == [8, 10, 20, 50]


def test_without_any_label_the_interval_is_foretold_and_nothing_is_settled(store):
    population(store, labelled=0)
    plan = planned(store, target=0.8)
    found = plans.as_json(plan)
    assert (found["value"], found["half_width"], found["foretold"]) == (None, None, True)
    assert found["undefined"]
    assert found["needed"]["queries"] is None
    assert "only 0 labelled queries" in plans.settled(plan)
    assert "is not known yet" in plans.standing(plan)
    assert found["after"]["half_width"] > 0
