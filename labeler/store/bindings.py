"""Grades carried over to a corpus that was split anew: what is certain, what a person looks at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Grade
from labeler.store.db import Store, append, numbers
from labeler.store.people import audit


class Binding(NamedTuple):
    """An old passage of golden version `name@version` and what it has become in `corpus`.

    `state`: "certain", "look" (in the queue), "gone" (`new_passage` "") or "decided" by `person`,
    with `grade` None where it helps nobody now. `old_grade` is what was frozen.
    """

    name: str
    version: int
    corpus: str
    query_id: str
    old_passage: str
    new_passage: str
    old_grade: str
    grade: Grade | None
    state: str
    why: str
    person: str
    decided_at: datetime


_FIELDS = ", ".join(Binding._fields)


def record(store: Store, bindings: Sequence[Binding], *, subject: str, person: str) -> None:
    """Store what a rebinding found, in one commit; what a person has decided stands."""
    if not bindings:
        return
    decided = {_key(one) for one in current(store) if one.state == "decided"}
    fresh = [one for one in bindings if _key(one) not in decided]
    with store.write() as cursor:
        columns = dict(zip(Binding._fields, zip(*fresh, strict=True), strict=True)) if fresh else {}
        if columns:
            columns["grade"] = tuple(None if g is None else str(g) for g in columns["grade"])
            append(cursor, "bindings", {"seq": numbers(cursor, len(fresh)), **columns})
        counts = {
            state: sum(one.state == state for one in bindings)
            for state in ("certain", "look", "gone")
        }
        told = ", ".join(f"{count} {state}" for state, count in counts.items())
        audit(cursor, store.clock(), person=person, action="rebind", subject=subject, detail=told)


def _key(one: Binding) -> tuple[object, ...]:
    """What is decided once, whichever version it was rebound from."""
    return (one.name, *one[2:6])


def current(store: Store, name: str = "") -> list[Binding]:
    """What stands of every binding, of all golden sets or of one."""
    rows = store.rows(
        f"select {_FIELDS} from standing_bindings where $1 = '' or name = $1 order by seq", [name]
    )
    return [Binding(*row)._replace(grade=Grade(row[7]) if row[7] else None) for row in rows]


def queue(store: Store, name: str = "") -> list[Binding]:
    """The bindings that a person must look at, YES before PART before NO; each new passage of a
    query once, beside the best of the old ones that it is bound to."""
    waiting = [one for one in current(store, name) if one.state == "look"]
    waiting.sort(key=lambda one: (-Grade(one.old_grade).gain, one.query_id, one.new_passage))
    once = {(one.name, *one[2:4], one.new_passage): one for one in reversed(waiting)}
    return list(once.values())[::-1]


def decide(store: Store, one: Binding, *, grade: Grade, person: str) -> None:
    """Say what the new passage of a binding is worth to its query, for all the old passages that
    it is bound to. A later decision takes the place of the earlier, which stays."""
    at = store.clock()
    same = [o for o in current(store, one.name) if o[2:4] == one[2:4]]
    meant = [o for o in same if o.new_passage == one.new_passage]
    if not meant or any(o.state not in ("look", "decided") for o in meant):
        raise LabelerError(f"Passage {one.new_passage!r} is not in the queue")
    with store.write() as cursor:
        for bound in meant:
            cursor.execute(
                f"insert into bindings (seq, {_FIELDS}) values (nextval('seq'), "
                "$1, $2, $3, $4, $5, $6, $7, $8, 'decided', $9, $10, $11)",
                [*bound[:7], str(grade), bound.why, person, at],
            )
        audit(
            cursor,
            at,
            person=person,
            action="decide binding",
            subject=f"{one.name}@{one.version}: {one.query_id} / {one.new_passage}",
            detail=f"{grade}, was {one.old_passage}: {one.old_grade}",
        )
