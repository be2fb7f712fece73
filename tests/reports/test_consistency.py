"""People against each other, against settled pairs, and against themselves."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from labeler.model import Grade, Judgment, LabelEvent, Passage, Query
from labeler.reports import consistency
from labeler.store import adjudications, corpora, desk, labels, queries, tasks
from labeler.store.db import Store, open_store

GRADES = (Grade.NO, Grade.PART, Grade.YES)
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labels.duckdb") as opened:
        yield opened


def press(store: Store, person: str, passage_id: str, grade: Grade | None, seconds: float) -> None:
    """One answer at the desk, `seconds` after START by the browser's clock; None is unsure."""
    queries.record(store, [Query("q", "how?")])
    corpora.record(store, [Passage(passage_id, "text")], name="c")
    desk.add(store, "q", passage_id=passage_id, person=person)
    name = desk.name(person, "q")
    tasks.window(store, spotcheck=name, annotator=person, limit=60)
    event = LabelEvent(
        str(uuid.uuid4()),
        "q",
        passage_id,
        person,
        "label" if grade else "unsure",
        grade,
        spotcheck=name,
        client_at=(START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z"),
    )
    assert not labels.record(store, [event]).refused


def test_random_labels_with_holes_give_the_libraries_numbers(store: Store) -> None:
    random = np.random.default_rng(3)
    table = random.integers(0, 3, size=(3, 90)).astype(float)
    table[random.random(table.shape) < 0.3] = np.nan
    for person, row in zip(("ann", "bob", "cyd"), table, strict=True):
        given = [
            Judgment(f"q{pair // 3:02}", f"p{pair:02}", GRADES[int(gain)])
            for pair, gain in enumerate(row)
            if not np.isnan(gain)
        ]
        labels.bring(store, given, annotator=person)
    report = consistency.build(store)
    for found, level in ((report.alpha, "ordinal"), (report.alpha_nominal, "nominal")):
        theirs = krippendorff.alpha(table, level_of_measurement=level, value_domain=[0, 1, 2])
        assert found.value == pytest.approx(theirs)
        assert found.interval.lo < theirs < found.interval.hi
    assert [(two.first, two.second) for two in report.twosomes] == [
        ("ann", "bob"),
        ("ann", "cyd"),
        ("bob", "cyd"),
    ]
    both = ~np.isnan(table[0]) & ~np.isnan(table[2])
    assert report.twosomes[1].n == both.sum()
    assert report.twosomes[1].kappa.value == pytest.approx(
        cohen_kappa_score(table[0][both], table[2][both])
    )


def test_without_shared_pairs_every_number_says_why(store: Store) -> None:
    labels.bring(store, [Judgment("q", "a", Grade.YES)], annotator="ann")
    report = consistency.build(store)
    assert report.alpha.reason == "no pair has labels of two people"
    assert report.twosomes == ()
    (ann,) = report.people
    assert ann.pace is None
    assert ann.steady.reason == "no pair was labelled again later"
    assert ann.unsure.reason == "no answer was given in the app"
    assert ann.drift[-1].disagreement.reason == "none of these pairs was adjudicated"
    assert consistency.build(store).people[0].drift[-1].mean_difference is None


def test_an_empty_store_has_no_people(store: Store) -> None:
    report = consistency.build(store)
    assert (report.people, report.shared, report.queries) == ((), 0, 0)
    assert report.alpha.value is None


def test_pace_is_the_median_within_a_sitting_and_unsure_is_its_share(store: Store) -> None:
    # Gaps 4, 6, 1000 (a pause), 8: the median of 4, 6, 8 is 6. One of five is unsure.
    for passage, at, grade in (
        ("a", 0, Grade.YES),
        ("b", 4, Grade.NO),
        ("c", 10, None),
        ("d", 1010, Grade.NO),
        ("e", 1018, Grade.PART),
    ):
        press(store, "ann", passage, grade, at)
    (ann,) = consistency.build(store).people
    assert ann.pace == 6
    assert ann.unsure.value == pytest.approx(0.2)
    assert ann.labels == 4


def test_a_pair_labelled_again_later_measures_its_person_and_a_slip_does_not(store: Store) -> None:
    press(store, "ann", "a", Grade.YES, 0)
    press(store, "ann", "b", Grade.YES, 5)
    press(store, "ann", "b", Grade.NO, 9)  # mended at once
    press(store, "ann", "a", Grade.YES, 4000)
    press(store, "ann", "b", Grade.PART, 4010)
    (ann,) = consistency.build(store).people
    assert (ann.repeats, ann.steady.value) == (2, 0.5)


def test_drift_is_against_what_was_settled_and_has_a_direction(store: Store) -> None:
    grades = {"a": Grade.YES, "b": Grade.PART, "c": Grade.NO}
    labels.bring(store, [Judgment("q", p, g) for p, g in grades.items()], annotator="ann")
    for passage_id, grade in (("a", Grade.NO), ("b", Grade.PART)):
        adjudications.record(
            store, "q", passage_id=passage_id, grade=grade, reason="so", reviewer="rita"
        )
    (ann,) = consistency.build(store).people
    overall = ann.drift[-1]
    # a is two grades too high, b right: one of two differs, and the mean difference is +1.
    assert (overall.n, overall.disagreement.value, overall.mean_difference) == (2, 0.5, 1.0)
    assert len(ann.drift) == 2
    assert ann.warm_up.n == 2
