"""A judge's run in the background: one a process, with its progress and a stop button."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from labeler.app import ways
from labeler.errors import LabelerError
from labeler.judging import Progress
from labeler.reports import judging


class Outcome(Protocol):
    """What a job came to."""

    @property
    def problem(self) -> str:
        """Why something is left that should not be; "" where nothing is."""


Work = Callable[[Callable[[Progress], None], Callable[[], bool]], Outcome]
"""What a job does: it is given whom to tell of its progress, and whether it should stop."""

Words = Callable[[Any], str]
"""How the outcome of a kind of job is told."""


@dataclass
class Job:
    """A run that was started. `summary` or `error` is there once it has ended."""

    what: str
    words: Words = judging.summary
    started: float = field(default_factory=time.monotonic)
    progress: Progress | None = None
    summary: Outcome | None = None
    error: str = ""
    stopping: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def rate(self) -> float:
        """Pairs a second so far."""
        done = self.progress.done if self.progress else 0
        return done / max(time.monotonic() - self.started, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """At the rate so far; None while nothing has come back."""
        if self.progress is None or not self.progress.done:
            return None
        return (self.progress.total - self.progress.done) / self.rate

    def stop(self) -> None:
        """Ask it to end; what is in flight still comes back and is kept."""
        self.stopping.set()


_lock = threading.Lock()
_current: list[Job] = []


def current() -> Job | None:
    """The job that is running, or the last that ran."""
    with _lock:
        return _current[-1] if _current else None


def start(what: str, work: Work, *, words: Words = judging.summary) -> Job:
    """Begin a job; a second one beside it is refused, for both would pay for the same pairs."""
    with _lock:
        if _current and not _current[-1].ended.is_set():
            raise LabelerError(f"{_current[-1].what} is still running: stop it first")
        job = Job(what, words)
        _current[:] = [job]
    threading.Thread(target=_run, args=(job, work), name="judge", daemon=True).start()
    return job


def _run(job: Job, work: Work) -> None:
    def tell(progress: Progress) -> None:
        job.progress = progress

    try:
        job.summary = work(tell, job.stopping.is_set)
    except LabelerError as error:
        job.error = ways.told(error)
    except Exception as error:
        job.error = f"The run ended unexpectedly ({type(error).__name__})"
        raise
    finally:
        job.ended.set()


def close(*, patience: float = 25.0) -> None:
    """Stop what runs and wait for what is in flight: called when the app ends."""
    job = current()
    if job is not None and not job.ended.is_set():
        job.stop()
        job.ended.wait(patience)
