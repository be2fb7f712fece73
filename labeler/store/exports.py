"""What is exported, as Arrow batches: the columns of each file, under their names there.

A million rows come in a second; none are held that a file already has.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from labeler.model import GRADES
from labeler.store import comparison, evidence, runs
from labeler.store.db import Store
from labeler.store.goldens import Golden

Batches = Generator[Any]

# As the views `current_...`, by hashing the keys: those would sort all rows with all their texts.
_STANDING_LABELS = (
    "select * from label_events where seq in "
    "(select max(seq) from label_events group by query_id, passage_id, annotator)"
)
_STANDING_VERDICTS = (
    "select * from verdicts where seq in (select max(seq) from verdicts "
    "group by query_id, passage_id, judge, rubric, model)"
)
_STANDING_PASSAGES = (
    "select * from passages where seq in "
    "(select max(seq) from passages where not superseded group by passage_id)"
)
_GAIN = f"case grade {' '.join(f'when {grade.value!r} then {grade.gain}' for grade in GRADES)} end"


def labels(store: Store) -> Batches:
    """What stands now: a row a pair and person, in the order in which they were last changed."""
    return store.arrow(
        "select query_id, passage_id, annotator, grade, state, labelled_at, blind, spotcheck, note "
        f"from ({_STANDING_LABELS}) as s where state <> 'open' order by seq"
    )


def label_history(store: Store) -> Batches:
    """Every event, oldest first, under the names of `labels.HISTORY`."""
    return store.arrow(
        "select cast(event as text) as event, query_id, passage_id, annotator, action, grade, "
        "state, note, spotcheck, blind, client_at, labelled_at from label_events order by seq"
    )


def verdicts(store: Store) -> Batches:
    """The verdicts that stand, of all judges, by query and passage."""
    return store.arrow(
        "select query_id, passage_id, judge, rubric, model, grade, status, reason, judged_at, cost "
        f"from ({_STANDING_VERDICTS}) as s order by query_id, passage_id, judge, rubric, model"
    )


PAIR = ("query_id", "passage_id", "query", "passage", "labels", "verdicts")
"""The columns of `pairs`."""


def pairs(store: Store) -> Batches:
    """All pairs that have a label or a verdict, with texts, as `name=GRADE` lists."""
    return store.arrow(f"""
    with {_listed("l", _SAID_BY_PEOPLE, order="annotator")},
        {_listed("j", _SAID_BY_JUDGES, order="judge, rubric, model")}
    select coalesce(l.query_id, j.query_id) as query_id,
        coalesce(l.passage_id, j.passage_id) as passage_id,
        coalesce(q.text, '') as query, coalesce(p.text, w.text, '') as passage,
        coalesce(l.list, '') as labels, coalesce(j.list, '') as verdicts
    from l full outer join j on j.query_id = l.query_id and j.passage_id = l.passage_id
    left join current_queries q on q.query_id = coalesce(l.query_id, j.query_id)
    left join ({_STANDING_PASSAGES}) p on p.passage_id = coalesce(l.passage_id, j.passage_id)
    left join (select distinct answer_id, text from answers) w
        on w.answer_id = coalesce(l.passage_id, j.passage_id)
    order by 1, 2""")


_SAID_BY_PEOPLE = (
    "select query_id, passage_id, annotator, annotator || '=' || coalesce(grade, state) as said "
    f"from ({_STANDING_LABELS}) as s where state <> 'open'"
)
_SAID_BY_JUDGES = (
    "select query_id, passage_id, judge, rubric, model, judge || case when rubric = '' then '' "
    "else ' ' || rubric end || case when model = '' then '' else ' ' || model end || '=' || "
    f"coalesce(grade, status) as said from ({_STANDING_VERDICTS}) as s"
)


def _listed(name: str, said: str, *, order: str) -> str:
    """What was `said` of each pair as a list, under `name`. An aggregate with an order takes five
    times one without: only pairs of which several things were said go through it."""
    return f"""{name}_said as ({said}),
        {name}_first as (select query_id, passage_id, min(said) as list, count(*) as n
            from {name}_said group by query_id, passage_id),
        {name}_several as (select query_id, passage_id, string_agg(said, '; ' order by {order})
            as list from {name}_said where (query_id, passage_id) in
            (select query_id, passage_id from {name}_first where n > 1)
            group by query_id, passage_id),
        {name} as (select f.query_id, f.passage_id, coalesce(s.list, f.list) as list
            from {name}_first f left join {name}_several s
            on s.query_id = f.query_id and s.passage_id = f.passage_id)"""


def passages(store: Store) -> Batches:
    """All current passages, in the order of their import."""
    return store.arrow(
        "select passage_id, text, title, source_uri, locator, scope, effective_from, effective_to "
        f"from ({_STANDING_PASSAGES}) as p order by seq"
    )


def run(store: Store, system: str) -> Batches:
    """The rows of a system's newest run, by query and rank. LabelerError where there is none."""
    runs.require(store, system)
    return store.arrow(
        "select x.query_id, x.passage_id, x.rank, x.score from run_rows x "
        "join current_runs r on r.run_id = x.run_id where r.system = $1 "
        "order by x.query_id, x.rank",
        [system],
    )


def golden(store: Store, golden: Golden) -> Batches:
    """The entries of a version, by query and passage."""
    return store.arrow(
        "select query_id, passage_id, grade, query, kind from golden_entries "
        "where name = $1 and version = $2 order by query_id, passage_id",
        [golden.name, golden.version],
    )


def golden_gains(store: Store, golden: Golden) -> Batches:
    """As `golden`, of what is expected alone: its gains, under `grade`."""
    return store.arrow(
        f"select query_id, passage_id, {_GAIN} as grade from golden_entries "
        "where name = $1 and version = $2 and grade is not null order by query_id, passage_id",
        [golden.name, golden.version],
    )


def settled_gains(store: Store) -> Batches:
    """What people say of each pair (see `comparison.settled`) as gains, under `grade`, without what
    is useful but cannot be expected of its query's caller."""
    is_barred = evidence.barring(store)
    for batch in comparison.settled_gains(store):
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        barred = [n for n, (q, p, gain) in enumerate(rows) if gain and is_barred(q, p)]
        yield _without(batch, barred) if barred else batch


def _without(batch: Any, rows: list[int]) -> Any:
    import pyarrow as pa

    left_out = set(rows)
    return batch.filter(pa.array([n not in left_out for n in range(len(batch))]))
