"""The statements of a comparison: one pass over labels and verdicts makes the table `pairs`, what
is read of it stands in `compared`, and `counted` says how many there are of each kind.

Texts cost most at a million pairs, so they are hashed once: an event's number and what it says are
one integer, of which `max` finds the newest and what it says at once. Only where a pair has several
labels they are told apart by who gave them, in the table `several`.
"""

from __future__ import annotations

from labeler.model import Grade

_PICKED = (
    "exists (select 1 from tasks t where t.spotcheck = $5 "
    "and t.query_id = {0}.query_id and t.passage_id = {0}.passage_id)"
)

_GAIN = "case {0}grade when 'NO' then 0 when 'PART' then 1 when 'YES' then 2 end"

_NAME = "case {0} when 0 then 'NO' when 1 then 'PART' else 'YES' end"

_LABEL = f"(seq << 3) + case when state = 'unsure' then 3 else coalesce({_GAIN.format('')}, 4) end"
"""A label's number, and in its last three bits its gain, 3 for unsure or 4 for neither."""

_VERDICT = f"(seq << 3) + coalesce({_GAIN.format('')}, 3)"
"""A verdict's number, and in its last three bits its gain, or 3 for unreadable."""

_PAIRS = f"""
create temp table pairs as
with said as (
    select query_id, passage_id, annotator, {_LABEL} as label, null::bigint as verdict
    from label_events
    where blind is distinct from false and ($1::text is null or annotator = $1) and {{}}
    union all
    select query_id, passage_id, null, null, {_VERDICT} from verdicts
    where judge = $2 and rubric = $3 and model = $4 and {{}}),
both_said as (
    select query_id, passage_id, count(label) as times, min(annotator) as person,
        max(label) as label, max(verdict) as verdict
    from said group by query_id, passage_id)"""

_EVERY = "select '' as stratum, 0 as position, s.* from both_said s"

_CHECKED = """
select t.query_id, t.passage_id, t.stratum, t.position, s.times, s.person, s.label, s.verdict
from tasks t left join both_said s on s.query_id = t.query_id and s.passage_id = t.passage_id
where t.spotcheck = $5"""

SEVERAL = f"""
create temp table several as
select query_id, passage_id, annotator as person, max({_LABEL}) & 7 as label from label_events e
where blind is distinct from false and ($1::text is null or annotator = $1) and exists (
    select 1 from pairs p
    where p.times > 1 and p.query_id = e.query_id and p.passage_id = e.passage_id)
group by query_id, passage_id, annotator"""
"""What each person says of the pairs that have several labels, of $1 alone unless it is null."""

_COMPARED = """
create temp table compared as
with votes as (
    select query_id, passage_id, count(*) filter (where label = 0) as n,
        count(*) filter (where label = 1) as p, count(*) filter (where label = 2) as y,
        count(*) filter (where label = 3) as u
    from several group by query_id, passage_id),
one as (
    select query_id, passage_id, stratum, position, verdict >> 3 as judged, verdict & 7 as verdict,
        label & 7 as label, case when times = 1 then person end as person
    from pairs),
heard as (
    select o.*, case
            when a.grade is not null then {gain}
            when not {voted} then null
            when person is not null then case when label < 3 then label end
            when v.y > v.n and v.y > v.p then 2 when v.p > v.n and v.p > v.y then 1
            when v.n > v.p and v.n > v.y then 0 end as human,
        {voted} and v.n + v.p + v.y > 0 as tied, v.u > 0 or label = 3 as unsure
    from one o left join votes v on v.query_id = o.query_id and v.passage_id = o.passage_id
    left join current_adjudications a on {settled} and label is not null
        and a.query_id = o.query_id and a.passage_id = o.passage_id)
select query_id, passage_id, stratum, position, human, judged, person, label,
    case when verdict < 3 then verdict end as verdict, case
        when human is null then case when tied then 'unresolved' when unsure then 'unsure'
            else 'unlabelled' end
        when verdict is null then 'unjudged' when verdict = 3 then 'unreadable' end as lacking
from heard"""


def about(table: str, *, answers: bool) -> str:
    """The condition that a row of `table` is on an answer, or that it is on a passage."""
    return f"{table}.passage_id {'in' if answers else 'not in'} (select answer_id from answers)"


READINGS = {
    "both": {"settled": "true", "voted": "true"},
    "blind": {"settled": "false", "voted": "true"},
    "adjudicated": {"settled": "true", "voted": "false"},
}
"""What counts as a pair's label: "both" the adjudicated grade, else the majority of blind labels;
"blind" the majority alone, as if nothing had been settled; "adjudicated" settled pairs alone."""

BOTH = "lacking is null"
"""What makes a row of `compared`, or of `counted`, one of compared pairs. Their grades are gains,
`human` and `verdict`."""

COUNTED = """
create temp table counted as
select query_id, stratum, 0 as position, human, verdict, lacking, count(*) as n
from compared group by query_id, stratum, human, verdict, lacking"""
"""How many pairs a query has of each kind."""

SECTION = (
    "case when p.source_uri like '%://%' "
    r"then rtrim(regexp_replace(p.source_uri, '^[^:]*://([^/?#]*/?[^/?#]*).*$', '\1'), '/') "
    r"else regexp_replace(p.source_uri, '^(\./)?(/?[^/?#]*).*$', '\2') end"
)
"""The part of a site or of a folder tree that a passage p is from: host and first path segment of a
URI, first folder of a path."""

