"""`labeler evaluate --corrected` and `labeler compare --corrected`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labeler.reports import corrected
from labeler.store.db import open_reader, open_store
from tests.cli.conftest import Call
from tests.partly import population


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """80 judged queries, 30 of them labelled, and two runs."""
    path = tmp_path_factory.mktemp("partly") / "store.duckdb"
    with open_store(path) as store:
        population(store)
    return path


def keys(found: object) -> set[str]:
    """Every key of a report but those that are measures."""
    if isinstance(found, list):
        return {key for each in found for key in keys(each)}
    if not isinstance(found, dict):
        return set()
    below = {key for each in found.values() for key in keys(each)}
    return below | {key for key in found if "@" not in key}


def test_a_run_is_corrected_as_the_report_says(labeler: Call, project: Path) -> None:
    found = labeler("evaluate", "--run", "weak", "--corrected", "--json", db=project).json
    with open_reader(project) as store:
        report = corrected.build(store, ["weak"])
    assert found["corrected"]["runs"][0]["run"] == "weak"
    for name, of in report.runs["weak"].items():
        told = found["corrected"]["runs"][0]["measures"][name]
        assert told["corrected"] == of.corrected.value
        assert told["corrected_interval"] == list(of.corrected.interval)
    assert found["corrected"]["differences"] == []


def test_without_the_flag_nothing_is_corrected(labeler: Call, project: Path) -> None:
    assert labeler("evaluate", "--run", "weak", "--json", db=project).json["corrected"] is None
    two = ("compare", "--run", "weak", "--run", "strong", "--no-baseline")
    assert labeler(*two, "--json", db=project).json["corrected"] is None
    assert "Corrected" not in labeler(*two, db=project).out


def test_variants_are_corrected_with_their_difference(labeler: Call, project: Path) -> None:
    asked = ("compare", "--run", "weak", "--run", "strong", "--no-baseline", "--corrected")
    (told,) = labeler(*asked, "--json", db=project).json["corrected"]["differences"]
    assert (told["first"], told["second"]) == ("weak", "strong")
    assert told["measures"]["R@5"]["corrected"] > 0
    out = labeler(*asked, db=project).out
    assert f"strong minus weak: {told['measures']['R@5']['statement']}." in out


def test_every_number_of_the_correction_is_explained(labeler: Call, project: Path) -> None:
    asked = ("compare", "--run", "weak", "--run", "strong", "--no-baseline", "--corrected")
    found = labeler(*asked, "--json", db=project).json["corrected"]
    page = Path(__file__).parents[2] / "docs" / "statistics.md"
    explained = set(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")))
    # An interval is named after its number.
    assert sorted({key.removesuffix("_interval") for key in keys(found)} - explained) == []


def test_the_judge_is_the_one_that_is_named(labeler: Call, project: Path) -> None:
    asked = ("evaluate", "--run", "weak", "--corrected", "--json")
    assert labeler(*asked, "--judge", "j", db=project).json["corrected"]["judge"] == "j"
    missing = labeler(*asked, "--judge", "nobody", db=project)
    assert missing.code == 1
    assert "There are no verdicts of nobody; known: j" in missing.err
    loose = labeler("evaluate", "--run", "weak", "--judge", "j", db=project)
    assert loose.code == 2
    assert "It goes with --corrected" in loose.err


def test_held_out_queries_and_the_correction_do_not_go_together(
    labeler: Call, project: Path
) -> None:
    said = labeler("evaluate", "--run", "weak", "--corrected", "--held-out", "why", db=project)
    assert said.code == 2
    assert "What is held out is left out of --corrected" in said.err
