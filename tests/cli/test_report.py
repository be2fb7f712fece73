"""`labeler export report`: one file for a decision."""

from __future__ import annotations

import json


def test_a_report_is_written_in_each_form_and_told_of(labeler, table, tmp_path):
    run = tmp_path / "bm25.trec"
    run.write_text("q1 Q0 b 1 3 x\nq1 Q0 a 2 1 x\n", encoding="utf-8")
    for system in ("bm25", "dense"):
        assert labeler("import", "run", run, "--system", system).code == 0
    seeds = table("seeds.csv", [("q1", "a", "YES")])
    assert labeler("import", "golden", seeds, "--name", "support").code == 0
    told = labeler("export", "report", "--to", tmp_path / "r.html")
    assert (told.code, told.out) == (0, "")
    assert told.err == f"a report on 2 runs written to {tmp_path / 'r.html'}\n"
    assert "Retrieval report on support@1" in (tmp_path / "r.html").read_text(encoding="utf-8")
    told = labeler("export", "report", "--run", "dense", "--to", tmp_path / "r.md")
    assert told.err.startswith("a report on 1 run written")
    # RR of the seed at rank 2 is 1/2.
    assert "| RR@10 | 0.500 (no interval" in (tmp_path / "r.md").read_text(encoding="utf-8")

    assert "no verdicts" in labeler("export", "report", "--to", tmp_path / "r.json").err
    for file, who in (
        ("v.csv", ("verdicts", "--judge", "j")),
        ("l.csv", ("labels", "--annotator", "a")),
    ):
        labeler("import", who[0], table(file, [("q1", "a", "YES")]), *who[1:])
    told = labeler("export", "report", "--judge", "j", "--to", tmp_path / "r.json")
    assert told.err.startswith("1 pairs compared written")
    assert json.loads((tmp_path / "r.json").read_text())["n"] == 1
    assert labeler("export", "report", "--judge", "k", "--to", tmp_path / "k.html").code == 1
    twice = labeler("export", "run", "--run", "bm25", "--run", "dense", "--to", tmp_path / "x.trec")
    assert (twice.code, twice.err) == (
        2,
        "Error: One run goes into one file, found 2: bm25, dense\n",
    )
