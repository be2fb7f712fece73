"""Right answers three ways, and which stage loses more: by hand, and against the plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Grade
from labeler.stats.answers import (
    Advice,
    Contrast,
    Fate,
    Graded,
    accuracy,
    contrast,
    fate,
    mean,
    told_apart,
)
from labeler.stats.correction import Quote, correct
from labeler.stats.intervals import Estimate, Interval
from labeler.stats.measures import Reading
from labeler.stats.triage import Stage

YES, PART, NO = Grade.YES, Grade.PART, Grade.NO


def rows(*grades):
    """One query an answer: its verdict and its label."""
    return [Graded(f"q{n}", judge, people) for n, (judge, people) in enumerate(grades)]


def test_the_shares_of_judge_and_people():
    found = accuracy(rows((YES, YES), (YES, NO), (PART, None), (NO, None)), needs={})
    right = found.corrected
    assert right.judge_only.value == 0.5  # 2 of 4
    assert right.people_only.value == 0.5  # 1 of the 2 labelled, both judged YES
    assert found.uncovered == (NO, PART)
    lenient = accuracy(
        rows((YES, YES), (PART, PART), (NO, None)), needs={}, reading=Reading.LENIENT
    )
    assert lenient.corrected.judge_only.value == pytest.approx(2 / 3)


def test_a_label_stands_for_the_answers_of_its_verdict():
    """8 judged YES, of which 2 are labelled (1 right); 2 judged NO, both labelled (none right): by
    verdict 8/10 * 1/2 + 2/10 * 0 = .4, where the plain share is 1 of 4."""
    grades = [(YES, YES), (YES, NO), *[(YES, None)] * 6, (NO, NO), (NO, NO)]
    found = accuracy(rows(*grades), needs={})
    assert found.corrected.people_only.value == pytest.approx(0.4)
    assert found.uncovered == ()


def test_it_is_the_correction_of_the_retrieval_numbers():
    random = np.random.default_rng(3)
    judge = random.integers(0, 3, 200)
    people = np.where(random.random(200) < 0.8, judge, random.integers(0, 3, 200))
    drawn = [n for n in range(200) if n % 4 == 0]
    grades = (NO, PART, YES)
    given_rows = rows(
        *((grades[judge[n]], grades[people[n]] if n in drawn else None) for n in range(200))
    )
    many = np.bincount(judge)
    known = np.bincount(judge[drawn])
    # Units are numbered as their ids sort: the order of rows does not matter to the mean.
    plain = correct(
        (judge == 2).astype(float),
        (people[drawn] == 2).astype(float),
        labelled=np.array(drawn),
        weights=(many / known)[judge[drawn]],
    )
    found = accuracy(given_rows, needs={}).corrected
    assert found.corrected.value == pytest.approx(plain.corrected.value)
    assert found.corrected.interval == pytest.approx(plain.corrected.interval)
    assert found.quote is Quote.CORRECTED


def test_a_golden_query_without_an_answer_counts_as_wrong():
    """3 right of 4 answered, and 4 more were asked: 3 of 8."""
    given_rows = rows((YES, None), (YES, None), (YES, None), (NO, None))
    asked = [f"q{n}" for n in range(8)]
    found = accuracy(given_rows, needs={}, asked=asked)
    assert found.corrected.judge_only.value == pytest.approx(3 / 8)
    alone = accuracy(given_rows, needs={}).corrected.judge_only
    assert found.corrected.judge_only.interval == pytest.approx([e / 2 for e in alone.interval])
    assert (found.answered, found.needs) == (4, 8)


def test_paraphrases_of_one_need_are_one_unit():
    """Need n has three right answers, need m a wrong one: 1/2, not 3/4."""
    given_rows = rows((YES, YES), (YES, None), (YES, YES), (NO, NO))
    needs = {"q0": "n", "q1": "n", "q2": "n", "q3": "m"}
    found = accuracy(given_rows, needs=needs)
    assert found.corrected.judge_only.value == 0.5
    assert found.corrected.people_only.value == pytest.approx(
        (3 / 2) / (3 / 2 + 1)  # n stands for 3 / 2 answers a label, m for 1
    )
    # Of a need with a missing answer a third of the right ones are missing.
    some = accuracy(given_rows[:2], needs=needs, asked=["q0", "q1", "q2"])
    assert some.corrected.judge_only.value == pytest.approx(2 / 3)


def test_nothing_is_said_where_nothing_is_known():
    found = accuracy(rows((None, None), (None, None)), needs={}).corrected
    assert (found.judge_only.value, found.people_only.value) == (None, None)
    assert found.quote is Quote.NONE
    assert mean({}, needs={}, reason="why").reason == "why"
    assert mean({"a": 1.0, "b": 0.0}, needs={}, reason="").value == 0.5


GRADES = st.sampled_from([NO, PART, YES, None])


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=30), st.integers(0, 5))
def test_a_share_is_a_share_and_no_grade_is_none(grades, missing):
    asked = [f"q{n}" for n in range(len(grades) + missing)]
    right = accuracy(rows(*grades), needs={}, asked=asked).corrected
    known = [judge is YES for judge, _ in grades if judge]
    share = len(grades) / len(asked)
    if known:
        assert right.judge_only.value == pytest.approx(np.mean(known) * share)
    else:
        assert right.judge_only.value is None
    for each in (right.judge_only, right.people_only, right.corrected):
        if each.value is not None:
            assert -1e-9 <= each.value <= share + 1e-9
            if each.interval:
                assert each.interval.lo - 1e-9 <= each.value <= each.interval.hi + 1e-9


@pytest.mark.parametrize(
    ("stage", "right", "found"),
    [
        (Stage.GENERATION, True, Fate.OK),
        (Stage.GENERATION, False, Fate.GENERATION),
        (Stage.RETRIEVAL, True, Fate.LUCKY),
        (Stage.RETRIEVAL, False, Fate.RETRIEVAL),
        (Stage.NOTHING_TO_FIND, True, Fate.REFUSED),
        (Stage.NOTHING_TO_FIND, False, Fate.OVERREACH),
        (None, True, Fate.UNKNOWN),
        (Stage.GENERATION, None, Fate.UNKNOWN),
    ],
)
def test_what_became_of_a_query(stage, right, found):
    assert fate(stage, right=right) is found


def compared(production, other):
    """Answers in production and with another context as strings of 1 and 0, a query each."""
    told = [{f"q{n:02}": float(x) for n, x in enumerate(of)} for of in (production, other)]
    return contrast(*told, needs={})


def test_the_differences_are_those_of_the_same_queries():
    found = contrast({"a": 1.0, "b": 0.0, "c": 0.0}, {"b": 1.0, "c": 1.0, "d": 0.0}, needs={})
    assert found.needs == 2  # b and c
    values = [found.production, found.other, found.difference, found.beyond, found.lead]
    assert [one.value for one in values] == [0.0, 1.0, 1.0, 0.0, 1.0]
    assert contrast({}, {"a": 1.0}, needs={}).difference.reason == "no query has both"


def test_retrieval_is_to_blame_where_the_right_passages_mend_most():
    # 20 of 40 right in production, 38 with the right passages: 45% against 5%.
    found = compared("1" * 20 + "0" * 20, "1" * 38 + "0" * 2)
    assert found.difference.value == pytest.approx(0.45)
    assert (found.apart, found.advice) == (1, Advice.RETRIEVAL)


def test_generation_is_to_blame_where_they_mend_little():
    found = compared("1" * 10 + "0" * 30, "1" * 14 + "0" * 26)
    assert found.lead.value == pytest.approx(0.10 - 0.65)
    assert found.advice is Advice.GENERATION


def test_what_few_queries_do_not_show_is_not_told_apart():
    found = compared("1100", "1110")
    assert found.difference.value == 0.25
    assert (found.apart, found.advice) == (0, Advice.NOT_TOLD_APART)
    # 25% are lost by either: which of them is more is not told, though the difference is.
    found = compared("1" * 20 + "0" * 20, "1" * 30 + "0" * 10)
    assert (found.apart, found.advice) == (1, Advice.NOT_TOLD_APART)


def test_where_nothing_is_lost_neither_stage_is_to_blame():
    assert compared("1" * 12, "1" * 12).advice is Advice.NEITHER
    none = Estimate(None, reason="no query has both")
    assert Contrast(0, none, none, none, none, none).advice is Advice.NOT_TOLD_APART


def test_a_difference_that_every_need_shows_needs_no_interval():
    assert compared("0" * 12, "1" * 12).advice is Advice.RETRIEVAL
    assert compared("0" * 3, "1" * 3).advice is Advice.NOT_TOLD_APART
    assert told_apart(Estimate(0.2, Interval(0.0, 0.4)), 20) == 0
    assert told_apart(Estimate(-0.2, Interval(-0.4, -0.01)), 20) == -1
