"""Records written to files as an export writes them: as Arrow columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import pyarrow as pa

from labeler.formats import Format, lines
from labeler.formats.corpora import CORPUS_COLUMNS
from labeler.formats.goldenfile import GOLDEN_COLUMNS, QRELS_COLUMNS
from labeler.formats.judgments import LABEL_COLUMNS, VERDICT_COLUMNS
from labeler.formats.runs import RUN_COLUMNS
from labeler.model import GoldenEntry, Judgment, Passage, RunRow

TYPES = {"rank": pa.int32(), "score": pa.float64(), "cost": pa.float64(), "blind": pa.bool_()}


GAINS = {"grade": pa.int32()}


def batches(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    types: Mapping[str, pa.DataType] = TYPES,
) -> Iterator[pa.RecordBatch]:
    """The rows in batches of two; what has no type is text."""
    rows = list(rows)
    for start in range(0, len(rows), 2):
        cells = zip(columns, zip(*rows[start : start + 2], strict=True), strict=True)
        arrays = [pa.array(said, types.get(name, pa.string())) for name, said in cells]
        yield pa.record_batch(arrays, names=list(columns))


def write_corpus(path: Path, passages: Iterable[Passage], *, form: Format) -> int:
    found = batches(CORPUS_COLUMNS, map(astuple, passages))
    if form == "beir":
        return lines.write_beir_corpus(path, batches=found)
    return lines.write_columns(path, CORPUS_COLUMNS, batches=found, form=form)


def write_labels(path: Path, records: Iterable[Judgment], *, form: Format) -> int:
    rows = (
        (
            *(r.query_id, r.passage_id, r.person, r.grade and r.grade.value, r.state),
            *(r.at, r.blind, r.spotcheck, r.note),
        )
        for r in records
    )
    found = batches(LABEL_COLUMNS, rows)
    return lines.write_columns(path, LABEL_COLUMNS, batches=found, form=form)


def write_verdicts(path: Path, records: Iterable[Judgment], *, form: Format) -> int:
    rows = (
        (
            *(r.query_id, r.passage_id, r.person, r.rubric, r.model),
            *(r.grade and r.grade.value, r.state, r.reason, r.at, r.cost),
        )
        for r in records
    )
    found = batches(VERDICT_COLUMNS, rows)
    return lines.write_columns(path, VERDICT_COLUMNS, batches=found, form=form)


def write_run(path: Path, rows: Iterable[RunRow], *, form: Format, system: str = "") -> int:
    found = batches(RUN_COLUMNS, ((r.query_id, r.passage_id, r.rank, r.score) for r in rows))
    if form == "trec":
        return lines.write_trec_run(path, batches=found, system=system)
    return lines.write_columns(path, RUN_COLUMNS, batches=found, form=form)


def write_qrels(path: Path, rows: Iterable[tuple[str, str, int]], *, form: Format) -> int:
    found = batches(QRELS_COLUMNS, rows, types=GAINS)
    return lines.write_qrels(path, batches=found, form=form)


def write_entries(path: Path, entries: Iterable[GoldenEntry], *, form: Format) -> int:
    rows = ((e.query_id, e.passage_id, e.grade and e.grade.value, e.query, e.kind) for e in entries)
    found = batches(GOLDEN_COLUMNS, rows)
    return lines.write_columns(path, GOLDEN_COLUMNS, batches=found, form=form)
