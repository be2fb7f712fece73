"""`labeler golden near-misses`: what it reports and what it gives to people."""

from __future__ import annotations

import pytest


@pytest.fixture
def support(labeler, table, tmp_path):
    """support@1 with one seed, a run that ranks two other passages before it, and a judge."""
    run = tmp_path / "bm25.trec"
    run.write_text("q1 Q0 b 1 3 x\nq1 Q0 c 2 2 x\nq1 Q0 a 3 1 x\n", encoding="utf-8")
    assert labeler("import", "run", run, "--system", "bm25").code == 0
    seeds = table("seeds.csv", [("q1", "a", "YES")])
    assert labeler("import", "golden", seeds, "--name", "support").code == 0
    verdicts = table("verdicts.csv", [("q1", "b", "YES"), ("q1", "c", "NO")])
    assert labeler("import", "verdicts", verdicts, "--judge", "j").code == 0
    return labeler


def test_the_report_names_what_is_missing_and_how_the_numbers_move(support):
    found = support("golden", "near-misses", "support", "--json").json
    assert (found["golden"], found["depth"], found["runs"]) == ("support@1", 20, ["bm25"])
    assert found["judge"]["judge"] == "j"
    assert found["judge"]["decision"] == "UNDECIDED"
    assert found["counts"] == {
        "pooled": 3,
        "graded": 1,
        "barred": 0,
        "labelled": {"YES": 0, "PART": 0, "NO": 0},
        "unsettled": 0,
        "judged": {"YES": 1, "PART": 0, "NO": 1},
        "unjudged": 0,
    }
    (proposed,) = found["by_judge"]
    assert (proposed["passage_id"], proposed["grade"]) == ("b", "YES")
    assert proposed["found"] == [{"system": "bm25", "rank": 1}]
    (run,) = found["measured"]
    # RR: the seed is third, the judge's b first.
    assert run["frozen"]["measures"]["RR@10"] == pytest.approx(1 / 3)
    assert run["labelled"]["measures"] == run["frozen"]["measures"]
    assert run["believed"]["measures"]["RR@10"] == 1
    assert found["queue"] is None


def test_a_queue_is_kept_and_told_of(support):
    told = support("golden", "near-misses", "support", "--queue", "again", "--by", "lee")
    assert told.code == 0
    assert "1 pairs wait in the list 'again'" in told.err
    assert "q1 / b YES, bm25 at 1" in told.out
    assert support("golden", "near-misses", "support", "--queue", "again").code == 1
    agreed = support("golden", "near-misses", "support", "--run", "none")
    assert "There is no run of 'none'" in agreed.err
