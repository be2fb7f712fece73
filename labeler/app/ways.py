"""Where on the pages a thing is done that an error needs: the terminal has options and commands for
the same (`labeler.cli.ways`).
"""

from __future__ import annotations

from labeler.errors import LabelerError

WAYS = {
    "answers": "on the Answers page, Bring answers",
    "candidates": "on the Judge page, Pool the runs",
    "columns": 'in "The file\'s own column names", e.g. query_id=qid,grade=rel',
    "golden file": "on the Data page",
    "golden set": "on the Golden sets page",
    "grades": 'in "What the grades mean", e.g. 0=NO,1=NO,2=PART,3=YES',
    "model": 'in "Model"',
    "override": 'in "Override the gate, with a reason"',
    "reason": 'in "Why grades change, where they do"',
    "run": "on the Data page",
    "verdicts": "on the Judge page, or import verdicts on the Data page",
}
"""What an error needs, as the pages call it."""


def told(error: LabelerError) -> str:
    """An error with the place where it can be mended."""
    return error.told(WAYS)
