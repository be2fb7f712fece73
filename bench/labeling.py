"""The labelling page with 1, 10, 30 and 200 annotators at work, in a small store and a large one.

One of them is a real browser: from the key to the next passage painted. The others are driven over
HTTP by `people`, a press about every 1.5 s each; acknowledged is the whole round trip of a press.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.files import Files
from bench.table import ROOT, Bench, Row, row
from labeler.app.routes import Tokens
from labeler.drawing import draw
from labeler.reports import agreement
from labeler.store import settings
from labeler.store.db import open_store
from tests.browser.desk import Desk
from tests.browser.serving import Server

PAUSE = 1.5
TASKS = 400
DRAWN = {1: "p95 < 50 ms", 10: "", 30: "p95 < 100 ms"}
ACKNOWLEDGED = {1: "", 10: "", 30: "p95 < 200 ms", 200: "p95 < 1,000 ms"}


class Site(NamedTuple):
    """A running app on a store, and the signer of its passes."""

    server: Server
    tokens: Tokens
    start: float


def measure(bench: Bench) -> Iterator[Row]:
    """A small store and the filled one, the same people on both."""
    small = Bench(bench.folder / "small", 5_000, bench.times, bench.quick)
    small.folder.mkdir()
    for size in (small, bench):
        files = Files.filled(size)
        db = size.folder / "labeling" / "labeler.duckdb"
        db.parent.mkdir()
        shutil.copy(files.store, db)
        with _site(db) as site, _browser() as chromium:
            yield Row("app: start to first answer", site.start, None)
            for people in (1, 10, 30) if size.quick else (1, 10, 30, 200):
                where = f"{people} at work, {size.rows:,} labels"
                yield from _at_work(site, chromium, people, where, seconds=8 if size.quick else 15)
            yield Row("app: peak memory", None, None, memory=_peak(site.server))


def _at_work(
    site: Site, chromium: Any, people: int, where: str, *, seconds: float
) -> Iterator[Row]:
    names = [f"person {number}" for number in range(people)]
    browsed = people <= 30 and chromium is not None
    tokens = [
        site.tokens.issue(annotator=name, spotcheck=f"people {people}")
        for name in names[1 if browsed and people > 1 else 0 :]
    ]
    command = [sys.executable, ROOT / "bench" / "people.py", site.server.port, "-", seconds, PAUSE]
    desk = _desk(site, chromium, f"people {people}") if browsed else None
    with subprocess.Popen(
        [*map(str, command), *tokens], stdout=subprocess.PIPE, text=True
    ) as others:
        drawn = _press(desk, seconds) if desk else []
        assert others.stdout is not None
        found = json.loads(others.stdout.read())
    if found["refused"]:
        raise RuntimeError(f"{found['refused']} presses were refused")
    if drawn:
        yield row(f"key to next passage painted, {where}", drawn, limit=DRAWN[people])
    yield row(f"key to acknowledged, {where}", found["posts"], limit=ACKNOWLEDGED[people])
    yield row(f"window of tasks, {where}", found["windows"])


def _desk(site: Site, chromium: Any, spotcheck: str) -> Desk:
    """The one in the browser, with the first passage before them."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    address = f"{site.server.url}/label?as=person 0&spotcheck={spotcheck}"
    return Desk(context.new_page(), address).open()


def _press(desk: Desk, seconds: float) -> list[float]:
    """Milliseconds from key to paint."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        desk.press("y", "n", "p", every=400)
    drawn: list[float] = desk.page.evaluate("latencies")
    desk.page.context.close()
    return drawn


@contextmanager
def _site(db: Path) -> Iterator[Site]:
    with open_store(db) as store:
        secret = settings.once(store, "token secret", lambda: "a secret of the benchmark")
        for people in (1, 10, 30, 200):
            name, judged = f"people {people}", agreement.choose(store)
            draw(store, name, judged=judged, n=TASKS, seed=people, overlap=people + 2)
    server = Server(db)
    began = time.perf_counter()
    server.start()
    start = 1e3 * (time.perf_counter() - began)
    try:
        yield Site(server, Tokens(secret), start)
    finally:
        server.end(signal.SIGTERM)


@contextmanager
def _browser() -> Iterator[Any]:
    """A Chromium, or None where there is none: then nothing is painted and no row tells of it."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        yield None
        return
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=found, args=["--no-sandbox", "--disable-gpu"]
            )
        except Error:
            sys.stderr.write("no Chromium: drawing is not measured\n")
            yield None
            return
        yield browser
        browser.close()


def _peak(server: Server) -> float | None:
    """Peak resident memory of the app in MB, where the system tells it."""
    status = Path(f"/proc/{server.process.pid if server.process else 0}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
