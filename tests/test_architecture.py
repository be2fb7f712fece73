"""What the layout promises: imports go one way, and each outside package has one door."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "labeler"

LAYERS = (
    ("model", "errors"),
    ("config", "assets", "stats"),
    ("store", "judges", "formats"),
    ("reports", "and every module that is in no package"),
    ("cli", "app"),
)
"""Each part imports from the layers below it; of its own layer only `reports` and the modules
beside it import one another."""

DOORS = {"streamlit": "app", "duckdb": "store", "anthropic": "judges", "click": "cli"}
MARKUP = ("markdown", "write", "caption", "html")
"""Calls of Streamlit that rewrite the text that they are given."""

LONGEST = 350


class Import(NamedTuple):
    """An import statement: what, and whether it is not done when the module is loaded (for type
    checkers alone, or within a function)."""

    name: str
    late: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {
    module_name(path): ast.parse(path.read_text(encoding="utf-8"), str(path))
    for path in sorted(PACKAGE.rglob("*.py"))
}
FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(tree: ast.AST, *, late: bool = False) -> Iterator[Import]:
    """Every import of a module, also those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import in line {node.lineno}"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(whole if whole in TREES else node.module or "", late)
        else:
            typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            within = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(node, late=late or typing or within)


def part(module: str) -> str:
    """The package, or the module beside the packages, that a module of ours belongs to."""
    return module.split(".")[1] if "." in module else ""


def layer(module: str) -> int:
    known = {name: number for number, names in enumerate(LAYERS) for name in names}
    return known.get(part(module), 3)


@pytest.mark.parametrize("module", TREES)
def test_imports_go_one_way(module):
    for found in imports(TREES[module]):
        if not found.name.startswith("labeler.") or part(found.name) == part(module):
            continue
        below = layer(found.name) < layer(module)
        beside = layer(found.name) == layer(module) == 3
        assert below or beside, f"{module} imports {found.name}"


def test_no_module_needs_itself_to_be_loaded():
    graph = {
        module: {found.name for found in imports(tree) if found.name in TREES and not found.late}
        - {module}
        for module, tree in TREES.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError


@pytest.mark.parametrize("package", DOORS)
def test_an_outside_package_has_one_door(package):
    users = {
        part(module)
        for module, tree in TREES.items()
        for found in imports(tree)
        if found.name.split(".")[0] == package
    }
    assert users == {DOORS[package]}


def test_no_module_of_the_app_hides_one_of_the_standard_library():
    """Streamlit puts the entry script's folder first on sys.path."""
    folder = PACKAGE / "app"
    names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    outside = {name.split(".")[0] for tree in TREES.values() for name, _ in imports(tree)}
    assert names.isdisjoint(sys.stdlib_module_names)
    assert names.isdisjoint(outside)


def test_no_file_is_longer_than_one_can_read():
    lengths = {
        module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in FILES.items()
    }
    assert {module: length for module, length in lengths.items() if length > LONGEST} == {}


@pytest.mark.parametrize("module", TREES)
def test_every_public_thing_says_what_it_is(module):
    tree = TREES[module]
    if tree.body:
        assert ast.get_docstring(tree), module
    silent = []
    for owner in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        if isinstance(owner, ast.ClassDef) and owner.name.startswith("_"):
            continue
        for node in owner.body:
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if named and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{module}.{node.name}, line {node.lineno}")
    assert silent == []


def test_nothing_prints():
    found = [
        f"{module}, line {node.lineno}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "print"
    ]
    assert found == []


SCREENS = [name for name in TREES if part(name) == "app" and name != "labeler.app.widgets"]


@pytest.mark.parametrize("module", SCREENS)
def test_text_that_came_from_outside_is_never_markup(module):
    """Streamlit's Markdown fetches remote images; only fixed words go through it. The widgets
    escape what they show.
    """
    for node in ast.walk(TREES[module]):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if ast.unparse(node.func.value).split(".")[0] == "st" and node.func.attr in MARKUP:
            assert all(isinstance(argument, ast.Constant) for argument in node.args), node.lineno


def test_the_packages_that_are_installed_are_those_that_are_there():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for init in PACKAGE.rglob("__init__.py"):
        assert f'"{module_name(init)}"' in text
