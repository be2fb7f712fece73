"""`labeler golden`: frozen, carried through every format, verified, and held out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labeler.store import holdouts, people
from labeler.store.db import open_store

LABELS = [
    ("q1", "p1", "YES"),
    ("q1", "p2", "PART"),
    ("q1", "p3", "NO"),
    ("q2", "p1", "NO"),
    ("q3", "pé 4", "YES"),
]


@pytest.fixture
def support(labeler, table, tmp_path):
    """Five labels frozen as support@1, of queries with texts; q1 / p3 is settled by two people."""
    asked = tmp_path / "queries.csv"
    asked.write_text("query_id,query,kind\nq1,how?,exact\nq2,why?,\nq3,wo?,\n", encoding="utf-8")
    assert labeler("import", "queries", asked).code == 0
    rows = [row for row in LABELS if " " not in row[1]]
    assert labeler("import", "labels", table("a.csv", rows), "--annotator", "anna").code == 0
    more = tmp_path / "more.jsonl"
    row = {"query_id": "q3", "passage_id": "pé 4", "grade": "YES"}
    more.write_text(json.dumps(row), encoding="utf-8")
    assert labeler("import", "labels", more, "--annotator", "ben").code == 0
    assert labeler("import", "labels", table("b.csv", rows[2:3]), "--annotator", "ben").code == 0
    split = table("split.csv", [("q9", "p1", "YES")]), table("split2.csv", [("q9", "p1", "NO")])
    for file, who in zip(split, ("anna", "ben"), strict=True):
        labeler("import", "labels", file, "--annotator", who)
    return labeler("golden", "freeze", "support", "--by", "lee", "--json").json


def test_settled_labels_are_frozen_and_what_people_differ_on_is_left_out(labeler, support):
    assert (support["golden"], support["entries"], support["new"]) == ("support@1", 5, True)
    assert (support["from_people"], support["from_judge"], support["unsettled"]) == (5, 0, 1)
    again = labeler("golden", "freeze", "support", "--json").json
    assert (again["golden"], again["new"], again["hash"]) == ("support@1", False, support["hash"])
    (listed,) = labeler("golden", "list", "--json").json["golden_sets"]
    assert listed["graded"] == {"YES": 2, "PART": 1, "NO": 2}
    assert (listed["frozen_by"], listed["source"]) == ("lee", "labels")


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("support.json", "json"),
        ("support.jsonl", "jsonl"),
        ("support.csv", "csv"),
        ("support.trec", "trec"),
        ("support.tsv", "beir"),
    ],
)
def test_every_format_out_and_in_gives_the_same_hash(labeler, support, tmp_path, file, form):
    out = tmp_path / file
    if form == "trec":  # an id with a space has no place in TREC's lines
        labeler("golden", "freeze", "plain")
        with open_store(tmp_path / "store.duckdb") as store, store.write() as cursor:
            cursor.execute("delete from label_events where passage_id = 'pé 4'")
        support = labeler("golden", "freeze", "trec", "--json").json
    name = support["golden"]
    told = labeler("export", "golden", "--golden", name, "--to", out, "--format", form)
    assert told.code == 0, told.err
    if form == "json":
        rows = json.loads(out.read_text(encoding="utf-8"))
        assert rows[0] == {
            "query_id": "q1",
            "query": "how?",
            "kind": "exact",
            "expected": ["p1"],
            "part_passages": ["p2"],
            "no_passages": ["p3"],
        }
    other = tmp_path / "other.duckdb"
    brought = labeler("import", "golden", out, "--name", "again", db=other)
    assert brought.code == 0, brought.err
    frozen = labeler("golden", "freeze", "again", "--json", db=other).json
    assert (frozen["golden"], frozen["hash"]) == ("again@1", support["hash"])
    assert labeler("golden", "verify", out, "--golden", name).code == 0
    assert labeler("golden", "verify", out, db=other).code == 0


def test_any_edited_byte_of_a_file_is_found_and_named(labeler, support, tmp_path):
    out = tmp_path / "support.json"
    labeler("export", "golden", "--golden", "support", "--to", out)
    data = out.read_bytes()
    assert labeler("golden", "verify", out).code == 0
    for place in range(0, len(data), 7):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        out.write_bytes(changed)
        said = labeler("golden", "verify", out)
        assert said.code == 4, changed
        line = data[:place].count(b"\n") + 1
        assert f"support.json, line {line}" in said.err or place == 0
    out.write_bytes(data + b"\n")
    assert labeler("golden", "verify", out).code == 4


def test_any_edited_entry_of_the_store_is_found_and_named(labeler, support, tmp_path):
    assert labeler("golden", "verify").code == 0
    with open_store(tmp_path / "store.duckdb") as store, store.write() as cursor:
        cursor.execute("update golden_entries set query = 'how!' where passage_id = 'p2'")
    said = labeler("golden", "verify", "--json")
    assert said.code == 4
    assert said.json["damage"] == [
        {"ref": "support@1", "what": "passage 'p2' of query 'q1' is not as it was frozen"}
    ]
    assert "support@1: passage 'p2' of query 'q1'" in said.err


def test_a_changed_grade_needs_a_reason_and_shows_in_the_diff(labeler, support, table):
    labeler("import", "labels", table("c.csv", [("q1", "p1", "PART")]), "--annotator", "anna")
    said = labeler("golden", "freeze", "support")
    assert said.code == 1
    assert "1 grade would be other than in support@1" in said.err
    assert labeler("golden", "freeze", "support", "--reason", "read again").code == 0
    told = labeler("golden", "diff", "support@1", "support@2", "--json").json
    assert told["reason"] == "read again"
    assert [tuple(change.values()) for change in told["changes"]] == [
        ("q1", "p1", "YES", "PART", "labels of anna")
    ]
    versions = labeler("golden", "list", "--history", "--json").json["golden_sets"]
    assert [one["version"] for one in versions] == [1, 2]


def test_a_judges_verdicts_are_frozen_only_where_the_gate_trusts_it_or_it_is_overridden(
    labeler, support, table, tmp_path
):
    verdicts = table("v.csv", [("q1", "p1", "YES"), ("q9", "p1", "YES"), ("q7", "p7", "PART")])
    labeler("import", "verdicts", verdicts, "--judge", "j")
    freeze = ("golden", "freeze", "more", "--from", "labels+judge")
    said = labeler(*freeze)
    assert said.code == 1
    assert "not frozen: UNDECIDED" in said.err
    done = labeler(*freeze, "--override", "a pilot", "--by", "lee", "--json").json
    # q1 / p1 is people's, and of q9 / p1 they differ: only q7 / p7 is the judge's.
    assert (done["from_people"], done["from_judge"], done["entries"]) == (5, 1, 6)
    listed = labeler("golden", "list", "--json").json["golden_sets"][0]
    assert (listed["judge"], listed["decision"], listed["override"]) == (
        "j",
        "UNDECIDED",
        "a pilot",
    )
    change = labeler("golden", "diff", "support", "more", "--json").json["changes"][0]
    assert change["origin"] == "verdict of j (UNDECIDED, overridden: a pilot)"
    with open_store(tmp_path / "store.duckdb") as store:
        assert next((a.person, a.action, a.subject) for a in people.history(store)) == (
            "lee",
            "freeze",
            "more@1",
        )


def test_a_trusted_judge_needs_no_override(labeler, table):
    """40 of 40 agree, half of them YES: the bound is 7.2%, and always NO is wrong on half."""
    rows = [(f"q{n}", "p", "YES" if n % 2 else "NO") for n in range(40)]
    labeler("import", "labels", table("l.csv", rows), "--annotator", "anna")
    more = [*rows, ("q99", "p", "YES")]
    labeler("import", "verdicts", table("v.csv", more), "--judge", "j")
    done = labeler("golden", "freeze", "g", "--from", "labels+judge", "--json").json
    assert (done["from_people"], done["from_judge"]) == (40, 1)


def test_held_out_queries_are_the_same_always_and_every_look_is_counted(
    labeler, table, tmp_path: Path
):
    rows = [(f"q{n}", "p", "YES") for n in range(50)]
    labeler("import", "labels", table("l.csv", rows), "--annotator", "anna")
    assert labeler("golden", "freeze", "g", "--hold-out", "0.3").code == 0
    said = labeler("golden", "freeze", "g", "--hold-out", "0.5")
    assert said.code == 1
    assert "decided once" in said.err
    with open_store(tmp_path / "store.duckdb") as store:
        from labeler.store import goldens

        part = holdouts.part(store, goldens.named(store, "g"))
        assert part.open | part.held_out == {f"q{n}" for n in range(50)}
        assert 5 <= len(part.held_out) <= 25  # 15 expected, standard deviation 3.2
        assert part.looks == 0
        assert [holdouts.look(store, "g", purpose="release", person="lee") for _ in range(2)] == [
            1,
            2,
        ]
        assert holdouts.part(store, goldens.named(store, "g")).looks == 2
        assert people.history(store)[0].action == "look at held-out queries"


def test_with_nothing_settled_there_is_nothing_to_freeze(labeler, table):
    labeler("import", "verdicts", table("v.csv", [("q", "p", "YES")]), "--judge", "j")
    said = labeler("golden", "freeze", "g")
    assert said.code == 1
    assert "no pair has a settled label" in said.err


def test_a_store_whose_file_has_a_flipped_byte_is_damage(labeler, support, tmp_path):
    """DuckDB's blocks carry checksums: a byte within one of them is found when it is read."""
    path = tmp_path / "store.duckdb"
    data = path.read_bytes()
    said = set()
    for place in range(12_288 + 64, len(data), len(data) // 24):
        broken = tmp_path / "broken.duckdb"
        broken.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        done = labeler("golden", "verify", db=broken)
        said.add(done.code)
        assert done.code in (0, 4), done.err  # 0: in a block that no golden set stands in
        if done.code == 4:
            assert "broken.duckdb" in done.err
    assert 4 in said


def test_what_the_caller_may_not_see_or_what_is_not_in_force_is_not_expected(
    labeler, table, tmp_path
):
    passages = [
        {"passage_id": "open", "text": "a"},
        {"passage_id": "secret", "text": "b", "scope": "hr"},
        {"passage_id": "old", "text": "c", "effective_to": "2020-12-31"},
    ]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, passages)), encoding="utf-8")
    labeler("import", "corpus", corpus)
    asked = tmp_path / "queries.csv"
    asked.write_text("query_id,query,as_of\nq,how?,2026-01-01\n", encoding="utf-8")
    labeler("import", "queries", asked)
    rows = [("q", passage["passage_id"], "YES") for passage in passages]
    labeler("import", "labels", table("a.csv", rows), "--annotator", "anna")
    done = labeler("golden", "freeze", "support", "--json").json
    # Of three pairs graded YES one can be expected; the other two stay labels, and no answer.
    assert (done["entries"], done["from_people"], done["barred"]) == (1, 1, 2)


