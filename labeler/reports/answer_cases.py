"""Each answer with what judge and people say of it, its claims, and what became of its query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeler.judges import claims
from labeler.judges.claims import Claims
from labeler.model import Answer, Exhibit, Grade, Passage, Query, Verdict
from labeler.reports.basis import Basis
from labeler.stats import answers as stats
from labeler.stats import triage
from labeler.stats.answers import Fate
from labeler.stats.triage import Stage
from labeler.store import comparison, corpora, queries, replies, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store

Key = tuple[str, str]
"""A query's and an answer's id."""


class Case(NamedTuple):
    """An answer with all that is said of it. `grade` is what people settled, else the judge's;
    `stale`: the verdict is on something else than stands now. `claims` is None where nobody asked,
    the context is not known, or the reply was unreadable."""

    exhibit: Exhibit
    query: Query
    people: Grade | None
    judge: Grade | None
    reason: str
    stale: bool
    claims: Claims | None
    checkable: bool
    fate: Fate

    @property
    def answer(self) -> Answer:
        """The answer itself."""
        return self.exhibit.answer

    @property
    def shown(self) -> Passage:
        """The answer beside what it is judged against, as people see it."""
        return self.exhibit.passage

    @property
    def unanswerable(self) -> bool:
        """Whether a right answer refuses."""
        return bool(self.exhibit.yardstick.unanswerable)

    @property
    def grade(self) -> Grade | None:
        """What people settled, else the judge's."""
        return self.people or self.judge

    @property
    def right(self) -> bool | None:
        """Whether it is right, PART being not; None without a grade."""
        return None if self.grade is None else self.grade is Grade.YES


class Cases(NamedTuple):
    """Answers as cases, and the model that listed their claims, "" for none."""

    cases: list[Case]
    checker: str


def read(
    store: Store, shown: Sequence[Exhibit], basis: Basis | None, judged: Selection | None
) -> Cases:
    """Every answer with what is said of it, in the order of `shown`."""
    asked = queries.named(store, sorted({one.answer.query_id for one in shown}))
    people = {
        (of.query_id, of.passage_id): of.grade for of in comparison.settled(store, answers=True)
    }
    said = _said(store, judged) if judged else {}
    heard = replies.every(store, claims.PURPOSE)
    checker = heard[-1].model if heard else ""
    bodies = {of.subject: of.raw for of in heard if of.model == checker}
    stages = _stages(store, shown, basis)
    found = []
    for one in shown:
        answer = one.answer
        pair = (answer.query_id, answer.answer_id)
        query = asked.get(answer.query_id, Query(answer.query_id, ""))
        verdict = said.get(pair)
        raw = bodies.get(claims.subject(query, one)) if claims.known(one) else None
        told = raw and claims.read_raw(raw, passages=len(answer.context or ()))
        case = Case(
            one,
            query,
            people.get(pair),
            verdict.grade if verdict else None,
            verdict.reason if verdict else "",
            bool(verdict and verdict.passage_hash not in ("", one.passage.hash)),
            told if told and not told.why else None,
            claims.known(one),
            Fate.UNKNOWN,
        )
        found.append(case._replace(fate=stats.fate(stages.get(pair), right=case.right)))
    return Cases(found, checker)


def _said(store: Store, judged: Selection) -> dict[Key, Verdict]:
    """The verdicts of exactly this judge, rubric and model."""
    key = (judged.judge, judged.rubric, judged.model)
    found = verdicts.current(store, judge=key[0], rubric=key[1], model=key[2])
    return {
        (one.query_id, one.passage_id): one
        for one in found
        if (one.judge, one.rubric, one.model) == key
    }


def _stages(store: Store, shown: Sequence[Exhibit], basis: Basis | None) -> dict[Key, Stage]:
    """Whether what was expected reached each answer's context, where both are known."""
    known = [
        one
        for one in shown
        if basis and one.answer.query_id in basis.golden and one.answer.context is not None
    ]
    if basis is None or not known:
        return {}
    expected = {given.passage_id for one in known for given in one.yardstick.expected}
    texts = {p: _plain(of.text) for p, of in corpora.passages(store, sorted(expected)).items()}
    rankings = [_ranking(one, texts) for one in known]
    together: dict[str, list[str]] = {}
    for one, ranking in zip(known, rankings, strict=True):
        together.setdefault(one.answer.query_id, []).extend(ranking)
    bars = basis.barred(together)
    stages = {}
    for one, ranking in zip(known, rankings, strict=True):
        query_id = one.answer.query_id
        if one.yardstick.unanswerable:
            stages[query_id, one.answer.answer_id] = Stage.NOTHING_TO_FIND
            continue
        found = triage.triage(
            basis.queries[query_id],
            basis.golden[query_id],
            ranking,
            k=max(1, len(ranking)),
            bars=bars.get(query_id),
            facts=basis.facts.get(query_id),
        )
        if found.stage is not Stage.NOTHING_TO_FIND:  # nobody has said that nothing answers it
            stages[query_id, one.answer.answer_id] = found.stage
    return stages


def _plain(text: str) -> str:
    return " ".join(text.split())


def _ranking(exhibit: Exhibit, texts: Mapping[str, str]) -> list[str]:
    """The ids of a context's passages. One that came without its id is an expected passage if it
    holds that one's text, spacing aside."""
    found = []
    wanted = [one.passage_id for one in exhibit.yardstick.expected]
    for number, given in enumerate(exhibit.answer.context or ()):
        text = "" if given.passage_id else _plain(given.text)
        held = [p for p in wanted if texts.get(p) and texts[p] in text]
        found += held or [given.passage_id or f"context {number}"]
    return list(dict.fromkeys(found))
