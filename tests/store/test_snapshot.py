"""Readers beside a process that holds the store, and back-ups of a live one."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from labeler.errors import LabelerError, StoreBusy
from labeler.model import Grade, Query
from labeler.store import labels, queries, snapshot, tasks
from labeler.store.db import Store, open_reader, open_store
from labeler.store.snapshot import Keeper

_HOLDER = Path(__file__).with_name("holder.py")


class Holder:
    """A process that holds a store; see holder.py."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def label(self, passage: str, grade: Grade) -> None:
        """Come back once the label is committed there."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"label {passage} {grade}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def path(tmp_path: Path, draw) -> Path:
    """A store with a spot check of (q1, p1) to (q1, p9), handed to anna."""
    path = tmp_path / "labels.duckdb"
    with open_store(path) as store:
        draw(store, [("q1", f"p{n}") for n in range(1, 10)])
        tasks.window(store, spotcheck="check", annotator="anna")
    return path


@contextmanager
def _held(path: Path, *how: str) -> Iterator[Holder]:
    with subprocess.Popen(
        [sys.executable, str(_HOLDER), str(path), *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield Holder(process)
        finally:
            process.kill()


def _labels(path: Path) -> dict[str, str]:
    with open_reader(path) as reader:
        return {standing.passage_id: str(standing.grade) for standing in labels.current(reader)}


def test_a_reader_beside_the_holder_sees_what_was_committed_before_it_asked(path: Path) -> None:
    with _held(path, "keep") as holder:
        said = {}
        for number, grade in enumerate(Grade, start=1):
            holder.label(f"p{number}", grade)
            said[f"p{number}"] = str(grade)
            began = time.monotonic()
            assert _labels(path) == said
            assert time.monotonic() - began < 2
        with open_reader(path) as reader:
            assert reader.read_only
            assert reader.snapshot_age is not None
            assert reader.snapshot_age < 2
            assert reader.path == path


def test_two_readers_at_once_are_both_answered(path: Path) -> None:
    with _held(path, "keep") as holder, ThreadPoolExecutor(4) as pool:
        for number in range(1, 5):
            holder.label(f"p{number}", Grade.YES)
            for found in pool.map(lambda _: _labels(path), range(4)):
                assert sorted(found) == [f"p{n}" for n in range(1, number + 1)]
        assert list((path.parent / "labels.duckdb.wanted").iterdir()) == []


def test_a_writer_is_refused_at_once_and_told_who_holds(path: Path) -> None:
    with _held(path, "keep") as holder:
        began = time.monotonic()
        with pytest.raises(StoreBusy) as caught:
            open_store(path, patience=0)
        assert time.monotonic() - began < 1
    expected = rf"labels.duckdb is held by the test's holder (process {holder.process.pid})."
    assert str(caught.value).startswith(expected)
    assert "Data page" in str(caught.value)


def test_without_a_keeper_and_a_copy_a_reader_is_told_who_holds(path: Path) -> None:
    with _held(path), pytest.raises(StoreBusy, match="held by the test's holder"):
        open_reader(path, patience=0.2)
    assert not (path.parent / "labels.duckdb.wanted").exists()


def test_after_the_holder_was_killed_the_file_itself_is_read_and_written(path: Path) -> None:
    with _held(path, "keep") as holder:
        holder.label("p1", Grade.NO)
        assert _labels(path) == {"p1": "NO"}  # leaves a copy behind
        holder.label("p2", Grade.YES)
        holder.kill()
    assert (path.parent / "labels.duckdb.holder").exists()
    with open_reader(path) as reader:
        assert reader.snapshot_age is None
        assert [s.passage_id for s in labels.current(reader)] == ["p1", "p2"]
    with open_store(path) as store:
        queries.record(store, [Query("q1", "how?")])
    assert [left.name for left in path.parent.iterdir()] == ["labels.duckdb"]


def test_a_copy_of_an_earlier_holder_is_never_served(path: Path) -> None:
    with _held(path, "keep") as holder:
        holder.label("p1", Grade.NO)
        assert _labels(path) == {"p1": "NO"}
        holder.kill()
    with _held(path), pytest.raises(StoreBusy):
        open_reader(path, patience=0.1)


def test_a_holder_that_ends_while_a_reader_waits_leaves_the_file_to_it(path: Path) -> None:
    with _held(path) as holder:
        holder.label("p1", Grade.YES)
        killer = threading.Timer(0.3, holder.process.kill)
        killer.start()
        with open_reader(path, patience=1.0) as reader:
            assert reader.snapshot_age is None
            assert [s.passage_id for s in labels.current(reader)] == ["p1"]


def test_a_stopped_keeper_leaves_nothing_behind(path: Path) -> None:
    with open_store(path) as store:
        keeper = Keeper(store, poll=0.01)
        keeper.start()
        assert snapshot.request(path, patience=5)
        assert snapshot.snapshot_file(path).exists()
        keeper.stop()
    assert [left.name for left in path.parent.iterdir()] == ["labels.duckdb"]


def test_the_age_of_an_unchanged_copy_is_counted_from_the_last_request(path: Path) -> None:
    copy = snapshot.snapshot_file(path)
    with open_store(path) as store:
        keeper = Keeper(store, poll=0.01)
        keeper.start()
        assert snapshot.request(path, patience=5)
        first = copy.stat()
        time.sleep(0.05)
        asked = time.time()
        assert snapshot.request(path, patience=5)
        second = copy.stat()
        assert (second.st_ino, second.st_mtime > asked - 0.01) == (first.st_ino, True)
        queries.record(store, [Query("q1", "how?")])
        assert snapshot.request(path, patience=5)
        assert copy.stat().st_ino != first.st_ino
        keeper.stop()


def test_a_keeper_outlives_a_copy_that_could_not_be_made(path: Path, caplog) -> None:
    copy = snapshot.snapshot_file(path)
    with open_store(path) as store:
        copy.mkdir()  # in the way
        keeper = Keeper(store, poll=0.01)
        keeper.start()
        assert not snapshot.request(path, patience=0.5)
        copy.rmdir()
        assert snapshot.request(path, patience=5)
        keeper.stop()
    assert "no copy could be made for readers" in caplog.text


def test_a_back_up_of_a_live_store_is_consistent(store: Store, tmp_path: Path) -> None:
    queries.record(store, [Query("q0", "round 0"), Query("q1", "round 0")])
    stop = threading.Event()

    def write() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            queries.record(store, [Query(f"q{n}", f"round {turn}") for n in range(2)])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            snapshot.back_up(store, tmp_path / f"{number}.duckdb")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        with open_reader(tmp_path / f"{number}.duckdb") as copy:
            first, second = queries.current(copy)
            assert first.text == second.text  # never half of a commit


def test_a_back_up_goes_on_where_the_store_was(store: Store, tmp_path: Path) -> None:
    queries.record(store, [Query("q1", "old")])
    to = tmp_path / 'it\'s a "copy".duckdb'
    to.write_text("an older back-up")
    to.with_name(to.name + ".wal").write_text("and its log")
    snapshot.back_up(store, to)
    with open_store(to) as copy:
        queries.record(copy, [Query("q1", "new")])  # the sequence goes on too
        assert queries.current(copy) == [Query("q1", "new")]
        assert copy.rows("select text, superseded from queries order by seq") == [
            *(("old", True), ("new", False))
        ]
    assert queries.current(store) == [Query("q1", "old")]


def test_a_reader_can_back_up(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "copy.duckdb"
    with _held(path, "keep") as holder:
        holder.label("p1", Grade.YES)
        with open_reader(path) as reader:
            snapshot.back_up(reader, to)
    assert _labels(to) == {"p1": "YES"}
    with open_reader(path) as reader:
        snapshot.back_up(reader, to)
    assert _labels(to) == {"p1": "YES"}


def test_a_back_up_over_a_store_that_somebody_has_open_is_refused(
    path: Path, tmp_path: Path
) -> None:
    with open_store(tmp_path / "another.duckdb") as store:
        with _held(path, "keep") as holder:
            holder.label("p1", Grade.YES)
            with pytest.raises(StoreBusy, match="is held by"):
                snapshot.back_up(store, path)
            holder.label("p2", Grade.NO)
        assert _labels(path) == {"p1": "YES", "p2": "NO"}
        snapshot.back_up(store, path)  # nobody has it open any more
        assert _labels(path) == {}


def test_a_back_up_over_the_store_into_nowhere_or_onto_a_folder_is_refused(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LabelerError, match="another name than the store itself"):
        snapshot.back_up(store, tmp_path / "folder" / ".." / store.path.name)
    with pytest.raises(LabelerError, match="There is no folder"):
        snapshot.back_up(store, tmp_path / "nowhere" / "x.duckdb")
    with pytest.raises(LabelerError, match="is a folder"):
        snapshot.back_up(store, tmp_path / "folder")
    with pytest.raises(duckdb.Error), store.write() as cursor:
        cursor.execute("select * from nothing")
    assert sorted(left.name for left in tmp_path.iterdir() if "part" in left.name) == []
