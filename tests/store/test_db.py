"""Opening, and one store shared by threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import duckdb
import pytest

from labeler.errors import LabelerError, StoreBusy, StoreDamaged
from labeler.model import Grade, LabelEvent, Query, RunRow
from labeler.store import labels, migrations, queries, runs, settings, tasks
from labeler.store.db import Store, append, open_reader, open_store
from labeler.store.failing import in_words
from labeler.store.snapshot import Keeper

_BOTH = [open_store, open_reader]


@pytest.mark.parametrize("open_", _BOTH)
def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path, open_) -> None:
    path = tmp_path / "x.duckdb"
    path.write_text("query,passage\n" * 2000)
    with pytest.raises(LabelerError, match=r"^x\.duckdb is not a labeler store"):
        open_(path)
    assert path.read_text().startswith("query,passage")


@pytest.mark.parametrize("open_", _BOTH)
def test_an_empty_file_is_named_as_such(tmp_path: Path, open_) -> None:
    (tmp_path / "x.duckdb").touch()
    with pytest.raises(LabelerError, match=r"^x\.duckdb is an empty file"):
        open_(tmp_path / "x.duckdb")


@pytest.mark.parametrize("open_", _BOTH)
def test_a_folder_is_no_store(tmp_path: Path, open_) -> None:
    with pytest.raises(LabelerError, match=r"is a folder, not a store"):
        open_(tmp_path)


@pytest.mark.parametrize("open_", _BOTH)
@pytest.mark.parametrize("columns", ["n integer", "number integer, name text, run_at timestamptz"])
def test_a_database_of_another_program_is_refused_untouched(
    tmp_path: Path, open_, columns: str
) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as other:  # that keeps its own migrations too
        other.execute(f"create table migrations ({columns})")
        other.execute("create table accounts (n integer)")
        if "," in columns:
            other.execute("insert into migrations values (1, 'accounts', now())")
    with pytest.raises(LabelerError, match=r"other\.duckdb is not a labeler store"):
        open_(path)
    with duckdb.connect(str(path)) as other:
        found = other.execute("select table_name from information_schema.tables order by 1")
        assert found.fetchall() == [("accounts",), ("migrations",)]


@pytest.mark.parametrize("open_", _BOTH)
def test_a_store_of_a_newer_version_is_refused(tmp_path: Path, open_) -> None:
    path = tmp_path / "labels.duckdb"
    with open_store(path) as store, store.write() as cursor:
        cursor.execute("insert into migrations values (99, 'from the future', now())")
    newer = f"newer labeler \\(schema {migrations.CURRENT + 1}, this one knows {migrations.CURRENT}"
    with pytest.raises(LabelerError, match=newer):
        open_(path)


def test_a_missing_folder_and_a_missing_store_are_named(tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match=r"There is no folder .*nowhere"):
        open_store(tmp_path / "nowhere" / "x.duckdb")
    with pytest.raises(LabelerError, match=r"There is no store x\.duckdb"):
        open_reader(tmp_path / "x.duckdb")


def test_a_path_that_speaks_of_locks_is_not_taken_for_a_held_store(tmp_path: Path) -> None:
    folder = tmp_path / "block's lock"
    folder.mkdir()
    (folder / "x.duckdb").write_text("not a database " * 1000)
    with pytest.raises(LabelerError) as caught:
        open_store(folder / "x.duckdb")
    assert not isinstance(caught.value, StoreBusy)


def test_a_reader_cannot_write_and_gives_way_to_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "labels.duckdb"
    with open_store(path) as store:
        queries.record(store, [Query("q1", "how?")])
    with open_reader(path) as first, open_reader(path) as second:
        assert queries.current(first) == queries.current(second) == [Query("q1", "how?")]
        assert first.snapshot_age is None
        with pytest.raises(StoreBusy, match="reading only"), first.write():
            pass
    with open_store(path) as store:
        queries.record(store, [Query("q2", "why?")])
        assert len(queries.current(store)) == 2


def test_the_holder_is_named_while_it_holds_and_not_after(tmp_path: Path) -> None:
    path = tmp_path / "labels.duckdb"
    holder = tmp_path / "labels.duckdb.holder"
    with open_store(path, purpose="the app"):
        found = json.loads(holder.read_text())
        assert (found["pid"], found["purpose"]) == (os.getpid(), "the app")
    assert not holder.exists()


@pytest.mark.parametrize("left", ["", "[]", "{}", '{"pid": 1}', "\0", '{"pid":4,"purpose":"old"}'])
def test_a_stale_or_broken_holder_file_does_not_hide_who_holds(tmp_path: Path, left: str) -> None:
    path = tmp_path / "labels.duckdb"
    open_store(path).close()
    holds = "import duckdb,sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holds, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        (tmp_path / "labels.duckdb.holder").write_text(left)
        with pytest.raises(StoreBusy, match=rf"held by another process \(process {other.pid}\)"):
            open_store(path, patience=0)
        other.communicate(b"\n")


@pytest.mark.parametrize("how", ["replaced", "moved"])
def test_nothing_is_said_to_be_stored_in_a_file_that_is_no_longer_there(
    tmp_path: Path, how: str
) -> None:
    path, other = tmp_path / "labels.duckdb", tmp_path / "other.duckdb"
    with open_store(other) as second:
        settings.once(second, "which", lambda: "the other")
    with open_store(path) as store:
        settings.once(store, "which", lambda: "the first")
        path.rename(tmp_path / "away.duckdb")
        if how == "replaced":
            other.rename(path)
        with pytest.raises(LabelerError, match=f"{how}.*while this program had it open"):
            settings.once(store, "late", lambda: "lost")
        assert settings.once(store, "which", lambda: "") == "the first"  # reading goes on
    for where, which in [(path, "the other"), (tmp_path / "away.duckdb", "the first")]:
        if where.exists():
            with open_reader(where) as found:
                assert found.rows("select * from settings") == [("which", which)]


def test_a_commit_that_fails_is_said_to_have_stored_nothing(tmp_path: Path) -> None:
    script = """
