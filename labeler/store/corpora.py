"""Corpora and their passages. A changed passage supersedes the old text, which stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import repeat
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any, NamedTuple

from labeler.errors import LabelerError
from labeler.model import Passage
from labeler.store import recent as memory
from labeler.store.columns import slices
from labeler.store.db import Cursor, Store, append, number_column, scalar
from labeler.store.imports import (
    NAMED,
    NOWHERE,
    REPLACED,
    Imported,
    Source,
    log,
    parts,
    remark,
)

_SLICE = 50_000
"""Rows of a table that are held as Python's texts at once."""

_FIELDS = "passage_id, text, title, source_uri, locator, scope, effective_from, effective_to"


_NAMES = _FIELDS.split(", ")
_VALUES = attrgetter(*_NAMES)


class Corpus(NamedTuple):
    """A corpus `name@version`: each import that changed anything is a version."""

    name: str
    version: int
    passages: int


def record(
    store: Store,
    passages: Iterable[Passage],
    *,
    name: str,
    source: Source = NOWHERE,
) -> Imported:
    """Add passages to corpus `name`; those that stand there unchanged are not added again.

    Of several with one id the last counts.
    """
    stages = (
        {
            **dict(zip(_NAMES, zip(*map(_VALUES, part), strict=True), strict=True)),
            "hash": [passage.hash for passage in part],
        }
        for part in parts(passages, source)
    )
    return _record(store, stages, name=name, source=source)


def record_table(store: Store, table: Any, *, name: str, source: Source = NOWHERE) -> Imported:
    """As `record`, of an Arrow table with the fields of Passage, all of them text."""
    stages = (
        {**{name: part[name] for name in _NAMES}, "hash": _hashes(part)}
        for part in slices(table, source, rows=_SLICE)
    )
    return _record(store, stages, name=name, source=source)


def _record(
    store: Store, stages: Iterable[Mapping[str, Any]], *, name: str, source: Source
) -> Imported:
    read = 0
    with store.write() as cursor:
        version = scalar(
            cursor, "select coalesce(max(version), 0) + 1 from corpora where name = $1", [name]
        )
        cursor.execute("create temp table brought as select * from passages limit 0")
        for columns in stages:
            count = len(columns["hash"])
            append(
                cursor,
                "brought",
                {
                    "seq": number_column(cursor, count),
                    "corpus": [name] * count,
                    "version": [version] * count,
                    **columns,
                    "superseded": [False] * count,
                },
            )
            read += count
        _require_no_answer(cursor)
        added, remarks = _supersede(cursor, name)
        cursor.execute("drop table brought")
        if added:
            cursor.execute(
                "insert into corpora select nextval('seq'), $1, $2, count(*), $3 from passages "
                "where corpus = $1 and not superseded",
                [name, version, store.clock()],
            )
        done = Imported(read, added, remarks)
        log(store, cursor, kind="corpus", source=source, done=done)
    memory.of(store).forget()
    return done


def _hashes(table: Any) -> list[str]:
    """The content hash of each passage of a table: what `Passage.hash` is."""
    fields = sorted(name for name in _NAMES if name != "passage_id")
    form = ",".join(f'"{name}":%s' for name in fields)
    quoted = [_quoted(table[name]) for name in fields]
    said = (f"{{{form % row}}}" for row in zip(*quoted, strict=True))
    return ["b1:" + sha256(text.encode()).hexdigest() for text in said]


def _quoted(column: Any) -> Iterable[str]:
    """Each text of a column as canonical JSON has it."""
    import pyarrow.compute as pc

    empty = not pc.max(pc.binary_length(column)).as_py()
    return repeat('""', len(column)) if empty else map(encode_basestring, column.to_pylist())


def _require_no_answer(cursor: Cursor) -> None:
    """An answer is graded under its id as a passage is: one id must not stand for both."""
    taken = cursor.execute(
        "select passage_id from brought join answers on answer_id = passage_id limit 1"
    ).fetchall()
    if taken:
        raise LabelerError(f"There is an answer {taken[0][0]!r}, which is a passage's id here")


