"""What the database says of a file that fails, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from labeler.errors import LabelerError, StoreDamaged


def unfit(path: Path, error: duckdb.Error) -> LabelerError:
    """Why a file cannot be opened, in words."""
    if path.is_dir():
        return LabelerError(f"{path.name} is a folder, not a store")
    if path.is_file() and path.stat().st_size == 0:
        said = f"{path.name} is an empty file, not a store: delete it, or name another"
        return LabelerError(said)
    if "not a valid DuckDB" in str(error) or "in-memory database" in str(error):
        return LabelerError(f"{path.name} is not a labeler store (nor any DuckDB file)")
    if "WAL does not match" in str(error):
        return LabelerError(
            f"{path.name}.wal does not belong to {path.name}: it holds what was stored last in the "
            "file that was here before. Put that one back, or move the .wal away"
        )
    return StoreDamaged(f"{path.name} cannot be opened: {first_line(error)}")


_FAILING = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.OutOfMemoryException,
    duckdb.SerializationException,
)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """What DuckDB says of a damaged file or a full disk, as StoreDamaged."""
    try:
        yield
    except duckdb.Error as error:
        if "Corrupt database file" in str(error):
            said = f"{path.name} is damaged: {first_line(error)}. Take a back-up in its place"
        elif isinstance(error, _FAILING):
            said = (
                f"{path.name} fails: {first_line(error)}. If the disk is not full, the file is "
                "damaged: take a back-up in its place"
            )
        else:
            raise
        raise StoreDamaged(said) from error


def first_line(error: Exception) -> str:
    """What it says, without its class."""
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error).splitlines()[0])
