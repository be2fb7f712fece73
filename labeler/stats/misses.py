"""What a run missed, in words: how near it came, and what kind of miss can be mended together."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from labeler.model import Query
from labeler.stats.eligibility import Barred
from labeler.stats.measures import Golden, Reading, Run


class Reach(NamedTuple):
    """Where the relevant eligible passages of all golden queries stand: in the top `near`, only in
    the top `far` (found, but ranked badly), deeper or nowhere, or not in the corpus at all."""

    near: int
    far: int
    found: int
    ranked_badly: int
    not_found: int
    not_in_corpus: int

    @property
    def relevant(self) -> int:
        """All of them."""
        return self.found + self.ranked_badly + self.not_found + self.not_in_corpus

    @property
    def reading(self) -> str:
        """The counts as a sentence, and what the largest kind of miss calls for."""
        if not self.relevant:
            return "No relevant passage to look for."
        parts = [f"Of {self.relevant} relevant passages {self.found} are in the top {self.near}"]
        kinds = (
            (
                self.ranked_badly,
                f"found but ranked badly (rank {self.near + 1} to {self.far})",
                "work on the ranking: a reranker can lift what is already there",
            ),
            (
                self.not_found,
                f"not found in the top {self.far}",
                "work on the search itself: no reranker sees what was not retrieved",
            ),
            (
                self.not_in_corpus,
                "not in the corpus",
                "index what is missing, or mend the ids of the golden set",
            ),
        )
        parts += [f"{count} {what}" for count, what, _ in kinds if count]
        most, _, advice = max(kinds, key=lambda kind: kind[0])
        return ", ".join(parts) + (f". Most of what is missed: {advice}." if most else ".")


def reach(
    golden: Golden,
    run: Run,
    *,
    near: int = 5,
    far: int = 20,
    corpus: Collection[str] | None = None,
    reading: Reading = Reading.STRICT,
    barred: Barred | None = None,
) -> Reach:
    """Count the relevant passages by where they stand. `corpus` holds the ids that exist (None:
    not known, nothing is called absent). A passage that came back is in the corpus.

    Raises ValueError unless 1 <= near < far.
    """
    if not 1 <= near < far:
        raise ValueError(f"near {near} and far {far}, expected 1 <= near < far")
    counts = [0, 0, 0, 0]
    for query_id, labels in golden.items():
        ranking = run.get(query_id, ())
        close, wide = set(ranking[:near]), set(ranking[:far])
        bars = (barred or {}).get(query_id, {})
        for passage_id, gain in labels.items():
            if gain < reading.least or passage_id in bars:
                continue
            gone = corpus is not None and passage_id not in corpus and passage_id not in ranking
            place = 0 if passage_id in close else 1 if passage_id in wide else 3 if gone else 2
            counts[place] += 1
    return Reach(near, far, *counts)


class Cluster(StrEnum):
    """Missed queries that one change is likely to mend."""

    EXACT = "exact codes"
    MULTI = "several passages"
    DATES = "dates and versions"
    PERMISSION = "permission"
    WORDING = "wording"


ADVICE: Mapping[Cluster, str] = {
    Cluster.EXACT: "keyword search beside the vectors finds codes that an embedding blurs",
    Cluster.MULTI: "retrieve more passages, or ask once for each part of the question",
    Cluster.DATES: "filter by date or version before ranking",
    Cluster.PERMISSION: "filter by the caller's scope before ranking, not after",
    Cluster.WORDING: "the words of query and passage differ: try embeddings, or rewrite the query",
}
"""What to try for each cluster."""

_KINDS = {
    "exact": Cluster.EXACT,
    "multi_passage": Cluster.MULTI,
    "historical": Cluster.DATES,
    "permission": Cluster.PERMISSION,
    "paraphrase": Cluster.WORDING,
}
# A token with letters and digits (ERR-4021, code128), with inner _ or / (page_size), or CamelCase.
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w./#-]{4,}|\w+[_/]\w+|[a-z]+[A-Z]\w+", re.ASCII)
_DATE = re.compile(
    r"\b(19|20)\d\d\b|\bv?\d+\.\d+|\b(last|previous|before|since|until|former(ly)?|old)\b", re.I
)


def cluster(query: Query, *, relevant: int) -> Cluster:
    """Which cluster a missed query belongs to: by its kind where the query set says one of ours,
    else by its text, and by how many passages are relevant to it."""
    if query.kind in _KINDS:
        return _KINDS[query.kind]
    if query.as_of or _DATE.search(query.text):
        return Cluster.DATES
    if _CODE.search(query.text):
        return Cluster.EXACT
    return Cluster.MULTI if relevant > 1 else Cluster.WORDING


def clusters(missed: Collection[tuple[Query, int]]) -> dict[Cluster, list[Query]]:
    """Missed queries (each with how many passages are relevant) by cluster, largest first."""
    found: dict[Cluster, list[Query]] = {}
    for query, relevant in missed:
        found.setdefault(cluster(query, relevant=relevant), []).append(query)
    order = list(Cluster)
    return dict(sorted(found.items(), key=lambda kept: (-len(kept[1]), order.index(kept[0]))))