import random, resource, sys
from labeler.errors import LabelerError
from labeler.store.db import open_store
with open_store(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    kept = 0
    try:
        for turn in range(8):  # 8 x 400 kB do not fit into a log of 1 MB
            with store.write() as cursor:
                value = random.Random(turn).randbytes(200_000).hex()
                cursor.execute("insert into settings values ($1, $2)", [f"{turn}", value])
            kept += 1
    except LabelerError as error:
        print(str(error).partition(":")[0], store.undone)
    assert len(store.rows("select * from settings")) == kept
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(kept)
"""
    path = tmp_path / "labels.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    said, kept = done.stdout.splitlines()
    assert said == "Nothing of this was stored 1"
    with open_reader(path) as found:
        assert found.rows("select count(*) from settings") == [(int(kept),)]


def test_a_log_that_belongs_to_another_file_is_named(tmp_path: Path) -> None:
    path, killed = tmp_path / "labels.duckdb", tmp_path / "killed.duckdb"
    with open_store(path):
        pass
    script = """
import os, sys
from labeler.store.db import open_store
from labeler.store.settings import once
store = open_store(sys.argv[1])
once(store, "a", lambda: "b")
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script, str(killed)], check=False)
    killed.with_name(killed.name + ".wal").rename(path.with_name(path.name + ".wal"))
    with pytest.raises(
        LabelerError, match=r"labels\.duckdb\.wal does not belong to labels\.duckdb"
    ):
        open_store(path)


