"""The rubric workshop: two rubric versions, judges or models on the same labelled pairs.

What is looked at while a rubric is mended are the pairs to tune on. Whether it is mended, the
held-out pairs say, and each look at them is stored with its number (`confirm`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labeler.errors import LabelerError
from labeler.reports.render import judge_name
from labeler.stats import comparison
from labeler.stats.agreement import SIGNIFICANT
from labeler.stats.parts import Part, in_part
from labeler.store import contrasts, costs, looks, spotchecks, verdicts
from labeler.store.comparison import Selection
from labeler.store.contrasts import Beside
from labeler.store.db import Store
from labeler.store.looks import Look

FIXED, BROKEN, UNCHANGED = "fixed", "broken", "unchanged"
"""What became of a pair: wrong and now right, right and now wrong, neither."""


class Slice(NamedTuple):
    """The pairs of one kind, source or first verdict: how often each judge is wrong, and the
    exact McNemar p, adjusted by Holm for all slices; both None under 10 pairs ("too few")."""

    name: str
    value: str
    n: int
    first: int
    second: int
    fixed: int
    broken: int
    p: float | None
    p_holm: float | None


@dataclass(frozen=True)
class Workshop:
    """Two judges on one part of the labelled pairs. `better` is "first", "second" or "": only what
    both the interval over queries and McNemar's test show (six pairs are the fewest that can).

    `held_out` pairs were not looked at. `cases` are the pairs looked at, and `look` what a look at
    held-out pairs was stored as; then there are no cases. Prices are US dollars per 1,000 verdicts.
    """

    first: Selection
    second: Selection
    part: Part
    compared: comparison.Comparison
    better: str
    cases: list[Beside]
    slices: list[Slice]
    held_out: int
    examples: int
    first_price: float | None
    second_price: float | None
    look: Look | None = None

    @property
    def fixed(self) -> int:
        """Pairs on which the first is wrong and the second right."""
        return self.compared.only_second

    @property
    def broken(self) -> int:
        """Pairs on which the first is right and the second wrong."""
        return self.compared.only_first

    @property
    def unchanged(self) -> int:
        """The other pairs."""
        return self.compared.n - self.fixed - self.broken


def choose(
    store: Store,
    first: str,
    second: str,
    *,
    judge: str | None = None,
    model: str | None = None,
    spotcheck: str | None = None,
) -> tuple[Selection, Selection]:
    """Who is compared with whom. Each is named by a rubric (`NAME@V`, or `NAME` in the newest
    version that has verdicts), a judge or a model; both by the same judge and model where one has
    used both.
    """
    if spotcheck is not None:
        spotchecks.named(store, spotcheck)
    known = [
        found
        for found in verdicts.judges(store, answers=None)
        if judge in (None, found.judge) and model in (None, found.model)
    ]
    one, other = _called(known, first), _called(known, second)
    for name, found in ((first, one), (second, other)):
        if not found:
            names = ", ".join(judge_name(*f[:3]) for f in known) or "none"
            raise LabelerError(f"There are no verdicts of {name!r}; known: {names}")
    chosen = min(
        ((a, b) for a in one for b in other if spotcheck or a.answers == b.answers),
        key=lambda both: (
            both[0][:3] == both[1][:3],
            both[0].judge != both[1].judge,
            both[0].model != both[1].model,
            one.index(both[0]) + other.index(both[1]),
        ),
        default=None,
    )
    if chosen is None:
        raise LabelerError(f"One of {first} and {second} judged answers, the other passages")
    a, b = chosen
    if a[:3] == b[:3]:
        raise LabelerError(f"{first} and {second} are the same: {judge_name(*a[:3])}")
    return (
        Selection(*a[:3], spotcheck, answers=a.answers),
        Selection(*b[:3], spotcheck, answers=b.answers),
    )


def _called(known: Sequence[verdicts.Judged], name: str) -> list[verdicts.Judged]:
    """Those of that name, the newest first; of a rubric without a version the highest."""
    versions = [f for f in known if f.rubric == name or f.rubric.rpartition("@")[0] == name != ""]
    if versions:
        newest = max(_version(found.rubric) for found in versions)
        return [found for found in versions if _version(found.rubric) == newest]
    return [found for found in known if name in (found.judge, found.model, judge_name(*found[:3]))]


def _version(rubric: str) -> int:
    version = rubric.rpartition("@")[2]
    return int(version) if version.isdecimal() else 0


def default_part(store: Store, selection: Selection) -> Part:
    """What is looked at where nothing is said: the pairs to tune on; all before there is any spot
    check, which is a look at what could be held out as well."""
    drawn = selection.spotcheck is not None or bool(spotchecks.history(store))
    return Part.TUNE if drawn else Part.ALL


def build(store: Store, first: Selection, second: Selection, *, seed: int = 0) -> Workshop:
    """Compare on the pairs to tune on. Nothing of the held-out pairs is in it but their number."""
    found = contrasts.contrast(store, first, second)
    return _workshop(store, first, second, found, part=Part.TUNE, seed=seed)


def confirm(
    store: Store,
    first: Selection,
    second: Selection,
    *,
    part: Part = Part.HELD_OUT,
    person: str = "",
    seed: int = 0,
) -> Workshop:
    """Look at held-out pairs (`Part.ALL`: at them and at the others) and store that it was done.

    The second is confirmed where it is shown to be better, with McNemar's p multiplied by the
    number of looks that these pairs have had. Raises LabelerError where there is no such pair.
    """
    found = contrasts.contrast(store, first, second)
    made = _workshop(store, first, second, found, part=part, seed=seed)
    pairs = [one.pair for one in found.pairs if in_part(one.need_id, part)]
    if not pairs:
        if part is Part.ALL:
            raise LabelerError("No pair has a label and the verdicts of both")
        raise LabelerError(
            "No held-out pair has a label and the verdicts of both: judge the held-out pairs with "
            "both, or draw more of them"
        )
    compared, number = made.compared, looks.earlier(store, pairs) + 1
    reading = "not confirmed"
    if part is Part.HELD_OUT and better(compared, look=number) == "second":
        reading = "confirmed"
    elif compared.difference.value is not None and compared.difference.value > 0:
        reading = "worse"
    interval = compared.difference.interval
    look = Look(
        str(part),
        second.spotcheck or "",
        judge_name(first.judge, first.rubric, first.model),
        judge_name(second.judge, second.rubric, second.model),
        second.rubric,
        number,
        compared.n,
        sum(one.human != one.second for one in found.pairs if in_part(one.need_id, part)),
        compared.only_first,
        compared.only_second,
        compared.p,
        compared.difference.value,
        interval.lo if interval else None,
        interval.hi if interval else None,
        reading,
        person,
    )
    kept = looks.record(store, look, pairs)
    shown = made.cases if part is Part.ALL else []
    return Workshop(**{**vars(made), "look": kept, "cases": shown})


def _workshop(
    store: Store,
    first: Selection,
    second: Selection,
    found: contrasts.Contrast,
    *,
    part: Part,
    seed: int,
) -> Workshop:
    pairs = [one for one in found.pairs if in_part(one.need_id, part)]
    prices = costs.per_verdict(store)
    compared = _compared(pairs, found, seed=seed)
    return Workshop(
        first,
        second,
        part,
        compared,
        better(compared),
        pairs,
        _slices(pairs),
        len(found.pairs) - len(pairs) if part is Part.TUNE else 0,
        len(found.examples),
        _per_thousand(prices, first),
        _per_thousand(prices, second),
    )


def _compared(
    pairs: Sequence[Beside], found: contrasts.Contrast, *, seed: int
) -> comparison.Comparison:
    """The statistics; a spot check's pairs weigh what their stratum holds by how many of it are
    here."""
    number = {query: place for place, query in enumerate(sorted({one.query_id for one in pairs}))}
    sizes = {stratum.stratum: stratum.size for stratum in found.strata}
    drawn = Counter(one.stratum for one in pairs)
    weights = np.array([sizes.get(p.stratum, 0) / drawn[p.stratum] for p in pairs], dtype=float)
    same = not sizes or not len(weights) or np.allclose(weights, weights[0])
    return comparison.compare(
        np.array([one.human.gain for one in pairs], dtype=np.intp),
        np.array([one.first.gain for one in pairs], dtype=np.intp),
        np.array([one.second.gain for one in pairs], dtype=np.intp),
        queries=np.array([number[one.query_id] for one in pairs], dtype=np.intp),
        weights=None if same else weights,
        seed=seed,
    )


def better(compared: comparison.Comparison, *, look: int = 1) -> str:
    """Which of two is shown to be better, "" where none is: the interval over queries decides, and
    McNemar's p times the number of looks must be below .05, so that no five pairs decide alone."""
    if compared.p * look >= SIGNIFICANT or compared.reading not in ("first", "second"):
        return ""
    return compared.reading


