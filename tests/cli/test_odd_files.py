"""Odd files through the program: what it says of names, pipes and ids that nearly join is true."""

from __future__ import annotations

import json
import os
import unicodedata


def test_a_name_that_is_no_utf8_is_imported_and_logged_as_text(labeler, tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_text("query_id,text\nq1,one\n,two\n")
    said = labeler("import", "queries", path, "--skip-bad", "--json")
    assert said.code == 0
    assert said.json["file"] == r"caf\xe9.csv"
    assert [one["file"] for one in said.json["left_out"]] == [r"caf\xe9.csv"]
    assert (said.json["read"], said.json["added"]) == (1, 1)


def test_a_pipe_is_one_clear_error(labeler, tmp_path):
    os.mkfifo(tmp_path / "run.trec")
    for kind, options in (("run", ("--system", "s")), ("queries", ()), ("corpus", ())):
        said = labeler("import", kind, tmp_path / "run.trec", *options)
        assert (said.code, said.out) == (1, "")
        assert said.err.startswith("Error: run.trec: a pipe or a device, expected a file")


def test_ids_that_nearly_join_are_counted_each_once(labeler, tmp_path):
    """Of 200 queries in the run 195 are known; 2 would be after NFC, 1 after trimming, 1 in another
    case, and 1 is not known at all. Of its two passages one is known, and would be nothing else."""
    known = [f"q{number}é" for number in range(200)]
    asked = [*known[:195], *(unicodedata.normalize("NFD", one) for one in known[195:197])]
    asked += [f"\u00a0{known[197]}", known[198].upper(), "none"]
    lines = (json.dumps({"query_id": one, "text": "a"}, ensure_ascii=False) for one in known)
    (tmp_path / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "c.csv").write_text("id,text\np1,a\n")
    rows = (f"{one} Q0 p{rank} {rank} {3 - rank} s\n" for one in asked for rank in (1, 2))
    (tmp_path / "r.trec").write_text("".join(rows), encoding="utf-8")
    assert labeler("import", "queries", tmp_path / "q.jsonl").code == 0
    assert labeler("import", "corpus", tmp_path / "c.csv").code == 0
    said = labeler("import", "run", tmp_path / "r.trec", "--system", "s", "--json").json
    assert (said["read"], said["added"]) == (400, 400)
    padded, of_queries, of_passages = said["remarks"]
    assert padded == "r.trec, lines 395, 396: query_id has blanks around it, which are kept"
    assert of_queries.startswith(
        "195 of 200 queries join, 2 more would after NFC, 1 more would after trimming blanks, "
        "quotation marks, leading zeros or a final .0, 1 more would if case did not count ("
    )
    assert of_passages == "1 of 2 passages join; the others are kept as ids without text"
    pooled = labeler("pool", "--depth", 1, "--json").json
    assert (pooled["pairs"], pooled["added"]) == (200, 200)


def test_queries_that_come_after_their_run_are_held_against_it(labeler, tmp_path):
    """The run ranks q1, q2 and q3: one comes, one in another case, and one not at all."""
    rows = (f"q{number} Q0 p1 1 1.0 s\n" for number in (1, 2, 3))
    (tmp_path / "r.trec").write_text("".join(rows))
    (tmp_path / "q.csv").write_text("query_id,text\nq1,a\nQ2,b\n")
    (tmp_path / "c.csv").write_text("id,text\np1,a\n")
    assert labeler("import", "run", tmp_path / "r.trec", "--system", "s").code == 0
    said = labeler("import", "queries", tmp_path / "q.csv", "--json").json
    assert said["remarks"] == [
        "of what the runs rank, 1 of 3 queries join, 1 more would if case did not count "
        "('q2' is near 'Q2')"
    ]
    assert labeler("import", "corpus", tmp_path / "c.csv", "--json").json["remarks"] == []
