"""`demo`, `doctor`, `backup`, `pool`, `spotcheck`, `golden` and `export` on the sample project."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from labeler.cli.main import run
from labeler.store.db import open_store


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a sample project."""
    folder = tmp_path_factory.mktemp("demo") / "made"
    assert run(["demo", "--no-app", "--dir", str(folder)]) == 0
    return folder / "labeler.duckdb"


def test_the_sample_project_is_judged_and_drawn_and_stays_when_made_again(labeler, demo):
    before = labeler("spotcheck", "list", "--json", db=demo).json["spotchecks"]
    said = labeler("demo", "--no-app", "--dir", demo.parent)
    assert said.code == 0
    assert said.out == ""
    assert labeler("spotcheck", "list", "--json", db=demo).json["spotchecks"] == before
    (check,) = before
    assert (check["name"], check["n"], check["done"], check["wanted"]) == ("first", 30, 0, 30)
    assert check["judge"] == "lexical"
    listed = labeler("spotcheck", "list", db=demo).out
    assert "0 of    30 labels  lexical baseline" in listed


def test_doctor_says_what_is_here_and_what_is_missing(labeler, demo, tmp_path):
    found = {f["what"]: f for f in labeler("doctor", "--json", db=demo).json["findings"]}
    assert found["store"]["ok"]
    assert found["verdicts"]["ok"]
    assert found["verdicts"]["said"] == "1 judge"
    assert found["labels"]["said"] == "0 of 30 labels in 'first': `labeler app`"
    assert not found["labels"]["ok"]
    missing = labeler("doctor", db=tmp_path / "none.duckdb")
    assert missing.code == 0
    assert "none.duckdb is not there: `labeler import` makes it" in missing.out


def test_doctor_of_an_empty_store_names_the_command_for_each_thing(labeler, tmp_path):
    open_store(tmp_path / "store.duckdb").close()
    out = labeler("doctor").out
    for command in ("import corpus", "import queries", "import run", "pool", "judge"):
        assert f"none: `labeler {command}`" in out


def test_a_backup_is_a_store_of_its_own(labeler, demo, tmp_path):
    copy = tmp_path / "copy.duckdb"
    assert labeler("backup", copy, db=demo).code == 0
    listed = labeler("spotcheck", "list", "--json", db=demo).json
    assert labeler("spotcheck", "list", "--json", db=copy).json == listed
    assert labeler("golden", "verify", db=copy).code == 0


def test_pool_takes_the_top_of_every_run_and_adds_nothing_twice(labeler, table):
    header = "query_id,passage_id,rank"
    for system, passages in (("a", ("p1", "p2", "p3")), ("b", ("p2", "p4", "p5"))):
        rows = [("q", passage, rank) for rank, passage in enumerate(passages, 1)]
        labeler("import", "run", table("r.csv", rows, header=header), "--system", system)
    found = labeler("pool", "--depth", 2, "--json").json  # p1 p2 and p2 p4
    assert found == {"depth": 2, "systems": ["a", "b"], "pairs": 3, "added": 3}
    assert labeler("pool", "--depth", 2).out == "3 pairs to depth 2 of 2 runs, 0 new\n"
    assert labeler("pool", "--depth", 3, "--json").json["added"] == 2


def test_a_draw_larger_than_what_there_is_takes_all(labeler, table):
    verdicts = [(f"q{n}", "p", "YES") for n in range(7)]
    labeler("import", "verdicts", table("v.csv", verdicts), "--judge", "j")
    found = labeler("spotcheck", "draw", "all", "--n", 1000, "--json").json
    assert (found["spotcheck"], found["n"], found["judge"]) == ("all", 7, "j")


def test_a_golden_set_that_was_changed_behind_the_back_is_damage(labeler, demo, tmp_path):
    copy = tmp_path / "damaged.duckdb"
    labeler("backup", copy, db=demo)
    listed = labeler("golden", "list", "--json", db=copy).json["golden_sets"]
    assert [(g["name"], g["version"]) for g in listed] == [("larkfen", 1)]
    with open_store(copy) as store, store.write() as cursor:
        cursor.execute(
            "update golden_entries set grade = 'NO' "
            "where query_id = 'q01' and passage_id = 'err-ledger-4021'"
        )
    said = labeler("golden", "verify", "--json", db=copy)
    assert said.code == 4
    what = "passage 'err-ledger-4021' of query 'q01' is not as it was frozen"
    assert said.json["damage"][0] == {"ref": "larkfen@1", "what": what}
    assert f"larkfen@1: {what}" in said.err


def test_agreement_of_the_sample_shows_8_of_many_sources(labeler, demo, tmp_path):
    """Labels that copy the verdicts: the report has every slice, the terminal the largest."""
    copy, verdicts = tmp_path / "copy.duckdb", tmp_path / "v.csv"
    labeler("backup", copy, db=demo)
    labeler("export", "verdicts", "--to", verdicts, db=copy)
    with verdicts.open(encoding="utf-8", newline="") as handle:
        rows = [(r["query_id"], r["passage_id"], r["grade"]) for r in csv.DictReader(handle)]
    with (tmp_path / "l.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([("query_id", "passage_id", "grade"), *rows])
    labeler("import", "labels", tmp_path / "l.csv", "--annotator", "copyist", db=copy)
    found = labeler("agreement", "--by", "source", "--json", db=copy).json
    sources = [part["value"] for part in found["slices"]]
    assert "docs.larkfen.example/sync" in sources
    assert 8 < len(sources) < 60
    assert sum(part["n"] for part in found["slices"]) == found["n"] == len(rows)
    lines = labeler("agreement", "--by", "source", db=copy).out.split("By source\n")[1]
    shown = lines.splitlines()
    assert len([line for line in shown if " of " in line and "%" in line]) == 8
    assert f"  and {len(sources) - 8} smaller (the JSON holds all)" in shown


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("labels", ()),
        ("labels", ("--history",)),
        ("verdicts", ()),
        ("pairs", ()),
        ("corpus", ("--format", "beir")),
        ("queries", ()),
        ("qrels", ("--golden", "larkfen")),
        ("golden", ("--golden", "larkfen@1")),
        ("run", ("--run", "bm25")),
        ("report", ("--spotcheck", "first")),
    ],
)
def test_everything_can_be_exported(labeler, demo, tmp_path, what, options):
    to = tmp_path / "out"
    said = labeler("export", what, "--to", to, *options, db=demo)
    assert (said.code, said.out) == (0, "")
    assert said.err.endswith(f" written to {to}\n")
    assert to.exists()
