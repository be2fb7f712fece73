"""Copies of a live store: a back-up, and the copy that readers beside a running app ask for.

One process holds the file and no other can open it even to read. A reader therefore leaves a
request in the folder `FILE.wanted`, a file of its own; the holder's `Keeper` copies the store to
`FILE.snapshot` if anything changed, and takes the requests away that it had seen before. Nothing is
copied while nobody asks. Never copy or hash the database file itself from inside the process that
holds it: closing any handle on the file drops its lock.
"""

from __future__ import annotations

import glob
import logging
import os
import shutil
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

import duckdb

from labeler.errors import LabelerError
from labeler.store import holder
from labeler.store.db import Store, require_free, scalar

_LOGGER = logging.getLogger(__name__)


def _wanted(path: Path) -> Path:
    return path.with_name(path.name + ".wanted")


def snapshot_file(path: Path) -> Path:
    """Where the copy for readers lies."""
    return path.with_name(path.name + ".snapshot")


def back_up(store: Store, to: str | Path) -> None:
    """Copy the whole store, as of one moment, to the file `to`, replacing it; writers go on
    meanwhile.
    """
    to = Path(to)
    there = holder.identity(to)
    if to.resolve() == store.path.resolve() or (there and there == holder.identity(store.path)):
        raise LabelerError("A back-up needs another name than the store itself")
    if not to.parent.is_dir():
        raise LabelerError(f"There is no folder {to.parent} to hold {to.name}")
    if to.is_dir():
        raise LabelerError(f"{to} is a folder; a back-up is a file")
    require_free(to)
    _replace(store, to)


def _replace(store: Store, to: Path) -> None:
    """Copy the store to a part of its own, and let that take the place of `to`."""
    part = to.with_name(f"{to.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        _copy(store, part)
        with suppress(OSError):  # the log of the file that is replaced is none of the new one's
            _log(to).unlink()
        os.replace(part, to)
    except (OSError, duckdb.IOException) as error:
        raise LabelerError(f"{to.name} cannot be written: {str(error).splitlines()[0]}") from error
    finally:
        for left in (part, _log(part)):
            with suppress(OSError):
                left.unlink()


def _copy(store: Store, to: Path) -> None:
    alias = "copy_" + uuid.uuid4().hex[:8]
    with store.read() as cursor:
        source = scalar(cursor, "select current_database()").replace('"', '""')
        quoted = str(to).replace("'", "''")
        cursor.execute(f"attach '{quoted}' as {alias} (read_write)")
        try:
            cursor.execute(f'copy from database "{source}" to {alias}')
            cursor.execute(f"checkpoint {alias}")
        finally:
            cursor.execute(f"detach {alias}")


def _log(path: Path) -> Path:
    """DuckDB's write-ahead log of a file."""
    return path.with_name(path.name + ".wal")


def request(path: Path, *, patience: float) -> bool:
    """Ask the process that holds `path` for a copy; False where none came in `patience` seconds.

    A copy that is being made is waited for: of a million rows it takes some seconds. One that came
    holds everything committed before the call.
    """
    mine = _wanted(path) / uuid.uuid4().hex
    began = time.monotonic()
    asked = False
    try:
        while (waited := time.monotonic() - began) < patience or (
            asked and waited < _LONGEST and _in_the_making(path)
        ):
            if not asked:
                with suppress(OSError):  # the folder is the holder's to make
                    mine.touch(exist_ok=False)
                    asked = True
            elif not mine.exists():
                return True
            time.sleep(0.01)
        return False
    finally:
        with suppress(OSError):
            mine.unlink()


_LONGEST = 60.0
"""Seconds that a copy is waited for."""


def _in_the_making(path: Path) -> bool:
    copy = snapshot_file(path)
    return any(path.parent.glob(f"{glob.escape(copy.name)}.*.part"))


def discard(path: Path) -> None:
    """Remove the copy for readers and their requests, whole or in part. Only for the holder."""
    shutil.rmtree(_wanted(path), ignore_errors=True)
    copy = snapshot_file(path)
    with suppress(OSError):
        for left in path.parent.iterdir():
            if left == copy or (left.name.startswith(copy.name + ".") and ".part" in left.name):
                left.unlink(missing_ok=True)


class Keeper:
    """The thread that answers readers' requests while this process holds the store."""

    def __init__(self, store: Store, *, poll: float = 0.05) -> None:
        self._store = store
        self._poll = poll
        self._stop = threading.Event()
        self._copied = -1
        self._thread = threading.Thread(target=self._run, name="snapshots", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def __enter__(self) -> Keeper:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop, and remove the copy: readers can open the store itself from now on."""
        self._stop.set()
        self._thread.join()
        discard(self._store.path)

    def _run(self) -> None:
        while not self._stop.wait(self._poll):
            try:
                self._answer()
            except (OSError, duckdb.Error, LabelerError):  # a full disk must not end the service
                _LOGGER.exception("no copy could be made for readers")
                self._stop.wait(1.0)

    def _answer(self) -> None:
        wanted = _wanted(self._store.path)
        wanted.mkdir(exist_ok=True)
        requests = list(wanted.iterdir())
        if not requests:
            return
        asked_at = time.time()
        version = self._store.version  # read first: what is committed meanwhile may be in or not
        copy = snapshot_file(self._store.path)
        if version != self._copied or not copy.exists():
            _replace(self._store, copy)
            self._copied = version
        os.utime(copy, (asked_at, asked_at))  # what its age is counted from
        for seen in requests:
            seen.unlink(missing_ok=True)
