"""`labeler spotcheck next`: what it draws, says and costs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labeler import planning
from labeler.stats.measures import Reading, measure
from labeler.store.comparison import Selection
from labeler.store.db import open_reader, open_store
from tests.cli.conftest import Call
from tests.partly import population

STATISTICS = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """80 judged queries, 30 of them labelled, and two runs."""
    path = tmp_path / "partly.duckdb"
    with open_store(path) as store:
        population(store)
    return path


def keys(found: object) -> set[str]:
    if isinstance(found, list):
        return {key for each in found for key in keys(each)}
    if not isinstance(found, dict):
        return set()
    return set(found) | {key for each in found.values() for key in keys(each)}


def test_a_list_is_drawn_as_it_was_planned(labeler: Call, project: Path) -> None:
    asked = ("--run", "weak", "--measure", "P@5", "--queries", 7, "--seed", 4, "--target", 0.3)
    words = ("spotcheck", "next", "monday", *asked, "--reading", "lenient")
    with open_reader(project) as store:
        plan = planning.plan(
            store,
            systems=["weak"],
            measured=measure("P@5"),
            judged=Selection("j"),
            reading=Reading.LENIENT,
            n=7,
            seed=4,
            target=0.3,
        )
    dry = labeler(*words, "--dry-run", "--json", db=project).json
    found = labeler(*words, "--json", db=project).json
    assert (dry.pop("spotcheck"), found.pop("spotcheck")) == (None, "monday")
    assert dry == found
    assert [each["query_id"] for each in found["queries"]] == [e.query_id for e in plan.chosen]
    assert found["labels"] == 35
    assert found["value"] == plan.now.corrected.value
    assert found["needed"] == plan.outlook.needed._asdict()
    listed = labeler("spotcheck", "list", "--json", db=project).json["spotchecks"]
    assert [(one["name"], one["kind"], one["wanted"], one["done"]) for one in listed] == [
        ("monday", "list", 35, 0)
    ]
    assert labeler(*words, db=project).code == 1


def test_a_difference_is_told_in_words(labeler: Call, project: Path) -> None:
    words = ("spotcheck", "next", "x", "--run", "weak", "--run", "strong", "--dry-run")
    told = labeler(*words, db=project)
    assert told.code == 0
    assert told.out.startswith("Not drawn: 10 queries and 100 labels for R@5 of strong minus weak")
    assert "Which of weak and strong has more R@5: settled, it is strong." in told.out
    assert labeler("spotcheck", "list", db=project).out == ""


def test_a_measure_that_is_none_is_a_usage_error(labeler: Call, project: Path) -> None:
    told = labeler("spotcheck", "next", "x", "--run", "weak", "--measure", "F1", db=project)
    assert told.code == 2
    assert "'F1' is no measure" in told.err


def test_every_number_is_explained(labeler: Call, project: Path) -> None:
    words = ("spotcheck", "next", "x", "--run", "weak", "--target", 0.5, "--dry-run", "--json")
    explained = set(re.findall(r"`([^`\n]+)`", STATISTICS.read_text(encoding="utf-8")))
    assert not sorted(keys(labeler(*words, db=project).json) - explained)
