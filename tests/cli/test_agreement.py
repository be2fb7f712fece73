"""`agreement`, `gate` and `disagreements` through the program, against numbers known elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from labeler.cli.main import run

MAP = "0=NO,1=NO,2=PART,3=YES"
JUDGES = ("willia-umbrela1", "h2oloo-fewself", "NISTRetrieval-reason0")

KEYS = {
    *("judge", "rubric", "spotcheck", "n", "disagreements", "disagreement"),
    *("disagreement_interval", "weighted_disagreement", "kappa", "kappa_interval", "kappa_linear"),
    *("kappa_quadratic", "kappa_strict", "kappa_lenient", "ac1", "confusion", "yes_recall"),
    *("yes_precision", "constant_judge", "direction", "decision", "reasons", "labels_needed"),
    *("threshold", "slices", "missing"),
}


@pytest.fixture(scope="module")
def llmjudge(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 4,423 human labels and three judges' verdicts on the same pairs."""
    db, files = tmp_path_factory.mktemp("llmjudge") / "store.duckdb", data / "llmjudge"
    human = str(files / "human.qrels")
    labels = ["import", "labels", human, "--annotator", "nist", "--grades", MAP]
    assert run(["--db", str(db), *labels]) == 0
    for judge in JUDGES:
        verdicts = str(files / "verdicts" / f"{judge}.txt")
        brought = ["import", "verdicts", verdicts, "--judge", judge, "--grades", MAP]
        assert run(["--db", str(db), *brought]) == 0
    return db


@pytest.mark.parametrize(
    ("judge", "disagreement", "kappa", "linear", "strict", "lenient"),
    [
        ("willia-umbrela1", 0.251865, 0.336944, 0.375906, 0.314543, 0.398530),
        ("h2oloo-fewself", 0.292562, 0.326225, 0.385345, 0.304812, 0.427999),
        ("NISTRetrieval-reason0", 0.325571, 0.250972, 0.281980, 0.009663, 0.339015),
    ],
)
def test_published_judges_get_their_published_agreement(
    labeler, llmjudge, judge, disagreement, kappa, linear, strict, lenient
):
    found = labeler("agreement", "--judge", judge, "--json", db=llmjudge).json
    assert found["n"] == 4423
    assert found["queries"] == 25
    assert found["disagreement"] == pytest.approx(disagreement, abs=5e-7)
    assert found["kappa"] == pytest.approx(kappa, abs=5e-7)
    assert found["kappa_linear"] == pytest.approx(linear, abs=5e-7)
    assert found["kappa_strict"] == pytest.approx(strict, abs=5e-7)
    assert found["kappa_lenient"] == pytest.approx(lenient, abs=5e-7)
    assert found["constant_judge"]["grade"] == "NO"
    assert found["constant_judge"]["disagreement"] == pytest.approx(0.26792, abs=5e-6)
    assert found["decision"] == "REJECTED"
    assert found["labels_needed"] is None
    clustered, closed = found["kappa_interval"], found["kappa_closed_form"]["interval"]
    assert clustered[1] - clustered[0] > 2 * (closed[1] - closed[0])
    assert sum(map(sum, found["confusion"]["matrix"])) == 4423
    assert set(found) >= KEYS
    assert found["missing"] == dict.fromkeys(
        ("unlabelled", "unjudged", "unreadable", "unsure", "unresolved"), 0
    )
    assert labeler("gate", "--judge", judge, db=llmjudge).code == 4


def test_grades_outside_the_map_stop_the_import_and_nothing_is_stored(labeler, llmjudge, data):
    file = data / "llmjudge/verdicts/RMITIR-llama70B.txt"
    said = labeler(
        *("import", "verdicts", file, "--judge", "RMITIR", "--grades", MAP, "--json"), db=llmjudge
    )
    assert (said.code, said.out) == (1, "")
    assert "RMITIR-llama70B.txt, line 2449: grade 5, expected" in said.err
    assert "RMITIR-llama70B.txt, line 3825: grade 5, expected" in said.err
    said = labeler("agreement", "--judge", "RMITIR", db=llmjudge)
    assert said.code == 1
    assert said.err.startswith("Error: There are no verdicts of RMITIR; known: ")


