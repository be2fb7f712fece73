"""What a run would cost, without buying anything.

Input tokens are counted by the service on a sample of the requests, for each model by itself; where
there is no key they are estimated at three bytes a token. Output is what replies of this model took
so far, else a fixed estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from labeler.errors import JudgeServiceError
from labeler.judges import prices
from labeler.judges.base import Asked, Request
from labeler.judges.claude import Claude, Count
from labeler.sifting import Need, Survey, pending, survey
from labeler.store.db import Store
from labeler.store.pairs import POOL, Scope

SAMPLE = 5
"""Requests that the service counts for each model."""

BYTES_A_TOKEN = 3.0
OUTPUT_TOKENS = 120
"""A short thought, a grade and one sentence."""


class Estimate(NamedTuple):
    """What the requests would take with one model. US dollars; None where no price is known."""

    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    single: float | None
    batch: float | None
    counted: bool


class DryRun(NamedTuple):
    """What a scope's pairs need, and what that would cost with each model; the chosen one first."""

    survey: Survey
    requests: int
    estimates: list[Estimate]
    remark: str = ""


def dry_run(
    store: Store,
    judge: Claude,
    *,
    table: Mapping[str, prices.Price],
    scope: Scope = POOL,
    limit: int | None = None,
    retry_unreadable: bool = False,
    count: Count | None = None,
) -> DryRun:
    """Count what would be asked, and estimate what it would cost.

    `count` None: no key, so estimate.
    """
    found = survey(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    total = found.needs[Need.REPLY]
    requests = total if limit is None else min(limit, total)
    todo = pending(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    size, sample = _sampled(islice(todo, requests), requests)
    estimates, remark = [], ""
    for model in [judge.model_id, *(name for name in table if name != judge.model_id)]:
        tokens, counted = size / BYTES_A_TOKEN, False
        if count is not None and sample:
            try:
                tokens, counted = size * _ratio(sample, model, count), True
            except JudgeServiceError as error:
                remark = remark or f"{model} is estimated: {error}"
        output = requests * _output(store, model)
        price = table.get(model)
        estimates.append(
            Estimate(
                model,
                requests,
                round(tokens),
                output,
                _cost(price, requests, tokens, output),
                _cost(price, requests, tokens, output, batch=True),
                counted,
            )
        )
    return DryRun(found, requests, estimates, remark)


def _sampled(todo: Iterable[Asked], total: int) -> tuple[int, list[Request]]:
    """The bytes of all requests, and some of them evenly spread."""
    step = max(1, total // SAMPLE)
    size, sample = 0, list[Request]()
    for place, asked in enumerate(todo):
        size += asked.request.size
        if place % step == 0 and len(sample) < SAMPLE:
            sample.append(asked.request)
    return size, sample


def _ratio(sample: list[Request], model: str, count: Count) -> float:
    """Tokens a byte."""
    return sum(count(one, model) for one in sample) / sum(one.size for one in sample)


def _output(store: Store, model: str) -> int:
    row = store.row(
        "select avg(output_tokens) from verdicts where model = $1 and output_tokens > 0", [model]
    )
    return OUTPUT_TOKENS if row is None or row[0] is None else round(float(row[0]))


def _cost(
    price: prices.Price | None, requests: int, tokens: float, output: int, *, batch: bool = False
) -> float | None:
    if requests == 0:
        return None if price is None else 0.0
    usage = {"input_tokens": round(tokens / requests), "output_tokens": round(output / requests)}
    one = prices.cost(price, usage, batch=batch)
    return None if one is None else one * requests
