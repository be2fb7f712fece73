"""Runs measured by a judge and corrected for its errors: what it says, what people say, and both
together side by side, one object for the pages, the terminal and Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from labeler.reports import agreement, misjudged, partly
from labeler.reports.measuring import measures_at
from labeler.reports.misjudged import Errors, Imagined
from labeler.reports.partly import Partly, Sides
from labeler.reports.render import counted, without
from labeler.stats.correction import Corrected, Quote, correct
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Measure, Reading
from labeler.stats.retrieval import too_deep
from labeler.store.db import Store


class Difference(NamedTuple):
    """What the second run has over the first, by measure."""

    first: str
    second: str
    measures: Mapping[str, Corrected]


@dataclass(frozen=True)
class Report:
    """Runs corrected for a judge's errors. `runs` and `differences` hold each measure by name."""

    partly: Partly
    measures: tuple[Measure, ...]
    runs: Mapping[str, Mapping[str, Corrected]]
    differences: Sequence[Difference]
    errors: Errors
    imagined: Mapping[str, Imagined]
    warnings: tuple[str, ...]

    @property
    def lead(self) -> str:
        """The measure that is spoken of first."""
        return str(self.measures[0])

    @property
    def labelled(self) -> int:
        """How many queries have a label, or people's word that nothing answers them."""
        return len(self.partly.labels.keys() | self.partly.nothing)

    @property
    def by_lists(self) -> bool:
        """Whether labelled queries were drawn as a list of what to label next."""
        drawn = {query_id for each in self.partly.lists for query_id in each}
        return any(query_id in drawn for query_id in self.partly.labels)


def build(
    store: Store,
    systems: Sequence[str],
    *,
    judge: str | None = None,
    rubric: str | None = None,
    model: str | None = None,
    golden: str | None = None,
    ks: Sequence[int] = (),
    reading: Reading = Reading.STRICT,
    depth: int | None = None,
) -> Report:
    """Correct one run, or several and the difference of each two.

    `judge`, `rubric` and `model` pick the verdicts, by default the newest judge's; the others are
    those of `partly.build`. Raises LabelerError as that does, and where there is no such judge.
    """
    judged = agreement.choose(store, judge=judge, rubric=rubric, model=model)
    found = partly.build(store, systems, judged=judged, golden=golden, reading=reading, depth=depth)
    measures = tuple(each for each in measures_at(ks) if each.name != "Judged")
    sides = {system: found.sides(system, measures) for system in found.runs}
    errors = misjudged.errors(store, found)
    return Report(
        found,
        measures,
        {system: _run(found, system, measures, of) for system, of in sides.items()},
        [
            _difference(found, first, second, measures, sides)
            for first, second in combinations(found.runs, 2)
        ],
        errors,
        {
            system: misjudged.imagined(found, system, measures, errors.rates)
            for system in found.runs
        },
        tuple(_warnings(found, measures)),
    )


def _run(
    found: Partly, system: str, measures: Sequence[Measure], sides: Sides
) -> dict[str, Corrected]:
    depth, by_need = found.runs[system].depth, found.by_need(sides)
    return {
        str(each): _too_deep(depth)
        if too_deep(each, depth)
        else _corrected(found, by_need, column, bounds=(0.0, 1.0))
        for column, each in enumerate(measures)
    }


def _difference(
    found: Partly,
    first: str,
    second: str,
    measures: Sequence[Measure],
    sides: Mapping[str, Sides],
) -> Difference:
    by_need = found.by_need(sides[second].minus(sides[first]))
    depths = [found.runs[system].depth for system in (first, second)]
    depth = min((each for each in depths if each is not None), default=None)
    return Difference(
        first,
        second,
        {
            str(each): _too_deep(depth)
            if too_deep(each, depth)
            else _corrected(found, by_need, column, bounds=(-1.0, 1.0))
            for column, each in enumerate(measures)
        },
    )


def _corrected(
    found: Partly, sides: Sides, column: int, *, bounds: tuple[float, float]
) -> Corrected:
    labelled = np.flatnonzero(sides.complete[:, column])
    return correct(
        sides.judge[:, column],
        sides.people[labelled, column],
        labelled=labelled,
        weights=found.weights(labelled.tolist()),
        bounds=bounds,
    )


def _too_deep(depth: int | None) -> Corrected:
    none = Estimate(None, reason=f"depth {depth}")
    why = f"the run was asked for {depth} passages only"
    return Corrected(none, none, none, 0.0, 0, 0, Quote.NONE, why)


