"""What a model's tokens cost, as a dated table that `[prices]` in labeler.toml overrides.

[prices."claude-haiku-5-5"]
input = 0.10            # US dollars per million tokens
output = 0.50
cache_read = 0.01       # optional, as are the rest
cache_write = 0.125
batch = 0.5             # factor of a message batch
long_over = 100000      # prompts longer than this many tokens ...
long_factor = 5         # ... cost this many times as much
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from labeler.errors import LabelerError

AS_OF = date(2026, 10, 16)
"""When the table was last compared with the service's price list."""

_MILLION = 1_000_000
_MOST_TOKENS = 1_000_000_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; the factors are plain numbers."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    batch: float = 0.5
    long_over: float = math.inf
    long_factor: float = 1.0


TABLE: Mapping[str, Price] = {
    "claude-haiku-5-5": Price(0.10, 0.50, 0.01, 0.125, long_over=100_000, long_factor=5.0),
    "claude-sonnet-5-5": Price(2.0, 10.0, 0.10, 2.50),
    "claude-opus-5-5": Price(4.0, 20.0, 0.20, 5.00),
    "claude-opus-5": Price(5.0, 25.0, 0.50, 6.25),
}
"""The models that the product knows, cheapest first."""


def table(override: Mapping[str, Any] | None = None) -> dict[str, Price]:
    """The price of each model, with `override` (model to field to number) laid over the table."""
    prices = dict(TABLE)
    names = [field.name for field in fields(Price)]
    for model, given in (override or {}).items():
        if not isinstance(given, Mapping):
            raise LabelerError(f'[prices."{model}"] needs at least input and output')
        for name, value in given.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if name not in names or not number or not 0 <= value < math.inf:
                raise LabelerError(
                    f'[prices."{model}"] {name} = {value!r}: expected a number of at least 0 '
                    f"under one of {', '.join(names)}"
                )
        prices[model] = _laid_over(model, prices.get(model), given)
    return prices


def _laid_over(model: str, known: Price | None, given: Mapping[str, float]) -> Price:
    if known is None:
        if not {"input", "output"} <= given.keys():
            raise LabelerError(f'[prices."{model}"] needs at least input and output')
        known = Price(given["input"], given["output"], given["input"], given["input"] * 1.25)
    return replace(known, **given)


def cost(
    price: Price | None, usage: Mapping[str, Any] | None, *, batch: bool = False
) -> float | None:
    """US dollars for the tokens in `usage` (the service's account).

    None where price or tokens are unknown.
    """
    if price is None or usage is None:
        return None
    spent = {
        "input_tokens": price.input,
        "output_tokens": price.output,
        "cache_read_input_tokens": price.cache_read,
        "cache_creation_input_tokens": price.cache_write,
    }
    counts = {name: tokens(usage, name) for name in spent}
    if counts["input_tokens"] is None or counts["output_tokens"] is None:
        return None
    prompt = sum(count or 0 for name, count in counts.items() if name != "output_tokens")
    factor = price.long_factor if prompt > price.long_over else 1.0
    dollars = sum((counts[name] or 0) * rate for name, rate in spent.items()) / _MILLION
    return dollars * factor * (price.batch if batch else 1.0)


def tokens(usage: Mapping[str, Any] | None, name: str) -> int | None:
    """A count in `usage`; None where it is missing or no count that a call can come to."""
    value = (usage or {}).get(name)
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else None


def worst(price: Price, size: int, *, max_tokens: int, batch: bool = False) -> float:
    """US dollars that a request of `size` bytes can cost at most, at two bytes a token."""
    usage = {"input_tokens": size // 2 + 500, "output_tokens": max_tokens}
    return cost(price, usage, batch=batch) or 0.0
