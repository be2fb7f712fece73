"""Answers of systems to queries, and what each is judged against.

An answer's id stands where a passage's id does in labels, verdicts and tasks, so that answers are
graded by the same machinery; it is never a passage of a corpus, a run, a pool or a golden set. A
query has one answer of a system in each kind of context: another one supersedes it, and stays.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Answer, Exhibit, Given, Passage, Query, Yardstick, content_hash
from labeler.store import corpora, evidence, queries
from labeler.store.db import Cursor, Row, Store, append, numbers
from labeler.store.evidence import Outcome
from labeler.store.imports import NOWHERE, Imported, Source, log

_FIELDS = "answer_id, query_id, system, context_kind, text, context"


class Brought(NamedTuple):
    """An answer as a file brings it; where its `query_id` is "" the query's text says whose."""

    answer: Answer
    query: str = ""


class Recorded(NamedTuple):
    """The answers as they were brought, each with its query's id, and how many were new."""

    answers: list[Answer]
    added: int


def record(store: Store, brought: Sequence[Brought], *, source: Source = NOWHERE) -> Recorded:
    """Add answers; those that stand unchanged are not added again.

    A query known by its text alone joins the imported query of exactly its text (the first of
    several), else it becomes a query of its own, named by its text's hash. Raises LabelerError,
    with nothing stored, for two answers of one system to one query, and for an answer whose id is
    taken by a passage.
    """
    with store.write() as cursor:
        answers = _joined(cursor, brought)
        _require_distinct(cursor, answers)
        standing = dict(
            cursor.execute("select answer_id, hash from answers where not superseded").fetchall()
        )
        new = [one for one in answers if standing.get(one.answer_id) != one.hash]
        _supersede(cursor, new)
        if new:
            append(
                cursor,
                "answers",
                {
                    "seq": numbers(cursor, len(new)),
                    "answer_id": [one.answer_id for one in new],
                    "query_id": [one.query_id for one in new],
                    "system": [one.system for one in new],
                    "context_kind": [one.context_kind for one in new],
                    "text": [one.text for one in new],
                    "context": [json.dumps(one.context, ensure_ascii=False) for one in new],
                    "hash": [one.hash for one in new],
                    "superseded": [False] * len(new),
                    "imported_at": [store.clock()] * len(new),
                },
            )
        done = Imported(len(brought), len(new))
        log(store, cursor, kind="answers", source=source, done=done)
    return Recorded(answers, len(new))


def _joined(cursor: Cursor, brought: Sequence[Brought]) -> list[Answer]:
    """The answers under their queries' ids; queries that nobody knows yet are added."""
    by_text = queries.by_text(cursor, (one.query for one in brought))
    answers, asked = [], dict[str, Query]()
    for answer, text in brought:
        named = answer.query_id or by_text.get(text) or f"a-{content_hash(text)[3:15]}"
        answers.append(replace(answer, query_id=named))
        if text:
            asked.setdefault(named, Query(named, text, origin="answers"))
    queries.add(cursor, list(asked.values()))
    return answers


def _require_distinct(cursor: Cursor, answers: Sequence[Answer]) -> None:
    seen: set[tuple[str, str, str]] = set()
    for one in answers:
        key = (one.query_id, one.system, one.context_kind)
        if key in seen:
            raise LabelerError(
                f"Two answers of {one.system} to query {one.query_id!r} in a {one.context_kind} "
                "context: expected one"
            )
        seen.add(key)
    taken = cursor.execute(
        "select passage_id from passages where passage_id = any($1) limit 1",
        [[one.answer_id for one in answers]],
    ).fetchall()
    if taken:
        raise LabelerError(f"There is a passage {taken[0][0]!r}, which is an answer's id")


def _supersede(cursor: Cursor, new: Sequence[Answer]) -> None:
    cursor.execute(
        "update answers set superseded = true where not superseded and exists (select 1 from "
        "(select unnest($1::text[]) as query_id, unnest($2::text[]) as system, "
        "unnest($3::text[]) as context_kind) n where n.query_id = answers.query_id "
        "and n.system = answers.system and n.context_kind = answers.context_kind)",
        [
            [one.query_id for one in new],
            [one.system for one in new],
            [one.context_kind for one in new],
        ],
    )


def current(store: Store, *, system: str = "") -> list[Answer]:
    """The answers that stand, of all systems or of one, by system, kind of context and query."""
    rows = store.rows(
        f"select {_FIELDS} from answers where not superseded and ($1 = '' or system = $1) "
        "order by system, context_kind, query_id",
        [system],
    )
    return [_answer(row) for row in rows]


def _answer(row: Row) -> Answer:
    _, query_id, system, kind, text, context = row
    told = json.loads(context)
    given = None if told is None else tuple(Given(*one) for one in told)
    return Answer(query_id, system, kind, text, given)


