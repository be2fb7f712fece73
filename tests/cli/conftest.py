"""The program, called in this process on a store of the test's own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from labeler.cli.main import run


class Said(NamedTuple):
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one JSON object that it must be, without NaN."""
        found = json.loads(self.out, parse_constant=_no_constant)
        assert isinstance(found, dict)
        return found


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} has no place in JSON")


Call = Callable[..., Said]
Table = Callable[..., Path]


@pytest.fixture
def labeler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `labeler --db DB ...`; the store is the test's own unless it names another."""

    def call(*arguments: object, db: Path | None = None) -> Said:
        capsys.readouterr()
        store = db or tmp_path / "store.duckdb"
        code = run(["--db", str(store), *map(str, arguments)])
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return call


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Write a CSV of query_id, passage_id, grade and return its path."""

    def write(
        name: str,
        rows: Iterable[tuple[object, ...]],
        *,
        header: str = "query_id,passage_id,grade",
    ) -> Path:
        path = tmp_path / name
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def data() -> Path:
    """The public evaluation data that the numbers of the tests come from."""
    root = os.environ.get("LABELER_TEST_DATA")
    if not root:
        pytest.skip("LABELER_TEST_DATA is not set")
    return Path(root) / "data"
