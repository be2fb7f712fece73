"""From files to the store: one import is one transaction, with a report of all that was noticed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from labeler import formats, noticing
from labeler.errors import InputError, LabelerError, Problem
from labeler.formats import Numbered, Reading
from labeler.formats.fields import called
from labeler.judges import recorded
from labeler.model import GoldenEntry, State, Status
from labeler.store import corpora, goldens, labels, queries, runs, verdicts
from labeler.store.db import Store
from labeler.store.imports import Imported, Progress, Source

T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """How files are read. `names` are what uploaded files are called, where their paths do not say;
    `columns` maps our fields to a file's own columns; `note` says what was changed in a run."""

    skip_bad: bool = False
    grades: formats.GradeMap | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[Path, str] = field(default_factory=dict)
    person: str = ""
    note: str = ""
    progress: Progress | None = None

    def name(self, path: Path) -> str:
        """What a file is called in messages."""
        return self.names.get(path) or formats.shown_file(path.name)


class Outcome(NamedTuple):
    """What an import did. `left_out` are the malformed lines that were skipped, `remarks` whatever
    else the user should know: what was dropped or changed, and ids that have no text."""

    kind: str
    file: str
    read: int
    added: int
    left_out: tuple[Problem, ...]
    remarks: tuple[str, ...]


def corpus(store: Store, paths: Sequence[Path], *, name: str, options: Options) -> Outcome:
    """Import passages into corpus `name`. The same id twice among the files: identical ones are
    one, others stop the import."""
    from labeler.formats.passages import plain_passages

    name = named(name, "corpus")
    return _import(
        "corpus",
        paths,
        options,
        read=formats.read_corpus,
        record=lambda rows, source: corpora.record(store, rows, name=name, source=source),
        columns=_Columns(
            plain_passages,
            lambda table, source: corpora.record_table(store, table, name=name, source=source),
        ),
        identity=lambda passage: passage.passage_id,
        remarks=lambda: noticing.awaited(store, "passages"),
    )


def query_set(store: Store, paths: Sequence[Path], *, options: Options) -> Outcome:
    """Import queries; ids that several files have are treated as a corpus's are."""
    return _import(
        "queries",
        paths,
        options,
        read=formats.read_queries,
        record=lambda rows, source: queries.record(store, rows, source=source),
        identity=lambda query: query.query_id,
        remarks=lambda: noticing.awaited(store, "queries"),
    )


def run(store: Store, path: Path, *, system: str, options: Options) -> Outcome:
    """Import the run of a system. Its rows are held as columns, which is quicker than one by one
    and, at a million, about 150 MB."""
    from labeler.formats.columnar import Distinct
    from labeler.formats.ranking import read_run_table

    system = named(system, "system")
    reading, file = Reading(skip_bad=options.skip_bad), options.name(path)
    table = read_run_table(path, reading=reading, columns=options.columns, name=file)
    source = _source([path], options, reading)
    done = runs.record_table(store, table, system=system, note=options.note, source=source)
    joins = noticing.joins(store, Distinct(table["query_id"]), Distinct(table["passage_id"]))
    return _outcome("run", file, reading, done, joins)


def verdict_file(
    store: Store, path: Path, *, judge: str, rubric: str = "", options: Options
) -> Outcome:
    """Import the verdicts of a judge; `judge` and `rubric` are for rows that name none."""
    from labeler.formats.grading import plain_judgments

    seen, texts, judge = noticing.Seen(), noticing.Texts(store), named(judge, "judge")
    rubric = named(rubric, "rubric") if rubric else ""
    told: dict[str, Any] = {"grades": options.grades, "person": judge, "rubric": rubric}
    return _import(
        "verdicts",
        [path],
        options,
        read=partial(formats.read_judgments, named=texts.named, **told),
        record=lambda rows, source: verdicts.bring(
            store,
            recorded.verdicts(seen.each(rows), judge=judge, rubric=rubric),
            source=source,
        ),
        columns=_Columns(
            partial(plain_judgments, **told),
            lambda table, source: verdicts.bring_table(
                store, recorded.verdict_table(seen.table(table)), source=source
            ),
        ),
        remarks=lambda: (
            *seen.people("judges", judge, known={one.judge for one in verdicts.known(store)}),
            *seen.ungraded((State.UNSURE, State.LATER), "verdicts that cannot be read"),
            *texts.told(),
            *seen.joins(store, told=texts.alone),
        ),
    )


def label_file(store: Store, path: Path, *, annotator: str, options: Options) -> Outcome:
    """Import people's labels; `annotator` is for rows that name none."""
    from labeler.formats.grading import plain_judgments

    seen, texts, annotator = noticing.Seen(), noticing.Texts(store), named(annotator, "annotator")
    told: dict[str, Any] = {"grades": options.grades, "person": annotator}
    return _import(
        "labels",
        [path],
        options,
        read=partial(formats.read_judgments, named=texts.named, **told),
        record=lambda rows, source: labels.bring(
            store, seen.each(rows), annotator=annotator, source=source
        ),
        columns=_Columns(
            partial(plain_judgments, **told),
            lambda table, source: labels.bring_table(
                store, seen.table(table), annotator=annotator, source=source
            ),
        ),
        remarks=lambda: (
            *seen.people("annotators", annotator, known=labels.annotators(store)),
            *seen.ungraded((Status.UNREADABLE,), "unsure"),
            *texts.told(),
            *seen.joins(store, told=texts.alone),
        ),
    )


