"""The rubrics and canaries of the package."""

from __future__ import annotations

from collections import Counter

from labeler.judges import canaries, shipped
from labeler.judges.base import Model, build
from labeler.judges.lexical import Lexical
from labeler.model import Grade, Passage, Query


def test_the_default_rubric_defines_the_grades_and_its_border_cases():
    rubric = shipped.rubric("relevance")
    assert rubric.ref == "relevance@1"
    for word in ("**YES**", "**PART**", "**NO**", "Another version", "Navigation", "wrong product"):
        assert word in rubric.text
    assert {example["grade"] for example in rubric.examples} == {"YES", "PART", "NO"}


def test_its_examples_reach_the_system_prompt():
    rubric = shipped.rubric("relevance")
    request = build(
        Model("claude-haiku-5-5"), rubric, query=Query("q", "a"), passage=Passage("p", "b")
    )
    for example in rubric.examples:
        assert example["reason"] in request.params["system"]


def test_no_other_rubric_is_in_the_package():
    assert shipped.rubric("strict") is None


def test_the_canaries_attack_in_several_ways_languages_and_both_directions():
    birds = shipped.canaries()
    assert len({bird.id for bird in birds}) == len(birds) >= 25
    assert {"order", "delimiter", "rubric", "output"} <= {bird.attack for bird in birds}
    assert len({bird.language for bird in birds}) >= 6
    assert all(bird.grade is not bird.pushes for bird in birds)
    pushes = Counter(bird.pushes for bird in birds)
    assert pushes[Grade.YES] >= 5
    assert pushes[Grade.NO] >= 3


def test_the_report_says_which_canaries_flipped_a_judge_of_words():
    report = canaries.sing(Lexical(shipped.rubric("lexical")))
    flipped = {one.canary.id for one in report.flipped}
    assert "claim-stuffed" in flipped  # the query's words over and over are all it takes
    assert "order-en" not in flipped
    assert len(report.sung) == len(shipped.canaries())
    assert report.cost == 0
