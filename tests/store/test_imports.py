"""Corpora, queries, runs and the pool: nothing half-imported, the same again adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest

from labeler.errors import LabelerError, Problem
from labeler.model import Grade, Judgment, Passage, Query, RunRow
from labeler.store import corpora, imports, labels, queries, runs
from labeler.store.db import Store
from labeler.store.imports import Imported, Source
from labeler.store.people import history

_PASSAGES = [Passage(f"p{n}", f"text {n}", title="t", scope="hr") for n in range(5)]
_QUERIES = [Query(f"q{n}", f"question {n}?", kind="exact") for n in range(5)]
_ROWS = [RunRow(f"q{n % 2}", f"p{n}", n // 2 + 1, 1 / (n + 1)) for n in range(5)]
_JUDGMENTS = [Judgment("q1", f"p{n}", Grade.YES) for n in range(5)]

_KINDS: dict[str, tuple[Callable[[Store, Iterable[object]], Imported], list[object], str]] = {
    "corpus": (lambda s, rows: corpora.record(s, rows, name="c"), [*_PASSAGES], "passages"),
    "queries": (queries.record, [*_QUERIES], "queries"),
    "run": (lambda s, rows: runs.record(s, rows, system="bm25"), [*_ROWS], "run_rows"),
    "labels": (
        lambda s, rows: labels.bring(s, rows, annotator="anna"),
        [*_JUDGMENTS],
        "label_events",
    ),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_the_same_again_adds_nothing(store: Store, kind: str) -> None:
    record, rows, table = _KINDS[kind]
    assert record(store, rows)[:2] == (5, 5)
    before = store.rows(f"select * from {table}")
    assert record(store, iter(rows))[:2] == (5, 0)
    assert record(store, reversed(rows))[:2] == (5, 0)  # in another order too
    assert store.rows(f"select * from {table}") == before


def _failing(rows: list[object], problem: Exception) -> Iterator[object]:
    # More than one part, so that some rows are in the database before the failure.
    for turn in range(imports.PART // len(rows) + 1):
        for row in rows:
            yield replace(row, passage_id=f"{turn}") if hasattr(row, "passage_id") else row
    raise problem


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("problem", [LabelerError("line 20001: malformed"), KeyboardInterrupt()])
def test_an_import_that_fails_in_the_middle_leaves_nothing(
    store: Store, kind: str, problem: BaseException
) -> None:
    record, rows, table = _KINDS[kind]
    with pytest.raises(type(problem)):
        record(store, _failing(rows, problem))
    for name in (table, "imports", "audit", "runs", "corpora"):
        assert store.rows(f"select * from {name}") == []
    assert record(store, rows)[:2] == (5, 5)


@pytest.mark.parametrize("kind", _KINDS)
def test_nothing_is_an_import_of_nothing(store: Store, kind: str) -> None:
    record, _, table = _KINDS[kind]
    assert record(store, [])[:2] == (0, 0)
    assert store.rows(f"select * from {table}") == []


def test_a_changed_passage_supersedes_and_the_old_text_stays(store: Store) -> None:
    corpora.record(store, _PASSAGES, name="c")
    changed = replace(_PASSAGES[2], text="another")
    assert corpora.record(store, [_PASSAGES[1], changed], name="c")[:2] == (2, 1)
    assert corpora.current(store) == [("c", 2, 5)]
    assert corpora.passages(store, ["p2", "p1", "p9"]) == {"p1": _PASSAGES[1], "p2": changed}
    assert store.rows(
        "select version, text, superseded from passages where passage_id = 'p2' order by seq"
    ) == [(1, "text 2", True), (2, "another", False)]
    # and back again: what stood before is a change of what stands
    assert corpora.record(store, _PASSAGES, name="c")[:2] == (5, 1)
    assert corpora.passages(store, ["p2"]) == {"p2": _PASSAGES[2]}


def test_of_one_id_twice_in_a_file_the_last_counts(store: Store) -> None:
    first, last = Passage("p", "first"), Passage("p", "last")
    assert corpora.record(store, [first, last], name="c") == Imported(2, 1)
    assert list(corpora.every_passage(store)) == [last]
    assert corpora.record(store, [first, last], name="c") == Imported(2, 0)
    assert queries.record(store, [Query("q", "first"), Query("q", "last")]) == Imported(2, 1)
    assert queries.current(store) == [Query("q", "last")]
    assert queries.record(store, [Query("q", "first"), Query("q", "last")]) == Imported(2, 0)


def test_passages_come_in_the_order_of_their_import(store: Store) -> None:
    shuffled = [_PASSAGES[n] for n in (3, 0, 4, 1, 2)]
    corpora.record(store, shuffled, name="c")
    assert list(corpora.every_passage(store)) == shuffled
    assert list(corpora.every_passage(store, corpus="other")) == []
    assert corpora.ids(store) == {f"p{n}" for n in range(5)}


def test_of_two_corpora_with_one_id_the_one_imported_last_is_current(store: Store) -> None:
    corpora.record(store, [Passage("p", "in a"), Passage("r", "only a")], name="a")
    corpora.record(store, [Passage("p", "in b")], name="b")
    current = [Passage("r", "only a"), Passage("p", "in b")]
    assert list(corpora.every_passage(store)) == current
    assert corpora.passages(store, ["p", "r"]) == {p.passage_id: p for p in current}
    assert corpora.count(store) == len(corpora.ids(store)) == 2
    assert next(corpora.every_passage(store, corpus="a")) == Passage("p", "in a")
    assert store.rows("select text from current_passages order by seq") == [("only a",), ("in b",)]


@pytest.mark.parametrize(
    "text", ["a\0b", "\0", "\u202e", "'; drop table passages; --", "\U0001d518\t"]
)
def test_any_text_survives(store: Store, text: str) -> None:
    passage, query = Passage(text, text, title=text, scope=text), Query(text, text, note=text)
    corpora.record(store, [passage], name=text)
    queries.record(store, [query])
    runs.record(store, [RunRow(text, text, 1, 0.5)], system=text)
    runs.pool(store)
    assert corpora.passages(store, [text]) == {text: passage}
    assert queries.named(store, [text]) == {text: query}
    assert runs.rankings(store, text) == [RunRow(text, text, 1, 0.5)]
    assert store.rows("select query_id, passage_id from candidates") == [(text, text)]


def test_a_changed_query_supersedes(store: Store) -> None:
    queries.record(store, _QUERIES)
    changed = replace(_QUERIES[0], kind="historical")
    assert queries.record(store, [*_QUERIES[1:], changed])[:2] == (5, 1)
    assert queries.current(store) == [*_QUERIES[1:], changed]


def test_a_new_run_of_a_system_supersedes_the_earlier(store: Store) -> None:
    runs.record(store, _ROWS, system="bm25")
    longer = [*_ROWS, RunRow("q9", "p9", 7, None)]
    assert runs.record(store, longer, system="bm25")[:2] == (6, 6)
    (run,) = runs.current(store)
    assert (run.system, run.rows, run.queries, run.depth) == ("bm25", 6, 3, 7)
    assert set(runs.rankings(store, "bm25")) == set(longer)
    assert store.rows("select count(*) from run_rows") == [(11,)]


@pytest.mark.parametrize(
    "other",
    [
        [replace(_ROWS[0], rank=9), *_ROWS[1:]],
        [replace(_ROWS[0], score=None), *_ROWS[1:]],
        [replace(_ROWS[0], query_id="q1"), *_ROWS[1:]],
        _ROWS[:-1],
        [*_ROWS, _ROWS[0]],
    ],
)
def test_a_run_that_differs_anywhere_is_another(store: Store, other: list[RunRow]) -> None:
    runs.record(store, _ROWS, system="bm25")
    assert runs.record(store, other, system="bm25").added == len(other)


def test_an_unknown_system_is_named_with_those_that_are_known(store: Store) -> None:
    with pytest.raises(LabelerError, match="no run of 'x'; known: none is imported"):
        runs.rankings(store, "x")
    runs.record(store, _ROWS, system="bm25")
    with pytest.raises(LabelerError, match="no run of 'x'; known: bm25"):
        runs.rankings(store, "x")


def test_the_pool_is_the_union_of_the_newest_runs_tops(store: Store) -> None:
    runs.record(store, [RunRow("q", "old", 1)], system="a")
    runs.record(store, [RunRow("q", p, rank) for rank, p in enumerate("xyz", 1)], system="a")
    runs.record(store, [RunRow("q", p, rank) for rank, p in enumerate("yw", 1)], system="b")
    assert runs.pool(store, depth=1) == Imported(2, 2)  # x of a, y of b
    assert runs.pool(store, depth=2) == Imported(3, 1)  # and w
    assert runs.pool(store, depth=2) == Imported(3, 0)
    found = store.rows("select passage_id, best_rank from candidates order by seq, passage_id")
    assert sorted(found) == [("w", 2), ("x", 1), ("y", 1)]
    assert runs.candidates(store) == 3


def test_an_import_is_noted_with_what_was_left_out_and_progress_is_told(store: Store) -> None:
    told: list[int] = []
    source = Source("c.jsonl", "b1:00", "lead", [Problem("c.jsonl", 3, "x", "y")], told.append)
    corpora.record(store, iter(_PASSAGES), name="c", source=source)
    assert told == [5]
    assert store.rows("select kind, file, file_hash, read, added, left_out from imports") == [
        ("corpus", "c.jsonl", "b1:00", 5, 5, 1)
    ]
    (line,) = history(store)
    assert (line.person, line.action, line.subject) == ("lead", "import corpus", "c.jsonl")
    assert line.detail == "5 read, 5 added, 1 left out"
    assert line.at == store.clock()
