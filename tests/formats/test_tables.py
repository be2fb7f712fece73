"""CSV, TSV and JSON as people bring them: headers, quotes, long fields, broken JSON."""

from __future__ import annotations

import json

import pytest

from labeler.errors import InputError, UsageError
from labeler.formats import Reading, columns_from, read_corpus, read_queries


def texts(path, **options):
    return [(n.line, n.record.passage_id, n.record.text) for n in read_corpus(path, **options)]


def test_a_row_is_numbered_by_its_first_physical_line(written):
    path = written("x.csv", 'passage_id,text\r\np1,"a\r\nb\nc"\r\n\r\np2,"say ""hi"""\r\n')
    assert texts(path) == [(2, "p1", "a\r\nb\nc"), (6, "p2", 'say "hi"')]


def test_a_field_of_265000_characters_is_read(written):
    long = "x" * 265_000
    assert texts(written("x.csv", f"id,text\np1,{long}\n")) == [(2, "p1", long)]
    assert texts(written("x.jsonl", f'{{"id":"p1","text":"{long}"}}\n')) == [(1, "p1", long)]


@pytest.mark.parametrize(
    "header",
    ["Passage ID,Text", "passage-id , TEXT", "\ufeff_id,Passage", "DocID,contents", "text,id"],
)
def test_headers_are_recognised_in_any_case_and_by_their_usual_names(written, header):
    cells = "t,p1" if header.startswith("text") else "p1,t"
    assert texts(written("x.csv", f"{header}\n{cells}\n")) == [(2, "p1", "t")]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_are_told_by_the_header(written, delimiter):
    content = f"passage_id{delimiter}text\np1{delimiter}a, b\n"
    assert texts(written("x.csv", content)) == [(2, "p1", "a, b")]


def test_a_separator_line_and_comments_may_stand_above_the_header(written):
    reading = Reading()
    path = written("x.csv", "sep=;\n# exported\nid;text\n#1;t\n")
    assert texts(path, reading=reading) == [(4, "#1", "t")]
    assert [str(note) for note in reading.notes] == ["x.csv, line 2: a comment was left out"]


def test_columns_of_their_own_are_mapped(written):
    path = written("x.csv", "key,body_text,id\np1,t,9\n")
    columns = columns_from("passage_id=key, text=Body_Text")
    reading = Reading()
    assert texts(path, columns=columns, reading=reading) == [(2, "p1", "t")]
    assert [note.what for note in reading.notes] == ["column 'id' is not read"]
    jsonl = written("x.jsonl", '{"key":"p1","body_text":"t"}\n')
    assert texts(jsonl, columns=columns) == [(1, "p1", "t")]
    with pytest.raises(InputError, match="line 1: no column 'nope' among the columns key"):
        texts(path, columns={"text": "nope"})
    with pytest.raises(UsageError, match="no field 'grade'"):
        texts(path, columns={"grade": "key"})


@pytest.mark.parametrize("text", ["a", "a=", "=b", "a=b,a=c"])
def test_a_mapping_that_cannot_be_read_is_a_usage_error(text):
    with pytest.raises(UsageError, match="Columns") as caught:
        columns_from(text)
    assert caught.value.needs == "columns"


def test_a_missing_header_is_said(written):
    with pytest.raises(InputError, match="line 1: no passage_id among the columns p1, some text"):
        texts(written("x.csv", "p1,some text\np2,more\n"))


def test_a_column_named_twice_is_refused(written):
    with pytest.raises(InputError, match="two columns named 'text'"):
        texts(written("x.csv", "id,text,text\np,a,b\n"))


def test_rows_of_another_width_are_refused_and_empty_ones_noted(written):
    reading = Reading(skip_bad=True)
    path = written("x.csv", "id,text,title\np1,a\np2,a,b,c\np3,a,b,,\n,,\np4,a,b\n")
    assert [row[1] for row in texts(path, reading=reading)] == ["p3", "p4"]
    assert [str(problem) for problem in reading.problems] == [
        "x.csv, line 2: 2 cells, expected 3, as in the header",
        "x.csv, line 3: 4 cells, expected 3, as in the header",
    ]
    assert [str(note) for note in reading.notes] == [
        "x.csv, line 5: a row of empty cells was left out"
    ]


def test_a_quote_that_never_closes_names_where_it_opened_and_all_that_it_swallowed(written):
    reading = Reading(skip_bad=True)
    path = written("x.csv", 'id,text\np1,a\np2,"b\np3,c\n')
    assert [row[1] for row in texts(path, reading=reading)] == ["p1"]
    assert "x.csv, line 3: a row that is no CSV" in str(reading.problems[0])
    assert "up to line 4" in str(reading.problems[0])


def test_a_tsv_is_quoted_only_when_all_its_quotes_close(written):
    reading = Reading()
    bare = written("x.tsv", 'pid\tpassage\np1\t"Hi" he said\np2\t5" wide\n')
    assert texts(bare, reading=reading) == [(2, "p1", '"Hi" he said'), (3, "p2", '5" wide')]
    assert "quotation marks are read as text" in str(reading.notes[0])
    quoted = written("y.tsv", 'pid\tpassage\np1\t"a\tb"\n')
    assert texts(quoted) == [(2, "p1", "a\tb")]


