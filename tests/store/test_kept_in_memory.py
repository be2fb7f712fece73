"""What is kept in memory beside the store is never older than the store, and a run's hash is of its
rows alone."""

from __future__ import annotations

import random
import uuid

import pytest

from labeler.errors import LabelerError, StoreBusy
from labeler.model import Grade, LabelEvent, Passage, Query, RunRow
from labeler.store import corpora, labels, ledger, queries, recent, runs, snapshot, tasks
from labeler.store.columns import digests, run_table
from labeler.store.db import Store, open_reader, open_store
from labeler.store.imports import Imported
from labeler.store.recent import Recent
from labeler.store.snapshot import Keeper

PAIRS = [(f"q{n % 2}", f"p{n}") for n in range(6)]


def press(store: Store, person: str, pair: tuple[str, str], action: str, grade: Grade | None):
    name = str(uuid.uuid4())
    event = LabelEvent(name, *pair, person, action, grade, spotcheck="check")
    assert labels.record(store, [event]).acknowledged == [name]


def undo(store: Store) -> None:
    """A write that is rolled back: what is in memory is read anew."""
    with pytest.raises(RuntimeError), store.write():
        raise RuntimeError


def test_the_ledger_stands_where_one_that_reads_everything_anew_does(store: Store, draw) -> None:
    draw(store, PAIRS, overlap=2)
    luck = random.Random(5)
    for person in ("anna", "ben"):
        tasks.window(store, spotcheck="check", annotator=person, limit=6)
    for step in range(40):
        person = luck.choice(["anna", "ben"])
        action = luck.choice(["label", "unsure", "later", "undo", "note"])
        grade = Grade.YES if action == "label" else None
        press(store, person, luck.choice(PAIRS), action, grade)
        if step % 3 == 0:  # it has to catch up with several at once as well
            continue
        with store.read() as cursor:
            for who in ("anna", "ben", "carl"):
                at = ledger.moment(store)
                kept = ledger.of(store, "check").standing(cursor, who, at=at)
                anew = ledger.Ledger("check").standing(cursor, who, at=at)
                assert kept.own == anew.own
                answered = {task: by for task, by in kept.answered.items() if by}
                assert answered == {task: by for task, by in anew.answered.items() if by}


def test_a_task_that_is_added_brings_what_was_said_of_it_before(store: Store, draw) -> None:
    draw(store, [PAIRS[0]])
    draw(store, [PAIRS[1]], name="other")
    tasks.window(store, spotcheck="other", annotator="anna")
    event = LabelEvent(str(uuid.uuid4()), *PAIRS[1], "anna", "label", Grade.NO, spotcheck="other")
    labels.record(store, [event])
    assert tasks.overall(store, "check") == (0, 1)
    with store.write() as cursor:
        cursor.execute("insert into tasks values ('check', 2, $1, $2, '', 1.0, 2, 1)", PAIRS[1])
    assert tasks.overall(store, "check") == (1, 2)


def test_windows_in_one_commit_are_those_that_come_one_after_another(store: Store, draw) -> None:
    for name in ("check", "other"):
        draw(store, PAIRS, name=name, overlap=2)
    people = ["anna", "ben", "anna", "carl", "ben"]
    before = store.version
    together = tasks.windows(store, [tasks.Asker("check", person, 2) for person in people])
    assert store.version == before + 1
    alone = [tasks.window(store, spotcheck="other", annotator=person, limit=2) for person in people]
    assert together == alone
    undo(store)  # what is on disk says the same
    again = tasks.windows(store, [tasks.Asker("check", person, 2) for person in people])
    assert [window.open for window in again] == [window.open for window in together]


def test_what_a_failed_commit_would_have_reserved_is_free(store: Store, draw) -> None:
    draw(store, PAIRS)
    with pytest.raises(LabelerError, match="no spot check 'chek'"):
        tasks.windows(store, [tasks.Asker("check", "anna", 9), tasks.Asker("chek", "ben", 9)])
    with store.read() as cursor:
        assert cursor.execute("select * from reservations").fetchall() == []
    found = tasks.window(store, spotcheck="check", annotator="ben", limit=9)
    assert len(found.open) == len(PAIRS)


