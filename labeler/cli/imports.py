"""`labeler import`: files into the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labeler.cli.session import Command, Session, json_option, pass_session

if TYPE_CHECKING:
    from labeler.importing import Outcome

_file = click.argument("file", type=click.Path(path_type=Path))
_files = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_grades = click.option(
    "--grades",
    metavar="MAP",
    help='What the file\'s grades mean, such as "0=NO,1=NO,2=PART,3=YES".',
)


def _common(command: Command) -> Command:
    for option in (
        json_option,
        click.option(
            "--columns",
            metavar="OURS=THEIRS,...",
            help="The file's own column names, such as query_id=qid,passage_id=docno.",
        ),
        click.option("--skip-bad", is_flag=True, help="Leave malformed lines out and list them."),
    ):
        command = option(command)
    return command


@click.group("import", short_help="Bring in corpora, queries, runs, verdicts, labels, golden sets.")
def imports() -> None:
    """Bring in corpora, queries, runs, verdicts, labels and golden sets.

    A malformed line stops an import before anything is stored; --skip-bad leaves such lines out
    and lists them. The same file twice adds nothing.

    \b
    labeler import corpus passages.jsonl --name handbook
    labeler import queries queries.csv
    labeler import run bm25.trec --system bm25
    labeler import verdicts grades.txt --judge umbrela --grades "0=NO,1=NO,2=PART,3=YES"
    labeler import labels human.qrels --annotator nist
    """


@imports.command()
@_files
@click.option("--name", default="corpus", show_default=True, help="The corpus's name.")
@_common
@pass_session
def corpus(session: Session, /, files: tuple[Path, ...], name: str, **options: Any) -> None:
    """Bring in passages: JSON lines, BEIR, CSV, TSV, or a folder of .md and .txt files.

    \b
    labeler import corpus passages.jsonl --name handbook
    labeler import corpus docs/                   a passage a file
    labeler import corpus a.csv b.csv --columns passage_id=nr,text=body
    """
    _run(session, "corpus", files, name=name, **options)


@imports.command()
@_files
@_common
@pass_session
def queries(session: Session, /, files: tuple[Path, ...], **options: Any) -> None:
    """Bring in queries: JSON lines, BEIR, CSV or TSV with an id, a text, a kind and more.

    \b
    labeler import queries queries.jsonl
    labeler import queries log.csv --columns query_id=nr,text=question
    """
    _run(session, "queries", files, **options)


@imports.command()
@_file
@click.option("--system", required=True, metavar="NAME", help="The system that made the run.")
@click.option("--note", default="", help="What was changed in it: one thing at a time.")
@_common
@pass_session
def run(session: Session, /, file: Path, system: str, **options: Any) -> None:
    """Bring in a system's ranked passages: a TREC run, or JSON lines or CSV with ranks or scores.

    \b
    labeler import run bm25.trec --system bm25
    labeler import run wide.jsonl --system wide --note "passages of 800 tokens"
    """
    _run(session, "run", [file], name=system, **options)


@imports.command()
@_file
@click.option("--judge", required=True, metavar="NAME", help="The judge, for rows that name none.")
@click.option("--rubric", default="", metavar="NAME@V", help="Its rubric, for rows without one.")
@_grades
@_common
@pass_session
def verdicts(session: Session, /, file: Path, judge: str, **options: Any) -> None:
    """Bring in a judge's grades: qrels of TREC or BEIR, CSV, JSON lines.

    \b
    labeler import verdicts grades.txt --judge umbrela --grades "0=NO,1=NO,2=PART,3=YES"
    labeler import verdicts verdicts.csv --judge claude --rubric relevance@2
    """
    _run(session, "verdicts", [file], name=judge, **options)


@imports.command()
@_file
@click.option("--annotator", required=True, metavar="NAME", help="Whose, for rows that name none.")
@_grades
@_common
@pass_session
def labels(session: Session, /, file: Path, annotator: str, **options: Any) -> None:
    """Bring in people's grades: qrels of TREC or BEIR, CSV, JSON lines.

    \b
    labeler import labels human.qrels --annotator nist --grades "0=NO,1=NO,2=PART,3=YES"
    """
    _run(session, "labels", [file], name=annotator, **options)


@imports.command()
@_file
@click.option("--name", default="golden", show_default=True, help="The golden set's name.")
@_grades
@_common
@pass_session
def golden(session: Session, /, file: Path, name: str, **options: Any) -> None:
    """Bring in a golden set, frozen as it comes: queries with expected passages, or qrels.

    \b
    labeler import golden golden-set.json --name support
    """
    _run(session, "golden", [file], name=name, **options)


def _run(
    session: Session,
    kind: str,
    files: Sequence[Path],
    *,
    as_json: bool,
    skip_bad: bool,
    columns: str | None,
    grades: str | None = None,
    name: str = "",
    rubric: str = "",
    note: str = "",
) -> None:
    """Import with a progress bar, and say what came of it."""
    from labeler import formats, importing

    options = importing.Options(
        skip_bad=skip_bad,
        grades=formats.GradeMap.parse(grades) if grades is not None else None,
        columns=formats.columns_from(columns) if columns is not None else {},
        note=note,
    )
    with session.progress("rows read") as progress, session.writer("labeler import") as store:
        shown = replace(options, progress=progress)
        outcome = importing.bring(store, kind, files, name=name, rubric=rubric, options=shown)
    told(session, outcome, as_json=as_json)


def told(session: Session, outcome: Outcome, *, as_json: bool) -> None:
    """Say what an import did: what was left out and noticed to the person, the rest as a result."""
    from labeler.reports import render

    for problem in outcome.left_out:
        session.say(f"left out: {problem}")
    for remark in outcome.remarks:
        session.say(remark)
    if as_json:
        session.emit(outcome._asdict() | {"left_out": [p._asdict() for p in outcome.left_out]})
    else:
        click.echo(render.imported(outcome))
