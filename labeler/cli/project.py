"""`labeler demo`, `app`, `backup` and `doctor`: the project as a whole."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import click

import labeler
from labeler import assets
from labeler.cli.session import Session, json_option, pass_session
from labeler.errors import DamageFound, LabelerError, StoreDamaged

_port = click.option(
    "--port",
    default=8501,
    show_default=True,
    type=click.IntRange(1, 65535),
    help="Where the app listens.",
)

PACKAGES = {
    "duckdb": "no command works",
    "numpy": "nothing can be computed",
    "scipy": "`labeler agreement` and `labeler gate` fail",
    "anthropic": "`labeler judge` fails",
    "streamlit": "`labeler app` fails",
}
"""What is looked for, and what fails where it is not there."""


@click.command(short_help="Make the sample project, judged, and open it.")
@click.option(
    "--dir",
    "folder",
    default="demo",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The project's folder; made if it is not there.",
)
@_port
@click.option("--no-app", is_flag=True, help="Make the project and stop.")
@pass_session
def demo(session: Session, /, folder: Path, port: int, no_app: bool) -> None:
    """Make the sample project in DIR/labeler.duckdb, judged by the lexical baseline, with a spot
    check drawn, and open it in the app. What is there already stays.

    \b
    labeler demo
    labeler demo --dir trial --no-app
    """
    from labeler import sample
    from labeler.store.db import open_store

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "labeler.duckdb"
    with open_store(path, purpose="labeler demo") as store:
        check = sample.make(store)
    session.say(
        f"The sample project is in {path}: {check.n} pairs of the lexical baseline's verdicts "
        f"wait in the spot check {check.name!r}."
    )
    if not no_app:
        _serve(session, path, port=port, address="127.0.0.1", page="label", LABELER_AS="me")


@click.command("app", short_help="Open the app on a store.")
@_port
@click.option("--address", default="127.0.0.1", show_default=True, help="On which address.")
@pass_session
def app(session: Session, /, port: int, address: str) -> None:
    """Open the app on a store, which is made if it is not there.

    It listens on this machine alone unless --address says otherwise. Anybody who reaches it can
    work under any name: put it behind something that signs people in before you widen it.

    \b
    labeler app
    labeler app --db team.duckdb --port 8600
    """
    from labeler.store.db import open_store

    open_store(session.db, purpose="labeler app").close()  # a held or foreign file is said here
    _serve(session, session.db, port=port, address=address)


def _serve(
    session: Session, path: Path, *, port: int, address: str, page: str = "", **more: str
) -> None:
    """Run the app until it is stopped; `more` goes into its environment."""
    _may_listen(address, port)
    main = Path(labeler.__file__).parent / "app" / "main.py"
    host = "localhost" if address in ("127.0.0.1", "0.0.0.0", "::1") else address
    url = f"http://{host}:{port}/{page}"
    session.say(f"Open {url}   (Ctrl-C stops it)")
    if _has_screen():
        more["LABELER_OPEN"] = url
    with assets.find(".streamlit/config.toml").open("rb") as handle:
        settings = dict(_flat(tomllib.load(handle)))
    settings |= {"server.port": port, "server.address": address}
    command = [sys.executable, "-m", "streamlit", "run", str(main)]
    command += [f"--{name}={value}" for name, value in settings.items()]
    environment = dict(os.environ) | {"LABELER_DB": str(path.resolve())} | more
    if os.name == "posix":
        # In this process's place: whoever stops or kills it stops the app, and frees the store.
        sys.stderr.flush()
        os.execve(sys.executable, command, environment)
    code = subprocess.run(command, env=environment, check=False).returncode
    if code:
        raise LabelerError(f"The app ended with code {code}")


def _has_screen() -> bool:
    """Whether a browser would open a window, and not take the terminal."""
    windows = os.name == "nt" or sys.platform == "darwin"
    return windows or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _may_listen(address: str, port: int) -> None:
    """Refuse a port that is taken and an address that is none before the app is started."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        raise LabelerError(
            f"The app cannot listen on {address}, port {port}: {error.strerror}. "
            "--port and --address name another place"
        ) from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The options of a settings file under their dotted names, as flags are called. Streamlit reads
    the file itself only where the current folder holds it."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value if isinstance(value, str) else json.dumps(value)


