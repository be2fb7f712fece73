"""Drafted queries: what a model wrote, what checks said of it, and what a person decided.

A draft is no query: it has no candidate, and nothing that is measured or exported reads it. It
becomes one when a person accepts it, with their own label in the same commit.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import Grade, LabelEvent, Query
from labeler.store import corpora, desk, evidence, labels
from labeler.store.db import Cursor, Store, append, numbers
from labeler.store.evidence import Outcome
from labeler.store.frozen import Anchor, anchored
from labeler.store.people import audit
from labeler.store.wording import UNBOUNDED

ORIGIN = "drafted"
"""The origin of a query that was a draft."""

REJECTED, ACCEPTED = "rejected", "accepted"

UNDONE = "undo draft"
"""What the audit log calls that a decision on a draft was taken back (see `undoing`)."""

PRESSES = uuid.UUID("8f0a7c1e-55f3-5d0c-9a53-2f6f3c1b7d10")
"""The namespace of the labels given with an acceptance: the same draft, query and person, the same
id."""


class Draft(NamedTuple):
    """A drafted query, anchored to the passage that it is to be answered by.

    `passage_id` is "" for one that nothing is to answer; then `reason` says what the corpus lacks
    and `anchor` which section it is about. `passage_hash` is the content hash of the passage's text
    when it was read; `leakage` the share of the query's content words that the passage holds, None
    where it has none.
    """

    draft_id: str
    kind: str
    query: str
    passage_id: str
    anchor: Anchor
    passage_hash: str
    seed: int
    request_id: str
    model: str
    reason: str
    leakage: float | None


class Check(NamedTuple):
    """What a check said of a draft; `request_id` is "" where no model was asked."""

    draft_id: str
    name: str
    passed: bool
    reason: str
    request_id: str = ""


class Decision(NamedTuple):
    """What a person decided of a draft; `query_id` is what became of an accepted one."""

    draft_id: str
    decision: str
    query_id: str
    reason: str
    person: str
    decided_at: datetime

    @property
    def told(self) -> str:
        """It in a sentence."""
        became = f" as {self.query_id}" if self.query_id else ""
        why = f": {self.reason}" if self.reason else ""
        at = f"{self.decided_at:%Y-%m-%d %H:%M} UTC"
        return f"{self.decision}{became} by {self.person}, {at}{why}"


class Now(StrEnum):
    """What has become of a draft's passage since it was read."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


class Standing(NamedTuple):
    """A draft with what is known of it: each check's newest result by name, in the order of the
    checks.
    """

    draft: Draft
    checks: tuple[Check, ...]
    decision: Decision | None
    now: Now

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that set it aside."""
        return tuple(check for check in self.checks if not check.passed)


class Tried(NamedTuple):
    """A search that was shown to the person, with what it found."""

    text: str
    with_all: int
    with_some: int
    top: tuple[str, ...]


def anchors(store: Store, passages: Sequence[str]) -> dict[str, tuple[Anchor, str]]:
    """Where passages are now, and the content hash of each one's text."""
    with store.read() as cursor:
        return {one: (found[0], found[1]) for one, found in anchored(cursor, passages).items()}


def keep(store: Store, drafts: Iterable[Draft]) -> int:
    """Store drafts that are not known yet; how many."""
    at = store.clock()
    brought = {draft.draft_id: draft for draft in drafts}
    with store.write() as cursor:
        known = cursor.execute(
            "select draft_id from drafts where draft_id = any($1)", [list(brought)]
        ).fetchall()
        new = [one for key, one in brought.items() if (key,) not in set(known)]
        if new:
            plain = [field for field in Draft._fields if field != "anchor"]
            append(
                cursor,
                "drafts",
                {
                    "seq": numbers(cursor, len(new)),
                    **{field: [getattr(one, field) for one in new] for field in plain},
                    **{f: [getattr(one.anchor, f) for one in new] for f in Anchor._fields},
                    "drafted_at": [at] * len(new),
                },
            )
    return len(new)


