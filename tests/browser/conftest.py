"""One app and one Chromium for the tests of this folder."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.desk import Desk, Wire, listen
from tests.browser.serving import HOSTILE, LONG, MARKER, Server, fill

SPOTCHECKS = {  # name: (tasks, pairs of one query)
    **{f"every-{gap}": (20, 4) for gap in (20, 50, 150, 400)},
    "reload": (40, 4),
    "held": (12, 4),
    "typing": (12, 4),
    "tabs": (20, 4),
    "people": (24, 3),
    "offline": (30, 4),
    "undo": (12, 4),
    "later": (6, 3),
    "blind": (24, 4),
    "speed": (60, 4),
    "closed": (12, 4),
    "buttons": (12, 4),
    "invented": (6, 3),
    "narrow": (6, 3),
    "expired": (6, 3),
    "modifier": (6, 3),
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for the tests that do not end it."""
    folder = tmp_path_factory.mktemp("app")
    fill(folder / "labeler.duckdb", SPOTCHECKS)
    one = Server(folder / "labeler.duckdb")
    one.start()
    yield one
    one.end()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """An app that the test may kill."""
    fill(tmp_path / "labeler.duckdb", {"killed": (60, 4)})
    one = Server(tmp_path / "labeler.duckdb")
    one.start()
    yield one
    one.end(signal.SIGKILL)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser, found on this machine or installed by Playwright."""
    from playwright import sync_api as api  # with the test tools, as pytest is

    with api.sync_playwright() as playwright:
        found = next(
            filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
        )
        try:
            browser = playwright.chromium.launch(
                executable_path=found,
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
        except api.Error as error:
            if os.environ.get("LABELER_REQUIRE_BROWSER"):
                raise
            pytest.skip(f"no Chromium to drive: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@pytest.fixture
def desks(chromium: Any) -> Iterator[Callable[..., Desk]]:
    """Makes a person's tab: `desks(server, "ada", "people")`; `beside` shares a tab's browser."""
    contexts: list[Any] = []
    made: list[Desk] = []

    def make(server: Server, person: str, spotcheck: str, *, beside: Desk | None = None) -> Desk:
        if beside is None:
            contexts.append(chromium.new_context(viewport={"width": 1280, "height": 800}))
        context = beside.page.context if beside else contexts[-1]
        desk = Desk(context.new_page(), f"{server.url}/label?as={person}&spotcheck={spotcheck}")
        made.append(desk)
        return desk

    yield make
    for context in contexts:
        context.close()
    assert [error for desk in made for error in desk.errors] == []


_latencies: dict[str, list[float]] = {}


@pytest.fixture
def measured() -> dict[str, list[float]]:
    """Milliseconds from key to what it draws, by test; reported at the end of the run."""
    return _latencies


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report what was measured. A busy machine is no failure, so no test asserts on it."""
    for name, values in _latencies.items():
        ordered = sorted(values)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        terminalreporter.write_line(
            f"{name}: key to painted, median {ordered[len(ordered) // 2]:.1f} ms, "
            f"p95 {p95:.1f} ms, {len(ordered)} presses"
        )


@pytest.fixture
def wire() -> Callable[[Any], Wire]:
    """`wire(page)` collects what crosses the network to it from now on."""
    return listen


@pytest.fixture
def hostile() -> list[str]:
    """The texts of spot check `hostile`, by number of the passage; the last is 200 kB long."""
    return [*HOSTILE.values(), LONG]


@pytest.fixture
def marker() -> str:
    """What every verdict's reason says."""
    return MARKER
