"""The queue of the reviewers: pairs on which people differ, of which nobody could tell, or on which
people and a judge differ, and which nobody has settled.

How many there are of each kind is kept by query; a pair itself is read when it is shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from labeler.store import by_query
from labeler.store.db import Store


class Difference(NamedTuple):
    """A pair to settle. `between` is "people" (their blind grades differ), "judge" (a blind grade
    and the verdict differ) or "unsure" (nobody who looked could tell).
    """

    query_id: str
    passage_id: str
    between: str


class _Kind(NamedTuple):
    """A difference: between whom, and how far apart the gains are."""

    between: str
    distance: int


_KINDS = (
    _Kind("people", 2),
    _Kind("people", 1),
    _Kind("unsure", 0),
    _Kind("judge", 2),
    _Kind("judge", 1),
)
"""In the order of the queue."""

_Tally = tuple[int, ...]
"""A query's differences of each of _KINDS."""

LABELLED_AGAIN = """
again as (
    select query_id, passage_id, annotator, max(seq) as seq from label_events
    where blind is distinct from false {only}
    group by query_id, passage_id, annotator having count(*) > 1)"""
"""The newest event where a person has said something blind of a pair more than once, of the queries
that {only} lets through. That is mostly little: to drop what it supersedes is quicker than to look
for what is newest among all."""

# One row a pair that people have looked at blind and nobody has settled: how many grades they gave,
# and whether one differs from the verdict of the judge that is asked about.
_FOUND = (
    f"with {LABELLED_AGAIN},"
    """
judged_again as (
    select query_id, passage_id, max(seq) as seq from verdicts
    where judge = $1 and rubric = $2 and model = $3 {only}
    group by query_id, passage_id having count(*) > 1),
voices as (
    select query_id, passage_id, case when min(grade) = max(grade) then 1 else count(grade) end
        as grades, min(grade) as low, max(grade) as high,
        count(*) filter (where state = 'unsure') as unsure
    from label_events e left join again a using (query_id, passage_id, annotator)
    where blind is distinct from false {only} and (a.seq is null or e.seq = a.seq)
    and state in ('labelled', 'unsure') group by query_id, passage_id),
judged as (
    select query_id, passage_id, grade
    from verdicts v left join judged_again a using (query_id, passage_id)
    where judge = $1 and rubric = $2 and model = $3 {only} and (a.seq is null or v.seq = a.seq)),
found as (
    select v.query_id, v.passage_id, case
        when v.grades > 1 then 'people'
        when v.grades = 0 and v.unsure > 0 then 'unsure'
        when v.low <> j.grade then 'judge' end as differ,
        case when v.grades > 1 then abs({high} - {low}) when v.grades = 1 then abs({low} - {judge})
        else 0 end as distance
    from voices v left join judged j on j.query_id = v.query_id and j.passage_id = v.passage_id
    where not exists (select 1 from adjudications a
        where a.query_id = v.query_id and a.passage_id = v.passage_id))
"""
)
_GAIN = "(case {0} when 'NO' then 0 when 'PART' then 1 when 'YES' then 2 end)"


def _found(only: str) -> str:
    """The pairs of all queries, or those that `only` lets through."""
    gains = {"high": "v.high", "low": "v.low", "judge": "j.grade"}
    return _FOUND.format(only=only, **{name: _GAIN.format(of) for name, of in gains.items()})


_EVERY = _found("")
_SOME = _found("and query_id = any($4)")
_COUNTS = ", ".join(
    f"count(*) filter (where differ = '{kind.between}' and distance = {kind.distance})"
    for kind in _KINDS
)
_TALLIES = f"select query_id, {_COUNTS} from found where differ is not null group by query_id"
_NTH = (
    "select query_id, passage_id, differ from found where differ = $5 and distance = $6 "
    "order by passage_id limit 1 offset $7"
)


@dataclass(frozen=True)
class Queue:
    """The pairs to settle as they are at a moment: those on which people differ first, then those
    of which nobody could tell, then those on which they and the judge do; of each the widest apart
    first, then by query and passage."""

    store: Store
    judge: tuple[str, str, str]
    tallies: Mapping[str, _Tally]

    @cached_property
    def kinds(self) -> _Tally:
        """How many there are of each kind, in the order of the queue."""
        return tuple(map(sum, zip(*self.tallies.values(), strict=True))) or (0,) * len(_KINDS)

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.kinds)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are between whom."""
        found: dict[str, int] = {}
        for kind, many in zip(_KINDS, self.kinds, strict=True):
            found[kind.between] = found.get(kind.between, 0) + many
        return found

    def at(self, place: int) -> Difference | None:
        """The pair at a place, from 0; None where there is none, or where it was settled since."""
        ends = list(accumulate(self.kinds))
        at = bisect_right(ends, place)
        if at == len(ends):
            return None
        place -= ends[at] - self.kinds[at]
        asked = sorted(self.tallies)
        after = list(accumulate(self.tallies[query_id][at] for query_id in asked))
        which = bisect_right(after, place)
        place -= after[which - 1] if which else 0
        row = self.store.row(_SOME + _NTH, [*self.judge, [asked[which]], *_KINDS[at], place])
        return Difference(*row) if row else None


def queue(store: Store, *, judge: str = "", rubric: str = "", model: str = "") -> Queue:
    """The pairs that nobody has settled."""
    of = (judge, rubric, model)
    tallies = by_query.of(
        store,
        ("differences", *of),
        lambda store, only: _tallied(store, of, only),
        touching=("label_events", "verdicts", "adjudications"),
        whole=(),
    )
    return Queue(store, of, tallies)


def _tallied(store: Store, of: tuple[str, str, str], only: list[str] | None) -> dict[str, _Tally]:
    if only is None:
        rows = store.rows(_EVERY + _TALLIES, of)
    else:
        rows = store.rows(_SOME + _TALLIES, [*of, only])
    shared: dict[_Tally, _Tally] = {}  # most queries have one of a few
    return {row[0]: shared.setdefault(row[1:], row[1:]) for row in rows}
