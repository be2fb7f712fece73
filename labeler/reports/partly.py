"""Runs whose pairs are mostly judged and partly labelled: what a judge and what people say of the
same queries, and which queries people have labelled far enough for which measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.errors import LabelerError
from labeler.model import Query, content_hash
from labeler.reports import basis as bases
from labeler.reports.basis import SETTLED, Basis, Ranked
from labeler.stats import retrieval
from labeler.stats.eligibility import Bar, Barred
from labeler.stats.lists import represented
from labeler.stats.measures import Golden, Measure, Reading, Values
from labeler.stats.needs import need_means, need_numbers
from labeler.store import comparison, corpora, evidence, goldens, holdouts, lists, queries, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store
from labeler.store.outlines import current as outlines

WHOLE = ("R", "nDCG")
"""Measures that divide by all that is relevant: they need every pair of a query labelled."""


class Sides(NamedTuple):
    """A run's measures as the judge and as people say, each (rows, measures).

    `judge` is NaN where the judge calls nothing relevant; `people` is NaN where people find nothing
    relevant, and means nothing where `complete` is false.
    """

    judge: Values
    people: Values
    complete: NDArray[np.bool_]

    def minus(self, other: Sides) -> Sides:
        """What the one run has over the other, where people are through with both."""
        judge, people = self.judge - other.judge, self.people - other.people
        return Sides(judge, people, self.complete & other.complete)


@dataclass(frozen=True)
class Partly:
    """The queries of `runs` that a judge has judged.

    `basis` holds the queries and, as its golden labels, the verdicts as gains. `labels` are the
    gains that people have settled, of the same queries; `nothing` the queries of which people say
    that nothing answers them. `bars` is what of either, or of the runs, the callers may not be
    answered from; `lists` are those of `store.lists`, `at_random` what each of them
    counts as drawn at random. `left_alone` counts the judged queries that
    are held out, `elsewhere` those that no run has.
    """

    judged: Selection
    reading: Reading
    basis: Basis
    runs: dict[str, Ranked]
    labels: Golden
    nothing: frozenset[str]
    bars: Barred
    lists: tuple[dict[str, float], ...]
    at_random: tuple[dict[str, float], ...]
    left_alone: int
    elsewhere: int

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in the order of every array of queries here."""
        return tuple(self.basis.golden)

    @property
    def verdicts(self) -> Golden:
        """The judge's verdicts as gains: query id to passage id to gain."""
        return self.basis.golden

    @cached_property
    def needs(self) -> NDArray[np.intp]:
        """The number of each query's need."""
        return need_numbers(self.query_ids, self.basis.needs)

    @property
    def n_needs(self) -> int:
        """How many needs the queries have."""
        return len(np.unique(self.needs))

    def pool(self, query_id: str) -> set[str]:
        """The eligible passages of a query that are judged or labelled."""
        known = {*self.verdicts[query_id], *self.labels.get(query_id, ())}
        return known.difference(self.bars.get(query_id, ()))

    def needed(self, measured: Measure, system: str, query_id: str) -> AbstractSet[str]:
        """The passages of a query that people must have labelled for this measure of this run.

        R and nDCG: its pool. The others: the eligible ones of the run's top k. RR too: where labels
        end at the first relevant one, the queries that are done soonest are those with it on top.
        """
        top = self.runs[system].run.get(query_id, ())[: measured.k]
        found = set(top).difference(self.bars.get(query_id, ()))
        return found | self.pool(query_id) if measured.name in WHOLE else found

    def lacking(self, measured: Measure, system: str, query_id: str) -> AbstractSet[str]:
        """Those of the `needed` passages that people have not settled; of a query that nothing
        answers, as people say, none."""
        if self._empty(query_id):
            return frozenset()
        return self.needed(measured, system, query_id) - self.labels.get(query_id, {}).keys()

    def complete(self, measured: Measure, system: str) -> tuple[str, ...]:
        """The queries that people have labelled far enough for this measure of this run: at least
        one label, or their word that nothing answers it, and nothing lacking."""
        return tuple(q for q in self.query_ids if self._complete(measured, system, q))

    def _complete(self, measured: Measure, system: str, query_id: str) -> bool:
        touched = query_id in self.labels or query_id in self.nothing
        return touched and not self.lacking(measured, system, query_id)

    def _empty(self, query_id: str) -> bool:
        """Whether people say that nothing answers a query, and none of their labels denies it."""
        return query_id in self.nothing and not self.answerable(query_id, self.labels)

    def exhausted(self, query_id: str) -> bool:
        """Whether people are through with a query: nothing in its pool is unlabelled, or they say
        that nothing answers it."""
        known = self.labels.get(query_id, {})
        return self._empty(query_id) or (bool(known) and self.pool(query_id) <= known.keys())

    def answerable(self, query_id: str, judgments: Golden) -> bool:
        """Whether an eligible passage of a query is relevant by these `labels` or `verdicts`."""
        bars, least = self.bars.get(query_id, {}), self.reading.least
        return any(
            gain >= least and passage_id not in bars
            for passage_id, gain in judgments.get(query_id, {}).items()
        )

    def unproven(self, measured: Measure, system: str) -> tuple[str, ...]:
        """The complete queries without a relevant label whose pool is not labelled to its end:
        whether they belong in a mean is not known, and they count 0 in it."""
        return tuple(
            query_id
            for query_id in self.complete(measured, system)
            if not self.exhausted(query_id) and not self.answerable(query_id, self.labels)
        )

    def sides(self, system: str, measures: Sequence[Measure]) -> Sides:
        """What judge and people say of each query, (queries, measures)."""
        labels = {query_id: self.labels.get(query_id, {}) for query_id in self.query_ids}
        people = self._values(labels, system, measures)
        complete = np.zeros(people.shape, dtype=bool)
        rows = {query_id: row for row, query_id in enumerate(self.query_ids)}
        for column, each in enumerate(measures):
            complete[[rows[q] for q in self.complete(each, system)], column] = True
            if retrieval.too_deep(each, self.runs[system].depth):
                continue
            undefined = each.name in ("P/retrieved", "Judged")
            for query_id in self.unproven(each, system):
                if self.runs[system].run.get(query_id) or not undefined:
                    people[rows[query_id], column] = 0.0
        return Sides(self._values(self.verdicts, system, measures), people, complete)

    def _values(self, golden: Golden, system: str, measures: Sequence[Measure]) -> Values:
        ranked = self.runs[system]
        done = retrieval.evaluate(
            golden,
            ranked.run,
            measures=measures,
            reading=self.reading,
            depth=ranked.depth,
            barred=self.bars,
            draws=2,  # the values alone are wanted
        )
        values = np.full((len(golden), len(measures)), np.nan)
        rows = {query_id: row for row, query_id in enumerate(self.query_ids)}
        values[[rows[query_id] for query_id in done.query_ids]] = done.values
        return values

    def by_need(self, found: Sides) -> Sides:
        """The mean of each need, (needs, measures): the judge's over all its queries, that of
        people over its complete ones. A need is complete with one query that is."""
        people = need_means(np.where(found.complete, found.people, np.nan), self.needs)
        complete = need_means(found.complete.astype(np.float64), self.needs) > 0
        return Sides(need_means(found.judge, self.needs), people, complete)

    def weights(self, labelled: Sequence[int]) -> Values | None:
        """How many needs each of the needs numbered `labelled` stands for, by how they were drawn;
        None where no list says."""
        number = dict(zip(self.query_ids, self.needs.tolist(), strict=True))
        drawn, before = (
            [_by_need(each, number) for each in of] for of in (self.lists, self.at_random)
        )
        return represented(labelled, drawn, everything=self.n_needs, at_random=before)


