"""Golden sets in the shapes that teams keep."""

from __future__ import annotations

import json

import pytest

from labeler.errors import InputError
from labeler.formats import Reading, read_golden, write_golden
from labeler.model import GoldenEntry, Grade


def entries(path, reading=None):
    return [
        (e.query_id, e.query, e.passage_id, e.grade) for _, e in read_golden(path, reading=reading)
    ]


def test_a_query_with_a_list_of_expected_passages_expects_each_as_yes(written):
    golden = [{"query": "a", "expected": ["x", "y"]}, {"query": "b", "expected": []}]
    expected = [("", "a", "x", "YES"), ("", "a", "y", "YES"), ("", "b", "", None)]
    assert entries(written("x.json", json.dumps(golden, indent=1))) == expected
    assert entries(written("x.jsonl", "\n".join(map(json.dumps, golden)))) == expected


@pytest.mark.parametrize(
    "name", ["relevant_chunk_ids", "relevant_passage_ids", "reference_context_ids", "expected"]
)
def test_the_list_has_many_names_and_kind_and_id_come_along(written, name):
    path = written(
        "x.json", json.dumps([{"id": "q", "question": "a", "kind": "exact", name: ["x"]}])
    )
    ((line, entry),) = read_golden(path)
    assert (line, entry.query_id, entry.query, entry.kind) == (1, "q", "a", "exact")
    assert (entry.passage_id, entry.grade) == ("x", "YES")


def test_qrels_of_both_kinds_and_tables_are_golden_sets(written):
    expected = [("q", "", "x", "YES"), ("q", "", "y", "PART"), ("q", "", "z", "NO")]
    grades = {"x": 2, "y": 1, "z": 0}
    trec = "".join(f"q 0 {p} {g}\n" for p, g in grades.items())
    beir = "query-id\tcorpus-id\tscore\n" + "".join(f"q\t{p}\t{g}\n" for p, g in grades.items())
    rows = "".join(
        json.dumps({"query_id": "q", "passage_id": p, "grade": g}) + "\n" for p, g in grades.items()
    )
    assert entries(written("x.qrels", trec)) == expected
    assert entries(written("x.tsv", beir)) == expected
    assert entries(written("x.jsonl", rows)) == expected


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"query": "a", "expected": "x"}, "the text 'x' where the expected passages stand"),
        ({"query": "a", "expected": None}, "null where the expected passages stand"),
        ({"query": "a", "expected": [{"id": "x"}]}, "a nested object among the expected"),
        ({"query": "a", "expected": [["x"]]}, "a list among the expected"),
        ({"query": "a", "expected": [1.5]}, "the number 1.5 among the expected"),
        ({"query": "a", "expected": [""]}, "a blank passage_id"),
        ({"query": "a"}, "no list of expected passages"),
        ({"expected": ["x"]}, "neither query_id nor query"),
        ({"query": " ", "expected": ["x"]}, "neither query_id nor query"),
        ({"query": ["a"], "expected": ["x"]}, "query is a list"),
        ({"user_input": "a", "reference_contexts": ["text"]}, "the texts of passages"),
        ({"query": "a", "passage_id": "x"}, "grade missing"),
    ],
)
def test_an_entry_that_is_none_is_refused_by_line(written, entry, said):
    fine = {"query": "fine", "expected": ["x"]}
    path = written("x.jsonl", f"{json.dumps(fine)}\n{json.dumps(entry)}\n")
    with pytest.raises(InputError, match="line 2") as caught:
        entries(path)
    assert said in str(caught.value)
    assert entries(path, Reading(skip_bad=True)) == [("", "fine", "x", "YES")]


def test_numbers_and_repeats_in_a_list_are_noted(written):
    reading = Reading()
    path = written("x.json", json.dumps([{"query": "a", "expected": [1, "1", "2"]}]))
    assert [entry[2] for entry in entries(path, reading)] == ["1", "2"]
    assert [note.what for note in reading.notes] == [
        "passage_id is a number and was read as text",
        "a passage stands twice in a list of expected ones, read once",
    ]


def test_one_query_twice_is_noted_when_it_expects_the_same_and_else_refused(written):
    a, b = {"query": "a", "expected": ["x"]}, {"query": "a", "expected": ["x", "y"]}
    reading = Reading()
    same = written("x.jsonl", "\n".join(map(json.dumps, [a, a])))
    assert len(entries(same, reading)) == 1
    assert [note.lines for note in reading.notes] == [(2,)]
    with pytest.raises(InputError, match="line 2: a second row for a, unlike line 1"):
        entries(written("y.jsonl", "\n".join(map(json.dumps, [a, b]))))


def test_an_array_of_ours_holds_every_grade_and_other_tools_fields_are_left_alone(written):
    row = {"no": 7, "part": "b", "query": "a", "expected": ["x"], "part_passages": ["y"]}
    more = {"query": "b", "expected": [], "no_passages": ["x"]}
    assert entries(written("x.json", json.dumps([row, more]))) == [
        ("", "a", "x", "YES"),
        ("", "a", "y", "PART"),
        ("", "b", "x", "NO"),
    ]
    twice = {"query": "a", "expected": ["x"], "no_passages": ["x"]}
    with pytest.raises(InputError, match="passage x under YES and NO"):
        entries(written("y.json", json.dumps([twice])))


def test_a_golden_set_written_as_an_array_is_read_as_it_was(tmp_path):
    golden = [
        GoldenEntry("q1", "x", Grade.YES, "how?", "exact"),
        GoldenEntry("q1", "y", Grade.NO, "how?", "exact"),
        GoldenEntry("q2", "", None, "why?"),
        GoldenEntry("q3", "z", Grade.PART),
    ]
    assert write_golden(tmp_path / "g.json", golden) == 3
    assert [entry for _, entry in read_golden(tmp_path / "g.json")] == golden