def test_whoever_comes_by_a_link_finds_what_lies_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.duckdb"
    link.symlink_to(tmp_path / "real" / "labels.duckdb")
    with open_store(link, purpose="this test"):
        pass
    with open_store(tmp_path / "real" / "labels.duckdb", purpose="the app") as store, Keeper(store):
        settings.once(store, "a", lambda: "b")
        code = "import sys; from labeler.store.db import open_reader as o; s = o(sys.argv[1]); "
        code += "print(s.rows('select * from settings'), s.snapshot_age is not None)"
        done = subprocess.run(
            [sys.executable, "-c", code, str(link)], capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == "[('a', 'b')] True"


def test_a_write_that_raises_leaves_nothing(store: Store) -> None:
    version = store.version
    insert = "insert into settings values ($1, $2)"

    def fail_in_python() -> None:
        with store.write() as cursor:
            cursor.execute(insert, ["a", "b"])
            raise RuntimeError

    def fail_in_sql() -> None:
        with store.write() as cursor:
            cursor.execute(insert, ["a", "b"])
            cursor.execute(insert, ["a", None])

    with pytest.raises(RuntimeError):
        fail_in_python()
    with pytest.raises(duckdb.ConstraintException):
        fail_in_sql()
    assert store.rows("select * from settings") == []
    assert store.version == version


def test_whole_numbers_and_fractions_in_one_column_keep_their_values(store: Store) -> None:
    rows = [RunRow("q", "p1", 1, 3), RunRow("q", "p2", 2, 2.5), RunRow("q", "p3", 3, None)]
    runs.record(store, rows, system="bm25")
    assert [row.score for row in runs.rankings(store, "bm25")] == [3.0, 2.5, None]


def test_columns_of_no_values_and_of_empty_parts_are_stored(store: Store) -> None:
    with store.write() as cursor:
        for rows in (0, 2):
            columns = ("run_id", "query_id", "passage_id")
            append(
                cursor,
                "run_rows",
                {**{c: ["x"] * rows for c in columns}, "rank": [1] * rows, "score": [None] * rows},
            )
    assert store.rows("select rank, score from run_rows") == [(1, None), (1, None)]


def test_sixteen_threads_read_and_write_through_one_store_without_error(store: Store, draw) -> None:
    people = [f"person{n}" for n in range(8)]
    pairs = [(f"q{n // 4}", f"p{n}") for n in range(12)]
    draw(store, pairs, overlap=len(people))
    problems: list[BaseException] = []
    start = threading.Barrier(16)

    def label(person: str) -> None:
        start.wait()
        open_ = tasks.window(store, spotcheck="check", annotator=person, limit=12).order
        for task in open_:
            event = LabelEvent(
                str(uuid.uuid5(uuid.NAMESPACE_URL, f"{person}/{task.task}")),
                *(task.query_id, task.passage_id, person, "label"),
                Grade.YES,
                note=f"{person} on {task.passage_id}",
                spotcheck="check",
            )
            assert labels.record(store, [event]).acknowledged == [event.event]

    def read(person: str) -> None:
        start.wait()
        for _ in range(15):
            for standing in labels.current(store):
                assert standing.note == f"{standing.annotator} on {standing.passage_id}"
            seen = tasks.progress(store, spotcheck="check", annotator=person)
            assert seen.total == 12
            names = store.rows("select name, $1::text from spotchecks", [person])
            assert names == [("check", person)]

    def guarded(work, person: str) -> None:
        try:
            work(person)
        except BaseException as problem:
            problems.append(problem)

    threads = [
        threading.Thread(target=guarded, args=(work, person))
        for person in people
        for work in (label, read)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    found = {(s.annotator, s.query_id, s.passage_id, s.grade) for s in labels.current(store)}
    assert found == {(person, q, p, Grade.YES) for person in people for q, p in pairs}
    assert tasks.overall(store, "check") == (8 * 12, 8 * 12)


def test_what_breaks_off_a_reading_of_columns_is_an_error_of_the_store(store: Store) -> None:
    """Arrow calls it an OSError, as if the file that is written to had failed."""
    none = "select cast(case when n = 300000 then 'x' end as integer) from range(400000) as t (n)"
    batches = store.arrow(none)
    next(batches)
    with (
        pytest.raises(StoreDamaged, match=r"^labels\.duckdb fails: Could not convert"),
        in_words(store.path),
    ):
        list(batches)
