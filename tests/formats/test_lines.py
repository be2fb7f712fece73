"""Columns are written to the byte as rows are, whatever the cells hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.formats import lines, write_corpus, write_qrels, write_run, write_table
from labeler.formats.corpora import CORPUS_COLUMNS
from labeler.model import Passage, RunRow

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
SOME = settings(deadline=None, max_examples=60)


def batches(columns, rows, types):
    """The rows in batches of two."""
    for start in range(0, len(rows), 2):
        cells = zip(*rows[start : start + 2], strict=True)
        yield pa.record_batch([*map(pa.array, map(list, cells), types)], names=list(columns))


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
    types = [pa.string(), pa.string(), pa.bool_(), pa.int32(), pa.float64()]
    types.append(pa.timestamp("us", tz="UTC"))
    said = [(*row[:5], row[5].isoformat()) for row in rows]
    one, other = both(
        tmp_path_factory.mktemp("f"),
        lambda path: write_table(path, "abcdef", rows=said, form=form),
        lambda path: lines.write_columns(
            path, "abcdef", batches=batches("abcdef", rows, types), form=form
        ),
    )
    assert one == other


@SOME
@given(st.lists(st.tuples(*[TEXT] * len(CORPUS_COLUMNS)), max_size=4))
def test_passages_in_beirs_form_are_written_from_columns_as_from_rows(tmp_path_factory, rows):
    found = batches(CORPUS_COLUMNS, rows, [pa.string()] * len(CORPUS_COLUMNS))
    one, other = both(
        tmp_path_factory.mktemp("f"),
        lambda path: write_corpus(path, [Passage(*row) for row in rows], form="beir"),
        lambda path: lines.write_beir_corpus(path, batches=found),
    )
    assert one == other


@SOME
@given(
    rows=st.lists(st.tuples(ID, ID, st.integers(1, 9), SCORE), max_size=4),
    system=st.sampled_from(["s", "two words", "\ufeff", ""]),
)
def test_a_run_is_written_from_columns_as_from_rows(tmp_path_factory, rows, system):
    names = ("query_id", "passage_id", "rank", "score")
    types = [pa.string(), pa.string(), pa.int32(), pa.float64()]
    one, other = both(
        tmp_path_factory.mktemp("f"),
        lambda path: write_run(path, [RunRow(*r) for r in rows], form="trec", system=system),
        lambda path: lines.write_trec_run(path, batches=batches(names, rows, types), system=system),
    )
    assert one == other


@SOME
@given(
    rows=st.lists(st.tuples(ID, ID, st.integers(0, 2)), max_size=4),
    form=st.sampled_from(["trec", "beir", "csv", "jsonl"]),
)
def test_qrels_are_written_from_columns_as_from_rows(tmp_path_factory, rows, form):
    names = ("query_id", "passage_id", "grade")
    found = batches(names, rows, [pa.string(), pa.string(), pa.int32()])
    one, other = both(
        tmp_path_factory.mktemp("f"),
        lambda path: write_qrels(path, rows, form=form),
        lambda path: lines.write_qrels(path, batches=found, form=form),
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
