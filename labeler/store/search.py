"""The index of the corpus: words, phrases and exact identifiers, found as fast as they are typed.

It lies in the folder `FILE.index` beside the store and can be deleted at any time: it is made again
from the store. What it holds is known by the imports that went into it, so that a restart reads it
as it is, a further import adds what is new, and another store's index is never mistaken for this
one's.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import tantivy
from tantivy import Occur, Query

from labeler.errors import LabelerError
from labeler.model import content_hash
from labeler.store.db import Store
from labeler.store.sources import levels
from labeler.store.wording import (
    ALWAYS,
    NEVER,
    OPEN,
    UNBOUNDED,
    Asked,
    Filters,
    analyzers,
    bounds,
    day,
    identifiers,
    plain,
)

__all__ = ("OPEN", "CorpusIndex", "Filters", "Found", "Making", "folder", "of")

_FORMAT = 1
"""Raised when what is indexed changes: an index of another format is made again."""

_HEAP = 128_000_000

AT_ONCE = 50_000
"""Passages that are indexed while somebody waits; more are in the background (a million take about
a minute).
"""


class Found(NamedTuple):
    """The ids of the best passages: first those that have every word, then those that have some.

    `whole` and `some` count all passages that have every word, and at least one.
    """

    ids: list[str]
    whole: int
    some: int


class Making(NamedTuple):
    """An index that is being made in the background: how many passages are in it, of how many."""

    done: int
    total: int

    @property
    def share(self) -> float:
        """From 0 to 1. Less than 1 until the index is there."""
        return min(self.done / self.total, 0.99) if self.total else 0.0

    def __str__(self) -> str:
        return f"The index of the corpus is being made: {self.share:.0%}"


def folder(path: Path) -> Path:
    """Where the index of the store `path` lies."""
    return path.with_name(path.name + ".index")


class CorpusIndex:
    """The index of one store's current passages. Safe to share between threads.

    `begin` lets the caller wait for `at_once` passages, and not for more.
    """

    def __init__(self, store: Store, *, at_once: int = AT_ONCE) -> None:
        self._store = store
        self._at_once = at_once
        self._folder = folder(store.path)
        self._lock = threading.Lock()
        self._index: Any = None
        self._seen = -1
        self._analyzers = analyzers()
        self._schema = _schema()
        self._beginning = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._making = Making(0, 0)
        self._problem, self._failed = "", 0

    def refresh(self) -> int:
        """Bring the index up to what the store holds; how many passages were read for that."""
        with self._lock:
            return self._refresh()

    def begin(self) -> Making | None:
        """Bring the index up to date: while the caller waits where few passages are missing, else
        in the background. None once it is; until then how far it has come.

        Raises LabelerError where the background failed; it is tried again once the store has
        changed.
        """
        with self._beginning:
            if self._thread is not None and self._thread.is_alive():
                return self._making
            self._thread = None
            if self._problem and self._failed == self._store.version:
                raise LabelerError(self._problem)
            self._problem = ""
            missing = self._behind()
            if missing <= self._at_once:
                self.refresh()
                return None
            self._making = Making(0, missing)
            self._stopping.clear()
            self._thread = threading.Thread(target=self._make, name="index", daemon=True)
            self._thread.start()
            return self._making

    def require(self) -> None:
        """As `begin`, for who cannot wait: raises LabelerError while the index is being made."""
        if making := self.begin():
            raise LabelerError(f"{making}. Search again in a moment")

    def stop(self) -> None:
        """Give up what the background does, for the store is about to be closed. What is not done
        is begun again at the next `begin`.
        """
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def search(self, text: str, *, filters: Filters = UNBOUNDED, limit: int = 20) -> Found:
        """The passages for what a person typed: words, "phrases", identifiers, -words to leave out.

        Nothing in it is an error. Without a word to look for, the passages that the filters allow.
        """
        self.refresh()
        asked = Asked(self._schema, self._analyzers, text)
        searcher = self._index.searcher()
        within = bounds(self._schema, filters)

        def run(query: Any) -> Any:
            every = [(Occur.Must, query), *within]
            return searcher.search(Query.boolean_query(every), limit, count=True)

        whole = run(asked.whole())
        ids = [_id(searcher, address) for _, address in whole.hits]
        if not asked.loose:
            return Found(ids, whole.count, whole.count)
        some = run(asked.some())
        known = set(ids)
        others = (_id(searcher, address) for _, address in some.hits)
        ids += [passage_id for passage_id in others if passage_id not in known]
        return Found(ids[:limit], whole.count, some.count)

    def _make(self) -> None:
        """Runs in the thread. Whatever goes wrong is told to whoever asks next."""
        try:
            self.refresh()
        except Exception as error:
            if not self._stopping.is_set():
                self._failed = self._store.version
                self._problem = f"The index of the corpus could not be made: {error}"

    def _behind(self) -> int:
        """How many passages are not in the index yet."""
        with self._lock:
            if self._index is not None and self._store.version == self._seen:
                return 0
            imports = self._imports()
            done = self._opened(imports)
            if done == len(imports):
                return 0
            after = imports[done - 1][0] if done else -1
            row = self._store.row(
                "select count(*) from passages where seq > $1 and not superseded", [after]
            )
            return int(row[0]) if row else 0

    def _imports(self) -> Sequence[Any]:
        return self._store.rows("select seq, name, version from corpora order by seq")

    def _refresh(self) -> int:
        version = self._store.version
        if self._index is not None and version == self._seen:
            return 0
        imports = self._imports()
        done = self._opened(imports)
        read = 0
        if done < len(imports):
            read = self._add(after=imports[done - 1][0] if done else -1)
            self._state_file.write_text(
                json.dumps({"format": _FORMAT, "imports": len(imports), "hash": _hash(imports)}),
                encoding="utf-8",
            )
        self._seen = version
        return read

    @property
    def _state_file(self) -> Path:
        return self._folder / "imports.json"

    def _opened(self, imports: Sequence[Any]) -> int:
        """Open the index, or begin one; how many of the imports are in it."""
        try:
            state = json.loads(self._state_file.read_text(encoding="utf-8"))
            done = int(state["imports"])
            fits = state["format"] == _FORMAT and state["hash"] == _hash(imports[:done])
            if fits and self._index is None:
                self._index = tantivy.Index.open(str(self._folder))
        except (OSError, ValueError, KeyError, TypeError):
            fits, done = False, 0
        if not fits or done > len(imports):
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, path=str(self._folder), reuse=False)
            done = 0
        for name, analyzer in self._analyzers.items():
            self._index.register_tokenizer(name, analyzer)
        return done

    def _add(self, *, after: int) -> int:
        """Index the current passages whose newest version is later than `after`. Doing it again
        changes nothing: each takes the place of what is there under its id.
        """
        writer = self._index.writer(_HEAP, 1)
        read = 0
        sql = (
            "select passage_id, title, text, source_uri, scope, effective_from, effective_to "
            "from passages p where seq > $1 and not superseded and not exists (select 1 "
            "from passages o where not o.superseded and o.passage_id = p.passage_id "
            "and o.seq > p.seq) order by seq"
        )
        for rows in self._store.batches(sql, [after]):
            if self._stopping.is_set():
                raise LabelerError("the store was closed meanwhile")
            for row in rows:
                if after >= 0:
                    writer.delete_documents_by_term("passage_id", row[0])
                writer.add_document(_document(row))
            read += len(rows)
            self._making = self._making._replace(done=read)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        return read


def _hash(imports: Sequence[Any]) -> str:
    return content_hash([list(row) for row in imports])


def _id(searcher: Any, address: Any) -> str:
    return str(searcher.doc(address)["passage_id"][0])


def _document(row: Sequence[str]) -> Any:
    passage_id, title, text, source_uri, scope, start, end = row
    found = tantivy.Document(passage_id=passage_id)
    for told in (plain(title), plain(text)):  # apart, so that no phrase runs from one to the other
        found.add_text("words", told)
        found.add_text("stems", told)
        found.add_text("exact", " ".join(identifiers(told)))
    found.add_text("exact", passage_id)
    for level in levels(source_uri):
        found.add_text("source", level)
    for word in scope.replace(",", " ").split() or [OPEN]:
        found.add_text("scope", word)
    found.add_integer("starts", day(start, fill="01", missing=NEVER))
    found.add_integer("ends", day(end, fill="99", missing=ALWAYS))
    return found


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("passage_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="labeler_words", index_option="position")
    builder.add_text_field("stems", tokenizer_name="labeler_stems", index_option="freq")
    builder.add_text_field("exact", tokenizer_name="labeler_exact", index_option="freq")
    builder.add_text_field("source", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("scope", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("starts", indexed=True, fast=True)
    builder.add_integer_field("ends", indexed=True, fast=True)
    return builder.build()


@lru_cache(maxsize=4)
def of(store: Store) -> CorpusIndex:
    """The one index of an open store."""
    return CorpusIndex(store)
