"""A spot check is drawn by verdict, seeded, and laid out query by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler import drawing
from labeler.errors import LabelerError
from labeler.model import Grade, Status, Verdict
from labeler.store import spotchecks, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store, open_store

JUDGE = Selection("j", "r@1", "m")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """100 verdicts of j on 20 queries: 2 YES, 10 PART, 88 NO; and one of another judge."""
    with open_store(tmp_path / "store.duckdb") as opened:
        grades = [Grade.YES] * 2 + [Grade.PART] * 10 + [Grade.NO] * 88
        verdicts.record(
            opened,
            [
                Verdict(f"q{n % 20}", f"p{n}", "j", grade, Status.OK, "r@1", "m")
                for n, grade in enumerate(grades)
            ]
            + [Verdict("q0", "unreadable", "j", None, Status.UNREADABLE, "r@1", "m")]
            + [Verdict("q0", "p0", "other", Grade.NO, Status.OK)],
        )
        yield opened


def drawn(store: Store, name: str) -> list[tuple[str, str, str, float]]:
    sql = "select query_id, passage_id, stratum, weight from tasks where spotcheck = $1"
    return [tuple(row) for row in store.rows(f"{sql} order by task", [name])]


def test_every_verdict_has_its_floor_and_the_rest_is_proportional(store):
    """30: all 2 YES, 5 PART and 5 NO at least; of the 18 others 10 * 18/98 PART, about 1."""
    check = drawing.draw(store, "first", judged=JUDGE, n=30)
    assert (check.n, check.judge, check.rubric, check.model) == (30, "j", "r@1", "m")
    by_verdict = {s.stratum: s for s in spotchecks.strata(store, "first")}
    assert (by_verdict["YES"].size, by_verdict["YES"].drawn) == (2, 2)
    assert by_verdict["PART"].drawn >= 5
    assert by_verdict["NO"].drawn == 30 - 2 - by_verdict["PART"].drawn
    rows = drawn(store, "first")
    assert Counter(row[2] for row in rows) == {s: p.drawn for s, p in by_verdict.items()}
    for stratum, part in by_verdict.items():
        (weight,) = {row[3] for row in rows if row[2] == stratum}
        assert weight == pytest.approx(part.size / part.drawn)
    assert len({row[:2] for row in rows}) == 30
    assert "unreadable" not in {row[1] for row in rows}


def test_the_pairs_of_a_query_come_together(store):
    drawing.draw(store, "first", judged=JUDGE, n=60)
    order = [row[0] for row in drawn(store, "first")]
    groups = [query for n, query in enumerate(order) if n == 0 or order[n - 1] != query]
    assert len(groups) == len(set(groups))


def test_the_same_seed_draws_the_same_pairs_in_the_same_order_and_another_does_not(store):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        drawing.draw(store, name, judged=JUDGE, n=30, seed=seed)
    assert drawn(store, "a") == drawn(store, "b")
    assert drawn(store, "a") != drawn(store, "c")


def test_more_than_there_are_means_all(store):
    check = drawing.draw(store, "all", judged=JUDGE, n=10_000)
    assert check.n == 100
    assert {row[3] for row in drawn(store, "all")} == {1.0}


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * 81])
def test_a_name_that_is_none_is_refused(store, name):
    with pytest.raises(LabelerError, match=r"^A spot check's name"):
        drawing.draw(store, name, judged=JUDGE)
    assert spotchecks.history(store) == []


@pytest.mark.parametrize("wrong", [{"n": 0}, {"overlap": 0}, {"per_verdict": -1}])
def test_counts_that_make_no_sense_are_refused(store, wrong):
    with pytest.raises(LabelerError, match="at least one pair"):
        drawing.draw(store, "x", judged=JUDGE, **wrong)


def test_a_judge_without_a_readable_verdict_is_named(store):
    with pytest.raises(LabelerError, match="nobody has no readable verdict to draw from"):
        drawing.draw(store, "x", judged=Selection("nobody"))
