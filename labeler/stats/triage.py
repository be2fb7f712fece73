"""Triage of a failed answer: did the right passage never reach the context, or was it there?

RETRIEVAL: it never reached the context, and each passage that should have says how it was lost.
GENERATION: it was there, so the search is not to blame for the answer. A query without a relevant
passage can fail neither way: NOTHING_TO_FIND.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from labeler.model import Query
from labeler.stats.eligibility import Bar
from labeler.stats.measures import Reading


class Stage(StrEnum):
    """Which stage of the system a failure belongs to."""

    RETRIEVAL = "RETRIEVAL"
    GENERATION = "GENERATION"
    NOTHING_TO_FIND = "NOTHING_TO_FIND"


class Place(StrEnum):
    """Where an expected passage was, seen from the context."""

    IN_CONTEXT = "in the context"
    DEEPER = "ranked deeper"
    ANOTHER_ID = "under another id"
    OUT_OF_SCOPE = "out of scope"
    NOT_IN_CORPUS = "not in the corpus"
    ABSENT = "absent"


NEXT_STEP: Mapping[Place, str] = {
    Place.IN_CONTEXT: "read the answer against the passage: prompt, model, or too much beside it",
    Place.DEEPER: "rerank, or widen the context",
    Place.ANOTHER_ID: "map the ids of golden set and index to each other, or drop the copies",
    Place.OUT_OF_SCOPE: "check the caller's scope and the passage's dates before the search",
    Place.NOT_IN_CORPUS: "index the passage, or mend its id in the golden set",
    Place.ABSENT: "work on the search: wording, chunking, embeddings, filters",
}
"""What to do about each."""


class Lost(NamedTuple):
    """An expected passage and where it was: its `rank` where it was returned (1 is first), and the
    `other_id` under which it came, or seems to have."""

    passage_id: str
    place: Place
    rank: int | None = None
    other_id: str = ""
    why: str = ""


class Triage(NamedTuple):
    """One query triaged at a context of k passages. `passages` are the expected ones (none of them
    twice), `needed` says how many had to be in the context, `reason` is the commonest way in which
    they were lost ("in the context" for GENERATION)."""

    query_id: str
    stage: Stage
    reason: str
    next_step: str
    k: int
    needed: str
    passages: tuple[Lost, ...]


class Index(NamedTuple):
    """What is known of the corpus: the ids that exist (None: not known), and for near copies, a
    fingerprint of the text of each passage that has copies, by id."""

    ids: Collection[str] | None = None
    fingerprints: Mapping[str, str] = {}


def triage(
    query: Query,
    labels: Mapping[str, int],
    ranking: Sequence[str] | None,
    *,
    k: int,
    index: Index | None = None,
    bars: Mapping[str, Bar] | None = None,
    facts: Mapping[str, Collection[str]] | None = None,
    reading: Reading = Reading.STRICT,
) -> Triage:
    """Tell a query's failure at a context of the top k apart.

    `labels` are its golden gains, `ranking` what the run returned (None: the run lacks the query),
    `facts` its required facts with the passages that carry each. With facts every one must be in
    the context by some passage; a `multi_passage` query needs all its relevant passages; any other
    query is served by one of them. Raises ValueError for k below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}, expected 1 or more")
    index, bars = index or Index(), bars or {}
    needed, groups = _needed(query, labels, facts=facts or {}, reading=reading)
    if not groups:
        return _nothing_to_find(query, ranking, k=k)
    found = {
        passage_id: _locate(passage_id, ranking or (), k=k, index=index, bars=bars)
        for carriers in groups.values()
        for passage_id in carriers
    }
    lost = [each for fact, carriers in groups.items() for each in _unmet(fact, carriers, found)]
    stage = Stage.RETRIEVAL if lost else Stage.GENERATION
    place = _commonest(lost) if lost else Place.IN_CONTEXT
    reason, step = str(place), NEXT_STEP[place]
    if ranking is None:
        reason, step = "missing from the run", "run the query: the run has no ranking for it"
    return Triage(query.query_id, stage, reason, step, k, needed, tuple(found.values()))


def _needed(
    query: Query,
    labels: Mapping[str, int],
    *,
    facts: Mapping[str, Collection[str]],
    reading: Reading,
) -> tuple[str, dict[str, Collection[str]]]:
    """What had to be in the context, in words and as groups: one passage of each group."""
    if facts:
        return "every required fact", dict(facts)
    relevant = [passage_id for passage_id, gain in labels.items() if gain >= reading.least]
    if query.kind == "multi_passage":
        return "every relevant passage", {passage_id: [passage_id] for passage_id in relevant}
    return "one relevant passage", {"": relevant} if relevant else {}


