"""What a pair is about, to be read: a passage of a corpus, or an answer as it is judged."""

from __future__ import annotations

from collections.abc import Sequence

from labeler.model import Passage
from labeler.store import answers, corpora
from labeler.store.db import Store


def passages(store: Store, ids: Sequence[str]) -> dict[str, Passage]:
    """The texts under these ids; ids without one are left out. The hash of an answer's changes
    whenever anything does that it is judged against."""
    found = corpora.passages(store, ids)
    missing = [name for name in dict.fromkeys(ids) if name not in found]
    told = answers.named(store, missing)
    return found | {name: exhibit.passage for name, exhibit in told.items()}
