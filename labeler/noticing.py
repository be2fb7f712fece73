"""What an import tells of the ids, the texts and the people that its file names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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

    def people(self, what: str, default: str) -> Iterator[str]:
        """Whose rows they are, where the file says so itself."""
        own = sorted(self._people - {default})
        if own:
            more = f" and {len(own) - 5:,} more" if len(own) > 5 else ""
            rest = f"; {default} counts for rows that name none" if default in self._people else ""
            yield f"the file names its own {what}: {', '.join(own[:5])}{more}{rest}"

    def ungraded(self, states: Sequence[str], kept: str) -> Iterator[str]:
        """How many rows have a state that is not of this kind of judgment, and what they became."""
        many = sum(self._states[state] for state in states)
        if many:
            yield f"rows whose state is {' or '.join(states)}, kept as {kept}: {many:,}"

    def asked(self, known: Mapping[str, str]) -> Iterator[str]:
        """Which queries that are known by their text alone join one of the `known` texts, by id,
        and which have another text there."""
        alone = {text for query_id, text in self._texts if not query_id}
        found = formats.near_misses(alone, known.values())
        if known and found.joined < found.brought:
            counted = found.sentence("queries that only their text names")
            yield f"{counted}; the others are queries of their own"
        other = sum(bool(text) and known.get(one, text) != text for one, text in self._texts if one)
        if other:
            yield f"queries with another text than the imported one of their id: {other:,}"

    def joins(self, store: Store) -> Iterator[str]:
        """How many ids join what was imported, where not all do."""
        query_ids = self._queries - {""}
        yield from joins(store, query_ids, self._passages - {""})
        if strange := query_ids - queries.ids(store):
            texts = {query.text for query in queries.current(store)}
            if many := len(strange & texts):
                what = "query ids that are the texts of imported queries, which have other ids"
                yield f"{what}: {many:,}"


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
