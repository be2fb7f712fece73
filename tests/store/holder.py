"""A process that holds a store as the app does. Run by the tests of readers beside it.

    python holder.py STORE [keep]

Says `ready`, then obeys lines on standard input: `label PASSAGE GRADE` answers `done` after the
commit, `leave` stops. `keep` runs the thread that answers readers.
"""

from __future__ import annotations

import sys
import uuid

from labeler.model import Grade, LabelEvent
from labeler.store import labels
from labeler.store.db import open_store
from labeler.store.snapshot import Keeper


def main(path: str, *, keep: bool) -> None:
    with open_store(path, purpose="the test's holder") as store:
        keeper = Keeper(store) if keep else None
        if keeper:
            keeper.start()
        _say("ready")
        for line in sys.stdin:
            what, *rest = line.split()
            if what == "leave":
                break
            event = LabelEvent(
                str(uuid.uuid4()),
                "q1",
                rest[0],
                "anna",
                "label",
                Grade(rest[1]),
                spotcheck="check",
            )
            _say("done" if labels.record(store, [event]).acknowledged else "refused")
        if keeper:
            keeper.stop()


def _say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], keep="keep" in sys.argv[2:])