def test_what_was_read_in_a_write_that_was_undone_is_forgotten(store: Store, draw) -> None:
    draw(store, [PAIRS[0]])
    tasks.window(store, spotcheck="check", annotator="anna")

    def fail() -> None:
        with store.write() as cursor:
            cursor.execute("insert into tasks values ('check', 2, $1, $2, '', 1.0, 2, 1)", PAIRS[1])
            cursor.execute("insert into handed values ('check', 2, 'anna', $1)", [store.clock()])
            press(store, "anna", PAIRS[1], "label", Grade.YES)  # reads the task into memory
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    event = LabelEvent(str(uuid.uuid4()), *PAIRS[1], "anna", "label", Grade.NO, spotcheck="check")
    (refusal,) = labels.record(store, [event]).refused
    assert refusal.why == "this pair was not handed to anna"
    assert tasks.overall(store, "check") == (0, 1)


def test_events_of_several_in_one_commit_have_an_answer_each(store: Store, draw) -> None:
    draw(store, PAIRS)
    tasks.window(store, spotcheck="check", annotator="anna", limit=9)
    name = str(uuid.uuid4())
    event = LabelEvent(name, *PAIRS[0], "anna", "label", Grade.YES, spotcheck="check")
    foreign = LabelEvent(name, *PAIRS[0], "ben", "label", Grade.NO, spotcheck="check")
    first, second, none = labels.record_all(store, [[event], [foreign, event], []])
    assert first == ([name], [])
    assert second == ([name], [(name, "this pair was not handed to ben")])
    assert none == ([], [])
    assert [row.grade for row in labels.current(store)] == [Grade.YES]


def test_an_import_is_seen_at_once_in_texts_and_in_the_hash_of_a_label(store: Store, draw) -> None:
    queries.record(store, [Query("q0", "why?")])
    for text in ("old", "new"):
        corpora.record(store, [Passage("p0", text)], name="c")
        assert corpora.passages(store, ["p0", "nowhere"]) == {"p0": Passage("p0", text)}
    draw(store, [PAIRS[0]])
    tasks.window(store, spotcheck="check", annotator="anna")
    press(store, "anna", PAIRS[0], "label", Grade.YES)
    assert store.rows("select passage_hash from label_events") == [(Passage("p0", "new").hash,)]


def test_what_was_read_before_an_import_is_not_kept_after_it() -> None:
    kept = Recent()
    state = kept.find(["p"]).state
    kept.forget()  # an import ends while another thread is reading
    kept.keep({"p": Passage("p", "old")}, state=state)
    assert kept.find(["p"]).missing == ["p"]


def test_the_oldest_passages_make_room() -> None:
    kept = Recent()
    whole = "x" * (recent.CHARACTERS // 3)
    for name in "abc":
        kept.keep({name: Passage(name, whole)}, state=0)
        kept.find(["a"])  # which is thereby not the oldest
    assert kept.find(["a", "b", "c"]).missing == ["b"]


ROWS = [RunRow("q", "p", 1, 2.0), RunRow("q", "pp", 2, None), RunRow("qq", "p", 1, -0.5)]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_runs_hash_does_not_depend_on_the_parts_in_which_it_is_read(size: int) -> None:
    whole = run_table(ROWS)
    assert digests(whole.to_batches(max_chunksize=size)) == digests(whole.to_batches())


def test_a_run_in_columns_is_the_run_in_rows(store: Store) -> None:
    assert runs.record(store, reversed(ROWS), system="s") == Imported(3, 3)
    assert runs.record_table(store, run_table(ROWS), system="s") == Imported(3, 0)
    assert runs.record_table(store, run_table(ROWS[:2]), system="s")[:2] == (2, 2)
    assert runs.rankings(store, "s") == ROWS[:2]


def test_a_reader_beside_a_long_command_sees_what_was_committed(tmp_path) -> None:
    path = tmp_path / "long.duckdb"
    with open_store(path) as store:
        queries.record(store, [Query("q", "before")])
        with pytest.raises(StoreBusy):
            open_reader(path, patience=0.1)
        with Keeper(store), store.write() as cursor:
            queries.supersede(cursor, [Query("q", "not committed")])
            # In this process DuckDB would hand out the open store itself: the copy is asked for.
            assert snapshot.request(path, patience=10)
            with open_reader(snapshot.snapshot_file(path)) as copy:
                assert [found.text for found in queries.current(copy)] == ["before"]
