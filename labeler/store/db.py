"""The one door to the database: one lock around each write, a fresh cursor for each read.

A connection shared by threads mixes up their results, so nothing outside this package holds one.
The SQL beside each noun keeps to what DuckDB and PostgreSQL share; what only DuckDB does (bulk
loading, copying) is in this file and in `snapshot`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from labeler.errors import LabelerError, StoreBusy
from labeler.store import failing, holder, migrations

MEMORY = "1GB"
"""What DuckDB keeps in memory before it goes on in a temporary file beside the store."""

Cursor = duckdb.DuckDBPyConnection
Clock = Callable[[], datetime]
Row = tuple[Any, ...]


def utc_now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


class Store:
    """An open store. Safe to share between threads; use as a context manager or call `close`."""

    def __init__(self, path: Path, connection: Cursor, *, clock: Clock, read_only: bool) -> None:
        self.path = path
        self.clock = clock
        self.read_only = read_only
        self.version = 0
        """Counts the committed writes of this process: equal versions mean equal content."""
        self.undone = 0
        """Counts the writes that were rolled back: what was read within one may never have been."""
        self.snapshot_age: float | None = None
        """Seconds since the copy was made, where this is a copy of a store that another process
        holds.
        """
        self._connection = connection
        self._lock = threading.RLock()
        self._writing: Cursor | None = None
        self._file = None if read_only else holder.identity(path)

    @contextmanager
    def write(self) -> Iterator[Cursor]:
        """One transaction: committed when the block ends, rolled back when it raises. Within
        another write of its thread it is a part of that one, which must not catch what it raises.
        """
        if self.read_only:
            raise StoreBusy(f"{self.path.name} is open for reading only")
        with self._lock:
            if self._writing is not None:
                yield self._writing
                return
            cursor = self._writing = self._connection.cursor()
            try:
                cursor.execute("begin")
                try:
                    yield cursor
                    holder.require_same(self.path, self._file)
                except BaseException:
                    with suppress(duckdb.Error):  # a failed commit has already rolled back
                        cursor.execute("rollback")
                    raise
                _commit(self.path, cursor)
                self.version += 1
            except BaseException as problem:
                self.undone += 1
                if isinstance(problem, duckdb.InterruptException):  # DuckDB takes Ctrl-C for itself
                    raise KeyboardInterrupt from problem
                raise
            finally:
                self._writing = None
                cursor.close()

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        """A cursor of its own on what is committed."""
        cursor = self._connection.cursor()
        try:
            yield cursor
        except duckdb.InterruptException as stopped:
            raise KeyboardInterrupt from stopped
        finally:
            cursor.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self.read() as cursor:
            return cursor.execute(sql, list(values)).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, or None."""
        with self.read() as cursor:
            rows = cursor.execute(sql, list(values)).fetchall()
            return rows[0] if rows else None

    def columns(self, sql: str, values: Sequence[object] = ()) -> dict[str, Any]:
        """A query's columns as numpy arrays, for results of many rows."""
        with self.read() as cursor:
            return cursor.execute(sql, list(values)).fetchnumpy()

    def batches(
        self, sql: str, values: Sequence[object] = (), *, size: int = 10_000
    ) -> Iterator[list[Row]]:
        """A query's rows in lists of at most `size`, for results larger than memory should hold."""
        with self.read() as cursor:
            cursor.execute(sql, list(values))
            while rows := cursor.fetchmany(size):
                yield rows

    def arrow(
        self, sql: str, values: Sequence[object] = (), *, size: int = 4_096
    ) -> Generator[Any]:
        """As `batches`, as Arrow record batches."""
        with self.read() as cursor:
            yield from arrow_batches(cursor, sql, values, size=size)

    def close(self) -> None:
        """Give the file back. Calling it again does nothing."""
        if not self.read_only:
            holder.forget(self.path)  # before the lock goes: afterwards it may be another's
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _commit(path: Path, cursor: Cursor) -> None:
    """Commit. One that fails, mostly for a full disk, is said to have failed: it is undone."""
    try:
        cursor.execute("commit")
    except duckdb.TransactionException as error:
        said = f"{path.name} cannot be written ({failing.first_line(error)})"
        raise LabelerError(f"Nothing of this was stored: {said}") from error


def scalar(cursor: Cursor, sql: str, values: Sequence[object] = ()) -> Any:
    """The first value of the first row (all are fetched: a cursor with rows left refuses work)."""
    return cursor.execute(sql, list(values)).fetchall()[0][0]


def numbers(cursor: Cursor, count: int) -> list[int]:
    """`count` fresh numbers of the store's sequence, ascending."""
    rows = cursor.execute("select nextval('seq') from generate_series(1, $1)", [count]).fetchall()
    return sorted(row[0] for row in rows)


def number_column(cursor: Cursor, count: int) -> Any:
    """As `numbers`, as an Arrow column: for many."""
    import pyarrow as pa

    sql = "select nextval('seq') as number from generate_series(1, $1)"
    return pa.Table.from_batches(arrow_batches(cursor, sql, [count]))["number"].sort()


