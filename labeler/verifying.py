"""Whether a golden set's file is, byte for byte, what the store would write."""

from __future__ import annotations

import difflib
import hashlib
import tempfile
from pathlib import Path
from typing import NamedTuple

from labeler import exporting
from labeler.errors import LabelerError, Problem
from labeler.store import goldens
from labeler.store.db import Store

SHOWN = 20
"""Differing lines that are named."""


class Checked(NamedTuple):
    """What a file is compared with: a version, or the import that brought it. `problems` are the
    places where it differs, none where it is the same."""

    what: str
    problems: list[Problem]


def check(store: Store, path: Path, *, ref: str | None = None) -> Checked:
    """Compare a file with golden set `ref` in each format, else with every version.

    A file that was imported as a golden set is compared by its hash. Of several versions the one
    that shares most lines is what the differences are told of.
    """
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    brought = store.row(
        "select file from imports where kind = 'golden' and file_hash = $1", [digest]
    )
    if brought and ref is None:
        return Checked(f"the import of {brought[0]}", [])
    lines = _lines(data)
    best, closest, shared = "", [], -1
    names = [goldens.named(store, ref).ref] if ref else _refs(store)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for form in exporting.FORMS["golden"]:
                written = Path(folder, "golden")
                choice = exporting.Choice(form=form, golden=name)
                try:
                    exporting.export(store, "golden", to=written, choice=choice)
                except LabelerError:  # an id that this format cannot hold
                    continue
                expected = written.read_bytes()
                if expected == data:
                    return Checked(f"{name} as {form}", [])
                common = len(set(lines) & set(_lines(expected)))
                if common > shared:
                    best, closest, shared = f"{name} as {form}", _lines(expected), common
    if shared <= 0:
        what = "a file that no golden set of this store was written to"
        return Checked("", [Problem(path.name, 0, what, "an export of one, unchanged")])
    return Checked(best, _differences(path.name, lines, closest))


def _refs(store: Store) -> list[str]:
    return [golden.ref for golden in reversed(goldens.history(store))]


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").splitlines(keepends=True)


def _differences(file: str, found: list[str], expected: list[str]) -> list[Problem]:
    problems = []
    matcher = difflib.SequenceMatcher(None, found, expected, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        said = _short("".join(found[a:b])) if b > a else "nothing"
        wanted = _short("".join(expected[c:d])) if d > c else "no such line"
        problems.append(Problem(file, a + 1, said, wanted))
    return problems[:SHOWN]


def _short(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= 160 else shown[:159] + "…"