CORPORA = "select count(distinct corpus) from passages where not superseded"

_ALONE = "not superseded"
"""What makes a row of `passages` the one that stands: within one corpus an id stands once."""

_NEWEST = (
    "seq in (select max(seq) from passages where not superseded and passage_id in "
    "(select passage_id from compared) group by passage_id)"
)
"""The same among several corpora."""

SLICED = {
    "kind": "select coalesce(q.kind, '') as value, c.stratum, c.human, c.verdict, c.n "
    f"from {{counted}} c left join current_queries q on q.query_id = c.query_id where {BOTH}",
    "verdict": f"select {_NAME.format('verdict')} as value, stratum, human, verdict, n "
    f"from {{counted}} c where {BOTH}",
    "source": f"select coalesce({SECTION}, '') as value, p.stratum, p.human, p.verdict, p.n from "
    "(select u.source_uri, c.stratum, c.human, c.verdict, count(*) as n from compared c "
    "left join (select passage_id, source_uri from passages where source_uri <> '' and {newest}) u "
    f"on u.passage_id = c.passage_id where {BOTH} "
    "group by u.source_uri, c.stratum, c.human, c.verdict) p",
    "annotator": "select person as value, stratum, label as human, verdict, 1 as n from compared "
    "where person is not null and label < 3 and verdict is not null union all "
    "select l.person, c.stratum, l.label, c.verdict, 1 from several l join compared c "
    "on c.query_id = l.query_id and c.passage_id = l.passage_id "
    "where l.label < 3 and c.verdict is not null",
}
"""The compared pairs in the slices of each name, with the slice's value; `n` of a kind are one row.
By annotator, each person's own label counts."""

_WORST = "order by abs(c.human - c.verdict) desc, c.query_id, c.passage_id"

# The pairs are picked before anything is read of their texts.
_CASES = """
with c as (select c.* from compared c where {cell} {order} {first}),
p as (select passage_id, text, source_uri from passages where seq in (select max(seq) from passages
    where not superseded and passage_id in (select passage_id from c) group by passage_id)),
l as (select query_id, passage_id, string_agg(annotator, ', ' order by annotator) as people,
    string_agg(nullif(note, ''), ' / ' order by annotator) as notes
    from label_events where state = 'labelled' and seq in (select max(seq) from label_events e
        where blind is distinct from false and ($4::text is null or annotator = $4)
        and exists (select 1 from c
            where c.query_id = e.query_id and c.passage_id = e.passage_id)
        group by query_id, passage_id, annotator)
    group by query_id, passage_id)
select c.query_id, c.passage_id, coalesce(q.text, ''), coalesce(p.text, w.text, ''),
    coalesce(q.kind, ''),
    coalesce(p.source_uri, ''), c.human, c.verdict, j.reason, coalesce(l.notes, ''),
    coalesce(l.people, ''), j.judged_at, a.grade is not null and {settled}
from c join verdicts j on j.seq = c.judged
left join current_queries q on q.query_id = c.query_id
left join p on p.passage_id = c.passage_id
left join (select distinct answer_id, text from answers) w on w.answer_id = c.passage_id
left join current_adjudications a on a.query_id = c.query_id and a.passage_id = c.passage_id
left join l on l.query_id = c.query_id and l.passage_id = c.passage_id {order}"""


def pairs(spotcheck: str | None, *, answers: bool = False) -> str:
    """What makes the table `pairs`: $1 the annotator or null, $2 to $4 judge, rubric and model, $5
    the spot check, where there is one; without one pairs with passages, or with `answers`."""
    tables = ("label_events", "verdicts")
    if spotcheck is not None:
        return _PAIRS.format(*map(_PICKED.format, tables)) + _CHECKED
    return _PAIRS.format(*(about(table, answers=answers) for table in tables)) + _EVERY


def compared(*, labels: str, alone: bool) -> str:
    """What makes the table `compared`, by one of READINGS; `alone`: what one annotator says."""
    return _COMPARED.format(**_read(labels, alone=alone), gain=_GAIN.format("a."))


def _read(labels: str, *, alone: bool) -> dict[str, str]:
    """What one of READINGS counts; of what one annotator says nothing is settled."""
    return READINGS[labels] | ({"settled": "false"} if alone else {})


def sliced(name: str, *, counted: str, corpora: int) -> str:
    """The compared pairs in the slices of a name, from what is `counted`; there are so many
    corpora."""
    return SLICED[name].format(counted=counted, newest=_NEWEST if corpora > 1 else _ALONE)


def cases(
    human: Grade | None, judge: Grade | None, *, limit: int | None, labels: str, alone: bool
) -> str:
    """The cases of a cell, the gains $1 and $2, but those of the queries $3; the worst first. $4 is
    the annotator or null. `labels` and `alone` are those of `compared`."""
    return _CASES.format(
        cell=f"{cell(human, judge)} and query_id <> all($3::text[])",
        order=_WORST,
        first="" if limit is None else f"limit {limit:d}",
        settled=_read(labels, alone=alone)["settled"],
    )


def cell(human: Grade | None, judge: Grade | None) -> str:
    """The condition for the cases of a cell, whose gains are $1 and $2; of none, what differs."""
    cell = "($1::int is null or human = $1) and ($2::int is null or verdict = $2)"
    differs = " and human <> verdict" if human is None and judge is None else ""
    return f"{BOTH} and {cell}{differs}"
