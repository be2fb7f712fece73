"""Commands beside a process that holds the store, as the running app does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler.store import tasks
from labeler.store.db import open_store

HOLDER = Path(__file__).parents[1] / "store" / "holder.py"


@pytest.fixture
def held(tmp_path: Path, labeler, table) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the test's store, in which one pair was handed to a person."""
    verdicts = table("v.csv", [("q1", "p1", "YES"), ("q1", "p2", "NO")])
    labeler("import", "verdicts", verdicts, "--judge", "j")
    labeler("spotcheck", "draw", "check")
    path = tmp_path / "store.duckdb"
    with open_store(path) as store:
        tasks.window(store, spotcheck="check", annotator="anna")
    with subprocess.Popen(
        [sys.executable, str(HOLDER), str(path), "keep"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdin is not None
        assert started.stdout.readline() == "ready\n"
        yield started
        if started.poll() is None:
            started.stdin.write("leave\n")
            started.stdin.flush()
            started.wait(timeout=30)


def test_readers_answer_with_what_was_acknowledged_and_writers_name_the_holder(
    labeler, held, table, tmp_path
):
    held.stdin.write("label p1 NO\n")
    held.stdin.flush()
    assert held.stdout.readline() == "done\n"
    said = labeler("agreement", "--json")
    assert said.code == 0
    assert (said.json["n"], said.json["disagreements"]) == (1, 1)
    assert "store.duckdb is in use: read from its copy, " in said.err
    assert labeler("gate").code == 5
    assert len(labeler("disagreements", "--json").json["disagreements"]) == 1
    assert labeler("export", "labels", "--to", tmp_path / "l.csv").code == 0
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 2
    assert labeler("backup", tmp_path / "copy.duckdb").code == 0
    for command in (
        ("import", "labels", table("x.csv", [("q", "p", "YES")]), "--annotator", "a"),
        ("spotcheck", "draw", "second"),
    ):
        refused = labeler(*command)
        assert (refused.code, refused.out) == (3, "")
        assert f"store.duckdb is held by the test's holder (process {held.pid})" in refused.err
        assert "Use the Data page of the app, or stop that process" in refused.err


def test_once_the_holder_was_killed_the_store_is_read_and_written_itself(labeler, held, table):
    held.stdin.write("label p1 NO\n")
    held.stdin.flush()
    assert held.stdout.readline() == "done\n"
    held.kill()
    held.wait(timeout=30)
    said = labeler("agreement", "--json")
    assert said.json["n"] == 1
    assert said.err == ""
    more = table("x.csv", [("q1", "p2", "NO")])
    assert labeler("import", "labels", more, "--annotator", "ben").code == 0
    assert labeler("agreement", "--json").json["n"] == 2
