"""From files to the store: one import is one transaction, with a report of all that was noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from labeler import formats
from labeler.errors import LabelerError, Problem
from labeler.formats import Numbered, Reading
from labeler.judges import recorded
from labeler.model import GoldenEntry, Judgment
from labeler.store import answers, corpora, goldens, labels, queries, runs, verdicts
from labeler.store.db import Store
from labeler.store.imports import Imported, Progress, Source

T = TypeVar("T")
Pair = TypeVar("Pair", Judgment, GoldenEntry)


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
        return self.names.get(path, path.name)


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
    name = _named(name, "corpus")
    return _import(
        "corpus",
        paths,
        options,
        read=formats.read_corpus,
        record=lambda rows, source: corpora.record(store, rows, name=name, source=source),
        identity=lambda passage: passage.passage_id,
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
    )


def run(store: Store, path: Path, *, system: str, options: Options) -> Outcome:
    """Import the run of a system. Its rows are held as columns, which is quicker than one by one
    and, at a million, about 150 MB."""
    from labeler.formats.columnar import Distinct, read_run_table

    system = _named(system, "system")
    reading, file = Reading(skip_bad=options.skip_bad), options.name(path)
    table = read_run_table(path, reading=reading, columns=options.columns, name=file)
    source = _source([path], options, reading)
    done = runs.record_table(store, table, system=system, note=options.note, source=source)
    joins = _joins(store, Distinct(table["query_id"]), Distinct(table["passage_id"]))
    return _outcome("run", file, reading, done, joins)


def verdict_file(
    store: Store, path: Path, *, judge: str, rubric: str = "", options: Options
) -> Outcome:
    """Import the verdicts of a judge; `judge` and `rubric` are for rows that name none."""
    seen, judge = _Seen(), _named(judge, "judge")
    rubric = _named(rubric, "rubric") if rubric else ""
    return _import(
        "verdicts",
        [path],
        options,
        read=partial(formats.read_judgments, grades=options.grades),
        record=lambda rows, source: verdicts.bring(
            store,
            recorded.verdicts(seen.each(rows), judge=judge, rubric=rubric),
            source=source,
        ),
        remarks=lambda: (*seen.people("judges", judge), *seen.joins(store)),
    )


def label_file(store: Store, path: Path, *, annotator: str, options: Options) -> Outcome:
    """Import people's labels; `annotator` is for rows that name none."""
    seen, annotator = _Seen(), _named(annotator, "annotator")
    return _import(
        "labels",
        [path],
        options,
        read=partial(formats.read_judgments, grades=options.grades),
        record=lambda rows, source: labels.bring(
            store, seen.each(rows), annotator=annotator, source=source
        ),
        remarks=lambda: (*seen.people("annotators", annotator), *seen.joins(store)),
    )


def golden(store: Store, path: Path, *, name: str, options: Options) -> Outcome:
    """Import a golden set: frozen as it comes, version 1, or the next where `name` is known."""
    seen, name = _Seen(), _named(name, "golden set")

    def record(rows: Iterable[GoldenEntry], source: Source) -> Imported:
        entries = list(seen.each(rows))
        before = {found.ref for found in goldens.history(store)}
        kept = goldens.record(store, name, entries, origin=source.file, person=source.person)
        return Imported(len(entries), 0 if kept.ref in before else len(entries))

    return _import(
        "golden",
        [path],
        options,
        read=partial(formats.read_golden, grades=options.grades),
        record=record,
        remarks=lambda: seen.joins(store),
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


def _import(
    kind: str,
    paths: Sequence[Path],
    options: Options,
    *,
    read: Callable[..., Iterator[Numbered[T]]],
    record: Callable[[Iterable[T], Source], Imported],
    identity: Callable[[T], str] = str,
    remarks: Callable[[], Iterable[str]] = tuple,
) -> Outcome:
    """Read all files as one, so that a malformed line in the last leaves nothing of the first."""
    reading = Reading(skip_bad=options.skip_bad)
    found = (
        (options.name(path), numbered)
        for path in paths
        for numbered in read(
            path, reading=reading, columns=options.columns, name=options.name(path)
        )
    )
    several = len(paths) > 1
    rows = _once(found, reading, identity) if several else (row.record for _, row in found)
    done = record(rows, _source(paths, options, reading))
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
            what = f"a second row for {identity(record)}, unlike {there}"
            reading.refuse(file, line, found=what, expected="one, or the same again")
            reading.finish()


def _digest(paths: Sequence[Path]) -> str:
    """The SHA-256 of the files' bytes, in order. What cannot be read, the reader tells."""
    found = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            with suppress(OSError):
                if file.is_file():
                    with file.open("rb") as handle:
                        while part := handle.read(1 << 20):
                            found.update(part)
    return found.hexdigest()


def _named(name: str, what: str) -> str:
    name = name.strip()
    if not name or len(name) > 200 or not name.isprintable():
        raise LabelerError(f"The {what} needs a name of 1 to 200 printable characters")
    return name


class _Seen:
    """The ids and the people that a file names."""

    def __init__(self) -> None:
        self._queries: set[str] = set()
        self._passages: set[str] = set()
        self._people: set[str] = set()

    def each(self, rows: Iterable[Pair]) -> Iterator[Pair]:
        """The rows, each taken note of."""
        for row in rows:
            self._queries.add(row.query_id)
            self._passages.add(row.passage_id)
            if isinstance(row, Judgment):
                self._people.add(row.person)
            yield row

    def people(self, what: str, default: str) -> Iterator[str]:
        """Whose rows they are, where the file says so itself."""
        own = sorted(self._people - {"", default})
        if own:
            more = f" and {len(own) - 5:,} more" if len(own) > 5 else ""
            rest = f"; {default} counts for rows that name none" if "" in self._people else ""
            yield f"the file names its own {what}: {', '.join(own[:5])}{more}{rest}"

    def joins(self, store: Store) -> Iterator[str]:
        """How many ids join what was imported, where not all do."""
        yield from _joins(store, self._queries - {""}, self._passages - {""})


def _joins(store: Store, query_ids: Collection[str], passage_ids: Collection[str]) -> Iterator[str]:
    for what, brought, known in (
        ("queries", query_ids, queries.ids(store)),
        ("passages", passage_ids, corpora.ids(store) | answers.ids(store)),
    ):
        joins = formats.near_misses(brought, known)
        if joins.joined < joins.brought:
            yield f"{joins.sentence(what)}; the others are kept as ids without text"
