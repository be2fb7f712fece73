"""`labeler agreement`, `gate` and `disagreements`: one report, three ways to read it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from labeler.cli import ways
from labeler.cli.session import Command, Number, Session, json_option, pass_session
from labeler.model import Decision
from labeler.reports import agreement as reports
from labeler.reports import render
from labeler.stats.evidence import LEAST_THRESHOLD, THRESHOLD
from labeler.store.comparison import READINGS, SLICES

EXIT = {Decision.TRUSTED: 0, Decision.REJECTED: 4, Decision.UNDECIDED: 5}


def selection_options(command: Command) -> Command:
    """The options by which a command says which judge is compared with whom."""
    options = (
        click.option("--judge", help="The judge; by default the newest, or the spot check's."),
        click.option("--rubric", metavar="NAME@V", help="Its rubric; by default the newest."),
        click.option("--model", help="Its model; by default the newest."),
        click.option("--spotcheck", metavar="NAME", help="Only this spot check's pairs."),
        click.option("--annotator", metavar="NAME", help="Only this person's labels."),
        click.option(
            "--labels",
            type=click.Choice(tuple(READINGS)),
            help="Blind labels, adjudicated grades, or both: what was settled counts first "
            "[default: both].",
        ),
        click.option(
            "--threshold",
            type=Number(LEAST_THRESHOLD, 1, max_open=True),
            default=THRESHOLD,
            show_default=True,
            help="The disagreement that is still acceptable.",
        ),
        click.option(
            "--by",
            multiple=True,
            type=click.Choice(SLICES),
            help="Slices to show; may be given again. By default all.",
        ),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


def _report(
    session: Session, *, threshold: float, by: tuple[str, ...], **asked: str | None
) -> reports.Report:
    with session.progress("comparing labels and verdicts"), session.reader() as store:
        selection = reports.choose(store, **asked)
        return reports.build(store, selection, threshold=threshold, by=by or reports.DEFAULT_SLICES)


def _point(session: Session, report: reports.Report) -> None:
    """How held-out pairs are drawn and looked at, where the decision waits for that."""
    waits = report.confirmed.before and report.gate.decision is Decision.UNDECIDED
    ways.point(session, "held-out pairs", when=waits)


@click.command(short_help="Compare a judge with people.")
@selection_options
@pass_session
def agreement(session: Session, /, as_json: bool, **options: Any) -> None:
    """Compare a judge's verdicts with people's labels on the same pairs.

    \b
    labeler agreement --judge claude --spotcheck first
    labeler agreement --judge my-judge --by kind --json
    """
    report = _report(session, **options)
    if as_json:
        session.emit(reports.as_json(report))
    else:
        click.echo("\n".join(render.agreement(report)))
        _point(session, report)


@click.command(short_help="Decide whether a judge may be trusted.")
@selection_options
@click.pass_context
def gate(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Decide whether a judge may be trusted: exit code 0 TRUSTED, 4 REJECTED, 5 UNDECIDED.

    \b
    labeler gate --judge claude --spotcheck first && echo "release it"
    """
    session = ctx.ensure_object(Session)
    report = _report(session, **options)
    if as_json:
        session.emit(reports.as_json(report))
    else:
        click.echo(report.gate.sentence)
        for reason in report.gate.reasons:
            click.echo(f"  - {reason}")
        _point(session, report)
    ctx.exit(EXIT[report.gate.decision])


@click.command(short_help="List the pairs on which judge and people differ.")
@selection_options
@pass_session
def disagreements(
    session: Session, /, as_json: bool, threshold: float, by: tuple[str, ...], **asked: str | None
) -> None:
    """List the pairs on which the judge and people differ, the widest differences first.

    \b
    labeler disagreements --judge claude --spotcheck first --json
    """
    with session.reader() as store:
        selection = reports.choose(store, **asked)
        cases = reports.cases(store, selection)
        if as_json:
            rows = map(reports.case_as_json, cases)
            session.emit_rows(asdict(selection), "disagreements", rows)
            return
        listed = 0
        for case in cases:
            listed += 1
            click.echo("\n".join(render.case(case)) + "\n")
    name = render.judge_name(selection.judge, selection.rubric, selection.model)
    session.say(f"{render.counted(listed, 'disagreement')} of {name} with people")
