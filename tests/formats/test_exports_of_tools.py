"""What tools and spreadsheets really write: read as it is meant, or refused in one sentence."""

from __future__ import annotations

from functools import partial

import pytest

from labeler.errors import InputError
from labeler.formats import Reading, read_corpus, read_queries
from labeler.formats.passages import plain_passages
from labeler.formats.ranking import plain_run, read_run_table
from labeler.formats.runs import read_run


def told(path, read=read_queries, *, skip_bad=False):
    """The first two fields of a file's records, what was noted, and what was left out."""
    reading = Reading(skip_bad=skip_bad)
    records = [record for _, record in read(path, reading=reading)]
    rows = [tuple(getattr(one, name) for name in type(one).__slots__[:2]) for one in records]
    return rows, [str(note) for note in reading.notes], [str(one) for one in reading.problems]


def ranked(path, *, skip_bad=False):
    """The rows of a run, what was noted, and what was left out."""
    reading = Reading(skip_bad=skip_bad)
    table = read_run_table(path, reading=reading).select(["query_id", "passage_id", "rank"])
    rows = [tuple(row.values()) for row in table.to_pylist()]
    return rows, [str(note) for note in reading.notes], [str(one) for one in reading.problems]


def test_a_column_without_a_name_is_told_of_as_any_that_is_not_read(written):
    path = written("x.csv", ",query_id,text\n0,q1,one\n")
    assert told(path)[:2] == (
        [("q1", "one")],
        ["x.csv, line 1: a column without a name is not read"],
    )


def test_metadata_that_lends_nothing_is_told_of(written):
    lines = '{"_id":"1","text":"a","metadata":{}}\n{"_id":"2","text":"b","metadata":"x"}\n'
    unread = "column 'metadata' is not read"
    assert told(written("x.jsonl", lines), read_corpus)[1] == [f"x.jsonl, line 2: {unread}"]
    path = written("x.csv", "id,text,metadata\n1,a,{}\n")
    assert told(path, read_corpus)[1] == [f"x.csv, line 1: {unread}"]
    reading = Reading()
    assert plain_passages(path, reading=reading) is not None
    assert [str(note) for note in reading.notes] == [f"x.csv, line 1: {unread}"]


def test_the_header_again_in_other_letters_is_left_out_and_another_header_refused(written):
    rows = "id,text\n1,a\nID,Text\n2,b\n"
    path = written("x.csv", rows)
    assert told(path, read_corpus)[:2] == (
        [("1", "a"), ("2", "b")],
        ["x.csv, line 3: the header again, left out"],
    )
    assert plain_passages(path, reading=Reading()) is None
    turned = written("y.csv", rows.replace("ID,Text", "text,id"))
    with pytest.raises(InputError, match=r"^y\.csv, line 3: another header, expected the columns"):
        told(turned, read_corpus)
    assert plain_passages(turned, reading=Reading()) is None


@pytest.mark.parametrize("above", ["sep=;", "sep=;;", '"sep=;"'])
def test_the_separator_line_of_excel_may_have_been_saved_again(written, above):
    assert told(written("x.csv", f"{above}\r\nquery_id;text\r\nq1;a, b\r\n"))[0] == [("q1", "a, b")]


@pytest.mark.parametrize("name", ["\xa0text", "\u200btext", "Text \u3000"])
def test_blanks_of_any_kind_around_a_columns_name_are_set_aside(written, name):
    assert told(written("x.csv", f"query_id,{name}\nq1,a\n"))[0] == [("q1", "a")]


def test_a_header_behind_a_hash_is_a_comment_and_the_error_says_so(written):
    with pytest.raises(InputError, match=r"q1, a \(what begins with # is a comment\)"):
        told(written("x.csv", "#query_id,text\nq1,a\n"))


def test_a_header_that_is_no_csv_is_the_one_thing_said(written):
    for skip_bad in (False, True):
        with pytest.raises(InputError) as caught:
            told(written("x.csv", '"query_id,text\nq1,a\n'), skip_bad=skip_bad)
        assert str(caught.value).startswith("x.csv, line 1: a row that is no CSV")
        assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\n", "a pointer of Git LFS"),
        ("\n <!DOCTYPE html>\n<html></html>\n", "a web page"),
        ('<?xml version="1.0"?><Error/>\n', "XML"),
        ("ARROW1\0\0", "an Arrow or Feather file"),
        ("\0" * 8 + "DUCK@" + "\0" * 7, "a DuckDB file"),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.trec"])
def test_what_is_no_data_is_named_whatever_it_is_called(written, start, said, name):
    path = written(name, start)
    for read in (read_corpus, read_queries, read_run):
        with pytest.raises(InputError, match=f"^{name}: {said}") as caught:
            told(path, read)
        assert len(caught.value.problems) == 1


def test_a_table_of_ducks_is_no_database(written):
    """The header takes 8 bytes, behind which a DuckDB file has its mark."""
    assert told(written("x.csv", "id,text\nDUCK-1,a\n"))[0] == [("DUCK-1", "a")]


def test_a_key_or_a_column_that_comes_twice_is_named_in_short(written):
    name = "k" * 500
    for file, text in (
        ("x.jsonl", f'{{"{name}": 1, "{name}": 2}}'),
        ("x.csv", f"id,{name},{name}\nq,a,b\n"),
    ):
        with pytest.raises(InputError) as caught:
            told(written(file, text), partial(read_queries, columns={"text": name}))
        assert len(str(caught.value)) < 160


