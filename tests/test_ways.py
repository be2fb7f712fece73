"""A sentence of the middle is right in the terminal and on a page: it names neither an option nor a
command, and each of the two adds its own way.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

from labeler.app import ways as pages
from labeler.cli import ways as terminal
from labeler.cli.main import COMMANDS, cli
from labeler.errors import InputError, LabelerError, Problem, UsageError

PACKAGE = Path(terminal.__file__).parents[1]
FLAG = re.compile(r"(?<![\w-])--[a-z]")

WRITTEN = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent.name != "cli"
    # A style sheet names its own variables so, and drafts look for identifiers in passages.
    and path.relative_to(PACKAGE).as_posix()
    not in ("reports/dossier_style.py", "reports/dossier_html.py", "judges/drafts.py")
]


def described(tree: ast.AST) -> set[int]:
    """The strings that stand as statements: documentation, which no screen shows."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def needed() -> set[str]:
    """Every `needs` that the package gives to an error."""
    found = set()
    for path in WRITTEN:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_need = isinstance(node, ast.keyword) and node.arg == "needs"
            if is_need and isinstance(node.value, ast.Constant):
                found.add(node.value.value)
            named = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NEEDS"
            if named and isinstance(node.value, ast.Constant):
                found.add(node.value.value)
    return found


def test_no_text_outside_the_terminals_modules_names_an_option():
    found = []
    for path in WRITTEN:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = described(tree)
        found += [
            f"{path.relative_to(PACKAGE)}, line {node.lineno}: {node.value[:60]}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in told
            and FLAG.search(node.value)
        ]
    assert found == []


def test_the_terminal_has_a_way_to_everything_that_an_error_needs():
    assert {"grades", "override", "run"} <= needed()  # the search finds what is there
    assert needed() <= set(terminal.WAYS)
    assert set(pages.WAYS) <= set(terminal.WAYS)


@pytest.fixture(scope="module")
def options() -> set[str]:
    """Every option of every command."""
    found, open_ = set(), [cli.get_command(click.Context(cli), name) for name in COMMANDS]
    while open_:
        command = open_.pop()
        assert command is not None
        found |= {name for option in command.params for name in option.opts}
        if isinstance(command, click.Group):
            open_ += command.commands.values()
    return found


@pytest.mark.parametrize("way", terminal.WAYS.values())
def test_a_way_names_commands_and_options_that_are_there(way: str, options: set[str]):
    assert set(re.findall(r"(?<!\S)--[a-z-]+", way)) <= options
    for words in re.findall(r"labeler ([a-z-]+(?: [a-z-]+)?)", way):
        first, *rest = words.split()
        command = cli.get_command(click.Context(cli), first)
        assert command is not None, way
        if isinstance(command, click.Group):
            assert rest, way
            assert rest[0] in command.commands, way


def test_each_place_adds_its_own_way():
    error = LabelerError("There is no run to triage: import one", needs="run")
    assert terminal.told(error) == (
        "There is no run to triage: import one (labeler import run FILE --system NAME)"
    )
    assert pages.told(error) == "There is no run to triage: import one (on the Data page)"


def test_the_way_stands_on_its_own_below_a_list_of_places():
    bad = [Problem("x.qrels", line, f"grade {line}", "0 or 1") for line in (8, 9)]
    assert terminal.told(InputError(bad, needs="grades")).splitlines() == [
        "x.qrels, line 8: grade 8, expected 0 or 1",
        "x.qrels, line 9: grade 9, expected 0 or 1",
        '(--grades "0=NO,1=NO,2=PART,3=YES")',
    ]


def test_an_error_that_needs_nothing_is_shown_as_it_is():
    error = UsageError("Two is not three")
    assert terminal.told(error) == pages.told(error) == "Two is not three"
