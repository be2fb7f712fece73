"""The labelling page's deck by itself: what it counts when the server's answers cross."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import labeler.app.component

DECK = Path(labeler.app.component.__file__).with_name("deck.js")

CROSSED = """
  const deck = new Deck();
  const entry = (task, own) => ({task, query_id: "q", passage_id: `p${task}`, title: "", own});
  const window = (asked, done, ...owns) => deck.merge(
    {tasks: [], order: owns.map((own, i) => entry(i + 1, own)), progress: {done, total: 3},
     waiting: 0, exhausted: true}, asked, null);
  const yes = {state: "labelled", grade: "YES", note: ""};
  const counts = [];
  window(performance.now(), 0, null, null, null);
  const asked = performance.now() - 1; // a window is asked for, and answered last
  deck.say(1, yes);
  deck.settle([1], {done: 1, total: 3});
  window(asked, 0, null, null, null);
  counts.push(deck.counted().done);
  deck.say(2, yes);
  counts.push(deck.counted().done);
  deck.settle([2], {done: 2, total: 3});
  counts.push(deck.counted().done);
  return counts;
"""


def test_a_window_that_was_asked_for_before_a_press_and_comes_after_it_counts_nothing_twice(
    chromium: Any,
) -> None:
    page = chromium.new_page()
    page.goto("about:blank")
    found = page.evaluate(f"() => {{ {DECK.read_text(encoding='utf-8')} {CROSSED} }}")
    page.close()
    assert found == [1, 2, 2]
