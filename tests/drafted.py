"""What the tests of drafting share: a corpus, and what a loopback server writes of it."""

from __future__ import annotations

import json
from typing import Any

from labeler import drafting
from labeler.drafting import Done, Wanted
from labeler.judges import prices, shipped
from labeler.judges.base import Model
from labeler.judges.service import Key, Line
from labeler.judges.writer import Writer
from labeler.model import Passage
from labeler.store import corpora
from labeler.store.db import Store
from tests.servers.answers import GRADES, KEY, graded
from tests.servers.claude import Claude

MODEL = Model("claude-haiku-5-5")
ABOUT = ("relay", "ledger", "payroll", "scanner", "archive", "gateway", "billing", "roster")
TALE = (
    "The {0} stops with ERR-{1} as soon as its disk is full. Free {1} megabytes and start the {0} "
    "anew; nothing that it had taken over before is lost, for it writes each batch twice."
)


def passages(many: int = 8) -> list[Passage]:
    """Passages in two sections, each with an error code of its own."""
    return [
        Passage(
            f"p{i}",
            TALE.format(ABOUT[i % len(ABOUT)] * (1 + i // len(ABOUT)), 4000 + i),
            title=f"The {ABOUT[i % len(ABOUT)]} {i}",
            source_uri=f"docs/{'ops' if i % 2 else 'finance'}/page-{i}",
            locator="char=10,20",
        )
        for i in range(many)
    ]


def fill(store: Store, many: int = 8) -> None:
    """The corpus."""
    corpora.record(store, passages(many), name="manual")


def material(params: dict[str, Any]) -> Any:
    """What a request holds between its tags."""
    return json.loads(params["messages"][0]["content"].split("\n")[1])


def wrote(params: dict[str, Any]) -> dict[str, Any]:
    """Drafts that pass every check but the judge's: each names what its passage is about."""
    told, asked = material(params), params["output_config"]["format"]["schema"]["properties"]
    if "queries" in asked:
        name = told["title"].split()[1]
        texts = {
            "paraphrase": f"{name} hangs because storage ran out",
            "exact": f"{told['identifiers'][0]} meaning" if told["identifiers"] else "",
        }
        return {"queries": [{"kind": kind, "text": texts[kind]} for kind in told["kinds"]]}
    if "missing" in asked:
        return {"text": f"holidays of people at {told['text']['title']}", "missing": "holidays"}
    return {"known": False, "answer": ""}


def server(grade: str = "YES", **options: Any) -> Claude:
    """A server that drafts, and whose judge always says `grade`."""
    assert grade in GRADES
    return Judging(grade, write=wrote, **options)


class Judging(Claude):
    """A server with a judge of one mind."""

    def __init__(self, grade: str, **options: Any) -> None:
        super().__init__(**options)
        self._grade = grade

    def _reply(self, params: dict[str, Any]) -> str:
        schema = params["output_config"]["format"]["schema"]
        return graded(self._grade) if "grade" in schema["properties"] else super()._reply(params)


def writer(at: Claude, **options: Any) -> Writer:
    """A writer on the server, one call at a time and with short patience unless told."""
    timing = {"timeout": 10.0, "attempts": 2, "backoff": 0.01, "patience": 0.5, "grace": 5.0}
    timing.update({name: options.pop(name) for name in list(options) if name in timing})
    line = Line(Key(KEY), base_url=at.url, **timing)
    chosen = {"price": prices.table()[MODEL.id], "concurrency": 1, **options}
    return Writer(line, model=MODEL, **chosen)


def draft(store: Store, at: Claude, wanted: Wanted | None = None, **options: Any) -> Done:
    """A whole run."""
    told = {
        name: options.pop(name) for name in ("limit", "retry_unreadable", "stop") if name in options
    }
    wanted = wanted or Wanted(n=4)
    rubric = shipped.rubric("relevance")
    assert rubric is not None
    drawn = drafting.draw(store, wanted)
    return drafting.run(store, writer(at, **options), drawn, wanted, rubric=rubric, **told)
