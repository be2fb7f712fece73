"""What is written comes back exactly, in every form; a spreadsheet can run none of it."""

from __future__ import annotations

import csv
import os
import stat
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.formats import (
    GAINS,
    is_name,
    read_corpus,
    read_golden,
    read_judgments,
    read_queries,
    read_run,
    write_atomically,
    write_queries,
)
from labeler.formats.fields import is_blank
from labeler.formats.write import guard, unguard, write_csv
from labeler.model import GoldenEntry, Grade, Judgment, Passage, Query, RunRow
from tests.formats.written import (
    write_corpus,
    write_entries,
    write_labels,
    write_qrels,
    write_run,
    write_verdicts,
)

RUNNING = "=+-@\t\r\n\0'\uff1d"
TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text(RUNNING + '",;\n a', max_size=6)
ID = TEXT.filter(lambda text: not is_blank(text) and "\0" not in text)
GRADE = st.sampled_from(list(Grade))
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
COST = st.none() | st.floats(min_value=0, allow_infinity=False)
NAME = st.just("") | st.text(
    st.characters(categories=["L", "N", "P", "S"], include_characters=" '"), max_size=9
).filter(is_name)
TIME = st.just("") | st.datetimes(
    min_value=datetime.fromisoformat("0002-01-01"),
    max_value=datetime.fromisoformat("9998-01-01"),
    timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=14))]),
).map(datetime.isoformat)
FORMS = st.sampled_from(["csv", "jsonl"])

quietly = settings(deadline=None, max_examples=150)


def same(path_factory, records, write, read, *, key, suffix):
    """Write `records` (one for each key) and expect them back."""
    unique = list({key(record): record for record in records}.values())
    path = path_factory.mktemp("trip") / f"x.{suffix}"
    assert write(path, unique) == len(unique)
    assert [record for _, record in read(path)] == unique


@quietly
@given(
    st.lists(st.builds(Passage, ID, *[TEXT] * 7), min_size=1),
    st.sampled_from(["csv", "jsonl", "beir"]),
)
def test_a_corpus_comes_back(tmp_path_factory, passages, form):
    same(
        tmp_path_factory,
        passages,
        lambda path, rows: write_corpus(path, rows, form=form),
        read_corpus,
        key=lambda p: p.passage_id,
        suffix="csv" if form == "csv" else "jsonl",
    )


@quietly
@given(
    st.lists(st.builds(Query, ID, *[TEXT] * 8), min_size=1),
    st.sampled_from(["csv", "jsonl", "beir"]),
)
def test_a_query_set_comes_back(tmp_path_factory, queries, form):
    same(
        tmp_path_factory,
        queries,
        lambda path, rows: write_queries(path, rows, form=form),
        read_queries,
        key=lambda q: q.query_id,
        suffix="csv" if form == "csv" else "jsonl",
    )


STANDING = st.tuples(GRADE, st.just("labelled")) | st.tuples(
    st.none(), st.sampled_from(["unsure", "later"])
)
JUDGED = st.tuples(GRADE, st.just("ok")) | st.tuples(st.none(), st.just("unreadable"))


@quietly
@given(
    st.lists(
        st.builds(
            lambda q, p, who, stands, at, blind, check, note: Judgment(
                q, p, stands[0], stands[1], who, at=at, blind=blind, spotcheck=check, note=note
            ),
            *(ID, ID, NAME, STANDING, TIME, st.none() | st.booleans(), TEXT, TEXT),
        ),
        min_size=1,
    ),
    FORMS,
)
def test_labels_come_back(tmp_path_factory, labels, form):
    same(
        tmp_path_factory,
        labels,
        lambda path, rows: write_labels(path, rows, form=form),
        read_judgments,
        key=lambda r: (r.query_id, r.passage_id, r.person),
        suffix=form,
    )


@quietly
@given(
    st.lists(
        st.builds(
            lambda q, p, who, rubric, model, judged, reason, at, cost: Judgment(
                *(q, p, judged[0], judged[1], who, rubric, model, reason), at=at, cost=cost
            ),
            *(ID, ID, NAME, NAME, NAME, JUDGED, TEXT, TIME, COST),
        ),
        min_size=1,
    ),
    FORMS,
)
def test_verdicts_come_back(tmp_path_factory, verdicts, form):
    same(
        tmp_path_factory,
        verdicts,
        lambda path, rows: write_verdicts(path, rows, form=form),
        read_judgments,
        key=lambda r: (r.query_id, r.passage_id, r.person, r.rubric, r.model),
        suffix=form,
    )


@quietly
@given(st.lists(st.tuples(ID, ID, GRADE), min_size=1), st.sampled_from(["csv", "jsonl", "beir"]))
def test_qrels_come_back(tmp_path_factory, triples, form):
    same(
        tmp_path_factory,
        [Judgment(q, p, grade) for q, p, grade in triples],
        lambda path, rows: write_qrels(
            path, ((r.query_id, r.passage_id, r.grade.gain) for r in rows), form=form
        ),
        lambda path: read_judgments(path, grades=GAINS),
        key=lambda r: (r.query_id, r.passage_id),
        suffix="tsv" if form == "beir" else form,
    )


TREC_ID = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n\ufeff\0"), min_size=1
).filter(lambda text: not is_blank(text) and text.strip("#"))


