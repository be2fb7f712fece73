"""The program `labeler`. Commands are loaded when they are called, so that help comes at once."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from labeler import __version__
from labeler.cli import ways
from labeler.cli.session import Session
from labeler.errors import LabelerError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("project:demo", "Make the sample project, judged, and open it."),
    "app": ("project:app", "Open the app on a store."),
    "import": (
        "imports:imports",
        "Bring in corpora, queries, runs, verdicts, labels, golden sets.",
    ),
    "queries": ("queries:queries", "Write queries, and make cases of production failures."),
    "generate": ("generate:generate", "Draft queries from a corpus, for people to accept."),
    "pool": ("spotcheck:pool", "Make the runs' top passages the candidates."),
    "judge": ("judge:judge", "Let a judge grade the candidates."),
    "spotcheck": (
        "spotcheck:spotcheck",
        "Draw the sample that people check, and see how far it is.",
    ),
    "agreement": ("agreement:agreement", "Compare a judge with people."),
    "gate": ("agreement:gate", "Decide whether a judge may be trusted."),
    "disagreements": (
        "agreement:disagreements",
        "List the pairs on which judge and people differ.",
    ),
    "rubric": ("rubric:rubric", "Add rubrics and compare their versions."),
    "golden": ("golden:golden", "Freeze golden sets, list, verify, compare and rebind them."),
    "evaluate": ("evaluate:evaluate", "Measure a retriever against a golden set."),
    "compare": ("compare:compare", "Compare variants: measures, tests, costs."),
    "triage": ("compare:triage", "Tell failures of the search from failures of the answer."),
    "answers": ("answers:answers", "Judge answers apart from retrieval."),
    "baseline": ("baseline:baseline", "Review an evaluation as the one to hold later ones to."),
    "export": ("exports:exports", "Write labels, verdicts, pairs, qrels and more to a file."),
    "backup": ("project:backup", "Copy the store, also while it is in use."),
    "doctor": ("project:doctor", "Say what is missing for what."),
}
"""Each command, where it is defined, and its line in the help."""


class Commands(click.Group):
    """The commands by name; each takes --db as well."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the path from nothing to a decision."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded now; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(f"labeler.cli.{module}"), name)
        _take_db(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands' lines without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _set_db(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Session).db_flag = value


def _db_option() -> click.Option:
    return click.Option(
        ["--db"],
        metavar="FILE",
        help="The store [LABELER_DB; labeler.duckdb].",
        expose_value=False,
        callback=_set_db,
        is_eager=True,
    )


def _take_db(command: click.Command) -> None:
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _take_db(inner)
    elif not any(option.name == "db" for option in command.params):
        command.params.append(_db_option())


@click.group(
    cls=Commands,
    params=[_db_option()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="labeler %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Check an LLM relevance judge against people before believing a number that it produced.

    \b
    labeler demo                                  the whole path on a sample
    labeler import verdicts grades.csv --judge my-judge
    labeler spotcheck draw first --judge my-judge
    labeler app                                   label blind, then see the agreement
    labeler gate --judge my-judge                 exit 0 trusted, 4 rejected, 5 undecided
    """
    ctx.ensure_object(Session)


def run(arguments: list[str] | None = None) -> int:
    """Run a command line; the exit code. Errors that a person can mend are one sentence."""
    for stream in (sys.stdout, sys.stderr):
        _take_any_text(stream)
    try:
        result: Any = cli.main(arguments, prog_name="labeler", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except LabelerError as error:
        click.echo(f"Error: {ways.told(error)}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return 130
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"Error: {place}{error.strerror or error}", err=True)
        return 1


def _take_any_text(stream: Any) -> None:
    """Hostile text must not end a report: what a terminal cannot show is escaped."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def main() -> NoReturn:
    """The console script."""
    sys.exit(run())
