"""`labeler evaluate`, `compare`, `triage` and `baseline`: what a retriever finds."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labeler.cli.session import Session, json_option, pass_session

if TYPE_CHECKING:
    from labeler.reports.gates import Check
    from labeler.reports.retrieval import Report
    from labeler.store.db import Store

FAILED = 4
"""The exit code when a gate fails."""

SLICES = ("kind", "origin", "scope", "split")

Command = Callable[..., Any]

_golden = click.option(
    "--golden", metavar="G[@V]", help="The golden set; by default the newest, else settled labels."
)
_reading = click.option(
    "--reading",
    type=click.Choice(("strict", "lenient")),
    default="strict",
    show_default=True,
    help="strict: YES is relevant; lenient: YES or PART.",
)
_k = click.option(
    "--k",
    "ks",
    multiple=True,
    type=click.IntRange(1, 10_000),
    help="A cutoff; may be given again. By default the standard measures.",
)
_no_baseline = click.option(
    "--no-baseline",
    is_flag=True,
    help="Leave the built-in BM25 out, which takes reading all texts.",
)
_by = click.option(
    "--by",
    multiple=True,
    type=click.Choice(SLICES),
    help="Slices to show; may be given again. By default all.",
)


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
@_golden
@_k
@_reading
@_by
@click.option("--depth", type=click.IntRange(1), help="How many passages the run was asked for.")
@click.option("--retriever", metavar="CMD", help="Run this program first; its run is SYSTEM's.")
@click.option("--top-n", type=click.IntRange(1), default=20, show_default=True, help="For CMD.")
@click.option("--note", default="", help="What was changed in CMD's run: one thing at a time.")
@_no_baseline
@click.option(
    "--fail-under", "floors", multiple=True, metavar="M=X", help="Exit 4 if M is below X: R@5=0.80."
)
@click.option("--baseline", metavar="NAME", help="A reviewed baseline to hold the run to.")
@click.option(
    "--max-drop", type=click.FloatRange(0, 1), help="Exit 4 if a measure drops by more. [0]"
)
@click.option(
    "--fail-on",
    "none_of",
    multiple=True,
    type=click.Choice(("unauthorised", "out_of_date")),
    help="Exit 4 if any such passage came back; may be given again.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit's XML for a build.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a pull request's comment.")
@click.option(
    "--held-out",
    metavar="PURPOSE",
    help="Measure the held-out queries alone; each look is counted.",
)
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
    """
    from labeler.reports import gates, retrieval, retrieval_text

    session = ctx.ensure_object(Session)
    report, checks = _evaluate(session, floors, **options)
    _summarise(report, checks, junit=junit, markdown=markdown)
    if as_json:
        session.emit({**retrieval.as_json(report), **gates.as_json(checks)})
    else:
        click.echo(str(report))
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
    held_out: str | None,
) -> tuple[Report, list[Check]]:
    """The report and what is held against it; kept in the history where the store is ours."""
    from labeler.errors import UsageError
    from labeler.reports import gates, history, retrieval
    from labeler.stats.measures import Reading
    from labeler.store import evaluations

    if max_drop is not None and baseline is None:
        raise UsageError("A drop from what? Name a reviewed baseline with --baseline NAME")
    asked = [gates.floor(text) for text in floors]
    with _open(session) as store:
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
        if store.read_only:
            session.say("Not kept in the history: another process holds the store")
        else:
            history.keep(store, report, person=getpass.getuser())
    checks = gates.check(
        report, floors=asked, baseline=held, max_drop=max_drop or 0.0, none_of=none_of
    )
    return report, checks


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
    queries = basis.read(store, golden).queries.values()
    asked = retrieving.run_command(command, queries, top_n=top_n)
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


@click.command(short_help="Compare variants: measures, tests, costs.")
@click.option("--run", "systems", multiple=True, required=True, metavar="SYSTEM", help="Repeat it.")
@_golden
@_k
@_reading
@_by
@_no_baseline
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
) -> None:
    """Compare systems on the same queries: every measure, what a difference is worth, and recall at
    equal k and at equal tokens.

    \b
    labeler compare --run bm25 --run fusion
    labeler compare --run base --run reranked --golden support --k 5 --json
    """
    from labeler.reports import variants, variants_text
    from labeler.stats.measures import Reading

    with session.reader() as store:
        report = variants.build(
            store,
            systems,
            golden=golden,
            ks=ks,
            reading=Reading(reading),
            by=by or SLICES,
            baseline=not no_baseline,
        )
    if as_json:
        session.emit(variants.as_json(report))
    else:
        click.echo("\n".join(variants_text.comparison(report, parts=bool(by))))


@click.command(short_help="Tell failures of the search from failures of the answer.")
@click.option("--query", metavar="Q", help="The query's id.")
@click.option("--all", "every", is_flag=True, help="Every golden query; failures are listed.")
@click.option("--run", "system", metavar="SYSTEM", help="Whose run; by default the newest.")
@_golden
@click.option(
    "--k", type=click.IntRange(1), default=8, show_default=True, help="Passages in the context."
)
@_reading
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
    with session.reader() as store:
        report = reports.build(
            store, query=query, system=system, golden=golden, k=k, reading=Reading(reading)
        )
    if as_json:
        session.emit(reports.as_json(report))
    else:
        click.echo("\n".join(retrieval_text.triaged(report, whole=query is not None)))
