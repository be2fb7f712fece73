"""Folders of texts as people have them: links, pipes, odd names, texts that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labeler.errors import InputError
from labeler.formats import Reading, read_corpus


def read(folder: Path, *, skip_bad: bool = True):
    """The ids of a folder's passages, what was noted, and what was left out as malformed."""
    reading = Reading(skip_bad=skip_bad)
    ids = [record.passage_id for _, record in read_corpus(folder, reading=reading)]
    return ids, [str(note) for note in reading.notes], [str(one) for one in reading.problems]


def test_what_is_no_text_of_its_own_is_named_and_left_out(tmp_path):
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "blank.txt").write_text(" \n")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.md")
    assert read(tmp_path, skip_bad=False) == (
        ["a.md"],
        [
            "again: a link to a folder, left out",
            "gone.md: no file, or a link to none, left out",
            "pipe.md: no file, or a link to none, left out",
            "blank.txt: an empty file, left out",
        ],
        [],
    )


def test_a_text_that_cannot_be_read_leaves_the_others_to_be_read(tmp_path):
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.txt").write_bytes(b"caf\xe9")
    (tmp_path / "c.md").write_bytes(b"%PDF-1.4\n")
    refused = [
        "b.txt, line 1: bytes that are not UTF-8, expected UTF-8 or UTF-16 text",
        "c.md: a PDF, expected a text file, unpacked or gzipped",
    ]
    assert read(tmp_path) == (["a.md"], [], refused)
    with pytest.raises(InputError) as raised:
        read(tmp_path, skip_bad=False)
    assert str(raised.value).splitlines() == refused


def test_a_name_that_is_no_utf8_is_refused_for_it_would_be_the_id(tmp_path):
    (tmp_path / "a.md").write_text("a")
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("b")
    refused = [r"caf\xe9.md: a file name that is not UTF-8, expected one that is"]
    assert read(tmp_path) == (["a.md"], [], refused)


def test_of_many_files_of_another_kind_twenty_are_named(tmp_path):
    (tmp_path / "a.md").write_text("a")
    for number in range(23):
        (tmp_path / f"{number:02}.png").write_bytes(b"x")
    notes = read(tmp_path)[1]
    assert notes[19:] == [
        "19.png: neither .md nor .txt, left out",
        f"{tmp_path.name}: 3 more that are neither .md nor .txt, left out",
    ]
