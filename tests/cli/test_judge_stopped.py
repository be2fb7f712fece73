"""What survives of `labeler judge` when it is killed or interrupted, and where its key is not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from labeler.store.db import open_store
from tests.cli.project import Project
from tests.judged import fill
from tests.servers.answers import KEY
from tests.servers.claude import Claude

PROGRAM = [sys.executable, "-c", "from labeler.cli.main import main; main()"]


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    with open_store(made.db) as store:
        fill(store, 7)
    return made


def _environment(server):
    told = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
    return {**os.environ, **told}


def _start(project, server, *arguments):
    return subprocess.Popen(
        [*PROGRAM, "judge", "--db", str(project.db), "--json", *arguments],
        env=_environment(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(server, paid):
    deadline = time.monotonic() + 60
    while sum(server.paid.values()) < paid:
        assert time.monotonic() < deadline
        time.sleep(0.005)


KILLS = int(os.environ.get("LABELER_TEST_KILLS", "4"))


def test_kill_9_in_the_middle_costs_at_most_what_was_in_flight(tmp_path):
    project = Project(tmp_path)
    with open_store(project.db) as store:
        fill(store, 30 * (KILLS + 1))
    flying = 8
    with Claude(latency=0.03) as server:
        for turn in range(KILLS):
            before = sum(server.paid.values())
            running = _start(project, server, "--concurrency", str(flying))
            _wait_for(server, before + 20)
            running.send_signal(signal.SIGKILL)
            running.communicate()
            stored = len(project.standing())
            assert sum(server.paid.values()) - stored <= flying * (turn + 1)
        running = _start(project, server, "--concurrency", str(flying))
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 0
        assert json.loads(out)["left"] == 0
        pairs = 30 * (KILLS + 1)
        assert len(server.paid) == len(project.standing()) == pairs
        paid = sum(server.paid.values())
        assert paid - pairs <= flying * KILLS
        assert project.at(server).run("judge", "--json").json["judged"] == 0
        assert sum(server.paid.values()) == paid


def test_ctrl_c_keeps_what_came_back_and_loses_nothing_in_flight(tmp_path):
    project = Project(tmp_path)
    with open_store(project.db) as store:
        fill(store, 200)
    with Claude(latency=0.05) as server:
        running = _start(project, server, "--concurrency", "4")
        _wait_for(server, 20)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        assert running.returncode == 130
        told = json.loads(out)
        assert told["stopped"] == "interrupted"
        assert "Traceback" not in err
        assert told["judged"] == len(project.standing()) == sum(server.paid.values()) < 200


def test_the_key_is_in_no_log_even_where_the_client_logs_all_it_does(project):
    with Claude(orders=["429", "500"], echo_key=True) as server:
        told = {"ANTHROPIC_LOG": "debug", "PYTHONFAULTHANDLER": "1"}
        ran = subprocess.run(
            [*PROGRAM, "judge", "--db", str(project.db), "--concurrency", "1"],
            env={**_environment(server), **told},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.returncode == 0
    assert KEY not in ran.stdout + ran.stderr
    assert KEY.encode() not in b"".join(f.read_bytes() for f in project.db.parent.iterdir())


def test_the_help_comes_without_loading_the_client_or_the_bar():
    code = (
        "import sys; import labeler.cli.judge, labeler.cli.rubric; "
        "print(sorted({'anthropic', 'pyarrow', 'rich', 'duckdb', 'httpx2'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
