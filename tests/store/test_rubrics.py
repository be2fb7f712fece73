"""Rubrics are superseded, never edited."""

from __future__ import annotations

import pytest

from labeler.errors import LabelerError
from labeler.store import rubrics

EXAMPLE = {"query": "a", "passage": "b", "reason": "c", "grade": "NO"}


def test_a_changed_text_is_the_next_version_and_the_same_text_adds_nothing(store):
    first = rubrics.add(store, "strict", text="One.\nTwo.\n", by="lead")
    assert rubrics.add(store, "strict", text="One.\nTwo.\n") == first
    second = rubrics.add(store, "strict", text="One.\nThree.\n")
    assert [entry.rubric.ref for entry in rubrics.history(store)] == ["strict@1", "strict@2"]
    assert rubrics.named(store, "strict") == second
    assert rubrics.named(store, "strict@1") == first
    assert rubrics.named(store, "strict@9") is None


def test_going_back_to_an_old_text_is_a_new_version(store):
    for text in ("One.", "Two.", "One."):
        rubrics.add(store, "strict", text=text)
    assert rubrics.named(store, "strict").version == 3


def test_examples_are_part_of_a_version(store):
    rubrics.add(store, "strict", text="One.")
    shown = rubrics.add(store, "strict", text="One.", examples=[EXAMPLE])
    assert shown.version == 2
    assert rubrics.named(store, "strict").examples == (EXAMPLE,)
    assert rubrics.current(store)[0].rubric.hash == shown.hash


def test_a_diff_names_both_versions_and_shows_lines_and_examples(store):
    old = rubrics.add(store, "strict", text="One.\nTwo.")
    new = rubrics.add(store, "strict", text="One.\nThree.", examples=[EXAMPLE])
    changed = rubrics.diff(old, new).splitlines()
    assert changed[:2] == ["--- strict@1", "+++ strict@2"]
    assert "-Two." in changed
    assert "+Three." in changed
    assert any(line.startswith("+example: ") for line in changed)
    assert rubrics.diff(old, old) == ""


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("", "One.", "cannot name a rubric"),
        ("a b", "One.", "cannot name a rubric"),
        ("a@1", "One.", "cannot name a rubric"),
        ("strict", " \n", "has no text"),
    ],
)
def test_a_rubric_needs_a_name_and_a_text(store, name, text, words):
    with pytest.raises(LabelerError, match=words):
        rubrics.add(store, name, text=text)


def test_a_reference_that_is_none_is_said_in_words(store):
    with pytest.raises(LabelerError, match="expected NAME or NAME@VERSION"):
        rubrics.named(store, "strict@newest")
