"""From settings to a judge that is ready to be asked: key, model and price are checked first."""

from __future__ import annotations

from typing import NamedTuple

from labeler import judging
from labeler.config import Config
from labeler.errors import LabelerError
from labeler.judges import prices, service
from labeler.judges.base import Model
from labeler.judges.calls import CONCURRENCY
from labeler.judges.claude import DEFAULT_MODEL, Claude
from labeler.judges.service import Line
from labeler.store.db import Store


def model_id(config: Config, asked: str | None = None) -> str:
    """The Claude model: as asked, else LABELER_MODEL, labeler.toml or the default."""
    return config.setting("model", asked or None, default=DEFAULT_MODEL)


def line(config: Config) -> Line:
    """How to reach the service; raises in words, with nothing sent, where the key won't do."""
    return Line(
        service.key(config.environment),
        base_url=config.environment.get("ANTHROPIC_BASE_URL") or None,
        timeout=_seconds(config, "timeout", 60.0),
        patience=_seconds(config, "patience", 900.0),
    )


def _seconds(config: Config, name: str, default: float) -> float:
    text = config.setting(name, default=str(default))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise LabelerError(f"{name} is {text!r}, expected seconds above 0")
    return seconds


class Reached(NamedTuple):
    """A service that can be asked, and the model as it described it."""

    line: Line
    model: Model


def reach(config: Config, *, model: str | None = None, max_cost: float | None = None) -> Reached:
    """Check key, price and model; what fails is said before any pair is sent.

    Raises LabelerError where the key or the price that a budget needs is missing, and
    JudgeServiceError where the service will not have the key or does not know the model.
    """
    name = model_id(config, model)
    if max_cost is not None and name not in prices.table(config.table("prices")):
        raise LabelerError(
            f"A budget needs a price of {name}: put it into [prices] of labeler.toml"
        )
    reached = line(config)
    return Reached(reached, reached.look_up(name))


def unreached(config: Config, *, model: str | None = None) -> Reached:
    """Without a key: good for building requests and for nothing else."""
    return Reached(Line(service.Key("-")), Model(model_id(config, model)))


class Asked(NamedTuple):
    """A service for a dry run. `why` says why it is not reached, "" where it is."""

    reached: Reached
    why: str


def reach_if_keyed(config: Config, *, model: str | None = None) -> Asked:
    """As `reach`, but without a key what `unreached` gives: enough to say what a run would cost."""
    try:
        service.key(config.environment)
    except LabelerError as error:
        return Asked(unreached(config, model=model), str(error))
    return Asked(reach(config, model=model), "")


def seat(
    store: Store,
    config: Config,
    reached: Reached,
    *,
    rubric: str = "",
    max_cost: float | None = None,
    concurrency: int | None = None,
) -> Claude:
    """The Claude judge with its rubric and its price; asks nothing."""
    return Claude(
        reached.line,
        model=reached.model,
        rubric=judging.rubric(store, rubric),
        price=prices.table(config.table("prices")).get(reached.model.id),
        concurrency=concurrency or CONCURRENCY,
        max_cost=max_cost,
    )
