"""Retrieval reports as text for the terminal; the pages take their tables from here too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from datetime import datetime
from itertools import groupby

from labeler import bm25
from labeler.reports import render, triage
from labeler.reports.gates import Check
from labeler.reports.history import History
from labeler.reports.render import DASH, counted, short, table
from labeler.reports.retrieval import Report
from labeler.stats.intervals import Estimate
from labeler.stats.misses import ADVICE
from labeler.stats.triage import Stage
from labeler.store.evaluations import Baseline

LISTED = 10
"""Queries of a cluster that the terminal lists; the JSON has them all."""


def number(found: Estimate) -> str:
    """A measure and its interval to three digits: `0.656 (0.571 to 0.738)`."""
    if found.value is None:
        return f"{DASH} ({found.reason})"
    if found.interval is None:
        return f"{found.value:.3f}{render.without(found)}"
    lo, hi = found.interval
    return f"{found.value:.3f} ({lo:.3f} to {hi:.3f})"


def bare(found: Estimate) -> str:
    """A measure to three digits, or a dash."""
    return DASH if found.value is None else f"{found.value:.3f}"


def measures(report: Report) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the measures, with the baseline beside them and, where the run
    lacks queries, the means over those that it has."""
    header = ["measure", "value and 95% interval"]
    if report.without_missing:
        header.append("without the missing queries")
    if report.baseline:
        header.append(bm25.SYSTEM)
    rows = []
    for name, found in report.means.items():
        row = [name, number(found)]
        if report.without_missing:
            row.append(number(report.without_missing[name]))
        if report.baseline:
            row.append(bare(report.baseline[name]))
        rows.append(row)
    return header, rows


def scope(report: Report) -> str:
    """Over which queries the means go, in a sentence."""
    evaluation = report.evaluation
    n, missing = len(evaluation.query_ids), set(evaluation.missing)
    lacking = len(missing & set(evaluation.query_ids))
    said = f"{counted(n, 'query', plural='queries')} that have a relevant passage"
    if evaluation.n_needs != n:
        said += f", {evaluation.n_needs:,} needs"
    if lacking:
        said += (
            f"; {lacking:,} of them missing from the run, counted 0: over the {n - lacking:,} that "
            "it has, see beside"
        )
    return said


def report(found: Report) -> Iterator[str]:
    """The report's lines for the terminal."""
    evaluation = found.evaluation
    note = f" ({found.ranked.note})" if found.ranked.note else ""
    yield f"Run      {found.ranked.system}{note}"
    yield f"Golden   {found.basis.ref}, {evaluation.reading} reading"
    yield f"Queries  {scope(found)}"
    if found.basis.left_alone:
        yield f"         {counted(found.basis.left_alone, 'query', plural='queries')} held out"
    yield ""
    yield from table(*measures(found))
    if found.no_baseline:
        yield f"No {bm25.SYSTEM} beside it: {found.no_baseline}"
    yield from (f"Note: {warning}." for warning in evaluation.warnings)
    yield ""
    yield found.reach.reading
    yield from _apart(found)
    yield from _slices(found)
    yield from _missed(found)


def apart(found: Report) -> list[tuple[str, str]]:
    """What is counted by itself and never averaged."""
    evaluation = found.evaluation
    rows = [
        (name, f"{sum(map(len, of.values())):,} returned, for {_queries(of)}; must be 0")
        for name, of in (
            ("Unauthorised", evaluation.unauthorised),
            ("Out of date", evaluation.out_of_date),
        )
    ]
    repeats = evaluation.duplicates
    slots = counted(sum(repeats.values()), "slot")
    rows.append(("Duplicates", f"{slots}, for {_queries(repeats)}"))
    silent = evaluation.unanswerable
    if silent:
        quiet = sum(each.quiet for each in silent)
        scores = [each.top_score for each in silent if each.top_score is not None]
        top = f"; the highest score it gave is {max(scores):.6g}" if scores else ""
        rows.append(
            (
                "Unanswerable",
                f"{_queries(silent)}, kept quiet on {quiet:,}{top}",
            )
        )
    if found.facts is not None:
        said = f"{number(found.facts.recall)} in the top {found.facts.k}"
        whole = f"all of them {number(found.facts.complete)}"
        rows.append(("Required facts", f"{said}, {whole}, {found.facts.queries:,} queries"))
    rows.append(("Cut of scores", cut(found)))
    return rows


