"""`labeler pool` and `labeler spotcheck`.

The candidates, and the sample of them that people check.
"""

from __future__ import annotations

import click

from labeler.cli.session import Session, json_option, pass_session
from labeler.errors import LabelerError


@click.command(short_help="Make the runs' top passages the candidates.")
@click.option(
    "--depth",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many passages of each ranking.",
)
@json_option
@pass_session
def pool(session: Session, /, depth: int, as_json: bool) -> None:
    """Make the union of the runs' top passages the candidates that a judge grades.

    Candidates of an earlier pool stay.

    \b
    labeler pool --depth 20
    """
    from labeler.reports.render import counted
    from labeler.store import runs

    with session.writer("labeler pool") as store:
        systems = [run.system for run in runs.current(store)]
        if not systems:
            raise LabelerError("There is no run to pool: `labeler import run` brings one")
        done = runs.pool(store, depth=depth)
    if as_json:
        session.emit({"depth": depth, "systems": systems, "pairs": done.read, "added": done.added})
    else:
        pairs, of = counted(done.read, "pair"), counted(len(systems), "run")
        click.echo(f"{pairs} to depth {depth} of {of}, {done.added:,} new")


@click.group(short_help="Draw the sample that people check, and see how far it is.")
def spotcheck() -> None:
    """Draw the sample that people check, and see how far it is.

    \b
    labeler spotcheck draw first --judge my-judge
    labeler spotcheck list
    """


@spotcheck.command()
@click.argument("name")
@click.option(
    "--n",
    default=30,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many pairs; more than there are means all.",
)
@click.option("--judge", help="Whose verdicts to draw from; by default the newest judge.")
@click.option("--rubric", metavar="NAME@V", help="Under which rubric; by default the newest.")
@click.option("--model", help="Of which model; by default the newest.")
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**63 - 1),
    help="The same seed draws the same pairs.",
)
@click.option(
    "--per-verdict",
    default=5,
    show_default=True,
    type=click.IntRange(min=0),
    help="At least so many of each verdict, where there are.",
)
@click.option(
    "--overlap",
    default=1,
    show_default=True,
    type=click.IntRange(min=1, max=50),
    help="How many people label each pair.",
)
@json_option
@pass_session
def draw(
    session: Session,
    /,
    name: str,
    n: int,
    judge: str | None,
    rubric: str | None,
    model: str | None,
    seed: int,
    per_verdict: int,
    overlap: int,
    as_json: bool,
) -> None:
    """Draw a spot check by verdict: at least 5 of each, the rest in proportion.

    \b
    labeler spotcheck draw first --n 30 --judge claude
    labeler spotcheck draw pairs --overlap 2      each pair from two people
    """
    from labeler import drawing
    from labeler.reports import agreement
    from labeler.store import spotchecks

    with session.writer("labeler spotcheck draw") as store:
        judged = agreement.choose(store, judge=judge, rubric=rubric, model=model)
        check = drawing.draw(
            store,
            name,
            judged=judged,
            n=n,
            seed=seed,
            per_verdict=per_verdict,
            overlap=overlap,
        )
        strata = spotchecks.strata(store, check.name)
    if as_json:
        session.emit(
            {
                "spotcheck": check.name,
                "n": check.n,
                "seed": check.seed,
                "judge": check.judge,
                "rubric": check.rubric,
                "model": check.model,
                "overlap": check.overlap,
                "strata": [stratum._asdict() for stratum in strata],
            }
        )
        return
    click.echo(f"{check.n:,} pairs drawn from the verdicts of {check.judge}, seed {check.seed}")
    for stratum in strata:
        click.echo(f"  {stratum.stratum:<5} {stratum.drawn:>4,} of {stratum.size:>7,}")


@spotcheck.command("list")
@json_option
@pass_session
def list_(session: Session, /, as_json: bool) -> None:
    """List each spot check and how far it is.

    \b
    labeler spotcheck list --json
    """
    from labeler.reports import render
    from labeler.store import spotchecks, tasks

    with session.reader() as store:
        found = [(check, tasks.overall(store, check.name)) for check in spotchecks.history(store)]
    if as_json:
        checks = [check._asdict() | overall._asdict() for check, overall in found]
        session.emit({"spotchecks": checks})
        return
    for check, overall in found:
        name = render.judge_name(check.judge, check.rubric, check.model)
        click.echo(f"{check.name:<20} {overall.done:>5,} of {overall.wanted:>5,} labels  {name}")
