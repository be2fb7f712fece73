"""Labels and verdicts in each form, and in the documents of other tools."""

from __future__ import annotations

import json

import pytest

from labeler.errors import InputError
from labeler.formats import (
    GradeMap,
    Reading,
    read_corpus,
    read_golden,
    read_judgments,
    read_queries,
)


def pairs(path, **options):
    return [(r.query_id, r.passage_id, r.grade) for _, r in read_judgments(path, **options)]


def test_beir_qrels_are_read_with_their_header_or_its_absence_is_said(written):
    rows = "q1\tp 1\t1\nq1\tp2\t0\n"
    expected = [("q1", "p 1", "YES"), ("q1", "p2", "NO")]
    reading = Reading()
    assert (
        pairs(written("a.tsv", "query-id\tcorpus-id\tscore\n" + rows), reading=reading) == expected
    )
    assert reading.notes == []
    assert pairs(written("b.tsv", rows), reading=reading) == expected
    assert "no header row" in str(reading.notes[0])


@pytest.mark.parametrize(("line", "count"), [("q p 1", 3), ("q 0 p 1 x", 5), ("q Q0 p 1 2 t", 6)])
def test_a_qrels_line_of_another_width_is_refused(written, line, count):
    with pytest.raises(InputError, match=f"line 2: found {count} fields, expected 4"):
        pairs(written("x.qrels", f"q 0 p 1\n{line}\n"))


def test_a_nul_in_an_id_is_refused(written):
    with pytest.raises(InputError, match="line 1: a NUL byte"):
        pairs(written("x.qrels", "q 0 p\0 1\n"))


def test_the_same_pair_with_another_grade_is_refused_and_the_same_again_noted(written):
    reading = Reading(skip_bad=True)
    path = written("x.qrels", "q 0 p 1\nq 0 p 1\nq 0 p 0\n")
    assert pairs(path, reading=reading) == [("q", "p", "YES")]
    assert [note.lines for note in reading.notes] == [(2,)]
    assert str(reading.problems[0]) == (
        "x.qrels, line 3: a second row for q, p, unlike line 1, expected one, or the same again"
    )


def test_two_people_may_differ_on_a_pair(written):
    path = written("x.csv", "qid,docid,annotator,label\nq,p,ann,yes\nq,p,bob,no\n")
    assert [(r.person, r.grade) for _, r in read_judgments(path)] == [("ann", "YES"), ("bob", "NO")]


def test_every_column_of_a_verdict_is_read(written):
    row = {
        **{"query_id": "q", "passage_id": "p", "judge": "j", "rubric": "r@2", "model": "m"},
        **{"grade": "PART", "status": "ok", "reason": "half", "judged_at": "2026-01-02T03:04:05Z"},
        **{"cost": 0.25, "raw": "{}"},
    }
    ((line, record),) = read_judgments(written("x.jsonl", json.dumps(row)))
    assert line == 1
    assert (record.person, record.rubric, record.model, record.grade) == ("j", "r@2", "m", "PART")
    assert (record.state, record.reason, record.at) == ("ok", "half", "2026-01-02T03:04:05Z")
    assert (record.cost, record.raw, record.blind) == (0.25, "{}", None)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("state", "done", "state 'done'"),
        ("blind", "maybe", "blind 'maybe', expected true or false"),
        ("cost", "free", "cost 'free', expected a number"),
    ],
)
def test_a_cell_that_is_not_of_its_kind_is_refused(written, column, value, said):
    path = written("x.csv", f"query_id,passage_id,grade,{column}\nq,p,YES,{value}\n")
    with pytest.raises(InputError, match=f"line 2: {said}"):
        pairs(path)


