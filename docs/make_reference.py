"""Writes docs/reference.md from the commands themselves: `make docs`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from labeler.cli.main import cli

REFERENCE = Path(__file__).with_name("reference.md")

_HEAD = """\
# Commands

`make docs` writes this page from the program's own help. Every command takes `--db FILE` (the
store; by default `LABELER_DB`, then `db` in `labeler.toml`, then `labeler.duckdb` in the current
folder) and `-h` or `--help`. With `--json` a command writes one JSON value to standard output and
nothing else there; messages and progress go to standard error.

| Exit code | Meaning |
|---|---|
| 0 | fine; for `labeler gate`: TRUSTED |
| 1 | an error that a person can mend |
| 2 | words that do not fit together: an unknown option, two that contradict |
| 3 | the store is held by another process |
| 4 | damage was found; for `labeler gate`: REJECTED; for `labeler evaluate`: a gate failed |
| 5 | for `labeler gate`: UNDECIDED |
| 6 | the judge's service failed, refused, or the budget is spent |
| 130 | stopped by Ctrl-C |
"""


def reference() -> str:
    """The whole page as Markdown."""
    root = click.Context(cli, info_name="labeler")
    return "\n".join([_HEAD, *_sections(cli, root)]).rstrip() + "\n"


def _sections(group: click.Group, ctx: click.Context) -> Iterator[str]:
    """A section for each command below `group`, groups before what they hold."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=ctx)
        yield from _section(command, inner)
        if isinstance(command, click.Group):
            yield from _sections(command, inner)


def _section(command: click.Command, ctx: click.Context) -> Iterator[str]:
    yield f"## {ctx.command_path}\n"
    yield from _help(command.help or "")
    if isinstance(command, click.Group):
        return
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield f"```text\n{usage}\n```\n"
    lines = [
        f"- `{record[0]}`: {record[1]}" if record[1] else f"- `{record[0]}`"
        for parameter in command.params  # every command's --db and --help stand at the top
        if parameter.name != "db" and (record := parameter.get_help_record(ctx))
    ]
    if lines:
        yield "\n".join(lines) + "\n"


def _help(text: str) -> Iterator[str]:
    """A help text's paragraphs; those that click keeps as they stand are examples."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```sh\n{paragraph[2:]}\n```\n"
        elif paragraph.strip():
            yield " ".join(paragraph.split()) + "\n"


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
