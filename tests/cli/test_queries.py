"""`labeler queries`: writing them, cases of production failures, and how they stand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from labeler.model import Grade, Judgment, Passage
from labeler.store import corpora, desk, labels, people
from labeler.store.db import open_reader, open_store
from tests.cli.conftest import Call


def test_a_query_is_added_under_its_persons_name(labeler: Call, tmp_path: Path) -> None:
    said = labeler("queries", "add", "how many days?", "--kind", "exact", "--person", "rita")
    assert (said.code, said.out) == (0, "own-1\n")
    again = labeler("queries", "add", "How many days", "--person", "rita", "--json").json
    assert again["query_id"] == "own-2"
    assert [one["query_id"] for one in again["near"]] == ["own-1"]
    with open_reader(tmp_path / "store.duckdb") as store:
        assert people.history(store)[0].person == "rita"


def test_an_answer_or_what_came_back_makes_it_a_case(labeler: Call, tmp_path: Path) -> None:
    with open_store(tmp_path / "store.duckdb") as store:
        corpora.record(store, [Passage("p", "text")], name="c")
    said = labeler(
        "queries", "add", "why?", "--came-back", "p", "--came-back", "gone", "--person", "rita"
    )
    assert said.code == 0
    with open_reader(tmp_path / "store.duckdb") as store:
        (failure,) = desk.failures(store)
        assert failure.came_back == ("p", "gone")
    (case,) = labeler("queries", "list", "--json").json["queries"]
    assert (case["origin"], case["state"]) == ("production failure", "waiting")


def test_a_query_without_words_or_with_a_wrong_day_is_refused_in_words(labeler: Call) -> None:
    said = labeler("queries", "add", " ", "--person", "rita")
    assert (said.code, said.err) == (1, "Error: A query needs words\n")
    said = labeler("queries", "add", "why?", "--as-of", "May", "--person", "rita")
    assert said.code == 1
    assert "'May' is no day" in said.err


def test_the_list_can_be_narrowed_to_what_waits(labeler: Call, tmp_path: Path) -> None:
    for text in ("one", "two"):
        labeler("queries", "add", text, "--person", "rita")
    with open_store(tmp_path / "store.duckdb") as store:
        labels.bring(store, [Judgment("own-1", "p", Grade.YES)], annotator="ann")
    assert [line.split()[:2] for line in labeler("queries", "list").out.splitlines()] == [
        ["waiting", "own-2"],
        ["answered", "own-1"],
    ]
    waiting = labeler("queries", "list", "--waiting", "--json").json["queries"]
    assert [case["query_id"] for case in waiting] == ["own-2"]


def test_cases_and_the_audit_log_are_exported(labeler: Call, tmp_path: Path) -> None:
    labeler("queries", "add", "=why?", "--answer", "because", "--person", "rita")
    assert labeler("export", "cases", "--to", tmp_path / "cases.jsonl").code == 0
    (case,) = map(json.loads, (tmp_path / "cases.jsonl").read_text().splitlines())
    assert case["query"] == "=why?"
    assert case["failures"][0]["answer"] == "because"
    assert labeler("export", "audit", "--to", tmp_path / "audit.csv").code == 0
    with (tmp_path / "audit.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["person"], row["action"]) for row in rows] == [
        ("rita", "write query"),
        ("rita", "failure"),
    ]
    assert all(row["at"] for row in rows)
    assert labeler("export", "adjudications", "--to", tmp_path / "a.csv").code == 0
    assert (tmp_path / "a.csv").read_text().splitlines() == [
        "query_id,passage_id,grade,reason,reviewer,decided_at"
    ]
