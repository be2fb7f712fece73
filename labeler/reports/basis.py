"""What runs are measured against, all that is known of its queries, and the runs themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from labeler import bm25
from labeler.errors import LabelerError
from labeler.model import Grade, Passage, Query, RunRow, content_hash
from labeler.stats.eligibility import Barred, barred
from labeler.stats.facts import Facts
from labeler.stats.measures import Golden, Run
from labeler.stats.needs import Slices
from labeler.stats.retrieval import Scores
from labeler.store import (
    comparison,
    corpora,
    evaluations,
    evidence,
    expected,
    goldens,
    holdouts,
    queries,
    runs,
)
from labeler.store.db import Store
from labeler.store.expected import Expected
from labeler.store.outlines import Outline
from labeler.store.outlines import current as outlines

SETTLED = "settled labels"
"""What stands in for a golden set where none is frozen."""

SLICES = ("kind", "origin", "scope", "split")
"""The parts of a query set that numbers are cut by."""

DEPTH = 20
"""How many passages a search is asked for unless told otherwise."""


@dataclass(frozen=True)
class Basis:
    """What is relevant to which query: `ref` is a golden set `name@version` or SETTLED, `golden`
    its labels as gains, `queries` every one of its queries. `corpus` is empty where no passage is
    known: then nothing is barred and nothing is absent. `today` is the day of queries without one.
    """

    ref: str
    hash: str
    golden: Golden
    queries: Mapping[str, Query]
    corpus: Mapping[str, Outline] = field(default_factory=dict)
    corpora: str = ""
    facts: Facts = field(default_factory=dict)
    today: str = ""
    left_out: frozenset[str] = frozenset()
    """The golden set's queries that are not in this: those that it holds out or, where these alone
    are read, the others."""

    @property
    def left_alone(self) -> int:
        """How many queries the golden set holds out that are not in this."""
        return 0 if self.ref.endswith(HELD_OUT) else len(self.left_out)

    @cached_property
    def needs(self) -> dict[str, str]:
        """Each query's need."""
        return {query_id: query.need_id for query_id, query in self.queries.items()}

    @property
    def known(self) -> Set[str] | None:
        """The ids that exist; None where no corpus is known."""
        return self.corpus.keys() or None

    def tokens(self, run: Run) -> dict[str, int]:
        """About how many tokens each passage of a run takes, of those that are known."""
        came_back = {passage_id for ranking in run.values() for passage_id in ranking}
        return {p: self.corpus[p].tokens for p in came_back if p in self.corpus}

    def slices(self, by: Sequence[str]) -> Slices:
        """The queries' values of the slices called `by`."""
        return {
            name: {query_id: str(getattr(query, name)) for query_id, query in self.queries.items()}
            for name in by
        }

    def barred(self, run: Run) -> Barred:
        """What of a run, or expected, the callers of its queries may not be answered from."""
        bounded = self._bounded
        if not bounded:
            return {}
        candidates = {
            query_id: {*labels, *run.get(query_id, ()), *self._carriers(query_id)}
            for query_id, labels in self.golden.items()
        }
        return barred(self.queries.values(), bounded, candidates=candidates, today=self.today)

    @cached_property
    def _bounded(self) -> list[Passage]:
        """The passages that not everybody may see, or not for every day."""
        return [
            outline.passage
            for outline in self.corpus.values()
            if outline.scope or outline.effective_from or outline.effective_to
        ]

    def _carriers(self, query_id: str) -> Iterable[str]:
        return {passage for of in self.facts.get(query_id, {}).values() for passage in of}


class Ranked(NamedTuple):
    """A system's run. `depth` is how many passages it was asked for (None: not known), `note` what
    is special about it, `hash` that of the ranked passages and their scores."""

    system: str
    run: Run
    scores: Scores
    depth: int | None
    note: str
    hash: str


HELD_OUT = " held out"
"""Stands behind a golden set's reference where its held-out queries alone are measured."""


def read(store: Store, ref: str | None = None, *, held_out: bool = False) -> Basis:
    """The golden set `ref`; without one the newest, else what people's labels settle.

    Queries that the golden set holds out are left alone; with `held_out` they are all that is read
    (count the look: `holdouts.look`). Raises LabelerError where there is nothing to measure
    against.
    """
    frozen = goldens.history(store)
    if ref is None and frozen:
        ref = frozen[-1].ref
    of = _settled(store) if ref is None or ref == SETTLED else expected.read(store, ref)
    of, left_out = _part(store, of, held_out)
    known, corpus = queries.named(store, list(of.golden)), outlines(store)
    facts: dict[str, dict[str, tuple[str, ...]]] = {}
    for fact in evidence.facts(store):
        if fact.query_id in of.golden:
            facts.setdefault(fact.query_id, {})[fact.text] = fact.passages
    return Basis(
        of.ref,
        of.hash,
        {
            query_id: dict(zip(shared(labels, corpus), labels.values(), strict=True))
            for query_id, labels in of.golden.items()
        },
        {query_id: known.get(query_id, of.queries[query_id]) for query_id in of.golden},
        corpus,
        ", ".join(f"{corpus.name}@{corpus.version}" for corpus in corpora.current(store)),
        facts,
        store.clock().date().isoformat(),
        left_out,
    )


