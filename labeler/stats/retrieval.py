"""A system's run measured against a golden set.

Means are within need first, then over needs; their intervals resample needs. A golden query that
the run lacks counts 0 and is listed. A query without a relevant eligible passage is in no mean and
is reported apart. Barred passages are counted over the whole list and gain nothing. What is
undefined is None with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.stats import bootstrap
from labeler.stats.eligibility import Bar, Barred
from labeler.stats.intervals import Estimate
from labeler.stats.measures import (
    Golden,
    Layout,
    Measure,
    Reading,
    Run,
    Values,
    lay_out,
    measure,
    measure_queries,
)
from labeler.stats.needs import (
    EVERYTHING,
    SMALL,
    Part,
    Slices,
    mean_over_needs,
    need_means,
    need_numbers,
    part_means,
    parts,
)

STANDARD = tuple(
    measure(text)
    for text in ("R@5", "R@20", "P@5", "P/retrieved@5", "RR@10", "nDCG@10", "Success@5", "Judged@5")
)
"""What is measured unless asked otherwise."""

Scores = Mapping[str, Sequence[float | None]]
"""The retriever's own scores, in the order of the run's passages."""


class Outcome(StrEnum):
    """What became of a golden query."""

    MEASURED = "measured"
    NOTHING_RETURNED = "nothing returned"
    MISSING = "missing from the run"
    UNANSWERABLE = "no relevant passage"


class Unanswerable(NamedTuple):
    """A golden query without a relevant eligible passage. `returned` counts what came back,
    `top_score` is the highest score of it (None where the run has none), `why` tells nothing
    labelled relevant from PART only and from relevant passages that are all barred."""

    query_id: str
    returned: int
    top_score: float | None
    why: str

    @property
    def quiet(self) -> bool:
        """Whether the system returned nothing, as it should."""
        return self.returned == 0


class QueryValues(NamedTuple):
    """One golden query: what came back, and its measures with the reasons of those undefined."""

    query_id: str
    outcome: Outcome
    returned: int
    relevant: int
    duplicates: int
    values: Mapping[str, float | None]
    reasons: Mapping[str, str]


class SliceMeans(NamedTuple):
    """The means of one part of the queries; `small` where it has fewer than 10 needs."""

    name: str
    value: str
    queries: int
    needs: int
    means: Mapping[str, Estimate]
    small: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A run against a golden set.

    `query_ids` are the answerable golden queries, in the golden set's order, `needs` the number of
    each one's need, `values` (queries, measures) their measures with NaN for undefined: read one
    query with `of`. `counts` says over how many queries each mean goes. `duplicates`,
    `unauthorised` and `out_of_date` hold, for each golden query that has any, how many slots
    repeat a passage and the distinct barred passages returned. `missing` are all golden queries
    that the run lacks, `unknown` the run's queries that the golden set lacks, which count nowhere.
    """

    reading: Reading
    measures: tuple[Measure, ...]
    depth: int | None
    seed: int
    query_ids: tuple[str, ...]
    needs: NDArray[np.intp]
    values: Values
    means: Mapping[str, Estimate]
    counts: Mapping[str, int]
    slices: tuple[SliceMeans, ...]
    unanswerable: tuple[Unanswerable, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    duplicates: Mapping[str, int]
    unauthorised: Mapping[str, tuple[str, ...]]
    out_of_date: Mapping[str, tuple[str, ...]]
    warnings: tuple[str, ...]
    _layouts: Mapping[str, Layout]
    _rows: Mapping[str, int]

    @property
    def n_needs(self) -> int:
        """How many needs the answerable queries have."""
        return len(np.unique(self.needs))

    def need_values(self, measured: Measure) -> Values:
        """One measure's mean within each need, NaN where a need has none, by need number."""
        column = self.measures.index(measured)
        return need_means(self.values[:, [column]], self.needs)[:, 0]

    def missed(self, k: int) -> tuple[str, ...]:
        """The answerable queries with nothing relevant in the top k, k no deeper than measured."""
        least = self.reading.least
        return tuple(
            query_id
            for query_id in self.query_ids
            if not any(
                0 < slot <= k and gain >= least
                for slot, gain in self._layouts[query_id].labels.items()
            )
        )

    def of(self, query_id: str) -> QueryValues:
        """One golden query's values. Raises KeyError for a query that the golden set lacks."""
        layout, row = self._layouts[query_id], self._rows.get(query_id)
        relevant = _relevant(layout, self.reading)
        outcome = Outcome.MEASURED
        if row is None:
            outcome = Outcome.UNANSWERABLE
        elif not layout.returned:
            missing = query_id in self.missing
            outcome = Outcome.MISSING if missing else Outcome.NOTHING_RETURNED
        values: dict[str, float | None] = {}
        reasons = {}
        for column, each in enumerate(self.measures):
            value = np.nan if row is None else self.values[row, column]
            values[str(each)] = None if np.isnan(value) else float(value)
            if too_deep(each, self.depth):
                reasons[str(each)] = f"depth {self.depth}"
            elif row is None:
                reasons[str(each)] = str(Outcome.UNANSWERABLE)
            elif np.isnan(value):
                reasons[str(each)] = str(Outcome.NOTHING_RETURNED)
        repeats = self.duplicates.get(query_id, 0)
        return QueryValues(query_id, outcome, layout.returned, relevant, repeats, values, reasons)


def too_deep(measured: Measure, depth: int | None) -> bool:
    """Whether a measure looks deeper than the run was asked to go."""
    return depth is not None and measured.k > depth


def evaluate(
    golden: Golden,
    run: Run,
    *,
    measures: Sequence[Measure] = STANDARD,
    reading: Reading = Reading.STRICT,
    depth: int | None = None,
    barred: Barred | None = None,
    scores: Scores | None = None,
    needs: Mapping[str, str] | None = None,
    slices: Slices | None = None,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> Evaluation:
    """Measure a run.

    `depth` is how many passages the run was asked for (None: not known, nothing is too deep),
    `barred` what `eligibility.barred` found, `needs` each query's need id.
    """
    bars = barred or {}
    measures = tuple(measures)
    cut = max((each.k for each in measures if not too_deep(each, depth)), default=1)
    layouts = {
        query_id: lay_out(run.get(query_id, ()), labels, bars=bars.get(query_id, {}), cut=cut)
        for query_id, labels in golden.items()
    }
    answerable = {q: of for q, of in layouts.items() if _relevant(of, reading)}
    query_ids = tuple(answerable)
    values = _values(list(answerable.values()), measures, reading=reading, depth=depth)
    numbers = need_numbers(query_ids, needs or {})
    groups = [EVERYTHING, *parts(query_ids, slices or {})]
    overall, *sliced = _means(
        values, numbers, groups, measures=measures, depth=depth, seed=seed, draws=draws
    )
    return Evaluation(
        reading=reading,
        measures=measures,
        depth=depth,
        seed=seed,
        query_ids=query_ids,
        needs=numbers,
        values=values,
        means=overall.means,
        counts=dict(zip(map(str, measures), np.isfinite(values).sum(0).tolist(), strict=True)),
        slices=tuple(sliced),
        unanswerable=tuple(
            _unanswerable(query_id, golden, layout, scores=scores, reading=reading)
            for query_id, layout in layouts.items()
            if query_id not in answerable
        ),
        missing=tuple(query_id for query_id in golden if query_id not in run),
        unknown=tuple(query_id for query_id in run if query_id not in golden),
        duplicates={q: n for q in golden if (n := len(run.get(q, ())) - len(set(run.get(q, ()))))},
        unauthorised=_returned_barred(golden, run, bars, why=Bar.UNAUTHORISED),
        out_of_date=_returned_barred(golden, run, bars, why=Bar.OUT_OF_DATE),
        warnings=_warnings(golden, run, measures=measures, depth=depth),
        _layouts=layouts,
        _rows={query_id: row for row, query_id in enumerate(query_ids)},
    )


def _relevant(layout: Layout, reading: Reading) -> int:
    """How many relevant eligible passages a query has."""
    return sum(gain >= reading.least for gain in layout.labels.values())


def _values(
    layouts: Sequence[Layout], measures: Sequence[Measure], *, reading: Reading, depth: int | None
) -> Values:
    """The measures of each answerable query, NaN where one is undefined or too deep."""
    values = np.full((len(layouts), len(measures)), np.nan)
    columns = [column for column, each in enumerate(measures) if not too_deep(each, depth)]
    readable = [measures[column] for column in columns]
    values[:, columns] = measure_queries(layouts, readable, reading=reading)
    return values


def _means(
    values: Values,
    needs: NDArray[np.intp],
    groups: Sequence[Part],
    *,
    measures: Sequence[Measure],
    depth: int | None,
    seed: int,
    draws: int,
) -> list[SliceMeans]:
    """The means of each part, all read off the same draws of needs."""
    block, sizes = part_means(values, needs, groups)
    width = len(measures)
    reason = "no query has a relevant passage" if not len(values) else "nothing was returned"
    estimates = mean_over_needs(block, seed=seed, draws=draws, reason=reason)
    found = []
    for place, (part, size) in enumerate(zip(groups, sizes, strict=True)):
        means = {
            str(each): Estimate(None, reason=f"depth {depth}")
            if too_deep(each, depth)
            else estimates[place * width + column]
            for column, each in enumerate(measures)
        }
        queries = len(values[part.rows])
        found.append(SliceMeans(part.name, part.value, queries, size, means, size < SMALL))
    return found


def _unanswerable(
    query_id: str, golden: Golden, layout: Layout, *, scores: Scores | None, reading: Reading
) -> Unanswerable:
    known = [s for s in (scores or {}).get(query_id, ()) if s is not None and not np.isnan(s)]
    why = "nothing is labelled relevant"
    if any(gain >= reading.least for gain in golden[query_id].values()):
        why = "every relevant passage is out of the caller's scope or of its dates"
    elif any(layout.labels.values()):
        why = "only PART is labelled, which the strict reading does not count"
    return Unanswerable(query_id, layout.returned, max(known, default=None), why)


def _returned_barred(
    golden: Golden, run: Run, bars: Barred, *, why: Bar
) -> dict[str, tuple[str, ...]]:
    """The distinct passages that came back though barred for this reason, in the run's order."""
    found = {}
    for query_id in golden:
        of = bars.get(query_id)
        if of and (hit := [p for p in dict.fromkeys(run.get(query_id, ())) if of.get(p) is why]):
            found[query_id] = tuple(hit)
    return found


def _warnings(
    golden: Golden, run: Run, *, measures: Sequence[Measure], depth: int | None
) -> tuple[str, ...]:
    """What a reader of the numbers must know before believing them."""
    found = []
    negative = sum(gain < 0 for labels in golden.values() for gain in labels.values())
    if negative:
        found.append(f"{negative} negative labels were read as 0")
    longest = max((len(run.get(query_id, ())) for query_id in golden), default=0)
    short = [str(each) for each in measures if longest < each.k <= (depth or each.k)]
    if longest and short:
        found.append(f"no list is longer than {longest}: {', '.join(short)} counted what there is")
    return tuple(found)