def test_json_lines_arrays_and_documents_one_after_another_read_the_same(written):
    one, two = {"_id": "1", "text": "a"}, {"_id": "2", "text": "b"}
    lines = f"{json.dumps(one)}\n\n{json.dumps(two)}\n"
    assert texts(written("x.jsonl", lines)) == [(1, "1", "a"), (3, "2", "b")]
    assert texts(written("x.json", lines)) == [(1, "1", "a"), (3, "2", "b")]
    array = json.dumps([one, two], indent=1)
    # [ on line 1, { "_id" "text" } on lines 2 to 5, the second object from line 6
    assert texts(written("y.json", array)) == [(2, "1", "a"), (6, "2", "b")]
    assert texts(written("y.jsonl", f"[{json.dumps(one)}]")) == [(1, "1", "a")]
    documents = f"{json.dumps(one, indent=1)}\n{json.dumps(two, indent=1)}"
    assert texts(written("z.json", documents)) == [(1, "1", "a"), (5, "2", "b")]
    assert texts(written("empty.json", "[]")) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"_id":"1","text":"a"},\n{"_id":"2","te', r"line 2: broken JSON"),
        ('[{"_id":"1","text":"a"}\n', r"breaks off"),
        ('[{"_id":"1","text":"a"},\n', r"breaks off"),
        ('[{"_id":"1","text":"a"}\n{"_id":"2","text":"a"}]', r"line 2: '\{' after an element"),
        ('[{"_id":"1","text":"a"}]\nx', r"text after the array"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_json_that_breaks_off_stops_even_when_bad_rows_may_be_skipped(written, content, said):
    with pytest.raises(InputError, match=said):
        texts(written("x.json", content), reading=Reading(skip_bad=True))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"_id":"1","te', "broken JSON"),
        ('{"_id":"1","text":"a","text":"b"}', "the key 'text' twice"),
        ('{"_id":' + "9" * 5000 + ',"text":"a"}', "number too long"),
        ('["1","a"]', "a list, expected a JSON object"),
        ('"1"', "the text '1', expected a JSON object"),
        ("null", "null, expected a JSON object"),
        ('{"_id":"1"}', "no text"),
        ('{"_id":"1","text":null}', "no text"),
        ('{"_id":"1","text":["a"]}', "text is a list"),
        ('{"_id":"1","text":5}', "text is the number 5"),
        ('{"text":"a"}', "no passage_id"),
        ('{"_id":null,"text":"a"}', "no passage_id"),
        ('{"_id":"","text":"a"}', "no passage_id"),
        ('{"_id":" \\u00a0","text":"a"}', "a blank passage_id"),
        ('{"_id":1.0,"text":"a"}', "passage_id is the number 1.0"),
        ('{"_id":true,"text":"a"}', "passage_id is true or false"),
        ('{"_id":{"$oid":"1"},"text":"a"}', "passage_id is a nested object"),
        ('{"_id":["1"],"text":"a"}', "passage_id is a list"),
        ('{"_id":"a\\u0000","text":"a"}', "a NUL byte in passage_id"),
        ('{"_id":"\\ud800","text":"a"}', "half of a surrogate pair in passage_id"),
        ('{"_id":"1","text":"\\udc80"}', "half of a surrogate pair in text"),
    ],
)
def test_a_line_that_is_no_passage_is_refused_alone(written, line, said):
    path = written("x.jsonl", f'{{"_id":"0","text":"a"}}\n{line}\n{{"_id":"9","text":"a"}}\n')
    with pytest.raises(InputError, match="line 2") as caught:
        texts(path)
    assert said in str(caught.value)
    reading = Reading(skip_bad=True)
    assert [row[1] for row in texts(path, reading=reading)] == ["0", "9"]
    assert len(reading.problems) == 1


def test_texts_keep_nul_line_separators_and_every_blank(written):
    text = "\0 a\u2028b\x85c\r\nd\t\ue000😀 e\u0301 "
    path = written("x.jsonl", json.dumps({"_id": " a b ", "text": text}) + "\n")
    assert texts(path) == [(1, " a b ", text)]


def test_json_numbers_as_ids_become_their_digits_and_are_noted(written):
    reading = Reading()
    path = written("x.jsonl", '{"_id":1,"text":"a"}\n{"_id":"01","text":"b"}\n')
    assert [row[1] for row in texts(path, reading=reading)] == ["1", "01"]
    assert [str(note) for note in reading.notes] == [
        "x.jsonl, line 1: passage_id is a number and was read as text"
    ]


def test_repeats_are_noted_and_contradictions_refused_with_both_lines(written):
    reading = Reading()
    same = '{"_id":"1","text":"a"}\n'
    assert len(texts(written("x.jsonl", same * 3), reading=reading)) == 1
    assert [str(note) for note in reading.notes] == [
        "x.jsonl, lines 2, 3: identical to an earlier line, dropped"
    ]
    with pytest.raises(InputError, match=r"line 2: a second row for 1, unlike line 1"):
        texts(written("y.jsonl", same + '{"_id":"1","text":"b"}\n'))
    one_line = "[" + same.strip() + "," + same.strip() + "]"
    assert len(texts(written("z.json", one_line))) == 1


def test_the_metadata_of_beir_lends_our_own_fields_and_the_rest_is_noted(written):
    reading = Reading()
    path = written(
        "q.jsonl",
        '{"_id":"1","text":"a","metadata":{"kind":"exact","source":{"x":1},"text":"no"}}\n',
    )
    ((_, query),) = read_queries(path, reading=reading)
    assert (query.query_id, query.text, query.kind) == ("1", "a", "exact")
    assert [note.what for note in reading.notes] == [
        "column 'metadata.source' is not read",
        "column 'metadata.text' is not read",
    ]


def test_queries_have_their_own_names_for_the_text(written):
    path = written("q.jsonl", '{"query_id":"1","query":"a","kind":"exact","split":"held-out"}\n')
    ((_, query),) = read_queries(path)
    assert (query.text, query.kind, query.split) == ("a", "exact", "held-out")


def test_a_file_with_a_header_alone_has_no_rows_and_says_so(written):
    reading = Reading()
    assert texts(written("x.csv", "id,text\n"), reading=reading) == []
    assert [str(note) for note in reading.notes] == ["x.csv: no rows"]
