"""`labeler rubric compare`, `confirm` and `judges` through the program."""

from __future__ import annotations

import pytest

from labeler.stats.parts import held_out
from labeler.store import settled, spotchecks, tasks
from labeler.store.db import open_store

TUNE = [name for name in (f"q{n}" for n in range(200)) if not held_out(name)][:40]
HELD = [name for name in (f"q{n}" for n in range(200)) if held_out(name)][:40]


@pytest.fixture
def compared(labeler, table):
    """Import labels (all YES) and verdicts of r@1 and r@2: `wrong` names whom each has wrong."""

    def bring(queries, *, first: set[str], second: set[str]):
        rows = [(q, "p", "YES") for q in queries]
        labeler("import", "labels", table("l.csv", rows), "--annotator", "anna")
        for rubric, wrong in (("r@1", first), ("r@2", second)):
            verdicts = [(q, "p", "NO" if q in wrong else "YES") for q in queries]
            brought = table(f"{rubric}.csv", verdicts)
            said = labeler("import", "verdicts", brought, "--judge", "j", "--rubric", rubric)
            assert said.code == 0

    return bring


@pytest.mark.parametrize(
    ("fixed", "broken", "p", "better"),
    [(6, 0, 0.03125, "b"), (5, 0, 0.0625, None), (9, 2, 0.06543, None), (12, 3, 0.035156, "b")],
)
def test_mcnemar_comes_out_and_five_pairs_are_never_better(
    labeler, compared, fixed, broken, p, better
):
    """The published values. No spot check has been drawn: all pairs are looked at, which counts."""
    compared(TUNE, first=set(TUNE[:fixed]), second=set(TUNE[fixed : fixed + broken]))
    found = labeler("rubric", "compare", "r@1", "r@2", "--json").json
    assert (found["fixed"], found["broken"], found["n"]) == (fixed, broken, 40)
    assert found["unchanged"] == 40 - fixed - broken
    assert found["p"] == pytest.approx(p, abs=5e-7)
    assert found["better"] == better
    assert found["difference"] == pytest.approx((broken - fixed) / 40)
    lo, hi = found["difference_interval"]
    assert lo <= found["difference"] <= hi
    assert (found["part"], found["look"]["look"]) == ("all", 1)
    again = labeler("rubric", "compare", "r@1", "r@2")
    assert "Pairs  all of the labelled pairs, 40 pairs" in again.out
    assert "this confirms nothing. Second look: this p value no longer" in again.out


def test_better_where_it_was_tuned_and_worse_where_not_is_not_confirmed(labeler, compared):
    compared([*TUNE, *HELD], first=set(TUNE[:12]), second=set(HELD[:8]))
    labeler("spotcheck", "draw", "first", "--n", 80, "--judge", "j")
    names = ("r@1", "r@2", "--spotcheck", "first")
    tuned = labeler("rubric", "compare", *names, "--json").json
    assert (tuned["part"], tuned["n"], tuned["held_out"], tuned["better"]) == ("tune", 40, 40, "b")
    assert {case["query_id"] for case in tuned["cases"]} == set(TUNE)
    done = labeler("rubric", "confirm", *names, "--by", "lee", "--json").json
    assert done["look"]["reading"] == "worse"
    assert (done["fixed"], done["broken"], done["cases"]) == (0, 8, [])
    gate = labeler("gate", "--judge", "j", "--rubric", "r@2", "--json").json
    assert gate["confirmed"]["status"] == "worse"
    assert any("not confirmed: it is worse" in reason for reason in gate["reasons"])
    for number in ("Second", "Third"):
        said = labeler("rubric", "confirm", *names)
        assert f"{number} look: this p value no longer means what it says" in said.out


def test_the_terminal_shows_both_reasons_side_by_side(labeler, tmp_path):
    for name, grade, why in (("r@1", "NO", "off topic"), ("r@2", "YES", "it answers")):
        file = tmp_path / f"{name}.jsonl"
        file.write_text(
            f'{{"query_id": "{TUNE[0]}", "passage_id": "p", "grade": "{grade}", '
            f'"reason": "{why}"}}\n'
        )
        labeler("import", "verdicts", file, "--judge", "j", "--rubric", name)
    labels = tmp_path / "l.csv"
    labels.write_text(f"query_id,passage_id,grade\n{TUNE[0]},p,YES\n")
    labeler("import", "labels", labels, "--annotator", "anna")
    labeler("spotcheck", "draw", "first", "--judge", "j")
    said = labeler("rubric", "compare", "r@1", "r@2")
    assert said.code == 0
    assert f"fixed: {TUNE[0]} / p: people YES, A NO, B YES" in said.out
    assert "  A  off topic" in said.out
    assert "  B  it answers" in said.out


def test_more_held_out_pairs_are_drawn_in_one_step(labeler, compared, table, tmp_path):
    compared(TUNE[:5], first=set(), second=set())
    more = [(q, "p", "YES") for q in (*TUNE, *HELD)]
    labeler("import", "verdicts", table("m.csv", more), "--judge", "j", "--rubric", "r@2")
    assert labeler("spotcheck", "draw", "fresh", "--n", 30, "--held-out").code == 0
    with open_store(tmp_path / "store.duckdb") as store:
        assert spotchecks.named(store, "fresh").n == 30
        window = tasks.window(store, spotcheck="fresh", annotator="ben")
        assert {task.query_id for task in window.order} <= set(HELD)
        assert len(list(settled.pairs(store))) == 5
        labelled = table("h.csv", [(q, "p", "YES") for q in HELD])
    labeler("import", "labels", labelled, "--annotator", "anna")
    said = labeler("spotcheck", "draw", "none", "--held-out")
    assert said.code == 1
    assert "labelled already" in said.err


def test_every_judge_is_listed_with_its_price(labeler, compared):
    compared(TUNE, first=set(TUNE[:20]), second=set())
    said = labeler("rubric", "judges", "--json").json["judges"]
    assert [one["rubric"] for one in said] == ["r@2", "r@1"]
    assert [one["cost_per_1000"] for one in said] == [None, None]
    assert not any(one["stands_out"] for one in said)  # of no known price
    assert "cost unknown" in labeler("rubric", "judges").out


def test_an_unknown_name_is_an_error_in_words(labeler, compared):
    compared(TUNE[:2], first=set(), second=set())
    said = labeler("rubric", "compare", "r@1", "nope")
    assert (said.code, said.out) == (1, "")
    assert "no verdicts of 'nope'" in said.err
