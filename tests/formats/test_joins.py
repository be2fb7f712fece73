"""Which ids join, which nearly do, and that nothing is merged."""

from __future__ import annotations

from labeler.formats import near_misses, nearly_alike


def test_the_preview_counts_what_joins_and_what_would_after_nfc():
    known = {f"q{i}" for i in range(197)} | {"caf\u00e9", "\u00fc"}
    brought = [f"q{i}" for i in range(197)] + ["cafe\u0301", "u\u0308", "absent"]
    joins = near_misses(brought, known)
    assert (joins.brought, joins.joined, joins.after_nfc) == (200, 197, 2)
    assert joins.sentence("queries").startswith("197 of 200 queries join, 2 more would after NFC")


def test_each_id_counts_once_at_the_first_thing_that_helps():
    joins = near_misses(["a", "\xa0b ", "1", "C", " D", "x", "x"], ["a", "b", "001", "c", "d", "e"])
    # a joins; b and 1 after trimming; C and D without case; x never, and counts once.
    assert joins[:5] == (6, 1, 0, 2, 2)
    assert joins.sentence("passages") == (
        "1 of 6 passages join, 2 more would after trimming blanks, quotation marks, leading zeros "
        "or a final .0, 2 more would if case did not count ('1' is near '001')"
    )


def test_what_a_data_frame_or_a_spreadsheet_does_to_ids_is_seen_through():
    """1.0 of a column of floats, quotes of a TSV, a mark of direction, blanks that were doubled."""
    joins = near_misses(["1.0", '"a"', "b\u200f", "c  d", "0.0"], ["1", "a", "b", "c d", "0", "v1"])
    assert joins[:5] == (5, 0, 0, 5, 0)
    assert near_misses(["v1.0", "1.5"], ["v1", "1"])[:5] == (2, 0, 0, 0, 0)


def test_when_all_join_there_is_nothing_more_to_say():
    assert near_misses(["a"], ["a", "A"]).sentence("queries") == "1 of 1 queries join"
    assert near_misses([], []).sentence("queries") == "0 of 0 queries join"


def test_names_that_only_their_form_tells_apart_are_alike():
    assert nearly_alike(["Ann", "Zoe\u0301", "bob", "ann", "Zo\u00e9"]) == [
        ["Ann", "ann"],
        ["Zoe\u0301", "Zo\u00e9"],
    ]
