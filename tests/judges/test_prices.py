"""The price table and what a reply's tokens cost."""

from __future__ import annotations

import pytest

from labeler.errors import LabelerError
from labeler.judges import prices
from labeler.judges.spending import Spending


def test_a_reply_costs_its_tokens_at_the_models_price():
    # haiku: 1,000 in at $0.10 and 40 out at $0.50 a million: .0001 + .00002
    haiku = prices.table()["claude-haiku-5-5"]
    usage = {"input_tokens": 1000, "output_tokens": 40}
    assert prices.cost(haiku, usage) == pytest.approx(0.00012)
    assert prices.cost(haiku, usage, batch=True) == pytest.approx(0.00006)


def test_a_long_prompt_costs_the_long_price_and_cached_tokens_their_own():
    haiku = prices.table()["claude-haiku-5-5"]
    # 100,001 tokens are over the limit: five times .10 and .50 a million
    usage = {"input_tokens": 100_001, "output_tokens": 100}
    assert prices.cost(haiku, usage) == pytest.approx((100_001 * 0.5 + 100 * 2.5) / 1e6)
    opus = prices.table()["claude-opus-5-5"]
    cached = {"input_tokens": 10, "output_tokens": 10, "cache_read_input_tokens": 1000}
    assert prices.cost(opus, cached) == pytest.approx((10 * 4 + 10 * 20 + 1000 * 0.2) / 1e6)


@pytest.mark.parametrize(
    "usage",
    [
        *(None, {}, {"input_tokens": 5}, {"input_tokens": "5"}),
        {"input_tokens": 10**400, "output_tokens": 1},
        {"input_tokens": -1, "output_tokens": 1},
    ],
)
def test_a_cost_without_an_account_of_tokens_is_unknown_and_not_zero(usage):
    assert prices.cost(prices.table()["claude-opus-5"], usage) is None
    assert prices.cost(None, {"input_tokens": 1, "output_tokens": 1}) is None


def test_the_table_of_labeler_toml_wins_and_can_name_other_models():
    told = {"claude-haiku-5-5": {"input": 1.0}, "claude-next": {"input": 2.0, "output": 8.0}}
    table = prices.table(told)
    assert (table["claude-haiku-5-5"].input, table["claude-haiku-5-5"].output) == (1.0, 0.5)
    assert (table["claude-next"].output, table["claude-next"].cache_write) == (8.0, 2.5)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"claude-next": {"input": 2.0}}, "needs at least input and output"),
        ({"claude-next": 2.0}, "needs at least input and output"),
        ({"claude-opus-5": {"input": -1}}, "input = -1"),
        ({"claude-opus-5": {"input": "cheap"}}, "input = 'cheap'"),
        ({"claude-opus-5": {"inptu": 1}}, "inptu = 1"),
        ({"claude-opus-5": {"batch": float("nan")}}, "batch = nan"),
    ],
)
def test_a_price_that_is_no_price_is_named(told, words):
    with pytest.raises(LabelerError, match=words):
        prices.table(told)


def test_a_budget_counts_the_worst_case_of_what_is_in_flight():
    budget = Spending(1.0)
    budget.reserve(0.4)
    budget.reserve(0.4)
    assert not budget.fits(0.4)  # .8 in flight and .4 more are over 1
    budget.settle(0.4, 0.1)
    assert budget.fits(0.4)  # .1 spent, .4 in flight
    budget.lost(0.6)  # a timeout that may be charged
    assert not budget.fits(0.1)
    assert not budget.idle
    budget.settle(0.4, None)
    assert (budget.idle, budget.known, budget.unpriced) == (True, 0.1, 1)
    assert budget.uncertain == pytest.approx(1.0)
