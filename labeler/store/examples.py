"""Few-shot examples: pairs that a rubric shows its judge. They are versioned with the rubric, and
never say whether it is right.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from labeler.model import Grade
from labeler.stats.parts import held_out
from labeler.store.db import Cursor, Store


class Example(NamedTuple):
    """A settled pair as a rubric can show it; `reason` is the reviewer's."""

    query_id: str
    passage_id: str
    query: str
    passage: str
    reason: str
    grade: Grade

    @property
    def shown(self) -> dict[str, str]:
        """What the judge is shown of it: no ids, which could give an answer away."""
        return {
            "query": self.query,
            "passage": self.passage,
            "reason": self.reason,
            "grade": str(self.grade),
        }


def offered(store: Store) -> list[Example]:
    """The adjudicated pairs that may become examples, newest first: those with both texts, whose
    need is not held out."""
    rows = store.rows(
        "select a.query_id, a.passage_id, q.text, p.text, a.reason, a.grade, "
        "coalesce(nullif(q.need_id, ''), q.query_id) from current_adjudications a "
        "join current_queries q on q.query_id = a.query_id "
        "join (select passage_id, text from passages where seq in (select max(seq) from passages "
        "where not superseded and passage_id in (select passage_id from adjudications) "
        "group by passage_id)) p on p.passage_id = a.passage_id order by a.seq desc"
    )
    return [
        Example(query_id, passage_id, query, passage, reason, Grade(grade))
        for query_id, passage_id, query, passage, reason, grade, need_id in rows
        if not held_out(need_id)
    ]


class Shown(NamedTuple):
    """A pair that an example of a rubric was taken from."""

    query_id: str
    passage_id: str


def leave_out(cursor: Cursor, rubric: str) -> tuple[Shown, ...]:
    """Take the pairs that rubric `name@version` shows as examples out of the table `compared`, in
    the caller's transaction, and return them.

    A pair is known by its texts, outer white space aside: the query's is the example's, and of the
    passage's and the example's one holds the other.
    """
    name, _, version = rubric.partition("@")
    found = cursor.execute(
        "select examples from rubrics where name = $1 and version = $2",
        [name, int(version) if version.isdecimal() else 0],
    ).fetchall()
    shown = json.loads(found[0][0]) if found else []
    passages: dict[str, list[str]] = {}
    for example in shown:
        passages.setdefault(_plain(example["query"]), []).append(_plain(example["passage"]))
    if not passages:
        return ()
    texts = dict(
        cursor.execute(
            "select query_id, text from current_queries where query_id in "
            "(select query_id from compared)"
        ).fetchall()
    )
    asked = {q: passages[_plain(text)] for q, text in texts.items() if _plain(text) in passages}
    rows = cursor.execute(
        "select distinct on (c.query_id, c.passage_id) c.query_id, c.passage_id, p.text "
        "from compared c join passages p on p.passage_id = c.passage_id and not p.superseded "
        "where c.query_id = any($1) order by c.query_id, c.passage_id, p.seq desc",
        [list(asked)],
    ).fetchall()
    taken = [
        Shown(query_id, passage_id)
        for query_id, passage_id, text in rows
        if any(one in _plain(text) or _plain(text) in one for one in asked[query_id])
    ]
    for pair in taken:
        cursor.execute("delete from compared where query_id = $1 and passage_id = $2", list(pair))
    return tuple(taken)


def _plain(text: str) -> str:
    return " ".join(text.split())
