"""What people said of pairs: events that are only ever added to, and what stands now.

An event carries the whole resulting state, so that the newest row of a pair and person is what
stands; a note or an undo repeats the grade that stood. A UUID that is known adds nothing: a client
may send an event as often as it likes.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from labeler.model import Grade, LabelEvent, Passage, Standing, State
from labeler.store import ledger, texts
from labeler.store.brought import bring, bring_table
from labeler.store.db import Cursor, Row, Store, numbers
from labeler.store.people import audit_all

__all__ = (
    "HISTORY",
    "Recorded",
    "Refusal",
    "annotators",
    "bring",
    "bring_table",
    "current",
    "history",
    "note_view",
    "outdated",
    "record",
    "record_all",
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
    (found,) = record_all(store, [events])
    return found


def record_all(store: Store, submissions: Sequence[Sequence[LabelEvent]]) -> list[Recorded]:
    """As `record`, of several at once, one after another in one commit: what became of each."""
    events = [event for submission in submissions for event in submission]
    whys = iter(_record(store, events))
    return [
        _recorded(submission, list(islice(whys, len(submission)))) for submission in submissions
    ]


def _recorded(events: Sequence[LabelEvent], whys: Sequence[str]) -> Recorded:
    told = list(zip(events, whys, strict=True))
    return Recorded(
        [event.event for event, why in told if not why],
        [Refusal(event.event, why) for event, why in told if why],
    )


def _record(store: Store, events: Sequence[LabelEvent]) -> list[str]:
    """Why each of the events was not stored; "" where it is on disk."""
    whys = [_malformed(event) for event in events]
    sound = [event for event, why in zip(events, whys, strict=True) if not why]
    if not sound:
        return whys
    passages = texts.passages(store, [event.passage_id for event in sound])
    with store.write() as cursor:
        before = _Before(store, cursor, sound)
        allowed = [(str(uuid.UUID(event.event)), event) for event in sound if before.handed(event)]
        meant = {
            str(row[0]): row[1:]
            for row in cursor.execute(
                "select event, query_id, passage_id, annotator from label_events "
                "where event = any($1::uuid[])",
                [[key for key, _ in allowed]],
            ).fetchall()
        }
        new: dict[str, LabelEvent] = {}
        for key, event in allowed:
            if key not in meant:
                new[key] = event
                meant[key] = _pair(event)
        if new:
            _insert(cursor, new, before, passages, store.clock())
    return [why or _barred(event, before, meant) for event, why in zip(events, whys, strict=True)]


def _barred(event: LabelEvent, before: _Before, meant: Mapping[str, tuple[str, str, str]]) -> str:
    """Why an event was not stored; "" where it is: `meant` is the pair and person of each id."""
    if not before.handed(event):
        return f"this pair was not handed to {event.annotator}"
    if meant[str(uuid.UUID(event.event))] != _pair(event):
        return "the event's id is that of another one"
    return ""


def _pair(event: LabelEvent) -> tuple[str, str, str]:
    return (event.query_id, event.passage_id, event.annotator)


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


def _insert(
    cursor: Cursor,
    events: Mapping[str, LabelEvent],
    before: _Before,
    passages: Mapping[str, Passage],
    at: datetime,
) -> None:
    pressed = list(events.values())
    pairs = [_pair(event) for event in pressed]
    standing, states = before.standing(pressed), []
    for key, event in zip(pairs, pressed, strict=True):
        standing[key] = _after(standing.get(key, _State(_OPEN, None, "")), event)
        states.append(standing[key])
    hashes = before.query_hashes(pressed)
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
            [event.blind and not before.seen(event) for event in pressed],
            [
                _storable(event.passage_hash)
                or (passages[event.passage_id].hash if event.passage_id in passages else "")
                for event in pressed
            ],
            [hashes.get(event.query_id, "") for event in pressed],
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
    """What the store knows of the pairs of some events, and of their people, before they are
    stored: most of it from memory."""

    def __init__(self, store: Store, cursor: Cursor, events: Sequence[LabelEvent]) -> None:
        self._cursor = cursor
        self._of: dict[tuple[str, str], ledger.Standing] = {}
        at = ledger.moment(store)
        for spotcheck, annotator in {(event.spotcheck, event.annotator) for event in events}:
            kept = ledger.of(store, spotcheck)
            self._of[spotcheck, annotator] = kept.standing(cursor, annotator, at=at)

    def _asking(self, event: LabelEvent) -> Sequence[int]:
        standing = self._of[event.spotcheck, event.annotator]
        return standing.asking.get((event.query_id, event.passage_id), ())

    def handed(self, event: LabelEvent) -> bool:
        """Whether the pair was handed to the person in this spot check."""
        handed = self._of[event.spotcheck, event.annotator].handed
        return any(task in handed for task in self._asking(event))

    def seen(self, event: LabelEvent) -> bool:
        """Whether the person was shown a verdict on the pair."""
        seen = self._of[event.spotcheck, event.annotator].seen
        return any(task in seen for task in self._asking(event))

    def standing(self, events: Sequence[LabelEvent]) -> dict[tuple[str, str, str], _State]:
        """What stands for each (query, passage, person); nothing where nothing does."""
        found: dict[tuple[str, str, str], _State] = {}
        unknown = []
        for event in events:
            key = _pair(event)
            standing = self._of[event.spotcheck, event.annotator]
            task = self._asking(event)[0]
            if standing.tasks[task].again:  # the ledger has only what was said in this spot check
                unknown.append(key)
            elif task in standing.own:
                found[key] = _State(*standing.own[task].own)
        return found | (self._look_up(unknown) if unknown else {})

    def _look_up(self, keys: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str, str], _State]:
        rows = self._cursor.execute(
            "select distinct on (query_id, passage_id, annotator) query_id, passage_id, "
            "annotator, state, grade, note from label_events where query_id = any($1) "
            "and passage_id = any($2) and annotator = any($3) "
            "order by query_id, passage_id, annotator, seq desc",
            list(map(list, zip(*keys, strict=True))),
        ).fetchall()
        return {row[:3]: _State(*row[3:]) for row in rows}

    def query_hashes(self, events: Sequence[LabelEvent]) -> dict[str, str]:
        """The hashes of the queries' texts as they stand."""
        rows = self._cursor.execute(
            "select query_id, hash from current_queries where query_id = any($1)",
            [[event.query_id for event in events]],
        ).fetchall()
        return dict(rows)


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


def annotators(store: Store) -> set[str]:
    """Who has labelled, be it that all was undone."""
    return {name for (name,) in store.rows("select distinct annotator from label_events")}


def outdated(store: Store) -> int:
    """How many labels that stand were given on an earlier version of their passage."""
    (found,) = store.rows(
        "select count(*) from label_events l join (select passage_id, hash from passages "
        "where seq in (select max(seq) from passages where not superseded group by passage_id)) p "
        "on p.passage_id = l.passage_id "
        "where l.seq in (select max(seq) from label_events "
        "group by query_id, passage_id, annotator) "
        "and l.state in ('labelled', 'unsure') and l.passage_hash not in ('', p.hash)"
    )
    return int(found[0])


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
