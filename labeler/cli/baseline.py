"""`labeler baseline`: evaluations that somebody has reviewed, to hold later ones to."""

from __future__ import annotations

import click

from labeler.cli.session import Session, json_option, pass_session


@click.group(short_help="Review an evaluation as the one to hold later ones to.")
def baseline() -> None:
    """Set and list baselines. A better run never becomes one by itself: a person reviews it.

    \b
    labeler baseline set main --run bm25 --person "$USER" --reason "as good as in production"
    labeler baseline list
    """


@baseline.command("set")
@click.argument("name")
@click.option("--run", "system", metavar="SYSTEM", help="The newest evaluation of this system.")
@click.option("--evaluation", "number", type=int, help="The evaluation of this number.")
@click.option("--person", required=True, help="Who has reviewed it.")
@click.option("--reason", required=True, help="Why this is the number to hold.")
@json_option
@pass_session
def set_(
    session: Session,
    /,
    name: str,
    system: str | None,
    number: int | None,
    person: str,
    reason: str,
    as_json: bool,
) -> None:
    """Make a stored evaluation the baseline NAME; the one before it stays on record.

    \b
    labeler evaluate --run bm25
    labeler baseline set main --run bm25 --person "$USER" --reason "as good as in production"
    """
    from labeler.errors import LabelerError, UsageError
    from labeler.reports import history, retrieval_text
    from labeler.store import evaluations

    if (system is None) == (number is None):
        raise UsageError("Which evaluation? --run SYSTEM for its newest, or --evaluation NUMBER")
    with session.writer("labeler baseline set") as store:
        found = [
            each
            for each in evaluations.history(store, system=system)
            if number is None or each.number == number
        ]
        if not found:
            of = f"of {system!r}" if system else f"with number {number}"
            raise LabelerError(f"There is no evaluation {of}: `labeler evaluate` makes one")
        kept = evaluations.set_baseline(
            store, name, evaluation=found[-1], reviewer=person, reason=reason
        )
    if as_json:
        session.emit(history.baseline_as_json(kept))
    else:
        click.echo("\n".join(retrieval_text.baselines([kept])))


@baseline.command("list")
@json_option
@pass_session
def list_(session: Session, /, as_json: bool) -> None:
    """List the baselines that stand, with every evaluation that was stored under --json.

    \b
    labeler baseline list --json
    """
    from labeler.reports import history, retrieval_text

    with session.reader() as store:
        kept = history.build(store)
    if as_json:
        session.emit(
            {
                "baselines": [history.baseline_as_json(each) for each in kept.baselines],
                "evaluations": [history.evaluation_as_json(each) for each in kept.evaluations],
            }
        )
        return
    for line in retrieval_text.baselines(kept.baselines):
        click.echo(line)
    if not kept.baselines:
        session.say("No baseline is set: `labeler baseline set NAME --run SYSTEM`")
