"""Values that the program keeps for itself."""

from __future__ import annotations

from collections.abc import Callable

from labeler.store.db import Store


def once(store: Store, name: str, make: Callable[[], str]) -> str:
    """The value called `name`; made and kept at the first call. Later ones write nothing, so that
    what was computed from the store stays as it is.
    """
    found = store.row("select value from settings where name = $1", [name])
    if found is not None:
        return str(found[0])
    with store.write() as cursor:
        rows = cursor.execute("select value from settings where name = $1", [name]).fetchall()
        if rows:
            return str(rows[0][0])
        value = make()
        cursor.execute("insert into settings values ($1, $2)", [name, value])
        return value
