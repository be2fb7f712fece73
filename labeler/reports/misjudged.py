"""A judge's errors on the pairs that people have labelled too, and what such errors, or those of
other judges, do to the measures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from labeler.model import GRADES, Grade
from labeler.reports.measuring import SEED
from labeler.reports.partly import Partly
from labeler.reports.retrieval import ends, undefined
from labeler.stats import share
from labeler.stats.correction import ENOUGH
from labeler.stats.intervals import Estimate
from labeler.stats.judge_errors import Judged, WhatIf, what_if
from labeler.stats.measures import Measure
from labeler.stats.retrieval import too_deep
from labeler.store import comparison
from labeler.store.db import Store

SENSITIVITIES = (1.0, 0.9, 0.8, 0.6)
SPECIFICITIES = (1.0, 0.99, 0.98, 0.95, 0.9, 0.8)
"""The judges that `imagined` imagines: each of the one with each of the other."""

IMAGINED = 500
"""Queries that they are imagined on at most, evenly spaced: a plot needs no more."""


class Imagined(NamedTuple):
    """What other judges would print of a run, by measure: at each Se and Sp of the grid and last,
    where they are known, at this judge's `own`. `by_people`: whether the `queries`, those that
    have something relevant, are taken as people see them, or as the judge does."""

    measures: Mapping[str, Sequence[WhatIf]]
    own: tuple[float, float] | None
    by_people: bool
    queries: int


class Errors(NamedTuple):
    """The judge on the `pairs` that people have labelled too: its Se and Sp, the share of relevant
    pairs that follows, and the `strata` that both were read from."""

    pairs: int
    strata: Sequence[share.Stratum]
    rates: share.Rates
    share: share.Share


def errors(store: Store, found: Partly) -> Errors:
    """The judge's errors on the pairs that have both, those that its rubric shows aside."""
    selection = replace(found.judged, spotcheck=None, annotator=None, labels="both")
    with comparison.compared(store, selection) as compared:
        rows = [
            (query_id, GRADES[human], GRADES[verdict])
            for query_id, human, verdict in compared.rows(
                "select query_id, human, verdict from compared "
                f"where {comparison.BOTH} order by query_id, passage_id"
            )
            if query_id in found.verdicts
        ]
    gains = [gain for of in found.verdicts.values() for gain in of.values()]
    strata = [_stratum(found, grade, gains.count(grade.gain), rows) for grade in GRADES]
    return Errors(
        len(rows),
        strata,
        share.error_rates(strata, seed=SEED),
        share.relevant_share(strata, seed=SEED),
    )


def _stratum(
    found: Partly, verdict: Grade, pairs: int, rows: Sequence[tuple[str, Grade, Grade]]
) -> share.Stratum:
    """The labels on the pairs of one verdict, as many as they are worth.

    Within a verdict each list of queries, and all labels outside of one, give an estimate of the
    same share; so a list's weights are taken about their mean.
    """
    least = found.reading.least
    of = [(query_id, human.gain >= least) for query_id, human, said in rows if said is verdict]
    weights = np.ones(len(of))
    number = {query_id: place for place, query_id in enumerate(found.query_ids)}
    taken: set[str] = set()
    for drawn in found.lists:
        own = [row for row, (query_id, _) in enumerate(of) if query_id in drawn.keys() - taken]
        if own:
            chances = np.array([drawn[of[row][0]] for row in own])
            weights[own] = chances / chances.mean()
        taken |= drawn.keys()
    labelled, relevant = share.effective_counts(
        np.array([yes for _, yes in of], dtype=bool),
        weights,
        queries=np.array([number[query_id] for query_id, _ in of], dtype=np.intp),
    )
    return share.Stratum(str(verdict), verdict.gain >= least, pairs, labelled, relevant)


def imagined(
    found: Partly, system: str, measures: Sequence[Measure], rates: share.Rates
) -> Imagined:
    """What judges would print of a run: of the queries that people are through with, where there
    are enough that have something relevant, else of all as this judge sees them."""
    labelled = [
        query_id
        for query_id in found.query_ids
        if found.exhausted(query_id) and found.answerable(query_id, found.labels)
    ]
    by_people = len(labelled) >= ENOUGH
    judged = (q for q in found.query_ids if found.answerable(q, found.verdicts))
    chosen = labelled if by_people else list(judged)
    chosen = chosen[:: max(1, -(-len(chosen) // IMAGINED))]
    grid = [(se, sp) for se in SENSITIVITIES for sp in SPECIFICITIES]
    own = None
    if rates.sensitivity.value is not None and rates.specificity.value is not None:
        own = rates.sensitivity.value, rates.specificity.value
        grid.append(own)
    depth = found.runs[system].depth
    return Imagined(
        {
            str(each): what_if(
                [_seen(found, system, q, each.k, by_people=by_people) for q in chosen],
                each.name,
                rates=grid,
            )
            for each in measures
            if not too_deep(each, depth)
        },
        own,
        by_people,
        len(chosen),
    )


def _seen(found: Partly, system: str, query_id: str, k: int, *, by_people: bool) -> Judged:
    """A query's list as people or the judge see it: a repeat and a barred passage gain nothing."""
    labels = (found.labels if by_people else found.verdicts).get(query_id, {})
    top = found.runs[system].run.get(query_id, ())[:k]
    bars = found.bars.get(query_id, {})
    relevant = {p for p, gain in labels.items() if gain >= found.reading.least} - bars.keys()
    slots = [
        None if passage_id in bars or passage_id in top[:place] else passage_id in relevant
        for place, passage_id in enumerate(top)
    ]
    pool = found.pool(query_id) | set(top).difference(bars)
    return Judged(slots, len(relevant), len(pool), k)


def numbers(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Each number beside its interval, and why any is `undefined`."""
    found: dict[str, Any] = {}
    for name, each in estimates.items():
        found |= {name: each.value, f"{name}_interval": ends(each)}
    return found | {"undefined": undefined(estimates)}


def imagined_as_json(found: Imagined) -> dict[str, Any]:
    """What other judges would print, as JSON."""
    return {
        "seen_by": "people" if found.by_people else "judge",
        "own": found.own and list(found.own),
        "n_queries": found.queries,
        "measures": {name: [each._asdict() for each in of] for name, of in found.measures.items()},
    }


def as_json(found: Errors) -> dict[str, Any]:
    """The judge's errors and the share of relevant pairs, as JSON."""
    part = found.share
    return {
        "pairs": found.pairs,
        "strata": [each._asdict() for each in found.strata],
        "relevant_share": numbers(
            {
                "value": part.value,
                "judge_only": part.judge_only,
                "people_only": part.people_only,
                "rogan_gladen": part.rogan_gladen,
            }
        )
        | {"closed_form": part.closed_form and list(part.closed_form), "seed": part.seed},
        **numbers(
            {
                "sensitivity": found.rates.sensitivity,
                "specificity": found.rates.specificity,
            }
        ),
    }
