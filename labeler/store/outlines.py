"""What is known of every passage without reading its text: whom it is open to, how long it is."""

from __future__ import annotations

from typing import NamedTuple

from labeler.model import Passage
from labeler.store.db import Store

CHARACTERS_A_TOKEN = 4
"""English prose in the tokenisers of today's models; other languages take more tokens."""


class Outline(NamedTuple):
    """A current passage. `fingerprint` is of its text: equal ones are copies."""

    passage_id: str
    scope: str
    effective_from: str
    effective_to: str
    characters: int
    fingerprint: str

    @property
    def tokens(self) -> int:
        """About how many tokens its text takes, one at least."""
        return max(1, round(self.characters / CHARACTERS_A_TOKEN))

    @property
    def passage(self) -> Passage:
        """The passage without its text, for what goes by scope and dates alone."""
        return Passage(
            self.passage_id,
            "",
            scope=self.scope,
            effective_from=self.effective_from,
            effective_to=self.effective_to,
        )


def current(store: Store) -> dict[str, Outline]:
    """Every current passage by id; of several corpora's with one id, the one imported last."""
    rows = store.rows(
        "select distinct on (passage_id) passage_id, scope, effective_from, effective_to, "
        "length(text), md5(text) from passages where not superseded "
        "order by passage_id, seq desc"
    )
    return {row[0]: Outline(*row) for row in rows}
