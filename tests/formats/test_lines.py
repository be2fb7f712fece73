"""Columns are written to the byte as rows are, whatever the cells hold."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.formats import lines, write_atomically, write_json_lines, write_table
from labeler.formats.corpora import CORPUS_COLUMNS
from labeler.formats.goldenfile import QRELS_COLUMNS
from labeler.formats.trec import tag_of, writable
from labeler.model import Passage, RunRow
from tests.formats.written import batches, write_corpus, write_qrels, write_run

TEXT = st.one_of(
    st.sampled_from(["", "a", "é", "=1", "'=1", "''", "-", "\ufeffx", "\0", '"', "a,b", "\uff1d"]),
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.text("',\"\\\r\n\t\0=+-@ab\ufeff\x1f\x7f\u2028", max_size=5),
)
ID = st.one_of(st.sampled_from(["q1", "p#2", "é", "a,b"]), TEXT)
SCORE = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
MOMENT = st.builds(
    lambda n: datetime(2026, 3, 1, 9, 30, tzinfo=UTC) + timedelta(microseconds=n),
    st.integers(0, 3_000_000),
)
SIX = {"c": pa.bool_(), "d": pa.int32(), "e": pa.float64(), "f": pa.timestamp("us", tz="UTC")}
SOME = settings(deadline=None, max_examples=60)


def both(folder, row_wise, column_wise):
    """The bytes that two writers write and what they return, or the error."""
    answers = []
    for number, write in enumerate((row_wise, column_wise)):
        path = folder / f"{number}"
        path.write_text("what stood")
        try:
            answers.append((write(path), path.read_bytes()))
        except LabelerError as error:
            answers.append((str(error), path.read_bytes()))
    return answers


@SOME
@given(
    rows=st.lists(
        st.tuples(
            TEXT,
            st.one_of(st.none(), TEXT),
            st.one_of(st.none(), st.booleans()),
            st.integers(-9, 9),
            SCORE,
            MOMENT,
        ),
        max_size=5,
    ),
    form=st.sampled_from(["csv", "jsonl"]),
)
def test_a_table_of_columns_is_written_as_its_rows_are(tmp_path_factory, rows, form):
    said = [(*row[:5], row[5].isoformat()) for row in rows]
    one, other = both(
        tmp_path_factory.mktemp("f"),
        lambda path: write_table(path, "abcdef", rows=said, form=form),
        lambda path: lines.write_columns(
            path, "abcdef", batches=batches("abcdef", rows, types=SIX), form=form
        ),
    )
    assert one == other


@SOME
@given(st.lists(st.builds(Passage, *[TEXT] * len(CORPUS_COLUMNS)), max_size=4))
def test_passages_in_beirs_form_are_the_lines_of_json(tmp_path_factory, passages):
    def row_wise(path):
        return write_json_lines(path, map(record, passages))

    def record(passage):
        rest = {name: getattr(passage, name) for name in CORPUS_COLUMNS[3:]}
        said = {name: value for name, value in rest.items() if value}
        named = {"_id": passage.passage_id, "title": passage.title, "text": passage.text}
        return named | {"metadata": said}

    one, other = both(
        tmp_path_factory.mktemp("f"),
        row_wise,
        lambda path: write_corpus(path, passages, form="beir"),
    )
    assert one == other


@SOME
@given(
    rows=st.lists(st.builds(RunRow, ID, ID, st.integers(1, 9), SCORE), max_size=4),
    system=st.sampled_from(["s", "two words", "\ufeff", ""]),
)
def test_a_run_is_written_from_columns_as_from_rows(tmp_path_factory, rows, system):
    def row_wise(path):
        with write_atomically(path) as handle:
            for row in rows:
                score = 1 / row.rank if row.score is None else row.score
                ids = f"{writable(row.query_id)} Q0 {writable(row.passage_id)}"
                handle.write(f"{ids} {row.rank} {score!r} {tag_of(system)}\n")
        return len(rows)

    one, other = both(
        tmp_path_factory.mktemp("f"),
        row_wise,
        lambda path: write_run(path, rows, form="trec", system=system),
    )
    assert one == other


@SOME
@given(
    rows=st.lists(st.tuples(ID, ID, st.integers(0, 2)), max_size=4),
    form=st.sampled_from(["trec", "beir", "csv", "jsonl"]),
)
def test_qrels_are_written_from_columns_as_from_rows(tmp_path_factory, rows, form):
    def row_wise(path):
        if form in ("csv", "jsonl"):
            return write_table(path, QRELS_COLUMNS, rows=rows, form=form)
        with write_atomically(path) as handle:
            if form == "beir":
                handle.write("query-id\tcorpus-id\tscore\n")
            for query, passage, gain in rows:
                if form == "beir":  # in marks where a line end or a byte order mark asks for them
                    odd = query[:1] == "\ufeff" or set("\r\n") & {*query, *passage}
                    quoting = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
                    lines = csv.writer(handle, "excel-tab", lineterminator="\n", quoting=quoting)
                    lines.writerow((query, passage, gain))
                else:
                    handle.write(f"{writable(query)} 0 {writable(passage)} {gain}\n")
        return len(rows)

    one, other = both(
        tmp_path_factory.mktemp("f"), row_wise, lambda path: write_qrels(path, rows, form=form)
    )
    assert one == other


def test_a_file_is_left_as_it_was_when_the_columns_break_off(tmp_path):
    def broken():
        yield pa.record_batch({"a": ["x"]})
        raise RuntimeError("the store went away")

    path = tmp_path / "x.csv"
    path.write_text("what stood")
    with pytest.raises(RuntimeError):
        lines.write_columns(path, ["a"], batches=broken(), form="csv")
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("what stood", [path])


@pytest.mark.parametrize("path", ["x.qrels", "no such folder/x.qrels"])
def test_what_cannot_be_written_is_read_no_further(tmp_path, path):
    """A transaction that stays open as long as somebody holds the error holds the store's file."""
    ids = {"query_id": ["q"], "passage_id": ["two words"], "grade": [1]}
    found = (pa.record_batch(ids) for _ in range(2))
    with pytest.raises(LabelerError):
        lines.write_qrels(tmp_path / path, batches=found, form="trec")
    assert found.gi_frame is None


def test_long_texts_are_written_a_few_at_a_time(tmp_path):
    """Five rows of 6 MB are more than the 16 MB that are made into lines at once."""
    rows = [(f"q{n}", chr(ord("a") + n) * 6_000_000) for n in range(5)]
    batch = pa.record_batch(list(map(pa.array, zip(*rows, strict=True))), names=["q", "text"])
    path = tmp_path / "x.csv"
    written = lines.write_columns(path, ["q", "text"], batches=(b for b in [batch]), form="csv")
    assert written == 5
    assert path.read_text() == "q,text\n" + "".join(f"{q},{text}\n" for q, text in rows)
