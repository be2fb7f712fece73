"""A process that labels without pause, saying what was acknowledged. Run by the kill test.

    python typist.py STORE SEED

Writes `UUID QUERY PASSAGE GRADE` to standard output after the commit that holds it.
"""

from __future__ import annotations

import random
import sys
import uuid

from labeler.model import GRADES, LabelEvent
from labeler.store import labels
from labeler.store.db import open_store


def main(path: str, seed: int) -> None:
    rng = random.Random(seed)
    store = open_store(path)
    while True:
        events = [
            LabelEvent(
                str(uuid.UUID(int=rng.getrandbits(128), version=4)),
                f"q{rng.randrange(5)}",
                f"p{rng.randrange(5)}",
                "anna",
                "label",
                rng.choice(GRADES),
                spotcheck="check",
            )
            for _ in range(rng.choice((1, 1, 1, 3)))
        ]
        stored = set(labels.record(store, events).acknowledged)
        for event in events:
            if event.event in stored:
                line = f"{event.event} {event.query_id} {event.passage_id} {event.grade}\n"
                sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
