"""Files of answers: what tools export, and what is refused with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import InputError
from labeler.formats import GradeMap, Reading, read_answers, write_answers
from labeler.formats.answers import AnswerRow
from labeler.model import Answer, Given, Grade


def read(path, **options):
    return [row.record for row in read_answers(path, **options)]


def test_context_comes_as_ids_texts_or_objects(written):
    rows = [
        {"query_id": "a", "answer": "x", "context": ["p1", "p2"]},
        {"query_id": "b", "answer": "x", "context": [{"passage_id": "p1", "text": "one"}]},
        {"query_id": "c", "answer": "x", "context": [{"id": 7, "page_content": "seven"}]},
        {"query_id": "d", "answer": "x", "context_ids": ["p1"], "context": ["one"]},
        {"query_id": "e", "answer": "x", "context_ids": ["p1"]},
        {"query_id": "f", "answer": "x", "context": []},
        {"query_id": "g", "answer": "x"},
    ]
    path = written("a.jsonl", "\n".join(map(json.dumps, rows)))
    assert [row.context for row in read(path)] == [
        (Given("", "p1"), Given("", "p2")),
        (Given("p1", "one"),),
        (Given("7", "seven"),),
        (Given("p1", "one"),),
        (Given("p1", ""),),
        (),
        None,
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "why?", "response": "so", "retrieved_contexts": ["c"]},
        {"question": "why?", "answer": "so", "contexts": ["c"]},
        {"input": "why?", "actual_output": "so", "retrieval_context": ["c"]},
        {"query": "why?", "generated_answer": "so", "passages": [{"text": "c"}]},
    ],
)
def test_what_tools_call_their_columns_is_known(written, row):
    path = written("a.json", json.dumps([row]))
    assert read(path) == [AnswerRow("", "why?", "so", (Given("", "c"),), None, "")]


def test_a_table_holds_lists_as_json_or_as_python_prints_them(written):
    content = (
        "question,response,retrieved_contexts\n"
        'a,x,"[""one"", ""two""]"\n'
        'b,x,"[""it\'s"",\n \'two\']"\n'
        "c,x,just one text\n"
        "d,x,\n"
    )
    rows = read(written("a.csv", content))
    assert [row.context and [one.text for one in row.context] for row in rows] == [
        ["one", "two"],
        ["it's", "two"],
        ["just one text"],
        None,
    ]


def test_grades_are_words_unless_a_map_is_given(written):
    path = written("a.csv", "query_id,answer,grade,reason\na,x,yes,so\nb,x,,\n")
    assert [(r.grade, r.reason) for r in read(path)] == [(Grade.YES, "so"), (None, "")]
    path = written("b.csv", "query_id,answer,grade\na,x,3\n")
    with pytest.raises(InputError, match=r"b\.csv, line 2: grade 3 \(line 2\) in a file whose"):
        read(path)
    assert read(path, grades=GradeMap.parse("3=YES"))[0].grade is Grade.YES
    path = written("c.csv", "query_id,answer,grade\na,x,1\nb,x,0\n")
    assert [r.grade for r in read(path)] == [Grade.YES, Grade.NO]


def test_grades_of_nobody_are_not_read_whatever_they_are(written):
    path = written("a.csv", "query_id,answer,label\na,x,4.5\n")
    reading = Reading()
    (row,) = (record for _, record in read_answers(path, reading=reading, graded=False))
    assert row.grade is None
    assert [str(note) for note in reading.notes] == [
        "a.csv: its grades are not read: whose they are was not said"
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"answer": "x"}, "neither query_id nor query, expected the query's id or its text"),
        ({"query_id": "a"}, "no answer among the columns query_id"),
        ({"query_id": "a", "answer": None}, 'no answer, expected its text, "" where nothing'),
        ({"query_id": "a", "answer": 3}, "answer is the number 3, expected text"),
        (
            {"query_id": "a", "answer": "x", "context": 3},
            "context is the number 3, expected a list",
        ),
        (
            {"query_id": "a", "answer": "x", "context": [3]},
            "the number 3 in context, expected text",
        ),
        ({"query_id": "a", "answer": "x", "context": [" "]}, "an empty text in context"),
        (
            {"query_id": "a", "answer": "x", "context": [{}]},
            "a context without passage_id and text",
        ),
        (
            {"query_id": "a", "answer": "x", "context": "[1"},
            "context '[1', expected a list as JSON",
        ),
        (  # as numpy prints it: Python would read one text, p1p2
            {"query_id": "a", "answer": "x", "context": "['p1'\n 'p2']"},
            "expected a list as JSON",
        ),
        (
            {"query_id": "a", "answer": "x", "context": ["c"], "context_ids": ["p", "q"]},
            "2 context_ids of 1 contexts, expected one for each",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(written, row, words):
    path = written("a.jsonl", json.dumps({"query_id": "z", "answer": "y"}) + "\n" + json.dumps(row))
    with pytest.raises(InputError) as raised:
        read(path)
    assert str(raised.value).startswith("a.jsonl, line 2: ")
    assert words in str(raised.value)
    reading = Reading(skip_bad=True)
    assert [row.query_id for row in read(path, reading=reading)] == ["z"]
    assert len(reading.problems) == 1


def test_two_answers_to_one_query_are_refused_and_the_same_one_is_dropped(written):
    same = json.dumps({"query_id": "a", "answer": "x"})
    reading = Reading()
    assert len(read(written("a.jsonl", f"{same}\n{same}"), reading=reading)) == 1
    assert "identical to an earlier line" in str(reading.notes[0])
    other = json.dumps({"query_id": "a", "answer": "y"})
    with pytest.raises(InputError, match="line 2: a second row for a, unlike line 1"):
        read(written("b.jsonl", f"{same}\n{other}"))


def test_a_table_without_a_query_says_which_column_is_missing(written):
    with pytest.raises(InputError, match="no query_id among the columns answer, context"):
        read(written("a.csv", "answer,context\nx,y\n"))
    path = written("b.csv", "frage,answer\nwhy?,so\n")
    assert read(path, columns={"query": "frage"})[0].query == "why?"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)
SOLID = TEXTS.filter(str.strip)
CONTEXTS = st.none() | st.lists(
    st.builds(Given, st.just(""), SOLID) | st.builds(Given, SOLID, TEXTS), max_size=3
).map(tuple)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(SOLID, TEXTS, CONTEXTS), max_size=4), st.sampled_from(["csv", "jsonl"]))
def test_what_is_written_is_read_back(tmp_path_factory, rows, form):
    path = tmp_path_factory.getbasetemp() / f"answers.{form}"
    answers = [
        Answer(f"q{n}", "bot", "production", text, context)
        for n, (_, text, context) in enumerate(rows)
    ]
    asked = [query for query, _, _ in rows]
    write_answers(path, zip(answers, asked, strict=True), form=form)
    if not rows and form == "jsonl":
        return  # an empty file is refused as one
    found = read(path)
    assert [(r.query_id, r.query, r.answer, r.context) for r in found] == [
        (a.query_id, query, a.text, a.context) for a, query in zip(answers, asked, strict=True)
    ]
