"""`labeler judge` and `labeler rubric`: options, output and exit codes."""

from __future__ import annotations

import json

import pytest

from labeler.store import verdicts
from labeler.store.db import open_store
from tests.cli.project import Project
from tests.judged import fill
from tests.servers.answers import KEY
from tests.servers.claude import Claude


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    with open_store(made.db) as store:
        fill(store, 7)
    return made


def test_a_run_prints_one_json_object_and_nothing_else(project):
    with Claude() as server:
        ran = project.at(server).run("judge", "--json")
    assert ran.code == 0
    told = ran.json
    assert (told["judge"], told["rubric"], told["model"]) == (
        "claude",
        "relevance@1",
        "claude-haiku-5-5",
    )
    assert (told["judged"], told["left"], told["problem"]) == (7, 0, "")
    assert sum(told["grades"].values()) == 7
    assert told["cost"] == pytest.approx(7 * 0.00012)
    assert ran.err == ""


def test_a_report_in_words_names_grades_cost_and_what_is_unreadable(project):
    with Claude(orders=["off-enum"]) as server:
        ran = project.at(server).run("judge", "--concurrency", "1")
    assert ran.code == 0
    assert "claude, relevance@1, claude-haiku-5-5: 6 pairs judged" in ran.out
    assert "1 unreadable reply kept, to be asked again when that is wanted" in ran.out
    assert "--retry-unreadable" in ran.err
    assert "$0.0008 (7,000 tokens in, 280 out)" in ran.out


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "ANTHROPIC_API_KEY is not set"),
        ({"ANTHROPIC_API_KEY": ""}, "is set but empty"),
        ({"ANTHROPIC_API_KEY": "  "}, "is set but empty"),
        ({"ANTHROPIC_API_KEY": KEY + "\n"}, "a line break"),
    ],
)
def test_a_key_that_will_not_do_is_said_before_anything_is_sent(project, environment, words):
    with Claude() as server:
        project.environment = {**environment, "ANTHROPIC_BASE_URL": server.url}
        ran = project.run("judge")
    assert ran.code == 1
    assert words in ran.err
    assert server.asked == {}


@pytest.mark.parametrize(
    ("always", "words"),
    [
        ("wrong key", "does not accept the key"),
        ("forbidden", "may not do this"),
        ("spend limit", "spend limit or credit is used up"),
        ("429", "Nothing came through"),
        ("html", "5 questions in a row"),
    ],
)
def test_a_service_that_will_not_do_is_exit_6_with_the_reason(project, always, words):
    with Claude(always=always) as server:
        ran = project.at(server).run("judge", "--json", "--concurrency", "1")
    assert ran.code == 6
    assert words in ran.err
    assert KEY not in ran.out + ran.err
    assert not any(verdict.grade for verdict in project.standing())


def test_an_unknown_model_is_exit_6_and_nothing_is_bought(project):
    with Claude() as server:
        ran = project.at(server).run("judge", "--model", "claude-nope")
    assert ran.code == 6
    assert "knows no model 'claude-nope'" in ran.err
    assert server.paid == {}


def test_a_spent_budget_is_exit_6_with_what_came_stored(project):
    with Claude() as server:
        ran = project.at(server).run(
            "judge", "--json", "--max-cost", "0.0022", "--concurrency", "1"
        )
    # a call costs $.00012 and at worst about $.00067: calls go on while spent + worst <= .0022
    assert ran.code == (6 if ran.json["left"] else 0)
    assert ran.json["cost"] <= 0.0022
    with Claude() as server:
        ran = project.at(server).run("judge", "--max-cost", "0.0001", "--model", "claude-opus-5-5")
    assert ran.code == 6
    assert "the budget of $0.0001" in ran.err
    assert server.paid == {}


def test_a_price_that_is_not_known_forbids_a_budget_and_labeler_toml_mends_it(project):
    with Claude() as server:
        ran = project.at(server).run("judge", "--model", "claude-next", "--max-cost", "1")
        assert ran.code == 1
        assert "[prices]" in ran.err
        told = {"claude-next": {"input": 1.0, "output": 1.0}}
        ran = project.run(
            "judge", "--json", "--model", "claude-next", "--max-cost", "1", prices=told
        )
    assert ran.json["cost"] == pytest.approx(7 * 1040 / 1e6)


def test_a_dry_run_shows_each_model_single_against_batch_and_buys_nothing(project):
    with Claude() as server:
        ran = project.at(server).run("judge", "--dry-run", "--json")
    assert ran.code == 0
    assert server.paid == {}
    told = ran.json
    assert (told["requests"], told["pairs"]) == (7, 7)
    for model in told["models"]:
        assert model["batch"] == pytest.approx(model["single"] / 2)
    assert {"claude-haiku-5-5", "claude-opus-5-5"} <= {model["model"] for model in told["models"]}


