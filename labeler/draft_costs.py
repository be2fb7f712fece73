"""What drafting would take, stage by stage, without buying anything.

The drafts that are still to come are checked as well: they stand in as queries of EXPECTED
characters, about the passages drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import NamedTuple

from labeler import asking, draft_checks
from labeler.asking import Estimate
from labeler.draft_checks import ANSWERED, FROM_NOTHING, PURPOSES, TOP, UNANSWERED
from labeler.drafting import MISSING, PASSAGES, Drawn, Wanted, asked
from labeler.estimating import OUTPUT_TOKENS
from labeler.judges import drafts as prompts
from labeler.judges import prices
from labeler.judges.base import Model
from labeler.judges.writer import Prompt
from labeler.model import Passage, Rubric
from labeler.store.db import Store

EXPECTED = 80
"""Characters of a query that is not yet written."""

A_QUERY, A_LINE = 60, 60
"""Output tokens of a drafted query, and of an answer from nothing."""


class Stage(NamedTuple):
    """What a stage would take; `expected` of its requests are for drafts still to come."""

    name: str
    estimate: Estimate
    expected: int


def plan(
    store: Store,
    model: Model,
    drawn: Drawn,
    wanted: Wanted,
    *,
    rubric: Rubric,
    price: prices.Price | None,
    limit: int | None = None,
    retry_unreadable: bool = False,
) -> list[Stage]:
    """The stages in their order. Input is estimated at three bytes a token."""
    wants = asked(model, drawn, wanted)
    todo = {
        purpose: asking.pending(store, some, purpose=purpose, retry_unreadable=retry_unreadable)
        for purpose, some in ((PASSAGES, wants.passages), (MISSING, wants.missing))
    }
    known = {one.passage_id: one for one in drawn.passages}
    to_come = [known[one.subject] for one in todo[PASSAGES] for _ in range(wanted.per_passage)]
    missing = list(islice(cycle(drawn.passages), TOP * len(todo[MISSING])))
    outputs = {PASSAGES: A_QUERY * wanted.per_passage, MISSING: 2 * A_QUERY}
    stages = [(name, some, 0, outputs[name]) for name, some in todo.items()]
    for name, passages in ((ANSWERED, to_come), (FROM_NOTHING, to_come), (UNANSWERED, missing)):
        if name == UNANSWERED:
            pending = _searches(store, model, rubric, drawn.passages)
        else:
            questions = draft_checks.questions(store, model, rubric, name)
            pending = asking.pending(
                store,
                [prompt for one in questions for prompt in one.prompts],
                purpose=PURPOSES[name],
                retry_unreadable=retry_unreadable,
            )
        stand_ins = [_check(model, rubric, name, one) for one in passages]
        output = A_LINE if name == FROM_NOTHING else OUTPUT_TOKENS
        stages.append((PURPOSES[name], [*pending, *stand_ins], len(stand_ins), output))
    found, left = [], limit
    for name, some, expected, output in stages:
        counted = some if left is None else some[:left]
        left = None if left is None else left - len(counted)
        estimate = asking.estimate(counted, price=price, output_tokens=output)
        found.append(Stage(name, estimate, max(0, len(counted) - len(some) + expected)))
    return found


def _searches(store: Store, model: Model, rubric: Rubric, drawn: Sequence[Passage]) -> list[Prompt]:
    """The questions about the drafts that are there and that nothing is to answer. For what a
    search would find passages drawn stand in: to search would need the index."""
    shown = cycle(drawn)
    return [
        prompts.relevance(
            model, rubric, one.draft.query, passage=next(shown), subject=one.draft.draft_id
        )
        for one in draft_checks.lacking(store, UNANSWERED)
        for _ in range(TOP)
    ]


def _check(model: Model, rubric: Rubric, name: str, passage: Passage) -> Prompt:
    """A request about a draft still to come."""
    query = "x" * EXPECTED
    if name == FROM_NOTHING:
        return prompts.from_nothing(model, query, subject="")
    return prompts.relevance(model, rubric, query, passage=passage, subject="")
