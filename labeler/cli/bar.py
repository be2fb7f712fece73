"""A progress bar for work that takes long, and for that alone."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 1.0
"""Seconds that a person waits without being told."""


class LateBar:
    """A pulse on standard error that appears after PATIENCE and goes when the block ends, with how
    much is done and the time that has passed. Safe to move from any thread.
    """

    def __init__(self, what: str, *, patience: float = PATIENCE) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[many]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,  # results go there, perhaps into a pipe
        )
        self._task = self._bar.add_task(what, total=None, many="")
        self._late = threading.Timer(patience, self._bar.start)
        self._late.daemon = True

    def move(self, done: int) -> None:
        """So much is done."""
        self._bar.update(self._task, completed=done, many=f"{done:,}")

    def __enter__(self) -> LateBar:
        self._late.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._late.cancel()
        self._late.join()
        if self._bar.live.is_started:
            self._bar.stop()
