"""What people have settled: adjudicated grades, and grades on which all who gave one agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from labeler.model import Grade
from labeler.store.db import Store
from labeler.store.frozen import GRADE_OF


class Settled(NamedTuple):
    """A pair that people have looked at. `grade` is None where they differ or none could tell, and
    nobody has settled it; `origin` says whose grade it is."""

    query_id: str
    passage_id: str
    grade: Grade | None
    origin: str


def pairs(store: Store, *, answers: bool = False) -> Iterator[Settled]:
    """Every pair with a passage, or with an answer, that people have labelled blind or adjudicated,
    by query and passage. What a pair shares with the one before it is held once."""
    batches = store.batches(
        "select coalesce(a.query_id, l.query_id), coalesce(a.passage_id, l.passage_id), "
        "a.grade, a.reviewer, case when l.grades = 1 then l.grade end, l.people "
        "from current_adjudications a full outer join ("
        "select query_id, passage_id, count(distinct grade) as grades, min(grade) as grade, "
        "string_agg(annotator, ', ' order by annotator) filter (where grade is not null) as people "
        "from blind_labels where state in ('labelled', 'unsure') group by query_id, passage_id"
        ") l on l.query_id = a.query_id and l.passage_id = a.passage_id "
        f"where {'' if answers else 'not '}exists (select 1 from answers w "
        "where w.answer_id = coalesce(a.passage_id, l.passage_id)) order by 1, 2"
    )
    last = Settled("", "", None, "")
    for rows in batches:
        for query_id, passage_id, decided, reviewer, agreed, people in rows:
            origin = f"adjudicated by {reviewer}" if decided else f"labels of {people}"
            last = Settled(
                last.query_id if query_id == last.query_id else query_id,
                passage_id,
                GRADE_OF[decided or agreed],
                last.origin if origin == last.origin else origin,
            )
            yield last