def everything(store: Store, ref: str | None = None) -> list[Query]:
    """Every query of a golden set, as `read` finds it, those that it holds out among them: a
    retriever is asked them all, whatever is measured of its run."""
    basis = read(store, ref)
    held = read(store, basis.ref, held_out=True).queries if basis.left_out else {}
    return [*basis.queries.values(), *held.values()]


def _part(store: Store, of: Expected, held_out: bool) -> tuple[Expected, frozenset[str]]:
    """The open queries of a golden set or those that it holds out, and which are left out so."""
    held = holdouts.held(store, of.ref.rpartition("@")[0], of.golden)
    if held_out and not held:
        raise LabelerError(f"{of.ref} holds no query out", needs="holding out")
    kept = {q: labels for q, labels in of.golden.items() if (q in held) == held_out}
    ref = of.ref + HELD_OUT if held_out else of.ref
    return of._replace(ref=ref, golden=kept), frozenset(of.golden.keys() - kept.keys())


def _settled(store: Store) -> Expected:
    rows = [(of.query_id, of.passage_id, of.grade) for of in comparison.settled(store)]
    golden = gains(rows)
    for query_id, decided in evidence.outcomes(store).items():
        if decided.outcome is not evidence.Outcome.OPEN:
            golden.setdefault(query_id, {})
    if not golden:
        raise LabelerError(
            "There is nothing to measure against: import a golden set, or label some pairs",
            needs="golden file",
        )
    asked = {query_id: Query(query_id, "") for query_id in golden}
    return Expected(SETTLED, content_hash(sorted(map(list, rows))), golden, asked)


def gains(
    rows: Iterable[tuple[str, str, Grade | None]], corpus: Mapping[str, Outline] | None = None
) -> dict[str, dict[str, int]]:
    """Graded pairs as gains; a row without a passage is of a query that expects nothing, and one
    without a grade says nothing. The ids are `shared` with the corpus, where it is given."""
    golden: dict[str, dict[str, int]] = {}
    for query_id, passage_id, grade in rows:
        labels = golden.setdefault(query_id, {})
        if passage_id and grade is not None:
            known = corpus.get(passage_id) if corpus else None
            labels[passage_id if known is None else known.passage_id] = grade.gain
    return golden


def shared(ids: Iterable[str], corpus: Mapping[str, Outline]) -> list[str]:
    """The same ids as the corpus has them: of a million, what each report keeps takes 60 MB less
    for every run and every set of labels that does not hold its own."""
    found = []
    for passage_id in ids:
        outline = corpus.get(passage_id)
        found.append(passage_id if outline is None else outline.passage_id)
    return found


def rank(
    rows: Sequence[RunRow],
    *,
    system: str,
    depth: int | None = None,
    note: str = "",
    quiet: Iterable[str] = (),
) -> Ranked:
    """A run's rows as they are measured: by query, in the order of their ranks. `quiet` queries
    were asked and got nothing, which is not the same as being missing."""
    run: dict[str, list[str]] = {query_id: [] for query_id in quiet}
    scores: dict[str, list[float | None]] = {query_id: [] for query_id in run}
    for row in sorted(rows, key=lambda row: row.rank):
        run.setdefault(row.query_id, []).append(row.passage_id)
        scores.setdefault(row.query_id, []).append(row.score)
    digest = content_hash([[query_id, run[query_id], scores[query_id]] for query_id in sorted(run)])
    return Ranked(system, run, scores, depth, note, digest)


def ranked(store: Store, system: str, *, basis: Basis, depth: int | None = None) -> Ranked:
    """A system's newest run, or the baseline's answers to the basis's queries.

    `depth` is how many passages the run was asked for, where the store does not know.
    """
    found = runs.lists(store, system)
    if found is None:
        if system == bm25.SYSTEM:
            return baseline(store, basis, depth=depth or DEPTH)
        known = ", ".join(runs.systems(store)) or "none is imported"
        raise LabelerError(f"There is no run of {system!r}; known: {known}")
    asking = evaluations.asking(store, found.run_id)
    asked = depth or (asking.depth if asking else None)
    run = {query_id: shared(ids, basis.corpus) for query_id, ids in found.passages.items()}
    scores = dict(found.scores)
    for query_id in asking.quiet if asking else ():
        run[query_id], scores[query_id] = [], []
    return Ranked(system, run, scores, asked, found.note, found.hash)


def baseline(store: Store, basis: Basis, *, depth: int = DEPTH) -> Ranked:
    """The built-in BM25 over titles and texts of every current passage.

    Raises LabelerError where no passage or no query has a text.
    """
    if not basis.corpus:
        raise LabelerError(f"The {bm25.SYSTEM} has nothing to search: no passage has a text")
    index = bm25.Bm25(
        (passage.passage_id, f"{passage.title}\n{passage.text}")
        for passage in corpora.every_passage(store)
    )
    asked = [query for query in basis.queries.values() if query.text]
    if not len(index) or not asked:
        lack = "query" if len(index) else "passage"
        raise LabelerError(f"The {bm25.SYSTEM} has nothing to search: no {lack} has a text")
    rows = [
        RunRow(query.query_id, hit.passage_id, rank, hit.score)
        for query in asked
        for rank, hit in enumerate(index.search(query.text, depth), start=1)
    ]
    quiet = {query.query_id for query in asked} - {row.query_id for row in rows}
    note = "keyword search, built in"
    return rank(rows, system=bm25.SYSTEM, depth=depth, note=note, quiet=sorted(quiet))