def outcome(one: Beside) -> str:
    """FIXED, BROKEN or UNCHANGED."""
    if (one.first == one.human) == (one.second == one.human):
        return UNCHANGED
    return FIXED if one.second == one.human else BROKEN


def _slices(pairs: Sequence[Beside]) -> list[Slice]:
    """By kind, source and the first judge's verdict, the largest first; Holm over all of them."""
    found = []
    for name in ("kind", "source", "first"):
        groups: dict[str, list[Beside]] = {}
        for one in pairs:
            groups.setdefault(str(getattr(one, name)), []).append(one)
        for value in sorted(groups, key=lambda value: (-len(groups[value]), value)):
            found.append(_slice("verdict" if name == "first" else name, value, groups[value]))
    ps = [part.p for part in found if part.p is not None]
    adjusted = iter(comparison.holm(ps))
    return [part if part.p is None else part._replace(p_holm=next(adjusted)) for part in found]


def _slice(name: str, value: str, pairs: Sequence[Beside]) -> Slice:
    counts = Counter(map(outcome, pairs))
    fixed, broken = counts[FIXED], counts[BROKEN]
    p = comparison.mcnemar(broken, fixed) if len(pairs) >= comparison.TOO_FEW else None
    wrong = [sum(getattr(one, who) != one.human for one in pairs) for who in ("first", "second")]
    return Slice(name, value, len(pairs), wrong[0], wrong[1], fixed, broken, p, None)


def _per_thousand(prices: dict[tuple[str, str, str], float], selection: Selection) -> float | None:
    one = prices.get((selection.judge, selection.rubric, selection.model))
    return None if one is None else 1000 * one


ORDER = {FIXED: 1, BROKEN: 0, UNCHANGED: 2}
"""Broken pairs are read first."""


def ordered(cases: Sequence[Beside]) -> list[Beside]:
    """The pairs as they are read: broken, fixed, unchanged; the widest apart from people first."""

    def key(one: Beside) -> tuple[int, int, str, str]:
        apart = abs(one.human.gain - one.second.gain)
        return ORDER[outcome(one)], -apart, one.query_id, one.passage_id

    return sorted(cases, key=key)
