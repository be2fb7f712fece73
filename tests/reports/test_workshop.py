"""The workshop: tuned on one part, confirmed on the other, each look counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from labeler.errors import LabelerError
from labeler.model import GRADES, Grade, Judgment, Passage, Query, Status, Verdict
from labeler.reports import agreement, judges, workshop, workshop_lines
from labeler.stats.parts import Part, held_out
from labeler.store import (
    adjudications,
    corpora,
    examples,
    labels,
    looks,
    people,
    queries,
    spotchecks,
    verdicts,
)
from labeler.store import rubrics as rubric_store
from labeler.store.comparison import Selection
from labeler.store.db import Store, open_store

NO, PART, YES = GRADES
TUNE = [name for name in (f"n{i}" for i in range(300)) if not held_out(name)]
HELD = [name for name in (f"n{i}" for i in range(300)) if held_out(name)]


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb", clock=Clock()) as opened:
        yield opened


def judged(store: Store, rubric: str, grades: dict[str, Grade], **more: object) -> None:
    verdicts.keep(
        store,
        [
            Verdict(q, "p", "j", grade, Status.OK, rubric, reason=f"{rubric} says so", **more)
            for q, grade in grades.items()
        ],
    )


def setup(
    store: Store, *, tune: tuple[int, int, int], held: tuple[int, int, int]
) -> tuple[Selection, Selection]:
    """Labels that are YES everywhere, and of each part (fixed, broken, right in both) pairs, each
    of a query of its own."""
    first: dict[str, Grade] = {}
    second: dict[str, Grade] = {}
    for names, (fixed, broken, both) in ((TUNE, tune), (HELD, held)):
        for place, name in zip(range(fixed + broken + both), names, strict=False):
            first[name] = NO if place < fixed else YES
            second[name] = NO if fixed <= place < fixed + broken else YES
    labels.bring(store, [Judgment(q, "p", YES) for q in first], annotator="anna")
    judged(store, "r@1", first)
    judged(store, "r@2", second)
    drawn = [spotchecks.Drawn(q, "p", str(first[q]), 1.0) for q in first]
    sizes = [
        spotchecks.Stratum(str(g), n, n) for g in GRADES if (n := list(first.values()).count(g))
    ]
    check = spotchecks.SpotCheck(
        "check", 1, len(drawn), 5, 1, "j", "r@1", "", datetime(2026, 3, 1, tzinfo=UTC)
    )
    spotchecks.record(store, check, sizes, drawn)
    return workshop.choose(store, "r@1", "r@2", spotcheck="check")


def test_fixed_broken_and_unchanged_are_counted_with_both_reasons(store: Store) -> None:
    """6 fixed and none broken: exact McNemar p = 2 * (1/2)^6 = .03125; of the 6 NO and
    24 YES verdicts that the check stands for 6 fewer are wrong, a difference of -.2."""
    first, second = setup(store, tune=(6, 0, 14), held=(0, 3, 7))
    made = workshop.build(store, first, second)
    assert (made.part, made.held_out) == (Part.TUNE, 10)
    assert (made.fixed, made.broken, made.unchanged, made.compared.n) == (6, 0, 14, 20)
    assert made.compared.p == pytest.approx(0.03125)
    assert made.compared.difference.value == pytest.approx(-0.2)
    assert made.better == "second"
    case = next(one for one in made.cases if workshop.outcome(one) == workshop.FIXED)
    assert (case.first_reason, case.second_reason) == ("r@1 says so", "r@2 says so")
    assert {one.query_id for one in made.cases}.isdisjoint(HELD)
    found = workshop_lines.as_json(made)
    assert (found["fixed"], found["broken"], found["better"], found["look"]) == (6, 0, "b", None)
    assert looks.history(store) == []  # tuning is no look at what is held out


def test_one_that_differs_on_five_pairs_is_never_called_better(store: Store) -> None:
    """(5, 0): p = .0625, although the bootstrap over queries excludes 0."""
    first, second = setup(store, tune=(5, 0, 30), held=(5, 0, 30))
    made = workshop.build(store, first, second)
    assert made.compared.reading == "second"
    assert made.compared.p == pytest.approx(0.0625)
    assert made.better == ""
    assert "fewer than six pairs differ" in workshop_lines.sentence(made)
    look = workshop.confirm(store, first, second).look
    assert look is not None
    assert look.reading == "not confirmed"


def test_better_on_the_tune_part_and_worse_on_the_held_out_part_is_not_confirmed(
    store: Store,
) -> None:
    first, second = setup(store, tune=(12, 0, 20), held=(0, 4, 20))
    assert workshop.build(store, first, second).better == "second"
    look = workshop.confirm(store, first, second, person="rita").look
    assert look is not None
    assert (look.reading, look.n, look.disagreements) == ("worse", 24, 4)
    assert "not confirmed: it is worse" in workshop_lines.looked(look)
    report = agreement.build(store, second)
    assert report.confirmed.status == "worse"
    assert report.gate.reasons[-1].startswith("j · r@2 is not confirmed")
    audited = people.history(store)[0]
    assert (audited.person, audited.action) == ("rita", "look at held-out")


def test_each_look_is_counted_and_costs_significance(store: Store) -> None:
    """(8, 0): p = 2 / 2^8 = .0078; times 6 it is .047, times 7 .055."""
    first, second = setup(store, tune=(0, 0, 5), held=(8, 0, 12))
    found = [workshop.confirm(store, first, second).look for _ in range(7)]
    assert [look.look for look in found if look] == [1, 2, 3, 4, 5, 6, 7]
    readings = [look.reading for look in found if look]
    assert readings == ["confirmed"] * 6 + ["not confirmed"]
    third = found[2]
    assert third is not None
    assert workshop_lines.count(third) == (
        "Third look: this p value no longer means what it says (0.0234 after 3 looks). "
        "Draw more held-out labels."
    )
    assert workshop.confirm(store, first, second).cases == []  # numbers alone, never the pairs
    assert len(looks.history(store)) == 8


def test_looks_at_other_pairs_do_not_count(store: Store) -> None:
    first, second = setup(store, tune=(0, 0, 5), held=(1, 0, 5))
    workshop.confirm(store, first, second)
    labels.bring(store, [Judgment(HELD[100], "p", YES)], annotator="anna")
    assert looks.earlier(store, [(HELD[100], "p")]) == 0
    assert looks.earlier(store, [(HELD[100], "p"), (HELD[0], "p")]) == 1


def test_with_nothing_to_tune_on_nothing_is_shown_and_the_rest_can_be_confirmed(
    store: Store,
) -> None:
    first, second = setup(store, tune=(0, 0, 0), held=(7, 0, 5))
    made = workshop.build(store, first, second)
    assert (made.compared.n, made.held_out, made.better) == (0, 12, "")
    found = workshop_lines.as_json(made)
    assert found["difference"] is None
    assert found["undefined"] == "no pair has a label and both verdicts"
    assert workshop_lines.sentence(made).startswith("Nothing to compare")
    assert list(workshop_lines.lines(made))
    look = workshop.confirm(store, first, second).look
    assert look is not None
    assert look.reading == "confirmed"


def test_without_a_held_out_pair_nothing_is_confirmed(store: Store) -> None:
    first, second = setup(store, tune=(1, 0, 5), held=(0, 0, 0))
    with pytest.raises(LabelerError, match="No held-out pair"):
        workshop.confirm(store, first, second)


def test_pairs_that_are_examples_of_the_rubric_do_not_validate_it(store: Store) -> None:
    tuned, held = TUNE[0], HELD[0]
    queries.record(store, [Query(tuned, "how many?"), Query(held, "how few?")])
    corpora.record(store, [Passage("p", "Many are called,  few\nare chosen.")], name="c")
    for query in (tuned, held):
        adjudications.record(
            store, query, passage_id="p", grade=YES, reason="it says so", reviewer="rita"
        )
    (offered,) = examples.offered(store)  # what is held out is never shown to a judge
    assert offered.query_id == tuned
    assert set(offered.shown) == {"query", "passage", "reason", "grade"}
    rubric_store.add(store, "r", text="one")
    rubric_store.add(store, "r", text="two", examples=[offered.shown])
    first, second = setup(store, tune=(1, 0, 4), held=(0, 0, 5))
    made = workshop.build(store, first, second)
    assert (made.compared.n, made.examples) == (4, 1)
    assert tuned not in {one.query_id for one in made.cases}
    report = agreement.build(store, second)
    assert (report.agreement.n, report.confirmed.examples) == (9, 1)
    assert agreement.build(store, first).agreement.n == 10


def test_a_rubric_written_after_the_labels_is_only_tuned_until_it_is_confirmed(
    store: Store,
) -> None:
    rubric_store.add(store, "r", text="one", by="lee")
    first, second = setup(store, tune=(6, 0, 14), held=(9, 0, 11))
    rubric_store.add(store, "r", text="two", by="lee")
    before = agreement.build(store, first)
    assert before.confirmed.status == "not tuned"
    report = agreement.build(store, second)
    assert (report.confirmed.status, report.confirmed.before) == ("only tuned", 40)
    assert "may be fitted to them" in report.gate.reasons[-1]
    assert agreement.as_json(report)["confirmed"]["status"] == "only tuned"
    workshop.confirm(store, first, second)
    report = agreement.build(store, second)
    assert report.confirmed.status == "confirmed"
    assert report.confirmed.looks == 1


def test_the_cheapest_judge_that_passes_stands_out(store: Store) -> None:
    """40 labels, 20 YES and 20 NO; dear and cheap are always right, bad is always NO."""
    numbers = count()
    asked = [f"q{next(numbers)}" for _ in range(40)]
    right = {q: YES if place % 2 else NO for place, q in enumerate(asked)}
    labels.bring(store, [Judgment(q, "p", grade) for q, grade in right.items()], annotator="a")
    judged(store, "dear@1", right, model="m", cost=0.002, input_tokens=9)
    judged(store, "cheap@1", right, model="m", cost=0.0005, input_tokens=9)
    judged(store, "bad@1", dict.fromkeys(right, NO), model="m", cost=0.0001, input_tokens=9)
    found = judges.candidates(store)
    assert [one.selection.rubric for one in found] == ["cheap@1", "dear@1", "bad@1"]
    assert [one.stands_out for one in found] == [True, False, False]
    assert found[0].price == pytest.approx(0.5)
    assert [str(one.decision) for one in found] == ["TRUSTED", "TRUSTED", "REJECTED"]


def test_names_are_rubrics_judges_or_models(store: Store) -> None:
    setup(store, tune=(1, 0, 1), held=(0, 0, 1))
    other = [Verdict(TUNE[0], "p", "k", YES, Status.OK, "r@2", model="big")]
    verdicts.keep(store, other)
    assert [s.rubric for s in workshop.choose(store, "r@1", "r")] == ["r@1", "r@2"]
    one, two = workshop.choose(store, "r@1", "k")
    assert (one.judge, two.judge, two.model) == ("j", "k", "big")
    assert workshop.choose(store, "r@1", "r@2")[1].judge == "j"  # the same judge, though not newest
    with pytest.raises(LabelerError, match="no verdicts of 'x'; known: k"):
        workshop.choose(store, "x", "r@1")
    with pytest.raises(LabelerError, match="are the same"):
        workshop.choose(store, "big", "k")
