"""Public evaluation data as it is published parses to its published counts."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from labeler.errors import InputError
from labeler.formats import (
    GradeMap,
    Reading,
    read_corpus,
    read_golden,
    read_judgments,
    read_queries,
    read_run,
)
from labeler.formats.ranking import read_run_table

ROOT = os.environ.get("LABELER_TEST_DATA")
pytestmark = pytest.mark.skipif(not ROOT, reason="LABELER_TEST_DATA is not set")
DATA = Path(ROOT or ".") / "data"
MAP = GradeMap.parse("0=NO,1=NO,2=PART,3=YES")


def test_the_human_grades_of_llmjudge_are_4423_pairs_of_25_queries():
    rows = [record for _, record in read_judgments(DATA / "llmjudge/human.qrels", grades=MAP)]
    assert len(rows) == 4423
    assert len({row.query_id for row in rows}) == 25
    raw = Counter(
        line.split()[3] for line in (DATA / "llmjudge/human.qrels").read_text().splitlines()
    )
    assert Counter(row.grade.value for row in rows) == {
        "NO": raw["0"] + raw["1"],
        "PART": raw["2"],
        "YES": raw["3"],
    }


def test_without_a_map_the_scale_of_llmjudge_is_asked_for():
    with pytest.raises(InputError, match="in a file whose grades run from 0 to 3"):
        list(read_judgments(DATA / "llmjudge/human.qrels"))


def test_both_grades_outside_the_map_are_named():
    path = DATA / "llmjudge/verdicts/RMITIR-llama70B.txt"
    with pytest.raises(InputError) as caught:
        list(read_judgments(path, grades=MAP))
    assert [(p.line, p.found) for p in caught.value.problems] == [
        (2449, "grade 5"),
        (3825, "grade 5"),
    ]
    reading = Reading(skip_bad=True)
    assert len(list(read_judgments(path, grades=MAP, reading=reading))) == 4421


def test_the_claude_docs_are_232_passages_100_queries_and_192_links():
    docs = DATA / "claude_docs"
    assert len(list(read_corpus(docs / "corpus.jsonl"))) == 232
    assert len(list(read_queries(docs / "queries.jsonl"))) == 100
    for name in ("golden-set.json", "qrels/test.tsv", "qrels/trec.qrels"):
        entries = [record for _, record in read_golden(docs / name)]
        assert len(entries) == 192
        assert len({entry.query_id or entry.query for entry in entries}) == 100
        assert {entry.grade for entry in entries} == {"YES"}


@pytest.mark.parametrize(
    ("name", "rows"), [("base", 293), ("level_two", 297), ("level_three", 297)]
)
def test_the_runs_of_the_claude_docs_are_read_without_a_word(name, rows):
    path = DATA / f"claude_docs/run.{name}.trec"
    reading = Reading()
    assert len(list(read_run(path, reading=reading))) in (rows, rows + 1)  # `wc` misses a last line
    assert reading.notes == []
    assert read_run_table(path).num_rows == len(list(read_run(path)))
