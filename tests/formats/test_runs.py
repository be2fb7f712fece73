"""Runs: ranks, scores, and what happens when they disagree."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import InputError, Problem
from labeler.formats import Reading, read_run
from labeler.formats.ranking import plain_run, read_run_table


def order(path, reading=None):
    return [(r.query_id, r.passage_id, r.rank) for _, r in read_run(path, reading=reading)]


def test_an_explicit_rank_wins_over_the_score_and_the_contradiction_is_noted(written):
    reading = Reading()
    path = written("x.trec", "q Q0 a 2 9.0 t\nq Q0 b 1 1.0 t\n")
    assert order(path, reading) == [("q", "b", 1), ("q", "a", 2)]
    assert [str(note) for note in reading.notes] == [
        "x.trec, line 2: a query's scores contradict its ranks; the ranks decide"
    ]


def test_ranks_from_zero_are_shifted_and_noted(written):
    reading = Reading()
    path = written("x.trec", "q Q0 a 0 3 t\nq Q0 b 1 2 t\n")
    assert order(path, reading) == [("q", "a", 1), ("q", "b", 2)]
    assert "count from 0" in str(reading.notes[0])


def test_ranks_that_are_all_the_same_say_nothing_and_scores_are_sorted(written):
    # Ties by passage id from the last to the first: c before b at 2.0.
    reading = Reading()
    path = written("x.trec", "q Q0 a 0 1.0 t\nq Q0 b 0 2.0 t\nq Q0 c 0 2.0 t\n")
    assert order(path, reading) == [("q", "c", 1), ("q", "b", 2), ("q", "a", 3)]
    assert "every rank is 0" in str(reading.notes[0])


def test_scores_alone_are_sorted_with_ties_from_the_last_id(written):
    path = written(
        "x.jsonl",
        '{"query_id":"q","passage_id":"a","score":0.5}\n'
        '{"query_id":"q","passage_id":"b","score":0.5}\n'
        '{"query_id":"q","passage_id":"c","score":"7e-1"}\n',
    )
    assert order(path) == [("q", "c", 1), ("q", "b", 2), ("q", "a", 3)]


def test_rows_of_a_query_need_not_stand_together(written):
    path = written("x.trec", "q Q0 a 1 2 t\nr Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    assert [(line, r.query_id, r.rank) for line, r in read_run(path)] == [
        (1, "q", 1),
        (3, "q", 2),
        (2, "r", 1),
    ]


def test_a_repeated_passage_keeps_its_slot_and_an_identical_row_is_dropped(written):
    reading = Reading()
    path = written(
        "x.trec", "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\nq Q0 a 3 1 t\nq Q0 c 4 0 t\n"
    )
    assert order(path, reading) == [("q", "a", 1), ("q", "b", 2), ("q", "a", 3), ("q", "c", 4)]
    assert [str(note) for note in reading.notes] == [
        "x.trec, line 3: a passage ranked twice for its query; it keeps both slots",
        "x.trec, line 4: identical to an earlier line, dropped",
    ]


def test_two_passages_on_one_rank_are_refused_with_both_lines(written):
    path = written("x.trec", "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 2 1 t\n")
    with pytest.raises(InputError, match=r"line 3: rank 2 of q again, which line 2 has"):
        order(path)


def test_gaps_in_the_ranks_are_closed_and_noted(written):
    reading = Reading()
    path = written("x.trec", "q Q0 a 1 3 t\nq Q0 b 5 2 t\n")
    assert order(path, reading) == [("q", "a", 1), ("q", "b", 2)]
    assert "gaps" in str(reading.notes[0])


def test_a_line_of_another_width_is_named_as_found_and_expected(written):
    path = written("bm25.trec", "q Q0 a 1 3 t\n" + "q Q0 b 2 2\n")
    with pytest.raises(InputError, match=r"^bm25\.trec, line 2: found 5 fields, expected 6"):
        order(path)


@pytest.mark.parametrize("score", ["nan", "inf", "-Infinity", "1e999", "x", "1_0", "0,5", "\u0661"])
def test_a_score_that_is_no_finite_number_is_refused(written, score):
    with pytest.raises(InputError, match=r"line 1: score .*, expected a finite number"):
        order(written("x.trec", f"q Q0 a 1 {score} t\n"))
    with pytest.raises(InputError, match=r"line 2: score .*, expected a (finite )?number"):
        order(written("x.tsv", f"query_id\tpassage_id\tscore\nq\ta\t{score}\n"))


@pytest.mark.parametrize("rank", ["-1", "1.5", "x", "1_0", "²", "9999999999"])
def test_a_rank_that_is_no_whole_number_is_refused(written, rank):
    with pytest.raises(InputError, match="line 1: rank"):
        order(written("x.trec", f"q Q0 a {rank} 1.0 t\n"))


def test_a_row_without_rank_among_ranked_ones_is_refused(written):
    path = written("x.csv", "query_id,passage_id,rank,score\nq,a,1,\nq,b,,3\n")
    with pytest.raises(InputError, match="line 3: no rank"):
        order(path)
    with pytest.raises(InputError, match="line 2: neither rank nor score"):
        order(written("y.csv", "query_id,passage_id,rank,score\nq,a,,\n"))


def test_a_table_without_a_header_is_told_so(written):
    with pytest.raises(InputError, match="line 1: no query_id among the columns q, a, 1, 3"):
        order(written("x.csv", "q,a,1,3\n"))
    assert order(written("y.csv", "q Q0 a 1 3 t\n")) == [("q", "a", 1)]


def test_ids_hold_whatever_is_no_space_or_tab(written):
    ids = [
        "q\xa01",
        "#7",
        'a"b',
        "001",
        "https://x.example/?a=1,2#b",
        "😀",
        "'=x",
        "e\u0301",
        "a\x0bb",
    ]
    path = written("x.trec", "".join(f"{i} Q0 {i} 1 1.0 t\n" for i in ids))
    assert order(path) == [(i, i, 1) for i in ids]


def test_a_comment_is_left_out_by_line_and_an_id_that_is_a_hash_stays(written):
    reading = Reading()
    path = written("x.trec", "# made by a script\n#\n# Q0 a 1 1.0 t\n#q Q0 a 1 1.0 t\n")
    assert order(path, reading) == [("#", "a", 1), ("#q", "a", 1)]
    assert reading.notes[0].lines == (1, 2)


def both_ways(path):
    """The rows, or the problems, of the row reader and of the column reader; and their notes."""
    answers = []
    for read in (
        lambda reading: [
            (n.line, *(getattr(n.record, f) for f in n.record.__slots__))
            for n in read_run(path, reading=reading)
        ],
        lambda reading: [
            tuple(row.values()) for row in read_run_table(path, reading=reading).to_pylist()
        ],
    ):
        reading = Reading()
        try:
            answers.append((read(reading), reading.notes))
        except InputError as error:
            answers.append((error.problems, reading.notes))
    return answers


LINE = st.tuples(
    st.sampled_from(["q1", "q2", "é", "#", ""]),
    st.sampled_from(["Q0", "0"]),
    st.sampled_from(["a", "b", "c", "d\xa0", '"']),
    st.sampled_from(["0", "1", "2", "3", "x", "-1"]),
    st.sampled_from(["3.0", "2", "1e0", ".5", "5.", "nan", "-1", "+1", "inf", "y", "1_0"]),
    st.sampled_from(["t", ""]),
)


@settings(deadline=None)
@given(
    st.lists(LINE, min_size=1, max_size=6),
    st.sampled_from([" ", "\t", "  "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_quick_way_answers_as_the_row_reader_on_any_file(tmp_path_factory, lines, gap, end):
    path = tmp_path_factory.mktemp("run") / "x.trec"
    path.write_bytes("".join(gap.join(line) + end for line in lines).encode())
    rows, columns = both_ways(path)
    assert rows == columns


def test_the_quick_way_answers_as_the_row_reader_on_a_plain_file_out_of_order(written):
    lines = [
        f"q{q}\tQ0\tp{(q * 7 + r) % 50}\t{r}\t{9 - r}.5\tt\n" for r in range(1, 6) for q in range(9)
    ]
    random.Random(1).shuffle(shuffled := list(lines))
    for content in ("".join(lines), "".join(shuffled)):
        rows, columns = both_ways(written("x.run", content))
        assert rows == columns
        assert len(rows[0]) == 45


IDS = st.sampled_from(["q1", "q2", "p3", "007", "é", "\xa0", " a", "#x", "'=a", "e\u0301", ""])
RANKS = st.sampled_from(["0", "1", "2", "3", "", " 1", "+1", "01", "0x1", "1.0", "-1", "x"])
SCORES = st.sampled_from(
    [
        "3.0",
        "2",
        "2",
        "1e0",
        ".5",
        "5.",
        " 1",
        "-0.0",
        "0",
        "",
        "nan",
        "inf",
        "+1",
        "0x1",
        "1e",
        "1e999",
    ]
)
PLAIN = st.tuples(  # mostly without a fault, so that the quick way is taken
    st.sampled_from(["q1", "q2"]),
    st.sampled_from(["a", "b", "c", "d", "z"]),
    st.sampled_from(["0", "1", "2"]),
    st.sampled_from(["3.0", "2", "1e0", "-0.0", "0"]),
)
HEADERS = st.sampled_from(
    [
        ("query_id", "passage_id", "rank", "score"),
        ("qid", "docid", "position", "sim"),
        ("query_id", "passage_id", "note", "score"),
        ("query_id", "passage_id", "rank", "rank"),
        ("query_id", "passage_id", "score", "system"),
        ("a", "b", "c", "d"),
    ]
)


@settings(deadline=None, max_examples=300)
@given(
    HEADERS,
    st.lists(st.one_of(PLAIN, st.tuples(IDS, IDS, RANKS, SCORES)), max_size=6),
    st.sampled_from([",", "\t", ";"]),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
)
def test_the_quick_way_answers_as_the_row_reader_on_any_table(
    tmp_path_factory, header, lines, gap, end, marked
):
    text = "".join(gap.join(cells) + end for cells in (header, *lines))
    path = tmp_path_factory.mktemp("run") / ("x.tsv" if gap == "\t" else "x.csv")
    path.write_bytes(text.encode("utf-8-sig" if marked else "utf-8"))
    rows, columns = both_ways(path)
    assert rows == columns


VALUES = st.sampled_from(
    [
        *('"q1"', '"q2"', '"007"', '"\\u00e9"', '"\\ud800"', '" "', '"1"', "[]", "true", "null"),
        *("7", "0", "1", "2", "1.5", "-2e0", "1e999", "NaN", "10000000000000000000000"),
    ]
)
ROW = st.dictionaries(
    st.sampled_from(["query_id", "passage_id", "rank", "score", "qid", "system"]), VALUES
)
RIGHT = st.tuples(
    st.sampled_from(['"q1"', '"q2"']),
    st.sampled_from(['"a"', '"b"', '"c"', '"d"']),
    st.sampled_from(["0", "1", "2"]),
    st.sampled_from(["3.0", "2", "1e0", "0"]),
).map(lambda cells: dict(zip(("query_id", "passage_id", "rank", "score"), cells, strict=True)))


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(st.lists(RIGHT, max_size=5), st.lists(st.one_of(ROW, RIGHT), max_size=5)),
    st.sampled_from(["\n", "\r\n", "\n \n", " ", ","]),
    st.booleans(),
)
def test_the_quick_way_answers_as_the_row_reader_on_any_json_lines(
    tmp_path_factory, lines, end, ranked
):
    objects = [
        "{"
        + ",".join(f'"{key}":{value}' for key, value in line.items() if ranked or key != "rank")
        + "}"
        for line in lines
    ]
    path = tmp_path_factory.mktemp("run") / "x.jsonl"
    path.write_text(end.join(objects) + "\n")
    rows, columns = both_ways(path)
    assert rows == columns


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b"query_id,passage_id,rank,score\nq,a,-1,3\nq,b,-1,2\n"),
        ("x.csv", b"query_id,passage_id,rank,system\nq,a,1,\xff\n"),
        ("x.trec", b"q Q0 a 1 1.0 \xff\n"),
        ("x.jsonl", b'{"query_id":"q\\u0000","passage_id":"a","rank":1}\n'),
    ],
)
def test_what_is_refused_in_any_column_is_refused_by_either_way(written, name, content):
    """A rank below 0 that is the same in all rows, bytes that are no UTF-8 in a column that nobody
    reads, and a NUL that is written as an escape."""
    rows, columns = both_ways(written(name, content))
    assert rows == columns
    assert isinstance(rows[0][0], Problem)


def test_ids_of_json_lines_that_name_a_key_twice_are_refused_by_either_way(written):
    line = '{"query_id":"q","query_id":"r","passage_id":"a","rank":1}\n'
    rows, columns = both_ways(written("x.jsonl", line))
    assert rows == columns
    assert "twice" in str(rows[0][0])


@pytest.mark.parametrize("form", ["csv", "jsonl", "scores", "zero"])
def test_the_quick_way_is_taken_for_plain_files_of_every_form(written, form):
    numbers = [(f"q{q}", f"p{q * 7 + r}", r, 9.5 - r) for q in range(4) for r in range(1, 6)]
    if form == "csv":
        text = "query_id,passage_id,rank,score\r\n"
        text += "".join(f"{q},{p},{r},{s}\r\n" for q, p, r, s in numbers)
    elif form == "jsonl":
        text = "".join(
            f'{{"query_id": "{q}", "passage_id": "{p}", "rank": {r}, "score": {s}}}\n'
            for q, p, r, s in numbers
        )
    elif form == "scores":
        text = "qid,docid,score\n" + "".join(f"{q},{p},{s}\n" for q, p, _, s in numbers)
    else:
        text = "".join(f"{q} Q0 {p} {r - 1} {s} t\n" for q, p, r, s in numbers)
    path = written("x.jsonl" if form == "jsonl" else "x.trec" if form == "zero" else "x.csv", text)
    rows, columns = both_ways(path)
    assert rows == columns
    assert plain_run(path, reading=Reading()) is not None


def test_a_file_of_several_systems_is_told_of_by_either_way(written):
    """The third row has no end of its line, and another name in its last column."""
    path = written("x.trec", "q Q0 a 1 2.0 s\nq Q0 b 2 1.0 s\nr Q0 a 1 2.0 t")
    said = ["x.trec: the last column has 2 names (s, t); it is read as one run"]
    for read in (order, lambda path, reading: read_run_table(path, reading=reading)):
        reading = Reading()
        assert len(read(path, reading)) == 3
        assert [str(note) for note in reading.notes] == said


def test_an_integer_that_no_float_holds_is_no_score(written):
    """JSON writes out what other files have as 1e400."""
    path = written("x.jsonl", f'{{"query_id":"q","passage_id":"a","score":1{"0" * 400}}}\n')
    for read in (read_run, read_run_table):
        with pytest.raises(InputError, match=r"line 1: score 1000*…, expected a finite number"):
            list(read(path))


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_a_header_within_a_run_is_left_out_by_either_way(written, name):
    blank = "\t" if name == "x.tsv" else ","
    rows = ["query_id passage_id rank", "q a 1", "query_id passage_id rank", "r a 1"]
    path = written(name, "\n".join(rows).replace(" ", blank))
    reading = Reading()
    assert order(path, reading) == [("q", "a", 1), ("r", "a", 1)]
    assert [str(note) for note in reading.notes] == [f"{name}, line 3: the header again, left out"]
    assert read_run_table(path)["query_id"].to_pylist() == ["q", "r"]
