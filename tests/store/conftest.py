"""A store in a folder of its own, with a clock that the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from labeler.store import spotchecks
from labeler.store.db import Store, open_store

Draw = Callable[..., spotchecks.SpotCheck]


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with open_store(tmp_path / "labels.duckdb", clock=clock) as opened:
        yield opened


@pytest.fixture
def draw(clock: Clock) -> Draw:
    """Record a spot check of pairs (query, passage), all in one stratum unless told."""

    def drawn(
        store: Store,
        pairs: Sequence[tuple[str, str]],
        *,
        name: str = "check",
        overlap: int = 1,
        strata: Sequence[str] = (),
    ) -> spotchecks.SpotCheck:
        of = strata or ["NO"] * len(pairs)
        check = spotchecks.SpotCheck(
            name, 7, len(pairs), 5, overlap, "lexical", "", "", store.clock()
        )
        spotchecks.record(
            store,
            check,
            [spotchecks.Stratum(s, 10 * of.count(s), of.count(s)) for s in sorted(set(of))],
            [spotchecks.Drawn(q, p, s, 10.0) for (q, p), s in zip(pairs, of, strict=True)],
            person="lead",
        )
        return check

    return drawn