def golden(store: Store, path: Path, *, name: str, options: Options) -> Outcome:
    """Import a golden set: frozen as it comes, version 1, or the next where `name` is known."""
    seen, name, texts = noticing.Seen(), named(name, "golden set"), dict[str, str]()

    def record(rows: Iterable[GoldenEntry], source: Source) -> Imported:
        entries = list(seen.each(rows))
        if not entries:
            none = Problem(source.file, 0, "no entry", "at least one")
            raise InputError([*source.left_out] or [none])
        texts.update((query.query_id, query.text) for query in queries.current(store))
        before = {found.ref for found in goldens.history(store)}
        kept = goldens.record(store, name, entries, origin=source.file, person=source.person)
        return Imported(len(entries), 0 if kept.ref in before else len(entries))

    return _import(
        "golden",
        [path],
        options,
        read=partial(formats.read_golden, grades=options.grades),
        record=record,
        remarks=lambda: (*seen.asked(texts), *seen.joins(store)),
    )


KINDS = ("corpus", "queries", "run", "verdicts", "labels", "golden")
"""What can be imported."""


def bring(
    store: Store,
    kind: str,
    paths: Sequence[Path],
    *,
    name: str = "",
    rubric: str = "",
    options: Options,
) -> Outcome:
    """Import files of one of KINDS, as both the terminal and the Data page do.

    `name` is the corpus, system, judge, annotator or golden set. Only corpora and queries come in
    several files.
    """
    if not paths:
        raise LabelerError("Choose a file first")
    if kind == "corpus":
        return corpus(store, paths, name=name, options=options)
    if kind == "queries":
        return query_set(store, paths, options=options)
    if len(paths) > 1:
        raise LabelerError(f"One file at a time, please: {len(paths)} were chosen")
    if kind == "run":
        return run(store, paths[0], system=name, options=options)
    if kind == "verdicts":
        return verdict_file(store, paths[0], judge=name, rubric=rubric, options=options)
    if kind == "labels":
        return label_file(store, paths[0], annotator=name, options=options)
    return golden(store, paths[0], name=name, options=options)


class _Columns(NamedTuple):
    """The quick way of an import: `read` gives an Arrow table, or None where a file is not plain,
    and `record` stores it."""

    read: Callable[..., Any]
    record: Callable[[Any, Source], Imported]


def _import(
    kind: str,
    paths: Sequence[Path],
    options: Options,
    *,
    read: Callable[..., Iterator[Numbered[T]]],
    record: Callable[[Iterable[T], Source], Imported],
    columns: _Columns | None = None,
    identity: Callable[[T], str] = str,
    remarks: Callable[[], Iterable[str]] = tuple,
) -> Outcome:
    """Read all files as one, so that a malformed line in the last leaves nothing of the first. One
    file is read as columns, where it is plain."""
    reading = Reading(skip_bad=options.skip_bad)
    several = len(paths) > 1
    how: dict[str, Any] = {"reading": reading, "columns": options.columns}
    source = _source(paths, options, reading)
    table = None
    if columns and not several:
        table = columns.read(paths[0], name=options.name(paths[0]), **how)
    if columns and table is not None:
        done = columns.record(table, source)
    else:
        found = (
            (options.name(path), numbered)
            for path in paths
            for numbered in read(path, name=options.name(path), **how)
        )
        rows = _once(found, reading, identity) if several else (row.record for _, row in found)
        done = record(rows, source)
    file = ", ".join(map(options.name, paths))
    return _outcome(kind, file, reading, done, remarks())


def _source(paths: Sequence[Path], options: Options, reading: Reading) -> Source:
    return Source(
        file=", ".join(map(options.name, paths)),
        hash=_digest(paths),
        person=options.person,
        left_out=reading.problems,
        progress=options.progress,
    )


def _outcome(
    kind: str, file: str, reading: Reading, done: Imported, remarks: Iterable[str]
) -> Outcome:
    said = [*map(str, reading.notes), *done.remarks, *remarks]
    return Outcome(kind, file, done.read, done.added, tuple(reading.problems), tuple(said))


class _Place(NamedTuple):
    """Where an id stood first among several files, and a hash of what it stood for."""

    file: str
    line: int
    content: int


def _once(
    found: Iterable[tuple[str, Numbered[T]]], reading: Reading, identity: Callable[[T], str]
) -> Iterator[T]:
    """The records of several files, each id once. Within one file its reader sees to that."""
    first: dict[str, _Place] = {}
    for file, (line, record) in found:
        place = _Place(file, line, hash(record))
        before = first.setdefault(identity(record), place)
        if before is place:
            yield record
        elif before.content == place.content:
            reading.note(file, line, f"the same as in {before.file}, read once")
        else:
            there = f"{before.file}, line {before.line}" if before.line else before.file
            what = f"a second row for {called(identity(record))}, unlike {there}"
            reading.refuse(file, line, found=what, expected="one, or the same again")
            reading.finish()


def _digest(paths: Sequence[Path]) -> str:
    """The SHA-256 of the files' bytes, in order. What cannot be read, the reader tells."""
    found = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if os.path.isdir(path) else [path]
        for file in files:
            with suppress(OSError):
                if file.is_file():
                    with file.open("rb") as handle:
                        while part := handle.read(1 << 20):
                            found.update(part)
    return found.hexdigest()


def named(name: str, what: str) -> str:
    """`name` without the blanks around it; LabelerError where nothing can be called so."""
    name = name.strip()
    if not formats.is_name(name):
        said = f"The {what} needs a name of 1 to {formats.LONGEST_NAME} printable characters"
        raise LabelerError(said)
    return name
