"""A store with pairs, and the program run on it in this process."""

from __future__ import annotations

import json
from typing import NamedTuple

import click
from click.testing import CliRunner

from labeler.cli.main import cli
from labeler.cli.session import Session
from labeler.config import Config
from labeler.errors import LabelerError
from labeler.store import verdicts
from labeler.store.db import open_reader
from tests.servers.answers import KEY


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Project:
    """A store with pairs, and the program run on it in this process."""

    def __init__(self, folder):
        self.db = folder / "labels.duckdb"
        self.environment = {}

    def run(self, *arguments, **values):
        session = Session()
        session.config = Config(values, self.environment)
        told = CliRunner().invoke(cli, [*arguments, "--db", str(self.db)], obj=session)
        code, said = told.exit_code, told.stderr
        if isinstance(told.exception, LabelerError):
            code, said = told.exception.exit_code, f"{said}{told.exception}"
        elif isinstance(told.exception, Exception) and not isinstance(
            told.exception, click.exceptions.Exit
        ):
            raise told.exception
        return Ran(code, told.stdout, said)

    def at(self, server):
        self.environment = {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.url,
            "LABELER_TIMEOUT": "5",
            "LABELER_PATIENCE": "0.5",
        }
        return self

    def standing(self):
        with open_reader(self.db) as store:
            return list(verdicts.current(store))
