"""What was measured, and when: evaluations are only ever added, each with all that it depends on.

A baseline is an evaluation that a named person has reviewed. Nothing makes one of itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from labeler.errors import LabelerError
from labeler.store.db import Row, Store, numbers
from labeler.store.people import audit, checked_name


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One measurement. `golden` is `name@version` (or what else was measured against) with its
    hash, `run_hash` of the ranked passages, `code_version` of this program, `corpora` what was
    imported then. `conventions` and `measures` are as `labeler evaluate --json` writes them; a
    measure that does not exist is None. `note` says what is special about the run. `number` and
    `evaluated_at` are given by the store.
    """

    system: str
    run_hash: str
    golden: str
    golden_hash: str
    reading: str
    n_queries: int
    code_version: str
    corpora: str
    conventions: Mapping[str, Any]
    measures: Mapping[str, float | None]
    note: str = ""
    person: str = ""
    number: int = 0
    evaluated_at: datetime | None = None


class Baseline(NamedTuple):
    """An evaluation under a name, reviewed by somebody for a reason."""

    name: str
    evaluation: Evaluation
    reviewer: str
    reason: str
    reviewed_at: datetime


class Mark(NamedTuple):
    """A change that can move the numbers: of a `corpus`, a `golden set` or a `rubric`."""

    at: datetime
    kind: str
    ref: str


_FIELDS = (
    "system, run_hash, golden, golden_hash, reading, n_queries, code_version, corpora, "
    "conventions, measures, note, person, seq, evaluated_at"
)


def record(store: Store, evaluation: Evaluation) -> Evaluation:
    """Add an evaluation; it comes back with its number and its moment."""
    at = store.clock()
    with store.write() as cursor:
        (number,) = numbers(cursor, 1)
        cursor.execute(
            f"insert into evaluations ({_FIELDS}) "
            "values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            [
                *(evaluation.system, evaluation.run_hash),
                *(evaluation.golden, evaluation.golden_hash),
                *(evaluation.reading, evaluation.n_queries),
                *(evaluation.code_version, evaluation.corpora),
                json.dumps(dict(evaluation.conventions), allow_nan=False),
                json.dumps(dict(evaluation.measures), allow_nan=False),
                *(evaluation.note, evaluation.person, number, at),
            ],
        )
    return replace(evaluation, number=number, evaluated_at=at)


def history(store: Store, *, system: str | None = None) -> list[Evaluation]:
    """Every evaluation, of one system or of all, oldest first."""
    rows = store.rows(
        f"select {_FIELDS} from evaluations where $1::text is null or system = $1 order by seq",
        [system],
    )
    return [_evaluation(row) for row in rows]


def _evaluation(row: Row) -> Evaluation:
    values: dict[str, Any] = dict(zip(_FIELDS.split(", "), row, strict=True))
    for name in ("conventions", "measures"):
        values[name] = json.loads(values[name])
    return Evaluation(number=values.pop("seq"), **values)


def set_baseline(
    store: Store, name: str, *, evaluation: Evaluation, reviewer: str, reason: str
) -> Baseline:
    """Make a stored evaluation the baseline `name`, in place of what it was; that stays on record.

    Raises LabelerError without a reviewer or a reason, and for an evaluation that is not stored.
    """
    name, reviewer, reason = name.strip(), checked_name(reviewer), reason.strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise LabelerError("A baseline's name has 1 to 80 characters, no control characters")
    if not reason:
        raise LabelerError("A baseline needs a reason: why is this the number to hold?")
    at = store.clock()
    with store.write() as cursor:
        found = cursor.execute(
            "select 1 from evaluations where seq = $1", [evaluation.number]
        ).fetchall()
        if not found:
            raise LabelerError(f"There is no stored evaluation {evaluation.number}")
        cursor.execute(
            "insert into baselines (seq, name, evaluation, reviewer, reason, reviewed_at) "
            "values (nextval('seq'), $1, $2, $3, $4, $5)",
            [name, evaluation.number, reviewer, reason, at],
        )
        detail = f"evaluation {evaluation.number} of {evaluation.system}: {reason}"
        audit(cursor, at, person=reviewer, action="set baseline", subject=name, detail=detail)
    return Baseline(name, evaluation, reviewer, reason, at)


def baselines(store: Store) -> list[Baseline]:
    """The baselines that stand, by name."""
    measured = {found.number: found for found in history(store)}
    rows = store.rows(
        "select name, evaluation, reviewer, reason, reviewed_at from standing_baselines "
        "order by name"
    )
    return [Baseline(name, measured[number], *told) for name, number, *told in rows]


def baseline(store: Store, name: str) -> Baseline:
    """The baseline called `name`. Raises LabelerError where there is none."""
    known = {found.name: found for found in baselines(store)}
    if name not in known:
        names = ", ".join(known) or "none is set"
        raise LabelerError(
            f"There is no baseline {name!r}; known: {names}. Review one", needs="baseline"
        )
    return known[name]


def marks(store: Store) -> Iterator[Mark]:
    """Every version of a corpus, a golden set and a rubric, in their order."""
    rows = store.rows(
        "select imported_at, 'corpus', name, version, seq from corpora union all "
        "select frozen_at, 'golden set', name, version, seq from goldens union all "
        "select added_at, 'rubric', name, version, seq from rubrics order by 5"
    )
    for at, kind, name, version, _ in rows:
        yield Mark(at, kind, f"{name}@{version}")


class Asking(NamedTuple):
    """How a run was made: the passages asked for with each query, the queries that got none, and
    the command that was asked ("": another way)."""

    depth: int
    quiet: tuple[str, ...]
    command: str


def note_asking(store: Store, system: str, asking: Asking) -> None:
    """Keep how the newest run of a system was made. Without it the depth of a run is not known (a
    short list may be all that there was), nor which queries were asked in vain."""
    with store.write() as cursor:
        cursor.execute(
            "insert into askings (seq, run_id, depth, quiet, command) "
            "select nextval('seq'), run_id, $2, $3, $4 from current_runs where system = $1",
            [system, asking.depth, json.dumps(list(asking.quiet)), asking.command],
        )


def asking(store: Store, run_id: str) -> Asking | None:
    """How a run was made; None where that is not known."""
    row = store.row(
        "select depth, quiet, command from askings where run_id = $1 order by seq desc limit 1",
        [run_id],
    )
    return Asking(row[0], tuple(json.loads(row[1])), row[2]) if row else None
