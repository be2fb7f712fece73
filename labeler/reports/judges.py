"""Every judge on the same labels: whom the gate trusts, at what price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from labeler.model import Decision
from labeler.reports import agreement
from labeler.stats.evidence import THRESHOLD
from labeler.stats.intervals import Estimate
from labeler.store import costs, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store


@dataclass(frozen=True)
class Candidate:
    """A judge, the gate's decision on it, and US dollars per 1,000 verdicts (None: not known).

    `stands_out`: the cheapest that the gate trusts and that was not only seen on what it was tuned
    on. One of unknown price never does.
    """

    selection: Selection
    n: int
    disagreements: int
    disagreement: Estimate
    decision: Decision
    confirmed: str
    price: float | None
    stands_out: bool = False


def candidates(
    store: Store, *, spotcheck: str | None = None, threshold: float = THRESHOLD
) -> list[Candidate]:
    """All judges, those that pass first and of them the cheapest first."""
    prices = costs.per_verdict(store)
    found = []
    for judged in verdicts.judges(store, answers=None if spotcheck else False):
        selection = Selection(*judged[:3], spotcheck, answers=judged.answers)
        report = agreement.build(store, selection, threshold=threshold, by=())
        rate = report.agreement.weighted_disagreement or report.agreement.disagreement
        price = prices.get((judged.judge, judged.rubric, judged.model))
        found.append(
            Candidate(
                selection,
                report.agreement.n,
                report.agreement.disagreements,
                rate,
                report.gate.decision,
                report.confirmed.status,
                None if price is None else 1000 * price,
            )
        )
    found.sort(key=lambda one: (not _passes(one), one.price is None, one.price or 0.0))
    return [
        replace(one, stands_out=place == 0 and _passes(one) and one.price is not None)
        for place, one in enumerate(found)
    ]


def _passes(one: Candidate) -> bool:
    return one.decision is Decision.TRUSTED and one.confirmed != "only tuned"


def as_json(one: Candidate) -> dict[str, Any]:
    """A judge as JSON."""
    interval = one.disagreement.interval
    return {
        "judge": one.selection.judge,
        "rubric": one.selection.rubric,
        "model": one.selection.model,
        "n": one.n,
        "disagreements": one.disagreements,
        "disagreement": one.disagreement.value,
        "disagreement_interval": list(interval) if interval else None,
        "decision": one.decision,
        "confirmed": one.confirmed,
        "cost_per_1000": one.price,
        "stands_out": one.stands_out,
    }
