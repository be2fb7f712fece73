"""The pool of several runs, and what is known of each of its pairs: what a golden set grades, what
people have settled, what a judge alone has graded, and what nobody has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeler.model import GRADES, Grade, Query
from labeler.reports.basis import Basis, Ranked
from labeler.stats.measures import Golden
from labeler.store import settled, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store

Key = tuple[str, str]
"""A query's and a passage's id."""


class Found(NamedTuple):
    """A system that has a passage in its top `depth`, and the best rank there."""

    system: str
    rank: int


class Proposal(NamedTuple):
    """A pair for the next version: its grade, which runs found it (best rank first), and `why`:
    whose labels settle it, or the judge's reason."""

    query: Query
    passage_id: str
    grade: Grade
    found: tuple[Found, ...]
    why: str

    @property
    def key(self) -> Key:
        """Its query's and its passage's id."""
        return self.query.query_id, self.passage_id


class Counts(NamedTuple):
    """What is known of the pooled pairs, each counted once. `graded` are in the golden set already;
    `barred` can never be expected: out of the caller's scope, or not in force; `labelled` and
    `judged` count what people settled, and what a judge alone has graded, by grade; people have
    looked at `unsettled` ones and not settled them; `unjudged` nobody has graded."""

    graded: int
    barred: int
    labelled: Mapping[Grade, int]
    unsettled: int
    judged: Mapping[Grade, int]
    unjudged: int

    @property
    def pooled(self) -> int:
        """All of them."""
        known = sum(self.labelled.values()) + sum(self.judged.values())
        return self.graded + self.barred + known + self.unsettled + self.unjudged


def pooled(basis: Basis, ranked: Sequence[Ranked], *, depth: int) -> dict[Key, list[Found]]:
    """The union of the runs' top `depth` for the basis's queries, with who found each pair where,
    the best rank first. A repeat counts by its best rank."""
    pool: dict[Key, list[Found]] = {}
    for one in ranked:
        for query_id in basis.golden:
            top = one.run.get(query_id, ())[:depth]
            for rank, passage_id in enumerate(top, start=1):
                places = pool.setdefault((query_id, passage_id), [])
                if not any(place.system == one.system for place in places):
                    places.append(Found(one.system, rank))
    for places in pool.values():
        places.sort(key=lambda place: place.rank)
    return pool


class Sorted(NamedTuple):
    """The pool sorted: all settled `labels` that the set lacks, and what is proposed."""

    counts: Counts
    labels: dict[Key, Grade]
    people: list[Proposal]
    judge: list[Proposal]


def sort(
    store: Store,
    basis: Basis,
    pool: Mapping[Key, Sequence[Found]],
    *,
    judged: Selection | None,
) -> Sorted:
    """What people and the judge say of each pooled pair. What people looked at is theirs: a verdict
    on it says nothing here."""
    said = {(one.query_id, one.passage_id): one for one in settled.pairs(store)}
    graded = _verdicts(store, judged)
    returned: dict[str, list[str]] = {}
    for query_id, passage_id in pool:
        returned.setdefault(query_id, []).append(passage_id)
    bars = basis.barred(returned)
    tally: Counter[str] = Counter()
    labels: dict[Key, Grade] = {}
    calls: dict[Key, Grade] = {}
    for key in pool:
        query_id, passage_id = key
        known = said.get(key)
        if passage_id in basis.golden[query_id]:
            tally["graded"] += 1
        elif known and known.grade is Grade.NO:
            labels[key] = Grade.NO  # true of a barred passage too, and frozen with the others
        elif passage_id in bars.get(query_id, {}):
            tally["barred"] += 1
        elif known and known.grade is not None:
            labels[key] = known.grade
        elif known:
            tally["unsettled"] += 1
        elif key in graded:
            calls[key] = graded[key]
        else:
            tally["unjudged"] += 1
    useful = [key for key, grade in labels.items() if grade is not Grade.NO]
    yes = [key for key, grade in calls.items() if grade is Grade.YES]
    why = verdicts.reasons(store, yes, of=judged) if judged else {}
    return Sorted(
        Counts(
            tally["graded"],
            tally["barred"],
            _by_grade(labels),
            tally["unsettled"],
            _by_grade(calls),
            tally["unjudged"],
        ),
        labels,
        [_proposal(basis, pool, key, labels[key], said[key].origin) for key in useful],
        [_proposal(basis, pool, key, Grade.YES, why.get(key, "")) for key in yes],
    )


def _by_grade(grades: Mapping[Key, Grade]) -> dict[Grade, int]:
    found = Counter(grades.values())
    return {grade: found[grade] for grade in reversed(GRADES)}


def _proposal(
    basis: Basis, pool: Mapping[Key, Sequence[Found]], key: Key, grade: Grade, why: str
) -> Proposal:
    return Proposal(basis.queries[key[0]], key[1], grade, tuple(pool[key]), why)


def _verdicts(store: Store, judged: Selection | None) -> dict[Key, Grade]:
    if judged is None:
        return {}
    said = verdicts.graded(store, judge=judged.judge, rubric=judged.rubric, model=judged.model)
    return {(q, p): grade for q, p, grade in said}


def extended(golden: Golden, labels: Mapping[Key, Grade]) -> dict[str, dict[str, int]]:
    """The golden labels with these added."""
    more = {query_id: dict(of) for query_id, of in golden.items()}
    for (query_id, passage_id), grade in labels.items():
        more[query_id][passage_id] = grade.gain
    return more
