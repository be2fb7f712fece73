"""Freezing what has been learned: settled labels, and the verdicts of a judge that is trusted."""

from __future__ import annotations

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
    override = override.strip()
    looked_at = settled.pairs(store)
    origins: dict[Key, str] = {}
    grades = {}
    for pair in looked_at:
        if pair.grade is not None:
            grades[pair.query_id, pair.passage_id] = pair.grade
            origins[pair.query_id, pair.passage_id] = pair.origin
    for key, queue in nearing.queued(store).items():
        if key in origins:
            origins[key] += f", near miss of {queue}"
    first = tuple(grades)
    provenance = Provenance(source)
    unanswerable = {q for q, said in outcomes(store).items() if said.outcome is not Outcome.OPEN}
    if source == WITH_JUDGE:
        if judged is None:
            raise LabelerError("Whose verdicts? Name the judge")
        provenance = _believed(store, judged, override)
        who = judge_name(judged.judge, judged.rubric, judged.model)
        said = f"verdict of {who} ({provenance.decision}"
        said += f", overridden: {override})" if override else ")"
        seen = {(pair.query_id, pair.passage_id) for pair in looked_at}
        for q, p, grade in verdicts.graded(
            store, judge=judged.judge, rubric=judged.rubric, model=judged.model
        ):
            if (q, p) not in seen and q not in unanswerable:
                grades[q, p], origins[q, p] = grade, said
    useful = [key for key, grade in grades.items() if grade is not Grade.NO]
    barred = evidence.barred_among(store, useful)
    for key in barred:
        del grades[key], origins[key]
    people = sum(key in grades for key in first)
    entries = [GoldenEntry(q, p, grade) for (q, p), grade in grades.items()]
    for query_id in sorted(unanswerable - {q for q, _ in grades}):
        entries.append(GoldenEntry(query_id, "", None))
        origins[query_id, ""] = "found unanswerable"
    frozen = _frozen(store, name, _worded(store, entries), origins, provenance, reason, person)
    kept, new = frozen
    unsettled = len(looked_at) - len(first)
    return Freezing(kept, new, people, len(grades) - people, unsettled, len(barred))


class _Kept(NamedTuple):
    golden: Golden
    new: bool


def _frozen(
    store: Store,
    name: str,
    entries: list[GoldenEntry],
    origins: dict[Key, str],
    provenance: Provenance,
    reason: str,
    person: str,
) -> _Kept:
    before = next((golden for golden in goldens.current(store) if golden.name == name), None)
    if not entries:
        if before is None:
            raise LabelerError("Nothing to freeze: no pair has a settled label")
        return _Kept(before, False)
    if before and not reason.strip():
        stood = {(e.query_id, e.passage_id): e.grade for e in before.entries}
        changed = [e for e in entries if stood.get((e.query_id, e.passage_id), e.grade) != e.grade]
        if changed:
            first = changed[0]
            raise LabelerError(
                f"{counted(len(changed), 'grade')} would be other than in {before.ref} (the first: "
                f"passage {first.passage_id!r} of query {first.query_id!r}): say why",
                needs="reason",
            )
    golden = goldens.record(
        store,
        name,
        entries,
        origin=provenance.source,
        person=person,
        origins=origins,
        reason=reason,
        provenance=provenance,
    )
    return _Kept(golden, before is None or before.version != golden.version)


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


def _worded(store: Store, entries: list[GoldenEntry]) -> list[GoldenEntry]:
    """The entries with their queries' texts and kinds, where these are known."""
    known = queries.named(store, sorted({entry.query_id for entry in entries}))
    return [
        GoldenEntry(
            e.query_id, e.passage_id, e.grade, known[e.query_id].text, known[e.query_id].kind
        )
        if e.query_id in known
        else e
        for e in entries
    ]
