"""The program as a whole: help, the store's name, exit codes, output, start-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import click
import pytest

from labeler import __version__
from labeler.cli.main import COMMANDS, cli, run
from labeler.store import queries
from labeler.store.db import open_store

HEAVY = (
    "duckdb",
    "numpy",
    "pandas",
    "streamlit",
    "anthropic",
    "sklearn",
    "scipy",
    "rich",
    "statsmodels",
)


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            for inner, sub in command.commands.items():
                yield f"{name} {inner}", sub


EVERY = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_lines_of_the_help_are_the_commands_own(name):
    assert EVERY[name].short_help == COMMANDS[name][1]


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_help_with_an_example_and_takes_db(name, capsys):
    assert run([*name.split(), "--help"]) == 0
    said = capsys.readouterr()
    assert f"labeler {name}" in said.out.split("Usage:")[1].split("\n", 1)[1]
    assert said.err == ""
    if not isinstance(EVERY[name], click.Group):
        assert "--db FILE" in said.out
        assert all(o.help for o in EVERY[name].params if isinstance(o, click.Option))


def test_the_help_of_the_program_names_every_command_and_the_version(capsys):
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n  {name} " in out for name in COMMANDS)
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"labeler {__version__}\n"


def test_db_stands_before_or_after_the_command_and_the_last_counts(tmp_path, table, capsys):
    labels = str(table("l.csv", [("q", "p", "YES")]))
    first, second = str(tmp_path / "first.duckdb"), str(tmp_path / "second.duckdb")
    brought = ["import", "labels", labels, "--annotator", "a"]
    assert run(["--db", first, *brought]) == 0
    assert run([*brought, "--db", second]) == 0
    assert run(["--db", first, *brought, "--db", second]) == 0
    assert "1 was there already" in capsys.readouterr().out
    assert Path(first).exists()
    assert Path(second).exists()


def test_the_variable_names_the_store_before_the_settings_file_does(tmp_path):
    (tmp_path / "labeler.toml").write_text('db = "file.duckdb"\n')
    (tmp_path / "q.csv").write_text("query_id,text\nq,t\n")
    done = program("import", "queries", "q.csv", cwd=tmp_path, LABELER_DB="variable.duckdb")
    assert (done.returncode, done.stdout) == (0, "queries: 1 read, 1 added\n")
    assert {path.name for path in tmp_path.glob("*.duckdb")} == {"variable.duckdb"}


def program(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ) | variables
    code = "from labeler.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "content", ["db = [1]", 'db = "t', "db = true", b"\xff\xfe\x00", None], ids=str
)
def test_a_settings_file_that_makes_no_sense_is_named(tmp_path, capsys, content):
    file = tmp_path / "labeler.toml"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with chdir(tmp_path):
        assert run(["agreement"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Error: labeler.toml")


def test_a_command_that_is_none_is_a_usage_error(labeler):
    assert labeler("bogus").code == 2
    assert labeler("agreement", "--bogus").code == 2
    assert labeler("import", "labels", "x.csv").code == 2  # --annotator is missing


def test_ctrl_c_ends_with_130_and_leaves_nothing_half_imported(tmp_path):
    """300,000 rows take seconds; the signal comes as soon as the store is held."""
    (tmp_path / "queries.jsonl").write_text(
        "".join(f'{{"query_id": "q{n}", "text": "t"}}\n' for n in range(300_000))
    )
    code = (
        "import os, pathlib, signal, threading, time\n"
        "from labeler.cli.main import main\n"
        "def stop():\n"
        "    while not pathlib.Path('s.duckdb.holder').exists(): time.sleep(0.01)\n"
        "    time.sleep(0.2)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=stop, daemon=True).start()\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "import", "queries", "queries.jsonl", "--db", "s.duckdb"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "Stopped.")
    with open_store(tmp_path / "s.duckdb") as store:
        assert queries.ids(store) == set()


def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path, table, labeler):
    pairs = [(f"q{n}", f"p{n}", "YES") for n in range(3000)]
    labeler("import", "labels", table("l.csv", pairs), "--annotator", "a")
    verdicts = table("v.csv", [(q, p, "NO") for q, p, _ in pairs])
    labeler("import", "verdicts", verdicts, "--judge", "j")
    code = "from labeler.cli.main import main; main()"
    db = str(tmp_path / "store.duckdb")
    with subprocess.Popen(
        [sys.executable, "-c", code, "disagreements", "--db", db],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.readline()
        started.stdout.close()
        err = started.stderr.read()
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_json_is_ascii_where_the_terminal_is(tmp_path, labeler, table):
    rows = [("q", "p", "YES", "Zoë")]
    labels = table("l.csv", rows, header="query_id,passage_id,grade,annotator")
    labeler("import", "labels", labels, "--annotator", "x")
    labeler("import", "verdicts", table("v.csv", [("q", "p", "NO")]), "--judge", "jürgen")
    done = program(
        *("disagreements", "--json", "--db", str(tmp_path / "store.duckdb")),
        cwd=tmp_path,
        PYTHONIOENCODING="ascii",
    )
    assert json.loads(done.stdout)["judge"] == "jürgen"


def loaded(*arguments: str, cwd: Path) -> set[str]:
    """The heavy packages that a command line loads."""
    code = (
        "import sys; from labeler.cli.main import run; run(sys.argv[1:]);"
        f"print(*(m for m in {HEAVY} if m in sys.modules),"
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def test_help_loads_nothing_heavy(tmp_path):
    assert loaded("--help", cwd=tmp_path) == set()
    assert loaded("import", "--help", cwd=tmp_path) == set()


def test_an_import_of_a_run_does_without_pandas(tmp_path, table):
    run_file = table("r.csv", [("q", "p", 1)], header="query_id,passage_id,rank")
    needed = loaded("import", "run", str(run_file), "--system", "s", "--db", "x", cwd=tmp_path)
    assert needed == {"duckdb", "numpy"}


def test_agreement_loads_only_what_it_computes_with(tmp_path, labeler, table):
    labeler("import", "labels", table("l.csv", [("q", "p", "YES")]), "--annotator", "a")
    labeler("import", "verdicts", table("v.csv", [("q", "p", "NO")]), "--judge", "j")
    needed = loaded("agreement", "--db", str(tmp_path / "store.duckdb"), cwd=tmp_path)
    assert needed <= {"duckdb", "numpy", "scipy"}
