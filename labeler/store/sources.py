"""Where passages come from: what stands before and after one, and what a search narrows to."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from labeler.model import Passage
from labeler.store import corpora
from labeler.store.db import Store

LISTED = 200
"""Sources that a search offers to narrow to."""


class Around(NamedTuple):
    """A passage and its neighbours, in the order of the source."""

    passage: Passage
    before: list[Passage]
    after: list[Passage]


def around(store: Store, passage_id: str, *, reach: int = 1) -> Around | None:
    """A passage and up to `reach` before and after it; None where there is no such passage.

    The passages of a source stand in the order in which they were first imported: a changed one
    keeps its place. A passage without a source has no neighbours.
    """
    passage = corpora.passages(store, [passage_id]).get(passage_id)
    if passage is None:
        return None
    source = source_of(passage.source_uri)
    if not source:
        return Around(passage, [], [])
    rows = store.rows(
        "select passage_id from passages where source_uri = $1 or starts_with(source_uri, $2) "
        "or starts_with(source_uri, $3) group by passage_id "
        "having bool_or(not superseded) order by min(seq)",
        [source, source + "#", source + "?"],
    )
    ids = [row[0] for row in rows]
    at = ids.index(passage_id)
    before, after = ids[max(0, at - reach) : at], ids[at + 1 : at + 1 + reach]
    texts = corpora.passages(store, [*before, *after])
    return Around(passage, [texts[one] for one in before], [texts[one] for one in after])


def source_of(source_uri: str) -> str:
    """A passage's source without what follows # or ?: what its neighbours share."""
    return re.split("[#?]", source_uri, maxsplit=1)[0]


def levels(source_uri: str) -> list[str]:
    """A source and everything that it is part of: a page, its folders, its site."""
    scheme, mark, rest = source_of(source_uri).rpartition("://")
    parts = [part for part in rest.split("/") if part]
    return [scheme + mark + "/".join(parts[:end]) for end in range(1, len(parts) + 1)]


class Kinds(NamedTuple):
    """What the current passages can be narrowed to: the sources and scopes that most have."""

    sources: list[str]
    scopes: list[str]


def kinds(store: Store) -> Kinds:
    """The sources, of all levels, that more than one passage has, by name; and every scope."""
    row = store.row("select coalesce(max(seq), 0) from corpora")
    return _kinds(store, row[0] if row else 0)


@lru_cache(maxsize=4)
def _kinds(store: Store, newest_import: int) -> Kinds:
    """`newest_import` tells one state of the corpus from another."""
    count: Counter[str] = Counter()
    for uri, passages in store.rows(
        "select source_uri, count(*) from passages where not superseded group by source_uri"
    ):
        for level in levels(uri):
            count[level] += passages
    shared = [source for source, passages in count.most_common(LISTED) if passages > 1]
    scopes = store.rows("select distinct scope from passages where not superseded")
    words = {word for (scope,) in scopes for word in scope.replace(",", " ").split()}
    return Kinds(sorted(shared), sorted(words))
