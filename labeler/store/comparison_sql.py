"""The statements of a comparison, which makes two temporary tables, `blind` and `compared`.

What is newest is found by its number (`seq in (select max(seq) ...)`), which hashes the keys where
`distinct on` would sort all rows: twice as quick at a million. The tables beneath the views are
read, so that a spot check's few pairs are picked first.
"""

from __future__ import annotations

from collections.abc import Mapping

from labeler.model import Grade

_PICKED = (
    "exists (select 1 from tasks t where t.spotcheck = ${1} "
    "and t.query_id = {0}.query_id and t.passage_id = {0}.passage_id)"
)

_BLIND = """
select query_id, passage_id, annotator, grade, state, note from label_events
where seq in (select max(seq) from label_events
    where blind is distinct from false and ($1::text is null or annotator = $1) and {labels_picked}
    group by query_id, passage_id, annotator)"""

_VOTES = """
votes as (
    select query_id, passage_id,
        count(*) filter (where grade = 'NO') as n, count(*) filter (where grade = 'PART') as p,
        count(*) filter (where grade = 'YES') as y,
        count(*) filter (where state = 'unsure') as u
    from blind group by query_id, passage_id),
humans as (
    select v.query_id, v.passage_id, case
        when a.grade is not null then a.grade when not {voted} then null
        when v.y > v.n and v.y > v.p then 'YES' when v.p > v.n and v.p > v.y then 'PART'
        when v.n > v.p and v.n > v.y then 'NO' end as human,
        case when v.n + v.p + v.y > 0 and {voted} then 'unresolved' when v.u > 0 then 'unsure'
            else 'unlabelled' end as why
    from votes v left join current_adjudications a
        on $1::text is null and {settled}
        and a.query_id = v.query_id and a.passage_id = v.passage_id)"""

_VERDICTS = """
judged as (
    select query_id, passage_id, grade, status, reason, judged_at from verdicts
    where seq in (select max(seq) from verdicts
        where judge = $2 and rubric = $3 and model = $4 and {verdicts_picked}
        group by query_id, passage_id))"""

_COLUMNS = """
    h.human, coalesce(h.why, 'unlabelled') as why, j.grade as verdict, j.status,
    j.reason, j.judged_at"""


def about(table: str, *, answers: bool) -> str:
    """The condition that a row of `table` is on an answer, or that it is on a passage."""
    return f"{table}.passage_id {'in' if answers else 'not in'} (select answer_id from answers)"


_IN_TASKS = {
    "labels_picked": _PICKED.format("label_events", 2),
    "verdicts_picked": _PICKED.format("verdicts", 5),
}

READINGS = {
    "both": {"settled": "true", "voted": "true"},
    "blind": {"settled": "false", "voted": "true"},
    "adjudicated": {"settled": "true", "voted": "false"},
}
"""What counts as a pair's label: "both" the adjudicated grade, else the majority of blind labels;
"blind" the majority alone, as if nothing had been settled; "adjudicated" settled pairs alone."""

_EVERY = """
create temp table compared as with {votes}, {verdicts}
select coalesce(h.query_id, j.query_id) as query_id,
    coalesce(h.passage_id, j.passage_id) as passage_id, '' as stratum, {columns}
from humans h full outer join judged j
    on j.query_id = h.query_id and j.passage_id = h.passage_id"""

_CHECKED = """
create temp table compared as with {votes}, {verdicts}
select t.query_id, t.passage_id, t.stratum, {columns}
from tasks t
left join humans h on h.query_id = t.query_id and h.passage_id = t.passage_id
left join judged j on j.query_id = t.query_id and j.passage_id = t.passage_id
where t.spotcheck = $5"""

BOTH = "human is not null and verdict is not null"
"""What makes a row of `compared` a compared pair."""

GAIN = "case {0} when 'NO' then 0 when 'PART' then 1 else 2 end::tinyint"
"""The gain of the grade in column {0}."""

SECTION = (
    "case when p.source_uri like '%://%' "
    r"then rtrim(regexp_replace(p.source_uri, '^[^:]*://([^/?#]*/?[^/?#]*).*$', '\1'), '/') "
    r"else regexp_replace(p.source_uri, '^(\./)?(/?[^/?#]*).*$', '\2') end"
)
"""The part of a site or of a folder tree that a passage p is from: host and first path segment of a
URI, first folder of a path."""

