"""Spot checks: samples of judged pairs that people check. One is drawn once and never redrawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.store.db import Store
from labeler.store.people import audit

DESK = "desk/"
"""How the name of a reviewer's desk begins, which is a list of tasks but was never drawn."""


class SpotCheck(NamedTuple):
    """A sample that people check: how it was drawn, and what it was drawn from."""

    name: str
    seed: int
    n: int
    per_verdict: int
    overlap: int
    judge: str
    rubric: str
    model: str
    drawn_at: datetime


class Stratum(NamedTuple):
    """A verdict's part of a spot check: `drawn` of `size` pairs."""

    stratum: str
    size: int
    drawn: int


class Drawn(NamedTuple):
    """One pair drawn: its stratum and how many pairs of the frame it stands for. `wanted` from so
    many people, None: as many as the check wants; 0 asks nobody, and the task is only a record."""

    query_id: str
    passage_id: str
    stratum: str
    weight: float
    wanted: int | None = None


def record(
    store: Store,
    check: SpotCheck,
    strata: Sequence[Stratum],
    drawn: Sequence[Drawn],
    *,
    person: str = "",
    detail: str = "",
) -> None:
    """Store a spot check that has been drawn; `drawn` is in the order of labelling, `detail` what
    the audit says of it beside its size.

    A name is used once.
    """
    if check.name.startswith(DESK):
        raise LabelerError(f"A name that begins with {DESK} is that of a reviewer's desk")
    with store.write() as cursor:
        if cursor.execute("select 1 from spotchecks where name = $1", [check.name]).fetchall():
            raise LabelerError(
                f"There is a spot check {check.name!r} already; a spot check is never redrawn. "
                "Choose another name"
            )
        cursor.execute(
            "insert into spotchecks values "
            "(nextval('seq'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            [*check[:8], person, check.drawn_at],
        )
        for stratum in strata:
            cursor.execute("insert into strata values ($1, $2, $3, $4)", [check.name, *stratum])
        numbers = list(range(1, len(drawn) + 1))
        cursor.execute(
            "insert into tasks select $1, unnest($2::bigint[]), unnest($3::text[]), "
            "unnest($4::text[]), unnest($5::text[]), unnest($6::double[]), "
            "unnest($2::integer[]), unnest($7::integer[])",
            [
                check.name,
                numbers,
                [pair.query_id for pair in drawn],
                [pair.passage_id for pair in drawn],
                [pair.stratum for pair in drawn],
                [pair.weight for pair in drawn],
                [check.overlap if pair.wanted is None else pair.wanted for pair in drawn],
            ],
        )
        audit(
            cursor,
            check.drawn_at,
            person=person,
            action="draw",
            subject=check.name,
            detail=f"{len(drawn)} pairs, {detail or f'seed {check.seed}'}",
        )


_CHECK = "name, seed, n, per_verdict, overlap, judge, rubric, model, drawn_at"


def history(store: Store) -> list[SpotCheck]:
    """All spot checks that were drawn, newest first; a reviewer's desk (`n` 0) is none."""
    rows = store.rows(f"select {_CHECK} from spotchecks where n > 0 order by seq desc")
    return [SpotCheck(*row) for row in rows]


def for_everybody(store: Store) -> list[SpotCheck]:
    """The spot checks that were drawn and the lists of pairs that were chosen for everybody (`n` is
    0: no sample, so that no report counts them as one), newest first. A reviewer's desk, a warm-up
    and repeats are one person's."""
    rows = store.rows(
        f"select {_CHECK} from spotchecks s where n > 0 or exists (select 1 from tasks t "
        "where t.spotcheck = s.name and t.stratum not in ('', 'again', 'warm-up')) "
        "order by seq desc"
    )
    return [SpotCheck(*row) for row in rows]


def owner(store: Store, name: str) -> str | None:
    """Whose list it is alone (a desk, a warm-up, repeats); None where it is for everybody, or where
    there is none of that name."""
    row = store.row("select drawn_by from spotchecks where name = $1", [name])
    if row is None or any(check.name == name for check in for_everybody(store)):
        return None
    return str(row[0])


def named(store: Store, name: str) -> SpotCheck:
    """The spot check called `name`."""
    row = store.row(f"select {_CHECK} from spotchecks where name = $1", [name])
    if row is None:
        known = ", ".join(check.name for check in history(store)) or "none is drawn"
        raise LabelerError(f"There is no spot check {name!r}; known: {known}")
    return SpotCheck(*row)


def strata(store: Store, name: str) -> list[Stratum]:
    """The strata of a spot check."""
    rows = store.rows(
        "select stratum, size, drawn from strata where spotcheck = $1 order by stratum", [name]
    )
    return [Stratum(*row) for row in rows]
