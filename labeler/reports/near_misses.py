"""Near misses: passages that runs bring to the top and a golden set does not grade, though people
or a judge call them relevant; and what every run's numbers would be with them.

Nothing is changed here. A frozen version never changes; what people have labelled comes into the
next one by itself (`labeler.freezing`), what the judge alone proposes waits for people
(`labeler.nearing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from labeler.errors import LabelerError, UsageError
from labeler.model import Decision
from labeler.reports import agreement
from labeler.reports import basis as bases
from labeler.reports.basis import DEPTH, SETTLED, Basis, Ranked
from labeler.reports.measuring import evaluated, measures_at
from labeler.reports.pooling import Counts, Proposal, extended, pooled, sort
from labeler.reports.retrieval import means_as_json
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Golden, Measure, Reading
from labeler.store import runs, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store


class Judged(NamedTuple):
    """The judge whose YES is proposed, and what the gate says of it."""

    selection: Selection
    decision: Decision
    sentence: str


class Column(NamedTuple):
    """A run's means against one set of labels, over how many queries."""

    queries: int
    means: Mapping[str, Estimate]


class Moved(NamedTuple):
    """A run measured against the set as it is `frozen`, with what people have `labelled` added, and
    with all that the judge calls YES on top, if it is to be `believed`."""

    system: str
    frozen: Column
    labelled: Column
    believed: Column


@dataclass(frozen=True)
class Report:
    """The near misses of a golden set among the top `depth` of some systems. `judged` is None where
    no judge has graded anything. `seeds` of the queries with a proposal expect one passage only.
    """

    basis: Basis
    reading: Reading
    depth: int
    judged: Judged | None
    counts: Counts
    by_people: Sequence[Proposal]
    by_judge: Sequence[Proposal]
    moved: Sequence[Moved]
    measures: Sequence[Measure]
    seeds: int

    @property
    def lead(self) -> str:
        """The measure that the sentences speak of."""
        return next(str(each) for each in self.measures if each.name == "R")

    @property
    def queries(self) -> int:
        """How many queries have a proposal."""
        return len({one.query.query_id for one in (*self.by_people, *self.by_judge)})


def chosen(
    store: Store, *, judge: str | None = None, rubric: str | None = None
) -> Selection | None:
    """The judge that was asked for, else the newest; None where there is none and none was asked
    for."""
    if judge is None and rubric is None and not verdicts.judges(store):
        return None
    return agreement.choose(store, judge=judge, rubric=rubric)


def build(
    store: Store,
    golden: str,
    *,
    systems: Sequence[str] = (),
    depth: int = DEPTH,
    judged: Selection | None = None,
    reading: Reading = Reading.STRICT,
    ks: Sequence[int] = (),
) -> Report:
    """Pool the systems' newest runs (all unless named) to `depth` and say what golden set `golden`
    lacks. Queries that it holds out are left alone. Raises LabelerError where there is no run.
    """
    if golden == SETTLED:
        raise UsageError("Near misses are of a golden set: freeze one", needs="golden set")
    basis = bases.read(store, golden)
    names = list(dict.fromkeys(systems)) or runs.systems(store)
    if not names:
        raise LabelerError("There is no run to pool: import one", needs="run")
    ranked = [bases.ranked(store, name, basis=basis) for name in names]
    pool = pooled(basis, ranked, depth=depth)
    known = sort(store, basis, pool, judged=judged)
    measures = measures_at(ks)
    labelled = extended(basis.golden, known.labels)
    believed = extended(labelled, {one.key: one.grade for one in known.judge})
    proposed = {one.query.query_id for one in (*known.people, *known.judge)}

    def column(one: Ranked, labels: Golden) -> Column:
        found = evaluated(replace(basis, golden=labels), one, measures=measures, reading=reading)
        return Column(len(found.query_ids), found.means)

    return Report(
        basis,
        reading,
        depth,
        _decided(store, judged),
        known.counts,
        known.people,
        known.judge,
        [
            Moved(one.system, *(column(one, of) for of in (basis.golden, labelled, believed)))
            for one in ranked
        ],
        measures,
        sum(
            sum(gain >= reading.least for gain in basis.golden[query_id].values()) == 1
            for query_id in proposed
        ),
    )


def _decided(store: Store, judged: Selection | None) -> Judged | None:
    if judged is None:
        return None
    gate = agreement.build(store, judged, by=()).gate
    return Judged(judged, gate.decision, gate.sentence)


def as_json(report: Report) -> dict[str, Any]:
    """Everything as one object: every undefined number is null, with its reason."""
    counts, judged = report.counts, report.judged
    return {
        "golden": report.basis.ref,
        "golden_hash": report.basis.hash,
        "queries_held_out": report.basis.left_alone,
        "reading": str(report.reading),
        "depth": report.depth,
        "runs": [one.system for one in report.moved],
        "judge": judged
        and {
            "judge": judged.selection.judge,
            "rubric": judged.selection.rubric,
            "model": judged.selection.model,
            "decision": str(judged.decision),
            "sentence": judged.sentence,
        },
        "counts": {
            "pooled": counts.pooled,
            **counts._asdict(),
            "labelled": {str(grade): many for grade, many in counts.labelled.items()},
            "judged": {str(grade): many for grade, many in counts.judged.items()},
        },
        "queries_with_proposals": report.queries,
        "of_them_expecting_one_passage": report.seeds,
        "by_people": [_as_json(one) for one in report.by_people],
        "by_judge": [_as_json(one) for one in report.by_judge],
        "measured": [
            {
                "run": one.system,
                **{
                    name: {"n_queries": column.queries, **means_as_json(column.means)}
                    for name, column in zip(Moved._fields[1:], one[1:], strict=True)
                },
            }
            for one in report.moved
        ],
    }


def _as_json(one: Proposal) -> dict[str, Any]:
    return {
        "query_id": one.query.query_id,
        "text": one.query.text,
        "passage_id": one.passage_id,
        "grade": str(one.grade),
        "found": [place._asdict() for place in one.found],
        "why": one.why,
    }
