"""`labeler answers`: answers judged apart from retrieval."""

from __future__ import annotations

import getpass
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labeler.cli import imports, paid, ways
from labeler.cli.session import Session, json_option, pass_session
from labeler.errors import JudgeServiceError, UsageError
from labeler.model import CONTEXTS

if TYPE_CHECKING:
    from labeler.hiring import Reached
    from labeler.judges.answers import AnswerJudge
    from labeler.store.db import Store


@dataclass(frozen=True, kw_only=True)
class _Asked(paid.Asked):
    """The command line of `labeler answers judge`."""

    system: str
    faithfulness: bool
    batch: bool


@click.group(short_help="Judge answers apart from retrieval.")
def answers() -> None:
    """Judge what a system answered, apart from what its search found.

    \b
    labeler answers import answers.jsonl --system bot
    labeler answers import with-right-passages.jsonl --system bot --context selected
    labeler answers judge --dry-run
    labeler answers judge
    labeler spotcheck draw answers --rubric correctness@1
    labeler answers report
    """


@answers.command("import", short_help="Bring in a system's answers with their contexts.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--system", required=True, metavar="NAME", help="The system that answered.")
@click.option(
    "--context",
    type=click.Choice(CONTEXTS),
    default=CONTEXTS[0],
    show_default=True,
    help="What it was given: what its search brought, a fixed context, or the right passages.",
)
@click.option("--judge", default="", metavar="NAME", help="The file's grades are this judge's.")
@click.option(
    "--annotator", default="", metavar="NAME", help="The file's grades are this person's."
)
@click.option("--grades", metavar="MAP", help='What the grades mean, such as "0=NO,1=YES".')
@click.option("--columns", metavar="OURS=THEIRS,...", help="The file's own column names.")
@click.option("--skip-bad", is_flag=True, help="Leave malformed lines out and list them.")
@json_option
@pass_session
def import_(
    session: Session,
    /,
    file: Path,
    system: str,
    context: str,
    judge: str,
    annotator: str,
    grades: str | None,
    columns: str | None,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Bring in answers: JSON lines, a JSON array, CSV or TSV with query_id or query, answer, and
    context (ids, texts, or {"passage_id", "text"}).

    A malformed line stops the import before anything is stored. The same file twice adds nothing;
    a new answer to a query supersedes the system's old one in the same kind of context.

    \b
    labeler answers import answers.jsonl --system bot
    labeler answers import graded.csv --system bot --annotator rita --grades "0=NO,1=YES"
    labeler answers import out.jsonl --system bot --columns answer=bot_said,context=sources
    """
    from labeler import answering, formats, importing

    options = importing.Options(
        skip_bad=skip_bad,
        grades=formats.GradeMap.parse(grades) if grades is not None else None,
        columns=formats.columns_from(columns) if columns is not None else {},
        person=getpass.getuser(),
    )
    whose = answering.Whose(system, context, judge, annotator)
    with session.writer("labeler answers import") as store:
        outcome = answering.bring(store, file, whose=whose, options=options)
    imports.told(session, outcome, as_json=as_json)


@answers.command(short_help="Let a judge grade the answers and list their claims.")
@click.option("--system", default="", metavar="NAME", help="Only this system's answers.")
@click.option(
    "--faithfulness/--no-faithfulness", default=True, help="Check the claims against the context."
)
@click.option("--batch", is_flag=True, help="Submit the verdicts as message batches, no claims.")
@paid.options(
    rubric="By default the newest correctness.",
    limit="At most so many answers.",
    dry_run="Requests, tokens and cost; buys nothing.",
)
@pass_session
def judge(session: Session, /, **options: Any) -> None:
    """Let Claude grade each answer by what it has to say, and list its claims with what its
    context says of each. What was answered is never bought again.

    Another judge's grades come by `labeler answers import --judge`, or by `labeler import
    verdicts` with the answers' ids.

    \b
    labeler answers judge --dry-run
    labeler answers judge --max-cost 5
    labeler answers judge --no-faithfulness --rubric correctness@2
    labeler answers judge --batch                and later: labeler judge --resume
    """
    from labeler import hiring
    from labeler.store.pairs import Scope

    asked = _Asked(**options)
    if asked.batch and asked.dry_run:
        raise UsageError("--batch and --dry-run do not go together")
    if asked.dry_run:
        _dry_run(session, asked)
        return
    reached = hiring.reach(session.config, model=asked.model, max_cost=asked.max_cost)
    with session.writer("labeler answers judge") as store:
        chosen = _seated(session, asked, store, reached)
        if asked.batch:
            scope = Scope(answers=True, system=asked.system)
            paid.submit(session, asked, store=store, chosen=chosen, scope=scope)
        else:
            _judge(session, asked, store, chosen)


def _seated(session: Session, asked: _Asked, store: Store, reached: Reached) -> AnswerJudge:
    from labeler import answering

    return paid.seated(
        answering.seat, session, asked, store=store, reached=reached, system=asked.system
    )


def _judge(session: Session, asked: _Asked, store: Store, chosen: AnswerJudge) -> None:
    from labeler import answering
    from labeler.cli import judge_reports
    from labeler.reports import answers_text

    with judge_reports.bar(chosen.name) as progress:
        done = answering.judge(
            store,
            chosen,
            system=asked.system,
            faithfulness=asked.faithfulness,
            limit=asked.limit,
            retry_unreadable=asked.retry_unreadable,
            progress=progress,
        )
    graded, claims = done.correctness, done.faithfulness
    if asked.as_json:
        session.emit(
            {
                "correctness": asdict(graded),
                "faithfulness": claims and asdict(claims) | {"unknown_context": done.unknown},
            }
        )
    else:
        click.echo(answers_text.judged(done))
        unread = graded.unreadable + graded.unreadable_kept + (claims.unreadable if claims else 0)
        ways.point(session, "unreadable", when=unread)
    if "interrupted" in (graded.stopped, claims and claims.stopped):
        raise click.Abort
    if done.problem:
        raise JudgeServiceError(f"{done.problem}. Run it again to go on")


def _dry_run(session: Session, asked: _Asked) -> None:
    """What the verdicts and the claims would cost."""
    from labeler import answering, hiring
    from labeler.reports import answers_text

    reached, why = hiring.reach_if_keyed(session.config, model=asked.model)
    if why:
        session.say(f"{why}. The model is taken to be a current one")
    with session.reader() as store:
        chosen = _seated(session, asked, store, reached)
        cost = answering.estimate(
            store,
            chosen,
            system=asked.system,
            faithfulness=asked.faithfulness,
            limit=asked.limit,
            retry_unreadable=asked.retry_unreadable,
        )
    if asked.as_json:
        told = {name: one and one._asdict() for name, one in cost._asdict().items()}
        session.emit({"model": chosen.model_id, **told})
        return
    for line in answers_text.costs(cost):
        click.echo(line)
    click.echo(f"{chosen.model_id}; nothing was bought")


@answers.command(short_help="How many are right, how faithful, and which stage to work on.")
@click.option("--system", default="", metavar="NAME", help="Only this system's answers.")
@click.option("--golden", metavar="G[@V]", help="Whose queries; by default the newest's.")
@click.option("--judge", help="Whose verdicts; by default the newest judge's of answers.")
@click.option("--rubric", metavar="NAME@V", help="The judge's rubric.")
@click.option("--model", help="The judge's model.")
@json_option
@pass_session
def report(
    session: Session,
    /,
    *,
    system: str,
    golden: str | None,
    judge: str | None,
    rubric: str | None,
    model: str | None,
    as_json: bool,
) -> None:
    """Right answers by judge, by people and corrected; faithfulness; what became of each query; and
    what the same queries with the right passages in hand say of where the loss is.

    \b
    labeler answers report
    labeler answers report --system bot --golden support@3 --json
    """
    from labeler.reports import answers as reports
    from labeler.reports import answers_json, answers_text

    with session.reader() as store:
        judged = reports.choose(store, judge=judge, rubric=rubric, model=model)
        found = reports.build(store, system=system, golden=golden, judged=judged)
    if as_json:
        session.emit(answers_json.as_json(found))
    else:
        click.echo("\n".join(answers_text.lines(found)))
