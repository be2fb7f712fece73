"""Retrieval measures of each query, computed by pytrec_eval (trec_eval's own C code).

pytrec_eval is never shown an id. Each query's list is cut to the deepest k, its slots are named
"1", "2", ... and scored minus their rank, and a passage that has a label is known by the slot where
it first stands. So the retriever's own order decides whatever the scores say, a repeated or barred
passage keeps its slot and gains nothing, and no id can be misread in C. By itself pytrec_eval
compares scores in float32, breaks ties by id, keeps a repeat's last score, leaves missing queries
out, and aborts the process at k = 0.

Conventions: R@k divides by all relevant eligible passages, P@k by k, P/retrieved@k by
min(k, what came back). RR@k is 0 past the cutoff. nDCG@k has the gains of the labels (YES 2,
PART 1), a log2(rank + 1) discount, and the ideal of all labels cut at k, in either reading.
Success@k is 1 where anything relevant is in the top k. Judged@k is the share of the
min(k, what came back) slots that have a label; a repeat has none of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeler.errors import UsageError
from labeler.stats.eligibility import Bar

Golden = Mapping[str, Mapping[str, int]]
"""Labels as gains: query id to passage id to 0, 1, 2 for NO, PART, YES."""

Run = Mapping[str, Sequence[str]]
"""A system's ranked passages: query id to passage ids in the retriever's own order."""

Values = NDArray[np.float64]
"""Measures as columns, NaN where one is undefined. Never leaves `labeler.stats` without a reason
beside it."""


class Reading(StrEnum):
    """Which grades are relevant: strict reads YES, lenient reads YES or PART."""

    STRICT = "strict"
    LENIENT = "lenient"

    @property
    def least(self) -> int:
        """The lowest gain that is relevant: 2 strict, 1 lenient."""
        return 2 if self is Reading.STRICT else 1


NAMES = ("R", "P", "P/retrieved", "RR", "nDCG", "Success", "Judged")
"""The measures: recall, precision by k, precision by what came back, reciprocal rank, ..."""

_SOURCES = {
    "R": ("recall", "recall_{}"),
    "P": ("P", "P_{}"),
    "P/retrieved": ("P", "P_{}"),
    "RR": ("recip_rank", "recip_rank"),
    "nDCG": ("ndcg_cut", "ndcg_cut_{}"),
    "Success": ("success", "success_{}"),
}
"""Each measure's name for asking pytrec_eval, and in its answer."""


class Measure(NamedTuple):
    """A measure at a cutoff, written `R@5`."""

    name: str
    k: int

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"


DEEPEST = 10_000
"""The largest k."""


def measure(text: str) -> Measure:
    """Read `R@5`. Raises UsageError for another name, or a k that is no whole number from 1 to
    DEEPEST."""
    name, at, k = text.rpartition("@")
    whole = k.isascii() and k.isdigit() and len(k) < 20
    if not at or name not in NAMES or not whole or not 1 <= int(k) <= DEEPEST:
        raise UsageError(
            f"{text!r} is no measure: expected one of {', '.join(NAMES)} and @k, k from 1 to "
            f"{DEEPEST:,}"
        )
    return Measure(name, int(k))


class Layout(NamedTuple):
    """One query's list as the measures see it.

    `labels`: the gain at each slot (from 1) that has an eligible label and at -1, -2, ... of
    each relevant passage that is not among the slots. `judged`: the slots whose passage has a
    label, barred or not. `returned` counts the whole list, `slots` what is left after the cut.
    """

    labels: Mapping[int, int]
    judged: Sequence[int]
    returned: int
    slots: int


def lay_out(
    ranking: Sequence[str],
    labels: Mapping[str, int],
    *,
    bars: Mapping[str, Bar],
    cut: int,
) -> Layout:
    """Cut a ranking, then find the labels in it. Labels below 0 are read as 0."""
    top = ranking[:cut]
    # Built backwards, so that a repeated passage is known by its first slot.
    first = dict(zip(reversed(top), range(len(top), 0, -1), strict=True))
    placed: dict[int, int] = {}
    judged = []
    for passage_id, gain in labels.items():
        slot = first.get(passage_id)
        if slot is not None:
            judged.append(slot)
        if passage_id in bars:
            continue
        if slot is not None:
            placed[slot] = max(gain, 0)
        elif gain > 0:
            placed[-len(placed) - 1] = gain
    return Layout(placed, judged, len(ranking), len(top))


def measure_queries(
    layouts: Sequence[Layout], measures: Sequence[Measure], *, reading: Reading
) -> Values:
    """The measures of each query, (queries, measures).

    NaN: P/retrieved and Judged where nothing came back. Each layout must have been cut at the
    deepest k or deeper, and have a relevant passage. Raises ValueError for a k below 1.
    """
    if any(each.k < 1 for each in measures):  # pytrec_eval would end the process
        raise ValueError(f"{', '.join(map(str, measures))}: expected every k to be 1 or more")
    found = np.empty((len(layouts), len(measures)))
    if not layouts:
        return found
    evaluated = _evaluate(layouts, measures, reading=reading)
    returned = np.array([layout.returned for layout in layouts])
    for column, (name, k) in enumerate(measures):
        within = np.minimum(returned, k).astype(np.float64)
        within[within == 0] = np.nan
        if name == "Judged":
            known = [sum(slot <= k for slot in layout.judged) for layout in layouts]
            found[:, column] = np.array(known) / within
            continue
        key = _SOURCES[name][1].format(k)
        values = np.array([of[key] if of else 0.0 for of in evaluated])
        if name == "P/retrieved":
            values = values * k / within
        elif name == "RR":
            values[values * k < 1 - 1e-9] = 0.0
        found[:, column] = values
    return found


def _evaluate(
    layouts: Sequence[Layout], measures: Iterable[Measure], *, reading: Reading
) -> list[dict[str, float] | None]:
    """pytrec_eval's answer for each layout; None where nothing came back, which it cannot take."""
    import pytrec_eval

    asked = {
        source if source == "recip_rank" else f"{source}.{k}"
        for name, k in measures
        if name in _SOURCES
        for source in [_SOURCES[name][0]]
    }
    if not asked:
        return [None] * len(layouts)
    deepest = max(layout.slots for layout in layouts)
    names = [str(slot) for slot in range(deepest + 1)]
    # Lists of one length share one run: only the labels tell queries apart.
    runs = {n: {names[slot]: -float(slot) for slot in range(1, n + 1)} for n in range(deepest + 1)}
    labels = {
        str(query): {
            names[slot] if slot > 0 else str(slot): gain for slot, gain in layout.labels.items()
        }
        for query, layout in enumerate(layouts)
        if layout.slots
    }
    run = {str(query): runs[layout.slots] for query, layout in enumerate(layouts) if layout.slots}
    evaluator = pytrec_eval.RelevanceEvaluator(labels, asked, relevance_level=reading.least)
    answers = evaluator.evaluate(run)
    return [answers.get(str(query)) for query in range(len(layouts))]
