"""What the tests of judging share: a store with pairs, and a judge on a loopback server."""

from __future__ import annotations

from typing import Any

from labeler.judges import prices, service, shipped
from labeler.judges.base import Model
from labeler.judges.claude import Claude
from labeler.judges.service import Key, Line
from labeler.model import Passage, Query, RunRow
from labeler.store import corpora, queries, runs
from labeler.store.db import Store
from tests.servers.answers import KEY
from tests.servers.claude import Claude as Server

MODEL = Model("claude-haiku-5-5")
PRICE = prices.table()[MODEL.id]

assert service.KEY == "ANTHROPIC_API_KEY"


def fill(store: Store, pairs: int, *, twins: int = 0) -> None:
    """`pairs` candidates of 5 a query; `twins` further ones hold the texts of the first ones."""
    passages = [Passage(f"p{i}", f"Passage number {i}.") for i in range(pairs)]
    passages += [Passage(f"twin{i}", f"Passage number {i}.") for i in range(twins)]
    corpora.record(store, passages, name="corpus")
    asked = range(max(1, (pairs + 4) // 5))
    queries.record(store, [Query(f"q{i}", f"What is number {i}?") for i in asked])
    rows = [RunRow(f"q{i // 5}", f"p{i}", i % 5 + 1) for i in range(pairs)]
    rows += [RunRow(f"q{i // 5}", f"twin{i}", i % 5 + 6) for i in range(twins)]
    runs.record(store, rows, system="bm25")
    runs.pool(store)


def claude(server: Server, *, model: Model = MODEL, rubric: Any = None, **options: Any) -> Claude:
    """A judge on the server, one call at a time and with short patience unless told."""
    timing = {"timeout": 10.0, "attempts": 2, "backoff": 0.01, "patience": 0.5, "grace": 5.0}
    timing.update({name: options.pop(name) for name in list(options) if name in timing})
    line = Line(Key(KEY), base_url=server.url, **timing)
    chosen: dict[str, Any] = {"price": PRICE, "concurrency": 1, **options}
    return Claude(line, model=model, rubric=rubric or shipped.rubric("relevance"), **chosen)
