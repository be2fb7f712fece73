"""Running a retriever, in Python or as a command, and measuring what it returns."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from labeler import bm25, formats
from labeler.errors import LabelerError
from labeler.model import Grade, Query, RunRow, content_hash
from labeler.reports import basis as bases
from labeler.reports import history, retrieval
from labeler.reports.basis import DEPTH, SLICES, Basis
from labeler.stats.measures import Reading
from labeler.store import evaluations, runs
from labeler.store.db import Store, open_store

Search = Callable[[str, int], Iterable[object]]
"""`search(text, top_n)` returns passage ids, or (passage id, score), best first."""

Expected = Mapping[str, Iterable[str] | Mapping[str, str]]
"""A golden set in Python: each query's text to the ids of its relevant passages, or to their grades
(YES, PART, NO) by id."""


class Asked(NamedTuple):
    """What a retriever returned, and the queries for which it returned nothing."""

    rows: list[RunRow]
    quiet: tuple[str, ...]


def evaluate(
    search: Search,
    golden: str | Path | Expected | None = None,
    *,
    top_n: int = DEPTH,
    k: Sequence[int] = (),
    reading: str = "strict",
    by: Sequence[str] = SLICES,
    db: str | Path | None = None,
    system: str = "search",
) -> retrieval.Report:
    """Ask `search` every golden query and measure what it returns, as `labeler evaluate` does.

    `golden` is a golden set's file in any form that `labeler import golden` reads, or a mapping of
    query texts to expected ids. With `db` it is the name of a golden set of that store (None: the
    newest), whose scopes, dates, needs and kinds count; then the run is kept under the name
    `system`, and the evaluation in the history. The report prints as a table;
    `report.means["R@5"].value` is a number.

    Raises LabelerError for a golden query without a text, and for what is no id and no score.
    """
    read_as = Reading(reading)
    if db is None:
        basis = _outside(golden)
        asked = ask(search, basis.queries.values(), top_n=top_n)
        ranked = bases.rank(asked.rows, system=system, depth=top_n, quiet=asked.quiet)
        return retrieval.measured(basis, ranked, ks=k, reading=read_as, by=by)
    if isinstance(golden, Mapping):
        raise LabelerError("With db, golden is the name of one of its golden sets")
    with open_store(db, purpose="labeler.evaluate") as store:
        basis = bases.read(store, None if golden is None else str(golden))
        asked = ask(search, bases.everything(store, basis.ref), top_n=top_n)
        keep_run(store, asked, system=system, top_n=top_n)
        report = retrieval.build(store, system, golden=basis.ref, ks=k, reading=read_as, by=by)
        history.keep(store, report)
    return report


def _outside(golden: str | Path | Expected | None) -> Basis:
    """A golden set that is in no store."""
    if golden is None:
        raise LabelerError("Against what? Give a golden set's file, expected ids, or a store's db")
    entries: list[tuple[str, str, str, Grade | None, str]] = []
    if isinstance(golden, Mapping):
        for text, expected in golden.items():
            grades = expected if isinstance(expected, Mapping) else dict.fromkeys(expected, "YES")
            entries += [("", text, passage, Grade(of), "") for passage, of in grades.items()]
            entries += [("", text, "", None, "")]
        name = "expected"
    else:
        name = Path(golden).name
        for _, entry in formats.read_golden(golden):
            row = (entry.query_id, entry.query, entry.passage_id, entry.grade, entry.kind)
            entries.append(row)
    queries: dict[str, Query] = {}
    rows = []
    for query_id, text, passage_id, grade, kind in entries:
        query_id = query_id or f"g-{content_hash(text)[3:15]}"
        queries.setdefault(query_id, Query(query_id, text, kind=kind))
        rows.append((query_id, passage_id, grade))
    digest = content_hash(sorted([query, passage, grade or ""] for query, passage, grade in rows))
    return Basis(name, digest, bases.gains(rows), queries)


def ask(search: Search, queries: Iterable[Query], *, top_n: int) -> Asked:
    """Every query's results as a run; all that comes back is kept, also beyond `top_n`."""
    rows: list[RunRow] = []
    quiet = []
    for query in _with_text(queries):
        found = [_result(query, result) for result in search(query.text, top_n)]
        if not found:
            quiet.append(query.query_id)
        rows += [
            RunRow(query.query_id, passage_id, rank, score)
            for rank, (passage_id, score) in enumerate(found, start=1)
        ]
    return Asked(rows, tuple(quiet))


def _result(query: Query, result: object) -> tuple[str, float | None]:
    """A result as an id and a score."""
    if isinstance(result, str) and result:
        return result, None
    if isinstance(result, tuple | list) and len(result) == 2:
        passage_id, score = result
        if isinstance(passage_id, str) and passage_id:
            try:
                number = float(score)
            except (TypeError, ValueError):
                number = math.nan
            if math.isfinite(number):
                return passage_id, number
    raise LabelerError(
        f"The search returned {result!r} for query {query.query_id!r}, expected a passage id or "
        "(passage id, score)"
    )


def _with_text(queries: Iterable[Query]) -> list[Query]:
    asked = list(queries)
    silent = [query.query_id for query in asked if not query.text]
    if silent:
        raise LabelerError(
            f"{len(silent):,} of {len(asked):,} golden queries have no text to search with, such "
            f"as {silent[0]!r}: import the queries"
        )
    return asked


def run_command(command: str, queries: Iterable[Query], *, top_n: int) -> Asked:
    """Run a retriever that is a program of its own, once for all queries.

    It gets a JSON line a query on standard input (`query_id`, `query`, `top_n`, `scope`, `as_of`)
    and prints a JSON line a result (`query_id`, `passage_id`, `rank` or `score` or both), read by
    the rules of an imported run. No shell is involved. Raises LabelerError when it cannot be
    started, ends with another code than 0 or prints nothing; InputError for malformed lines.
    """
    asked = _with_text(queries)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LabelerError(f"The retriever {command!r} is no command: {error}") from error
    if not words:
        raise LabelerError("The retriever is an empty command")
    lines = "".join(
        json.dumps(
            {
                "query_id": query.query_id,
                "query": query.text,
                "top_n": top_n,
                "scope": query.scope,
                "as_of": query.as_of,
            }
        )
        + "\n"
        for query in asked
    )
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "retriever.jsonl"
        with printed.open("wb") as out:
            try:
                done = subprocess.run(words, input=lines.encode(), stdout=out, check=False)
            except OSError as error:
                reason = error.strerror or error
                raise LabelerError(f"The retriever {words[0]!r} cannot run: {reason}") from error
        if done.returncode:
            raise LabelerError(f"The retriever {words[0]!r} ended with code {done.returncode}")
        if not printed.stat().st_size:
            raise LabelerError(f"The retriever {words[0]!r} printed nothing")
        rows = [numbered.record for numbered in formats.read_run(printed)]
    answered = {row.query_id for row in rows}
    quiet = (query.query_id for query in asked if query.query_id not in answered)
    return Asked(rows, tuple(quiet))


def keep_run(
    store: Store, asked: Asked, *, system: str, top_n: int, command: str = "", note: str = ""
) -> None:
    """Store what a retriever returned as the newest run of `system`."""
    if system == bm25.SYSTEM:
        raise LabelerError(f"{bm25.SYSTEM!r} is the built-in one: name your system otherwise")
    if not asked.rows:
        raise LabelerError("The retriever returned nothing for any query")
    runs.record(store, asked.rows, system=system, note=note)
    evaluations.note_asking(store, system, evaluations.Asking(top_n, asked.quiet, command))
