"""A golden set read by query says what its entries say."""

from __future__ import annotations

import pytest

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, Query
from labeler.store import expected, goldens
from labeler.store.db import Store


def freeze(store: Store) -> None:
    first = [
        GoldenEntry("q2", "p1", Grade.PART, query="two?", kind="exact"),
        GoldenEntry("q2", "p0", Grade.NO, query="two?", kind="exact"),
        GoldenEntry("q1", "", None, query="one?", kind="unanswerable"),
    ]
    goldens.record(store, "g", first, origin="f", person="ana")
    goldens.record(store, "g", [GoldenEntry("q3", "p9", Grade.YES)], origin="f", person="ana")


def test_labels_are_gains_by_query_and_nothing_expected_is_no_label(store: Store) -> None:
    freeze(store)
    found = expected.read(store, "g@1")
    assert found.golden == {"q1": {}, "q2": {"p0": 0, "p1": 1}}
    assert found.queries["q2"] == Query("q2", "two?", kind="exact")
    assert (found.ref, found.hash) == ("g@1", goldens.named(store, "g@1").hash)


def test_without_a_version_the_newest_is_read(store: Store) -> None:
    freeze(store)
    found = expected.read(store, "g")
    entries = goldens.named(store, "g").entries
    assert found.ref == "g@2"
    assert {(q, p) for q, labels in found.golden.items() for p in labels} == {
        (entry.query_id, entry.passage_id) for entry in entries if entry.passage_id
    }
    assert list(found.golden) == sorted({entry.query_id for entry in entries})


@pytest.mark.parametrize("ref", ["other", "g@3", "g@", "@1"])
def test_what_is_not_there_is_named_with_what_is(store: Store, ref: str) -> None:
    freeze(store)
    with pytest.raises(LabelerError, match="g@1, g@2"):
        expected.read(store, ref)
