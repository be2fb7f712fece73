"""Labels beside verdicts: the pairs that a judge and people have both judged, and those that lack
one of the two.

A pair's label is the majority of its people's blind labels, or the adjudicated grade where a pair
that somebody has labelled blind was adjudicated; a tie is left out as `unresolved`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import duckdb

from labeler.model import Grade
from labeler.store.db import Cursor, Store


@dataclass(frozen=True)
class Selection:
    """Which judge is compared with whom.

    Without a spot check: every pair that has a label and a verdict.
    """

    judge: str
    rubric: str = ""
    model: str = ""
    spotcheck: str | None = None
    annotator: str | None = None


class Arrays(NamedTuple):
    """The compared pairs as arrays of one length n.

    `query` numbers the queries from 0, grades are gains 0, 1, 2.
    """

    query: Any
    human: Any
    judge: Any
    stratum: Any


class Part(NamedTuple):
    """A slice: its value, the compared pairs in it and those on which label and verdict differ."""

    value: str
    n: int
    disagreements: int


class Missing(NamedTuple):
    """Why pairs are not compared, each pair counted once, in this order of precedence.

    `unlabelled` has no label yet, `unsure` only people who could not tell, `unresolved` a tie
    between people; of the labelled, `unjudged` has no verdict, `unreadable` only an unreadable
    reply.
    """

    unlabelled: int
    unjudged: int
    unreadable: int
    unsure: int
    unresolved: int


class Stratum(NamedTuple):
    """A stratum of a spot check.

    `size` pairs in the frame, `n` of them compared, `disagreements` of those.
    """

    stratum: str
    size: int
    n: int
    disagreements: int


class Disagreement(NamedTuple):
    """A compared pair with what was said of it."""

    query_id: str
    passage_id: str
    query: str
    passage: str
    kind: str
    source: str
    human: Grade
    judge: Grade
    reason: str
    note: str
    annotators: str
    judged_at: datetime
    adjudicated: bool


# The tables beneath the views, so that a spot check's few pairs are picked before they are sorted.
_PICKED = (
    "exists (select 1 from tasks t where t.spotcheck = $5 "
    "and t.query_id = {0}.query_id and t.passage_id = {0}.passage_id)"
)

_VOTES = """
votes as (
    select query_id, passage_id,
        count(*) filter (where grade = 'NO') as n, count(*) filter (where grade = 'PART') as p,
        count(*) filter (where grade = 'YES') as y,
        count(*) filter (where state = 'unsure') as u
    from (select distinct on (query_id, passage_id, annotator) * from label_events
        where blind is distinct from false and ($1::text is null or annotator = $1)
            and {labels_picked} order by query_id, passage_id, annotator, seq desc) as blind
    group by query_id, passage_id),
humans as (
    select v.query_id, v.passage_id, case
        when a.grade is not null then a.grade
        when v.y > v.n and v.y > v.p then 'YES' when v.p > v.n and v.p > v.y then 'PART'
        when v.n > v.p and v.n > v.y then 'NO' end as human,
        case when v.n + v.p + v.y > 0 then 'unresolved' when v.u > 0 then 'unsure'
            else 'unlabelled' end as why
    from votes v left join current_adjudications a
        on $1::text is null and a.query_id = v.query_id and a.passage_id = v.passage_id)"""

_VERDICTS = """
judged as (
    select distinct on (query_id, passage_id) query_id, passage_id, grade, status, reason, judged_at
    from verdicts where judge = $2 and rubric = $3 and model = $4 and {verdicts_picked}
    order by query_id, passage_id, seq desc)"""

_COLUMNS = """
    h.human, coalesce(h.why, 'unlabelled') as why, j.grade as verdict, j.status,
    j.reason, j.judged_at"""

_ALL = {"labels_picked": "true", "verdicts_picked": "true"}
_TASKS = {
    "labels_picked": _PICKED.format("label_events"),
    "verdicts_picked": _PICKED.format("verdicts"),
}

_EVERY = f"""
create temp table compared as with {_VOTES.format(**_ALL)}, {_VERDICTS.format(**_ALL)}
select coalesce(h.query_id, j.query_id) as query_id,
    coalesce(h.passage_id, j.passage_id) as passage_id, '' as stratum, {_COLUMNS}
