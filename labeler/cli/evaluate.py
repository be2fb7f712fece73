"""`labeler evaluate`: what a retriever finds, and whether that is enough."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

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
from labeler.cli.session import Number, Session, json_option
from labeler.errors import UsageError

if TYPE_CHECKING:
    from labeler.reports.corrected import Report as Corrected
    from labeler.reports.gates import Check
    from labeler.reports.retrieval import Report
    from labeler.store.db import Store

FAILED = 4
"""The exit code when a gate fails."""

BARRED = ("unauthorised", "out_of_date")
"""What must not come back, and may be held to 0."""


@contextmanager
def _open(session: Session) -> Iterator[Store]:
    """The store for writing; where the app holds it, its copy for reading."""
    from labeler.errors import StoreBusy

    if not session.db.exists():  # a reader says what to do, a writer would make an empty file
        with session.reader() as store:
            yield store
        return
    with ExitStack() as stack:
        try:
            store = stack.enter_context(session.writer("labeler evaluate"))
        except StoreBusy:
            store = stack.enter_context(session.reader())
        yield store


@click.command(short_help="Measure a retriever against a golden set.")
@click.option("--run", "system", required=True, metavar="SYSTEM", help="Whose run is measured.")
@golden_option
@k_option
@reading_option
@by_option
@click.option("--depth", type=click.IntRange(1), help="How many passages the run was asked for.")
@click.option("--retriever", metavar="CMD", help="Run this program first; its run is SYSTEM's.")
@click.option("--top-n", type=click.IntRange(1), default=20, show_default=True, help="For CMD.")
@click.option("--note", default="", help="What was changed in CMD's run: one thing at a time.")
@no_baseline_option
@click.option(
    "--fail-under", "floors", multiple=True, metavar="M=X", help="Exit 4 if M is below X: R@5=0.80."
)
@click.option("--baseline", metavar="NAME", help="A reviewed baseline to hold the run to.")
@click.option("--max-drop", type=Number(0, 1), help="Exit 4 if a measure drops by more. [0]")
@click.option(
    "--fail-on",
    "none_of",
    multiple=True,
    type=click.Choice(BARRED),
    help="Exit 4 if any such passage came back; may be given again. With a floor or a baseline "
    "both are held to 0 anyway.",
)
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    type=click.Choice(BARRED),
    help="Do not hold these to 0.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit's XML for a build.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a pull request's comment.")
@click.option(
    "--held-out",
    metavar="PURPOSE",
    help="Measure the held-out queries alone; each look is counted.",
)
@corrected_options
@json_option
@click.pass_context
def evaluate(
    ctx: click.Context,
    /,
    as_json: bool,
    floors: tuple[str, ...],
    junit: Path | None,
    markdown: Path | None,
    **options: Any,
) -> None:
    """Measure a system's run against a golden set, and keep the evaluation in the history.

    CMD gets a JSON line a query on standard input (query_id, query, top_n, scope, as_of) and prints
    a JSON line a result (query_id, passage_id, and a rank, a score or both). "bm25 baseline" names
    the built-in keyword search.

    \b
    labeler evaluate --run bm25
    labeler evaluate --run fusion --golden support@2 --k 5 --k 20 --by kind --json
    labeler evaluate --run mine --retriever "python search.py" --note "bigger passages"
    labeler evaluate --run mine --fail-under R@5=0.80 --baseline main --max-drop 0.02
    labeler evaluate --run mine --corrected --judge claude --rubric relevance@1
    """
    from labeler.reports import corrected_text, gates, retrieval, retrieval_text

    session = ctx.ensure_object(Session)
    top_n = ctx.get_parameter_source("top_n") is not ParameterSource.DEFAULT
    if options["retriever"] is None and (top_n or options["note"]):
        name = "--top-n" if top_n else "--note"
        raise UsageError(f"{name} is for a program's run: name the program with --retriever CMD")
    report, checks, corrected = _evaluate(session, floors, **options)
    _summarise(report, checks, junit=junit, markdown=markdown)
    if as_json:
        told = corrected_json(corrected)
        session.emit({**retrieval.as_json(report), **told, **gates.as_json(checks)})
    else:
        click.echo(str(report))
        if corrected is not None:
            click.echo("\n" + "\n".join(corrected_text.section(corrected)))
        if checks:
            click.echo("\n" + "\n".join(retrieval_text.checks(checks)))
    ctx.exit(0 if all(check.passed for check in checks) else FAILED)


def _evaluate(
    session: Session,
    floors: tuple[str, ...],
    *,
    system: str,
    golden: str | None,
    ks: tuple[int, ...],
    reading: str,
    by: tuple[str, ...],
    depth: int | None,
    retriever: str | None,
    top_n: int,
    note: str,
    no_baseline: bool,
    baseline: str | None,
    max_drop: float | None,
    none_of: tuple[str, ...],
    allowed: tuple[str, ...],
    held_out: str | None,
    **judged: Any,
) -> tuple[Report, list[Check], Corrected | None]:
    """The report, what is held against it, and its correction for a judge's errors if asked for;
    kept in the history where the store is ours."""
    from labeler.reports import gates, history, retrieval
    from labeler.stats.measures import Reading
    from labeler.store import evaluations

    if max_drop is not None and baseline is None:
        raise UsageError("A drop from what? Name a reviewed baseline with --baseline NAME")
    if held_out is not None and judged["corrected"]:
        raise UsageError("What is held out is left out of --corrected: leave out one of the two")
    asked = [gates.floor(text) for text in floors]
    with session.progress("measuring"), _open(session) as store:
        held = None if baseline is None else evaluations.baseline(store, baseline)
        extra = [each.measure for each in asked]
        if held is not None:
            from labeler.stats.measures import measure

            extra += [measure(name) for name in held.evaluation.measures]
        if retriever is not None:
            _retrieve(store, retriever, system=system, golden=golden, top_n=top_n, note=note)
        if held_out is not None:
            _look(session, store, golden, purpose=held_out)
        report = retrieval.build(
            store,
            system,
            golden=golden,
            held_out=held_out is not None,
            ks=ks,
            extra=extra,
            reading=Reading(reading),
            by=by or SLICES,
            depth=depth,
            baseline=not no_baseline,
        )
        corrected = correct(
            store, [system], golden=golden, ks=ks, reading=reading, depth=depth, **judged
        )
        if store.read_only:
            session.say("Not kept in the history: another process holds the store")
        else:
            history.keep(store, report, person=getpass.getuser())
    barred = BARRED if asked or held is not None else none_of
    checks = gates.check(
        report,
        floors=asked,
        baseline=held,
        max_drop=max_drop or 0.0,
        none_of=[name for name in barred if name not in allowed],
    )
    return report, checks, corrected


def _look(session: Session, store: Store, golden: str | None, *, purpose: str) -> None:
    """Count a look at held-out queries before anything of it is shown."""
    from labeler.errors import StoreBusy
    from labeler.reports import basis
    from labeler.store import holdouts

    if store.read_only:
        raise StoreBusy(f"{store.path.name} is held by the app: the look cannot be counted now")
    ref = basis.read(store, golden, held_out=True).ref.removesuffix(basis.HELD_OUT)
    look = holdouts.look(store, ref, purpose=purpose, person=getpass.getuser())
    session.say(f"Look {look} at the queries that {ref} holds out")


def _retrieve(
    store: Store, command: str, *, system: str, golden: str | None, top_n: int, note: str
) -> None:
    from labeler import retrieving
    from labeler.errors import StoreBusy
    from labeler.reports import basis

    if store.read_only:
        raise StoreBusy(f"{store.path.name} is held by the app: its run cannot be stored now")
    asked = retrieving.run_command(command, basis.everything(store, golden), top_n=top_n)
    retrieving.keep_run(store, asked, system=system, top_n=top_n, command=command, note=note)


def _summarise(
    report: Report, checks: list[Check], *, junit: Path | None, markdown: Path | None
) -> None:
    from labeler import formats
    from labeler.reports import summaries

    for path, write in ((junit, summaries.junit), (markdown, summaries.markdown)):
        if path is not None:
            with formats.write_atomically(path) as handle:
                handle.write(write(report, checks))
