"""`labeler judge`: let a judge grade pairs, as single calls or as message batches."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import click

from labeler.cli import paid, ways
from labeler.cli.session import Session, pass_session
from labeler.errors import JudgeServiceError, LabelerError, UsageError

if TYPE_CHECKING:
    from labeler.judges.claude import Claude
    from labeler.judges.lexical import Lexical
    from labeler.store.db import Store

_CLAUDE, _LEXICAL = "claude", "lexical"


@dataclass(frozen=True, kw_only=True)
class _Asked(paid.Asked):
    """The command line."""

    judge: str
    batch: bool
    resume: bool
    canaries: bool
    spotcheck: str


@click.command(short_help="Let a judge grade the candidates.")
@click.option("--judge", default=_CLAUDE, show_default=True, help="claude or lexical.")
@click.option("--batch", is_flag=True, help="Submit message batches: half the price, within a day.")
@click.option("--resume", is_flag=True, help="Collect the batches that were submitted.")
@click.option("--canaries", is_flag=True, help="Test rubric and model with hostile passages.")
@click.option("--spotcheck", default="", metavar="NAME", help="Only the pairs of a spot check.")
@paid.options(
    rubric="By default the newest relevance.",
    limit="Judge at most so many pairs.",
    dry_run="Requests, tokens and cost per model; buys nothing.",
)
@pass_session
def judge(session: Session, /, **options: Any) -> None:
    """Let a judge grade the candidates (or what people labelled, where no pool was made).

    What was answered is never bought again: run the same command again to go on after a stop.

    \b
    labeler judge --dry-run                      what it would cost, per model
    labeler judge --max-cost 5 --limit 500
    labeler judge --batch                        and later: labeler judge --resume
    labeler judge --judge lexical                offline: the lexical baseline
    """
    asked = _Asked(**options)
    _check(asked)
    if asked.resume:
        _resume(session, asked)
    elif asked.judge == _LEXICAL:
        _lexical(session, asked)
    elif asked.judge == _CLAUDE:
        _claude(session, asked)
    else:
        _recorded(session, asked.judge)


def _check(asked: _Asked) -> None:
    """Refuse options that do not fit together."""
    modes = {
        "--batch": asked.batch,
        "--resume": asked.resume,
        "--dry-run": asked.dry_run,
        "--canaries": asked.canaries,
    }
    chosen = [name for name, given in modes.items() if given]
    if len(chosen) > 1 and chosen != ["--batch", "--dry-run"]:
        raise UsageError(f"{chosen[0]} and {chosen[1]} do not go together")
    if asked.resume:
        unread = {
            "--rubric": asked.rubric,
            "--model": asked.model,
            "--spotcheck": asked.spotcheck,
            "--limit": asked.limit is not None,
            "--max-cost": asked.max_cost is not None,
            "--retry-unreadable": asked.retry_unreadable,
            "--concurrency": asked.concurrency,
        }
        wrong = [name for name, given in unread.items() if given]
        if wrong:
            raise UsageError(f"--resume collects every open batch: leave {wrong[0]} out")
    if asked.judge != _CLAUDE:
        bought = {**modes, "--max-cost": asked.max_cost is not None, "--model": bool(asked.model)}
        wrong = [name for name, given in bought.items() if given and name != "--canaries"]
        if wrong:
            raise UsageError(f"{wrong[0]} is for the judge claude, not for {asked.judge}")
    if asked.judge == _LEXICAL and asked.rubric not in ("", "lexical", "lexical@1"):
        raise UsageError("The lexical baseline follows its own rule: leave --rubric out")


def _recorded(session: Session, name: str) -> NoReturn:
    from labeler.store import verdicts

    with session.reader() as store:
        known = sorted({judged.judge for judged in verdicts.judges(store)})
    if name in known:
        raise LabelerError(
            f"{name} is a recorded judge: its verdicts come by `labeler import verdicts`"
        )
    raise UsageError(
        f"There is no judge {name!r}; known: {', '.join(sorted({_CLAUDE, _LEXICAL, *known}))}"
    )


def _claude(session: Session, asked: _Asked) -> None:
    from labeler import hiring
    from labeler.store.pairs import Scope

    if asked.dry_run:
        _dry_run(session, asked)
        return
    reached = hiring.reach(session.config, model=asked.model, max_cost=asked.max_cost)
    opened = session.reader() if asked.canaries else session.writer("labeler judge")
    with opened as store:
        chosen = paid.seated(hiring.seat, session, asked, store=store, reached=reached)
        if asked.canaries:
            _canaries(session, asked, chosen)
        elif asked.batch:
            scope = Scope(asked.spotcheck)
            paid.submit(session, asked, store=store, chosen=chosen, scope=scope)
        else:
            _run(session, asked, store, chosen)


def _run(session: Session, asked: _Asked, store: Store, chosen: Claude | Lexical) -> None:
    from labeler import judging
    from labeler.cli import judge_reports
    from labeler.reports import judging as reports
    from labeler.store.pairs import Scope

    started = time.perf_counter()
    with judge_reports.bar(chosen.name) as progress:
        done = judging.run(
            store,
            chosen,
            scope=Scope(asked.spotcheck),
            limit=asked.limit,
            retry_unreadable=asked.retry_unreadable,
            progress=progress,
        )
    if asked.as_json:
        session.emit(judge_reports.summary_json(done, time.perf_counter() - started))
    else:
        click.echo(reports.summary(done))
        ways.point(session, "unreadable", when=done.unreadable + done.unreadable_kept)
    if done.stopped == "interrupted":
        raise click.Abort
    if done.problem:
        raise JudgeServiceError(f"{done.problem}. {done.left:,} pairs are left: run it again")


def _lexical(session: Session, asked: _Asked) -> None:
    from labeler import judging

    if asked.canaries:
        with session.reader() as store:
            _canaries(session, asked, judging.lexical(store))
        return
    with session.writer("labeler judge") as store:
        _run(session, asked, store, judging.lexical(store))


def _dry_run(session: Session, asked: _Asked) -> None:
    from labeler import estimating, hiring
    from labeler.cli import judge_reports
    from labeler.judges import prices
    from labeler.judges.claude import counting
    from labeler.store.pairs import Scope

    reached, why = hiring.reach_if_keyed(session.config, model=asked.model)
    if why:
        session.say(f"{why}. Tokens are estimated")
    with session.reader() as store:
        dry = estimating.dry_run(
            store,
            paid.seated(hiring.seat, session, asked, store=store, reached=reached),
            table=prices.table(session.prices),
            scope=Scope(asked.spotcheck),
            limit=asked.limit,
            retry_unreadable=asked.retry_unreadable,
            count=None if why else counting(reached.line),
        )
    if dry.remark:
        session.say(dry.remark)
    if asked.as_json:
        session.emit(judge_reports.dry_run_json(dry))
    else:
        click.echo(judge_reports.dry_run_text(dry))


def _canaries(session: Session, asked: _Asked, chosen: Claude | Lexical) -> None:
    from labeler.cli import judge_reports
    from labeler.judges import canaries

    report = canaries.sing(chosen, limit=asked.limit)
    if asked.as_json:
        session.emit(judge_reports.canaries_json(report))
    else:
        click.echo(judge_reports.canaries_text(report))


def _resume(session: Session, asked: _Asked) -> None:
    from labeler import batching, hiring
    from labeler.cli import judge_reports
    from labeler.judges import prices
    from labeler.judges.batches import Post

    post, table = Post(hiring.line(session.config)), prices.table(session.prices)
    with session.writer("labeler judge --resume") as store:
        found = batching.resume(store, post, table=table)
    if asked.as_json:
        session.emit(judge_reports.collected_json(found))
    else:
        click.echo(judge_reports.collected_text(found))
