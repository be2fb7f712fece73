"""The app in a process of its own, on a store with a spot check for each test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest

import labeler.app
from labeler.model import Grade, Passage, Query, Status, Verdict
from labeler.store import corpora, labels, queries, spotchecks, verdicts
from labeler.store.db import Store, open_reader, open_store, utc_now

ENTRY = Path(labeler.app.__file__).with_name("main.py")
MARKER = "zebra-crossing-marker"
"""Stands in every verdict's reason: seen on the wire, it gives the judge away."""

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>",
    "image": "![seen](https://tracker.invalid/pixel.png) <img src='https://tracker.invalid/p.gif'>",
    "bidi": "pay \u202egnp.exe\u202c now, \u2067right to left\u2069, شكرا",
    "nul": "before\x00after \x1b[31mred\x07 \ufeffmark",
    "latex": r"$\frac{1}{2}$ $$\href{https://tracker.invalid}{x}$$ \(a\) :material/home: :red[no]",
    "markdown": "# Title\n\n**bold** [link](javascript:alert(4)) `code`\n\n|a|b|\n|-|-|\n|1|2|",
}
LONG = "\n".join(f"Line {i} of a long passage: " + "refunds and tokens " * 10 for i in range(940))


class Pair(NamedTuple):
    """A query's and a passage's id."""

    query_id: str
    passage_id: str


class Row(NamedTuple):
    """An event as it is stored."""

    pair: Pair
    action: str
    grade: str | None


def fill(db: Path, checks: dict[str, tuple[int, int]]) -> None:
    """A store with a spot check for each test, every pair judged by a judge that says MARKER."""
    with open_store(db) as store:
        for name, (tasks, together) in checks.items():
            pairs = [Pair(f"{name}-q{i // together}", f"{name}-p{i}") for i in range(tasks)]
            _fill_one(store, name, pairs, [f"Passage {i} of {name}." for i in range(tasks)])
        texts = [*HOSTILE.values(), LONG]
        _fill_one(
            store, "hostile", [Pair("hostile-q", f"hostile-p{i}") for i in range(len(texts))], texts
        )


def _fill_one(store: Store, name: str, pairs: list[Pair], texts: list[str]) -> None:
    passages = [
        Passage(pair.passage_id, text, title=f"Title of {pair.passage_id}")
        for pair, text in zip(pairs, texts, strict=True)
    ]
    asked = {
        pair.query_id: Query(pair.query_id, f"Which refunds? ({pair.query_id})") for pair in pairs
    }
    corpora.record(store, passages, name=name)
    queries.record(store, asked.values())
    found = [
        Verdict(
            *pair, judge="blindfold", grade=Grade.PART, status=Status.OK, reason=MARKER, raw=MARKER
        )
        for pair in pairs
    ]
    verdicts.record(store, found)
    check = spotchecks.SpotCheck(name, 1, len(pairs), 5, 1, "blindfold", "", "", utc_now())
    strata = [spotchecks.Stratum("PART", len(pairs), len(pairs))]
    spotchecks.record(
        store, check, strata, [spotchecks.Drawn(*pair, "PART", 1.0) for pair in pairs]
    )


class Server:
    """The app on a free port of this machine, with a store of its own."""

    def __init__(self, db: Path, **environment: str) -> None:
        self.db = db
        self.environment = environment
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = {
            "server.port": self.port,
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
            "client.toolbarMode": "minimal",
        }
        self.log = (self.db.parent / "app.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(ENTRY)]
            + [f"--{name}={value}" for name, value in options.items()],
            env={**os.environ, "LABELER_DB": str(self.db), **self.environment},
            cwd=self.db.parent,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        pytest.fail(f"the app did not start:\n{(self.db.parent / 'app.log').read_text()[-4000:]}")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, gently or not."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(20)
        self.log.close()

    def rows(self, spotcheck: str, *, actions: tuple[str, ...] = ()) -> list[Row]:
        """Every stored event of a spot check, oldest first, read beside the running app."""
        with open_reader(self.db) as store:
            return [
                Row(Pair(str(e["query_id"]), str(e["passage_id"])), str(e["action"]), grade_of(e))
                for e in labels.history(store)
                if e["spotcheck"] == spotcheck and (not actions or e["action"] in actions)
            ]

    def standing(self, spotcheck: str) -> dict[Pair, list[tuple[str, str, str]]]:
        """What stands for each pair: (annotator, grade or state, note)."""
        found: dict[Pair, list[tuple[str, str, str]]] = {}
        with open_reader(self.db) as store:
            for row in labels.current(store):
                if row.spotcheck == spotcheck:
                    said = (row.annotator, str(row.grade or row.state), row.note)
                    found.setdefault(Pair(row.query_id, row.passage_id), []).append(said)
        return found


def grade_of(event: dict[str, object]) -> str | None:
    """The grade that an event carries, as text."""
    return str(event["grade"]) if event["grade"] else None