def _queries(found: Sized) -> str:
    return counted(len(found), "query", plural="queries")


def cut(found: Report) -> str:
    """Where to cut the scores, or why not to."""
    best = found.threshold
    advice = "" if best.recommended or best.best is None else "none recommended: "
    area = f"; area under ROC {number(best.auc)}" if best.auc.value is not None else ""
    return f"{advice}{best.reason}{area}"


def _apart(found: Report) -> Iterator[str]:
    yield ""
    for name, said in apart(found):
        yield f"{name:<15} {said}"


def _slices(found: Report) -> Iterator[str]:
    for name, group in groupby(found.evaluation.slices, key=lambda part: part.name):
        parts = list(group)
        shown = [each for each in parts[0].means if each.startswith(("R@", "nDCG"))][:3]
        yield ""
        rows = [
            [
                short(part.value, width=36),
                f"{part.queries:,}",
                *(number(part.means[each]) for each in shown),
                "too few to read" if part.small else "",
            ]
            for part in parts
        ]
        yield from table([f"by {name}", "queries", *shown, ""], rows)


def _missed(found: Report) -> Iterator[str]:
    if not found.clusters:
        return
    yield ""
    yield f"Nothing relevant in the top {found.near}: {_queries(found.missed)}"
    for cluster, queries in found.clusters.items():
        yield f"  {cluster} ({len(queries):,}): {ADVICE[cluster]}"
        yield from (f"    {query.query_id}  {short(query.text)}" for query in queries[:LISTED])
        if len(queries) > LISTED:
            yield f"    and {len(queries) - LISTED:,} more (the JSON holds all)"


def checks(found: Sequence[Check]) -> Iterator[str]:
    """Each gate on a line."""
    for each in found:
        yield f"{'passed' if each.passed else 'FAILED'}  {each.name}: {each.said}"


def triaged(found: triage.Report, *, whole: bool) -> Iterator[str]:
    """The failures' lines for the terminal; `whole` writes each as its ticket."""
    if whole:
        yield from (case.ticket for case in found.cases)
        return
    yield f"{found.system} on {found.basis.ref}, context of {found.k}: {stages(found)}"
    for case in found.failures:
        reported = ", reported in production" if case.reported else ""
        yield ""
        yield f"{case.query.query_id}  {short(case.query.text)}"
        yield f"  {case.triage.stage}: {case.triage.reason}{reported}"
        yield f"  next: {case.triage.next_step}"


def stages(found: triage.Report) -> str:
    """How many queries are at each stage. That a passage was there is no failure by itself."""
    lost, there, none = (found.counts[stage] for stage in Stage)
    return (
        f"{lost:,} {Stage.RETRIEVAL}, {there:,} with it in the context ({Stage.GENERATION}, where "
        f"the answer failed), {none:,} with nothing to find"
    )


def baselines(found: Sequence[Baseline]) -> Iterator[str]:
    """Each baseline on a line."""
    for each in found:
        held = each.evaluation
        values = ", ".join(
            f"{name} {value:.3f}" for name, value in held.measures.items() if value is not None
        )
        yield (
            f"{each.name}  evaluation {held.number} of {held.system} on {held.golden}, "
            f"{held.reading}: {values}"
        )
        yield f"  {each.reviewer}, {each.reviewed_at:%Y-%m-%d}: {render.short(each.reason)}"


HISTORY = ("when", "system", "golden set", "reading", "value", "queries", "version", "note")
"""The columns of `over_time`."""


def over_time(found: History, measure: str) -> Iterator[list[str]]:
    """Every stored evaluation that has the measure and every change since the first, in order."""
    rows: list[tuple[datetime, list[str]]] = [
        (mark.at, [f"{mark.at:%Y-%m-%d %H:%M}", "", f"{mark.kind} {mark.ref}", *[""] * 5])
        for mark in found.marks
    ]
    for each in found.evaluations:
        value = each.measures.get(measure)
        if each.evaluated_at is None or measure not in each.measures:
            continue
        shown = DASH if value is None else f"{value:.3f}"
        told = [shown, f"{each.n_queries:,}", each.code_version, each.note]
        when = f"{each.evaluated_at:%Y-%m-%d %H:%M}"
        rows.append((each.evaluated_at, [when, each.system, each.golden, each.reading, *told]))
    yield from (row for _, row in sorted(rows, key=lambda row: row[0]))
