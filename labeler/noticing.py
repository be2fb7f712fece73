"""What an import tells of the ids, the texts and the people that its file names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Literal, TypeVar

from labeler import formats
from labeler.model import GoldenEntry, Judgment
from labeler.store import answers, corpora, queries, runs
from labeler.store.db import Store

Pair = TypeVar("Pair", Judgment, GoldenEntry)


class Seen:
    """The ids, the texts and the people that a file names."""

    def __init__(self) -> None:
        self._queries: set[str] = set()
        self._passages: set[str] = set()
        self._people: set[str] = set()
        self._states: Counter[str] = Counter()
        self._texts: set[tuple[str, str]] = set()

    def each(self, rows: Iterable[Pair]) -> Iterator[Pair]:
        """The rows, each taken note of."""
        for row in rows:
            self._queries.add(row.query_id)
            self._passages.add(row.passage_id)
            if isinstance(row, Judgment):
                self._people.add(row.person)
                if row.grade is None:
                    self._states[row.state] += 1
            else:
                self._texts.add((row.query_id, row.query))
            yield row

    def table(self, judgments: Any) -> Any:
        """An Arrow table with the fields of Judgment, taken note of."""
        import pyarrow.compute as pc

        for name, seen in (
            ("query_id", self._queries),
            ("passage_id", self._passages),
            ("person", self._people),
        ):
            seen.update(judgments[name].combine_chunks().dictionary_encode().dictionary.to_pylist())
        ungraded = judgments["state"].filter(judgments["grade"].is_null())
        for found in pc.value_counts(ungraded).to_pylist():
            self._states[found["values"]] += found["counts"]
        return judgments

    def people(self, what: str, default: str, *, known: Collection[str]) -> Iterator[str]:
        """Whose rows they are, where the file says so itself; and who of them nearly is called as
        another of them is, or as one of the `known`."""
        own = sorted(self._people - {default})
        if own:
            more = f" and {len(own) - 5:,} more" if len(own) > 5 else ""
            rest = f"; {default} counts for rows that name none" if default in self._people else ""
            yield f"the file names its own {what}: {', '.join(own[:5])}{more}{rest}"
        for alike in formats.nearly_alike(self._people.union(known)):
            if not self._people.isdisjoint(alike):  # in ASCII, to show what tells them apart
                names = " and ".join(map(ascii, alike[:5]))
                yield f"{what} whose names are nearly the same, each kept as another: {names}"

    def ungraded(self, states: Sequence[str], kept: str) -> Iterator[str]:
        """How many rows have a state that is not of this kind of judgment, and what they became."""
        many = sum(self._states[state] for state in states)
        if many:
            yield f"rows whose state is {' or '.join(states)}, kept as {kept}: {many:,}"

    def asked(self, known: Mapping[str, str]) -> Iterator[str]:
        """Which queries that are known by their text alone join one of the `known` texts, by id,
        and which have another text there."""
        alone = {text for query_id, text in self._texts if not query_id}
        yield from by_text(alone, known, others="queries of their own")
        joined = {query_id for query_id, text in known.items() if text in alone}
        if both := sorted(joined & self._queries):
            what = "queries that the file names by their id and, elsewhere, by their text"
            yield f"{what}, which are one: {len(both):,} ({formats.called(both[0])})"
        yield from other_texts(self._texts, known)

    def joins(self, store: Store, *, told: Collection[str] = ()) -> Iterator[str]:
        """How many ids join what was imported, where not all do; of queries that were `told` of by
        their text nothing again."""
        query_ids = self._queries.difference(told, [""])
        yield from joins(store, query_ids, self._passages - {""})
        if strange := query_ids - queries.ids(store):
            texts = {query.text for query in queries.current(store)}
            if many := len(strange & texts):
                what = "query ids that are the texts of imported queries, which have other ids"
                yield f"{what}: {many:,}"


class Texts:
    """From the text by which a file names a query to the imported query of exactly that text."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: set[str] = set()

    def named(self, text: str) -> str:
        """The query's id, the first imported one's of several; else the text."""
        self._asked.add(text)
        return text if text in self._known else self._ids.get(text, text)

    @property
    def alone(self) -> Set[str]:
        """The texts that are kept as ids, for none of the imported queries has them; nothing where
        none is imported, of which `told` says nothing either."""
        return self._asked - self._known.keys() - self._ids.keys() if self._known else frozenset()

    def told(self) -> Iterator[str]:
        """How many of the texts join, where any was asked for, and how many nearly do."""
        if self._asked:
            others = "kept under their text"
            yield from by_text(self._asked - self._known.keys(), self._known, others=others)

    @cached_property
    def _known(self) -> dict[str, str]:
        return {query.query_id: query.text for query in queries.current(self._store)}

    @cached_property
    def _ids(self) -> dict[str, str]:
        return {text: query_id for query_id, text in reversed(self._known.items())}


def by_text(asked: Collection[str], known: Mapping[str, str], *, others: str) -> Iterator[str]:
    """How many of the queries that only their text names join one of the `known` texts, by id, and
    what becomes of the `others`; and which text several of the known ones have."""
    found = formats.near_misses(asked, known.values())
    if known and found.brought:
        rest = f"; the others are {others}" if found.joined < found.brought else ""
        yield f"{found.sentence('queries that only their text names')}{rest}"
    times = Counter(known.values())
    if several := sorted(text for text in asked if times[text] > 1):
        what = "texts that several imported queries have, each joined to the first of them"
        yield f"{what}: {len(several):,} ({formats.shown(several[0])})"


def other_texts(named: Iterable[tuple[str, str]], known: Mapping[str, str]) -> Iterator[str]:
    """How many of the queries that are `named` by an id and a text have another text there than the
    `known` query of that id."""
    other = sum(bool(text) and known.get(one, text) != text for one, text in named if one)
    if other:
        yield f"queries with another text than the imported one of their id: {other:,}"


def awaited(store: Store, what: Literal["queries", "passages"]) -> Iterator[str]:
    """How many of the queries or passages that runs rank have a text now, where not all have one:
    runs may be imported before what they rank."""
    asked = what == "queries"
    brought = runs.ranked(store, "query_id" if asked else "passage_id")
    if brought:
        known = queries.ids(store) if asked else corpora.ids(store) | answers.ids(store)
        found = formats.near_misses(brought, known)
        if found.joined < found.brought:
            yield f"of what the runs rank, {found.sentence(what)}"


def joins(store: Store, query_ids: Collection[str], passage_ids: Collection[str]) -> Iterator[str]:
    """How many ids join what was imported, where not all do, and how many nearly do."""
    for what, brought, known in (
        ("queries", query_ids, queries.ids(store)),
        ("passages", passage_ids, corpora.ids(store) | answers.ids(store)),
    ):
        found = formats.near_misses(brought, known)
        if found.joined < found.brought:
            yield f"{found.sentence(what)}; the others are kept as ids without text"