def note(store: Store, checks: Sequence[Check]) -> None:
    """Store what checks said, in one commit."""
    if not checks:
        return
    at = store.clock()
    with store.write() as cursor:
        cursor.executemany(
            "insert into draft_checks values (nextval('seq'), $1, $2, $3, $4, $5, $6)",
            [[*check, at] for check in checks],
        )


def every(store: Store) -> list[Standing]:
    """All drafts, in the order in which they were drafted."""
    rows = store.rows(
        f"select {', '.join(_PLAIN)}, {', '.join(Anchor._fields)} from drafts order by seq"
    )
    found = [_draft(row) for row in rows]
    checks: dict[str, list[Check]] = {}
    for row in store.rows(
        "select distinct on (draft_id, name) draft_id, name, passed, reason, request_id "
        "from draft_checks order by draft_id, name, seq desc"
    ):
        checks.setdefault(row[0], []).append(Check(*row))
    decided = {row[0]: Decision(*row) for row in store.rows(_DECIDED)}
    now = anchors(store, sorted({draft.passage_id for draft in found} - {""}))
    return [
        Standing(
            draft,
            tuple(checks.get(draft.draft_id, ())),
            decided.get(draft.draft_id),
            _now(draft, now.get(draft.passage_id, (None, ""))[1]),
        )
        for draft in found
    ]


_PLAIN = [field for field in Draft._fields if field != "anchor"]
_DECIDED = (
    "select draft_id, decision, query_id, reason, person, decided_at from draft_decisions d "
    f"where not exists (select 1 from audit a where a.action = '{UNDONE}' "
    "and a.subject = d.draft_id and a.seq > d.seq)"
)


def _draft(row: Sequence[object]) -> Draft:
    plain = dict(zip(_PLAIN, row, strict=False))
    return Draft(**plain, anchor=Anchor(*row[len(_PLAIN) :]))  # type: ignore[arg-type]


def _now(draft: Draft, text_hash: str) -> Now:
    if not draft.passage_id or text_hash == draft.passage_hash:
        return Now.SAME
    return Now.CHANGED if text_hash else Now.GONE


def accept(store: Store, draft_id: str, *, text: str, grade: Grade, seen: str, person: str) -> str:
    """Make a draft, worded as `text`, a query with its passage as candidate, and record the
    person's label on the pair; the query's id. One commit.

    `seen` is the content hash of the passage's text as the person was shown it. Raises LabelerError
    where the passage is another by now, where the draft has been decided, and for a grade of NO.
    """
    if grade is Grade.NO:
        raise LabelerError("A query that its passage does not answer is rejected, not accepted")
    with store.write() as cursor:
        draft = _undecided(cursor, draft_id)
        if not draft.passage_id:
            raise LabelerError("Nothing is to answer this draft: it takes a reason, and no grade")
        found = anchored(cursor, [draft.passage_id]).get(draft.passage_id)
        if found is None:
            raise LabelerError(f"The passage {draft.passage_id!r} is no longer in the corpus")
        if found.text_hash != seen:
            raise LabelerError(
                f"The passage {draft.passage_id!r} has changed since you were shown it: read it as "
                "it is now"
            )
        passage = corpora.passages(store, [draft.passage_id])[draft.passage_id]
        query = desk.write(
            store,
            Query("", text.strip(), kind=draft.kind, origin=ORIGIN, scope=passage.scope),
            person=person,
        )
        _decide(store, cursor, draft, ACCEPTED, query.query_id, _edited(draft, query), person)
        _label(store, cursor, draft, query.query_id, grade, person)
    return query.query_id


