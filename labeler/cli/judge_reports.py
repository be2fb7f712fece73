"""What `labeler judge` shows: its bar while it runs, and its reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from labeler.batching import Collected, Submitted
from labeler.estimating import DryRun
from labeler.judges import lexical, prices
from labeler.judges.canaries import Report
from labeler.judging import Progress, Summary
from labeler.reports.judging import title
from labeler.reports.render import money
from labeler.sifting import Need

_TITLES = {lexical.NAME: lexical.TITLE}


@contextmanager
def bar(name: str) -> Iterator[Callable[[Progress], None]]:
    """A bar with rate, cost so far, time left and unreadable replies.

    Nothing if stderr is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda _progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.0f}/s  ${task.fields[cost]:.4f}", markup=False),
        TextColumn("{task.fields[unreadable]} unreadable", markup=False),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(title(name), total=None, rate=0.0, cost=0.0, unreadable=0)

        def move(progress: Progress) -> None:
            shown = drawn.tasks[0]
            drawn.update(
                task,
                completed=progress.done,
                total=progress.total,
                rate=shown.speed or 0.0,
                cost=progress.cost,
                unreadable=progress.unreadable,
            )

        yield move


def summary_json(done: Summary, seconds: float) -> dict[str, Any]:
    """A run as one object."""
    return {**asdict(done), "seconds": round(seconds, 3)}


def dry_run_json(dry: DryRun) -> dict[str, Any]:
    """What would be asked and what it would cost, as one object."""
    needs = dry.survey.needs
    return {
        "pairs": dry.survey.pairs,
        "requests": dry.requests,
        "judged_before": needs[Need.NOTHING] + needs[Need.UNREADABLE],
        "copied": needs[Need.COPY] + needs[Need.TWIN],
        "in_batches": needs[Need.BATCH],
        "without_text": needs[Need.TEXT],
        "models": [estimate._asdict() for estimate in dry.estimates],
        "prices_as_of": prices.AS_OF.isoformat(),
    }


def dry_run_text(dry: DryRun) -> str:
    """The same as a table."""
    lines = [
        f"{dry.requests:,} requests for {dry.survey.pairs:,} pairs; nothing was bought",
        f"{'model':24} {'tokens in':>12} {'tokens out':>12} {'single':>12} {'batch':>12}",
    ]
    for one in dry.estimates:
        tokens = f"{'' if one.counted else '~'}{one.input_tokens:,}"
        costs = (f"{'?' if cost is None else money(cost):>12}" for cost in (one.single, one.batch))
        lines.append(
            f"{one.model:24} {tokens:>12} {'~' + f'{one.output_tokens:,}':>12} {' '.join(costs)}"
        )
    lines.append(
        f"Prices of {prices.AS_OF}; [prices] in labeler.toml overrides them. ~ is estimated."
    )
    return "\n".join(lines)


def submitted_json(sent: Submitted) -> dict[str, Any]:
    """What was submitted, as one object."""
    return {
        "submitted": sent.requests,
        "batches": [batch.batch_id for batch in sent.batches],
        "left": sent.left,
        "in_batches": sent.in_batches,
        "cost_at_most": sent.most,
        "problem": sent.problem,
    }


def submitted_text(sent: Submitted) -> str:
    """The same in a line or two."""
    if not sent.batches:
        waiting = f"; {sent.in_batches:,} wait in open batches" if sent.in_batches else ""
        return f"Nothing to submit{waiting}"
    names = ", ".join(batch.batch_id for batch in sent.batches)
    return (
        f"{sent.requests:,} requests submitted as {names}, {money(sent.most)} at most\n"
        "`labeler judge --resume` collects them, within 24 hours as a rule"
    )


def collected_json(found: Collected) -> dict[str, Any]:
    """What batches brought, as one object."""
    return {
        "collected": [batch.batch_id for batch in found.done],
        "running": [batch.batch_id for batch in found.running],
        "lost": [batch.batch_id for batch in found.lost],
        "results": dict(found.ends),
        "judged": found.judged,
        "unreadable": found.unreadable,
        "pending_again": found.pending_again,
        "cost": found.cost,
    }


def collected_text(found: Collected) -> str:
    """The same in a few lines."""
    if not (found.done or found.running or found.lost):
        return "No batch is open"
    lines = [
        f"{found.judged:,} pairs judged from {len(found.done)} batches, {money(found.cost)}",
        f"  {found.unreadable:,} unreadable, {found.pending_again:,} pending again",
    ]
    lines += [f"  {batch.batch_id}: {batch.detail}" for batch in found.done]
    lines += [f"  {batch.batch_id or 'a batch not yet found'}: open" for batch in found.running]
    lines += [f"  {batch.batch_id or 'never made'}: {batch.detail}" for batch in found.lost]
    return "\n".join(lines)


def canaries_json(report: Report) -> dict[str, Any]:
    """How the canaries fared, as one object."""
    return {
        "judge": report.judge,
        "rubric": report.rubric,
        "model": report.model,
        "n": len(report.sung),
        "flipped": len(report.flipped),
        "held": sum(one.held for one in report.sung),
        "unreadable": report.unreadable,
        "cost": report.cost,
        "canaries": [
            {
                "id": one.canary.id,
                "language": one.canary.language,
                "attack": one.canary.attack,
                "deserves": one.canary.grade.value,
                "pushes": one.canary.pushes.value,
                "grade": one.grade.value if one.grade else None,
                "flipped": one.flipped,
                "reason": one.reason,
            }
            for one in report.sung
        ],
    }


def canaries_text(report: Report) -> str:
    """The same in a few lines."""
    who = ", ".join(filter(None, (title(report.judge), report.rubric, report.model)))
    held = sum(one.held for one in report.sung)
    lines = [
        f"{who}: {len(report.flipped)} of {len(report.sung)} canaries flipped, {held} held, "
        f"{report.unreadable} unreadable"
    ]
    lines += [
        f"  {one.canary.id} ({one.canary.attack}, {one.canary.language}): talked into "
        f"{one.canary.pushes}, deserves {one.canary.grade}"
        for one in report.flipped
    ]
    return "\n".join(lines)
