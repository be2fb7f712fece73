"""`labeler rubric compare`, `confirm` and `judges`: the rubric workshop at the terminal."""

from __future__ import annotations

import click

from labeler.cli.session import Command, Session, json_option, pass_session


def _pair_options(command: Command) -> Command:
    for option in (
        json_option,
        click.option("--spotcheck", metavar="NAME", help="Only this spot check's pairs."),
        click.option("--model", help="Only verdicts of this model."),
        click.option("--judge", help="Only verdicts of this judge."),
        click.argument("second", metavar="B"),
        click.argument("first", metavar="A"),
    ):
        command = option(command)
    return command


_by = click.option("--by", default="", metavar="PERSON", help="Who looks.")


@click.command(short_help="Compare two rubric versions, judges or models.")
@_pair_options
@_by
@pass_session
def compare(
    session: Session,
    /,
    first: str,
    second: str,
    judge: str | None,
    model: str | None,
    spotcheck: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Compare A and B (rubrics, judges or models) on the same labelled pairs: fixed, broken,
    unchanged.

    Of a spot check, and of all labelled pairs once one has been drawn, only the pairs to tune on
    are looked at; `labeler rubric confirm` looks at those that are held out.

    \b
    labeler rubric compare strict@1 strict@2 --spotcheck first
    labeler rubric compare claude lexical --json
    """
    from labeler.reports import workshop, workshop_lines
    from labeler.stats.parts import Part

    with session.reader() as store:
        chosen = workshop.choose(
            store, first, second, judge=judge, model=model, spotcheck=spotcheck
        )
        part = workshop.default_part(store, chosen[1])
        made = workshop.build(store, *chosen) if part is Part.TUNE else None
    if made is None:
        with session.writer("labeler rubric compare") as store:
            made = workshop.confirm(store, *chosen, part=part, person=by)
    if as_json:
        session.emit(workshop_lines.as_json(made))
    else:
        click.echo("\n".join(workshop_lines.lines(made)))


@click.command(short_help="Look at the held-out pairs, once.")
@_pair_options
@_by
@pass_session
def confirm(
    session: Session,
    /,
    first: str,
    second: str,
    judge: str | None,
    model: str | None,
    spotcheck: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Ask the held-out pairs whether B is better than A. Each look is counted and kept.

    \b
    labeler rubric confirm strict@1 strict@2 --spotcheck first --by rita
    """
    from labeler.reports import workshop, workshop_lines

    with session.writer("labeler rubric confirm") as store:
        chosen = workshop.choose(
            store, first, second, judge=judge, model=model, spotcheck=spotcheck
        )
        made = workshop.confirm(store, *chosen, person=by)
    if as_json:
        session.emit(workshop_lines.as_json(made))
    else:
        click.echo("\n".join(workshop_lines.lines(made)))


@click.command(short_help="Every judge: decision and price; the cheapest that passes.")
@click.option("--spotcheck", metavar="NAME", help="Only this spot check's pairs.")
@json_option
@pass_session
def judges(session: Session, /, spotcheck: str | None, as_json: bool) -> None:
    """List every judge with the gate's decision and its price; the cheapest that passes stands out.

    \b
    labeler rubric judges --spotcheck first
    """
    from labeler.reports import judges as reports
    from labeler.reports import render
    from labeler.reports.workshop_lines import name, price

    with session.reader() as store:
        found = reports.candidates(store, spotcheck=spotcheck)
    if as_json:
        session.emit({"spotcheck": spotcheck, "judges": [reports.as_json(one) for one in found]})
        return
    rows = [
        (
            "*" if one.stands_out else "",
            name(one.selection),
            str(one.decision),
            f"{one.disagreements:,} of {one.n:,}",
            price(one.price),
        )
        for one in found
    ]
    if not found:
        session.say("No judge yet: `labeler judge`, `labeler import verdicts FILE --judge NAME`")
        return
    click.echo("\n".join(render.table(("", "judge", "gate", "disagree", "price"), rows)))
    if found[0].stands_out:
        click.echo("* the cheapest that passes")