def test_a_judge_that_always_says_no_is_not_trusted_at_8_percent(labeler, data):
    """With 0, 1, 2 as NO the judge disagrees on 375 of 4,423 pairs, which is within the limit."""
    grades = ("--grades", "0=NO,1=NO,2=NO,3=YES")
    files = data / "llmjudge"
    labeler("import", "labels", files / "human.qrels", "--annotator", "nist", *grades)
    judge = files / "verdicts/NISTRetrieval-reason0.txt"
    labeler("import", "verdicts", judge, "--judge", "reason0", *grades)
    found = labeler("agreement", "--judge", "reason0", "--json").json
    assert found["confusion"]["matrix"] == [[4046, 0, 0], [0, 0, 0], [375, 0, 2]]
    assert found["disagreement"] == pytest.approx(375 / 4423)
    assert found["kappa"] == pytest.approx(0.009663, abs=5e-7)
    assert found["constant_judge"]["beaten"] is False
    assert found["decision"] == "UNDECIDED"
    assert labeler("gate").code == 5


def compared(labeler, table, pairs):
    """Import a label and a verdict for each (label, verdict), a query a pair."""
    rows = [(f"q{number}", f"p{number}", *pair) for number, pair in enumerate(pairs)]
    labels = table("labels.csv", [(q, p, human) for q, p, human, _ in rows])
    verdicts = table("verdicts.csv", [(q, p, judge) for q, p, _, judge in rows])
    assert labeler("import", "labels", labels, "--annotator", "anna").code == 0
    assert labeler("import", "verdicts", verdicts, "--judge", "j").code == 0


@pytest.mark.parametrize(
    ("wrong", "decision", "code"), [(0, "TRUSTED", 0), (3, "UNDECIDED", 5), (7, "REJECTED", 4)]
)
def test_thirty_pairs_with_0_3_and_7_disagreements_are_decided(
    labeler, table, wrong, decision, code
):
    other = {"YES": "NO", "NO": "YES"}
    humans = ["YES", "NO"] * 15
    compared(labeler, table, [(h, other[h] if n < wrong else h) for n, h in enumerate(humans)])
    said = labeler("gate", "--judge", "j", "--json")
    assert said.code == code
    assert said.json["decision"] == decision
    assert said.json["disagreements"] == wrong
    plain = labeler("gate", "--judge", "j")
    assert plain.code == code
    assert plain.out.startswith(f"{decision}: ")
    assert labeler("agreement", "--judge", "j").code == 0


def test_labels_needed_is_a_number_where_more_labels_settle_it(labeler, table):
    """1 of 29 leaves the bound above 10%; at 3 of 30 the rate is the limit itself."""
    right = [("YES", "YES"), ("NO", "NO")]
    compared(labeler, table, [("YES", "NO"), *right * 14])
    found = labeler("agreement", "--json").json
    assert found["decision"] == "UNDECIDED"
    assert found["labels_needed"] >= 46 - 29  # with 1 wrong, 46 labels are the fewest that pass
    assert f"about {found['labels_needed']} more labels settle it" in found["sentence"]


def test_one_grade_everywhere_has_no_kappa_and_is_never_trusted(labeler, table):
    compared(labeler, table, [("NO", "NO")] * 400)
    said = labeler("gate", "--json")
    assert said.code == 5
    found = said.json
    assert found["decision"] == "UNDECIDED"
    for name in ("kappa", "kappa_linear", "kappa_quadratic", "kappa_strict", "kappa_lenient"):
        assert found[name] is None
        assert found["undefined"][name]
    assert found["yes_recall"] is None
    assert found["undefined"]["yes_recall"] == "no label is YES"
    assert found["labels_needed"] is None


def test_a_store_without_a_compared_pair_says_so_and_decides_nothing(labeler, table):
    labeler("import", "verdicts", table("v.csv", [("q", "p", "YES")]), "--judge", "j")
    found = labeler("agreement", "--json").json
    assert (found["n"], found["disagreement"], found["decision"]) == (0, None, "UNDECIDED")
    assert found["missing"]["unlabelled"] == 1
    assert labeler("gate").code == 5


