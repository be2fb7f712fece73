"""Tables that were joined, cut, commented or quoted by hand: what is left out is named by line."""

from __future__ import annotations

import pytest

from labeler.errors import InputError
from labeler.formats import Reading, read_corpus, read_queries


def told(path, read=read_queries):
    """The records of a file as their first two fields, and everything that was noted."""
    reading = Reading()
    records = [record for _, record in read(path, reading=reading)]
    fields = [(getattr(one, type(one).__slots__[0]), one.text) for one in records]
    return fields, [str(note) for note in reading.notes]


def test_files_that_were_joined_leave_out_the_second_header_and_its_mark(written):
    one = "\ufeffquery_id,text\nq1,one\n"
    assert told(written("x.csv", one + one.replace("1,one", "2,two"))) == (
        [("q1", "one"), ("q2", "two")],
        [
            "x.csv, line 3: a byte order mark inside the file was taken off",
            "x.csv, line 3: the header again, left out",
        ],
    )


def test_a_mark_before_a_quoted_id_belongs_to_neither(written):
    content = 'query_id,text\nq1,one\n\ufeff"q,2","two"\n'
    assert told(written("x.csv", content)) == (
        [("q1", "one"), ("q,2", "two")],
        ["x.csv, line 3: a byte order mark inside the file was taken off"],
    )


def test_blank_lines_of_spaces_and_comments_of_one_cell_are_no_rows(written):
    content = "query_id,text\n   \n# as of today\nq1,one\n , \n\t\n#2,two\n"
    assert told(written("x.csv", content)) == (
        [("q1", "one"), ("#2", "two")],
        [
            "x.csv, line 3: a comment was left out",
            "x.csv, line 5: a row of empty cells was left out",
        ],
    )


def test_what_begins_as_a_comment_and_has_the_cells_of_a_row_is_told_of(written):
    assert told(written("x.csv", "query_id,text\n# note, that\n")) == (
        [("# note", " that")],
        ["x.csv, line 2: it begins as a comment does, and was read as a row"],
    )


def test_a_forgotten_quotation_mark_that_takes_in_rows_is_told_of(written):
    """The mark of line 3 closes on line 6: four lines that each look like a row are one text."""
    rows = 'q1,one\nq2,"two\nq3,three\nq4,four\nq5,five"\nq6,six\n'
    fields, notes = told(written("x.csv", "query_id,text\n" + rows))
    assert [identity for identity, _ in fields] == ["q1", "q2", "q6"]
    assert notes == ["x.csv, line 3: a quoted text holds what look like rows, to line 6"]


def test_a_text_of_several_lines_is_nothing_to_tell_of(written):
    content = 'query_id,text\nq1,"Dear all,\nplease, note, that\nit is, so\nbye\n"\n'
    assert told(written("x.csv", content))[1] == []


def test_quotation_marks_of_a_tsv_that_take_in_rows_are_text(written):
    assert told(written("x.tsv", 'query_id\ttext\nq1\t"one\nq2\ttwo"\nq3\tthree\n')) == (
        [("q1", '"one'), ("q2", 'two"'), ("q3", "three")],
        ["x.tsv: quotation marks are read as text, for some do not close in their row"],
    )
    kept = 'query_id\ttext\nq1\t"a\tb"\nq2\t"c\nd"\n'
    assert told(written("y.tsv", kept)) == ([("q1", "a\tb"), ("q2", "c\nd")], [])


def test_a_table_of_markdown_is_refused_and_its_rule_no_query(written):
    path = written("x.md", "| query_id | text |\n|---|---|\n| q1 | one |\n")
    with pytest.raises(InputError, match="line 1: a table as Markdown has it, expected CSV, TSV"):
        list(read_queries(path))


def test_a_header_that_is_no_text_is_told_so(written):
    path = written("x.csv", "Größe,text\n1,a\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 1: bytes that are not UTF-8"):
        list(read_queries(path, columns={"query_id": "Größe"}))


def test_columns_that_nothing_reads_are_named_up_to_twenty(written):
    """Of 25 columns c0 to c24, 20 are named; the other five are told of once."""
    names = ",".join(f"c{number}" for number in range(25))
    path = written("x.csv", f"query_id,text,{names}\nq1,one{',' * 25}\n")
    notes = told(path)[1]
    assert notes[0] == "x.csv, line 1: column 'c0' is not read"
    assert notes[19:] == [
        "x.csv, line 1: column 'c19' is not read",
        "x.csv, line 1: more columns are not read",
    ]


def test_a_row_of_beir_keeps_its_own_id_whatever_its_metadata_says(written):
    content = '{"_id":"q1","query":"a","metadata":{"query_id":"x","text":"y","kind":"exact"}}\n'
    ((_, query),) = read_queries(written("x.jsonl", content))
    assert (query.query_id, query.text, query.kind) == ("q1", "a", "exact")


def test_json_lines_that_were_printed_over_several_lines_are_read(written):
    content = '{\n  "_id": "q1",\n  "text": "a"\n}\n{\n  "_id": "q2",\n  "text": "b"\n}\n'
    assert told(written("x.jsonl", content)) == ([("q1", "a"), ("q2", "b")], [])


@pytest.mark.parametrize("day", ["2025", "2025-03", "2025-03-31", "2025-03-31T10:00:00Z"])
def test_days_may_be_cut_short_or_have_a_time(written, day):
    path = written("x.csv", f"id,text,valid_from,valid_to\np1,a,{day},{day}\n")
    assert told(path, read_corpus) == ([("p1", "a")], [])


@pytest.mark.parametrize("day", ["31.12.2025", "12/31/2025", "20251231", "2025-13-01", "soon"])
def test_a_day_of_another_form_is_kept_and_told_of(written, day):
    """They are compared as text, by which 31.12.2025 is after every day of this millennium."""
    said = "is no day as YYYY-MM-DD; it is kept, and compared as text"
    path = written("x.csv", f"id,text,valid_to\np1,a,2025-12-31\np2,b,{day}\n")
    notes = told(path, read_corpus)[1]
    assert notes == [f"x.csv, line 3: effective_to {said}"]
    asked = written("q.csv", f"query_id,text,as_of\nq1,a,{day}\n")
    assert told(asked)[1] == [f"q.csv, line 2: as_of {said}"]


def test_a_passage_that_ends_before_it_begins_is_told_of(written):
    content = "id,text,valid_from,valid_to\np1,a,2025-06-01,2025-05\np2,b,2025-06-01,2025\n"
    assert told(written("x.csv", content), read_corpus)[1] == [
        "x.csv, line 2: effective_from is after effective_to: in force on no day"
    ]


def test_a_long_id_is_cut_where_it_is_named(written):
    long = "i" * 100_000
    path = written("x.csv", f"query_id,text\n{long},a\n{long},b\n")
    with pytest.raises(InputError) as raised:
        list(read_queries(path))
    assert len(str(raised.value)) < 200
