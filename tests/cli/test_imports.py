"""`labeler import` as the terminal shows it."""

from __future__ import annotations


def test_what_came_of_an_import_is_one_line_and_the_rest_goes_to_standard_error(labeler, table):
    rows = [("q1", "p1", "YES"), ("q2", "p2", "maybe"), ("q3", "p3", "no")]
    path = table("l.csv", rows)
    said = labeler("import", "labels", path, "--annotator", "a", "--skip-bad")
    assert said.code == 0
    assert said.out == "labels: 2 read, 2 added, 1 malformed left out\n"
    assert said.err.startswith("left out: l.csv, line 3: grade maybe, expected ")
    again = labeler("import", "labels", path, "--annotator", "a", "--skip-bad")
    assert again.out == "labels: 2 read, 0 added, 2 were there already, 1 malformed left out\n"


def test_json_holds_counts_what_was_left_out_and_remarks(labeler, table):
    path = table("l.csv", [("q1", "p1", "YES"), ("q2", "p2", "maybe")])
    found = labeler("import", "labels", path, "--annotator", "a", "--skip-bad", "--json").json
    assert (found["kind"], found["file"], found["read"], found["added"]) == (
        "labels",
        "l.csv",
        1,
        1,
    )
    (problem,) = found["left_out"]
    assert (problem["file"], problem["line"], problem["found"]) == ("l.csv", 3, "grade maybe")
    assert found["remarks"][0].startswith("0 of 1 queries join")


def test_columns_of_their_own_and_a_map_of_grades(labeler, table):
    path = table("l.csv", [("q1", "p1", "3"), ("q1", "p2", "1")], header="frage,absatz,note")
    names = "query_id=frage,passage_id=absatz,grade=note"
    grades = "0=NO,1=NO,2=PART,3=YES"
    said = labeler(
        *("import", "labels", path, "--annotator", "a", "--columns", names, "--grades", grades)
    )
    assert said.out == "labels: 2 read, 2 added\n"
    labeler("import", "verdicts", table("v.csv", [("q1", "p1", "YES")]), "--judge", "j")
    assert labeler("agreement", "--json").json["confusion"]["matrix"][2] == [0, 0, 1]


def test_several_files_and_a_conflict_between_them(labeler, table):
    first = table("a.csv", [("p1", "one")], header="passage_id,text")
    second = table("b.csv", [("p2", "two"), ("p1", "ONE")], header="passage_id,text")
    said = labeler("import", "corpus", first, second)
    assert said.code == 1
    assert said.err.startswith("Error: b.csv, line 3: a second row for p1, unlike a.csv, line 2")
    said = labeler("import", "corpus", first, second, "--skip-bad")
    assert said.out == "corpus: 2 read, 2 added, 1 malformed left out\n"
    assert labeler("import", "corpus", first, first).out == (
        "corpus: 1 read, 0 added, 1 was there already\n"
    )


def test_two_labels_of_one_pair_that_contradict_each_other_name_both_lines(labeler, table):
    path = table("l.csv", [("q", "p", "YES"), ("q", "p", "NO")])
    said = labeler("import", "labels", path, "--annotator", "a")
    assert said.code == 1
    assert "l.csv, line 3: a second row for q, p, a, unlike line 2" in said.err


def test_a_scale_that_is_not_known_asks_for_the_map(labeler, table):
    said = labeler("import", "labels", table("l.csv", [("q", "p", 3)]), "--annotator", "a")
    assert said.code == 1
    assert '--grades "0=NO,1=NO,2=PART,3=YES"' in said.err


def test_verdicts_of_several_judges_in_one_file_are_each_compared(labeler, table):
    header = "query_id,passage_id,grade,judge"
    rows = [("q", "p", "YES", "alpha"), ("q", "p", "NO", "beta")]
    said = labeler("import", "verdicts", table("v.csv", rows, header=header), "--judge", "given")
    assert "the file names its own judges: alpha, beta\n" in said.err
    labeler("import", "labels", table("l.csv", [("q", "p", "YES")]), "--annotator", "a")
    assert labeler("agreement", "--judge", "alpha", "--json").json["disagreements"] == 0
    assert labeler("agreement", "--judge", "beta", "--json").json["disagreements"] == 1
    assert labeler("agreement", "--judge", "given").code == 1