def test_a_spot_check_is_reweighted_to_what_it_was_drawn_from(labeler, table):
    """10 verdicts YES and 90 NO, all 20 pairs of the check labelled NO.

    5 of each are drawn at least and the other 10 in proportion, 1 and 9: YES 6 of 10, NO 14 of 90.
    So 6 of 20 disagree, and reweighted 10 of 100 (every YES is wrong, no NO is).
    """
    verdicts = [(f"q{n}", f"p{n}", "YES" if n < 10 else "NO") for n in range(100)]
    labels = [(q, p, "NO") for q, p, _ in verdicts]
    labeler("import", "verdicts", table("v.csv", verdicts), "--judge", "j")
    drawn = labeler("spotcheck", "draw", "first", "--n", 20, "--json").json
    assert {s["stratum"]: (s["size"], s["drawn"]) for s in drawn["strata"]} == {
        "NO": (90, 14),
        "YES": (10, 6),
    }
    labeler("import", "labels", table("l.csv", labels), "--annotator", "anna")
    found = labeler("agreement", "--spotcheck", "first", "--json").json
    assert (found["spotcheck"], found["n"], found["disagreements"]) == ("first", 20, 6)
    assert found["disagreement"] == pytest.approx(0.3)
    assert found["weighted_disagreement"] == pytest.approx(0.1)
    assert found["effective_n"] < 20
    assert labeler("agreement", "--json").json["weighted_disagreement"] is None


def test_disagreements_hold_the_pair_both_grades_the_reason_and_the_note(labeler, tmp_path):
    labels, verdicts = tmp_path / "labels.jsonl", tmp_path / "verdicts.jsonl"
    labels.write_text(
        '{"query_id": "q1", "passage_id": "p1", "grade": "YES", "annotator": "a", "note": "why"}\n'
        '{"query_id": "q2", "passage_id": "p2", "grade": "NO", "annotator": "a", "note": ""}\n'
    )
    verdicts.write_text(
        '{"query_id": "q1", "passage_id": "p1", "grade": "NO", "reason": "off topic"}\n'
        '{"query_id": "q2", "passage_id": "p2", "grade": "NO", "reason": "also"}\n'
    )
    labeler("import", "labels", labels, "--annotator", "a")
    labeler("import", "verdicts", verdicts, "--judge", "j", "--rubric", "r@1")
    found = labeler("disagreements", "--json").json
    assert (found["judge"], found["rubric"]) == ("j", "r@1")
    (case,) = found["disagreements"]
    assert (case["query_id"], case["passage_id"]) == ("q1", "p1")
    assert (case["human"], case["judge"], case["reason"]) == ("YES", "NO", "off topic")
    assert (case["note"], case["annotators"]) == ("why", "a")
    plain = labeler("disagreements")
    assert "q1 / p1: people YES, judge NO" in plain.out
    assert plain.err == "1 disagreement of j · r@1 with people\n"


def test_by_chooses_the_slices(labeler, table):
    compared(labeler, table, [("YES", "NO"), ("NO", "NO")])
    every = labeler("agreement", "--json").json["slices"]
    assert {part["name"] for part in every} == {"kind", "verdict", "annotator", "source"}
    chosen = labeler("agreement", "--by", "verdict", "--json").json["slices"]
    assert [(p["name"], p["value"], p["n"], p["disagreements"]) for p in chosen] == [
        ("verdict", "NO", 2, 1)
    ]


def test_annotator_reads_one_person_and_ties_are_unresolved(labeler, table):
    rows = [("q", "p", "YES", "anna"), ("q", "p", "NO", "ben")]
    both = table("l.csv", rows, header="query_id,passage_id,grade,annotator")
    labeler("import", "labels", both, "--annotator", "x")
    labeler("import", "verdicts", table("v.csv", [("q", "p", "YES")]), "--judge", "j")
    found = labeler("agreement", "--json").json
    assert (found["n"], found["missing"]["unresolved"]) == (0, 1)
    found = labeler("agreement", "--annotator", "ben", "--json").json
    assert (found["n"], found["disagreements"], found["annotator"]) == (1, 1, "ben")


@pytest.mark.parametrize("wrong", [0, 1, 1_001])
def test_disagreements_are_one_json_object_however_many_there_are(labeler, table, wrong):
    compared(labeler, table, [("YES", "NO")] * wrong + [("YES", "YES")])
    found = labeler("disagreements", "--json").json
    assert [case["judge"] for case in found["disagreements"]] == ["NO"] * wrong
    assert labeler("disagreements").err.startswith(f"{wrong:,} disagreement")