def append(cursor: Cursor, table: str, columns: Mapping[str, Any]) -> None:
    """Add rows in bulk: `columns` maps each column's name to its values, all of one length; they
    may be an Arrow column already.

    Goes through Arrow: 50,000 rows cost about what 20 single inserts do.
    """
    import pyarrow as pa

    held = (pa.Array, pa.ChunkedArray)
    rows = pa.table(
        {
            name: values if isinstance(values, held) else pa.array(values, _arrow(values))
            for name, values in columns.items()
        }
    )
    append_table(cursor, table, rows)


def append_table(cursor: Cursor, table: str, rows: Any) -> None:
    """Add the rows of an Arrow table, whose columns are named as those of `table`."""
    names = ", ".join(rows.column_names)
    cursor.register("_rows", rows)
    try:
        cursor.execute(f"insert into {table} ({names}) select {names} from _rows")
    finally:
        cursor.unregister("_rows")


def arrow_batches(
    cursor: Cursor, sql: str, values: Sequence[object] = (), *, size: int = 1_000_000
) -> Generator[Any]:
    """The rows of a query as Arrow record batches of at most `size`, never all in memory."""
    try:
        yield from cursor.sql(sql, params=list(values)).to_arrow_reader(size)
    except RuntimeError as error:  # what becomes of Ctrl-C on this way
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error
    except OSError as error:  # and of a damaged file, which must not pass for the one written to
        raise duckdb.IOException(str(error)) from error


def _arrow(values: Sequence[object]) -> Any:
    """The Arrow type of a column of one kind of value; text where there is none.

    Whole numbers among fractions are fractions: Arrow would cut the others short.
    """
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {bool}:
        return pa.bool_()
    if kinds and kinds <= {int, float}:
        return pa.float64() if float in kinds else pa.int64()
    if datetime in kinds:
        return pa.timestamp("us", tz="UTC")
    return pa.string()


def open_store(
    path: str | Path,
    *,
    purpose: str = "labeler",
    clock: Clock = utc_now,
    patience: float = 2.0,
) -> Store:
    """Open for reading and writing, make the file if it is not there, and migrate it.

    `purpose` is what other processes are told about who holds the file. Readers hold it for
    moments, so a held file is tried again for `patience` seconds before StoreBusy is raised.
    """
    from labeler.store import snapshot

    path = Path(path)
    if not path.parent.is_dir():
        raise LabelerError(f"There is no folder {path.parent} to hold {path.name}")
    path = path.resolve()  # whoever comes by a link finds what lies beside the file, too
    store = Store(path, _connect(path, False, patience), clock=clock, read_only=False)
    try:
        migrations.migrate(store)
        snapshot.discard(path)  # of a holder that was killed
    except BaseException:
        store.close()
        raise
    said = {"pid": os.getpid(), "purpose": purpose, "since": clock().isoformat()}
    holder.note(path, said)
    return store


def open_reader(path: str | Path, *, clock: Clock = utc_now, patience: float = 1.5) -> Store:
    """Open for reading beside other readers, or from a fresh copy where a running app holds the
    file.
    """
    path = Path(path).resolve()
    if not path.exists():
        said = f"There is no store {path.name} here: `labeler import` or `labeler demo` makes one"
        raise LabelerError(f"{said}; LABELER_DB names another", needs="store")
    try:
        store = Store(path, _connect(path, True, 0), clock=clock, read_only=True)
    except StoreBusy:
        store = _open_beside(path, clock=clock, patience=patience)
    try:
        seen = migrations.schema_version(store)
    except BaseException:
        store.close()
        raise
    if seen != migrations.CURRENT:
        store.close()
        open_store(path, clock=clock).close()  # migrates
        return open_reader(path, clock=clock, patience=patience)
    return store


def _open_beside(path: Path, *, clock: Clock, patience: float) -> Store:
    """A store that another process holds: a fresh copy; the file itself if the holder has ended
    meanwhile; the last copy if the holder is too busy to make one.
    """
    from labeler.store import snapshot

    copy = snapshot.snapshot_file(path)
    answered = snapshot.request(path, patience=patience)
    if not answered or not copy.exists():
        try:
            return Store(path, _connect(path, True, 0), clock=clock, read_only=True)
        except StoreBusy:
            if not copy.exists():
                raise
    made = copy.stat().st_mtime  # read first: a newer copy may take its place any moment
    store = Store(path, _connect(copy, True, 0), clock=clock, read_only=True)
    store.snapshot_age = max(0.0, time.time() - made)
    return store


def require_free(path: Path) -> None:
    """Raise StoreBusy where `path` is a store that a process has open: in a file that is replaced
    beneath it, it would go on storing what nobody finds again. Not for a file that is open here.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        _connect(path, True, 0).close()
    except StoreBusy:
        raise
    except LabelerError:
        pass  # no store, or a damaged one: nobody has it open


def _connect(path: Path, read_only: bool, patience: float) -> Cursor:
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = duckdb.connect(str(path), read_only=read_only)
            connection.execute(f"set timezone = 'UTC'; set memory_limit = '{MEMORY}'")
            return connection
        except duckdb.IOException as error:
            if "Could not set lock" not in str(error):
                raise failing.unfit(path, error) from error
            if time.monotonic() >= deadline or not holder.only_reads(path, str(error)):
                raise StoreBusy(holder.busy(path, str(error))) from error
        except duckdb.ConnectionException as error:  # opened here before, the other way
            raise StoreBusy(holder.busy(path)) from error
        except duckdb.Error as error:
            raise failing.unfit(path, error) from error
        time.sleep(0.02)
