"""`labeler generate`: what it says, what it buys, and what survives a stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labeler.store import drafts
from labeler.store.db import open_reader, open_store
from tests import drafted
from tests.cli.project import Project
from tests.servers.answers import KEY

PROGRAM = [sys.executable, "-c", "from labeler.cli.main import main; main()"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    with open_store(made.db) as store:
        drafted.fill(store)
    return made


def test_without_a_key_nothing_is_drafted_and_the_cost_is_known_all_the_same(project: Project):
    said = project.run("generate", "--n", "4")
    assert said.code == 1
    assert "ANTHROPIC_API_KEY" in said.err
    dry = project.run("generate", "--n", "4", "--dry-run", "--json")
    assert dry.code == 0
    told = dry.json
    assert [stage["requests"] for stage in told["stages"]] == [4, 1, 8, 8, 5]
    assert told["requests"] == 26
    assert told["dollars"] == pytest.approx(sum(stage["dollars"] for stage in told["stages"]))
    assert "ANTHROPIC_API_KEY" in dry.err
    unknown = project.run("generate", "--n", "4", "--dry-run", "--json", "--model", "claude-nope")
    assert unknown.json["dollars"] is None
    assert unknown.json["dollars_reason"] == "no price of this model is known"


def test_a_run_reports_what_it_drew_asked_and_left_out(project: Project):
    with drafted.server() as at:
        done = project.at(at).run("generate", "--n", "4", "--json")
        paid = sum(at.paid.values())
        text = project.run("generate", "--n", "4")
        assert sum(at.paid.values()) == paid == 26
    told = done.json
    assert (told["new"], told["eligible"], len(told["passages"])) == (9, 8, 4)
    # The judge calls every pair YES: so one of the passages found answers the unanswerable one.
    states = ("waiting", "set_aside", "unchecked", "accepted", "rejected")
    assert [told[state] for state in states] == [8, 1, 0, 0, 0]
    assert told["failures"] == {"unanswered": 1}
    assert (told["left"], told["stopped"], told["problem"]) == (0, "", "")
    assert told["skipped_passages"] == []
    assert "4 passages drawn of 8 fit to be asked about, from 2 sections" in text.out
    assert "8 drafts wait on the Drafts page, 1 are set aside" in text.out


def test_the_status_lists_each_draft_with_its_checks_and_decision(project: Project):
    with drafted.server() as at:
        project.at(at).run("generate", "--n", "4", "--unanswerable", "0")
    with open_store(project.db) as store:
        first = drafts.every(store)[0].draft
        drafts.reject(store, first.draft_id, reason="nobody asks this", person="rita")
    told = project.run("generate", "--status", "--json").json
    assert (told["waiting"], told["rejected"]) == (7, 1)
    row = told["drafts"][0]
    assert (row["draft_id"], row["state"], row["passage"]) == (first.draft_id, "rejected", "same")
    assert (row["starts"], row["ends"], row["corpus"]) == (10, 20, "manual")
    assert row["decision"]["reason"] == "nobody asks this"
    assert row["decision"]["query_id"] is None
    names = {check["name"]: check["passed"] for check in row["checks"]}
    assert names == {"answered": True, "distinct": True, "from nothing": True, "wording": True}
    text = project.run("generate", "--status").out
    assert text.startswith("8 drafts: 7 waiting, 0 set aside, 0 unchecked, 0 accepted, 1 rejected")
    assert "rejected by rita" in text


def test_options_that_do_not_fit_are_refused(project: Project):
    assert project.run("generate", "--status", "--dry-run").code == 2
    said = project.run("generate", "--dry-run", "--corpus", "nope")
    assert (said.code, "no corpus 'nope'; known: manual" in said.err) == (1, True)


@pytest.mark.parametrize("order", ["wrong key", "spend limit"])
def test_a_service_that_will_not_go_on_ends_it_with_what_was_bought_kept(
    project: Project, order: str
):
    with drafted.server(orders=["", "", order]) as at:
        said = project.at(at).run("generate", "--n", "4", "--json", "--concurrency", "1")
    assert said.code == 6
    assert said.json["new"] == 4
    assert said.json["stopped"] == "service"
    assert "run it again" in said.err


def test_ctrl_c_keeps_what_came_and_the_next_run_goes_on(tmp_path: Path):
    project = Project(tmp_path)
    with open_store(project.db) as store:
        drafted.fill(store, 60)
    with drafted.server(latency=0.05) as at:
        environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": at.url}
        running = subprocess.Popen(
            [*PROGRAM, "generate", "--db", str(project.db), "--json", "--concurrency", "4"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while sum(at.paid.values()) < 12:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        assert running.returncode == 130
        told = json.loads(out)
        assert "Traceback" not in err
        with open_reader(project.db) as store:
            assert told["new"] == len(drafts.every(store)) == 2 * sum(at.paid.values())
        at.options.latency = 0.0
        done = project.at(at).run("generate", "--json").json
        assert (done["left"], done["stopped"]) == (0, "")
        assert sum(at.paid.values()) == len(at.paid)