_STOOD = """select count(*) over (), passage_id from brought where exists (
    select 1 from passages p where not p.superseded and p.passage_id = brought.passage_id
    and {}) order by seq limit """ + str(NAMED)
_ELSEWHERE = "another corpus has another text of this id; the one imported last counts"


def _supersede(cursor: Cursor, corpus: str) -> tuple[int, tuple[str, ...]]:
    """Let what was brought take the place of what stood, where it differs; how many did, and what
    to tell of it."""
    cursor.execute(
        "delete from brought where exists (select 1 from brought later "
        "where later.passage_id = brought.passage_id and later.seq > brought.seq)"
    )
    cursor.execute(
        "delete from brought where exists (select 1 from passages p where not superseded "
        "and p.corpus = brought.corpus and p.passage_id = brought.passage_id "
        "and p.hash = brought.hash)"
    )
    remarks: tuple[str, ...] = ()
    for what, condition in (
        (REPLACED, "p.corpus = $1"),
        (_ELSEWHERE, "p.corpus <> $1 and p.text <> brought.text"),
    ):
        rows = cursor.execute(_STOOD.format(condition), [corpus]).fetchall()
        many = rows[0][0] if rows else 0
        remarks += remark(what, [passage_id for _, passage_id in rows], many=many)
    cursor.execute(
        "update passages set superseded = true where corpus = $1 and not superseded "
        "and passage_id in (select passage_id from brought)",
        [corpus],
    )
    cursor.execute(
        f"insert into passages (seq, corpus, version, {_FIELDS}, hash, superseded) "
        f"select seq, corpus, version, {_FIELDS}, hash, superseded from brought"
    )
    return int(scalar(cursor, "select count(*) from brought")), remarks


def current(store: Store) -> list[Corpus]:
    """Each corpus in its newest version, by name."""
    rows = store.rows(
        "select distinct on (name) name, version, passages from corpora order by name, seq desc"
    )
    return [Corpus(*row) for row in rows]


def passages(store: Store, ids: Sequence[str]) -> dict[str, Passage]:
    """The passages with these ids; ids without a text are left out."""
    recent = memory.of(store)
    kept, missing, state = recent.find(ids)
    if missing:
        rows = store.rows(  # not the view: it would sort all texts before it looked for the ids
            f"select {_FIELDS} from passages where seq in (select max(seq) from passages "
            "where passage_id = any($1) and not superseded group by passage_id)",
            [missing],
        )
        read = {row[0]: Passage(*row) for row in rows}
        recent.keep(read, state=state)
        kept |= read
    return kept


# Of two corpora's passages with one id, the one imported last is current.
_NEWEST = (
    "not superseded and not exists (select 1 from passages other where not other.superseded "
    "and other.passage_id = passages.passage_id and other.seq > passages.seq)"
)


def every_passage(store: Store, *, corpus: str | None = None) -> Iterator[Passage]:
    """All current passages, or those of one corpus, in the order of their import."""
    if corpus is None:
        condition, values = _NEWEST, []
    else:
        condition, values = "not superseded and corpus = $1", [corpus]
    sql = f"select {_FIELDS} from passages where {condition} order by seq"
    for rows in store.batches(sql, values):
        yield from (Passage(*row) for row in rows)


def bounded(store: Store) -> dict[str, Passage]:
    """The current passages that have a scope or a date, by id, with nothing but these."""
    rows = store.rows(
        "select passage_id, scope, effective_from, effective_to from passages where seq in "
        "(select max(seq) from passages where not superseded group by passage_id) "
        "and (scope <> '' or effective_from <> '' or effective_to <> '')"
    )
    return {
        name: Passage(name, "", scope=scope, effective_from=start, effective_to=end)
        for name, scope, start, end in rows
    }


def count(store: Store) -> int:
    """How many passages are current."""
    row = store.row("select count(*), count(distinct corpus) from passages where not superseded")
    if row and row[1] > 1:  # within one corpus an id stands once
        row = store.row("select count(distinct passage_id) from passages where not superseded")
    return int(row[0]) if row else 0


def ids(store: Store) -> set[str]:
    """The ids of all current passages."""
    return {row[0] for row in store.rows("select passage_id from passages where not superseded")}
