"""The path from nothing to a decision, and how far it has been walked."""

from __future__ import annotations

from pathlib import Path

from labeler import sample
from labeler.model import Grade, Judgment
from labeler.reports import progress
from labeler.store import labels
from labeler.store.db import open_store


def test_an_empty_store_has_everything_to_do(tmp_path: Path):
    with open_store(tmp_path / "store.duckdb") as store:
        steps = progress.steps(store)
    assert [step.done for step in steps] == [False] * 5
    assert steps[0].said == "0 passages, 0 queries"
    assert steps[2].said == "0 verdicts of 0 judges"
    assert steps[4].said == "0 of 0 labels"


def test_the_sample_is_done_up_to_the_labels_and_then_with_them(tmp_path: Path):
    with open_store(tmp_path / "store.duckdb") as store:
        check = sample.make(store)
        steps = progress.steps(store)
        assert [step.done for step in steps] == [True] * 4 + [False]
        assert steps[2].said.endswith("verdicts of 1 judge")
        assert steps[3].said == "30 pairs in first"
        assert steps[4].said == "0 of 30 labels in first"
        pairs = store.rows("select query_id, passage_id from tasks")
        labels.bring(store, [Judgment(q, p, Grade.NO) for q, p in pairs], annotator="anna")
        assert all(step.done for step in progress.steps(store))
        assert sample.make(store) == check
