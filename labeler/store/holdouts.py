"""Golden queries held out of evaluation: left alone unless asked for, and each asking counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.stats.parts import held_out
from labeler.store.db import Store
from labeler.store.goldens import Golden, named
from labeler.store.people import audit


class Slice(NamedTuple):
    """A golden set's queries: those that evaluation may read, and those held out of it. `looks`
    counts how often the latter were asked for, in any version."""

    open: frozenset[str]
    held_out: frozenset[str]
    looks: int


def hold_out(store: Store, name: str, *, share: float, person: str = "") -> None:
    """Hold a share of a golden set's needs out of evaluation, in all its versions to come.

    Decided once: raises LabelerError for another share than stands, and for one outside (0, 1).
    """
    if not 0 < share < 1:
        raise LabelerError(f"A share of {share} cannot be held out: expected between 0 and 1")
    before = _share(store, name)
    if before is not None and before != share:
        raise LabelerError(
            f"{name} holds out {before:g} of its needs; that is decided once, or what was looked "
            "at could be held out later"
        )
    if before is None:
        at = store.clock()
        with store.write() as cursor:
            cursor.execute(
                "insert into holdouts values (nextval('seq'), $1, $2, $3, $4)",
                [name, share, person, at],
            )
            audit(cursor, at, person=person, action="hold out", subject=name, detail=f"{share:g}")


def _share(store: Store, name: str) -> float | None:
    row = store.row("select share from standing_holdouts where name = $1", [name])
    return None if row is None else float(row[0])


def part(store: Store, golden: Golden) -> Slice:
    """The two parts of a golden set's queries. All paraphrases of a need are in the same part;
    where nothing is held out every query is open."""
    rows = store.rows(
        "select distinct query_id from golden_entries where name = $1 and version = $2",
        [golden.name, golden.version],
    )
    asked = {row[0] for row in rows}
    found = held(store, golden.name, asked)
    return Slice(frozenset(asked - found), found, len(looks(store, golden.name)))


def held(store: Store, name: str, asked: Iterable[str]) -> frozenset[str]:
    """Which of the queries `asked` golden set `name` holds out."""
    share = _share(store, name)
    if share is None:
        return frozenset()
    of = needs(store, asked)
    return frozenset(q for q in of if held_out(of[q], share=share, purpose=f"golden:{name}"))


def needs(store: Store, queries: Iterable[str]) -> dict[str, str]:
    """The need of each query; a query that is known by its id alone is a need of its own."""
    asked = sorted(queries)
    rows = store.rows(
        "select query_id, coalesce(nullif(need_id, ''), query_id) from current_queries "
        "where query_id = any($1)",
        [asked],
    )
    return {query_id: query_id for query_id in asked} | {row[0]: row[1] for row in rows}


def look(store: Store, ref: str, *, purpose: str, person: str = "") -> int:
    """Note that the held-out queries of a golden set are read, and why; the number of this look."""
    golden, at = named(store, ref), store.clock()
    if not purpose.strip():
        raise LabelerError("A look at held-out queries needs a purpose: what is to be decided?")
    with store.write() as cursor:
        cursor.execute(
            "insert into golden_looks values (nextval('seq'), $1, $2, $3, $4)",
            [golden.ref, purpose, person, at],
        )
        audit(
            cursor,
            at,
            person=person,
            action="look at held-out queries",
            subject=golden.ref,
            detail=purpose,
        )
    return len(looks(store, golden.name))


def looks(store: Store, name: str) -> list[tuple[str, str, str]]:
    """Every look at a golden set's held-out queries, oldest first: version, purpose, person."""
    rows = store.rows("select golden, purpose, person from golden_looks order by seq")
    return [(row[0], row[1], row[2]) for row in rows if row[0].rpartition("@")[0] == name]
