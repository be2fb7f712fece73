"""Speed and memory, as ratios: `make bench`, or `make bench BENCH=--quick` for a short run.

Each other module of this folder with a function `measure(bench) -> Iterator[Row]` is a part. A part
alone: `make bench BENCH="--only imports"`. Everything runs on this machine, in a temporary folder.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bench.table import Bench, Row  # noqa: E402 - the path must be set first

SCRIPTS = {"retrieval": ["--queries", "500", "--repeats", "1"]}
"""Parts that write tables of their own, with what makes them quick."""

FIRST = ("startup", "imports", "agreement", "drawing", "labeling")
"""The order of the parts that are known; others follow by name."""


def parts() -> list[str]:
    """The modules that measure something."""
    found = {
        path.stem
        for path in HERE.glob("*.py")
        if path.stem in SCRIPTS or "\ndef measure(bench" in path.read_text(encoding="utf-8")
    }
    return [*(name for name in FIRST if name in found), *sorted(found.difference(FIRST))]


def lines(row: Row) -> str:
    """A row of the table in Markdown."""

    def number(value: float | None, unit: str = "") -> str:
        if value is None:
            return ""
        return f"{value:,.1f}{unit}" if abs(value) < 100 else f"{value:,.0f}{unit}"

    cells = (
        row.what,
        number(row.median),
        number(row.p95),
        number(row.ratio, "x") + (f" {row.beside}" if row.beside else ""),
        row.limit,
        number(row.memory),
    )
    return f"| {' | '.join(cells)} |"


def machine() -> str:
    """What this was measured on."""
    load = os.getloadavg()[0]
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores ({platform.machine()}), Python "
        f"{platform.python_version()}, {platform.system()}; load when it began {load:.1f}"
    )


def measured(bench: Bench, names: list[str]) -> Iterator[Row]:
    """The rows of each part, one after another."""
    for name in names:
        sys.stderr.write(f"{name} ...\n")
        yield from importlib.import_module(f"bench.{name}").measure(bench)


def main() -> None:
    """Measure and write the table."""
    known = parts()
    reader = argparse.ArgumentParser(prog="bench", description=__doc__)
    reader.add_argument("--quick", action="store_true", help="20,000 rows, a few runs of each")
    reader.add_argument("--only", choices=known, action="append", help="this part; may be repeated")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory(prefix="labeler-bench-") as folder:
        rows = 20_000 if asked.quick else 1_000_000
        bench = Bench(Path(folder), rows, 3 if asked.quick else 5, asked.quick)
        sys.stdout.write(f"{machine()}; {rows:,} rows\n\n")
        head = "| what | median ms | p95 ms | ratio to | must hold | peak MB |"
        sys.stdout.write(f"{head}\n|---|---:|---:|---:|---|---:|\n")
        wanted = asked.only or known
        for row in measured(bench, [name for name in wanted if name not in SCRIPTS]):
            sys.stdout.write(lines(row) + "\n")
            sys.stdout.flush()
    failed = 0
    for name in SCRIPTS.keys() & wanted:
        command = [sys.executable, HERE / f"{name}.py", *(SCRIPTS[name] if asked.quick else ())]
        sys.stdout.write(f"\n{name}\n\n")
        sys.stdout.flush()
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": str(HERE.parent)}, check=False
        )
        failed = failed or done.returncode
    sys.exit(failed)


if __name__ == "__main__":
    main()
