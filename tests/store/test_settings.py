"""Values that the program keeps for itself."""

from __future__ import annotations

from labeler.store import settings
from labeler.store.db import Store


def test_a_value_is_made_once_and_reading_it_changes_nothing(store: Store) -> None:
    made = iter(("first", "second"))
    assert settings.once(store, "name", lambda: next(made)) == "first"
    version = store.version
    assert settings.once(store, "name", lambda: next(made)) == "first"
    assert store.version == version
    assert next(made) == "second"
