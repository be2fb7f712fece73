"""Arrow columns as the lines of a file: a million rows in seconds, to the byte as Python's csv and
json write them row by row.

Most cells stand in a file as they are: they are joined where they lie. The others are written one
by one, by what writes the cells of a row. Tests hold the two together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from labeler.errors import LabelerError
from labeler.formats.goldenfile import BEIR_HEAD, beir_line
from labeler.formats.trec import FIELD_BREAK, tag_of, writable
from labeler.formats.write import RUNS, Format, guard, write_atomically

Batches = Generator[pa.RecordBatch]
"""Some thousand rows at a time. Closed once they are written, or cannot be: they may be read within
a transaction."""

_QUOTED = re.compile('[,"\r\n]')
_IN_CSV = f"^'*[{RUNS}]|{_QUOTED.pattern}".replace("\0", r"\x00")
_IN_JSON = r'[\x00-\x1f"\\]'
_IN_TREC = rf"^$|\x00|{FIELD_BREAK.pattern}"
_IN_BEIR = '[\t"\r\n]|^\ufeff'
"""What makes a cell of each form odd: it does not stand there as it is."""

_NOTHING = pa.scalar("")

_AT_ONCE = 1 << 24
"""Bytes of a batch that are made into lines at once."""


def write_columns(
    path: str | Path, columns: Sequence[str], *, batches: Batches, form: Format
) -> int:
    """As `write_table`, from batches that have these columns; a moment stands as ISO 8601."""
    if form == "csv":
        head = ",".join(columns) + "\r\n"
        return _written(path, batches, lambda batch: _csv_lines(batch, columns), head=head)
    if form == "jsonl":
        names = {name: name for name in columns}
        return _written(path, batches, lambda batch: _joined(*_object(batch, names), "}\n"))
    raise LabelerError(f"{Path(path).name}: this can be written as csv or jsonl, not as {form}")


def write_beir_corpus(path: str | Path, *, batches: Batches) -> int:
    """Write passages in BEIR's form, from batches of the fields of a Passage; returns their number.

    What that form has no field for is kept under "metadata", and read back from there.
    """
    names = {"_id": "passage_id", "title": "title", "text": "text"}

    def lines(batch: pa.RecordBatch) -> pa.Array:
        rest = [name for name in batch.schema.names if name not in names.values()]
        said = [_joined(f', "{name}": ', _json(_there(batch[name]))) for name in rest]
        more = _joined(*(pc.fill_null(part, "") for part in said))
        first = pc.utf8_slice_codeunits(more, 2)  # without its comma
        return _joined(*_object(batch, names), ', "metadata": {', first, "}}\n")

    return _written(path, batches, lines)


def write_trec_run(path: str | Path, *, batches: Batches, system: str) -> int:
    """Write a run in TREC's form, from batches of query_id, passage_id, rank and score; returns the
    number of rows. A row without a score gets 1/rank, which sorts as the rank does. Raises
    LabelerError for an id that the form cannot hold."""
    end = f" {tag_of(system)}\n"

    def lines(batch: pa.RecordBatch) -> pa.Array:
        rank = batch["rank"]
        score = pc.coalesce(batch["score"], pc.divide(1.0, rank.cast(pa.float64())))
        query, passage = _fit(batch)
        return _joined(query, " Q0 ", passage, " ", _text(rank), " ", _text(score), end)

    return _written(path, batches, lines)


def write_qrels(path: str | Path, *, batches: Batches, form: Format) -> int:
    """Write gains as trec, beir, csv or jsonl, from batches of query_id, passage_id and `grade`;
    returns how many. `GAINS` is the map that reads them back."""
    if form == "trec":
        return _written(path, batches, _trec_qrels)
    if form == "beir":
        return _written(path, batches, _beir_qrels, head=BEIR_HEAD)
    return write_columns(path, ("query_id", "passage_id", "grade"), batches=batches, form=form)


def _trec_qrels(batch: pa.RecordBatch) -> pa.Array:
    query, passage = _fit(batch)
    return _joined(query, " 0 ", passage, " ", _text(batch["grade"]), "\n")


def _beir_qrels(batch: pa.RecordBatch) -> pa.Array:
    query, passage, gain = batch["query_id"], batch["passage_id"], batch["grade"]
    odd = pc.or_(_match(query, _IN_BEIR), _match(passage, _IN_BEIR))
    plain = _joined(query, "\t", passage, "\t", _text(gain), "\n")
    rows = zip(*(column.filter(odd).to_pylist() for column in (query, passage, gain)), strict=True)
    return pc.replace_with_mask(plain, odd, pa.array(map(beir_line, rows), pa.string()))


def _written(
    path: str | Path,
    batches: Batches,
    lines: Callable[[pa.RecordBatch], pa.Array],
    *,
    head: str = "",
) -> int:
    """Write the lines of each batch before the next is read."""
    written = 0
    with closing(batches), write_atomically(path) as handle:
        handle.write(head)
        handle.flush()
        for batch in batches:
            for part in _parts(batch):
                handle.buffer.write(_bytes(lines(part)))
            written += len(batch)
    return written


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in parts that are no burden, however long its texts: writing takes several copies."""
    rows = max(1, len(batch) * _AT_ONCE // max(1, batch.nbytes))
    return (batch.slice(start, rows) for start in range(0, len(batch), rows))


def _bytes(lines: pa.Array) -> memoryview:
    """Lines as they lie one behind another."""
    if not len(lines):
        return memoryview(b"")
    _, starts, texts = lines.buffers()
    ends = memoryview(starts).cast("i")
    return memoryview(texts)[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _csv_lines(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.Array:
    cells = [_csv(batch[name]) for name in columns]
    return _joined(pc.binary_join_element_wise(*cells, ","), "\r\n")


def _csv(column: pa.Array) -> pa.Array:
    """The cells of a column. Numbers are no text, and never guarded."""
    if column.type == pa.string():
        column = _rewritten(column, column, odd=_IN_CSV, write=_csv_cell)
    return pc.fill_null(_text(column), "")


def _csv_cell(text: str) -> str:
    safe = guard(text)
    return '"' + safe.replace('"', '""') + '"' if _QUOTED.search(safe) else safe


def _object(batch: pa.RecordBatch, names: Mapping[str, str]) -> Iterator[pa.Array | str]:
    """The parts of a JSON object with these keys, each of a column, but for its end."""
    for place, (key, name) in enumerate(names.items()):
        yield f'{", " if place else "{"}"{key}": '
        yield pc.fill_null(_json(batch[name]), "null")


def _json(column: pa.Array) -> pa.Array:
    """The values of a column; null where there is none."""
    if pa.types.is_timestamp(column.type):
        return _joined('"', _text(column), '"')
    if column.type != pa.string():
        return _text(column)
    return _rewritten(_joined('"', column, '"'), column, odd=_IN_JSON, write=_json_text)


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _text(column: pa.Array) -> pa.Array:
    """Numbers, truth values and moments as Python writes them."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return pc.if_else(column, "true", "false")
    if pa.types.is_floating(kind):
        return pa.array([None if x is None else repr(x) for x in column.to_pylist()], pa.string())
    if pa.types.is_timestamp(kind):
        moments = column.dictionary_encode()
        said = pa.array([one.isoformat() for one in moments.dictionary.to_pylist()], pa.string())
        return said.take(moments.indices)
    return column.cast(pa.string())


def _fit(batch: pa.RecordBatch) -> list[pa.Array]:
    """The ids of queries and passages; LabelerError for the first that TREC's form cannot hold."""
    ids = [batch["query_id"], batch["passage_id"]]
    odd = pc.or_(*(_match(column, _IN_TREC) for column in ids))
    for pair in zip(*(column.filter(odd).to_pylist() for column in ids), strict=True):
        for identity in pair:
            writable(identity)
    return ids


def _there(column: pa.Array) -> pa.Array:
    """A column with null for what is empty."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)


def _rewritten(
    written: pa.Array, column: pa.Array, *, odd: str, write: Callable[[str], str]
) -> pa.Array:
    """What was written of a column, but where the text is odd, what `write` makes of it."""
    mask = _match(column, odd)
    texts = column.filter(mask).to_pylist()
    return pc.replace_with_mask(written, mask, pa.array(map(write, texts), pa.string()))


def _match(column: pa.Array, pattern: str) -> pa.Array:
    return pc.fill_null(pc.match_substring_regex(column, pattern), False)


def _joined(*parts: pa.Array | str) -> pa.Array:
    """The parts of each row as one text; null where one is."""
    return pc.binary_join_element_wise(*parts, _NOTHING)