def accept_unanswerable(
    store: Store, draft_id: str, *, text: str, reason: str, tried: Sequence[Tried], person: str
) -> str:
    """Make a draft, worded as `text`, a query that nothing answers, with the searches that the
    person was shown as evidence; the query's id. One commit.

    Raises LabelerError without a search or a reason, and where the draft has been decided.
    """
    with store.write() as cursor:
        draft = _undecided(cursor, draft_id)
        if draft.passage_id:
            raise LabelerError("This draft has a passage: it takes a grade")
        query = desk.write(
            store, Query("", text.strip(), kind=draft.kind, origin=ORIGIN), person=person
        )
        for one in tried:
            evidence.keep_search(
                store, query.query_id, filters=UNBOUNDED, **one._asdict(), person=person
            )
        evidence.decide(
            store, query.query_id, outcome=Outcome.UNANSWERABLE, reason=reason, person=person
        )
        _decide(store, cursor, draft, ACCEPTED, query.query_id, _edited(draft, query), person)
    return query.query_id


def reject(store: Store, draft_id: str, *, reason: str, person: str) -> None:
    """Say that a draft is no query, and why."""
    if not reason.strip():
        raise LabelerError("A rejection needs a reason")
    with store.write() as cursor:
        draft = _undecided(cursor, draft_id)
        _decide(store, cursor, draft, REJECTED, "", reason.strip(), person)


def _undecided(cursor: Cursor, draft_id: str) -> Draft:
    """The draft; raises where there is none, or where somebody has decided it."""
    rows = cursor.execute(
        f"select {', '.join(_PLAIN)}, {', '.join(Anchor._fields)} from drafts where draft_id = $1",
        [draft_id],
    ).fetchall()
    if not rows:
        raise LabelerError(f"There is no draft {draft_id!r}")
    if said := standing(cursor, draft_id):
        raise LabelerError(f"Draft {draft_id} is decided: {said.told}")
    return _draft(rows[0])


def standing(cursor: Cursor, draft_id: str) -> Decision | None:
    """The decision on a draft that stands; None where none does."""
    said = cursor.execute(f"{_DECIDED} and draft_id = $1", [draft_id]).fetchall()
    return Decision(*said[0]) if said else None


def _edited(draft: Draft, query: Query) -> str:
    return "" if query.text == draft.query else f"edited from: {draft.query}"


def _decide(
    store: Store,
    cursor: Cursor,
    draft: Draft,
    decision: str,
    query_id: str,
    reason: str,
    person: str,
) -> None:
    at = store.clock()
    cursor.execute(
        "insert into draft_decisions values (nextval('seq'), $1, $2, $3, $4, $5, $6)",
        [draft.draft_id, decision, query_id, reason, person, at],
    )
    detail = ": ".join(filter(None, (query_id or reason, draft.query)))
    action = f"{decision.removesuffix('ed')} draft"
    audit(cursor, at, person=person, action=action, subject=draft.draft_id, detail=detail)


def _label(
    store: Store, cursor: Cursor, draft: Draft, query_id: str, grade: Grade, person: str
) -> None:
    """The person's label on the pair, given at their desk for the query."""
    passage_id, at = draft.passage_id, store.clock()
    cursor.execute(
        "insert into candidates values (nextval('seq'), $1, $2, null, $3, $4)",
        [query_id, passage_id, ORIGIN, at],
    )
    task = desk.add(store, query_id, passage_id=passage_id, person=person)
    name = desk.name(person, query_id)
    cursor.execute("insert into handed values ($1, $2, $3, $4)", [name, task, person, at])
    # Whoever has decided it before was told then what the judge says of it.
    told = "select 1 from draft_decisions where draft_id = $1 and person = $2 and query_id <> $3"
    blind = not cursor.execute(told, [draft.draft_id, person, query_id]).fetchall()
    event = str(uuid.uuid5(PRESSES, f"{draft.draft_id}\0{query_id}\0{person}"))
    press = LabelEvent(
        event, query_id, passage_id, person, "label", grade, spotcheck=name, blind=blind
    )
    if refused := labels.record(store, [press]).refused:
        raise LabelerError(f"The label was not stored: {refused[0].why}")
