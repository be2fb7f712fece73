"""`labeler rubric`: the versions of a judge's instructions."""

from __future__ import annotations

import json
from pathlib import Path

import click

from labeler.cli import workshop
from labeler.cli.session import Session, json_option, pass_session
from labeler.errors import InputError, Problem

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(short_help="Add rubrics and compare their versions.")
def rubric() -> None:
    """Add rubrics and compare their versions. A rubric is never edited, only superseded.

    \b
    labeler rubric add strict.md --name strict
    labeler rubric diff relevance strict
    labeler rubric compare relevance strict --spotcheck first
    """


for command in (workshop.compare, workshop.confirm, workshop.judges):
    rubric.add_command(command)


@rubric.command()
@click.argument("file", type=_FILE)
@click.option("--name", required=True, help="What judges and reports call it.")
@click.option("--examples", type=_FILE, help='JSONL: {"query", "passage", "reason", "grade"}.')
@click.option("--by", default="", metavar="PERSON", help="Who adds it.")
@json_option
@pass_session
def add(
    session: Session, /, file: Path, name: str, examples: Path | None, by: str, as_json: bool
) -> None:
    """Add the text in FILE as the next version of a rubric; the same text again adds nothing.

    \b
    labeler rubric add strict.md --name strict
    labeler judge --rubric strict@1
    """
    from labeler.store import rubrics

    text, shown = _text(file), _examples(examples) if examples else []
    with session.writer("labeler rubric add") as store:
        before = rubrics.named(store, name)
        added = rubrics.add(store, name, text=text, examples=shown, by=by)
    new = before is None or before.version != added.version
    if as_json:
        session.emit({"rubric": added.ref, "hash": added.hash, "added": new})
    else:
        click.echo(f"{added.ref} added" if new else f"{added.ref} says this already")


@rubric.command(name="list")
@json_option
@pass_session
def list_(session: Session, /, as_json: bool) -> None:
    """List every version of every rubric.

    \b
    labeler rubric list --json
    """
    from labeler.store import rubrics

    with session.reader() as store:
        entries = rubrics.history(store)
    if as_json:
        session.emit(
            {
                "rubrics": [
                    {
                        "rubric": entry.rubric.ref,
                        "added_at": entry.added_at.isoformat(),
                        "added_by": entry.added_by,
                        "examples": len(entry.rubric.examples),
                        "hash": entry.rubric.hash,
                    }
                    for entry in entries
                ]
            }
        )
        return
    from labeler.reports.render import moment

    for entry in entries:
        by = f" by {entry.added_by}" if entry.added_by else ""
        count = len(entry.rubric.examples)
        click.echo(f"{entry.rubric.ref:24} {moment(entry.added_at)}{by}, {count} examples")
    if not entries:
        click.echo("No rubric yet: `labeler judge` brings its own, `labeler rubric add` others")


@rubric.command()
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@json_option
@pass_session
def diff(session: Session, /, old: str, new: str, as_json: bool) -> None:
    """Show what changed from rubric A to rubric B (NAME or NAME@VERSION).

    \b
    labeler rubric diff strict@1 strict@2
    """
    from labeler import judging
    from labeler.store import rubrics

    with session.reader() as store:
        before, after = judging.rubric(store, old), judging.rubric(store, new)
    changed = rubrics.diff(before, after)
    if as_json:
        session.emit({"a": before.ref, "b": after.ref, "same": not changed, "diff": changed})
    else:
        click.echo(changed or f"{before.ref} and {after.ref} say the same")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError([Problem(file.name, 0, "bytes that are no UTF-8", "UTF-8 text")]) from None


def _examples(file: Path) -> list[dict[str, str]]:
    """Few-shot examples; every malformed line is named."""
    wanted = ("query", "passage", "reason", "grade")
    found: list[dict[str, str]] = []
    problems: list[Problem] = []
    for number, line in enumerate(_text(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not all(isinstance(row.get(w), str) for w in wanted):
            problems.append(
                Problem(file.name, number, line[:60], f"an object with {', '.join(wanted)}")
            )
        elif row["grade"] not in ("YES", "PART", "NO"):
            problems.append(
                Problem(file.name, number, f"grade {row['grade']!r}", "YES, PART or NO")
            )
        else:
            found.append({name: row[name] for name in wanted})
    if problems:
        raise InputError(problems)
    return found