def test_a_dry_run_without_a_key_estimates(project):
    ran = project.run("judge", "--dry-run")
    assert ran.code == 0
    assert "Tokens are estimated" in ran.err
    assert "7 requests for 7 pairs; nothing was bought" in ran.out


def test_batches_go_out_with_one_command_and_come_back_with_another(project):
    with Claude() as server:
        sent = project.at(server).run("judge", "--batch", "--json")
        assert (sent.code, sent.json["submitted"], sent.json["batches"]) == (
            0,
            7,
            ["msgbatch_1"],
        )
        came = project.run("judge", "--resume", "--json")
        assert (came.code, came.json["judged"], came.json["collected"]) == (0, 7, ["msgbatch_1"])
        assert project.run("judge", "--resume").out == "No batch is open\n"
    assert server.asked["POST /v1/messages"] == 0


def test_the_canaries_report_how_many_flipped(project):
    with Claude() as server:
        ran = project.at(server).run("judge", "--canaries", "--json")
    told = ran.json
    assert ran.code == 0
    assert told["n"] == len(told["canaries"]) >= 25
    assert told["flipped"] == sum(one["grade"] == one["pushes"] for one in told["canaries"])
    assert told["cost"] == pytest.approx(told["n"] * 0.00012)
    assert project.standing() == []


def test_the_lexical_baseline_needs_no_key_and_is_called_what_it_is(project):
    ran = project.run("judge", "--judge", "lexical")
    assert ran.code == 0
    assert ran.out.startswith("lexical baseline, lexical@1: 7 pairs judged")
    assert len(project.standing()) == 7
    assert "canaries flipped" in project.run("judge", "--judge", "lexical", "--canaries").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--batch", "--resume"], "--batch and --resume do not go together"),
        (["--canaries", "--dry-run"], "--dry-run and --canaries do not go together"),
        (["--judge", "lexical", "--batch"], "--batch is for the judge claude"),
        (["--judge", "lexical", "--max-cost", "1"], "--max-cost is for the judge claude"),
        (["--judge", "lexical", "--rubric", "strict"], "follows its own rule"),
        (["--judge", "nobody"], "There is no judge 'nobody'"),
        (["--limit", "-1"], "-1 is not in the range"),
    ],
)
def test_options_that_do_not_fit_together_are_exit_2(project, arguments, words):
    ran = project.run("judge", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_recorded_judge_cannot_be_asked_again(project):
    from labeler.model import Grade, Status, Verdict

    with open_store(project.db) as store:
        verdicts.record(store, [Verdict("q0", "p0", "ours", Grade.NO, Status.OK)])
    ran = project.run("judge", "--judge", "ours")
    assert ran.code == 1
    assert "labeler import verdicts" in ran.err


def test_rubrics_are_added_listed_and_compared(project, tmp_path):
    file, shown = tmp_path / "strict.md", tmp_path / "examples.jsonl"
    file.write_text("Be strict.\n", encoding="utf-8")
    row = {"query": "a", "passage": "b", "reason": "c", "grade": "NO"}
    shown.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert project.run("rubric", "add", str(file), "--name", "strict").out == "strict@1 added\n"
    again = project.run("rubric", "add", str(file), "--name", "strict", "--json")
    assert again.json["added"] is False
    more = ["--name", "strict", "--examples", str(shown), "--by", "lead", "--json"]
    assert project.run("rubric", "add", str(file), *more).json["rubric"] == "strict@2"
    listed = project.run("rubric", "list", "--json").json["rubrics"]
    assert [one["rubric"] for one in listed] == ["strict@1", "strict@2"]
    assert "+example: " in project.run("rubric", "diff", "strict@1", "strict").out
    with Claude() as server:
        ran = project.at(server).run("judge", "--json", "--rubric", "strict@1")
    assert ran.json["rubric"] == "strict@1"


def test_a_malformed_example_is_named_by_file_and_line(project, tmp_path):
    file, shown = tmp_path / "strict.md", tmp_path / "examples.jsonl"
    file.write_text("Be strict.", encoding="utf-8")
    good = '{"query": "a", "passage": "b", "reason": "c", "grade": "NO"}'
    shown.write_text(f"{good}\n{good.replace('NO', 'MAYBE')}\nnope\n", encoding="utf-8")
    ran = project.run("rubric", "add", str(file), "--name", "s", "--examples", str(shown))
    assert ran.code == 1
    assert "examples.jsonl, line 2: grade 'MAYBE', expected YES, PART or NO" in ran.err
    assert "examples.jsonl, line 3: nope" in ran.err
