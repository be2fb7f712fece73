"""Numbers and reports as text."""

from __future__ import annotations

import pytest

from labeler.errors import Problem
from labeler.importing import Outcome
from labeler.reports import render
from labeler.stats.intervals import Estimate, Interval
from labeler.store.comparison import Missing


def test_a_share_has_its_interval_or_the_reason_why_there_is_none():
    assert render.share(Estimate(0.125, Interval(0.0591, 0.2468))) == "12.5% (5.9% to 24.7%)"
    assert render.share(Estimate(0.125)) == "12.5%"
    assert render.share(Estimate(1.0, reason="one value")) == "100% (no interval: one value)"
    assert render.share(Estimate(None, reason="no pair")) == "— (no pair)"


def test_a_coefficient_has_its_interval_or_the_reason_why_there_is_none():
    assert render.coefficient(Estimate(0.7311, Interval(-0.1, 0.92))) == "0.73 (-0.10 to 0.92)"
    assert render.coefficient(Estimate(-0.004, Interval(-0.1, -0.001))) == "0.00 (-0.10 to 0.00)"
    assert render.coefficient(Estimate(0.5, reason="one query")) == "0.50 (no interval: one query)"
    assert render.coefficient(Estimate(None, reason="no pair")) == "— (no pair)"


def test_a_bare_value_is_a_dash_where_there_is_none():
    assert render.value(Estimate(None, reason="x")) == render.DASH
    assert render.value(Estimate(0.256)) == "0.26"
    assert render.value(Estimate(0.256), share=True) == "25.6%"
    assert render.value(Estimate(-1e-9), share=True) == "0%"


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 judges"), (1, "1 judge"), (2000, "2,000 judges")]
)
def test_counts_have_the_right_noun(count, expected):
    assert render.counted(count, "judge") == expected
    assert render.counted(2, "query", plural="queries") == "2 queries"


def test_the_lexical_judge_is_called_a_baseline_wherever_it_shows():
    assert render.judge_name("lexical", "lexical@1", "") == "lexical baseline · lexical@1"
    assert render.judge_name("claude", "r@1", "m") == "claude · r@1 · m"


def test_what_is_left_out_is_said_only_where_something_is():
    assert render.missing(Missing(0, 0, 0, 0, 0)) == ""
    said = render.missing(Missing(1200, 0, 0, 2, 0))
    assert said == "1,200 with a verdict and no label yet; 2 of which nobody could tell"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\tb  c", "a b c"),
        ("", "(no text)"),
        ("\0\x1b[31m", "\\x00\\x1b[31m"),
        ("\u202ereversed", "\\u202ereversed"),
        ("x" * 100, "x" * 87 + "…"),
    ],
)
def test_a_text_on_one_line_is_short_and_harmless(text, expected):
    assert render.short(text) == expected


def test_a_table_is_as_wide_as_its_widest_cells():
    assert list(render.table(["a", "bb"], [["ccc", "d"]])) == ["a    bb", "ccc  d"]


@pytest.mark.parametrize(
    ("read", "added", "bad", "expected"),
    [
        (2000, 2000, 0, "run: 2,000 read, 2,000 added"),
        (2, 1, 0, "run: 2 read, 1 added, 1 was there already"),
        (2, 0, 1, "run: 2 read, 0 added, 2 were there already, 1 malformed left out"),
    ],
)
def test_an_import_in_one_sentence(read, added, bad, expected):
    problems = (Problem("f", 1, "x", "y"),) * bad
    assert render.imported(Outcome("run", "f", read, added, problems, ())) == expected