@quietly
@given(st.lists(st.tuples(TREC_ID, TREC_ID, GRADE), min_size=1))
def test_trec_qrels_come_back(tmp_path_factory, triples):
    same(
        tmp_path_factory,
        [Judgment(q, p, grade) for q, p, grade in triples],
        lambda path, rows: write_qrels(
            path, ((r.query_id, r.passage_id, r.grade.gain) for r in rows), form="trec"
        ),
        lambda path: read_judgments(path, grades=GAINS),
        key=lambda r: (r.query_id, r.passage_id),
        suffix="qrels",
    )


@quietly
@given(
    st.lists(st.lists(st.tuples(TREC_ID, NUMBER), min_size=1, unique_by=lambda row: row[0])),
    st.sampled_from(["csv", "jsonl", "trec"]),
)
def test_a_run_comes_back(tmp_path_factory, rankings, form):
    rows = [
        RunRow(f"q{number}", passage_id, rank, score)
        for number, ranking in enumerate(rankings)
        for rank, (passage_id, score) in enumerate(ranking, 1)
    ]
    # Where every rank is 1 among several rows of one query ranks say nothing: not so here.
    if rows:
        same(
            tmp_path_factory,
            rows,
            lambda path, rows: write_run(path, rows, form=form, system="mine"),
            read_run,
            key=lambda r: (r.query_id, r.rank),
            suffix=form,
        )


@quietly
@given(
    st.lists(st.builds(GoldenEntry, ID, ID, GRADE, TEXT, TEXT), min_size=1)
    | st.lists(st.builds(GoldenEntry, ID, st.just(""), st.none(), TEXT, TEXT), min_size=1)
    | st.lists(st.builds(GoldenEntry, st.just(""), ID, GRADE, ID, TEXT), min_size=1),
    FORMS,
)
def test_a_golden_set_comes_back(tmp_path_factory, entries, form):
    same(
        tmp_path_factory,
        entries,
        lambda path, rows: write_entries(path, rows, form=form),
        read_golden,
        key=lambda e: (e.query_id or e.query, e.passage_id),
        suffix=form,
    )


@given(TEXT)
def test_the_guard_is_undone_exactly_and_leaves_nothing_that_runs(text):
    assert unguard(guard(text)) == text
    assert guard(text)[:1] not in set("=+-@\t\r\n\0\uff1d")


def test_a_csv_holds_no_cell_that_a_spreadsheet_would_run(tmp_path):
    label = Judgment("=q", "+p", Grade.YES, "labelled", "@ann", note='-1+cmd|" /C calc"!A0')
    write_labels(tmp_path / "x.csv", [label], form="csv")
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as handle:
        _, row = csv.reader(handle)
    assert row[:3] == ["'=q", "'+p", "'@ann"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_an_apostrophe_in_a_file_of_others_stays(tmp_path):
    (tmp_path / "x.csv").write_text("passage_id,text\np,'=1\n")
    assert [p.text for _, p in read_corpus(tmp_path / "x.csv")] == ["'=1"]


@pytest.mark.parametrize("identity", ["a b", "a\tb", "a\nb", "a\rb", "", "a\0"])
def test_trec_refuses_ids_that_it_cannot_hold_and_leaves_no_file(tmp_path, identity):
    path = tmp_path / "x.qrels"
    with pytest.raises(LabelerError, match="cannot be written in TREC's form"):
        write_qrels(path, [("q", "p", 1), (identity, "p", 1)], form="trec")
    with pytest.raises(LabelerError, match="cannot be written in TREC's form"):
        write_run(path, [RunRow("q", identity, 1, 1.0)], form="trec")
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_scores_gets_scores_that_sort_as_its_ranks(tmp_path):
    rows = [RunRow("q", "a", 1), RunRow("q", "b", 2)]
    write_run(tmp_path / "x.trec", rows, form="trec", system="my system")
    assert (tmp_path / "x.trec").read_text() == "q Q0 a 1 1.0 my_system\nq Q0 b 2 0.5 my_system\n"


def test_a_file_appears_whole_or_not_at_all_and_keeps_its_mode(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(0o640)
    rows = (("x" * 100_000, 1 // divisor) for divisor in (1, 1, 0))
    with pytest.raises(ZeroDivisionError):
        write_csv(path, ["a", "b"], rows=rows)
    assert path.read_text() == "old"
    with write_atomically(path) as handle:
        handle.write("new\r\n")
    assert path.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["x.txt"]


def test_a_folder_that_is_not_there_is_an_error_in_words(tmp_path):
    with pytest.raises(LabelerError, match="cannot be written: No such file or directory"):
        write_csv(tmp_path / "none" / "x.csv", ["a"], rows=[])


def test_a_form_that_cannot_hold_a_thing_is_refused(tmp_path):
    with pytest.raises(LabelerError, match="csv or jsonl, not as trec"):
        write_corpus(tmp_path / "x", [], form="trec")


@pytest.mark.parametrize("form", ["csv", "jsonl", "beir"])
def test_an_id_that_begins_with_a_byte_order_mark_comes_back(tmp_path, form):
    """Where a line begins with one, it is taken off as the mark of a file that was joined on."""
    path = tmp_path / ("x.tsv" if form == "beir" else f"x.{form}")
    write_qrels(path, [("\ufeffq", "\ufeffp", 2)], form=form)
    ((_, judgment),) = read_judgments(path, grades=GAINS)
    assert (judgment.query_id, judgment.passage_id) == ("\ufeffq", "\ufeffp")
