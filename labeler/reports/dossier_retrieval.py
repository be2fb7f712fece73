"""The parts of the written report on what the runs find and miss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from labeler import bm25
from labeler.reports import corrected_text, near_misses_text, variants, variants_text
from labeler.reports import retrieval_text as text
from labeler.reports.blocks import (
    Bar,
    Block,
    Listed,
    Plot,
    Said,
    Section,
    Stack,
    Stacks,
    Table,
    Tone,
    clipped,
    listed,
)
from labeler.reports.corrected import statement
from labeler.reports.dossier import Dossier
from labeler.reports.render import counted
from labeler.reports.retrieval import Report
from labeler.stats.intervals import Estimate
from labeler.stats.misses import ADVICE

LEAD = ("R@5", "R@20", "RR@10", "nDCG@10", "Success@5")
"""The measures that are plotted."""

REST = "the evaluation's JSON has them all"
"""Where the queries are that a table does not list."""


def measured(found: Dossier) -> Section:
    """Every measure of every run, in a plot and a table, and what is counted apart."""
    title = "What the runs find"
    if isinstance(found.runs, str):
        return Section(title, [Said(f"Not measured: {found.runs}.", Tone.OPEN)])
    return Section(title, list(_measured(found.runs)))


def _measured(runs: Sequence[Report]) -> Iterator[Block]:
    first = runs[0]
    many = counted(len(first.evaluation.query_ids), "query", plural="queries")
    yield Said(
        f"Against {first.basis.ref}, {first.evaluation.reading} reading: means over "
        f"{first.evaluation.n_needs:,} needs ({many} that have a relevant passage), with 95% "
        "intervals that resample needs."
    )
    means = {report.ranked.system: report.means for report in runs}
    shown = [name for name in LEAD if name in first.means]
    yield Plot(
        "Measures by run",
        [Bar(name, system, of[name]) for name in shown for system, of in means.items()],
    )
    beside = first.baseline
    yield _by_run(means, beside=beside)
    if first.no_baseline and not any(report.ranked.system == bm25.SYSTEM for report in runs):
        yield Said(f"No {bm25.SYSTEM} beside them: {first.no_baseline}.")
    lacking = {r.ranked.system: r.without_missing for r in runs if r.without_missing}
    if lacking:
        yield _by_run(
            lacking, title="Over the queries that each run has, the missing ones left out"
        )
    apart = [dict(text.apart(report)) for report in runs]
    names = list(dict.fromkeys(name for rows in apart for name in rows))
    yield Table(
        ("counted apart", *means),
        [[name, *(rows.get(name, "") for rows in apart)] for name in names],
    )
    notes = [f"{r.ranked.system}: {said}." for r in runs for said in r.evaluation.warnings]
    if notes:
        yield Listed(notes)
    yield from _slices(runs)


def _by_run(
    means: Mapping[str, Mapping[str, Estimate]],
    *,
    beside: Mapping[str, Estimate] | None = None,
    title: str = "",
) -> Table:
    """Measures down, runs across."""
    header = ["measure", *means, *([bm25.SYSTEM] if beside else [])]
    rows = [
        [name, *(text.number(of[name]) for of in means.values())]
        + ([text.number(beside[name])] if beside else [])
        for name in next(iter(means.values()))
    ]
    return Table(header, rows, title)


def _slices(runs: Sequence[Report]) -> Iterator[Table]:
    """The first measure by part; whatever is too small to read says so."""
    first = runs[0].evaluation
    lead = next(iter(runs[0].means))
    for name in dict.fromkeys(part.name for part in first.slices):
        rows = []
        for at, part in enumerate(first.slices):
            if part.name == name:
                values = [r.evaluation.slices[at].means[lead] for r in runs]
                small = "too few to read" if part.small else ""
                said = [text.number(value) for value in values]
                rows.append([part.value, f"{part.queries:,}", f"{part.needs:,}", *said, small])
        header = (name, "queries", "needs", *(r.ranked.system for r in runs), "")
        yield Table(header, rows, f"{lead} by {name}")


def corrected(found: Dossier) -> Section:
    """The judge's numbers, the people's and both together, and which to quote."""
    title = "Corrected for the judge's errors"
    made = found.corrected
    if isinstance(made, str):
        return Section(title, [Said(f"Not corrected: {made}.", Tone.OPEN)])
    blocks: list[Block] = [Said(corrected_text.scope(made))]
    parts = [(system, measures, False) for system, measures in made.runs.items()]
    parts += [(f"{of.second} minus {of.first}", of.measures, True) for of in made.differences]
    for name, measures, sign in parts:
        header, rows = corrected_text.ways(measures, sign=sign)
        said = statement(made.lead, measures[made.lead], sign=sign)
        blocks += [Table(header, rows, name), Said(f"{said}.")]
    header, rows = corrected_text.errors(made.errors)
    blocks.append(Table(header, rows, "The judge's errors"))
    if made.warnings:
        blocks.append(Listed([f"{warning}." for warning in made.warnings]))
    return Section(title, blocks)


def compared(found: Dossier) -> Section:
    """What the differences between the runs are worth."""
    title = "Variants compared"
    made = found.variants
    if isinstance(made, str):
        return Section(title, [Said(f"Not compared: {made}.")])
    blocks: list[Block] = [Table(*variants_text.differences(made))]
    flags = [
        f"{two.first} and {two.second}: {two.reranked.reading}"
        for two in made.twosomes
        if two.reranked.reading
    ]
    if flags:
        blocks.append(Listed(flags))
    if any(each.at_tokens for each in made.variants.values()):
        blocks.append(_budgets(made))
    return Section(title, blocks)


def _budgets(made: variants.Report) -> Table:
    """Recall at equal tokens and at equal k, cuts down, systems across."""
    cuts: dict[str, list[str]] = {}
    for each in made.variants.values():
        for unit, points in (("token", each.at_tokens), ("passage", each.at_cutoffs)):
            for point in points:
                row = cuts.setdefault(counted(point.limit, unit), [])
                row.append(text.number(point.recall))
    rows = [[cut, *values] for cut, values in cuts.items()]
    return Table(("cut at", *made.variants), rows, "Recall at equal tokens and at equal k")


def missed(found: Dossier) -> Section:
    """Where the relevant passages stand, what was missed, and what came back and must not."""
    title = "What is missed"
    if isinstance(found.runs, str):
        return Section(title, [Said(f"Not known: {found.runs}.", Tone.OPEN)])
    runs = found.runs
    near, far = runs[0].reach.near, runs[0].reach.far
    blocks: list[Block] = [
        Stacks(
            "Where the relevant passages stand",
            (
                f"in the top {near}",
                f"found but ranked badly (to {far})",
                f"not in the top {far}",
                "not in the corpus",
            ),
            [Stack(report.ranked.system, report.reach[2:]) for report in runs],
        ),
        Listed([f"{report.ranked.system}: {report.reach.reading}" for report in runs]),
        *_clusters(runs),
        *_in_error(runs),
        *_unanswerable(runs),
    ]
    return Section(title, blocks)


def _clusters(runs: Sequence[Report]) -> Iterator[Block]:
    near = runs[0].near
    rows: dict[str, list[str]] = {}
    by: dict[str, list[str]] = {}
    advice: dict[str, dict[str, int]] = {}
    for report in runs:
        for query, cluster in report.missed:
            said = [query.query_id, clipped(query.text), query.kind, str(cluster)]
            rows.setdefault(query.query_id, said)
            by.setdefault(query.query_id, []).append(report.ranked.system)
            of = advice.setdefault(cluster, {})
            of[report.ranked.system] = of.get(report.ranked.system, 0) + 1
    if not rows:
        yield Said(f"Every query has something relevant in the top {near} of every run.", Tone.GOOD)
        return
    systems = [report.ranked.system for report in runs]
    told = {str(cluster): said for cluster, said in ADVICE.items()}
    yield Table(
        ("cluster", *systems, "what to try"),
        [
            [cluster, *(f"{of.get(system, 0):,}" for system in systems), told[cluster]]
            for cluster, of in sorted(advice.items(), key=lambda kept: -sum(kept[1].values()))
        ],
        f"Queries with nothing relevant in the top {near}, by what may mend them",
    )
    worst = sorted(rows, key=lambda query_id: (-len(by[query_id]), query_id))
    yield from listed(
        ("query", "text", "kind", "cluster", "missed by"),
        [[*rows[query_id], ", ".join(by[query_id])] for query_id in worst],
        title=f"Missed queries ({len(rows):,})",
        rest=REST,
    )


def _in_error(runs: Sequence[Report]) -> Iterator[Block]:
    """How many passages came back for each query that its caller may not be answered from."""
    texts = runs[0].basis.queries
    rows = []
    for what, returned in (
        ("unauthorised", [report.evaluation.unauthorised for report in runs]),
        ("out of date", [report.evaluation.out_of_date for report in runs]),
    ):
        for query_id in dict.fromkeys(query_id for of in returned for query_id in of):
            counts = [f"{len(of.get(query_id, ())):,}" for of in returned]
            rows.append([query_id, clipped(texts[query_id].text), what, *counts])
    if rows:
        header = ("query", "text", "what came back", *(report.ranked.system for report in runs))
        title = "Passages that must not come back"
        yield from listed(header, rows, title=title, rest=REST)


def _unanswerable(runs: Sequence[Report]) -> Iterator[Block]:
    texts = runs[0].basis.queries
    rows: dict[str, list[str]] = {}
    for report in runs:
        for one in report.evaluation.unanswerable:
            row = rows.setdefault(
                one.query_id, [one.query_id, clipped(texts[one.query_id].text), one.why]
            )
            row.append("quiet" if one.quiet else f"{one.returned:,} came back")
    if rows:
        header = ("query", "text", "why", *(report.ranked.system for report in runs))
        title = f"Unanswerable queries ({len(rows):,})"
        yield from listed(header, list(rows.values()), title=title, rest=REST)


def near(found: Dossier) -> Section:
    """What the golden set lacks, and what the numbers would be with it."""
    title = "Near misses"
    made = found.near_misses
    if isinstance(made, str):
        return Section(title, [Said(f"Not looked for: {made}.")])
    rows = [
        [one.system, *row]
        for one in made.moved
        for row in near_misses_text.measured(one)
        if row[0] in LEAD or (row[0] == "queries" and len(set(row[1:])) > 1)
    ]
    blocks: list[Block] = [Listed(list(near_misses_text.readings(made)))]
    if made.by_people or made.by_judge:
        blocks.append(Table(("run", *near_misses_text.HEADER), rows))
    return Section(title, blocks)
