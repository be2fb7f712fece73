"""Triage of failed answers: of one query, or of all that a golden set asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from labeler.errors import LabelerError
from labeler.model import Query
from labeler.reports import basis as bases
from labeler.reports.basis import Basis
from labeler.stats import triage
from labeler.stats.measures import Reading
from labeler.stats.triage import Stage, Triage
from labeler.store import desk, runs
from labeler.store.db import Store

K = 8
"""Passages that reach the context unless told otherwise."""

PRODUCTION = "what came back in production"
"""Whose ranking a reported failure is read by."""


class Case(NamedTuple):
    """A query triaged. `came_from` says whose ranking was read; `reported`: it failed in production
    and somebody said so; `ticket` is the text for a ticket."""

    query: Query
    triage: Triage
    came_from: str
    reported: bool
    ticket: str

    @property
    def failed(self) -> bool:
        """Whether there is anything to mend: the search lost it, or production failed."""
        return self.reported or self.triage.stage is Stage.RETRIEVAL


@dataclass(frozen=True)
class Report:
    """Triaged queries, failures first. `counts` go by stage over all of them."""

    basis: Basis
    system: str
    k: int
    reading: Reading
    cases: Sequence[Case]

    @property
    def counts(self) -> Mapping[Stage, int]:
        """How many queries are at each stage."""
        counted = Counter(case.triage.stage for case in self.cases)
        return {stage: counted[stage] for stage in Stage}

    @property
    def failures(self) -> list[Case]:
        """The cases that have something to mend."""
        return [case for case in self.cases if case.failed]


def build(
    store: Store,
    *,
    query: str | None = None,
    system: str | None = None,
    golden: str | None = None,
    k: int = K,
    reading: Reading = Reading.STRICT,
) -> Report:
    """Triage one query, or every golden query where `query` is None.

    Without a `system` a query that was reported as a production failure is read by what came back
    then, and any other by the newest run. Raises LabelerError for a query that the basis lacks, and
    where there is no run.
    """
    basis = bases.read(store, golden)
    if query is not None and query not in basis.queries:
        raise LabelerError(
            f"{basis.ref} does not say what query {query!r} should find: triage needs that"
        )
    reported = {failure.query_id: failure for failure in reversed(desk.failures(store))}
    came_back = {
        query_id: failure.came_back
        for query_id, failure in reported.items()
        if failure.came_back and system is None
    }
    asked = [query] if query is not None else list(basis.golden)
    chosen, run = system or "", {}
    if system is not None or any(query_id not in came_back for query_id in asked):
        chosen = system or _newest(store)
        run = dict(bases.ranked(store, chosen, basis=basis).run)
    rankings = {query_id: came_back.get(query_id, run.get(query_id)) for query_id in asked}
    bars = basis.barred({query_id: ranking or () for query_id, ranking in rankings.items()})
    fingerprints = {
        passage_id: of.fingerprint for passage_id, of in basis.corpus.items() if of.fingerprint
    }
    index = triage.Index(basis.known, fingerprints)
    found = []
    for query_id, ranking in rankings.items():
        asked_for = basis.queries[query_id]
        judged = triage.triage(
            asked_for,
            basis.golden[query_id],
            ranking,
            k=k,
            index=index,
            bars=bars.get(query_id),
            facts=basis.facts.get(query_id),
            reading=reading,
        )
        source = PRODUCTION if query_id in came_back else chosen
        ticket = triage.ticket(judged, asked_for, system=source)
        found.append(Case(asked_for, judged, source, query_id in reported, ticket))
    found.sort(key=lambda case: (not case.failed, not case.reported))
    return Report(basis, chosen or PRODUCTION, k, reading, found)


def _newest(store: Store) -> str:
    known = runs.current(store)
    if not known:
        raise LabelerError("There is no run to triage: import one", needs="run")
    return max(known, key=lambda run: run.imported_at).system


def as_json(report: Report) -> dict[str, Any]:
    """Every triaged query; the failures are those with `failed`."""
    return {
        "run": report.system,
        "golden": report.basis.ref,
        "reading": str(report.reading),
        "k": report.k,
        "n": len(report.cases),
        "counts": {str(stage): count for stage, count in report.counts.items()},
        "queries": [case_as_json(case) for case in report.cases],
    }


def case_as_json(case: Case) -> dict[str, Any]:
    """One triaged query."""
    found = case.triage
    return {
        "query_id": case.query.query_id,
        "text": case.query.text,
        "kind": case.query.kind,
        "stage": str(found.stage),
        "reason": found.reason,
        "next_step": found.next_step,
        "needed": found.needed,
        "passages": [lost._asdict() | {"place": str(lost.place)} for lost in found.passages],
        "came_from": case.came_from,
        "reported": case.reported,
        "failed": case.failed,
        "ticket": case.ticket,
    }
