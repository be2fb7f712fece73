"""Every released schema, with rows in it, comes to the present one and keeps them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from labeler.model import GoldenEntry, Grade, Judgment, Passage, Query, RunRow, Status, Verdict
from labeler.store import corpora, goldens, labels, migrations, queries, runs, verdicts
from labeler.store.db import Cursor, Store, open_reader, open_store

_FIRST = """
insert into people values ('anna', 'annotator', nextval('seq'), now());
insert into settings values ('name', 'value');
insert into imports values (nextval('seq'), 'corpus', 'c.jsonl', 'b1:00', 1, 1, 0, now());
insert into corpora values (nextval('seq'), 'c', 1, 1, now());
insert into passages values
    (nextval('seq'), 'c', 1, 'p', 'text', '', '', '', '', '', '', 'b1:00', false);
insert into queries values
    (nextval('seq'), 'q', 'how?', '', '', '', '', '', '', '', 'b1:00', false);
insert into runs values (nextval('seq'), 'bm25#1', 'bm25', 'b1:00', 1, 1, '', now());
insert into run_rows values ('bm25#1', 'q', 'p', 1, 0.5);
insert into candidates values (nextval('seq'), 'q', 'p', 1, 'pool', now());
insert into rubrics values (nextval('seq'), 'r', 1, 'text', '[]', 'b1:00', 'anna', now());
insert into verdicts values
    (nextval('seq'), 'q', 'p', 'judge', 'r@1', 'm', 'NO', 'ok', '', '', '', '', 1, 1, 0.1, 1.0, '',
    '', '', '', now());
insert into batches values (nextval('seq'), 'i', 'b', 'created', 'judge', 'r@1', 'm', 1, '', now());
insert into batch_requests values ('i', 'r', 'q', 'p', '', '');
insert into label_events values
    ('6ba7b810-9dad-11d1-80b4-00c04fd430c8', nextval('seq'), 'q', 'p', 'anna', 'label', 'YES',
    'labelled', '', 'check', true, '', '', '', now());
insert into repeated_labels values ('6ba7b810-9dad-11d1-80b4-00c04fd430c9');
insert into verdict_views values ('q', 'p', 'anna', now());
insert into adjudications values (nextval('seq'), 'q', 'p', 'YES', 'so', 'rita', now());
insert into spotchecks values
    (nextval('seq'), 'check', 1, 1, 5, 1, 'judge', 'r@1', 'm', 'lead', now());
insert into strata values ('check', 'NO', 1, 1);
insert into tasks values ('check', 1, 'q', 'p', 'NO', 1.0, 1, 1);
insert into reservations values ('check', 1, 'anna', now());
insert into handed values ('check', 1, 'anna', now());
insert into goldens values (nextval('seq'), 'g', 1, 'b1:00', 'g.json', 'lead', now());
insert into golden_entries values ('g', 1, 'q', 'how?', '', 'p', 'YES', 'g.json', '');
insert into audit values (nextval('seq'), now(), 'anna', 'label', 'q / p', 'YES');
"""

_DESK = """
insert into searches values
    (nextval('seq'), 'q', 'how', '', '', '', 1, 1, '["p"]', 'rita', now());
insert into outcomes values (nextval('seq'), 'q', 'unavailable', 'so', 'rita', now());
insert into facts values (1, 'q', 1, 'that it is so', 'rita', now());
insert into fact_passages values (1, 'p');
insert into failures values (nextval('seq'), 'q', 'how?', 'so', '["p"]', '', 'rita', now());
"""

_EVALUATIONS = """
insert into askings values (nextval('seq'), 'bm25#1', 20, '["r"]', 'search.py');
insert into evaluations values
    (7, 'bm25', 'b1:00', 'g@1', 'b1:00', 'strict', 1, '0.1.0', 'c@1', '{}', '{"R@5": 1.0}', '',
    'lead', now());
insert into baselines values (nextval('seq'), 'main', 7, 'rita', 'as good as we had', now());
"""

_WORKSHOP = """
insert into looks values
    (9, 'held-out', 'check', 'j r@1', 'j r@2', 'r@2', 1, 1, 0, 0, 1, 1.0, -1.0, null, null,
    'not confirmed', 'lead', now());
insert into look_pairs values (9, 'q', 'p');
insert into freezes values
    (nextval('seq'), 'g', 1, 'b1:00', '', 'labels', '', '', '', '', '', '', '');
insert into golden_anchors values ('g', 1, 'q', 'p', 'c', 1, 'u', '', null, null, 'b1:00');
insert into holdouts values (nextval('seq'), 'g', 0.2, 'lead', now());
insert into golden_looks values (nextval('seq'), 'g@1', 'release', 'lead', now());
insert into bindings values
    (nextval('seq'), 'g', 1, 'c', 'q', 'p', 'p2', 'YES', null, 'look', 'a piece', '', now());
"""

_REPLIES = """
insert into replies values
    (nextval('seq'), 'draft', 'p', 'r', 'm', 'ok', '', '{}', 1, 1, 0.1, '', '', now());
