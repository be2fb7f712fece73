"""Verdicts of judges: events, of which the last for a pair, judge, rubric and model stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from labeler.model import Grade, Status, Verdict
from labeler.store.columns import of_width, slices
from labeler.store.comparison import Selection
from labeler.store.comparison_sql import about
from labeler.store.db import Cursor, Row, Store, append, number_column, numbers
from labeler.store.imports import NOWHERE, Imported, Source, log, parts

_FIELDS = (
    "query_id, passage_id, judge, grade, status, rubric, model, reason, raw, request_id, "
    "stop_reason, input_tokens, output_tokens, cost, latency_ms, api_request_id, query_hash, "
    "passage_hash, usage, judged_at"
)
_NAMES = _FIELDS.split(", ")
_NUMBERS = ("input_tokens", "output_tokens", "cost", "latency_ms", "judged_at")
_KEY = "query_id, passage_id, judge, rubric, model"
_SAID = "grade, status, reason, raw, request_id, api_request_id"
_FEW = 64
"""Rows that go faster as one statement than through Arrow."""


class Judged(NamedTuple):
    """A judge with its rubric and model, and what stands of its verdicts: on passages, or on
    `answers`."""

    judge: str
    rubric: str
    model: str
    ok: int
    unreadable: int
    last: datetime
    answers: bool = False


def keep(store: Store, verdicts: Sequence[Verdict]) -> None:
    """Store replies that a judge just gave, in one commit. Each is an event of its own."""
    with store.write() as cursor:
        write(cursor, verdicts, store.clock())


def write(cursor: Cursor, verdicts: Sequence[Verdict], at: datetime) -> None:
    """Add verdicts in a transaction that is open already."""
    if not verdicts:
        return
    rows = [_row(verdict, at) for verdict in verdicts]
    if len(rows) <= _FEW:
        width = len(_NAMES)
        lines = (
            ", ".join(f"${number}" for number in range(first, first + width))
            for first in range(1, len(rows) * width, width)
        )
        values = ", ".join(f"(nextval('seq'), {line})" for line in lines)
        cursor.execute(
            f"insert into verdicts (seq, {_FIELDS}) values {values}",
            [value for row in rows for value in row],
        )
        return
    columns = dict(zip(_NAMES, zip(*rows, strict=True), strict=True))
    append(cursor, "verdicts", {"seq": numbers(cursor, len(rows)), **columns})


def record(store: Store, verdicts: Iterable[Verdict]) -> int:
    """Store verdicts that may be there already, in one commit, and say how many were new.

    One that says what the standing verdict of its pair, judge, rubric and model says adds nothing.
    """
    with store.write() as cursor:
        return _brought(cursor, _columns(parts(verdicts, NOWHERE), store.clock())).added


def bring(store: Store, verdicts: Iterable[Verdict], *, source: Source = NOWHERE) -> Imported:
    """As `record`, for a file that is imported: noted among the imports, in the same commit."""
    return _bring(store, _columns(parts(verdicts, source), store.clock()), source)


def bring_table(store: Store, table: Any, *, source: Source = NOWHERE) -> Imported:
    """As `bring`, of an Arrow table with some fields of Verdict, of which `grade`, `judged_at` and
    all that are numbers may be null."""
    return _bring(store, _whole(slices(table, source), store.clock()), source)


def _bring(store: Store, stages: Iterable[Mapping[str, Any]], source: Source) -> Imported:
    with store.write() as cursor:
        done = _brought(cursor, stages)
        log(store, cursor, kind="verdicts", source=source, done=done)
    return done


def _columns(found: Iterable[list[Verdict]], at: datetime) -> Iterator[dict[str, Any]]:
    for part in found:
        rows = [_row(verdict, at) for verdict in part]
        yield dict(zip(_NAMES, zip(*rows, strict=True), strict=True))


def _whole(found: Iterable[Any], at: datetime) -> Iterator[dict[str, Any]]:
    """The columns of tables, with those that they have not."""
    from pyarrow.compute import fill_null

    for table in found:
        there = {name: table[name] for name in table.column_names}
        texts = {name: of_width(b"", len(table)) for name in _NAMES if name not in _NUMBERS}
        yield {**texts, **there, "judged_at": fill_null(there["judged_at"], at)}


def _brought(cursor: Cursor, stages: Iterable[Mapping[str, Any]]) -> Imported:
    """Add those of the staged columns that say something new."""
    read = 0
    cursor.execute("create temp table brought as select * from verdicts limit 0")
    try:
        for columns in stages:
            count = len(columns["query_id"])
            append(cursor, "brought", {"seq": number_column(cursor, count), **columns})
            read += count
        # A row is new if it differs from the one before it of its key; the first, from what stands.
        differs = " or ".join(
            f"a.{name} is distinct from case when o.seq is null then c.{name} else o.{name} end"
            for name in _SAID.split(", ")
        )
        added = cursor.execute(
            f"insert into verdicts (seq, {_FIELDS}) select a.seq, {_prefixed('a')} from brought a "
            "left join (select x.seq, max(y.seq) as seq_before from brought x join brought y "
            f"on {_same_key('x', 'y')} and y.seq < x.seq group by x.seq) as p on p.seq = a.seq "
            "left join brought o on o.seq = p.seq_before "
            f"left join current_verdicts c on {_same_key('a', 'c')} where {differs}"
        ).fetchone()
    finally:
        cursor.execute("drop table brought")
    return Imported(read, int(added[0]) if added else 0)


def _prefixed(table: str) -> str:
    return ", ".join(f"{table}.{name}" for name in _NAMES)


def _same_key(table: str, other: str) -> str:
    return " and ".join(f"{table}.{name} = {other}.{name}" for name in _KEY.split(", "))


def _row(verdict: Verdict, at: datetime) -> list[object]:
    row: list[object] = [getattr(verdict, name) for name in _NAMES]
    row[_NAMES.index("grade")] = None if verdict.grade is None else str(verdict.grade)
    row[_NAMES.index("status")] = str(verdict.status)
    row[_NAMES.index("judged_at")] = verdict.judged_at or at
    return row


class Known(NamedTuple):
    """A judge with its rubric and model that has verdicts on passages, or on `answers`."""

    judge: str
    rubric: str
    model: str
    answers: bool


def known(store: Store) -> list[Known]:
    """Who has verdicts at all, the newest first: what `judges` says without counting them."""
    rows = store.rows(
        f"select judge, rubric, model, {about('verdicts', answers=True)} as answers "
        "from verdicts group by judge, rubric, model, answers order by max(seq) desc"
    )
    return [Known(*row) for row in rows]


def judges(store: Store, *, answers: bool | None = False) -> list[Judged]:
    """Every judge, rubric and model that has verdicts on passages, or on answers (None: on either),
    the newest first."""
    # Rows are only added, with rising numbers: while the last are the same, all are.
    row = store.row("select (select max(seq) from verdicts), (select max(seq) from answers)")
    found = _judges(store, *(row or (None, None)))
    return [one for one in found if answers is None or one.answers == answers]


@lru_cache(maxsize=4)
def _judges(store: Store, _verdict: int | None, _answer: int | None) -> tuple[Judged, ...]:
    """`_verdict` and `_answer` tell one state of the store from another."""
    # Few verdicts are given again: what supersedes others is found first, and those are left out.
    rows = store.rows(
        "with again as (select query_id, passage_id, judge, rubric, model, max(seq) as newest "
        f"from verdicts group by {_KEY} having count(*) > 1) "
        "select judge, rubric, model, count(*) filter (where status = 'ok'), "
        "count(*) filter (where status = 'unreadable'), max(judged_at), "
        f"{about('v', answers=True)} as answers from verdicts v "
        f"left join again using ({_KEY}) where newest is null or seq = newest "
        "group by judge, rubric, model, answers order by max(seq) desc"
    )
    return tuple(Judged(*row) for row in rows)


def current(
    store: Store, *, judge: str = "", rubric: str = "", model: str = ""
) -> Iterator[Verdict]:
    """The verdicts that stand, of all judges or of those named, by query and passage."""
    named = {"judge": judge, "rubric": rubric, "model": model}
    asked = {name: value for name, value in named.items() if value}
    where = " and ".join(f"{name} = ${n}" for n, name in enumerate(asked, start=1)) or "true"
    sql = f"select {_FIELDS} from current_verdicts where {where} order by {_KEY}"
    for rows in store.batches(sql, list(asked.values())):
        yield from map(_verdict, rows)


def history(store: Store, query_id: str, passage_id: str) -> list[Verdict]:
    """Every verdict on a pair, the oldest first."""
    rows = store.rows(
        f"select {_FIELDS} from verdicts where query_id = $1 and passage_id = $2 order by seq",
        [query_id, passage_id],
    )
    return [_verdict(row) for row in rows]


def readable(store: Store, request_ids: Sequence[str]) -> dict[str, Verdict]:
    """The newest readable verdict for each of these requests, on whatever pair it was given."""
    rows = store.rows(
        f"select distinct on (request_id) {_FIELDS} from verdicts "
        "where request_id = any($1) and status = 'ok' order by request_id, seq desc",
        [list(request_ids)],
    )
    return {verdict.request_id: verdict for verdict in map(_verdict, rows)}


def _verdict(row: Row) -> Verdict:
    query_id, passage_id, judge, grade, status, *rest = row
    return Verdict(
        query_id, passage_id, judge, Grade(grade) if grade else None, Status(status), *rest
    )


class Standing(NamedTuple):
    """What stands on the request of a pair: the request that was answered, and whether readably."""

    request_id: str
    status: str


def answered(store: Store) -> set[str]:
    """Every request that has a readable verdict."""
    return {
        row[0]
        for row in store.rows(
            "select distinct request_id from verdicts where status = 'ok' and request_id <> ''"
        )
    }


Of = Callable[[str, str], Standing | None]
"""The standing verdict of a pair, by query and passage id."""


def standing(store: Store, *, judge: str, rubric: str, model: str) -> Of:
    """What stands for one judge, rubric and model, held in memory for many questions."""
    found = {
        (row[0], row[1]): Standing(row[2], row[3])
        for row in store.rows(
            "select query_id, passage_id, request_id, status from current_verdicts "
            "where judge = $1 and rubric = $2 and model = $3",
            [judge, rubric, model],
        )
    }
    return lambda query_id, passage_id: found.get((query_id, passage_id))


def unreadable(store: Store, *, limit: int = 200) -> list[Verdict]:
    """Replies that stand as unreadable, the newest first."""
    rows = store.rows(
        f"select {_FIELDS} from current_verdicts where status = 'unreadable' "
        "order by seq desc limit $1",
        [limit],
    )
    return [_verdict(row) for row in rows]


class Graded(NamedTuple):
    """A pair and the grade that a judge gave it."""

    query_id: str
    passage_id: str
    grade: Grade


def graded(store: Store, *, judge: str, rubric: str, model: str) -> Iterator[Graded]:
    """The passages with a readable verdict of exactly this judge, rubric and model."""
    sql = (
        "select query_id, passage_id, grade from verdicts v where seq in (select max(seq) "
        "from verdicts where judge = $1 and rubric = $2 and model = $3 "
        "group by query_id, passage_id) and status = 'ok' "
        f"and {about('v', answers=False)} order by query_id, passage_id"
    )
    named = {str(grade): grade for grade in Grade}  # a look-up is quicker than a call
    for rows in store.batches(sql, [judge, rubric, model]):
        for query_id, passage_id, grade in rows:
            yield Graded(query_id, passage_id, named[grade])


def reasons(
    store: Store, pairs: Sequence[tuple[str, str]], *, of: Selection
) -> dict[tuple[str, str], str]:
    """The reasons that exactly this judge, rubric and model gave for its standing verdicts on some
    pairs."""
    rows = store.rows(
        "select v.query_id, v.passage_id, v.reason from current_verdicts v join "
        "(select unnest($4::text[]) as query_id, unnest($5::text[]) as passage_id) as asked "
        "on asked.query_id = v.query_id and asked.passage_id = v.passage_id "
        "where v.judge = $1 and v.rubric = $2 and v.model = $3",
        [of.judge, of.rubric, of.model, [q for q, _ in pairs], [p for _, p in pairs]],
    )
    return {(query_id, passage_id): reason for query_id, passage_id, reason in rows}


class Frame(NamedTuple):
    """The pairs that a judge graded, as arrays of one length: ids as text, gains 0, 1, 2."""

    query_id: Any
    passage_id: Any
    gain: Any


def frame(store: Store, *, judge: str, rubric: str, model: str, answers: bool = False) -> Frame:
    """The passages, or the answers, with a readable verdict of exactly this judge, rubric and
    model, in no order."""
    found = store.columns(
        "select query_id, passage_id, "
        "case grade when 'NO' then 0 when 'PART' then 1 else 2 end::tinyint as gain from verdicts "
        "where seq in (select max(seq) from verdicts where judge = $1 and rubric = $2 "
        "and model = $3 group by query_id, passage_id) and status = 'ok' "
        f"and {about('verdicts', answers=answers)}",
        [judge, rubric, model],
    )
    return Frame(found["query_id"], found["passage_id"], found["gain"])
