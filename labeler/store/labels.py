"""What people said of pairs: events that are only ever added to, and what stands now.

An event carries the whole resulting state, so that the newest row of a pair and person is what
stands; a note or an undo repeats the grade that stood. A UUID that is known adds nothing: a client
may send an event as often as it likes.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.model import Grade, LabelEvent, Passage, Standing, State
from labeler.store import corpora
from labeler.store.brought import bring
from labeler.store.db import Cursor, Row, Store, numbers
from labeler.store.people import audit_all

__all__ = (
    "HISTORY",
    "Recorded",
    "Refusal",
    "bring",
    "current",
    "history",
    "note_view",
    "record",
)

_ACTIONS = ("label", "unsure", "later", "undo", "note")
_OPEN = "open"


class Refusal(NamedTuple):
    """An event that was not stored, and why."""

    event: str
    why: str


class Recorded(NamedTuple):
    """What became of a batch of events: `acknowledged` are on disk, `refused` are not."""

    acknowledged: list[str]
    refused: list[Refusal]


class _State(NamedTuple):
    state: str
    grade: str | None
    note: str


def record(store: Store, events: Sequence[LabelEvent]) -> Recorded:
    """Store events of the labelling page, in their order, in one commit.

    Each must be on a pair that was handed to its annotator in its spot check. Whether the label was
    blind is decided here: it was if the person had not been shown a verdict on the pair.
    """
    refused: list[Refusal] = []
    sound: list[tuple[str, LabelEvent]] = []
    for event in events:
        if why := _malformed(event):
            refused.append(Refusal(event.event, why))
        else:
            sound.append((str(uuid.UUID(event.event)), event))
    if not sound:
        return Recorded([], refused)
    passages = corpora.passages(store, [event.passage_id for _, event in sound])
    with store.write() as cursor:
        handed = _handed(cursor, [event for _, event in sound])
        allowed = [(key, event) for key, event in sound if _key(event) in handed]
        known = {
            str(row[0])
            for row in cursor.execute(
                "select event from label_events where event = any($1::uuid[])",
                [[key for key, _ in allowed]],
            ).fetchall()
        }
        new: dict[str, LabelEvent] = {}
        for key, event in allowed:
            if key not in known:
                new.setdefault(key, event)
        if new:
            _insert(cursor, new, passages, store.clock())
    refused += [
        Refusal(event.event, f"this pair was not handed to {event.annotator}")
        for _, event in sound
        if _key(event) not in handed
    ]
    return Recorded([event.event for _, event in allowed], refused)


def _malformed(event: LabelEvent) -> str:
    try:
        uuid.UUID(event.event)
    except (ValueError, AttributeError, TypeError):
        return "the event's id is no UUID"
    if event.action not in _ACTIONS:
        return f"{event.action!r} is no action"
    if (event.action == "label") != (event.grade is not None):
        return "a label has a grade, and nothing else has"
    if any(_storable(name) != name for name in _key(event)):
        return "a name holds half of a character"
    return ""


def _storable(text: str) -> str:
    """The text with every half of a character (a lone surrogate, which JSON can carry and UTF-8
    cannot) replaced: a label must not be lost for what stands in its note.
    """
    return text.encode("utf-8", "replace").decode()


def _key(event: LabelEvent) -> tuple[str, str, str, str]:
    return (event.spotcheck, event.query_id, event.passage_id, event.annotator)


def _handed(cursor: Cursor, events: Sequence[LabelEvent]) -> set[Row]:
    """The (spot check, query, passage, annotator) that were handed out, of those in `events`."""
    return set(
        cursor.execute(
            "select t.spotcheck, t.query_id, t.passage_id, h.annotator from handed h "
            "join tasks t on t.spotcheck = h.spotcheck and t.task = h.task "
            "where h.annotator = any($1) and t.query_id = any($2) and t.passage_id = any($3)",
            [
                [event.annotator for event in events],
                [event.query_id for event in events],
                [event.passage_id for event in events],
            ],
        ).fetchall()
    )


def _insert(
    cursor: Cursor,
    events: Mapping[str, LabelEvent],
    passages: Mapping[str, Passage],
    at: datetime,
) -> None:
    pressed = list(events.values())
    pairs = [(event.query_id, event.passage_id, event.annotator) for event in pressed]
    before = _Before(cursor, pairs)
    standing, states = before.standing, []
    for key, event in zip(pairs, pressed, strict=True):
        standing[key] = _after(standing.get(key, _State(_OPEN, None, "")), event)
        states.append(standing[key])
    seqs = numbers(cursor, len(pressed))
    cursor.execute(
        "insert into label_events (event, seq, query_id, passage_id, annotator, action, grade, "
        "state, note, spotcheck, blind, passage_hash, query_hash, client_at, labelled_at) "
        "select *, $15 from (select unnest($1::uuid[]) as event, unnest($2::bigint[]), "
        "unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]), "
        "unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]), "
        "unnest($11::boolean[]), unnest($12::text[]), unnest($13::text[]), unnest($14::text[])"
        ") as pressed",
        [
            list(events),
            seqs,
            *map(list, zip(*pairs, strict=True)),
            [event.action for event in pressed],
            [state.grade for state in states],
            [state.state for state in states],
            [state.note for state in states],
            [event.spotcheck for event in pressed],
            [
                event.blind and key not in before.seen
                for key, event in zip(pairs, pressed, strict=True)
            ],
            [
                passages[event.passage_id].hash if event.passage_id in passages else ""
                for event in pressed
            ],
            [before.query_hashes.get(event.query_id, "") for event in pressed],
            [_storable(event.client_at) for event in pressed],
            at,
        ],
    )
    audit_all(
        cursor,
        at,
        people=[event.annotator for event in pressed],
        actions=[event.action for event in pressed],
        subjects=[f"{event.query_id} / {event.passage_id}" for event in pressed],
        details=[event.grade or "" for event in pressed],
    )


class _Before:
    """What the store knows of some (query, passage, person) before they are labelled."""

    def __init__(self, cursor: Cursor, pairs: Sequence[tuple[str, str, str]]) -> None:
        queries, passages, people = map(list, zip(*pairs, strict=True))
        self.standing = {
            row[:3]: _State(*row[3:])
            for row in cursor.execute(
                "select distinct on (query_id, passage_id, annotator) query_id, passage_id, "
                "annotator, state, grade, note from label_events where query_id = any($1) "
                "and passage_id = any($2) and annotator = any($3) "
                "order by query_id, passage_id, annotator, seq desc",
                [queries, passages, people],
            ).fetchall()
        }
        self.seen = set(
            cursor.execute(
                "select query_id, passage_id, person from verdict_views where query_id = any($1) "
                "and passage_id = any($2) and person = any($3)",
                [queries, passages, people],
            ).fetchall()
        )
        self.query_hashes = dict(
            cursor.execute(
                "select query_id, hash from current_queries where query_id = any($1)", [queries]
            ).fetchall()
        )


def _after(stood: _State, event: LabelEvent) -> _State:
    """The state after an event: a note or an undo leaves the grade, a grade leaves the note."""
    note = _storable(event.note)
    if event.action == "label":
        return _State(State.LABELLED, event.grade, note or stood.note)
    if event.action in (State.UNSURE, State.LATER):
        return _State(event.action, None, note or stood.note)
    return stood._replace(note=note) if event.action == "note" else stood


_STANDING = "query_id, passage_id, annotator, state, grade, note, labelled_at, blind, spotcheck"


def current(store: Store) -> Iterable[Standing]:
    """What stands now: a row a pair and person, in the order in which they were last changed."""
    for rows in store.batches(
        f"select {_STANDING} from current_labels where state <> 'open' order by seq"
    ):
        yield from map(_standing, rows)


def _standing(row: Row) -> Standing:
    query_id, passage_id, annotator, state, grade, note, at, blind, spotcheck = row
    return Standing(
        query_id,
        passage_id,
        annotator,
        State(state),
        Grade(grade) if grade else None,
        note,
        at,
        blind,
        spotcheck,
    )


HISTORY = (
    *("event", "query_id", "passage_id", "annotator", "action", "grade", "state", "note"),
    *("spotcheck", "blind", "client_at", "labelled_at"),
)
"""The columns of `history`."""


def history(store: Store) -> Iterable[dict[str, object]]:
    """Every event, oldest first."""
    for rows in store.batches(f"select {', '.join(HISTORY)} from label_events order by seq"):
        yield from (dict(zip(HISTORY, row, strict=True)) for row in rows)


def note_view(store: Store, pairs: Sequence[tuple[str, str]], *, person: str) -> None:
    """Note that a person was shown verdicts on these pairs.

    A label given after that is not blind.
    """
    if not pairs:
        return
    with store.write() as cursor:
        cursor.execute(
            "insert into verdict_views select q, p, $3, $4 from "
            "(select unnest($1::text[]) as q, unnest($2::text[]) as p) as shown "
            "where not exists (select 1 from verdict_views v where v.query_id = q "
            "and v.passage_id = p and v.person = $3)",
            [[pair[0] for pair in pairs], [pair[1] for pair in pairs], person, store.clock()],
        )