def _warnings(found: Partly, measures: Sequence[Measure]) -> list[str]:
    """What a reader of the numbers must know before believing them."""
    said = []
    if found.left_alone:
        held = counted(found.left_alone, "judged query", plural="judged queries")
        said.append(f"{held} held out and left alone")
    if found.elsewhere:
        other = counted(found.elsewhere, "judged query", plural="judged queries")
        said.append(f"{other} in none of the runs and left out")
    shallow = [each for each in measures if each.name not in partly.WHOLE]
    for system, ranked in found.runs.items():
        k = max((each.k for each in measures if not too_deep(each, ranked.depth)), default=0)
        top = [(q, p) for q in found.query_ids for p in set(ranked.run.get(q, ())[:k])]
        bare = sum(p not in found.verdicts[q] and p not in found.bars.get(q, {}) for q, p in top)
        if bare:
            said.append(
                f"{bare:,} of the {len(top):,} passages in the top {k} of {system} have no verdict "
                "and gain 0 under the judge"
            )
        missing = sum(query_id not in ranked.run for query_id in found.query_ids)
        if missing:
            queries = counted(missing, "judged query", plural="judged queries")
            said.append(f"{queries} missing from {system}, counted 0")
        unproven = max((len(found.unproven(each, system)) for each in shallow), default=0)
        if unproven:
            queries = counted(unproven, "query", plural="queries")
            said.append(
                f"up to {queries} of {system} count 0 under people for the top k alone: whether "
                "anything is relevant to them is not known before their pool is labelled"
            )
    return said


def drawn(found: Report) -> str:
    """How the labelled queries came to be labelled, and so what they stand for, in a sentence."""
    if found.by_lists:
        others = "others stand for themselves"
        if any(found.partly.at_random):
            others = "those labelled before count as drawn at random with them"
        return (
            "those of a list stand for all that was not labelled when it was drawn, each by its "
            f"chance; {others}"
        )
    return "no list says how they were drawn, so all weigh the same, as if drawn at random"


def statement(name: str, of: Corrected, *, sign: bool = False) -> str:
    """Which number of a measure to quote and why, in plain words."""
    if of.quote is not Quote.NONE:
        return f"Quote {name} = {shown(of.quoted, sign=sign)} ({of.quote}): {of.why}"
    if of.judge_only.value is None:
        return f"Quote no {name} yet: {of.why}"
    alone = shown(of.judge_only, sign=sign)
    return f"Quote no {name} yet: {of.why}; nothing says how far off the judge's own {alone} is"


def shown(found: Estimate, *, sign: bool = False) -> str:
    """A number and its interval in brackets: `.71 [.62, .79]`."""
    digits = "+.3f" if sign else ".3f"
    if found.value is None:
        return found.reason
    if found.interval is None:
        return f"{found.value:{digits}}{without(found)}"
    return "{:{d}} [{:{d}}, {:{d}}]".format(found.value, *found.interval, d=digits)


def as_json(found: Report) -> dict[str, Any]:
    """The report as one object: every undefined number is null, and `undefined` says why."""
    judged, of = found.partly.judged, found.partly
    return {
        "judge": judged.judge,
        "rubric": judged.rubric,
        "model": judged.model,
        "reading": str(of.reading),
        "n_queries": len(of.query_ids),
        "n_needs": of.n_needs,
        "labelled_queries": found.labelled,
        "queries_held_out": of.left_alone,
        "queries_elsewhere": of.elsewhere,
        "lists": len(of.lists),
        "by_lists": found.by_lists,
        "drawn": drawn(found),
        "runs": [
            {
                "run": system,
                "run_hash": of.runs[system].hash,
                "depth": of.runs[system].depth,
                "measures": {name: _measure(name, each) for name, each in measures.items()},
                "what_if": misjudged.imagined_as_json(found.imagined[system]),
            }
            for system, measures in found.runs.items()
        ],
        "differences": [
            {
                "first": each.first,
                "second": each.second,
                "measures": {
                    name: _measure(name, of, sign=True) for name, of in each.measures.items()
                },
            }
            for each in found.differences
        ],
        "judge_errors": misjudged.as_json(found.errors),
        "warnings": list(found.warnings),
    }


def _measure(name: str, of: Corrected, *, sign: bool = False) -> dict[str, Any]:
    ways = {
        "judge_only": of.judge_only,
        "people_only": of.people_only,
        "corrected": of.corrected,
        "quoted": of.quoted,
    }
    return {
        **misjudged.numbers(ways),
        "quote": str(of.quote),
        "why": of.why,
        "statement": statement(name, of, sign=sign),
        "weight": of.weight if of.labelled else None,
        "n_judged": of.judged,
        "n_labelled": of.labelled,
    }
