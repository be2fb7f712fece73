"""`labeler golden near-misses`: what runs find, people or a judge call relevant, and a golden set
lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from labeler.cli import ways
from labeler.cli.measuring import reading_option
from labeler.cli.session import Session, json_option, pass_session

if TYPE_CHECKING:
    from labeler.reports.near_misses import Report
    from labeler.store.db import Store


@click.command("near-misses", short_help="Propose what runs find and a golden set lacks.")
@click.argument("name", metavar="G[@V]")
@click.option(
    "--depth",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many of each run's top passages are pooled.",
)
@click.option(
    "--run", "systems", multiple=True, metavar="SYSTEM", help="May be given again. By default all."
)
@click.option("--judge", help="Whose YES is proposed; by default the newest judge's.")
@click.option("--rubric", metavar="NAME@V", help="The judge's rubric.")
@reading_option
@click.option(
    "--queue", metavar="NAME", help="Give what the judge proposes to people, as the list NAME."
)
@click.option("--by", default="", metavar="PERSON", help="Who queues them.")
@json_option
@pass_session
def near_misses(
    session: Session,
    /,
    name: str,
    depth: int,
    systems: tuple[str, ...],
    judge: str | None,
    rubric: str | None,
    reading: str,
    queue: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Pool the runs and say which relevant passages golden set G does not know, and how every
    run's measures would move. Nothing frozen changes: what people have labelled comes in with the
    next `labeler golden freeze`, what the judge calls YES is for people to label.

    \b
    labeler golden near-misses support
    labeler golden near-misses support --depth 10 --run bm25 --judge claude --json
    labeler golden near-misses support --queue second-look
    """
    from labeler import nearing
    from labeler.reports import near_misses as reports
    from labeler.reports import near_misses_text
    from labeler.stats.measures import Reading

    def found(store: Store) -> Report:
        return reports.build(
            store,
            name,
            systems=systems,
            depth=depth,
            judged=reports.chosen(store, judge=judge, rubric=rubric),
            reading=Reading(reading),
        )

    if queue is None:
        with session.progress("comparing texts"), session.reader() as store:
            report = found(store)
    else:
        with session.writer("labeler golden near-misses") as store:
            report = found(store)
            nearing.queue(store, report, queue, person=by)
    if as_json:
        session.emit(reports.as_json(report) | {"queue": queue})
        return
    click.echo("\n".join(near_misses_text.lines(report)))
    ways.point(session, "list of near misses", when=queue is None and report.by_judge)
    if queue is not None:
        session.say(f"{len(report.by_judge):,} pairs wait in the list {queue!r} on the Label page")
