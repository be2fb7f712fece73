"""A sample project of its own for each test, and the app's pages run on it without a server."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeler import sample
from labeler.app import state
from labeler.store.db import open_store

Page = Callable[..., AppTest]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project, made once."""
    path = tmp_path_factory.mktemp("sample") / "labeler.duckdb"
    with open_store(path) as store:
        sample.make(store)
    return path


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the sample project, which the app is told to open."""
    path = tmp_path / "labeler.duckdb"
    shutil.copy(made, path)
    yield from _told(path)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    """A store that is not there yet, which the app is told to open."""
    yield from _told(tmp_path / "labeler.duckdb")


def _told(path: Path) -> Iterator[Path]:
    before = os.environ.get("LABELER_DB")
    os.environ["LABELER_DB"] = str(path)
    try:
        yield path
    finally:
        state.close()
        if before is None:
            del os.environ["LABELER_DB"]
        else:
            os.environ["LABELER_DB"] = before


@pytest.fixture
def page() -> Page:
    """Runs one screen as a person would open it; parameters go into the address."""

    def run(name: str, **address: str) -> AppTest:
        script = textwrap.dedent(
            f"""
            from labeler.app.screens import {name}
            {name}.show()
            """
        )
        test = AppTest.from_string(script, default_timeout=60)
        for key, value in address.items():
            test.query_params[key] = value
        return test.run()

    return run