def test_evaluation_leaves_held_out_queries_alone_unless_asked_and_counts_the_looks(
    labeler, table, tmp_path
):
    rows = [(f"q{n}", f"p{n}", "YES") for n in range(40)]
    labeler("import", "labels", table("a.csv", rows), "--annotator", "anna")
    labeler("golden", "freeze", "support", "--hold-out", "0.3")
    run = [(query, passage, 1) for query, passage, _ in rows]
    file = table("r.csv", run, header="query_id,passage_id,rank")
    labeler("import", "run", file, "--system", "s")
    seen = labeler("evaluate", "--run", "s", "--json").json
    assert seen["n_queries"] + seen["queries_held_out"] == 40
    assert 0 < seen["queries_held_out"] < 40
    held = labeler("evaluate", "--run", "s", "--held-out", "release 2", "--json")
    assert held.json["n_queries"] == seen["queries_held_out"]
    assert held.json["golden"] == "support@1 held out"
    assert "Look 1 at the queries" in held.err
    again = labeler("evaluate", "--run", "s", "--held-out", "release 3", "--json")
    assert "Look 2 at the queries" in again.err


def test_a_golden_set_that_holds_nothing_out_cannot_be_asked_for_it(labeler, support, table):
    file = table("r.csv", [("q1", "p1", 1)], header="query_id,passage_id,rank")
    labeler("import", "run", file, "--system", "s")
    said = labeler("evaluate", "--run", "s", "--held-out", "curious")
    assert (said.code, said.out) == (1, "")
    assert "holds no query out" in said.err