def _unmet(fact: str, carriers: Collection[str], found: Mapping[str, Lost]) -> list[Lost]:
    """The ways in which a group was lost; none when one of its passages is in the context. What is
    out of scope is no reason while another passage of the group could have come."""
    if not carriers:
        return [Lost("", Place.NOT_IN_CORPUS, why=f"no passage carries the fact {fact!r}")]
    lost = [found[passage_id] for passage_id in carriers]
    if any(each.place is Place.IN_CONTEXT for each in lost):
        return []
    return [each for each in lost if each.place is not Place.OUT_OF_SCOPE] or lost


def _commonest(lost: Sequence[Lost]) -> Place:
    """The way in which most passages were lost; of a tie the earlier as `Place` has them, which is
    the easier to mend."""
    counts = Counter(each.place for each in lost)
    return max(Place, key=lambda place: counts[place])


def _nothing_to_find(query: Query, ranking: Sequence[str] | None, *, k: int) -> Triage:
    step = "nothing came back, as it should: the answer had to say that it does not know"
    if ranking:
        step = "the system should have kept quiet: set a threshold, or have the answer refuse"
    needed = "nothing, and a refusal"
    return Triage(query.query_id, Stage.NOTHING_TO_FIND, "no relevant passage", step, k, needed, ())


def _locate(
    passage_id: str,
    ranking: Sequence[str],
    *,
    k: int,
    index: Index,
    bars: Mapping[str, Bar],
) -> Lost:
    """Where an expected passage is. A barred one never counts as found: it must not be there."""
    rank = ranking.index(passage_id) + 1 if passage_id in ranking else None
    if passage_id in bars:
        return Lost(passage_id, Place.OUT_OF_SCOPE, rank, why=str(bars[passage_id]))
    if rank is not None and rank <= k:
        return Lost(passage_id, Place.IN_CONTEXT, rank)
    other = _another(passage_id, ranking[:k], index=index, bars=bars)
    if other is not None:
        return Lost(
            passage_id, Place.ANOTHER_ID, ranking.index(other) + 1, other, _how(other, passage_id)
        )
    if rank is not None:
        return Lost(passage_id, Place.DEEPER, rank)
    if index.ids is not None and passage_id not in index.ids:
        return Lost(passage_id, Place.NOT_IN_CORPUS)
    return Lost(passage_id, Place.ABSENT, why=f"not in the {len(ranking)} passages returned")


def _another(
    passage_id: str, context: Sequence[str], *, index: Index, bars: Mapping[str, Bar]
) -> str | None:
    """The first passage of the context that is the expected one by its text or nearly by its id."""
    text = index.fingerprints.get(passage_id)
    for other in context:
        if other in bars:
            continue
        if text is not None and index.fingerprints.get(other) == text:
            return other
        if _folded(other) == _folded(passage_id):
            return other
    return None


def _how(other: str, passage_id: str) -> str:
    return "its id is nearly the same" if _folded(other) == _folded(passage_id) else "same text"


def _folded(passage_id: str) -> str:
    """An id without what writers and tools change by accident: case, width, blanks."""
    return "".join(unicodedata.normalize("NFKC", passage_id).casefold().split())


def ticket(triaged: Triage, query: Query, *, system: str = "") -> str:
    """A triaged failure as Markdown text for a ticket; ids stand in code, texts are quoted."""
    head = f"{triaged.stage}: {triaged.reason}"
    lines = [f"## {head}", "", f"Query `{query.query_id}`:", ""]
    lines += [f"> {line}" for line in query.text.splitlines() or [""]]
    lines += ["", f"Context: top {triaged.k}" + (f" of {system}" if system else "") + "."]
    lines += [f"Needed in it: {triaged.needed}."]
    if triaged.passages:
        lines += ["", "Expected passages:"]
    for each in triaged.passages:
        rank = f", rank {each.rank}" if each.rank else ""
        other = f", as `{each.other_id}`" if each.other_id else ""
        why = f" ({each.why})" if each.why else ""
        lines.append(f"- `{each.passage_id}`: {each.place}{rank}{other}{why}")
    return "\n".join([*lines, "", f"Next step: {triaged.next_step}.", ""])
