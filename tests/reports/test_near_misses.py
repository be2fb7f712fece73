"""Near misses: what is pooled and not graded, what people and a judge say of it, before and after,
and the whole way from a judge's proposal to the next version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler import freezing, nearing
from labeler.errors import LabelerError, UsageError
from labeler.model import GoldenEntry, Grade, Judgment, Passage, Query, RunRow, Status, Verdict
from labeler.reports import agreement, near_misses, near_misses_text, retrieval
from labeler.reports.basis import SETTLED
from labeler.reports.near_misses import Report
from labeler.reports.pooling import Found
from labeler.store import (
    corpora,
    goldens,
    holdouts,
    labels,
    people,
    queries,
    runs,
    spotchecks,
    tasks,
    verdicts,
)
from labeler.store.db import Store, open_store

BM25 = {"q1": "x a y z", "q2": "d c"}
DENSE = {"q1": "y x a", "q2": "c u"}
GRADED = [
    ("q1", "x", Grade.NO, "not it"),  # people say YES, which is what counts
    ("q1", "y", Grade.NO, "no"),
    ("q2", "d", Grade.YES, "it answers"),
    ("q2", "c", Grade.YES, "the seed"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """support@1 with a seed for each of two queries, two runs, a judge, and one person's labels."""
    with open_store(tmp_path / "labels.duckdb") as opened:
        passages = [Passage(p, f"Text of {p}.") for p in "acdxyu"] + [Passage("z", "Z", scope="hr")]
        corpora.record(opened, passages, name="handbook")
        queries.record(opened, [Query("q1", "first?"), Query("q2", "second?")])
        entries = [GoldenEntry("q1", "a", Grade.YES), GoldenEntry("q2", "c", Grade.YES)]
        goldens.record(opened, "support", entries, origin="seeds", person="lee")
        for system, run in (("bm25", BM25), ("dense", DENSE)):
            rows = [
                RunRow(q, p, rank)
                for q, ids in run.items()
                for rank, p in enumerate(ids.split(), start=1)
            ]
            runs.record(opened, rows, system=system)
        verdicts.record(
            opened,
            [Verdict(q, p, "j", g, Status.OK, "r@1", "m", why) for q, p, g, why in GRADED],
        )
        labels.bring(opened, [Judgment("q1", "x", Grade.YES)], annotator="ana")
        yield opened


def built(store: Store, **asked: object) -> Report:
    return near_misses.build(store, "support", ks=(1,), judged=near_misses.chosen(store), **asked)


def test_every_pooled_pair_is_counted_once_by_what_is_known_of_it(store):
    counts = built(store).counts
    # Pool: q1 x a y z, q2 d c u. a and c are graded, z is for hr alone, x ana calls YES, y and d
    # the judge has graded, u nobody has.
    assert counts.pooled == 7
    assert (counts.graded, counts.barred, counts.unsettled, counts.unjudged) == (2, 1, 0, 1)
    assert counts.labelled == {Grade.YES: 1, Grade.PART: 0, Grade.NO: 0}
    assert counts.judged == {Grade.YES: 1, Grade.PART: 0, Grade.NO: 1}


def test_a_proposal_says_who_found_it_where_and_who_says_so(store):
    report = built(store)
    (mine,), (judged,) = report.by_people, report.by_judge
    assert (mine.key, mine.grade, mine.why) == (("q1", "x"), Grade.YES, "labels of ana")
    assert mine.found == (Found("bm25", 1), Found("dense", 2))
    assert (judged.key, judged.grade, judged.why) == (("q2", "d"), Grade.YES, "it answers")
    assert judged.found == (Found("bm25", 1),)
    assert report.judged is not None
    assert report.judged.decision == "UNDECIDED"


def test_recall_was_low_because_only_the_seed_passage_counted(store):
    report = built(store)
    bm25, dense = report.moved
    # bm25's first is x and d. As frozen neither counts: 0. With ana's x q1 finds 1 of {a, x}: mean
    # of 1/2 and 0. With the judge's d q2 finds 1 of {c, d}: mean of 1/2 and 1/2.
    assert [column.means["R@1"].value for column in bm25[1:]] == [0.0, 0.25, 0.5]
    # dense's first is y and c: 0 and 1; then 0 and 1; then 0 and 1/2.
    assert [column.means["R@1"].value for column in dense[1:]] == [0.5, 0.5, 0.25]
    said = "\n".join(near_misses_text.lines(report))
    assert "R@1 of bm25 is 0.000; with what people labelled 0.250" in said
    assert "only the seed passage counted (2 of the 2 queries concerned expect one" in said
    assert "R@1 of dense is 0.500" in said
    assert "too high as frozen" in said
    assert "UNDECIDED, so its YES only proposes" in said


