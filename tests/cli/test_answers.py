"""`labeler answers`, from a file to which stage to work on."""

from __future__ import annotations

import csv
import json
import uuid

import pytest

from labeler.model import Grade, LabelEvent
from labeler.store import labels, tasks
from labeler.store.db import open_store
from tests.answered import ANSWERS, claims, fill, written
from tests.cli.project import Project
from tests.servers.claude import Claude


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    with open_store(made.db) as store:
        fill(store)
    return made


@pytest.fixture
def answers(tmp_path):
    return str(written(tmp_path / "answers.jsonl", ANSWERS))


def test_the_whole_path(project, answers, tmp_path):
    assert project.run("answers", "import", answers, "--system", "secret-bot").code == 0
    again = project.run("answers", "import", answers, "--system", "secret-bot", "--json").json
    assert (again["kind"], again["read"], again["added"]) == ("answers", 3, 0)

    dry = project.run("answers", "judge", "--dry-run", "--json")
    assert "ANTHROPIC_API_KEY is not set" in dry.err
    assert [dry.json[of]["requests"] for of in ("correctness", "faithfulness")] == [3, 3]
    with Claude(write=claims) as server:
        done = project.at(server).run("answers", "judge", "--json").json
        assert (done["correctness"]["judged"], done["faithfulness"]["kept"]) == (3, 3)
        again = project.run("answers", "judge")
        assert "0 answers judged" in again.out
        assert "3 checked before" in again.out
        assert sum(server.paid.values()) == 6

    drawn = project.run("spotcheck", "draw", "blind", "--rubric", "correctness@1")
    assert drawn.code == 0
    with open_store(project.db) as store:
        window = tasks.window(store, spotcheck="blind", annotator="anna")
        told = tasks.texts(store, spotcheck="blind", annotator="anna", tasks=window.open)
        assert len(told) == 3
        assert "secret-bot" not in repr(told)
        events = [
            LabelEvent(
                str(uuid.uuid4()),
                text.query.query_id,
                text.passage.passage_id,
                "anna",
                "label",
                Grade.YES,
                spotcheck="blind",
            )
            for text in told
        ]
        assert not labels.record(store, events).refused

    agreed = project.run("agreement", "--spotcheck", "blind", "--json").json
    assert (agreed["rubric"], agreed["n"]) == ("correctness@1", 3)
    told = project.run("answers", "report", "--json").json
    (system,) = told["systems"]
    assert told["judge"]["spotcheck"] == "blind"
    assert told["judge"]["decision"] == agreed["decision"]
    assert system["correctness"]["strict"]["people_only"]["value"] == 1.0
    assert system["end_to_end"]["people_only"]["value"] == 0.75  # q-late has no answer
    assert system["fates"]["OK"] + system["fates"]["LUCKY"] + system["fates"]["REFUSED"] == 3
    text = project.run("answers", "report").out
    assert "secret-bot, production context" in text
    assert "Not known: import the answers to the same queries" in text


def test_the_labels_of_answers_are_exported_and_are_no_qrels(project, answers, tmp_path):
    project.run("answers", "import", answers, "--system", "bot")
    written(tmp_path / "graded.jsonl", [{**ANSWERS[0], "grade": "YES"}])
    graded = str(tmp_path / "graded.jsonl")
    ran = project.run("answers", "import", graded, "--system", "bot", "--annotator", "anna")
    assert ran.code == 0
    out = tmp_path / "out.csv"
    assert project.run("export", "labels", "--to", str(out)).code == 0
    with out.open(encoding="utf-8", newline="") as handle:
        (row,) = csv.DictReader(handle)
    assert row["passage_id"].startswith("answer-")
    qrels = project.run("export", "qrels", "--to", str(tmp_path / "out.qrels"))
    assert "answer-" not in (tmp_path / "out.qrels").read_text() if qrels.code == 0 else True


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_exported_answers_name_the_ids_that_verdicts_are_imported_by(
    project, answers, tmp_path, form
):
    project.run("answers", "import", answers, "--system", "bot")
    out = tmp_path / f"out.{form}"
    assert project.run("export", "answers", "--to", str(out)).code == 0
    text = out.read_text(encoding="utf-8")
    rows = (
        list(csv.DictReader(text.splitlines()))
        if form == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    said = tmp_path / "verdicts.csv"
    lines = [f"{row['query_id']},{row['answer_id']},YES" for row in rows]
    said.write_text("\n".join(["query_id,passage_id,grade", *lines]) + "\n")
    ran = project.run(
        "import", "verdicts", str(said), "--judge", "mine", "--rubric", "correctness@1"
    )
    assert ran.err == ""  # every id joins
    told = project.run("answers", "report", "--json").json
    right = told["systems"][0]["correctness"]["strict"]["judge_only"]
    assert (told["judge"]["judge"], right["value"]) == ("mine", 1.0)
    again = project.run("answers", "import", str(out), "--system", "bot", "--json").json
    assert again["added"] == 0


def test_errors_are_sentences_with_their_exit_codes(project, answers, tmp_path):
    assert project.run("answers", "report").code == 1
    bad = written(tmp_path / "bad.jsonl", [{"query_id": "a"}])
    ran = project.run("answers", "import", str(bad), "--system", "bot")
    assert ran.code == 1
    assert "bad.jsonl, line 1: no answer among the columns query_id" in ran.err
    ran = project.run("answers", "import", answers, "--system", "bot", "--context", "best")
    assert ran.code == 2
    project.run("answers", "import", answers, "--system", "bot")
    with Claude(write=claims) as server:
        project.at(server)
        server.options.always = "no credit"
        ran = project.run("answers", "judge")
    assert ran.code == 6
    assert "Run it again to go on" in ran.err
    assert project.run("answers", "report", "--judge", "who").code == 1
    ran = project.run("agreement")
    assert ran.code == 1
    assert "There are no verdicts" in ran.err


def test_verdicts_on_answers_come_by_batches_too(project, answers):
    project.run("answers", "import", answers, "--system", "bot")
    with Claude(write=claims) as server:
        project.at(server)
        sent = project.run("answers", "judge", "--batch", "--json").json
        assert sent["submitted"] == 3
        assert project.run("judge", "--resume").code == 0
        done = project.run("answers", "judge", "--no-faithfulness", "--json").json
        assert (done["correctness"]["judged_before"], done["faithfulness"]) == (3, None)
        assert sum(server.paid.values()) == 3
    assert {v.rubric for v in project.standing()} == {"correctness@1"}
    assert project.run("answers", "judge", "--batch", "--dry-run").code == 2
