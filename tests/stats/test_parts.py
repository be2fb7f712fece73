"""Tune and held-out parts are the same for everybody, and never mix."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.stats.parts import Part, held_out, in_part


def test_the_rule_is_the_first_digit_of_the_hash():
    """With a share of 1/2 the first bit decides: hexadecimal digits 0 to 7 are held out."""
    for need in ("q01", "q02", "leave", "", "日本"):
        digit = hashlib.sha256(f"rubric:{need}".encode()).hexdigest()[0]
        assert held_out(need) == (digit in "01234567")


@given(need=st.text())
def test_a_need_is_in_one_part_and_in_all(need):
    assert in_part(need, Part.TUNE) != in_part(need, Part.HELD_OUT)
    assert in_part(need, Part.ALL)
    assert held_out(need, share=1)
    assert not held_out(need, share=0)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_about_the_share_is_held_out_and_purposes_are_independent(share):
    """Of 2,000 needs the count's standard deviation is sqrt(2000 s (1 - s)), 22.4 at the most."""
    needs = [f"q{number}" for number in range(2000)]
    rubric = {n for n in needs if held_out(n, share=share)}
    golden = {n for n in needs if held_out(n, share=share, purpose="golden:g")}
    assert abs(len(rubric) - 2000 * share) < 90
    assert abs(len(rubric & golden) - 2000 * share**2) < 90
