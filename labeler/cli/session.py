"""What every command shares: which store, how to open it, and where output goes.

Standard output carries results only: the one JSON object with `--json`, the report without it.
Progress and messages go to standard error.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labeler import config

if TYPE_CHECKING:
    from labeler.store.db import Store

Command = Callable[..., Any]


class Session:
    """One call of the program."""

    def __init__(self) -> None:
        self.db_flag: str | None = None

    @cached_property
    def config(self) -> config.Config:
        """The settings of the current folder."""
        return config.load()

    @property
    def db(self) -> Path:
        """The store's file: --db, LABELER_DB, labeler.toml or `labeler.duckdb` here."""
        return Path(self.config.setting("db", self.db_flag, default=config.DEFAULT_DB))

    @property
    def prices(self) -> Mapping[str, Any]:
        """The `[prices]` table of labeler.toml."""
        return self.config.table("prices")

    @contextmanager
    def writer(self, purpose: str) -> Iterator[Store]:
        """The store for reading and writing; `purpose` is what others are told meanwhile. Readers
        beside a long command are answered with what was committed before it."""
        from labeler.store.db import open_store
        from labeler.store.failing import in_words
        from labeler.store.snapshot import Keeper

        with in_words(self.db), open_store(self.db, purpose=purpose) as store, Keeper(store):
            yield store

    @contextmanager
    def reader(self) -> Iterator[Store]:
        """The store for reading, also while the app holds it: then how old the copy is, is said."""
        from labeler.store.db import open_reader
        from labeler.store.failing import in_words

        with in_words(self.db), open_reader(self.db) as store:
            if store.snapshot_age is not None:
                self.say(
                    f"{self.db.name} is in use: read from its copy, {store.snapshot_age:.1f} s old"
                )
            yield store

    def say(self, text: str) -> None:
        """A message for the person at the terminal."""
        click.echo(text, err=True)

    def emit(self, result: Mapping[str, object]) -> None:
        """The one JSON object of a command. NaN has no place in it."""
        click.echo(self._json(result))

    def emit_rows(
        self, result: Mapping[str, object], name: str, rows: Iterable[Mapping[str, object]]
    ) -> None:
        """The one JSON object of a command whose last field, `name`, is a list that memory should
        not hold; a row a line."""
        head = self._json({**result, name: []})
        click.echo(head.removesuffix("]\n}"), nl=False)
        begin, end, lines = "\n    ", "]\n}", (self._json(row, indent=None) for row in rows)
        while part := list(islice(lines, 1_000)):
            click.echo(begin + ",\n    ".join(part), nl=False)
            begin, end = ",\n    ", "\n  ]\n}"
        click.echo(end)

    def _json(self, value: Mapping[str, object], *, indent: int | None = 2) -> str:
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        return json.dumps(
            value, ensure_ascii=not unicode, allow_nan=False, indent=indent, default=_as_text
        )

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int], None]]:
        """A pulse on standard error for work that takes long; yields a function that is told how
        far it is. `what` is said beside the number: "rows read".

        Nothing is drawn within the first second, nor where standard error is no terminal.
        """
        if not sys.stderr.isatty():
            yield lambda _done: None
            return
        from labeler.cli.bar import LateBar

        with LateBar(what) as bar:
            yield bar.move


def _as_text(value: object) -> str:
    """A moment as JSON holds it."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


class Number(click.FloatRange):
    """A number of a range; `nan` and the infinities, which no comparison bars, are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a usage error."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number", param, ctx)
        return number


pass_session = click.make_pass_decorator(Session, ensure=True)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on standard output, nothing else."
)


def seed_option(what: str) -> Callable[[Command], Command]:
    """--seed, for a command that draws `what`."""
    return click.option(
        "--seed",
        default=0,
        show_default=True,
        type=click.IntRange(0, 2**63 - 1),
        help=f"The same seed draws the same {what}.",
    )
