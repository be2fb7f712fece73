"""What the terminal calls a thing that an error needs: a sentence of the middle names neither an
option nor a command, for the pages show the same sentence.
"""

from __future__ import annotations

from labeler.cli.session import Session
from labeler.errors import LabelerError

WAYS = {
    "another form": "--format html or --format md",
    "answers": "labeler answers import FILE --system NAME",
    "baseline": "labeler baseline set",
    "candidates": "labeler pool",
    "columns": "--columns FIELD=COLUMN",
    "form": "--format, for another name",
    "golden": "--golden NAME or --golden NAME@VERSION",
    "golden file": "labeler import golden FILE",
    "golden set": "labeler golden freeze NAME",
    "grades": '--grades "0=NO,1=NO,2=PART,3=YES"',
    "held-out pairs": "labeler spotcheck draw NAME --held-out, then labeler rubric confirm",
    "history": "labeler export labels --history",
    "holding out": "labeler golden freeze NAME --hold-out 0.3",
    "list of near misses": "labeler golden near-misses NAME --queue LIST",
    "model": "--model claude-haiku-5-5",
    "open batches": "labeler judge --resume",
    "override": "--override WHY",
    "reason": "--reason WHY",
    "run": "labeler import run FILE --system NAME",
    "store": "--db FILE",
    "system": "--run SYSTEM",
    "two systems": "--run A --run B",
    "unreadable": "--retry-unreadable",
    "verdicts": "labeler judge, or labeler import verdicts FILE --judge NAME",
    "whose grades": "--judge NAME or --annotator NAME",
}
"""What an error needs, or a report suggests, as it is typed."""


def told(error: LabelerError) -> str:
    """An error with the way to what it needs."""
    return error.told(WAYS)


def point(session: Session, to: str, *, when: object) -> None:
    """Say how a thing that a report suggests is done, where there is something to do."""
    if when:
        session.say(f"To do that: {WAYS[to]}")
