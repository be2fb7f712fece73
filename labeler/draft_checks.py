"""What is checked of drafted queries before a person sees them. A draft that fails one is set
aside with the reason; a person may take it all the same.

Measured here: that a paraphrase does not say what its passage says in the passage's words, that an
exact query holds an identifier of its passage, that no draft or query asks nearly the same. Asked
of the judge: that the passage answers the query, that nothing but the passage does, and that what a
search finds for a query that nothing answers does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from labeler.judges import drafts as prompts
from labeler.judges.base import Model
from labeler.judges.leakage import LEAKY, Leakage, leakage
from labeler.judges.lexical import terms
from labeler.judges.reading import read, read_object
from labeler.judges.writer import Prompt
from labeler.model import Grade, Passage, Query, Rubric
from labeler.store import corpora, drafts, queries, replies, search
from labeler.store.db import Store
from labeler.store.drafts import Check, Draft, Now, Standing
from labeler.store.replies import Kept

WORDING, IDENTIFIER, DISTINCT = "wording", "identifier", "distinct"
"""The checks that are measured."""

ANSWERED, FROM_NOTHING, UNANSWERED = "answered", "from nothing", "unanswered"
"""The checks that the judge makes. What it said is not shown before a person has decided."""

PURPOSES = {name: f"draft check: {name}" for name in (ANSWERED, FROM_NOTHING, UNANSWERED)}
"""What each of its replies is asked for."""

ALIKE = 0.9
"""Dice's coefficient of two queries' content words from which, with the same identifiers, they ask
nearly the same: "annual leave in Ghent" and "sick leave in Ghent" have 0.67, and are two queries.
"""

TOP = 5
"""Passages that are judged for a query that nothing is to answer: the first that a search finds."""


class Question(NamedTuple):
    """What the judge is asked for one check of a draft: a prompt each for `passages`, or a single
    one."""

    draft: Draft
    name: str
    prompts: tuple[Prompt, ...]
    passages: tuple[str, ...] = ()


def measure(store: Store) -> None:
    """Check what needs no model, of every draft where it has not been checked."""
    every = drafts.every(store)
    new = [one for one in every if not _has(one, DISTINCT) and one.decision is None]
    if not new:
        return
    known = corpora.passages(store, sorted({one.draft.passage_id for one in new} - {""}))
    others = queries.current(store)
    fresh = {one.draft.draft_id for one in new}
    found: list[Check] = []
    for one in every:
        draft = one.draft
        if draft.draft_id in fresh:
            if draft.passage_id in known and one.now is Now.SAME:
                found += _worded(draft, known[draft.passage_id])
            found.append(_distinct(draft, others))
        if one.decision is None or one.decision.decision != drafts.REJECTED:
            others.append(Query(f"draft {draft.draft_id}", draft.query))
    drafts.note(store, found)


def _has(one: Standing, name: str) -> bool:
    return any(check.name == name for check in one.checks)


def _worded(draft: Draft, passage: Passage) -> Iterable[Check]:
    if draft.kind == prompts.EXACT:
        names = prompts.identifiers(passage.text)
        holds = any(name in draft.query for name in names)
        why = "" if holds else f"it holds none of {', '.join(names)}"
        yield Check(draft.draft_id, IDENTIFIER, holds, why)
        return
    why = leaks(leakage(draft.query, passage))
    yield Check(draft.draft_id, WORDING, not why, why)


def leaks(found: Leakage) -> str:
    """Why a paraphrase with this leakage is none; "" where it is one."""
    if found.phrase:
        return f"it takes over a phrase of the passage: {found.phrase}"
    return found.told if found.share is not None and found.share > LEAKY else ""


def _distinct(draft: Draft, others: Sequence[Query]) -> Check:
    for other in others:
        if alike(draft.query, other.text):
            why = f"nearly the same as {other.query_id}: {other.text}"
            return Check(draft.draft_id, DISTINCT, False, why)
    return Check(draft.draft_id, DISTINCT, True, "")


def alike(one: str, other: str) -> bool:
    """Whether two queries ask nearly the same, as far as their words tell."""
    a, b = _terms(one), _terms(other)
    many = len(a.words) + len(b.words)
    same = 2 * len(a.words & b.words) >= ALIKE * many
    return a.identifiers == b.identifiers and same and bool(many or a.identifiers)


_terms = lru_cache(maxsize=50_000)(terms)


def ask_all(
    store: Store, model: Model, rubric: Rubric, ask: Callable[[str, Sequence[Prompt]], bool]
) -> None:
    """Put each check's questions to the judge with `ask`, which says whether to go on, and store
    what the replies come to: also those that came before a stop.
    """
    for name in PURPOSES:
        asked = questions(store, model, rubric, name)
        go_on = ask(PURPOSES[name], [prompt for one in asked for prompt in one.prompts])
        readable = replies.readable(store, PURPOSES[name])
        drafts.note(store, [check for one in asked if (check := result(one, readable))])
        if not go_on:
            return


def questions(store: Store, model: Model, rubric: Rubric, name: str) -> list[Question]:
    """What a check has to ask, of the drafts that wait and have not been checked."""
    waiting = [one for one in lacking(store, name) if one.now is Now.SAME]
    known = corpora.passages(store, sorted({one.draft.passage_id for one in waiting} - {""}))
    found = []
    for draft in (one.draft for one in waiting):
        if name == FROM_NOTHING:
            asked = (prompts.from_nothing(model, draft.query, subject=draft.draft_id),)
            found.append(Question(draft, name, asked))
            continue
        told = [known[draft.passage_id]] if draft.passage_id else _searched(store, draft.query)
        found.append(
            Question(
                draft,
                name,
                tuple(
                    prompts.relevance(
                        model, rubric, draft.query, passage=one, subject=draft.draft_id
                    )
                    for one in told
                ),
                tuple(one.passage_id for one in told),
            )
        )
    return found


def unchecked(one: Standing) -> bool:
    """Whether the judge has still to check a draft."""
    names = (ANSWERED, FROM_NOTHING) if one.draft.passage_id else (UNANSWERED,)
    return not all(_has(one, name) for name in names)


def lacking(store: Store, name: str) -> list[Standing]:
    """The undecided drafts that a check of the judge is for and has not been made of."""
    return [
        one
        for one in drafts.every(store)
        if one.decision is None
        and not _has(one, name)
        and bool(one.draft.passage_id) == (name != UNANSWERED)
    ]


def _searched(store: Store, query: str) -> list[Passage]:
    """The first passages that a search finds."""
    ids = search.of(store).search(query, limit=TOP).ids
    known = corpora.passages(store, ids)
    return [known[passage_id] for passage_id in ids if passage_id in known]


def result(question: Question, readable: Mapping[str, Kept]) -> Check | None:
    """What the replies to a question come to; None while one of them lacks."""
    came = [readable.get(prompt.request.request_id) for prompt in question.prompts]
    kept = [one for one in came if one is not None]
    if len(kept) < len(came):
        return None
    passed, why = _READ[question.name](question, kept)
    request_id = question.prompts[0].request.request_id if question.prompts else ""
    return Check(question.draft.draft_id, question.name, passed, why, request_id)


class _Said(NamedTuple):
    passed: bool
    why: str


def _answered(_: Question, kept: Sequence[Kept]) -> _Said:
    told = read(kept[0].raw)
    why = f"the judge says {told.grade}: {told.reason}".removesuffix(": ")
    return _Said(told.grade is Grade.YES, "" if told.grade is Grade.YES else why)


def _from_nothing(_: Question, kept: Sequence[Kept]) -> _Said:
    found = read_object(kept[0].raw).found or {}
    known = bool(found.get("known"))
    return _Said(not known, f"can be answered from nothing: {found['answer']}" if known else "")


def _unanswered(question: Question, kept: Sequence[Kept]) -> _Said:
    told = [read(one.raw) for one in kept]
    for passage_id, one in zip(question.passages, told, strict=True):
        if one.grade is Grade.YES:
            return _Said(False, f"the judge says that {passage_id} answers it: {one.reason}")
    return _Said(True, "")


_READ: Mapping[str, Callable[[Question, Sequence[Kept]], _Said]] = {
    ANSWERED: _answered,
    FROM_NOTHING: _from_nothing,
    UNANSWERED: _unanswered,
}
