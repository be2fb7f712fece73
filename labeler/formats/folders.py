"""A corpus as a folder of texts: each .md and .txt file below it is a passage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from labeler.errors import InputError
from labeler.formats.reading import LISTED, Numbered, Reading
from labeler.formats.source import EMPTY, Source, shown_file, storable
from labeler.model import Passage

TEXT_SUFFIXES = (".md", ".txt")


def read_folder(folder: Path, reading: Reading) -> Iterator[Numbered[Passage]]:
    """The texts below a folder, by path, which is their id. What is left out is noted: files of
    other kinds, empty and hidden ones, and links to folders, which are not followed.
    """
    name = shown_file(folder.name)
    files = _files_below(folder, name, reading)
    for path in files:
        if path.parent == folder and path.name.removesuffix(".gz") == "corpus.jsonl":
            found = f"a folder of BEIR's form, with {path.name}"
            reading.stop(name, 0, found=found, expected="that file itself, or a folder of texts")
    texts = [path for path in files if path.suffix.lower() in TEXT_SUFFIXES]
    if not texts:
        reading.finish()
        reading.stop(
            name,
            0,
            found="a folder without .md or .txt files",
            expected="texts in it, or a corpus file such as corpus.jsonl",
        )
    for path in texts:
        identity = path.relative_to(folder).as_posix()
        text = _text(path, identity, reading)
        if text is not None:
            yield Numbered(0, Passage(identity, text))
    others = [path for path in files if path.suffix.lower() not in TEXT_SUFFIXES]
    for path in others[:LISTED]:
        _leave_out(path, folder, reading, why="neither .md nor .txt")
    if len(others) > LISTED:
        more = f"{len(others) - LISTED:,} more that are neither .md nor .txt, left out"
        reading.note(name, 0, more)


def _files_below(folder: Path, name: str, reading: Reading) -> list[Path]:
    """Every file below the folder that is not hidden, in order."""
    found: list[Path] = []
    hidden = 0
    for place, folders, names in os.walk(folder, onerror=lambda error: _closed(error, reading)):
        here = Path(place)
        hidden += sum(one.startswith(".") for one in (*folders, *names))
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for one in folders:
            if os.path.islink(here / one):
                _leave_out(here / one, folder, reading, why="a link to a folder")
        for path in (here / one for one in sorted(names) if not one.startswith(".")):
            if os.path.isfile(path):
                found.append(path)
            else:
                _leave_out(path, folder, reading, why="no file, or a link to none")
    if hidden:
        reading.note(name, 0, f"hidden files and folders, left out: {hidden:,}")
    return sorted(found)


def _text(path: Path, identity: str, reading: Reading) -> str | None:
    """A file's text; None where it is left out, as an empty one is, or refused."""
    shown = shown_file(identity)
    if not storable(identity):
        reading.refuse(shown, 0, found="a file name that is not UTF-8", expected="one that is")
        return None
    try:
        return Source(path, Reading(), name=shown).text()
    except InputError as error:
        for file, line, found, expected in error.problems:
            if found == EMPTY:
                reading.note(file, 0, f"{EMPTY}, left out")
            else:
                reading.refuse(file, line, found=found, expected=expected)
    return None


def _leave_out(path: Path, folder: Path, reading: Reading, *, why: str) -> None:
    reading.note(shown_file(path.relative_to(folder).as_posix()), 0, f"{why}, left out")


def _closed(error: OSError, reading: Reading) -> None:
    """Take down a folder that cannot be listed."""
    found = f"a folder that cannot be opened ({error.strerror})"
    reading.refuse(shown_file(Path(error.filename).name), 0, found=found, expected="one that can")
