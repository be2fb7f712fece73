"""`labeler generate`: draft queries from a corpus, for people to accept or reject."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from labeler.cli import paid, ways
from labeler.cli.session import Number, Session, pass_session, seed_option
from labeler.errors import JudgeServiceError, UsageError

if TYPE_CHECKING:
    from labeler.drafting import Wanted
    from labeler.judging import Progress


@dataclass(frozen=True, kw_only=True)
class _Asked(paid.Asked):
    """The command line."""

    n: int
    per_passage: int
    seed: int
    unanswerable: float
    corpus: str
    status: bool

    @property
    def wanted(self) -> Wanted:
        from labeler.drafting import Wanted

        return Wanted(self.n, self.per_passage, self.seed, self.unanswerable, self.corpus)


@click.command(short_help="Draft queries from a corpus, for people to accept.")
@click.option(
    "--n", type=click.IntRange(1, 100_000), default=150, show_default=True, help="Passages."
)
@click.option(
    "--per-passage",
    type=click.IntRange(1, 5),
    default=2,
    show_default=True,
    help="Queries for each passage.",
)
@seed_option("passages")
@click.option(
    "--unanswerable",
    type=Number(0, 0.5),
    default=0.1,
    show_default=True,
    help="Share of queries on what the corpus lacks.",
)
@click.option("--corpus", default="", metavar="NAME", help="Only this corpus.")
@click.option("--status", is_flag=True, help="List the drafts: checks, decisions. Asks nothing.")
@paid.options(
    rubric="By default the newest relevance.",
    limit="At most so many requests.",
    dry_run="Requests and cost per stage; buys nothing.",
)
@pass_session
def generate(session: Session, /, **options: Any) -> None:
    """Draft queries from passages of the corpus and on what it lacks, and check them.

    A draft is no query before somebody accepts it on the Drafts page. What was answered is never
    bought again, and a larger --n adds to a smaller one. --status says what the judge thought of
    drafts: who is to accept them should not read it before.

    \b
    labeler generate --dry-run                    what it would cost, per stage
    labeler generate --n 20 --max-cost 1
    labeler generate --status
    """
    asked = _Asked(**options)
    if asked.status and asked.dry_run:
        raise UsageError("--status and --dry-run do not go together")
    if asked.status:
        _status(session, asked)
    elif asked.dry_run:
        _dry_run(session, asked)
    else:
        _run(session, asked)


def _status(session: Session, asked: _Asked) -> None:
    from labeler.reports import drafts as reports

    with session.reader() as store:
        found = reports.status(store)
    if asked.as_json:
        session.emit(reports.status_json(found))
    else:
        click.echo("\n".join(reports.status_lines(found)))


def _dry_run(session: Session, asked: _Asked) -> None:
    from labeler import draft_costs, drafting, hiring, judging
    from labeler.judges import prices
    from labeler.reports import drafts as reports

    reached, why = hiring.reach_if_keyed(session.config, model=asked.model)
    if why:
        session.say(f"{why}. What it can do is taken from what current models can")
    with session.reader() as store:
        drawn = drafting.draw(store, asked.wanted)
        stages = draft_costs.plan(
            store,
            reached.model,
            drawn,
            asked.wanted,
            rubric=judging.rubric(store, asked.rubric),
            price=prices.table(session.prices).get(reached.model.id),
            limit=asked.limit,
            retry_unreadable=asked.retry_unreadable,
        )
    if asked.as_json:
        session.emit(reports.plan_json(drawn, stages))
    else:
        click.echo("\n".join(reports.plan_lines(drawn, stages)))


def _run(session: Session, asked: _Asked) -> None:
    from labeler import asking, drafting, hiring, judging
    from labeler.judges import prices
    from labeler.reports import drafts as reports

    reached = hiring.reach(session.config, model=asked.model, max_cost=asked.max_cost)
    table = prices.table(session.prices)
    writer = asking.writer(reached, table, max_cost=asked.max_cost, concurrency=asked.concurrency)
    started = time.perf_counter()
    with session.writer("labeler generate") as store:
        rubric = judging.rubric(store, asked.rubric)
        with _bars() as progress:
            done = drafting.run(
                store,
                writer,
                drafting.draw(store, asked.wanted),
                asked.wanted,
                rubric=rubric,
                limit=asked.limit,
                retry_unreadable=asked.retry_unreadable,
                progress=progress,
            )
        found = reports.status(store)
    if asked.as_json:
        session.emit(reports.done_json(done, found, time.perf_counter() - started))
    else:
        click.echo("\n".join(reports.done_lines(done, found)))
        unread = sum(stage.asked.unreadable for stage in done.stages)
        ways.point(session, "unreadable", when=unread)
    if done.stopped == "interrupted":
        raise click.Abort
    if done.problem:
        raise JudgeServiceError(f"{done.problem}. {done.left:,} requests are left: run it again")


@contextmanager
def _bars() -> Iterator[Callable[[str, Progress], None]]:
    """A bar for each stage, one after the other."""
    from labeler.cli import judge_reports

    with ExitStack() as open_bar:
        moving: dict[str, Callable[[Progress], None]] = {}

        def move(stage: str, progress: Progress) -> None:
            if stage not in moving:
                open_bar.close()
                moving[stage] = open_bar.enter_context(judge_reports.bar(stage))
            moving[stage](progress)

        yield move
