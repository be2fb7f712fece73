"""What grades mean: words, small scales, maps, and what must be asked."""

from __future__ import annotations

import pytest

from labeler.errors import InputError, UsageError
from labeler.formats import GradeMap, Reading, read_judgments
from labeler.model import Grade

MAP = GradeMap.parse("0=NO,1=NO,2=PART,3=YES")


def graded(path, **options):
    return [record.grade for _, record in read_judgments(path, **options)]


def qrels(*grades):
    return "".join(f"q 0 p{i} {grade}\n" for i, grade in enumerate(grades, 1))


@pytest.mark.parametrize(
    ("values", "grades"),
    [
        (("0", "1"), ["NO", "YES"]),
        (("1", "1"), ["YES", "YES"]),
        (("0", "0"), ["NO", "NO"]),
        (("0", "1", "2"), ["NO", "PART", "YES"]),
        (("0", "2"), ["NO", "YES"]),
        (("yes", "Part", "NO", "PARt"), ["YES", "PART", "NO", "PART"]),
    ],
)
def test_words_and_small_scales_need_no_map(written, values, grades):
    assert graded(written("x.qrels", qrels(*values))) == grades


def test_one_and_two_without_a_zero_are_read_and_said(written):
    reading = Reading()
    assert graded(written("x.qrels", qrels("1", "2")), reading=reading) == ["PART", "YES"]
    assert "no grade 0" in str(reading.notes[0])


@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("1", "2", "3", "4"), r"line 3: grades 3 \(line 3\), 4 \(line 4\) .* from 1 to 4"),
        (("0", "1", "2", "3"), r"line 4: grade 3 \(line 4\)"),
        (("0", "-1", "1"), r"line 2: grade -1 \(line 2\)"),
        (("0", "yes"), r"grades 0 \(line 1\), yes \(line 2\) in a file of numbers and words"),
    ],
)
def test_another_scale_asks_for_the_map_even_when_bad_rows_may_be_skipped(
    written, values, said, skip_bad
):
    with pytest.raises(InputError, match=said) as caught:
        graded(written("x.qrels", qrels(*values)), reading=Reading(skip_bad=skip_bad))
    assert caught.value.needs == "grades"


def test_text_and_floats_are_refused_by_line(written):
    path = written("x.qrels", qrels("1", "1.0", "x", "0.5", "-1.5", "\uff11", "1e0", "nan"))
    with pytest.raises(InputError) as caught:
        graded(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6, 7, 8]
    reading = Reading(skip_bad=True)
    assert graded(path, reading=reading) == ["YES"]
    assert len(reading.problems) == 7


def test_a_map_decides_and_reads_a_whole_float_as_its_number(written):
    values = ("0", "1", "2", "3", "1.0", "3.00", "yes")
    assert graded(written("x.qrels", qrels(*values)), grades=MAP) == [
        *("NO", "NO", "PART", "YES", "NO", "YES", "YES")
    ]


def test_each_grade_outside_the_map_is_named_by_value_and_line(written):
    with pytest.raises(InputError) as caught:
        graded(written("x.qrels", qrels("0", "5", "3", "5", "2.5")), grades=MAP)
    assert str(caught.value).splitlines() == [
        "x.qrels, line 2: grade 5, expected one of 0, 1, 2, 3",
        "x.qrels, line 4: grade 5, expected one of 0, 1, 2, 3",
        "x.qrels, line 5: grade 2.5, expected one of 0, 1, 2, 3",
    ]


def test_a_missing_grade_is_an_error_unless_the_state_explains_it(written):
    header = "query_id,passage_id,annotator,grade,state\n"
    fine = written("x.csv", header + "q,p,ann,,unsure\nq,r,ann,,later\nq,s,ann,,UNREADABLE\n")
    assert graded(fine) == [None, None, None]
    bad = written("y.csv", header + "q,p,ann,,\nq,r,ann,,labelled\nq,s,ann,YES,unsure\n")
    with pytest.raises(InputError) as caught:
        graded(bad)
    assert [problem.found for problem in caught.value.problems] == [
        *("grade missing", "grade missing", "grade YES beside state unsure")
    ]


def test_a_map_may_have_words_and_spaces():
    grades = GradeMap.parse(" relevant = YES, not relevant=no ,-1=NO")
    assert grades.read("Relevant ") is Grade.YES
    assert grades.read("NOT RELEVANT") is Grade.NO
    assert grades.read(-1) is Grade.NO


def test_a_map_of_whole_decimals_is_one_of_their_numbers(written):
    grades = GradeMap.parse("0.0=NO,1.0=YES")
    values = ("0", "0.0", "1", "1.00", "1,0")
    path = written("x.qrels", qrels(*values))
    assert graded(path, grades=grades) == ["NO", "NO", "YES", "YES", "YES"]
    with pytest.raises(InputError, match="grade 1,000, expected one of 0, 1"):
        graded(written("y.qrels", qrels("1,000")), grades=grades)  # a thousand, or one


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1=MAYBE", "=YES", "1=YES,1=NO", "0=NO,,1=YES"),
        *("1=YES,1.0=PART", "0=NO;1=YES", "0=NO 1=YES"),
    ],
)
def test_a_map_that_cannot_be_read_is_a_usage_error(text):
    with pytest.raises(UsageError, match="What grades mean") as caught:
        GradeMap.parse(text)
    assert caught.value.needs == "grades"
