"""What the commands that buy replies of Claude share: their options, and how they go to work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from labeler.cli.session import Command, Number, Session, json_option
from labeler.errors import JudgeServiceError

if TYPE_CHECKING:
    from labeler.hiring import Reached
    from labeler.judges.claude import Claude
    from labeler.store.db import Store
    from labeler.store.pairs import Scope

Seated = TypeVar("Seated")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The part of a command line that is the same for all of them."""

    rubric: str
    model: str | None
    limit: int | None
    dry_run: bool
    max_cost: float | None
    retry_unreadable: bool
    concurrency: int | None
    as_json: bool


def options(*, rubric: str, limit: str, dry_run: str) -> Callable[[Command], Command]:
    """The options of `Asked`; what three of them mean is the command's own."""
    found = (
        click.option("--rubric", default="", metavar="NAME[@V]", help=rubric),
        click.option("--model", help="The Claude model [LABELER_MODEL; claude-haiku-5-5]."),
        click.option("--limit", type=click.IntRange(min=0), help=limit),
        click.option("--dry-run", is_flag=True, help=dry_run),
        click.option("--max-cost", type=Number(min=0), help="Stop before this many US dollars."),
        click.option(
            "--retry-unreadable", is_flag=True, help="Ask again where a reply was unreadable."
        ),
        click.option(
            "--concurrency", type=click.IntRange(1, 256), help="Calls in flight at most [32]."
        ),
        json_option,
    )

    def take(command: Command) -> Command:
        for option in reversed(found):
            command = option(command)
        return command

    return take


def seated(
    seat: Callable[..., Seated],
    session: Session,
    asked: Asked,
    *,
    store: Store,
    reached: Reached,
    **more: Any,
) -> Seated:
    """The judge that `seat` makes (`hiring.seat`, `answering.seat`) of a command line."""
    return seat(
        store,
        session.config,
        reached,
        rubric=asked.rubric,
        max_cost=asked.max_cost,
        concurrency=asked.concurrency,
        **more,
    )


def submit(session: Session, asked: Asked, *, store: Store, chosen: Claude, scope: Scope) -> None:
    """Send what the scope's pairs need as message batches; `labeler judge --resume` collects
    them."""
    from labeler import batching
    from labeler.cli import judge_reports

    sent = batching.submit(
        store, chosen, scope=scope, limit=asked.limit, retry_unreadable=asked.retry_unreadable
    )
    if asked.as_json:
        session.emit(judge_reports.submitted_json(sent))
    else:
        click.echo(judge_reports.submitted_text(sent))
    if sent.problem:
        raise JudgeServiceError(sent.problem)
