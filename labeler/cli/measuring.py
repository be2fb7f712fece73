"""What the commands that measure runs share: their options, and the correction for a judge's
errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from labeler.cli.session import Command

if TYPE_CHECKING:
    from labeler.reports.corrected import Report
    from labeler.store.db import Store

SLICES = ("kind", "origin", "scope", "split")


golden_option = click.option(
    "--golden", metavar="G[@V]", help="The golden set; by default the newest, else settled labels."
)
reading_option = click.option(
    "--reading",
    type=click.Choice(("strict", "lenient")),
    default="strict",
    show_default=True,
    help="strict: YES is relevant; lenient: YES or PART.",
)
k_option = click.option(
    "--k",
    "ks",
    multiple=True,
    type=click.IntRange(1, 10_000),
    help="A cutoff; may be given again. By default the standard measures.",
)
no_baseline_option = click.option(
    "--no-baseline",
    is_flag=True,
    help="Leave the built-in BM25 out, which takes reading all texts.",
)
by_option = click.option(
    "--by",
    multiple=True,
    type=click.Choice(SLICES),
    help="Slices to show; may be given again. By default all.",
)


def corrected_options(command: Command) -> Command:
    """--corrected, and which judge it is about."""
    for option in (
        click.option("--model", metavar="MODEL", help="Its model."),
        click.option("--rubric", metavar="R@V", help="Its rubric."),
        click.option(
            "--judge", metavar="JUDGE", help="With --corrected: whose verdicts; else the newest."
        ),
        click.option(
            "--corrected",
            is_flag=True,
            help="Also by a judge's verdicts on all queries, corrected by people's labels on some.",
        ),
    ):
        command = option(command)
    return command


def correct(
    store: Store,
    systems: Sequence[str],
    *,
    corrected: bool,
    judge: str | None,
    rubric: str | None,
    model: str | None,
    golden: str | None,
    ks: Sequence[int],
    reading: str,
    depth: int | None = None,
) -> Report | None:
    """The corrected numbers where they are asked for. Raises UsageError for a judge without."""
    from labeler.errors import UsageError
    from labeler.reports import corrected as reports
    from labeler.stats.measures import Reading

    if not corrected:
        if judge or rubric or model:
            raise UsageError("What is the judge for? It goes with --corrected")
        return None
    return reports.build(
        store,
        systems,
        judge=judge,
        rubric=rubric,
        model=model,
        golden=golden,
        ks=ks,
        reading=Reading(reading),
        depth=depth,
    )


def as_json(found: Report | None) -> dict[str, Any]:
    """`corrected`, null where it was not asked for."""
    from labeler.reports import corrected as reports

    return {"corrected": None if found is None else reports.as_json(found)}
