"""What the tests of answers share: a corpus, a golden set, answers to it, and a server that finds
claims in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labeler.model import GoldenEntry, Grade, Passage, Query
from labeler.store import corpora, evidence, goldens, queries
from labeler.store.db import Store
from labeler.store.wording import Filters

PASSAGES = [
    Passage("leave", "Everybody has 30 days of leave.", title="Leave"),
    Passage("trial", "In the trial period there is no leave.", title="Trial"),
    Passage("lunch", "Lunch is at noon.", title="Lunch"),
]
QUERIES = [
    Query("q-leave", "How much leave do I have?", kind="multi_passage"),
    Query("q-lunch", "When is lunch?", kind="exact"),
    Query("q-flat", "Where does the founder live?", kind="unanswerable"),
    Query("q-late", "How late is lunch?", kind="exact"),
]
ANSWERS = [
    {
        "query_id": "q-leave",
        "answer": "You have 30 days of leave.",
        "context": [{"passage_id": "leave"}, {"passage_id": "lunch"}],
    },
    {
        "query_id": "q-lunch",
        "answer": "At one.",
        "context": ["From the handbook: Lunch is\n at noon. Ask for more."],
    },
    {"query_id": "q-flat", "answer": "That is not in the handbook.", "context": []},
]
"""Of q-leave one of two needed passages came, the text of q-lunch came without its id, and q-late
has no answer."""


def fill(store: Store) -> None:
    """The corpus, its queries, a golden set of all four, a fact, and what nothing answers."""
    corpora.record(store, PASSAGES, name="handbook")
    queries.record(store, QUERIES)
    entries = [
        GoldenEntry("q-leave", "leave", Grade.YES),
        GoldenEntry("q-leave", "trial", Grade.YES),
        GoldenEntry("q-lunch", "lunch", Grade.YES),
        GoldenEntry("q-flat", "", None),
        GoldenEntry("q-late", "lunch", Grade.YES),
    ]
    goldens.record(store, "support", entries, origin="test", person="lead")
    evidence.note_fact(store, "q-lunch", text="lunch is at noon", passages=["lunch"], person="rita")
    evidence.keep_search(
        store,
        "q-flat",
        text="founder",
        filters=Filters(),
        with_all=0,
        with_some=0,
        top=[],
        person="rita",
    )
    evidence.decide(
        store,
        "q-flat",
        outcome=evidence.Outcome.UNANSWERABLE,
        reason="no passage says it",
        person="rita",
    )


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def case(params: dict[str, Any]) -> dict[str, Any]:
    """What a request told of its answer."""
    turn = params["messages"][0]["content"]
    found = json.loads(turn.partition("<case>\n")[2].partition("\n</case>")[0])
    assert isinstance(found, dict)
    return found


def claims(params: dict[str, Any]) -> dict[str, Any]:
    """The claims that the server finds: each sentence, supported where a passage has its words."""
    told = case(params)
    sentences = [part.strip() for part in told["answer"].split(".") if part.strip()]
    if "not in the handbook" in told["answer"]:
        return {"refuses": True, "claims": []}
    found = []
    for sentence in sentences:
        words = {word.lower() for word in sentence.split()} - {"you", "have", "at"}
        numbers = [
            one["number"]
            for one in told["context"]
            if words <= set(one["text"].lower().replace(".", "").split())
        ]
        support = "supported" if numbers else "not found"
        found.append({"claim": sentence, "support": support, "passages": numbers})
    return {"refuses": False, "claims": found}
