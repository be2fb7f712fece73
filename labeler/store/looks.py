"""Looks at held-out pairs. Each is counted: a p value means what it says at the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from labeler.store.db import Cursor, Store, append, scalar
from labeler.store.people import audit


@dataclass(frozen=True, slots=True)
class Look:
    """What one comparison of a judge (`second`) with the one before it (`first`), both written
    `judge · rubric · model`, said on pairs that were held out. `first` is "" where cases of one
    judge were read: then nothing is compared (none of the pairs is right by one alone, so p is 1),
    and what they say later is worth less all the same.

    `look` counts the looks that read at least one of these pairs, this one included. `difference`
    is the second's disagreement minus the first's, `lo` to `hi` its interval (None: none).
    `reading` is "confirmed" (the second is better), "worse" or "not confirmed".
    """

    part: str
    spotcheck: str
    first: str
    second: str
    rubric: str
    look: int
    n: int
    disagreements: int
    only_first: int
    only_second: int
    p: float
    difference: float | None
    lo: float | None
    hi: float | None
    reading: str
    person: str = ""
    looked_at: datetime | None = None
    """None: the moment in which it is stored."""


_FIELDS = (
    "part, spotcheck, first, second, rubric, look, n, disagreements, only_first, only_second, p, "
    "difference, lo, hi, reading, person, looked_at"
)


def earlier(store: Store, pairs: Sequence[tuple[str, str]]) -> int:
    """How many looks have read at least one of these pairs."""
    with store.read() as cursor:
        return _earlier(cursor, pairs)


def _earlier(cursor: Cursor, pairs: Sequence[tuple[str, str]]) -> int:
    return int(
        scalar(
            cursor,
            "select count(distinct l.seq) from look_pairs l join (select unnest($1::text[]) as q, "
            "unnest($2::text[]) as p) x on l.query_id = x.q and l.passage_id = x.p",
            [[query for query, _ in pairs], [passage for _, passage in pairs]],
        )
    )


def record(store: Store, look: Look, pairs: Sequence[tuple[str, str]]) -> Look:
    """Store a look with the pairs that it read. Never undone: what was seen was seen."""
    at = store.clock()
    with store.write() as cursor:
        kept = replace(look, look=_earlier(cursor, pairs) + 1, looked_at=at)
        seq = scalar(cursor, "select nextval('seq')")
        values = [getattr(kept, name) for name in _FIELDS.split(", ")]
        marks = ", ".join(f"${n}" for n in range(1, len(values) + 2))
        cursor.execute(f"insert into looks (seq, {_FIELDS}) values ({marks})", [seq, *values])
        append(
            cursor,
            "look_pairs",
            {
                "seq": [seq] * len(pairs),
                "query_id": [query for query, _ in pairs],
                "passage_id": [passage for _, passage in pairs],
            },
        )
        audit(
            cursor,
            at,
            person=kept.person,
            action=f"look at {kept.part}",
            subject=kept.second,
            detail=f"{kept.reading}, look {kept.look}, {kept.n} pairs, "
            + (f"against {kept.first}" if kept.first else "read one by one"),
        )
    return kept


def history(store: Store, *, second: str = "") -> list[Look]:
    """Every look, or those at one judge, the newest first."""
    rows = store.rows(
        f"select {_FIELDS} from looks where $1 = '' or second = $1 order by seq desc", [second]
    )
    return [Look(*row) for row in rows]
