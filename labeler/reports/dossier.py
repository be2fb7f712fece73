"""Everything that a decision about a retriever rests on, collected into one report: what was
measured on which versions, whether the judge may be trusted, the numbers, what was missed, and how
the answers fare.

Nothing is computed here that the other reports do not compute: the numbers are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

from labeler import __version__, bm25
from labeler.errors import LabelerError
from labeler.reports import agreement, answers, corrected, near_misses, retrieval, variants
from labeler.reports import basis as bases
from labeler.reports.basis import Basis
from labeler.stats.measures import Reading
from labeler.store import answers as stored
from labeler.store import goldens, holdouts, rubrics, runs, spotchecks
from labeler.store.comparison import Selection
from labeler.store.db import Store
from labeler.store.goldens import Freeze, Golden

MOST = 6
"""Runs that are reported unless they are named: the newest."""

T = TypeVar("T")


class Version(NamedTuple):
    """The golden version that was measured against (without its entries), what it was frozen from
    (None: from before that was recorded), and how often its held-out queries were looked at."""

    golden: Golden
    freeze: Freeze | None
    looks: int


@dataclass(frozen=True)
class Dossier:
    """The parts of the report; a part that cannot be is the reason in words. `version` is None
    where settled labels stand in for a golden set, `answers` where none is graded, `rubric_hash` ""
    where the store has no text of the judge's rubric; `left_out` counts runs that are older than
    the reported ones.
    """

    made_at: datetime
    code_version: str
    runs: tuple[retrieval.Report, ...] | str
    left_out: int
    version: Version | None
    judged: agreement.Report | str
    rubric_hash: str
    corrected: corrected.Report | str
    variants: variants.Report | str
    near_misses: near_misses.Report | str
    answers: answers.Report | None

    @property
    def basis(self) -> Basis | None:
        """What was measured against; None where nothing was measured."""
        return None if isinstance(self.runs, str) else self.runs[0].basis


def build(
    store: Store,
    systems: Sequence[str] = (),
    *,
    golden: str | None = None,
    judged: Selection | None = None,
    reading: Reading = Reading.STRICT,
) -> Dossier:
    """Collect the report of `systems` (the newest runs unless named) against golden set `golden`
    (the newest, else settled labels), of the judge `judged` (that of the newest spot check of
    passages, on its pairs), and of the answers.

    Raises LabelerError where something that was named is not there, and where there is neither a
    run to measure nor a judge to compare nor a graded answer.
    """
    known = sorted(runs.current(store), key=lambda run: run.imported_at)
    names = list(dict.fromkeys(systems)) or [run.system for run in known[-MOST:]]
    measured = _runs(store, names, golden=golden, reading=reading, named=bool(systems or golden))
    chosen = _or_why(lambda: judged or _judge(store))
    graded = _answers(store, golden)
    if isinstance(measured, str) and isinstance(chosen, str) and graded is None:
        raise LabelerError(f"There is nothing to report: {measured}; {chosen}")
    basis = None if isinstance(measured, str) else measured[0].basis
    return Dossier(
        store.clock(),
        __version__,
        measured,
        0 if systems else max(0, len(known) - MOST),
        _version(store, basis),
        chosen if isinstance(chosen, str) else agreement.build(store, chosen),
        "" if isinstance(chosen, str) else _rubric_hash(store, chosen.rubric),
        _corrected(store, names, basis, chosen, reading),
        _variants(store, names, basis, reading),
        _near_misses(store, names, basis, chosen, reading),
        graded,
    )


def _judge(store: Store) -> Selection:
    """The judge of the newest spot check of passages; without one, the newest on every pair."""
    for check in spotchecks.history(store):
        found = agreement.choose(store, spotcheck=check.name)
        if not found.answers:
            return found
    return agreement.choose(store)


def _answers(store: Store, golden: str | None) -> answers.Report | None:
    """The report on answers where one is graded."""
    if not stored.current(store):
        return None
    found = answers.build(store, golden=golden, judged=answers.choose(store))
    graded = any(kind.graded for group in found.groups for kind in group.kinds)
    return found if graded else None


def _or_why(make: Callable[[], T]) -> T | str:
    """What `make` gives, or why it cannot be."""
    try:
        return make()
    except LabelerError as error:
        return str(error)


def _runs(
    store: Store, names: Sequence[str], *, golden: str | None, reading: Reading, named: bool
) -> tuple[retrieval.Report, ...] | str:
    """Each run measured; one reading of the basis and one baseline for all."""
    if not names:
        return "no run is imported, so that nothing is measured"

    def measure() -> tuple[retrieval.Report, ...]:
        basis = bases.read(store, golden)
        beside = retrieval.baseline_of(store, basis)
        return tuple(
            retrieval.measured(
                basis,
                bases.ranked(store, name, basis=basis),
                reading=reading,
                baseline="this is the baseline" if name == bm25.SYSTEM else beside,
            )
            for name in names
        )

    return measure() if named else _or_why(measure)


def _version(store: Store, basis: Basis | None) -> Version | None:
    if basis is None or basis.ref == bases.SETTLED:
        return None
    golden = next(one for one in goldens.history(store) if one.ref == basis.ref)
    looks = holdouts.looks(store, golden.name)
    return Version(golden, goldens.freezes(store).get(golden.ref), len(looks))


def _rubric_hash(store: Store, ref: str) -> str:
    found = rubrics.named(store, ref) if ref else None
    return found.hash if found else ""


def _corrected(
    store: Store,
    names: Sequence[str],
    basis: Basis | None,
    judged: Selection | str,
    reading: Reading,
) -> corrected.Report | str:
    if basis is None or isinstance(judged, str):
        return judged if isinstance(judged, str) else "nothing is measured"
    return _or_why(
        lambda: corrected.build(
            store,
            names,
            judge=judged.judge,
            rubric=judged.rubric,
            model=judged.model,
            golden=None if basis.ref == bases.SETTLED else basis.ref,
            reading=reading,
        )
    )


def _variants(
    store: Store, names: Sequence[str], basis: Basis | None, reading: Reading
) -> variants.Report | str:
    if basis is None:
        return "nothing is measured"
    if len(names) < 2:
        return "one run alone has nothing to be compared with"
    return _or_why(
        lambda: variants.build(store, names, golden=basis.ref, reading=reading, baseline=False)
    )


def _near_misses(
    store: Store,
    names: Sequence[str],
    basis: Basis | None,
    judged: Selection | str,
    reading: Reading,
) -> near_misses.Report | str:
    if basis is None or basis.ref == bases.SETTLED:
        return "they are of a golden set, and none is frozen"
    by = None if isinstance(judged, str) else judged
    return _or_why(
        lambda: near_misses.build(store, basis.ref, systems=names, judged=by, reading=reading)
    )