@click.command(short_help="Copy the store, also while it is in use.")
@click.argument("file", type=click.Path(path_type=Path))
@pass_session
def backup(session: Session, /, file: Path) -> None:
    """Copy the whole store to FILE, as of one moment. Works while the app is running.

    \b
    labeler backup monday.duckdb
    """
    from labeler.store import snapshot

    with session.reader() as store:
        snapshot.back_up(store, file)
    session.say(f"{session.db.name} copied to {file}")


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    ok: bool
    said: str
    damaged: bool = False


@click.command(short_help="Say what is missing for what.")
@json_option
@pass_session
def doctor(session: Session, /, as_json: bool) -> None:
    """Say what is here, and what is missing for what; exit code 4 where the store's file is
    damaged. Nothing is changed and nothing is sent.

    \b
    labeler doctor
    labeler doctor --json
    """
    found = list(_findings(session))
    if as_json:
        session.emit({"findings": [finding._asdict() for finding in found]})
    else:
        for one in found:
            state = "ok     " if one.ok else "damaged" if one.damaged else "missing"
            click.echo(f"{state}  {one.what}: {one.said}")
    if any(one.damaged for one in found):
        raise DamageFound(f"{session.db.name} is damaged: take a back-up in its place")


def _findings(session: Session) -> Iterator[Finding]:
    versions = {name: _version(name) for name in PACKAGES}
    here = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    yield Finding("packages", True, f"Python {sys.version.split()[0]}, {here}")
    for name, version in versions.items():
        if not version:
            said = f"{name} is not installed; without it {PACKAGES[name]}"
            yield Finding("package", False, said)
    key = session.config.environment.get("ANTHROPIC_API_KEY", "").strip()
    said = "set" if key else "ANTHROPIC_API_KEY is not set; without it only `--judge claude` fails"
    yield Finding("key of the Claude judge", bool(key), said)
    if not session.db.exists():
        yield Finding("store", False, f"{session.db} is not there: `labeler import` makes it")
        return
    try:
        found = list(_in_store(session))
    except LabelerError as error:
        found = [Finding("store", False, str(error), isinstance(error, StoreDamaged))]
    yield from found


def _version(package: str) -> str:
    """The installed version of a package; "" without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _in_store(session: Session) -> Iterator[Finding]:
    """What the store holds, and the command that brings what it lacks."""
    from labeler.reports.render import counted
    from labeler.store import corpora, labels, queries, runs, spotchecks, tasks, verdicts

    with session.reader() as store:
        yield Finding("store", True, f"{session.db}, schema in order")
        counts = (
            ("corpus", corpora.count(store), "passage", "labeler import corpus"),
            ("queries", len(queries.ids(store)), "text", "labeler import queries"),
            ("runs", len(runs.systems(store)), "system", "labeler import run"),
            ("candidates", runs.candidates(store), "pair", "labeler pool"),
            ("verdicts", len(verdicts.judges(store)), "judge", "labeler judge"),
            ("spot checks", len(spotchecks.history(store)), "sample", "labeler spotcheck draw"),
        )
        for what, count, unit, command in counts:
            said = counted(count, unit) if count else f"none: `{command}`"
            yield Finding(what, count > 0, said)
        for judged in verdicts.judges(store):
            if judged.unreadable:
                name = " ".join(filter(None, judged[:3]))
                said = f"{judged.unreadable:,} of {name}: `labeler judge --retry-unreadable`"
                yield Finding("unreadable replies", False, said)
        for check in spotchecks.history(store)[:1]:
            overall = tasks.overall(store, check.name)
            said = f"{overall.done:,} of {overall.wanted:,} labels in {check.name!r}"
            yield Finding("labels", overall.done >= overall.wanted, f"{said}: `labeler app`")
        if outdated := labels.outdated(store):
            said = f"{counted(outdated, 'label')} given on an earlier version of the passage"
            yield Finding("texts", False, f"{said}: an import has changed it since")