def ids(store: Store) -> set[str]:
    """The ids of all answers that ever were."""
    return {row[0] for row in store.rows("select distinct answer_id from answers")}


def exhibits(store: Store, answers: Iterable[Answer]) -> dict[str, Exhibit]:
    """Each answer beside what it is judged against now, by its id."""
    shown = list(answers)
    against = yardsticks(store, {one.query_id for one in shown})
    bare = {g.passage_id for one in shown for g in one.context or () if not g.text}
    texts = corpora.passages(store, sorted(bare))
    return {
        one.answer_id: Exhibit(_filled(one, texts), against[one.query_id])
        for one in shown
        if one.query_id in against
    }


def _filled(answer: Answer, texts: Mapping[str, Passage]) -> Answer:
    if answer.context is None:
        return answer
    filled = tuple(
        one._replace(text=_told(texts[one.passage_id]))
        if not one.text and one.passage_id in texts
        else one
        for one in answer.context
    )
    return replace(answer, context=filled)


def _told(passage: Passage) -> str:
    """A passage as it is read: below its title, and with the days on which it holds."""
    days = " to ".join(filter(None, (passage.effective_from, passage.effective_to)))
    title = " ".join(filter(None, (passage.title, f"(in force {days})" if days else "")))
    return "\n".join(filter(None, (title, passage.text)))


def named(store: Store, wanted: Sequence[str]) -> dict[str, Exhibit]:
    """The answers with these ids, also those that no longer stand; other ids are left out."""
    if not wanted:
        return {}
    rows = store.rows(
        f"select distinct on (answer_id) {_FIELDS} from answers where answer_id = any($1) "
        "order by answer_id, seq desc",
        [list(wanted)],
    )
    return exhibits(store, map(_answer, rows))


# Of several golden sets with a query, the version that was frozen last says what is expected.
_EXPECTED = """
select e.query_id, e.passage_id, e.grade from golden_entries e
join goldens g on g.name = e.name and g.version = e.version
where e.query_id = any($1) and g.seq = (
    select max(h.seq) from goldens h join golden_entries f
    on f.name = h.name and f.version = h.version where f.query_id = e.query_id)
order by e.query_id, e.passage_id
"""


def yardsticks(store: Store, query_ids: Collection[str]) -> dict[str, Yardstick]:
    """What an answer to each query is judged against: its required facts, the passages that the
    newest golden set with the query grades YES (or PART, where it has no YES) or that carry a fact,
    and whether people or that set say that nothing answers it.
    """
    asked = sorted(query_ids)
    golden: dict[str, dict[str, str]] = {query_id: {} for query_id in asked}
    frozen: set[str] = set()
    for query_id, passage_id, grade in store.rows(_EXPECTED, [asked]):
        frozen.add(query_id)
        if passage_id and grade in ("YES", "PART"):
            golden[query_id][passage_id] = grade
    facts: dict[str, list[evidence.Fact]] = {}
    for fact in evidence.facts(store):
        facts.setdefault(fact.query_id, []).append(fact)
    decided = evidence.outcomes(store)
    wanted = {query_id: _wanted(golden[query_id], facts.get(query_id, ())) for query_id in asked}
    texts = corpora.passages(store, sorted({p for of in wanted.values() for p in of}))
    return {
        query_id: Yardstick(
            tuple(fact.text for fact in facts.get(query_id, ())),
            tuple(Given(p, _told(texts[p]) if p in texts else "") for p in wanted[query_id]),
            _refusal(decided.get(query_id), nothing=query_id in frozen and not wanted[query_id]),
        )
        for query_id in asked
    }


def _wanted(golden: Mapping[str, str], facts: Iterable[evidence.Fact]) -> list[str]:
    best = "YES" if "YES" in golden.values() else "PART"
    carriers = (passage for fact in facts for passage in fact.passages)
    return sorted({*(p for p, grade in golden.items() if grade == best), *carriers})


def _refusal(decided: evidence.Decided | None, *, nothing: bool) -> str:
    """Why a right answer refuses; "" where it does not."""
    if decided is not None and decided.outcome is not Outcome.OPEN:
        what = {
            Outcome.UNANSWERABLE: "People found that no passage answers the query",
            Outcome.UNAVAILABLE: "People found that what answers the query is not for its caller",
        }[decided.outcome]
        return f"{what}: {decided.reason}" if decided.reason else f"{what}."
    return "The golden set expects no passage for the query: nothing answers it." if nothing else ""


def graded_in(store: Store, spotcheck: str) -> bool:
    """Whether what a spot check hands out are answers."""
    row = store.row(
        "select 1 from tasks t join answers a on a.answer_id = t.passage_id "
        "where t.spotcheck = $1 limit 1",
        [spotcheck],
    )
    return row is not None
