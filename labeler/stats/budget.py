"""Recall against what it costs the reader: lists cut at equal k, and at equal tokens.

Two systems with passages of different length are not compared fairly at equal k: the one with the
longer passages delivers more text. Cut at a budget of tokens they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from labeler.stats import bootstrap
from labeler.stats.eligibility import Barred
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Golden, Reading, Run, lay_out
from labeler.stats.needs import mean_over_needs, need_means, need_numbers


class BudgetPoint(NamedTuple):
    """The lists under one cut: the mean recall, and the mean tokens and passages delivered, all
    over needs. `limit` is the k or the number of tokens. `unknown` queries had a passage of unknown
    length at or before their cut and are in no mean."""

    limit: int
    recall: Estimate
    tokens: Estimate
    passages: Estimate
    queries: int
    unknown: int


def at_tokens(
    golden: Golden,
    run: Run,
    tokens: Mapping[str, int],
    *,
    budgets: Sequence[int],
    reading: Reading = Reading.STRICT,
    barred: Barred | None = None,
    needs: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> list[BudgetPoint]:
    """Recall of the passages that fit each budget: each list is cut before the first passage that
    would go over it. A repeated or barred passage costs its tokens and gains nothing."""
    curves = _curves(golden, run, tokens, reading=reading, barred=barred or {})
    cuts = [[of.within(budget) for of in curves.values()] for budget in budgets]
    return _points(curves, budgets, cuts, needs=needs or {}, seed=seed, draws=draws)


def at_cutoffs(
    golden: Golden,
    run: Run,
    tokens: Mapping[str, int],
    *,
    ks: Sequence[int],
    reading: Reading = Reading.STRICT,
    barred: Barred | None = None,
    needs: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = bootstrap.DRAWS,
) -> list[BudgetPoint]:
    """Recall of the top k for each k, with the tokens that it delivers: the same plot's other
    reading."""
    curves = _curves(golden, run, tokens, reading=reading, barred=barred or {})
    cuts = [[of.top(k) for of in curves.values()] for k in ks]
    return _points(curves, ks, cuts, needs=needs or {}, seed=seed, draws=draws)


class _Curve(NamedTuple):
    """One query by number of passages delivered, from 0: relevant found, tokens spent. Tokens stop
    before the first passage of unknown length."""

    relevant: int
    found: Sequence[int]
    spent: Sequence[int]

    def top(self, k: int) -> int | None:
        """How many passages the top k are; None when one has an unknown length."""
        k = min(k, len(self.found) - 1)
        return k if k < len(self.spent) else None

    def within(self, budget: int) -> int | None:
        """How many passages fit; None when the first that might not has an unknown length."""
        fit = int(np.searchsorted(self.spent, budget, side="right")) - 1
        known = len(self.spent) == len(self.found)
        return fit if known or fit < len(self.spent) - 1 else None


def _curves(
    golden: Golden, run: Run, tokens: Mapping[str, int], *, reading: Reading, barred: Barred
) -> dict[str, _Curve]:
    """The answerable queries."""
    curves = {}
    for query_id, labels in golden.items():
        ranking = run.get(query_id, ())
        layout = lay_out(ranking, labels, bars=barred.get(query_id, {}), cut=len(ranking))
        relevant = [slot for slot, gain in layout.labels.items() if gain >= reading.least]
        if not relevant:
            continue
        hits = [0] * (len(ranking) + 1)
        for slot in relevant:
            if slot > 0:
                hits[slot] = 1
        lengths = [tokens.get(passage_id) for passage_id in ranking]
        stop = lengths.index(None) if None in lengths else len(lengths)
        spent = list(accumulate(chain([0], (n for n in lengths[:stop] if n is not None))))
        curves[query_id] = _Curve(len(relevant), list(accumulate(hits)), spent)
    return curves


def _points(
    curves: Mapping[str, _Curve],
    limits: Sequence[int],
    cuts: Sequence[Sequence[int | None]],
    *,
    needs: Mapping[str, str],
    seed: int,
    draws: int,
) -> list[BudgetPoint]:
    numbers = need_numbers(list(curves), needs)
    points = []
    for limit, cut in zip(limits, cuts, strict=True):
        values = np.full((len(curves), 3), np.nan)
        for row, (of, top) in enumerate(zip(curves.values(), cut, strict=True)):
            if top is not None:
                values[row] = of.found[top] / of.relevant, of.spent[top], top
        unknown = cut.count(None)
        rows = need_means(values, numbers)
        reason = "every list has a passage of unknown length" if unknown else "no relevant passage"
        recall, spent, many = mean_over_needs(rows, seed=seed, draws=draws, reason=reason)
        points.append(BudgetPoint(limit, recall, spent, many, len(curves) - unknown, unknown))
    return points
