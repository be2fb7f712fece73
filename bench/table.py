"""What every part of the benchmark shares: how things are timed, and the row that comes of it."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PEAK = (
    "import atexit, sys; atexit.register(lambda: sys.stderr.write("
    "next((line for line in open('/proc/self/status') if line.startswith('VmHWM')), '')))"
)
"""Makes a process tell its own peak of memory at its end: what the system counts for a child begins
with its parent's."""

LABELER = [sys.executable, "-c", f"{PEAK}; from labeler.cli.main import main; main()"]


@dataclass(frozen=True)
class Bench:
    """One run of the benchmark: its folder, the rows of its files, how often things are timed."""

    folder: Path
    rows: int
    times: int
    quick: bool

    @property
    def per_query(self) -> int:
        """Pairs of one query: with a million rows there are 10,000 queries."""
        return 100


class Row(NamedTuple):
    """One line of the table. `ratio` is against `beside`, measured in the same run; `limit` is
    what must hold of the ratio, or of p95 where there is none. Times in milliseconds."""

    what: str
    median: float | None
    p95: float | None
    ratio: float | None = None
    beside: str = ""
    limit: str = ""
    memory: float | None = None
    """Peak resident memory in MB."""


class Ran(NamedTuple):
    """A child process: its wall time in milliseconds, its peak resident memory in MB (0 where it is
    not told), and what it wrote."""

    wall: float
    memory: float
    out: str


def run(command: Sequence[str | Path]) -> Ran:
    """Run a command to its end. Raises RuntimeError where it fails."""
    began = time.perf_counter()
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    wall = 1e3 * (time.perf_counter() - began)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    told = re.findall(r"^VmHWM:\s+(\d+) kB$", done.stderr, re.MULTILINE)
    return Ran(wall, int(told[-1]) / 1024 if told else 0.0, done.stdout)


def timed(act: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each of `times` calls."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        found.append(1e3 * (time.perf_counter() - began))
    return found


def p95(values: Sequence[float]) -> float:
    """The 95th percentile: the value that one in twenty exceeds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def row(what: str, values: Sequence[float], **more: object) -> Row:
    """A row of measured milliseconds."""
    return Row(what, statistics.median(values), p95(values), **more)  # type: ignore[arg-type]


def beside(
    what: str, values: Sequence[float], name: str, others: Sequence[float], **more: object
) -> Row:
    """A row of milliseconds with its ratio of medians to what was measured beside it."""
    ratio = statistics.median(values) / statistics.median(others)
    return row(what, values, ratio=ratio, beside=name, **more)
