"""What to label next, as text for the terminal, tables for the page, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labeler.planning import Plan
from labeler.reports.corrected import shown
from labeler.reports.render import DASH, counted, judge_name, table
from labeler.reports.retrieval import ends
from labeler.stats.outlook import Needed, Step

Table = tuple[list[str], list[list[str]]]
"""A header and rows."""

SHOWN = 20
"""Queries that the terminal lists; the JSON has them all."""


def lines(plan: Plan, *, name: str = "") -> Iterator[str]:
    """A plan for the terminal; `name` is that of the list where it was drawn."""
    yield f"{name}: {said(plan)}" if name else f"Not drawn: {said(plan)}"
    yield how(plan)
    yield ""
    yield f"{standing(plan)}."
    if needed := settled(plan):
        yield f"{needed}."
    yield ""
    yield from table(*steps(plan))
    yield ""
    yield from table(*queries(plan))
    if len(plan.chosen) > SHOWN:
        yield f"and {len(plan.chosen) - SHOWN:,} more"


def number_of(plan: Plan) -> str:
    """What the labels are for: `R@5 of bm25`, or `R@5 of reranked minus bm25`."""
    return f"{plan.measured} of {' minus '.join(reversed(plan.systems))}"


def said(plan: Plan) -> str:
    """How much is to label, and for what."""
    many = counted(len(plan.chosen), "query", plural="queries")
    of = f"{number_of(plan)}, {plan.reading} reading"
    return f"{many} and {counted(plan.labels, 'label')} for {of}, seed {plan.seed}"


def how(plan: Plan) -> str:
    """How the queries are drawn."""
    who = judge_name(plan.judged.judge, plan.judged.rubric, plan.judged.model)
    beside = f" and {counted(len(plan.judges), 'other judge')}" if plan.judges else ""
    text = (
        f"Drawn by chance from {counted(plan.open.units, 'query', plural='queries')} not labelled "
        f"for it: the more often, the further people may be from {who}, by what it{beside} said, "
        "and the fewer labels a query costs."
    )
    if plan.before:
        before = counted(len(plan.before), "query", plural="queries")
        text += f" The {before} labelled before count as drawn at random."
    return text


def standing(plan: Plan) -> str:
    """The number as it stands, and what the list is expected to do to it."""
    now, outlook = plan.now, plan.outlook
    signed = len(plan.systems) == 2
    if outlook.half_width is None:
        text = f"{number_of(plan)} is not known yet: {now.why}"
    else:
        text = f"{number_of(plan)} is {shown(now.corrected, sign=signed)}, corrected"
        text += f", with {counted(now.labelled, 'labelled query', plural='labelled queries')}"
    if after := plan.after:
        was = "" if outlook.half_width is None else f" instead of {outlook.half_width:.3f}"
        text += f"; with this list +- {after.half_width:.3f} is expected{was}"
    return text


def settled(plan: Plan) -> str:
    """How many labels settle the question; "" where none was asked."""
    needed = plan.outlook.needed
    if needed is None:
        return ""
    if len(plan.systems) == 2:
        asked = f"Which of {' and '.join(plan.systems)} has more {plan.measured}"
    else:
        asked = f"Whether {plan.measured} of {plan.systems[0]} is over {plan.target:g}"
    return f"{asked}: {_needed(needed, plan)}"


def _needed(needed: Needed, plan: Plan) -> str:
    if needed.queries is None or needed.labels is None:
        return needed.reason
    if needed.queries:
        many = counted(needed.queries, "more query", plural="more queries")
        return f"about {many} ({counted(needed.labels, 'label')}), if the value stays where it is"
    value, target = plan.now.corrected.value, plan.target
    assert value is not None
    assert target is not None
    if len(plan.systems) == 2:
        return f"settled, it is {plan.systems[1] if value > target else plan.systems[0]}"
    return f"settled, it is {'over' if value > target else 'under'}"


def steps(plan: Plan) -> Table:
    """The interval that is expected of more queries."""
    header = ["more queries", "labels", "interval, +-"]
    half = plan.outlook.half_width
    now = ["0", "0", DASH if half is None else f"{half:.3f}"]
    rows = [
        [f"{each.queries:,}", f"{each.labels:,}", f"{each.half_width:.3f}"]
        for each in plan.outlook.steps
    ]
    return header, [now, *rows]


def queries(plan: Plan) -> Table:
    """The first queries to label."""
    rows = [
        [each.query_id, f"{len(each.passages):,}", f"{each.chance:.3f}"]
        for each in plan.chosen[:SHOWN]
    ]
    return ["query", "labels", "chance"], rows


def as_json(plan: Plan) -> dict[str, Any]:
    """The plan as one object: every undefined number is null with a reason beside it."""
    outlook, needed = plan.outlook, plan.outlook.needed
    return {
        "runs": list(plan.systems),
        "measure": str(plan.measured),
        "reading": str(plan.reading),
        "judge": plan.judged.judge,
        "rubric": plan.judged.rubric,
        "model": plan.judged.model,
        "other_judges": list(plan.judges),
        "seed": plan.seed,
        "queries": [
            {"query_id": each.query_id, "chance": each.chance, "labels": len(each.passages)}
            for each in plan.chosen
        ],
        "labels": plan.labels,
        "unlabelled_queries": plan.open.units,
        "labels_a_query": plan.open.cost,
        "worth": 1 / plan.open.gain,
        "counted_as_random": len(plan.before),
        "value": plan.now.corrected.value,
        "interval": ends(plan.now.corrected),
        "undefined": plan.now.corrected.reason,
        "labelled_queries": plan.now.labelled,
        "weight": plan.now.weight if plan.now.labelled else None,
        "half_width": outlook.half_width,
        "foretold": outlook.foretold,
        "expected": [_step(each) for each in outlook.steps],
        "after": None if plan.after is None else _step(plan.after),
        "target": plan.target,
        "needed": None if needed is None else needed._asdict(),
    }


def _step(step: Step) -> dict[str, Any]:
    return step._asdict()
