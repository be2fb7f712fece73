"""Golden sets and a corpus that was split anew: grades are carried over, or queued for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.model import GoldenEntry, Grade, content_hash
from labeler.stats import rebinding as rules
from labeler.stats.rebinding import Told
from labeler.store import bindings, corpora, goldens
from labeler.store.bindings import Binding
from labeler.store.db import Store
from labeler.store.frozen import Frozen, Key, Provenance, offsets
from labeler.store.goldens import Golden


class Rebound(NamedTuple):
    """What became of golden version `old`: the version with the carried-over grades, the bindings
    (certain, to look at, gone), and the queries none of whose passages is in the new corpus yet."""

    old: Golden
    new: Golden
    bindings: list[Binding]
    bare_queries: list[str]

    def of(self, state: str) -> list[Binding]:
        """The bindings of one state."""
        return [one for one in self.bindings if one.state == state]


def rebind(store: Store, ref: str, *, corpus: str, person: str = "") -> Rebound:
    """Carry the grades of a golden set over to the passages of `corpus`, the new split, and freeze
    what is certain as its next version; the old one stays for the old corpus.

    Raises LabelerError where the corpus has no passage.
    """
    golden = goldens.named(store, ref)
    kept = goldens.stored(store, golden)
    new = [
        Told(p.passage_id, p.text, p.source_uri, *(offsets(p.locator) or (None, None)))
        for p in corpora.every_passage(store, corpus=corpus)
    ]
    if not new:
        known = ", ".join(found.name for found in corpora.current(store)) or "none"
        raise LabelerError(f"There is no passage in corpus {corpus!r}; known: {known}")
    old = _texts(store, kept)
    related = rules.related(old.values(), new)
    by_query: dict[str, dict[str, Grade]] = {}
    for (query_id, passage_id), one in kept.items():
        if passage_id and one.entry.grade is not None:
            by_query.setdefault(query_id, {})[passage_id] = one.entry.grade
    found: list[Binding] = []
    for query_id, graded in by_query.items():
        made = rules.rebind(graded, old, related=related)
        found += _bindings(store, golden, corpus, query_id, made, graded, person=person)
    bindings.record(store, found, subject=f"{golden.ref} to {corpus}", person=person)
    frozen = _freeze(store, golden, kept, found, corpus=corpus, person=person)
    there = {told.passage_id for told in new}
    has = {entry.query_id for entry in frozen.entries if entry.passage_id in there}
    return Rebound(golden, frozen, found, sorted(set(by_query) - has))


def _texts(store: Store, kept: Mapping[Key, Frozen]) -> dict[str, Told]:
    """The texts that were graded, also those that have been superseded since: those whose hash is
    the frozen one."""
    wanted = {passage: one for (_, passage), one in kept.items() if passage and one.text_hash}
    rows = store.rows(
        "select passage_id, text from passages where passage_id = any($1) order by seq",
        [sorted(wanted)],
    )
    return {
        passage: Told(
            passage,
            text,
            wanted[passage].anchor.source_uri,
            wanted[passage].anchor.starts,
            wanted[passage].anchor.ends,
        )
        for passage, text in rows
        if content_hash(text) == wanted[passage].text_hash
    }


def _bindings(
    store: Store,
    golden: Golden,
    corpus: str,
    query_id: str,
    made: rules.Rebinding,
    graded: Mapping[str, Grade],
    *,
    person: str,
) -> list[Binding]:
    at = store.clock()
    head = (golden.name, golden.version, corpus, query_id)
    found = [
        Binding(*head, old, bound.new, str(graded[old]), bound.grade, state, bound.why, person, at)
        for state, bounds in (("certain", made.certain), ("look", made.look))
        for bound in bounds
        for old in bound.old
    ]
    for old in made.gone:
        why = "no passage has its text"
        found.append(Binding(*head, old, "", str(graded[old]), None, "gone", why, person, at))
    return found


def _freeze(
    store: Store,
    golden: Golden,
    kept: Mapping[Key, Frozen],
    found: Sequence[Binding],
    *,
    corpus: str,
    person: str,
) -> Golden:
    """The next version: certain grades under their new ids, and what needed no rebinding."""
    certain: dict[Key, list[Binding]] = {}
    for one in found:
        if one.state == "certain":
            certain.setdefault((one.query_id, one.new_passage), []).append(one)
    texts = {query_id: one.entry for (query_id, _), one in kept.items()}
    entries, origins = [], []
    for key, bound in certain.items():
        asked = texts[key[0]]
        entries.append(GoldenEntry(*key, bound[0].grade, asked.query, asked.kind))
        olds = ", ".join(one.old_passage for one in bound)
        origins.append(f"{golden.ref} {olds}: {bound[0].why}")
    if not entries:
        return golden
    left = _replaced(found) - certain.keys()
    counts = {s: sum(one.state == s for one in found) for s in ("certain", "look", "gone")}
    return goldens.record(
        store,
        golden.name,
        entries,
        origin=f"rebound from {golden.ref}",
        person=person,
        origins=origins,
        reason=f"rebound to {corpus}: {counts['certain']} certain, {counts['look']} to look at, "
        f"{counts['gone']} gone",
        provenance=Provenance(f"rebound from {golden.ref}"),
        without=left,
    )


def _replaced(found: Sequence[Binding]) -> set[Key]:
    """The old passages whose heirs are all known. One that somebody must still look at stays, as a
    passage that no system finds: the numbers are too low until then, and never too high."""
    waiting = {(one.query_id, one.old_passage) for one in found if one.state == "look"}
    return {(one.query_id, one.old_passage) for one in found} - waiting


def settle(store: Store, name: str, *, person: str = "") -> Golden:
    """Freeze what people have decided of a golden set's queue as its next version.

    Raises LabelerError where nothing has been decided.
    """
    standing = bindings.current(store, name)
    decided = [one for one in standing if one.state == "decided"]
    if not decided:
        raise LabelerError(f"Nothing of {name} has been decided yet")
    texts = {entry.query_id: entry for entry in goldens.named(store, f"{name}@1").entries}
    entries, origins = {}, {}
    for one in decided:
        key = (one.query_id, one.new_passage)
        asked = texts.get(one.query_id, GoldenEntry(one.query_id, "", None))
        entries[key] = GoldenEntry(*key, one.grade, asked.query, asked.kind)
        origins[key] = f"{one.name}@{one.version} {one.old_passage}: decided by {one.person}"
    return goldens.record(
        store,
        name,
        list(entries.values()),
        origin="rebound",
        person=person,
        origins=list(origins.values()),
        reason=f"{len(entries)} decided of the passages that were to be looked at",
        without=_replaced(standing) - entries.keys() - _carried(standing),
    )


def _carried(found: Sequence[Binding]) -> set[Key]:
    return {(one.query_id, one.new_passage) for one in found if one.state == "certain"}
