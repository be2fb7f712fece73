"""What a file may be encoded, ended and packed as, and what is no text file at all."""

from __future__ import annotations

import gzip
import json
import os
import zipfile

import pytest

from labeler.errors import InputError
from labeler.formats import Reading, read_corpus, read_judgments
from labeler.formats.ranking import read_run_table
from labeler.formats.source import doubly_encoded, may_be_doubly_encoded

QRELS = "q1 0 p1 1\nqé 0 p2 0\n"
EXPECTED = [(1, "q1", "p1", "YES"), (2, "qé", "p2", "NO")]


def rows(path, reading=None):
    return [
        (line, r.query_id, r.passage_id, r.grade)
        for line, r in read_judgments(path, reading=reading)
    ]


@pytest.mark.parametrize(
    "content",
    [
        QRELS.encode(),
        b"\xef\xbb\xbf" + QRELS.encode(),
        QRELS.encode("utf-16"),
        b"\xfe\xff" + QRELS.encode("utf-16-be"),
        QRELS.encode("utf-16-le"),
        QRELS.encode("utf-16-be"),
        QRELS.encode("utf-32"),
        QRELS.replace("\n", "\r\n").encode(),
        QRELS.replace("\n", "\r").encode(),
        QRELS.rstrip("\n").encode(),
        QRELS.replace(" ", "\t").encode(),
        QRELS.replace(" ", "  \t ").encode(),
        gzip.compress(QRELS.encode(), mtime=0),
        gzip.compress(QRELS.encode("utf-16"), mtime=0),
    ],
    ids=[
        *("utf-8", "mark", "utf-16", "utf-16-be", "le without mark", "be without mark"),
        *("utf-32", "crlf", "cr", "no last line end", "tabs", "runs of blanks", "gzip", "gz16"),
    ],
)
def test_every_encoding_line_end_and_packing_reads_the_same(written, content):
    assert rows(written("x.qrels", content)) == EXPECTED


def test_blank_lines_count_but_say_nothing(written):
    assert rows(written("x.qrels", "\n  \t\nq1 0 p1 1\n\n")) == [(3, "q1", "p1", "YES")]


def test_a_mark_inside_a_file_that_was_joined_of_two_is_no_part_of_an_id(written):
    reading = Reading()
    path = written("x.qrels", "\ufeffq1 0 p1 1\n\ufeffq2 0 p2 0\n")
    assert [row[1] for row in rows(path, reading)] == ["q1", "q2"]
    assert [str(note) for note in reading.notes] == [
        "x.qrels, line 2: a byte order mark inside the file was taken off"
    ]


def test_bytes_that_are_no_utf8_are_refused_by_line_and_can_be_skipped(written):
    path = written("x.qrels", "q1 0 p1 1\nqé 0 p2 0\nq3 0 p3 1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"^x\.qrels, line 2: bytes that are not UTF-8"):
        rows(path)
    reading = Reading(skip_bad=True)
    assert [row[0] for row in rows(path, reading)] == [1, 3]
    assert [problem.line for problem in reading.problems] == [2]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.qrels", b"", "an empty file"),
        ("x.qrels", b"\xef\xbb\xbf", "an empty file"),
        ("x.csv", b"\n \n\r\n", "an empty file"),
        ("x.csv", b"\n" * 5000, "only blank lines"),
        ("x.parquet", b"PAR1\x15\x00", "a Parquet file"),
        ("x.qrels.gz", gzip.compress(QRELS.encode() * 999, mtime=0)[:-9], "cannot be read on"),
        ("x.qrels.gz", gzip.compress(QRELS.encode(), mtime=0)[:12], "cannot be read on"),
        ("x.qrels", b"\xff\xfe" + "q1 0 p1 1\n".encode("utf-16-le") + b"q", "no utf-16"),
    ],
)
@pytest.mark.parametrize("skip_bad", [False, True])
def test_what_is_no_whole_text_file_is_one_clear_error(written, name, content, said, skip_bad):
    with pytest.raises(InputError, match=said) as caught:
        rows(written(name, content), Reading(skip_bad=skip_bad))
    assert len(caught.value.problems) == 1
    assert str(caught.value).startswith(name)


