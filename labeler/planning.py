"""What to label next: the queries whose labels narrow the interval of the number that matters,
drawn as a list for the labelling page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.drawing import named
from labeler.errors import LabelerError
from labeler.model import content_hash
from labeler.reports import foretelling, partly
from labeler.reports.partly import Partly, Sides
from labeler.stats import next_labels, outlook
from labeler.stats.correction import Corrected, correct
from labeler.stats.measures import Measure, Reading, Values
from labeler.stats.next_labels import Foretold
from labeler.stats.outlook import Frame, Outlook, Step
from labeler.stats.retrieval import too_deep
from labeler.store import lists, spotchecks
from labeler.store.comparison import Selection
from labeler.store.db import Store

USUAL = 10
"""Queries that a list has unless told otherwise."""


Places = NDArray[np.integer[Any]]


class Chosen(NamedTuple):
    """A query of the list, the chance with which it was drawn, and the passages to label."""

    query_id: str
    chance: float
    passages: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """A list that may be drawn, of `needs` needs. `systems` are a run, or two of which the second's
    measure minus the first's is the number. `chosen` are the queries in the order of labelling,
    `foretold` and `open` what is foretold of all that may be labelled, `now` the number as it
    stands, `outlook` what more labels do to it, `judges` the others that were listened to. `before`
    are labelled queries that count as drawn at random: one of their passages, and the chance that
    they would have had.
    """

    systems: tuple[str, ...]
    needs: int
    measured: Measure
    reading: Reading
    judged: Selection
    judges: tuple[str, ...]
    seed: int
    chosen: tuple[Chosen, ...]
    before: tuple[Chosen, ...]
    open: Frame
    foretold: Foretold
    now: Corrected
    target: float | None
    outlook: Outlook

    @property
    def labels(self) -> int:
        """How many labels the list asks for."""
        return sum(len(each.passages) for each in self.chosen)

    @property
    def after(self) -> Step | None:
        """What is expected once the list is labelled."""
        return next((each for each in self.outlook.steps if each.queries == self.needs), None)


def plan(
    store: Store,
    *,
    systems: Sequence[str],
    measured: Measure,
    judged: Selection,
    reading: Reading = Reading.STRICT,
    n: int = USUAL,
    seed: int = 0,
    target: float | None = None,
    golden: str | None = None,
    at_random: bool = True,
) -> Plan:
    """Choose `n` needs (a query is its own unless it names one) to label for a measure of a run, or
    for the difference of two; nothing is stored.

    `at_random` counts what was labelled before the first list as drawn at random, as the corrected
    numbers do until then; without it, it stands for itself alone. Held-out queries are left alone
    as in `partly.build`. A difference's target is 0, and no other. Raises LabelerError where there
    are not one or two systems, the measure is too deep or the same whatever people say, or all is
    labelled.
    """
    systems = tuple(dict.fromkeys(systems))
    if len(systems) not in (1, 2):
        raise LabelerError(f"{len(systems)} runs: the number is of one run, or of two compared")
    if len(systems) == 2:
        if target:
            raise LabelerError("A target is of one run: two are told apart where 0 is left out")
        target = 0.0
    if measured.name == "Judged":
        raise LabelerError("Judged@k counts labels: it has no interval for them to narrow")
    found = partly.build(store, systems, judged=judged, golden=golden, reading=reading)
    for system, ranked in found.runs.items():
        if too_deep(measured, ranked.depth):
            raise LabelerError(f"{system} was asked for {ranked.depth} passages: no {measured}")
    return _Planned(store, found, measured, seed).plan(n=n, target=target, at_random=at_random)


def draw(store: Store, name: str, planned: Plan, *, person: str = "") -> spotchecks.SpotCheck:
    """Store a plan as the list `name` for everybody. It is no sample of verdicts (`n` is 0).

    The pairs of a query come together, in an order that tells nothing of rank or verdict. Raises
    LabelerError where the name is taken or none.
    """
    of = planned.judged
    check = spotchecks.SpotCheck(
        named(name, what="list"),
        planned.seed,
        0,
        0,
        1,
        of.judge,
        of.rubric,
        of.model,
        store.clock(),
    )
    drawn = [
        spotchecks.Drawn(each.query_id, passage_id, stratum, 1 / each.chance, wanted)
        for stratum, queries, wanted in (
            (lists.NEXT, planned.chosen, 1),
            (lists.BEFORE, planned.before, 0),
        )
        for each in queries
        for passage_id in each.passages
    ]
    what = f"{planned.measured} of {' and '.join(planned.systems)}"
    detail = f"the next {len(planned.chosen)} queries for {what}, seed {planned.seed}"
    spotchecks.record(store, check, [], drawn, person=person, detail=detail)
    return check


class _Planned:
    """The queries of a plan as they stand: arrays of needs, in the order of their numbers."""

    def __init__(self, store: Store, found: Partly, measured: Measure, seed: int) -> None:
        self._found, self._measured, self._seed = found, measured, seed
        self._others = foretelling.others(store, found.judged)
        self._sides = self._measure()
        self._queries: list[list[str]] = [[] for _ in range(found.n_needs)]
        for query_id, need in zip(found.query_ids, found.needs.tolist(), strict=True):
            self._queries[need].append(query_id)
        self._complete = self._sides.complete[:, 0]

    def _measure(self) -> Sides:
        first, *rest = (self._found.sides(system, [self._measured]) for system in self._found.runs)
        for other in rest:
            first = other.minus(first)
        return self._found.by_need(first)

    def plan(self, *, n: int, target: float | None, at_random: bool) -> Plan:
        found = self._found
        places = np.flatnonzero(~self._complete)
        if not len(places):
            raise LabelerError(f"Every judged query is labelled for {self._measured}: none is next")
        n = min(n, len(places))
        judge = self._sides.judge[:, 0]
        foretold = next_labels.foretell(self._drawn_values(), judge)
        cost = np.array([self._cost(need) for need in range(found.n_needs)], dtype=np.float64)
        size = next_labels.sizes(foretold.residual, cost)
        open_ = outlook.frame(foretold.residual[places], size[places], cost[places])
        now = self._now(judge)
        look = outlook.look(
            now,
            labelled=int(self._complete.sum()),
            judge=judge,
            foretold=foretold,
            open_=open_,
            target=target,
            at=(n, *outlook.STEPS),
        )
        return Plan(
            systems=tuple(found.runs),
            needs=n,
            measured=self._measured,
            reading=found.reading,
            judged=found.judged,
            judges=tuple(each.name for each in self._others),
            seed=self._seed,
            chosen=self._chosen(size, places, n=n),
            before=self._before(size, places, n=n) if at_random and not found.lists else (),
            open=open_,
            foretold=foretold,
            now=now,
            target=target,
            outlook=look,
        )

    def _drawn_values(self) -> Values:
        found = self._found
        return foretelling.drawn_values(
            found,
            self._measured,
            pools=[sorted(found.pool(q) | self._needed(q)) for q in found.query_ids],
            others=self._others,
            complete=self._complete,
            seed=self._seed,
        )

    def _chosen(self, size: Values, places: Places, *, n: int) -> tuple[Chosen, ...]:
        found = self._found
        # Numbered by the list: what the last one passed over has the same chance as all else.
        names = [f"{len(found.lists)} {found.basis.needs[q] or q}" for q, *_ in self._queries]
        drawn = next_labels.draw([names[at] for at in places], size[places], n=n, seed=self._seed)
        return tuple(
            Chosen(query_id, chance, self._shuffled(query_id))
            for need, chance in zip(places[drawn.chosen], drawn.chances.tolist(), strict=True)
            for query_id in self._queries[need]
            if self._lacking(query_id)
        )

    def _now(self, judge: Values) -> Corrected:
        labelled = np.flatnonzero(self._complete)
        return correct(
            judge,
            self._sides.people[labelled, 0],
            labelled=labelled,
            weights=self._found.weights(labelled.tolist()),
            bounds=(0.0, 1.0) if len(self._found.runs) == 1 else (-1.0, 1.0),
        )

    def _needed(self, query_id: str) -> set[str]:
        """What all runs' measures need of a query; its pool where that is nothing at all."""
        found = self._found
        needed = {p for of in found.runs for p in found.needed(self._measured, of, query_id)}
        return needed or found.pool(query_id)

    def _lacking(self, query_id: str) -> set[str]:
        return self._needed(query_id) - self._found.labels.get(query_id, {}).keys()

    def _cost(self, need: int) -> int:
        """The labels that a need costs; of one that is labelled, those that it would have cost."""
        pairs = self._needed if self._complete[need] else self._lacking
        return sum(len(pairs(query_id)) for query_id in self._queries[need])

    def _shuffled(self, query_id: str) -> tuple[str, ...]:
        def place(passage_id: str) -> str:
            return content_hash([self._seed, query_id, passage_id])

        return tuple(sorted(self._lacking(query_id), key=place))

    def _before(self, size: Values, places: Places, *, n: int) -> tuple[Chosen, ...]:
        """Each labelled need's queries with the chance that they would have had in the list."""
        others = float(size[places].sum())
        found = self._found
        return tuple(
            Chosen(query_id, min(1.0, n * size[need] / (others + size[need])), (min(known),))
            for need in np.flatnonzero(self._complete).tolist()
            for query_id in self._queries[need]
            if (known := found.labels.get(query_id) or found.verdicts[query_id])
        )
