"""Who holds a store's file, and whether it is still the file that was opened.

The process that holds it says so in `FILE.holder`; the lock itself is the database's. A file that
was moved away, deleted or replaced stays open for who had it: what is stored in it then is gone
with the process, so nothing more may be.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from labeler.errors import LabelerError


class Identity(NamedTuple):
    """Which file a path names, whatever stands in it."""

    device: int
    inode: int


def identity(path: Path) -> Identity | None:
    """The file that a path names now; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Identity(found.st_dev, found.st_ino)


def require_same(path: Path, opened: Identity | None) -> None:
    """Raise LabelerError where `path` no longer names the file that was opened."""
    now = identity(path)
    if now is None or now != opened:
        what = "deleted or moved away" if now is None else "replaced by another file"
        raise LabelerError(
            f"{path.name} was {what} while this program had it open, so nothing more is stored: "
            "stop the program, put the right file in its place, and start again"
        )


def note(path: Path, said: Mapping[str, object]) -> None:
    """Say who holds a file: `pid`, `purpose` and `since`."""
    with suppress(OSError):
        _file(path).write_text(json.dumps(dict(said)), encoding="utf-8")


def forget(path: Path) -> None:
    """Nobody holds the file any more."""
    with suppress(OSError):
        _file(path).unlink()


def only_reads(path: Path, error: str) -> bool:
    """Whether who holds the file, of whom the database said `error`, is gone in a moment: a writer
    is not."""
    return not _holder(path, error)[1]


def busy(path: Path, error: str = f"PID {os.getpid()}") -> str:
    """Who holds the file, as a sentence that says what to do."""
    pid, purpose = _holder(path, error)
    purpose = purpose or "another process"
    who = f"{purpose} (process {pid})" if pid else purpose
    return (
        f"{path.name} is held by {who}. Use the Data page of the app, "
        "or stop that process and run this command again"
    )


def _file(path: Path) -> Path:
    return path.with_name(path.name + ".holder")


def _holder(path: Path, error: str) -> tuple[int, str]:
    """The process id of who holds the file (0: unknown), and its purpose ("": it only reads)."""
    found = re.search(r"PID (\d+)", error)
    pid = int(found.group(1)) if found else 0
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads(_file(path).read_text(encoding="utf-8"))
        if pid in (0, said["pid"]):
            return int(said["pid"]), str(said["purpose"])
    return pid, ""
