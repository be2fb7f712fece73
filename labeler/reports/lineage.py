"""Which rubric, judge, gate decision and golden version belonged together, when, and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from labeler.reports.render import judge_name
from labeler.store import goldens, holdouts
from labeler.store.db import Store
from labeler.store.goldens import Freeze, Golden


@dataclass(frozen=True)
class Version:
    """A golden version, without its entries, and what it was frozen from (None: from before that
    was recorded). `graded`
    counts its entries by grade, "nothing" for queries that expect nothing; `held_out` is how many
    of its queries evaluation leaves alone, `looks` how often they were looked at all the same."""

    golden: Golden
    freeze: Freeze | None
    graded: dict[str, int]
    held_out: int
    looks: int

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return sum(self.graded.values())

    @property
    def judge(self) -> str:
        """The judge that took part, "" where people did alone."""
        if self.freeze is None:
            return ""
        from_ = self.freeze.provenance
        return judge_name(from_.judge, from_.rubric, from_.model)


def versions(store: Store) -> list[Version]:
    """Every golden version, oldest first."""
    frozen, found = goldens.freezes(store), []
    for golden in goldens.history(store):
        parts, graded = holdouts.part(store, golden), goldens.counts(store, golden)
        found.append(
            Version(golden, frozen.get(golden.ref), graded, len(parts.held_out), parts.looks)
        )
    return found


def lines(one: Version) -> Iterator[str]:
    """A version for the terminal."""
    golden = one.golden
    yield (
        f"{golden.ref}  {one.entries:,} entries  {golden.hash}  "
        f"{golden.frozen_at:%Y-%m-%d} from {golden.origin}"
    )
    if one.freeze is None:
        return
    from_ = one.freeze.provenance
    if one.judge:
        spotcheck = f" on {from_.spotcheck}" if from_.spotcheck else ""
        override = f", overridden: {from_.override}" if from_.override else ""
        yield f"  judge {one.judge}: {from_.decision}{spotcheck}{override}"
    if one.freeze.reason != golden.origin:
        yield f"  because {one.freeze.reason}"
    if one.held_out:
        yield f"  {one.held_out:,} queries held out, looked at {one.looks:,} times"


def as_json(one: Version) -> dict[str, Any]:
    """A version as JSON."""
    golden, freeze = one.golden, one.freeze
    return {
        "name": golden.name,
        "version": golden.version,
        "hash": golden.hash,
        "entries": one.entries,
        "graded": one.graded,
        "origin": golden.origin,
        "frozen_at": golden.frozen_at,
        "frozen_by": golden.frozen_by,
        "seal": freeze.seal if freeze else None,
        "reason": freeze.reason if freeze else None,
        **(freeze.provenance._asdict() if freeze else {}),
        "held_out_queries": one.held_out,
        "looks": one.looks,
    }
