"""What to read first: a judge's disagreements in groups, with the share that each explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from labeler.reports import agreement
from labeler.stats.parts import held_out
from labeler.store import holdouts
from labeler.store.comparison import Disagreement, Selection
from labeler.store.db import Store

WORDS = 6
"""Words of the judge's reasons that make a group each, the commonest."""


class Group(NamedTuple):
    """Disagreements that have something in common: `share` is of all that were grouped. One pair
    is in several groups, one `by` each (but for words of reasons)."""

    by: str
    value: str
    n: int
    share: float


def groups(store: Store, selection: Selection) -> list[Group]:
    """The disagreements on pairs to tune on, the largest groups first; those of one pair left out.

    By direction, kind, source, length of the passage, share of the query's words that the passage
    has, and the commonest words of the judge's reasons.
    """
    cases = list(agreement.cases(store, selection))
    needs = holdouts.needs(store, {case.query_id for case in cases})
    tuned = [case for case in cases if not held_out(needs[case.query_id])]
    common = _common(tuned)
    counts = Counter(group for case in tuned for group in {*_traits(case), *_said(case, common)})
    found = [Group(by, value, n, n / len(tuned)) for (by, value), n in counts.items() if n > 1]
    return sorted(found, key=lambda group: (-group.n, group.by, group.value))


def _traits(case: Disagreement) -> Iterator[tuple[str, str]]:
    """Each thing that a case is grouped by, and its value."""
    way = "too lenient" if case.judge.gain > case.human.gain else "too strict"
    yield "direction", f"{way}: people {case.human}, judge {case.judge}"
    yield "kind", case.kind or "(none)"
    if case.source:
        yield "source", case.source
    if case.passage:
        yield "length", _length(len(case.passage.split()))
    if case.passage and case.query:
        yield "query's words in the passage", _overlap(case.query, case.passage)


def _length(words: int) -> str:
    if words < 50:
        return "under 50 words"
    return "50 to 200 words" if words <= 200 else "over 200 words"


def _overlap(query: str, passage: str) -> str:
    asked, told = _words(query), _words(passage)
    if not asked & told:
        return "none"
    if asked <= told:
        return "all"
    return "half or more" if 2 * len(asked & told) >= len(asked) else "less than half"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _common(cases: Iterable[Disagreement]) -> set[str]:
    """The words of at least five letters that most reasons have."""
    counts = Counter(word for case in cases for word in _words(case.reason) if len(word) >= 5)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return {word for word, n in ordered[:WORDS] if n > 1}


def _said(case: Disagreement, common: set[str]) -> Iterator[tuple[str, str]]:
    for word in _words(case.reason) & common:
        yield "the reason says", word