RANK_EVAL = {
    "requests": [
        {
            "id": "q1",
            "params": {"query_string": "amsterdam"},
            "ratings": [
                {"_index": "i", "_id": "p1", "rating": 1},
                {"_index": "i", "_id": "p2", "rating": 0},
            ],
        }
    ]
}
JUDGMENT_LIST = {
    "name": "mine",
    "judgmentRatings": [{"query": "red", "ratings": [{"docId": "p1", "rating": "3.000"}]}],
}
RRE = {
    "topics": [
        {
            "query_groups": [
                {
                    "name": "g",
                    "queries": [
                        {"placeholders": {"$query": "bass"}},
                        {"placeholders": {"$query": "base"}},
                    ],
                    "relevant_documents": {"2": ["1", 2], "0": ["3"]},
                }
            ]
        }
    ]
}
RRE_GAINS = {
    "query_groups": [
        {
            "queries": [{"placeholders": {"$q": "bass"}}],
            "relevant_documents": {"1": {"gain": 2}, "3": {"gain": 0}},
        }
    ]
}
RRE_QUERIES = {
    "id_field": "id",
    "index": "films",
    "template": "only_q.json",
    "queries": [
        {
            "placeholders": {"$query": "star trek"},
            "relevant_documents": {"2": ["193"], "0": ["157", "152"]},
        },
        {"placeholders": {"$query": "star wars"}, "relevant_documents": {"11": {"rating": 1}}},
    ],
}
RRE_LISTS = {
    "query_placeholder": "query",
    "query_groups": [
        {
            "name": "what is rre",
            "queries": [{"placeholders": {"query": "what is rre", "vector": "[0.1]"}}],
            "relevant_documents": [
                {"document_id": "doc1", "gain": 2},
                {"document_id": "doc5", "gain": 0},
            ],
        }
    ],
}
DATASET = {
    "queries": {"a": "what", "b": "why"},
    "corpus": {"n1": "one", "n2": "two"},
    "relevant_docs": {"a": ["n1", "n2"], "b": ["n2"]},
    "mode": "text",
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (RANK_EVAL, [("q1", "p1", "YES"), ("q1", "p2", "NO")]),
        (
            RRE,
            [
                *(("bass", "1", "YES"), ("bass", "2", "YES"), ("bass", "3", "NO")),
                *(("base", "1", "YES"), ("base", "2", "YES"), ("base", "3", "NO")),
            ],
        ),
        (RRE_GAINS, [("bass", "1", "YES"), ("bass", "3", "NO")]),
        (
            RRE_QUERIES,
            [
                *(("star trek", "193", "YES"), ("star trek", "157", "NO")),
                *(("star trek", "152", "NO"), ("star wars", "11", "PART")),
            ],
        ),
        (RRE_LISTS, [("what is rre", "doc1", "YES"), ("what is rre", "doc5", "NO")]),
        (DATASET, [("a", "n1", "YES"), ("a", "n2", "YES"), ("b", "n2", "YES")]),
        (
            {"q1": {"p1": 2, "p2": 0}, "q2": {"p1": 1}},
            [("q1", "p1", "YES"), ("q1", "p2", "NO"), ("q2", "p1", "PART")],
        ),
    ],
)
def test_documents_of_other_tools_are_read(written, document, expected, indent):
    assert pairs(written("x.json", json.dumps(document, indent=indent))) == expected


def test_a_judgment_list_needs_a_map_for_its_floats_and_names_queries_by_text(written):
    path = written("x.json", json.dumps(JUDGMENT_LIST))
    with pytest.raises(InputError, match=r"grade 3\.000 in judgmentRatings\[0\]"):
        pairs(path)
    reading = Reading()
    grades = GradeMap.parse("0=NO,3=YES")
    assert pairs(path, grades=grades, reading=reading) == [("red", "p1", "YES")]
    assert "named by their text" in str(reading.notes[0])
    ((_, entry),) = read_golden(path, grades=grades)
    assert (entry.query_id, entry.query, entry.passage_id) == ("", "red", "p1")


def test_a_document_that_is_wrong_inside_says_where(written):
    broken = {"requests": [{"id": "q", "ratings": []}, {"id": "r", "ratings": "p1"}]}
    with pytest.raises(
        InputError, match=r"the text 'p1' in requests\[1\]\.ratings, expected a list"
    ):
        pairs(written("x.json", json.dumps(broken)))


def test_a_llama_index_dataset_brings_its_corpus_and_its_queries(written):
    path = written("x.json", json.dumps(DATASET))
    assert [(p.passage_id, p.text) for _, p in read_corpus(path)] == [("n1", "one"), ("n2", "two")]
    assert [(q.query_id, q.text) for _, q in read_queries(path)] == [("a", "what"), ("b", "why")]
    assert [e.query for _, e in read_golden(path)] == ["what", "what", "why"]


def test_quepid_names_queries_by_their_text(written):
    path = written("x.csv", "query,docid,rating\nred shoes,p1,3\nred shoes,p2,0\n")
    grades = GradeMap.parse("0=NO,3=YES")
    assert pairs(path, grades=grades) == [("red shoes", "p1", "YES"), ("red shoes", "p2", "NO")]
    assert [(e.query_id, e.query) for _, e in read_golden(path, grades=grades)] == [
        ("", "red shoes"),
        ("", "red shoes"),
    ]


def test_what_nobody_has_rated_in_quepid_is_left_out_by_line(written):
    # As Quepid exports a snapshot: the query alone, or a passage with an empty rating.
    text = "query,docid,rating\nred shoes,p1,3\nred shoes,p2,\nblue shoes\nred shoes,p3,0\n"
    path, grades = written("x.csv", text), GradeMap.parse("0=NO,3=YES")
    for read in (read_judgments, read_golden):
        reading = Reading()
        found = [entry.passage_id for _, entry in read(path, grades=grades, reading=reading)]
        assert found == ["p1", "p3"]
        notes = [note for note in reading.notes if "without a rating" in note.what]
        assert [note.lines for note in notes] == [(3, 4)]


def test_a_further_value_that_is_no_document_of_the_tool_is_refused_with_its_line(written):
    document = '{"requests": [{"id": "q", "ratings": [{"_id": "p", "rating": 1}]}]}'
    with pytest.raises(InputError, match="line 2: a further JSON value, unlike the first"):
        list(read_judgments(written("x.json", f"{document}\nnull")))
