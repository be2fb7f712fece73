"""Disagreements in groups: what they have in common, and how many each group explains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler.model import Grade, Judgment, Passage, Query, Status, Verdict
from labeler.reports import reading_order
from labeler.stats.parts import held_out
from labeler.store import corpora, labels, queries, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store, open_store

TUNE = [name for name in (f"n{i}" for i in range(40)) if not held_out(name)][:4]
HELD = next(name for name in (f"n{i}" for i in range(40)) if held_out(name))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb") as opened:
        yield opened


def test_groups_say_what_the_disagreements_to_tune_on_have_in_common(store: Store) -> None:
    """Four pairs to tune on are wrong, three of them too lenient, and one that is held out."""
    corpora.record(
        store,
        [Passage("p", "leave is paid", source_uri="a/x"), Passage("r", "no", source_uri="b/y")],
        name="c",
    )
    kinds = {TUNE[0]: "exact", TUNE[1]: "exact", TUNE[2]: "other", TUNE[3]: "other", HELD: "exact"}
    queries.record(store, [Query(q, "Leave?", kind=kind) for q, kind in kinds.items()])
    said = dict.fromkeys((*TUNE[:3], HELD), (Grade.NO, Grade.YES)) | {
        TUNE[3]: (Grade.YES, Grade.NO)
    }
    at = {TUNE[0]: "p", TUNE[1]: "p", TUNE[2]: "p", TUNE[3]: "r", HELD: "p"}
    labels.bring(store, [Judgment(q, at[q], said[q][0]) for q in said], annotator="ana")
    found = [
        Verdict(q, at[q], "j", said[q][1], Status.OK, reason=f"It mentions {at[q]}") for q in said
    ]
    verdicts.keep(store, found)
    groups = {g[:2]: (g.n, g.share) for g in reading_order.groups(store, Selection("j"))}
    assert groups == {
        ("direction", "too lenient: people NO, judge YES"): (3, 0.75),
        ("kind", "exact"): (2, 0.5),
        ("kind", "other"): (2, 0.5),
        ("source", "a/x"): (3, 0.75),
        ("length", "under 50 words"): (4, 1.0),
        ("query's words in the passage", "all"): (3, 0.75),
        ("the reason says", "mentions"): (4, 1.0),
    }
    assert reading_order.groups(store, Selection("nobody")) == []
