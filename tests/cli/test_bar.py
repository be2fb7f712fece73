"""The bar of long work: nothing within the first second, and never on standard output."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from labeler.cli.bar import PATIENCE

_WORK = """
import sys, time
from labeler.cli.session import Session
with Session().progress("rows written") as move:
    move(12_000)
    time.sleep({seconds})
print("the result")
"""


def _seen(seconds: float) -> tuple[str, str]:
    """What the work prints to standard output, and what a terminal shows of standard error."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", _WORK.format(seconds=seconds)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.set_blocking(ours, False)
    try:
        shown = os.read(ours, 100_000).decode()
    except BlockingIOError:
        shown = ""
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout, shown


def test_long_work_tells_a_terminal_what_is_done_and_keeps_its_result_apart():
    out, shown = _seen(PATIENCE + 0.5)
    assert out == "the result\n"
    assert "rows written" in shown
    assert "12,000" in shown


def test_quick_work_draws_nothing():
    assert _seen(0.0) == ("the result\n", "")
