"""Comparisons as text for the terminal; the Compare page takes its tables from here too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from labeler import bm25
from labeler.model import GRADES
from labeler.reports.render import DASH, counted, short, table, without
from labeler.reports.retrieval_text import number
from labeler.reports.variants import Report
from labeler.stats.intervals import Estimate
from labeler.stats.variants import Changed


def comparison(found: Report, *, parts: bool = False) -> Iterator[str]:
    """The comparison's lines for the terminal, with the differences within `parts` if asked."""
    first = next(iter(found.variants.values())).evaluation
    yield f"Golden   {found.basis.ref}, {found.reading} reading"
    yield f"Queries  {len(first.query_ids):,}, {first.n_needs:,} needs"
    yield ""
    yield from table(*means(found))
    if found.no_baseline:
        yield f"No {bm25.SYSTEM} beside them: {found.no_baseline}"
    yield ""
    for each in found.variants.values():
        yield f"{each.ranked.system}: {each.ranked.note or 'not said what was changed'}"
    yield ""
    yield from table(*differences(found))
    for two in found.twosomes:
        if two.reranked.reading:
            yield f"{two.first} and {two.second}: {two.reranked.reading}"
    if parts:
        yield ""
        yield from table(*sliced(found))
    if any(each.at_tokens for each in found.variants.values()):
        yield ""
        yield from table(*budgets(found))
    yield ""
    for system, each in found.variants.items():
        cut_at = each.threshold
        yield f"Cut of {system}'s scores: {cut_at.reason}; area under ROC {number(cut_at.auc)}"
    yield from _changed(found)


def means(found: Report) -> tuple[list[str], list[list[str]]]:
    """The table that people print: measures down, systems across."""
    systems: Mapping[str, Mapping[str, Estimate]] = {
        name: each.evaluation.means for name, each in found.variants.items()
    }
    header = ["measure", *systems, *([bm25.SYSTEM] if found.baseline else [])]
    rows = [
        [name, *(number(of[name]) for of in systems.values())]
        + ([number(found.baseline[name])] if found.baseline else [])
        for name in next(iter(systems.values()))
    ]
    return header, rows


def differences(found: Report) -> tuple[list[str], list[list[str]]]:
    """Every difference with its interval, its test and what it could have shown."""
    header = ["measure", "from", "to", "difference", "p", "Holm", "wins/ties/losses", "reading"]
    rows = [
        [
            str(each.measure),
            each.first,
            each.second,
            signed(each.difference),
            DASH if each.p is None else f"{each.p:.4f}",
            DASH if each.p_holm is None else f"{each.p_holm:.4f}",
            f"{each.wins}/{each.ties}/{each.losses}",
            each.reading,
        ]
        for each in found.differences
    ]
    return header, rows


def signed(found: Estimate) -> str:
    """A difference and its interval, with their signs."""
    if found.value is None:
        return f"{DASH} ({found.reason})"
    if found.interval is None:
        return f"{found.value:+.3f}{without(found)}"
    lo, hi = found.interval
    return f"{found.value:+.3f} ({lo:+.3f} to {hi:+.3f})"


def budgets(found: Report) -> tuple[list[str], list[list[str]]]:
    """Recall at equal tokens and at equal k, system by system."""
    header = ["cut at", "system", "recall", "tokens", "passages"]
    rows = []
    for name, each in found.variants.items():
        for unit, points in (("token", each.at_tokens), ("passage", each.at_cutoffs)):
            for point in points:
                spent = DASH if point.tokens.value is None else f"{point.tokens.value:,.0f}"
                many = DASH if point.passages.value is None else f"{point.passages.value:.1f}"
                rows.append([counted(point.limit, unit), name, number(point.recall), spent, many])
    return header, rows


def _changed(found: Report) -> Iterator[str]:
    texts = found.basis.queries
    for two in found.twosomes:
        if not two.changed:
            continue
        yield ""
        yield f"Most changed on {found.lead} from {two.first} to {two.second}"
        for each in two.changed:
            text = short(texts[each.query_id].text, width=60)
            yield f"  {each.query_id}  {each.first:.3f} to {each.second:.3f}  {text}"
            yield f"    {two.first}: {', '.join(each.first_top) or DASH}"
            yield f"    {two.second}: {', '.join(each.second_top) or DASH}"


def sliced(found: Report) -> tuple[list[str], list[list[str]]]:
    """Every difference within each part of the queries."""
    header = ["measure", "from", "to", "part", "needs", "difference", ""]
    rows = [
        [
            str(each.measure),
            each.first,
            each.second,
            f"{part.name} {part.value}",
            f"{part.needs:,}",
            signed(part.difference),
            "too few to read" if part.small else "",
        ]
        for each in found.differences
        for part in each.slices
    ]
    return header, rows


def side_by_side(changed: Changed, labels: Mapping[str, int]) -> list[list[str]]:
    """Both rankings of a query, rank by rank, with what each passage is labelled."""
    return [
        [str(rank), *(_labelled(passage_id, labels) for passage_id in pair)]
        for rank, pair in enumerate(
            zip_longest(changed.first_top, changed.second_top, fillvalue=""), start=1
        )
    ]


def _labelled(passage_id: str, labels: Mapping[str, int]) -> str:
    grade = f" ({GRADES[labels[passage_id]]})" if labels.get(passage_id, -1) >= 0 else ""
    return f"{passage_id}{grade}"
