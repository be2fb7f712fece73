"""Pairs handed out to measure a person: a warm-up before their work, and hidden repeats after it.

A warm-up is of pairs that reviewers have settled, so that it is known what to say. A repeat is of a
pair that its person has labelled: their own earlier answer is not shown, and only an answer given
there does the task. Both are lists of tasks that nobody drew as a sample (`n` is 0), under names
that give nothing away. An answer is an event like every other: a person's newest blind label
stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from labeler.errors import LabelerError
from labeler.model import content_hash
from labeler.store import spotchecks
from labeler.store.db import Cursor, Store, scalar
from labeler.store.people import audit, checked_name

AGAIN = "again"
"""The stratum of a task that repeats a pair."""

WARM_UP = "warm-up"
"""The stratum of a task whose answer reviewers have settled."""

PAUSE = timedelta(hours=1)
"""How old an answer must be to be asked for again."""

_EVERYBODY = 1_000
"""People wanted for a warm-up's task: whoever else has labelled the pair, its person may."""


def warm_up(store: Store, annotator: str, *, n: int = 5, seed: int = 0, person: str = "") -> str:
    """Give somebody up to `n` settled pairs that they know nothing of, before all other work; the
    name of the list.
    """
    annotator = checked_name(annotator)
    rows = store.rows(
        "select a.query_id, a.passage_id from current_adjudications a "
        "where not exists (select 1 from label_events e where e.query_id = a.query_id "
        "and e.passage_id = a.passage_id and e.annotator = $1) "
        "and not exists (select 1 from verdict_views v where v.query_id = a.query_id "
        "and v.passage_id = a.passage_id and v.person = $1) and a.reviewer <> $1",
        [annotator],
    )
    if not rows:
        raise LabelerError(
            f"There is no settled pair that {annotator} has not seen: the Review page settles them"
        )
    chosen = sorted(rows, key=lambda pair: content_hash([seed, *pair]))[:n]
    return _give(store, "warm-up", annotator, chosen, stratum=WARM_UP, person=person)


def draw(store: Store, spotcheck: str, *, n: int = 5, seed: int = 0, person: str = "") -> list[str]:
    """Give everybody who labelled in a spot check up to `n` of their pairs again; the names of the
    lists that were made. The pairs are chosen by a keyed hash: the same seed chooses the same.

    Whoever has such a list with work left gets no further one.
    """
    spotchecks.named(store, spotcheck)
    at = store.clock()
    rows = store.rows(
        "select distinct l.annotator, l.query_id, l.passage_id from current_labels l join tasks t "
        "on t.query_id = l.query_id and t.passage_id = l.passage_id and t.spotcheck = $1 "
        "where l.state = 'labelled' and l.blind is distinct from false and l.labelled_at <= $2 "
        "and not exists (select 1 from verdict_views v where v.query_id = l.query_id "
        "and v.passage_id = l.passage_id and v.person = l.annotator)",
        [spotcheck, at - PAUSE],
    )
    pairs: dict[str, list[tuple[str, str]]] = {}
    for annotator, query_id, passage_id in rows:
        pairs.setdefault(annotator, []).append((query_id, passage_id))
    if not pairs:
        raise LabelerError(
            f"Nobody has labelled in {spotcheck} an hour ago or earlier: nothing to repeat yet"
        )
    made = []
    for annotator, mine in sorted(pairs.items()):
        if not of(store, annotator):
            mine.sort(key=lambda pair: content_hash([seed, *pair]))
            given = _give(store, spotcheck, annotator, mine[:n], stratum=AGAIN, person=person)
            made.append(given)
    return made


def _give(
    store: Store,
    before: str,
    annotator: str,
    pairs: Sequence[tuple[str, ...]],
    *,
    stratum: str,
    person: str,
) -> str:
    at = store.clock()
    with store.write() as cursor:
        many = scalar(
            cursor,
            "select count(*) from spotchecks where n = 0 and starts_with(name, $1)",
            [f"{before}/"],
        )
        name = _free(cursor, before, many + 2)
        cursor.execute(
            "insert into spotchecks select nextval('seq'), $1, 0, 0, 0, 1, '', "
            "coalesce((select rubric from spotchecks where name = $4), ''), '', $2, $3",
            [name, annotator, at, before],
        )
        wanted = 1 if stratum == AGAIN else _EVERYBODY
        for task, pair in enumerate(sorted(pairs), start=1):
            cursor.execute(
                "insert into tasks values ($1, $2, $3, $4, $5, 1.0, $2, $6)",
                [name, task, *pair, stratum, wanted],
            )
        detail = f"{len(pairs)} pairs for {annotator}"
        audit(cursor, at, person=person, action=stratum, subject=name, detail=detail)
    return name


def _free(cursor: Cursor, before: str, number: int) -> str:
    """The name of a list made after another, the first that nothing else has."""
    name = f"{before}/{number}"
    taken = cursor.execute("select 1 from spotchecks where name = $1", [name]).fetchall()
    return _free(cursor, before, number + 1) if taken else name


def of(store: Store, annotator: str, *, stratum: str = AGAIN) -> list[str]:
    """The names of a person's lists in which an answer is lacking, the oldest first."""
    rows = store.rows(
        "select s.name from spotchecks s join tasks t on t.spotcheck = s.name "
        "where s.n = 0 and s.drawn_by = $1 and t.stratum = $2 and not exists ("
        "select 1 from label_events e where e.spotcheck = s.name and e.annotator = $1 "
        "and e.query_id = t.query_id and e.passage_id = t.passage_id "
        "and e.state in ('labelled', 'unsure')) "
        "group by s.name order by min(s.seq)",
        [annotator, stratum],
    )
    return [row[0] for row in rows]