from humans h full outer join judged j
    on j.query_id = h.query_id and j.passage_id = h.passage_id"""

_CHECKED = f"""
create temp table compared as with {_VOTES.format(**_TASKS)}, {_VERDICTS.format(**_TASKS)}
select t.query_id, t.passage_id, t.stratum, {_COLUMNS}
from tasks t
left join humans h on h.query_id = t.query_id and h.passage_id = t.passage_id
left join judged j on j.query_id = t.query_id and j.passage_id = t.passage_id
where t.spotcheck = $5"""

_BOTH = "human is not null and verdict is not null"
_GAIN = "case {0} when 'NO' then 0 when 'PART' then 1 else 2 end::tinyint"

# The part of a site or of a folder tree that a passage is from: host and first path segment of a
# URI, first folder of a path.
_SECTION = (
    "case when p.source_uri like '%://%' "
    r"then rtrim(regexp_replace(p.source_uri, '^[^:]*://([^/?#]*/?[^/?#]*).*$', '\1'), '/') "
    r"else regexp_replace(p.source_uri, '^(\./)?(/?[^/?#]*).*$', '\2') end"
)

_SLICES = {
    "kind": "select coalesce(q.kind, '') as value, c.human, c.verdict from compared c "
    f"left join current_queries q on q.query_id = c.query_id where {_BOTH}",
    "verdict": f"select verdict as value, human, verdict from compared where {_BOTH}",
    "source": f"select coalesce({_SECTION}, '') as value, c.human, c.verdict from compared c "
    f"left join current_passages p on p.passage_id = c.passage_id where {_BOTH}",
    "annotator": "select l.annotator as value, l.grade as human, c.verdict from compared c "
    "join blind_labels l on l.query_id = c.query_id and l.passage_id = c.passage_id "
    "where l.grade is not null and c.verdict is not null "
    "and ($1::text is null or l.annotator = $1)",
}

SLICES = tuple(_SLICES)
"""What `Comparison.slices` can be asked for."""


class Comparison:
    """The pairs of one selection, within one transaction's view of the store."""

    def __init__(self, cursor: Cursor, selection: Selection) -> None:
        self._cursor = cursor
        self._selection = selection

    def arrays(self) -> Arrays:
        """The compared pairs, by query and passage."""
        found = self._cursor.execute(
            "select (dense_rank() over (order by query_id) - 1)::bigint as query, "
            f"{_GAIN.format('human')} as human, {_GAIN.format('verdict')} as judge, stratum "
            f"from compared where {_BOTH} order by query_id, passage_id"
        ).fetchnumpy()
        return Arrays(found["query"], found["human"], found["judge"], found["stratum"])

    def missing(self) -> Missing:
        """How many pairs are not compared, and why."""
        (row,) = self._cursor.execute(
            "select count(*) filter (where human is null and why = 'unlabelled'), "
            "count(*) filter (where human is not null and status is null), "
            "count(*) filter (where human is not null and status = 'unreadable'), "
            "count(*) filter (where human is null and why = 'unsure'), "
            "count(*) filter (where human is null and why = 'unresolved') from compared"
        ).fetchall()
        return Missing(*row)

    def strata(self) -> list[Stratum]:
        """The spot check's strata, NO before PART before YES; none without a spot check."""
        rows = self._cursor.execute(
            "select s.stratum, s.size, count(c.query_id), "
            "count(c.query_id) filter (where c.human <> c.verdict) from strata s "
            f"left join (select * from compared where {_BOTH}) c on c.stratum = s.stratum "
            "where s.spotcheck = $1 group by s.stratum, s.size order by s.stratum",
            [self._selection.spotcheck],
        ).fetchall()
        return [Stratum(*row) for row in rows]

    def slices(self, name: str) -> list[Part]:
        """The compared pairs by one of SLICES; by annotator each person's own blind label
        counts.
        """
        rows = self._cursor.execute(
            "select value, count(*), count(*) filter (where human <> verdict) "
            f"from ({_SLICES[name]}) as sliced group by value order by 2 desc, 1",
            [self._selection.annotator] if name == "annotator" else [],
        ).fetchall()
        return [Part(*row) for row in rows]

    def cases(
        self, *, human: Grade | None = None, judge: Grade | None = None
    ) -> list[Disagreement]:
        """The disagreements, or the pairs of one cell (or row, or column) of the confusion matrix;
        worst first.
        """
        cell = "($1::text is null or human = $1) and ($2::text is null or verdict = $2)"
        if human is None and judge is None:
            cell += " and human <> verdict"
        rows = self._cursor.execute(
            "select c.query_id, c.passage_id, coalesce(q.text, ''), coalesce(p.text, ''), "
            "coalesce(q.kind, ''), coalesce(p.source_uri, ''), c.human, c.verdict, c.reason, "
            "coalesce(l.notes, ''), coalesce(l.people, ''), c.judged_at, a.grade is not null "
            f"from (select * from compared where {_BOTH} and {cell}) c "
            "left join current_queries q on q.query_id = c.query_id "
            "left join current_passages p on p.passage_id = c.passage_id "
            "left join current_adjudications a "
            "on a.query_id = c.query_id and a.passage_id = c.passage_id "
            "left join (select query_id, passage_id, "
            "string_agg(annotator, ', ' order by annotator) as people, "
            "string_agg(nullif(note, ''), ' / ' order by annotator) as notes "
            "from blind_labels where state = 'labelled' and ($3::text is null or annotator = $3) "
            "group by query_id, passage_id) l "
            "on l.query_id = c.query_id and l.passage_id = c.passage_id "
            f"order by abs({_GAIN.format('c.human')} - {_GAIN.format('c.verdict')}) desc, "
            "c.query_id, c.passage_id",
            [human, judge, self._selection.annotator],
        ).fetchall()
        return [Disagreement(*(*row[:6], Grade(row[6]), Grade(row[7]), *row[8:])) for row in rows]


@contextmanager
def compared(store: Store, selection: Selection) -> Iterator[Comparison]:
    """The comparison of one judge with people, as the store stands now."""
    values = [selection.annotator, selection.judge, selection.rubric, selection.model]
    with store.read() as cursor:
        cursor.execute("begin")  # one view for the whole block
        try:
            if selection.spotcheck is None:
                cursor.execute(_EVERY, values)
            else:
                cursor.execute(_CHECKED, [*values, selection.spotcheck])
            yield Comparison(cursor, selection)
        finally:
            with suppress(duckdb.Error):  # a failed transaction may have ended already
                cursor.execute("rollback")


class Settled(NamedTuple):
    """A pair and what people say of it."""

    query_id: str
    passage_id: str
    grade: str


def settled(store: Store) -> Iterator[Settled]:
    """Every pair that people have graded, by query and passage: the adjudicated grade, else the
    majority of the blind labels; ties are left out."""
    sql = f"""with {_VOTES.format(**_ALL)} select query_id, passage_id, human from humans
        where human is not null order by query_id, passage_id"""
    for rows in store.batches(sql, [None]):
        yield from (Settled(*row) for row in rows)