def test_a_text_of_a_folder_may_be_a_web_page(written, tmp_path):
    written("page.md", "<!doctype html>")
    assert told(tmp_path, read_corpus)[0] == [("page.md", "<!doctype html>")]


def test_a_folder_of_beir_is_no_folder_of_texts(written, tmp_path):
    written("README.md", "# A data set")
    written("corpus.jsonl", '{"_id":"1","text":"a"}\n')
    with pytest.raises(InputError, match=r"with corpus\.jsonl, expected that file itself"):
        told(tmp_path, read_corpus)


def test_utf16_without_a_mark_is_told_by_its_header(written):
    """Of 54 characters 22 are Latin: too few for the NULs of the whole file to tell."""
    rows = "query_id,text\nq1," + "\u65e5\u672c" * 15 + "\nq2,a\n"
    for encoding in ("utf-16-le", "utf-16-be"):
        found = told(written("x.csv", rows.encode(encoding)))[0]
        assert found == [("q1", "\u65e5\u672c" * 15), ("q2", "a")]


def test_the_chunk_is_the_passage_where_its_document_is_named_too(written):
    path = written("x.csv", "query_id,doc_id,chunk_id,rank\nq,d,c1,1\nq,d,c2,2\n")
    assert ranked(path) == (
        [("q", "c1", 1), ("q", "c2", 2)],
        ["x.csv, line 1: column 'doc_id' is not read"],
        [],
    )
    lines = '{"doc_id":"d","chunk_id":"c1","text":"a"}\n{"doc_id":"d","chunk_id":"c2","text":"b"}\n'
    assert told(written("x.jsonl", lines), read_corpus)[0] == [("c1", "a"), ("c2", "b")]


@pytest.mark.parametrize(
    ("rows", "place"), [("q a Q0 1 2 t\nq b Q0 2 1 t\n", "third"), ("Q0 q a 1 2 t\n", "first")]
)
def test_a_trec_run_in_another_order_is_refused_by_either_way(written, rows, place):
    path = written("x.trec", rows)
    with pytest.raises(InputError, match=f"Q0 in the {place} column, not the second"):
        ranked(path)
    assert plain_run(path, reading=Reading()) is None


def test_a_query_may_be_called_as_the_fixed_column_is(written):
    assert ranked(written("x.trec", "Q0 Q0 Q0 1 2 t\n"))[0] == [("Q0", "Q0", 1)]


def test_invisible_characters_around_an_id_are_told_of_and_alone_are_none(written):
    path = written("x.trec", "q Q0 a\u200b 1 3 t\nq Q0 \u200fb 2 2 t\nq Q0 c\u200dd 3 1 t\n")
    assert plain_run(path, reading=Reading()) is None
    assert ranked(path)[1:] == (
        ["x.trec, lines 1, 2: passage_id has invisible characters around it, which are kept"],
        [],
    )
    for nothing in ("\u200b", "\xa0", "\x0b"):
        with pytest.raises(InputError, match="line 1: a blank passage_id"):
            ranked(written("y.trec", f"q Q0 {nothing} 1 3 t\n"))
    assert told(written("z.csv", "query_id,text\nq,\u200b\n"))[1] == [
        "z.csv, line 2: a query without text"
    ]


def test_a_table_without_rank_and_score_is_told_once(written):
    with pytest.raises(InputError, match=r"^x\.csv: no column for a rank or a score") as caught:
        ranked(written("x.csv", "query_id,passage_id,distance\nq,a,1\nq,b,2\n"))
    assert (len(caught.value.problems), caught.value.needs) == (1, "columns")


def test_a_run_may_be_a_mapping_of_queries_to_scores(written):
    """As BEIR, pytrec_eval and ranx keep it: b has .7 and a .5."""
    path = written("x.json", '{"q1":{"a":0.5,"b":0.7},"q2":{},"q3":{"a":null,"b":"1"}}')
    assert ranked(path, skip_bad=True) == (
        [("q1", "b", 1), ("q1", "a", 2), ("q3", "b", 1)],
        ["x.json, line 1: a query without passages was left out"],
        ["x.json, line 1: neither rank nor score in query 'q3', expected one of them"],
    )


def test_of_several_objects_on_a_line_the_refused_one_is_counted_out(written):
    """pandas writes all records on one line."""
    path = written("x.json", '[{"_id":"1","text":"a"},{"_id":"","text":"b"},{"_id":"3"},4]')
    assert told(path, skip_bad=True)[2] == [
        "x.json, line 1: no query_id in element 2, expected an id",
        "x.json, line 1: no text among the columns _id in element 3, expected a key for it in each "
        "object, or to be told which key it is",
        "x.json, line 1: the number 4 in element 4, expected a JSON object",
    ]


def test_a_second_mark_before_json_and_text_behind_it_are_placed(written):
    path = written("x.json", "\ufeff\ufeff" + '[{"_id":"1","text":"a"}]')
    assert told(path)[:2] == (
        [("1", "a")],
        ["x.json, line 1: a byte order mark inside the file was taken off"],
    )
    with pytest.raises(InputError, match="line 3: text after the array"):
        told(written("y.json", '[{"_id":"1","text":"a"}]\n\n[{"_id":"2","text":"b"}]'))