def _by_need(weights: Mapping[str, float], number: Mapping[str, int]) -> dict[int, float]:
    """The weight of each need: the mean of its queries'."""
    of: dict[int, list[float]] = {}
    for query_id, weight in weights.items():
        if query_id in number:
            of.setdefault(number[query_id], []).append(weight)
    return {need: float(np.mean(each)) for need, each in of.items()}


def build(
    store: Store,
    systems: Sequence[str],
    *,
    judged: Selection,
    golden: str | None = None,
    reading: Reading = Reading.STRICT,
    depth: int | None = None,
) -> Partly:
    """What a judge and people say of the queries of these runs.

    The queries that golden set `golden` (by default the newest) holds out are left alone. `depth`
    is how many passages the runs were asked for, where the store does not know. Raises LabelerError
    where the judge has judged no query of the runs.
    """
    who = " ".join(filter(None, (judged.judge, judged.rubric, judged.model)))
    corpus = outlines(store)
    said = bases.gains(
        verdicts.graded(store, judge=judged.judge, rubric=judged.rubric, model=judged.model), corpus
    )
    held = _held_out(store, golden) & said.keys()
    basis = _basis(store, {q: of for q, of in said.items() if q not in held}, who=who)
    runs = {
        system: bases.ranked(store, system, basis=basis, depth=depth)
        for system in dict.fromkeys(systems)
    }
    there = set().union(*(each.run for each in runs.values()))
    kept = {q: of for q, of in basis.golden.items() if q in there}
    if not kept:
        names = " and ".join(runs)
        none = f"{who} has judged no pair of a query of {names}: let it judge"
        raise LabelerError(none, needs="verdicts")
    rows = ((of.query_id, of.passage_id, of.grade) for of in comparison.settled(store))
    labels = bases.gains((row for row in rows if row[0] in kept), corpus)
    decided = evidence.outcomes(store).items()
    nothing = {q for q, of in decided if of.outcome is not evidence.Outcome.OPEN} & kept.keys()
    everything = {q: {**of, **labels.get(q, {})} for q, of in kept.items()}
    return Partly(
        judged,
        reading,
        _of(basis, kept),
        runs,
        labels,
        frozenset(nothing),
        _bars(_of(basis, everything), runs.values()),
        tuple(lists.drawn(store)),
        tuple(lists.drawn(store, stratum=lists.BEFORE)),
        len(held),
        len(basis.golden) - len(kept),
    )