def test_an_archive_a_folder_and_a_missing_file_are_named_as_such(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x.qrels", QRELS)
    with pytest.raises(InputError, match="a zip archive"):
        rows(tmp_path / "x.zip")
    with pytest.raises(InputError, match="a folder, expected a file"):
        rows(tmp_path)
    with pytest.raises(InputError, match=r"^none\.qrels: no such file"):
        rows(tmp_path / "none.qrels")


def test_a_strict_reading_stops_at_twenty_problems_and_a_lenient_one_lists_all(written):
    path = written("x.qrels", "bad\n" * 30)
    with pytest.raises(InputError) as caught:
        rows(path)
    assert [problem.line for problem in caught.value.problems] == list(range(1, 21))
    reading = Reading(skip_bad=True)
    assert rows(path, reading) == []
    assert len(reading.problems) == 30


def test_a_note_names_twenty_lines_and_counts_the_rest(written):
    reading = Reading()
    rows(written("x.qrels", "q 0 p 1\n" * 23), reading)
    # 22 repeats on lines 2 to 23; 20 are named.
    named = ", ".join(str(line) for line in range(2, 22))
    assert str(reading.notes[0]) == (
        f"x.qrels, lines {named} and 2 more: identical to an earlier line, dropped"
    )
    assert reading.notes[0].lines == tuple(range(2, 24))


def test_an_upload_keeps_the_name_that_its_sender_gave_it(written):
    path = written("tmp123", "bad\n")
    with pytest.raises(InputError, match=r"^mine\.qrels, line 1"):
        list(read_judgments(path, name="mine.qrels"))


def test_a_folder_of_texts_is_a_corpus_by_relative_path(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "one.md").write_bytes("\ufeff# Ö\r\ntext\n".encode())
    (tmp_path / "two.TXT").write_bytes(b"two\0")
    (tmp_path / "three.png").write_bytes(b"\x89PNG")
    (tmp_path / ".git" / "x.md").write_bytes(b"hidden")
    reading = Reading()
    passages = [record for _, record in read_corpus(tmp_path, reading=reading)]
    assert [(p.passage_id, p.text) for p in passages] == [
        ("a/one.md", "# Ö\r\ntext\n"),
        ("two.TXT", "two\0"),
    ]
    assert [str(note) for note in reading.notes] == [
        f"{tmp_path.name}: hidden files and folders, left out: 1",
        "three.png: neither .md nor .txt, left out",
    ]


def test_a_folder_without_texts_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a folder without \.md or \.txt files"):
        list(read_corpus(tmp_path))


def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    for read in (read_corpus, read_judgments, read_run_table):
        with pytest.raises(InputError, match=r"x\.csv: a pipe or a device, expected a file"):
            list(read(tmp_path / "x.csv"))


def test_a_file_that_cannot_be_opened_is_named_by_its_base_name(tmp_path):
    """A link that leads to itself, and a name longer than any file has."""
    (tmp_path / "x.csv").symlink_to(tmp_path / "x.csv")
    for path in (tmp_path / "x.csv", tmp_path / ("y" * 300)):
        for read in (read_corpus, read_judgments, read_run_table):
            with pytest.raises(InputError, match=rf"^{path.name}: a file that cannot be opened"):
                list(read(path))


def test_a_name_of_any_bytes_is_shown_as_text_of_one_line(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9\n\x1b[31m.qrels")
    path.write_text("q1 0 p1\n")
    with pytest.raises(InputError) as raised:
        list(read_judgments(path))
    (problem,) = raised.value.problems
    assert problem.file == r"caf\xe9\n\x1b[31m.qrels"


@pytest.mark.parametrize(
    ("text", "doubly"),
    [
        *(
            (text.encode().decode("latin-1"), True)
            for text in ("café", "À la", "20°", "it\u2019s", "привет")
        ),
        *(
            (text.encode().decode("cp1252"), True)
            for text in ("Ärzte", "it\u2019s", "Œuvre \u2013 fin")
        ),
        *((text, False) for text in ("CAFÉ\u2019S", "VOILÀ\u00a0!", "“AMANHÔ", "ESPAÑA", "Ñ", "Â")),
    ],
)
def test_doubly_encoded_text_is_told_from_what_languages_write(text, doubly):
    assert doubly_encoded(text) is doubly
    assert may_be_doubly_encoded(text.encode()) or not doubly  # or the quick way would not see it
    assert may_be_doubly_encoded(json.dumps(text).encode()) or not doubly
