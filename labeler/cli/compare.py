"""`labeler compare` and `triage`: variants side by side, and what failed where."""

from __future__ import annotations

from typing import Any

import click

from labeler.cli.measuring import (
    SLICES,
    by_option,
    correct,
    corrected_options,
    golden_option,
    k_option,
    no_baseline_option,
    reading_option,
)
from labeler.cli.measuring import as_json as corrected_json
from labeler.cli.session import Session, json_option, pass_session


@click.command(short_help="Compare variants: measures, tests, costs.")
@click.option("--run", "systems", multiple=True, required=True, metavar="SYSTEM", help="Repeat it.")
@golden_option
@k_option
@reading_option
@by_option
@no_baseline_option
@corrected_options
@json_option
@pass_session
def compare(
    session: Session,
    /,
    systems: tuple[str, ...],
    golden: str | None,
    ks: tuple[int, ...],
    reading: str,
    by: tuple[str, ...],
    no_baseline: bool,
    as_json: bool,
    **corrected: Any,
) -> None:
    """Compare systems on the same queries: every measure, what a difference is worth, and recall at
    equal k and at equal tokens.

    \b
    labeler compare --run bm25 --run fusion
    labeler compare --run base --run reranked --golden support --k 5 --json
    labeler compare --run base --run reranked --corrected --judge claude
    """
    from labeler.reports import corrected_text, variants, variants_text
    from labeler.stats.measures import Reading

    with session.progress("comparing"), session.reader() as store:
        report = variants.build(
            store,
            systems,
            golden=golden,
            ks=ks,
            reading=Reading(reading),
            by=by or SLICES,
            baseline=not no_baseline,
        )
        found = correct(store, systems, golden=golden, ks=ks, reading=reading, **corrected)
    if as_json:
        session.emit({**variants.as_json(report), **corrected_json(found)})
        return
    click.echo("\n".join(variants_text.comparison(report, parts=bool(by))))
    if found is not None:
        click.echo("\n" + "\n".join(corrected_text.section(found)))


@click.command(short_help="Tell failures of the search from failures of the answer.")
@click.option("--query", metavar="Q", help="The query's id.")
@click.option("--all", "every", is_flag=True, help="Every golden query; failures are listed.")
@click.option("--run", "system", metavar="SYSTEM", help="Whose run; by default the newest.")
@golden_option
@click.option(
    "--k", type=click.IntRange(1), default=8, show_default=True, help="Passages in the context."
)
@reading_option
@json_option
@pass_session
def triage(
    session: Session,
    /,
    query: str | None,
    every: bool,
    system: str | None,
    golden: str | None,
    k: int,
    reading: str,
    as_json: bool,
) -> None:
    """Say of a failed query whether the right passage never reached the context (RETRIEVAL) or was
    there (GENERATION), and what to do next. One query is written as the text for a ticket.

    \b
    labeler triage --query q17 --run bm25
    labeler triage --all --run bm25 --k 5 --json
    """
    from labeler.errors import UsageError
    from labeler.reports import retrieval_text
    from labeler.reports import triage as reports
    from labeler.stats.measures import Reading

    if every == (query is not None):
        raise UsageError("Which query? --query Q, or --all for every one")
    with session.progress("reading rankings"), session.reader() as store:
        report = reports.build(
            store, query=query, system=system, golden=golden, k=k, reading=Reading(reading)
        )
    if as_json:
        session.emit(reports.as_json(report))
    else:
        click.echo("\n".join(retrieval_text.triaged(report, whole=query is not None)))
