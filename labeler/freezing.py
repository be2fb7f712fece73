"""Freezing what has been learned: settled labels, and the verdicts of a judge that is trusted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from labeler import nearing
from labeler.errors import LabelerError
from labeler.model import Decision, GoldenEntry, Grade
from labeler.reports import agreement
from labeler.reports.render import counted, judge_name
from labeler.store import evidence, goldens, queries, settled, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store
from labeler.store.evidence import Outcome, outcomes
from labeler.store.frozen import Key, Provenance
from labeler.store.goldens import Golden

LABELS, WITH_JUDGE = "labels", "labels+judge"
SOURCES = (LABELS, WITH_JUDGE)
"""What a golden set can be frozen from."""


class Freezing(NamedTuple):
    """A version, whether it is new, and how many of its entries came from people, from the judge,
    and how many pairs were left out because people have not settled them, or because the caller
    may not see the passage or it is not in force (`barred`)."""

    golden: Golden
    new: bool
    from_people: int
    from_judge: int
    unsettled: int
    barred: int


def freeze(
    store: Store,
    name: str,
    *,
    source: str = LABELS,
    judged: Selection | None = None,
    override: str = "",
    reason: str = "",
    person: str = "",
) -> Freezing:
    """Freeze the next version of golden set `name`.

    Adjudicated grades and those on which all annotators agree come in; with `labels+judge` also the
    verdicts of `judged` on pairs that no person has looked at, if the gate trusts it and it was not
    only seen on what it was tuned on, or with the reason of an `override`, which is recorded.
    Raises LabelerError where the judge may not be believed, where nothing is settled, and where a
    grade that was frozen would change without a `reason`.
    """
    if source != WITH_JUDGE:
        judged = None
    elif judged is None:
        raise LabelerError("Whose verdicts? Name the judge")
    provenance = _believed(store, judged, override.strip()) if judged else Provenance(source)
    found = _Found(store)
    found.of_people()
    people = len(found.entries)
    unanswerable = {q for q, what in outcomes(store).items() if what.outcome is not Outcome.OPEN}
    if judged:
        found.of_judge(judged, but=unanswerable, origin=_origin(judged, provenance))
    from_judge = len(found.entries) - people
    for query_id in sorted(unanswerable - {entry.query_id for entry in found.entries}):
        found.add(GoldenEntry(query_id, "", None), "found unanswerable")
    found.word()
    kept, new = _frozen(store, name, found, provenance, reason, person)
    return Freezing(kept, new, people, from_judge, found.unsettled, found.barred)


class _Found:
    """What goes into a version, each pair once, and where it comes from; how many pairs do not."""

    def __init__(self, store: Store) -> None:
        self.entries: list[GoldenEntry] = []
        self.origins: list[str] = []
        self.unsettled = self.barred = 0
        self._store = store
        self._left_out: set[Key] = set()
        self._is_barred = evidence.barring(store)

    def of_people(self) -> None:
        """The pairs that people have settled."""
        queued = nearing.queued(self._store)
        for query_id, passage_id, grade, origin in settled.pairs(self._store):
            if grade is None:
                self.unsettled += 1
                self._left_out.add((query_id, passage_id))
                continue
            queue = queued.get((query_id, passage_id))
            more = f", near miss of {queue}" if queue else ""
            self.add(GoldenEntry(query_id, passage_id, grade), origin + more)

    def of_judge(self, judged: Selection, *, but: Collection[str], origin: str) -> None:
        """The judge's verdicts on pairs that nobody has looked at, `but` those of some queries."""
        graded = verdicts.graded(
            self._store, judge=judged.judge, rubric=judged.rubric, model=judged.model
        )
        seen = self._left_out | {(entry.query_id, entry.passage_id) for entry in self.entries}
        for query_id, passage_id, grade in graded:
            if (query_id, passage_id) not in seen and query_id not in but:
                self.add(GoldenEntry(query_id, passage_id, grade), origin)

    def add(self, entry: GoldenEntry, origin: str) -> None:
        """Take an entry in, unless its passage cannot be expected."""
        key = (entry.query_id, entry.passage_id)
        if entry.grade not in (None, Grade.NO) and self._is_barred(*key):
            self.barred += 1
            self._left_out.add(key)
            return
        self.entries.append(entry)
        self.origins.append(origin)

    def word(self) -> None:
        """Give the entries their queries' texts and kinds, where these are known."""
        known = queries.named(self._store, sorted({entry.query_id for entry in self.entries}))
        for place, entry in enumerate(self.entries):
            if query := known.get(entry.query_id):
                self.entries[place] = replace(entry, query=query.text, kind=query.kind)


def _origin(judged: Selection, provenance: Provenance) -> str:
    """What is said of entries that are a judge's verdicts."""
    who = judge_name(judged.judge, judged.rubric, judged.model)
    override = f", overridden: {provenance.override}" if provenance.override else ""
    return f"verdict of {who} ({provenance.decision}{override})"


class _Kept(NamedTuple):
    golden: Golden
    new: bool


def _frozen(
    store: Store,
    name: str,
    found: _Found,
    provenance: Provenance,
    reason: str,
    person: str,
) -> _Kept:
    before = next((golden for golden in goldens.newest(store) if golden.name == name), None)
    if not found.entries:
        if before is None:
            raise LabelerError("Nothing to freeze: no pair has a settled label")
        return _Kept(goldens.named(store, before.ref), False)
    if before and not reason.strip():
        _require_unchanged(store, before, found.entries)
    golden = goldens.record(
        store,
        name,
        found.entries,
        origin=provenance.source,
        person=person,
        origins=found.origins,
        reason=reason,
        provenance=provenance,
    )
    return _Kept(golden, before is None or before.version != golden.version)


def _require_unchanged(store: Store, before: Golden, entries: Sequence[GoldenEntry]) -> None:
    """Raise LabelerError where a grade that was frozen would be another."""
    stood = {(e.query_id, e.passage_id): e.grade for e in goldens.entries(store, before)}
    changed = [e for e in entries if stood.get((e.query_id, e.passage_id), e.grade) != e.grade]
    if changed:
        first = changed[0]
        raise LabelerError(
            f"{counted(len(changed), 'grade')} would be other than in {before.ref} (the first: "
            f"passage {first.passage_id!r} of query {first.query_id!r}): say why",
            needs="reason",
        )


def _believed(store: Store, judged: Selection, override: str) -> Provenance:
    """What the gate says of the judge; raises where it may not be frozen from."""
    report = agreement.build(store, judged, by=())
    decision, confirmed = report.gate.decision, report.confirmed
    provenance = Provenance(
        WITH_JUDGE,
        judged.judge,
        judged.rubric,
        judged.model,
        judged.spotcheck or "",
        str(decision),
        override,
        confirmed.status,
    )
    if override:
        return provenance
    if decision is not Decision.TRUSTED:
        raise LabelerError(
            f"The judge's verdicts are not frozen: {report.gate.sentence} {_OVERRIDE}",
            needs="override",
        )
    if confirmed.status in ("only tuned", "worse"):
        raise LabelerError(
            f"The judge's verdicts are not frozen: {confirmed.sentence} {_OVERRIDE}",
            needs="override",
        )
    return provenance


_OVERRIDE = "Who overrides that says why, and it is recorded with the version"
