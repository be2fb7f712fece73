"""Labels that a file brings."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha1

from labeler.model import Judgment, State
from labeler.store.db import Cursor, Store, append, numbers, scalar
from labeler.store.imports import NOWHERE, Imported, Source, log, parts

_NAMESPACE = uuid.UUID("5b0c6c5c-3f0e-5a70-9a8e-2f9f6d6f4d0a")


def bring(
    store: Store,
    judgments: Iterable[Judgment],
    *,
    annotator: str,
    source: Source = NOWHERE,
) -> Imported:
    """Import labels of a file. Rows that name no annotator are `annotator`'s.

    The same file again adds nothing, also after its labels have been changed in the app, and a row
    that repeats what stands adds nothing. Of several rows of one person on a pair the last stands.
    """
    read = 0
    with store.write() as cursor:
        cursor.execute("create temp table brought as select * from label_events limit 0")
        for part in parts(judgments, source):
            people = [judgment.person or annotator for judgment in part]
            _stage(cursor, part, people=people, file_hash=source.hash, at=store.clock())
            read += len(part)
        done = Imported(read, _settle(cursor))
        cursor.execute("drop table brought")
        log(store, cursor, kind="labels", source=source, done=done)
    return done


def _stage(
    cursor: Cursor,
    part: Sequence[Judgment],
    *,
    people: Sequence[str],
    file_hash: str,
    at: datetime,
) -> None:
    states = [_state(judgment) for judgment in part]
    append(
        cursor,
        "brought",
        {
            "event": [
                _event(judgment, file_hash, person, state)
                for judgment, person, state in zip(part, people, states, strict=True)
            ],
            "seq": numbers(cursor, len(part)),
            "query_id": [judgment.query_id for judgment in part],
            "passage_id": [judgment.passage_id for judgment in part],
            "annotator": people,
            "action": ["import"] * len(part),
            "grade": [judgment.grade for judgment in part],
            "state": states,
            "note": [judgment.note for judgment in part],
            "spotcheck": [judgment.spotcheck for judgment in part],
            "blind": [judgment.blind for judgment in part],
            "passage_hash": [""] * len(part),
            "query_hash": [""] * len(part),
            "client_at": [judgment.at for judgment in part],
            "labelled_at": [_moment(judgment.at) or at for judgment in part],
        },
    )


def _settle(cursor: Cursor) -> int:
    """Add what was staged and is new; how many events that were.

    A row that an earlier import of the same file brought is known by its event's UUID, and one that
    this import leaves out because it already stood is remembered by it.
    """
    for condition in (
        # of the rows of one person on a pair the last
        "exists (select 1 from brought o where o.query_id = b.query_id "
        "and o.passage_id = b.passage_id and o.annotator = b.annotator and o.seq > b.seq)",
        "exists (select 1 from label_events e where e.event = b.event)",
        "exists (select 1 from repeated_labels r where r.event = b.event)",
    ):
        cursor.execute(f"delete from brought as b where {condition}")
    cursor.execute(
        "create temp table repeated as select b.event from brought b join current_labels c "
        "on c.query_id = b.query_id and c.passage_id = b.passage_id "
        "and c.annotator = b.annotator where c.grade is not distinct from b.grade "
        "and c.state = b.state and c.note = b.note"
    )
    cursor.execute("insert into repeated_labels select event from repeated")
    cursor.execute("delete from brought where event in (select event from repeated)")
    cursor.execute("drop table repeated")
    cursor.execute("insert into label_events select * from brought order by seq")
    return int(scalar(cursor, "select count(*) from brought"))


def _state(judgment: Judgment) -> str:
    if judgment.grade:
        return State.LABELLED
    return State.LATER if judgment.state == State.LATER else State.UNSURE


def _event(judgment: Judgment, file_hash: str, person: str, state: str) -> str:
    """The UUID of a row of a file: the same whenever the file is read the same way."""
    said = (judgment.query_id, judgment.passage_id, judgment.grade or "", judgment.note)
    return _uuid5(json.dumps([file_hash, person, state, *said]))


def _uuid5(name: str) -> str:
    """`str(uuid.uuid5(_NAMESPACE, name))` in a third of its time."""
    found = int.from_bytes(sha1(_NAMESPACE.bytes + name.encode()).digest()[:16])
    found = found & ~(0xF000 << 64) & ~(0xC000 << 48) | 5 << 76 | 0x8000 << 48
    text = f"{found:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _moment(text: str) -> datetime | None:
    """An aware ISO 8601 time, or None."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
