"""`labeler spotcheck next`: the queries to label next for the number that matters."""

from __future__ import annotations

import click

from labeler.cli.measuring import golden_option, reading_option
from labeler.cli.session import Number, Session, json_option, pass_session, seed_option


@click.command("next")
@click.argument("name")
@click.option(
    "--run",
    "systems",
    multiple=True,
    required=True,
    metavar="SYSTEM",
    help="Whose number; twice for the difference, the second less the first.",
)
@click.option("--measure", default="R@5", show_default=True, help="The measure that matters.")
@click.option(
    "--queries",
    default=10,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="How many queries to label next.",
)
@click.option(
    "--target", type=Number(0, 1), help="How many labels until the number is known to be over?"
)
@click.option("--judge", help="Whose verdicts are corrected; by default the newest judge.")
@click.option("--rubric", metavar="NAME@V", help="Under which rubric; by default the newest.")
@click.option("--model", help="Of which model; by default the newest.")
@reading_option
@golden_option
@seed_option("queries")
@click.option(
    "--on-purpose",
    is_flag=True,
    help="What is labelled so far was picked by hand: it stands for itself alone.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be drawn, and draw nothing.")
@json_option
@pass_session
def next_(
    session: Session,
    /,
    name: str,
    systems: tuple[str, ...],
    measure: str,
    queries: int,
    target: float | None,
    judge: str | None,
    rubric: str | None,
    model: str | None,
    reading: str,
    golden: str | None,
    seed: int,
    on_purpose: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Draw the queries whose labels narrow the interval of one number the most, as list NAME for
    the Label page, and say how many more settle a question.

    \b
    labeler spotcheck next monday --run bm25 --measure R@5 --target 0.80
    labeler spotcheck next tuesday --run bm25 --run reranked --queries 20 --dry-run
    """
    from labeler import planning
    from labeler.reports import agreement, plans
    from labeler.stats import measures

    asked = measures.measure(measure)
    opened = session.reader() if dry_run else session.writer("labeler spotcheck next")
    with session.progress("planning"), opened as store:
        planned = planning.plan(
            store,
            systems=systems,
            measured=asked,
            judged=agreement.choose(store, judge=judge, rubric=rubric, model=model),
            reading=measures.Reading(reading),
            n=queries,
            seed=seed,
            target=target,
            golden=golden,
            at_random=not on_purpose,
        )
        if not dry_run:
            planning.draw(store, name, planned)
    if as_json:
        session.emit({"spotcheck": None if dry_run else name, **plans.as_json(planned)})
        return
    click.echo("\n".join(plans.lines(planned, name="" if dry_run else name)))
