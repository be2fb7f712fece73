"""The labelling page's words by themselves: what is graded is a passage, or an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import labeler.app.component

FOLDER = Path(labeler.app.component.__file__).parent
PARTS = ("text", "outbox", "deck", "keys", "sheets", "view")

LAID_OUT = """
  const does = new Proxy({}, {get: () => () => {}});
  const view = new View(does, "my passages", "SUBJECT");
  document.body.append(view.root);
  const passage = {passage_id: "p", title: "My passage", text: ""};
  view.draw({query: {query_id: "q", text: "when?"}, passage}, null);
  view.drawRail([1, 2, 3].map((task) => ({task, title: "", own: null})), 2);
  await new Promise((done) => setTimeout(done, AFTER_PAINT + 100));
  const named = [...view.root.querySelectorAll("[aria-label], [placeholder]")];
  const labels = named.flatMap((one) => [one.getAttribute("aria-label"), one.placeholder]);
  return {heard: view.announced.textContent, labels, text: view.root.textContent};
"""


def laid_out(chromium: Any, subject: str) -> dict[str, Any]:
    """The page with three of them: what a screen reader hears, its labels, and its whole text."""
    page = chromium.new_page()
    page.goto("about:blank")
    modules = "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in PARTS)
    script = f"async () => {{ {modules} {LAID_OUT.replace('SUBJECT', subject)} }}"
    found: dict[str, Any] = page.evaluate(script)
    page.close()
    return found


@pytest.mark.parametrize(
    ("subject", "heard", "rail"),
    [
        ("passage", "Passage 2 of 3 of this query: My passage", "Passages of this query"),
        ("answer", "Answer 2 of 3 to this query: My passage", "Answers to this query"),
    ],
)
def test_a_screen_reader_hears_what_is_graded(
    chromium: Any, subject: str, heard: str, rail: str
) -> None:
    found = laid_out(chromium, subject)
    assert found["heard"] == heard
    assert rail in found["labels"]
    assert f"Note on this {subject}" in found["labels"]


def test_no_word_of_the_page_is_of_passages_where_answers_are_graded(chromium: Any) -> None:
    """But for what people brought: the names of the spot check and of the text."""
    found = laid_out(chromium, "answer")
    said = [*filter(None, found["labels"]), found["text"].replace("my passages", "")]
    left = " ".join(said).replace("My passage", "")
    assert "passage" not in left.lower()
    assert "Passage" in laid_out(chromium, "passage")["text"]