def _held_out(store: Store, golden: str | None) -> frozenset[str]:
    """The queries that a golden set holds out; of settled labels and without one, none."""
    frozen = goldens.history(store)
    if golden == SETTLED or (golden is None and not frozen):
        return frozenset()
    ref = frozen[-1].ref if golden is None else golden
    return holdouts.part(store, goldens.version(store, ref)).held_out


def _basis(store: Store, said: Golden, *, who: str) -> Basis:
    """The judged queries, with the verdicts for golden labels."""
    known = queries.named(store, list(said))
    return Basis(
        f"verdicts of {who}",
        content_hash([[q, sorted(of.items())] for q, of in sorted(said.items())]),
        said,
        {query_id: known.get(query_id, Query(query_id, "")) for query_id in said},
        outlines(store),
        ", ".join(f"{corpus.name}@{corpus.version}" for corpus in corpora.current(store)),
        today=store.clock().date().isoformat(),
    )


def _of(basis: Basis, golden: Golden) -> Basis:
    """The same for these queries and their labels."""
    return replace(basis, golden=golden, queries={q: basis.queries[q] for q in golden})


def _bars(basis: Basis, runs: Iterable[Ranked]) -> Barred:
    """What may not come back for any query in any of the runs, or be expected."""
    found: dict[str, dict[str, Bar]] = {}
    for each in runs:
        for query_id, bars in basis.barred(each.run).items():
            found.setdefault(query_id, {}).update(bars)
    return found