def test_depth_and_named_runs_bound_the_pool(store):
    assert built(store, depth=1).counts.pooled == 4  # x and y of q1, d and c of q2
    assert built(store, systems=["dense"]).counts.pooled == 5
    assert [one.system for one in built(store, systems=["dense"]).moved] == ["dense"]


def test_without_a_judge_what_is_not_labelled_is_not_judged(store):
    report = near_misses.build(store, "support")
    assert (report.judged, report.by_judge, report.counts.unjudged) == (None, [], 3)
    assert "have what is not judged graded" in "\n".join(near_misses_text.lines(report))


def test_pairs_that_people_differ_on_wait_for_a_reviewer(store):
    labels.bring(store, [Judgment("q1", "x", Grade.NO)], annotator="ben")
    report = built(store)
    assert (report.counts.unsettled, report.by_people) == (1, [])
    assert "1 wait for a reviewer" in "\n".join(near_misses_text.lines(report))


def test_held_out_queries_are_left_alone(store):
    holdouts.hold_out(store, "support", share=0.5)  # by its keyed hash q2
    assert holdouts.part(store, goldens.named(store, "support")).held_out == {"q2"}
    report = built(store)
    assert (report.basis.left_alone, report.counts.pooled) == (1, 4)
    assert [one.key for one in (*report.by_people, *report.by_judge)] == [("q1", "x")]


def test_near_misses_need_a_golden_set_and_a_run(store, tmp_path):
    with pytest.raises(UsageError, match="of a golden set"):
        near_misses.build(store, SETTLED)
    with open_store(tmp_path / "bare.duckdb") as bare:
        entries = [GoldenEntry("q", "a", Grade.YES)]
        goldens.record(bare, "g", entries, origin="hand", person="")
        assert near_misses.chosen(bare) is None
        with pytest.raises(LabelerError, match="no run to pool"):
            near_misses.build(bare, "g")
        with pytest.raises(LabelerError, match="There are no verdicts of k"):
            near_misses.chosen(bare, judge="k")


def test_from_a_judges_proposal_to_the_next_version(store):
    before = goldens.named(store, "support@1")
    check = nearing.queue(store, built(store), "second look", person="lee")
    assert (check.n, spotchecks.history(store)) == (0, [])
    with pytest.raises(LabelerError, match="no sample"):
        agreement.choose(store, spotcheck="second look")
    handed = tasks.with_work_left(store, annotator="ben")
    assert handed is not None
    assert handed.name == "second look"
    (task,) = tasks.window(store, spotcheck="second look", annotator="ben").order
    assert (task.query_id, task.passage_id) == ("q2", "d")

    labels.bring(store, [Judgment("q2", "d", Grade.YES)], annotator="ben")
    expected = built(store)
    assert [one.key for one in expected.by_people] == [("q1", "x"), ("q2", "d")]
    done = freezing.freeze(store, "support", person="lee")
    assert (done.golden.ref, done.new) == ("support@2", True)
    changes = goldens.diff(store, before, done.golden)
    assert [(c.query_id, c.passage_id, c.before, c.after, c.origin) for c in changes] == [
        ("q1", "x", "", "YES", "labels of ana"),
        ("q2", "d", "", "YES", "labels of ben, near miss of second look"),
    ]
    assert goldens.named(store, "support@1") == before
    (line,) = [line for line in people.history(store) if line.subject == "second look"]
    assert line.detail == (
        "1 pairs, near misses of support@1: bm25, dense to rank 20, YES of j · r@1 · m (UNDECIDED)"
    )
    # What was said to come is what comes.
    for one in expected.moved:
        now = retrieval.build(store, one.system, golden="support@2", ks=(1,), baseline=False)
        assert now.means == one.labelled.means
    again = built(store)
    assert (again.by_people, again.by_judge) == ([], [])
    with pytest.raises(LabelerError, match="proposes nothing"):
        nearing.queue(store, again, "third look")


def test_a_list_is_queued_once_under_its_name(store):
    with pytest.raises(LabelerError, match="has 1 to 80 characters"):
        nearing.queue(store, built(store), " ")
    nearing.queue(store, built(store), "second look")
    with pytest.raises(LabelerError, match="already"):
        nearing.queue(store, built(store), "second look")