"""

_DRAFTS = """
insert into drafts values
    (nextval('seq'), 'd', 'exact', 'how?', 'p', 'c', 1, 'u', '', 0, 4, 'b1:00', 1, 'r', 'm', '',
    0.5, now());
insert into draft_checks values (nextval('seq'), 'd', 'answerable', true, '', 'r', now());
insert into draft_decisions values (nextval('seq'), 'd', 'accepted', 'q', '', 'rita', now());
"""

_ANSWERS = """
insert into answers values
    (nextval('seq'), 'a', 'q', 'bot', 'production', 'so', '[]', 'b1:00', false, now());
"""

ROWS: dict[int, str] = {
    1: _FIRST,
    2: _FIRST + _DESK,
    3: _FIRST + _DESK + _EVALUATIONS,
    4: _FIRST + _DESK + _EVALUATIONS + _WORKSHOP,
    5: _FIRST + _DESK + _EVALUATIONS + _WORKSHOP + _REPLIES,
    6: _FIRST + _DESK + _EVALUATIONS + _WORKSHOP + _REPLIES + _DRAFTS,
    7: _FIRST + _DESK + _EVALUATIONS + _WORKSHOP + _REPLIES + _DRAFTS + _ANSWERS,
}
"""By version of the schema: one row in every table that it has. A new step needs its own."""


def _of_version(path: Path, version: int) -> dict[str, list[tuple[object, ...]]]:
    """A store as version `version` left it, with its rows by table."""
    with duckdb.connect(str(path)) as cursor:
        cursor.execute("create table migrations (number integer, name text, run_at timestamptz)")
        for number, (name, step) in enumerate(migrations.STEPS[:version], start=1):
            step(cursor)
            cursor.execute("insert into migrations values ($1, $2, now())", [number, name])
        cursor.execute(ROWS[version])
        return {name: _rows(cursor, name) for name in _tables(cursor)}


def _tables(cursor: Cursor) -> list[str]:
    found = cursor.execute(
        "select table_name from information_schema.tables where table_type = 'BASE TABLE' "
        "and table_name <> 'migrations' order by 1"
    )
    return [row[0] for row in found.fetchall()]


def _rows(cursor: Cursor, table: str) -> list[tuple[object, ...]]:
    return cursor.execute(f"select * from {table}").fetchall()


def test_every_released_schema_has_rows_to_be_tested_with() -> None:
    assert sorted(ROWS) == list(range(1, migrations.CURRENT + 1))


@pytest.mark.parametrize("version", sorted(ROWS))
@pytest.mark.parametrize("open_", [open_store, open_reader])
def test_a_store_of_every_version_opens_with_all_its_rows(
    tmp_path: Path, version: int, open_: Callable[[Path], Store]
) -> None:
    before = _of_version(tmp_path / "old.duckdb", version)
    assert all(len(rows) == 1 for rows in before.values()), "each table needs a row"
    with open_(tmp_path / "old.duckdb") as store:
        assert migrations.schema_version(store) == migrations.CURRENT
        with store.read() as cursor:
            for table, rows in before.items():
                # Columns may have been added at the end; what was there stays.
                assert [row[: len(rows[0])] for row in _rows(cursor, table)] == rows
            views = cursor.execute("select table_name from information_schema.views").fetchall()
            for (view,) in views:
                if view.startswith("current_") or view == "blind_labels":
                    assert len(_rows(cursor, view)) == 1


def test_a_migrated_store_takes_every_kind_of_row(tmp_path: Path) -> None:
    _of_version(tmp_path / "old.duckdb", 1)
    with open_store(tmp_path / "old.duckdb") as store:
        corpora.record(store, [Passage("p", "new")], name="c")
        queries.record(store, [Query("q", "new?")])
        runs.record(store, [RunRow("q", "p", 1, 0.9)], system="bm25")
        labels.bring(store, [Judgment("q", "p", Grade.NO)], annotator="anna")
        verdicts.keep(store, [Verdict("q", "p", "judge", Grade.YES, Status.OK)])
        goldens.record(store, "g", [GoldenEntry("q", "r", Grade.NO)], origin="x", person="lead")
        assert [s.grade for s in labels.current(store)] == [Grade.NO]
        assert corpora.passages(store, ["p"])["p"].text == "new"


def test_a_step_that_fails_leaves_the_version_before_it_and_can_be_run_again(store: Store) -> None:
    def broken(cursor: Cursor) -> None:
        cursor.execute("create table half (n integer)")
        raise RuntimeError

    def whole(cursor: Cursor) -> None:
        cursor.execute("create table half (n integer)")

    with pytest.raises(RuntimeError):
        migrations.migrate(store, steps=[*migrations.STEPS, ("second", broken)])
    assert migrations.schema_version(store) == migrations.CURRENT
    migrations.migrate(store, steps=[*migrations.STEPS, ("second", whole)])
    assert store.rows("select * from half") == []
    assert store.rows("select number, name from migrations order by number desc limit 1") == [
        (migrations.CURRENT + 1, "second")
    ]
