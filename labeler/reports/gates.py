"""What a build holds a run to: floors, a reviewed baseline, and nothing that must not come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeler.errors import LabelerError, UsageError
from labeler.reports.render import counted
from labeler.reports.retrieval import Report
from labeler.stats.measures import Measure, measure
from labeler.store.evaluations import Baseline

MUST_BE_NONE = ("unauthorised", "out_of_date")
"""What is counted over the whole returned list and never averaged."""

HAIR = 1e-12
"""Rounding alone never fails a gate."""


class Check(NamedTuple):
    """One thing that was asked of the run, whether it holds, and the numbers in words."""

    name: str
    passed: bool
    said: str


class Floor(NamedTuple):
    """The least that a measure may be."""

    measure: Measure
    least: float


def floor(text: str) -> Floor:
    """Read `R@5=0.80`. Raises UsageError for no measure, and for no number in 0 to 1."""
    name, equals, number = text.partition("=")
    measured = measure(name.strip())
    try:
        least = float(number)
    except ValueError:
        least = -1.0
    if not equals or not 0 <= least <= 1:
        raise UsageError(f"{text!r} sets no floor: expected such as R@5=0.80, from 0 to 1")
    return Floor(measured, least)


def check(
    report: Report,
    *,
    floors: Sequence[Floor] = (),
    baseline: Baseline | None = None,
    max_drop: float = 0.0,
    none_of: Sequence[str] = (),
) -> list[Check]:
    """Hold a report to what is asked. A measure that does not exist holds nothing.

    Raises LabelerError where the baseline was measured in another way: such numbers say nothing of
    a drop.
    """
    checks = [_floor(report, each) for each in floors]
    if baseline is not None:
        checks += _drops(report, baseline, max_drop)
    counts = {
        "unauthorised": report.evaluation.unauthorised,
        "out_of_date": report.evaluation.out_of_date,
    }
    for name in none_of:
        found = counts[name]
        many = sum(map(len, found.values()))
        where = f" for {counted(len(found), 'query', plural='queries')}" if many else ""
        checks.append(Check(f"no {name}", not many, f"{many} returned{where}"))
    return checks


def _floor(report: Report, asked: Floor) -> Check:
    name = f"{asked.measure} >= {asked.least:g}"
    found = report.means[str(asked.measure)]
    if found.value is None:
        return Check(name, False, f"no value: {found.reason}")
    return Check(name, found.value >= asked.least - HAIR, f"{found.value:.6f}")


def _drops(report: Report, baseline: Baseline, max_drop: float) -> list[Check]:
    held, basis = baseline.evaluation, report.basis
    for what, then, now in (
        ("golden set", held.golden_hash, basis.hash),
        ("reading", held.reading, str(report.evaluation.reading)),
    ):
        if then != now:
            shown = (held.golden, basis.ref) if what == "golden set" else (then, now)
            raise LabelerError(
                f"Baseline {baseline.name} has another {what} ({shown[0]}, now {shown[1]}): "
                "review a new one",
                needs="baseline",
            )
    checks = []
    for name, before in held.measures.items():
        if before is None or name.startswith("Judged@") or name not in report.means:
            continue
        checks.append(_drop(name, before, report.means[name].value, max_drop))
    if not checks:
        raise LabelerError(f"Baseline {baseline.name} and this evaluation share no measure")
    return checks


def _drop(name: str, before: float, now: float | None, max_drop: float) -> Check:
    title = f"{name} drops by at most {max_drop:g}"
    if now is None:
        return Check(title, False, f"{before:.6f}, now no value")
    passed = before - now <= max_drop + HAIR
    return Check(title, passed, f"{before:.6f}, now {now:.6f} ({now - before:+.6f})")


def as_json(checks: Sequence[Check]) -> Mapping[str, object]:
    """Whether all hold, and each."""
    return {
        "passed": all(each.passed for each in checks),
        "gates": [each._asdict() for each in checks],
    }
