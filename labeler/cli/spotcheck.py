"""`labeler pool` and `labeler spotcheck`.

The candidates, and the sample of them that people check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from labeler.cli.next_labels import next_
from labeler.cli.session import Command, Session, json_option, pass_session, seed_option
from labeler.errors import LabelerError

if TYPE_CHECKING:
    from labeler.store.spotchecks import SpotCheck


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

    with session.progress("pooling"), session.writer("labeler pool") as store:
        systems = runs.systems(store)
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
@seed_option("pairs")
@click.option(
    "--per-verdict",
    default=5,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    help="At least so many of each verdict, where there are.",
)
@click.option(
    "--overlap",
    default=1,
    show_default=True,
    type=click.IntRange(min=1, max=50),
    help="How many people label each pair.",
)
@click.option(
    "--held-out",
    is_flag=True,
    help="Fresh pairs to confirm a rubric on: held out, and labelled by nobody.",
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
    held_out: bool,
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

    with session.progress("drawing"), session.writer("labeler spotcheck draw") as store:
        judged = agreement.choose(store, judge=judge, rubric=rubric, model=model)
        check = drawing.draw(
            store,
            name,
            judged=judged,
            n=n,
            seed=seed,
            per_verdict=per_verdict,
            overlap=overlap,
            held_out=held_out,
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


def _handed_out(many: str) -> Callable[[Command], Command]:
    """The options of a command that hands people pairs: how `many`, and which."""
    n = click.option("--n", default=5, show_default=True, type=click.IntRange(min=1), help=many)
    return lambda command: n(seed_option("pairs")(json_option(command)))


@spotcheck.command()
@click.argument("name")
@_handed_out("How many pairs each person sees again, at most.")
@pass_session
def again(session: Session, /, name: str, n: int, seed: int, as_json: bool) -> None:
    """Hand people some pairs again that they labelled an hour ago or earlier.

    They come on the Label page after everything else, without the earlier answer; the Consistency
    page says how steady each person is.

    \b
    labeler spotcheck again first --n 5
    """
    from labeler.store import repeats

    with session.writer("labeler spotcheck again") as store:
        made = repeats.draw(store, name, n=n, seed=seed)
    if as_json:
        session.emit({"spotcheck": name, "people": len(made)})
        return
    click.echo(f"{len(made):,} people will see up to {n:,} of their pairs of {name} again")


@spotcheck.command("warm-up")
@click.argument("annotator")
@_handed_out("How many settled pairs, at most.")
@pass_session
def warm_up(session: Session, /, annotator: str, n: int, seed: int, as_json: bool) -> None:
    """Hand somebody pairs that reviewers have settled, before all other work.

    The Consistency page says how far they are from what was settled.

    \b
    labeler spotcheck warm-up anna --n 5
    """
    from labeler.store import repeats

    with session.writer("labeler spotcheck warm-up") as store:
        made = repeats.warm_up(store, annotator, n=n, seed=seed)
    if as_json:
        session.emit({"spotcheck": made, "annotator": annotator})
        return
    click.echo(f"{annotator} will label up to {n:,} settled pairs first")


@spotcheck.command("list")
@json_option
@pass_session
def list_(session: Session, /, as_json: bool) -> None:
    """List each spot check, and each list of what to label, and how far it is.

    \b
    labeler spotcheck list --json
    """
    from labeler.reports import render
    from labeler.store import spotchecks, tasks

    with session.reader() as store:
        found = [(c, tasks.overall(store, c.name)) for c in spotchecks.for_everybody(store)]
    if as_json:
        checks = [
            check._asdict() | overall._asdict() | {"kind": _kind(check)} for check, overall in found
        ]
        session.emit({"spotchecks": checks})
        return
    for check, overall in found:
        name = render.judge_name(check.judge, check.rubric, check.model)
        kind = "" if check.n else ", a list"
        click.echo(
            f"{check.name:<20} {overall.done:>5,} of {overall.wanted:>5,} labels  {name}{kind}"
        )
    if not found:
        session.say("No spot check yet: `labeler spotcheck draw NAME`")


def _kind(check: SpotCheck) -> str:
    """Whether its pairs were drawn as a sample of the verdicts, or chosen as a list."""
    return "sample" if check.n else "list"


spotcheck.add_command(next_)