SLICED = {
    "kind": "select coalesce(q.kind, '') as value, c.stratum, c.human, c.verdict from compared c "
    f"left join current_queries q on q.query_id = c.query_id where {BOTH}",
    "verdict": f"select verdict as value, stratum, human, verdict from compared where {BOTH}",
    "source": "select coalesce(s.section, '') as value, c.stratum, c.human, c.verdict "
    f"from compared c left join (select passage_id, {SECTION} as section from passages p "
    "where seq in (select max(seq) from passages where not superseded and passage_id in "
    "(select passage_id from compared) group by passage_id)) s on s.passage_id = c.passage_id "
    f"where {BOTH}",
    "annotator": "select l.annotator as value, c.stratum, l.grade as human, c.verdict "
    "from compared c "
    "join blind l on l.query_id = c.query_id and l.passage_id = c.passage_id "
    "where l.grade is not null and c.verdict is not null",
}
"""The compared pairs in the slices of each name, with the slice's value."""

_WORST = (
    f"order by abs({GAIN.format('c.human')} - {GAIN.format('c.verdict')}) desc, "
    "c.query_id, c.passage_id"
)

# The pairs are picked before anything is read of their texts.
_CASES = """
with c as (select c.* from compared c where {cell} {order} {first}),
p as (select passage_id, text, source_uri from passages where seq in (select max(seq) from passages
    where not superseded and passage_id in (select passage_id from c) group by passage_id)),
l as (select query_id, passage_id, string_agg(annotator, ', ' order by annotator) as people,
    string_agg(nullif(note, ''), ' / ' order by annotator) as notes
    from blind b where state = 'labelled' and exists (select 1 from c
        where c.query_id = b.query_id and c.passage_id = b.passage_id)
    group by query_id, passage_id)
select c.query_id, c.passage_id, coalesce(q.text, ''), coalesce(p.text, w.text, ''),
    coalesce(q.kind, ''),
    coalesce(p.source_uri, ''), c.human, c.verdict, c.reason, coalesce(l.notes, ''),
    coalesce(l.people, ''), c.judged_at, a.grade is not null and {settled}
from c left join current_queries q on q.query_id = c.query_id
left join p on p.passage_id = c.passage_id
left join (select distinct answer_id, text from answers) w on w.answer_id = c.passage_id
left join current_adjudications a on a.query_id = c.query_id and a.passage_id = c.passage_id
left join l on l.query_id = c.query_id and l.passage_id = c.passage_id {order}"""


def blind(spotcheck: str | None, *, answers: bool = False) -> str:
    """The newest blind event of each person and pair: $1 the annotator or null, $2 the spot check,
    where there is one; without one those on passages, or on `answers`."""
    return _BLIND.format(**_picked(spotcheck, answers))


def compared(spotcheck: str | None, *, labels: str, answers: bool = False) -> str:
    """What makes the table `compared`, by one of READINGS: $1 the annotator or null, $2 to $4
    judge, rubric and model, $5 the spot check, where there is one. `answers` as for `blind`."""
    table = _EVERY if spotcheck is None else _CHECKED
    picked = _picked(spotcheck, answers)
    return table.format(
        votes=_VOTES.format(**READINGS[labels]),
        verdicts=_VERDICTS.format(**picked),
        columns=_COLUMNS,
    )


def settled(*, answers: bool = False) -> str:
    """Every passage, or every answer, that people have graded; $1 is null."""
    votes = _VOTES.format(**READINGS["both"])
    return (
        f"with blind as ({blind(None, answers=answers)}), {votes} "
        "select query_id, passage_id, human from humans "
        "where human is not null order by query_id, passage_id"
    )


def cases(human: Grade | None, judge: Grade | None, *, limit: int | None, labels: str) -> str:
    """The cases of a cell, $1 and $2, but those of the queries $3; the worst first."""
    return _CASES.format(
        cell=f"{cell(human, judge)} and query_id <> all($3::text[])",
        order=_WORST,
        first="" if limit is None else f"limit {limit:d}",
        settled=READINGS[labels]["settled"],
    )


def _picked(spotcheck: str | None, answers: bool) -> Mapping[str, str]:
    if spotcheck is not None:
        return _IN_TASKS
    return {
        "labels_picked": about("label_events", answers=answers),
        "verdicts_picked": about("verdicts", answers=answers),
    }


def cell(human: Grade | None, judge: Grade | None) -> str:
    """The condition for the cases of a cell, whose grades are $1 and $2; of none, what differs."""
    cell = "($1::text is null or human = $1) and ($2::text is null or verdict = $2)"
    differs = " and human <> verdict" if human is None and judge is None else ""
    return f"{BOTH} and {cell}{differs}"
