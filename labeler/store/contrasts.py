"""Two judges side by side on the pairs that people and both of them have judged."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from labeler.model import GRADES, Grade
from labeler.store.comparison import Comparison, Selection, Stratum, compared
from labeler.store.comparison_sql import BOTH, SECTION
from labeler.store.db import Store


class Beside(NamedTuple):
    """A pair with its label and the verdicts of two judges, and what it belongs to."""

    query_id: str
    passage_id: str
    need_id: str
    kind: str
    source: str
    stratum: str
    human: Grade
    first: Grade
    second: Grade
    first_reason: str
    second_reason: str

    @property
    def pair(self) -> tuple[str, str]:
        """Its query's and its passage's id."""
        return self.query_id, self.passage_id


class Contrast(NamedTuple):
    """The pairs by query and passage. `examples` are the pairs left out because a rubric shows them
    to its judge; `strata` are the spot check's, empty without one."""

    pairs: list[Beside]
    examples: frozenset[tuple[str, str]]
    strata: list[Stratum]


_PAIRS = f"""
select c.query_id, c.passage_id, coalesce(nullif(q.need_id, ''), c.query_id),
    coalesce(q.kind, ''), coalesce({SECTION}, ''), c.stratum, c.human, c.verdict, v.reason
from (select * from compared where {BOTH}) c join verdicts v on v.seq = c.judged
left join current_queries q on q.query_id = c.query_id
left join current_passages p on p.passage_id = c.passage_id
order by c.query_id, c.passage_id"""


def contrast(store: Store, first: Selection, second: Selection) -> Contrast:
    """The pairs with a label and a readable verdict of both. An example of either rubric counts
    for neither."""
    with compared(store, first) as one:
        before = {(row[0], row[1]): (GRADES[row[7]], row[8]) for row in one.rows(_PAIRS)}
        shown = {(pair.query_id, pair.passage_id) for pair in one.examples}
    with compared(store, second) as other:
        rows = other.rows(_PAIRS)
        strata = other.strata()
        shown |= {(pair.query_id, pair.passage_id) for pair in other.examples}
    pairs = []
    for row in rows:
        if (row[0], row[1]) in before:
            grade, reason = before[row[0], row[1]]
            said = (GRADES[row[6]], grade, GRADES[row[7]], reason, row[8])
            pairs.append(Beside(row[0], row[1], row[2], row[3], row[4], row[5], *said))
    return Contrast(pairs, frozenset(shown), strata)


def labelled_before(found: Comparison, moment: datetime) -> int:
    """How many of the compared pairs had a label by a moment."""
    rows = found.rows(
        f"select count(*) from compared c where {BOTH} and exists (select 1 from label_events l "
        "where l.query_id = c.query_id and l.passage_id = c.passage_id "
        "and l.grade is not null and l.labelled_at < $1)",
        [moment],
    )
    return int(rows[0][0])
