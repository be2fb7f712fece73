"""What was acknowledged is on disk, whatever happens to the process."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from labeler.store import tasks
from labeler.store.db import open_store

_TYPIST = Path(__file__).with_name("typist.py")
_KILLS = 20


def _typed(path: Path, *, seed: int, seconds: float) -> list[list[str]]:
    """What a typist got acknowledged before it was killed, `seconds` after its first label."""
    with subprocess.Popen(
        [sys.executable, str(_TYPIST), str(path), str(seed)], stdout=subprocess.PIPE, text=True
    ) as typist:
        assert typist.stdout is not None
        said = typist.stdout.readline()
        time.sleep(seconds)
        typist.send_signal(signal.SIGKILL)
        said += typist.stdout.read()
    assert typist.returncode == -signal.SIGKILL
    whole = said[: said.rfind("\n") + 1]  # the last line may be cut in the middle
    return [line.split() for line in whole.splitlines()]


def test_every_acknowledged_label_is_found_after_twenty_kills(tmp_path: Path, draw) -> None:
    path = tmp_path / "labels.duckdb"
    with open_store(path) as store:
        draw(store, [(f"q{q}", f"p{p}") for q in range(5) for p in range(5)])
        assert len(tasks.window(store, spotcheck="check", annotator="anna", limit=25).open) == 25
    rng = random.Random(20261)
    acknowledged: list[list[str]] = []
    for kill in range(_KILLS):
        said = _typed(path, seed=kill, seconds=rng.uniform(0, 0.25))
        assert said, "the typist wrote nothing"
        acknowledged += said
    with open_store(path) as store:
        found = [
            [str(event), query, passage, grade]
            for event, query, passage, grade in store.rows(
                "select event, query_id, passage_id, grade from label_events order by seq"
            )
        ]
        lines = store.rows("select count(*) from audit where action = 'label'")
    ids = [row[0] for row in found]
    assert len(ids) == len(set(ids))
    known = {row[0] for row in acknowledged}
    # In the order of acknowledgement, with the right pair and grade; a commit that was killed
    # before it could be acknowledged (at most 3 labels a kill) may be there too.
    assert [row for row in found if row[0] in known] == acknowledged
    assert len(found) - len(acknowledged) <= 3 * _KILLS
    assert lines == [(len(found),)]
