"""Labels that a file brings."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha1
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np

from labeler.model import Judgment, State, moment
from labeler.store.columns import each, judgment_table, of_width, slices, texts_of
from labeler.store.db import Cursor, Store, append, number_column, scalar
from labeler.store.imports import NOWHERE, Imported, Source, log, parts

_KEPT = ("query_id", "passage_id", "grade", "note", "spotcheck", "blind")
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
    tables = map(judgment_table, parts(judgments, source))
    return _bring(store, tables, annotator=annotator, source=source)


def bring_table(store: Store, table: Any, *, annotator: str, source: Source = NOWHERE) -> Imported:
    """As `bring`, of an Arrow table with the fields of Judgment."""
    return _bring(store, slices(table, source), annotator=annotator, source=source)


def _bring(store: Store, tables: Iterable[Any], *, annotator: str, source: Source) -> Imported:
    read = 0
    with store.write() as cursor:
        cursor.execute("create temp table brought as select * from label_events limit 0")
        for table in tables:
            _stage(cursor, table, annotator=annotator, file_hash=source.hash, at=store.clock())
            read += len(table)
        done = Imported(read, _settle(cursor))
        cursor.execute("drop table brought")
        log(store, cursor, kind="labels", source=source, done=done)
    return done


def _stage(cursor: Cursor, table: Any, *, annotator: str, file_hash: str, at: datetime) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    given = {name: table[name] for name in table.column_names}
    nothing = of_width(b"", len(table))
    person = pc.if_else(pc.equal(given["person"], ""), annotator, given["person"])
    ungraded = pc.if_else(
        pc.equal(given["state"], State.LATER), *map(str, (State.LATER, State.UNSURE))
    )
    state = pc.if_else(pc.is_valid(given["grade"]), str(State.LABELLED), ungraded)
    moments = each(given["at"], moment, pa.timestamp("us", tz="UTC"))
    append(
        cursor,
        "brought",
        {
            "event": _events(given, file_hash, person, state),
            "seq": number_column(cursor, len(table)),
            "annotator": person,
            "action": of_width(b"import" * len(table), len(table)),
            "state": state,
            **{name: given[name] for name in _KEPT},
            "passage_hash": nothing,
            "query_hash": nothing,
            "client_at": given["at"],
            "labelled_at": pc.fill_null(moments, at),
        },
    )


def _settle(cursor: Cursor) -> int:
    """Add what was staged and is new; how many events that were.

    A row that an earlier import of the same file brought is known by its event's UUID, and one that
    this import leaves out because it already stood is remembered by it.
    """
    for condition in (
        # of the rows of one person on a pair the last
        "seq not in (select max(seq) from brought group by query_id, passage_id, annotator)",
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
    cursor.execute("insert into label_events select * from brought")
    return int(scalar(cursor, "select count(*) from brought"))


def _events(given: Mapping[str, Any], file_hash: str, person: Any, state: Any) -> Any:
    """The UUIDs of the rows of a file: the same whenever the file is read the same way. Each is
    `uuid.uuid5(_NAMESPACE, json.dumps([file_hash, person, state, query, passage, grade, note]))`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    grade = pc.fill_null(given["grade"], "")
    said = (person, state, given["query_id"], given["passage_id"], grade, given["note"])
    quoted = [each(column, encode_basestring_ascii, pa.string()) for column in said]
    start = sha1(_NAMESPACE.bytes + f"[{encode_basestring_ascii(file_hash)}, ".encode())
    digests = bytearray()
    for row in texts_of(pc.binary_join_element_wise(*quoted, ", ")):
        found = start.copy()
        found.update(b"%b]" % row)
        digests += found.digest()
    numbers = np.frombuffer(digests, dtype=np.uint8).reshape(-1, 20)[:, :16].copy()
    numbers[:, 6] = numbers[:, 6] & 0x0F | 0x50
    numbers[:, 8] = numbers[:, 8] & 0x3F | 0x80
    return of_width(numbers.tobytes().hex().encode(), len(numbers))
