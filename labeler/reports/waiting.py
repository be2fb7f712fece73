"""What waits for a person, by their role, and what changed since a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from labeler.reports import drafts, query_states
from labeler.store import differences, spotchecks, tasks, verdicts
from labeler.store.db import Store
from labeler.store.people import Person


class Waiting(NamedTuple):
    """Something to do: how much there is of it, in words, and on which page it is done."""

    page: str
    left: int
    said: str


class Change(NamedTuple):
    """What people did since a moment: how often, and who."""

    said: str
    times: int
    people: str


ORDER = {
    "annotator": ("label",),
    "reviewer": ("review", "drafts", "queries", "label"),
    "lead": ("agreement", "review", "drafts", "queries", "label"),
}
"""The pages of each role's work, the first being where it lands."""


def waiting(store: Store, person: Person) -> list[Waiting]:
    """What waits for a person, in the order of their role; nothing that is done."""
    look = {
        "label": lambda: _to_label(store, person.name),
        "review": lambda: _to_review(store),
        "drafts": lambda: _to_accept(store),
        "queries": lambda: _to_answer(store),
        "agreement": lambda: _to_decide(store),
    }
    mine = [look[page]() for page in ORDER[person.role]]
    return [one for one in mine if one is not None]


def prepare(store: Store) -> None:
    """Read what everybody's Home asks for, so that who comes first need not wait for it."""
    _to_review(store)
    query_states.states(store)


def landing(found: Sequence[Waiting]) -> str:
    """The page on which a person's work is, of what is `waiting`; "home" where nothing is."""
    return next((one.page for one in found), "home")


def _to_label(store: Store, name: str) -> Waiting | None:
    check = tasks.with_work_left(store, annotator=name)
    if check is None:
        return None
    progress = tasks.progress(store, spotcheck=check.name, annotator=name)
    left = progress.total - progress.done
    return Waiting("label", left, f"{left:,} passages to label in {check.name}") if left else None


def _to_review(store: Store) -> Waiting | None:
    judged = next(iter(verdicts.judges(store)), None)
    judge, rubric, model = judged[:3] if judged else ("", "", "")
    left = differences.queue(store, judge=judge, rubric=rubric, model=model).total
    return Waiting("review", left, f"{left:,} differences to settle") if left else None


def _to_accept(store: Store) -> Waiting | None:
    left = len(drafts.status(store).having(drafts.State.WAITING))
    return Waiting("drafts", left, f"{left:,} drafted queries to decide on") if left else None


def _to_answer(store: Store) -> Waiting | None:
    left, failed, conflicts = query_states.standing(store)
    if not conflicts and not left:
        return None
    parts = [f"{left:,} queries wait for an answer"]
    parts += [f"{failed:,} of them failed in production"] if failed else []
    parts += [f"{conflicts:,} in conflict"] if conflicts else []
    return Waiting("queries", left + conflicts, ", ".join(parts))


def _to_decide(store: Store) -> Waiting | None:
    check = next(iter(spotchecks.history(store)), None)
    if check is None:
        return None
    overall = tasks.overall(store, check.name)
    said = f"{overall.done:,} of {overall.wanted:,} labels in {check.name}"
    return Waiting("agreement", overall.wanted - overall.done, said)


_SAID = {
    "label": "Labels",
    "unsure": "Unsure",
    "adjudicate": "Differences settled",
    "write query": "Queries written",
    "change query": "Queries changed",
    "accept draft": "Drafts accepted",
    "reject draft": "Drafts rejected",
    "undo draft": "Decisions on drafts undone",
    "failure": "Production failures reported",
    "search": "Searches kept as evidence",
    "candidate": "Passages found by hand",
    "fact": "Facts noted",
    "unanswerable": "Queries found unanswerable",
    "unavailable": "Queries found unavailable",
    "draw": "Spot checks drawn",
    "again": "Lists of repeats handed out",
    "warm-up": "Warm-ups handed out",
    "freeze": "Golden sets frozen",
    "import corpus": "Corpora imported",
    "import queries": "Query sets imported",
    "import run": "Runs imported",
    "import verdicts": "Files of verdicts imported",
    "import labels": "Files of labels imported",
    "import answers": "Files of answers imported",
    "add rubric": "Rubrics added",
}


def changes(store: Store, since: datetime) -> list[Change]:
    """What was done after a moment, by the audit log: the most frequent first."""
    rows = store.rows(
        "select action, count(*), string_agg(distinct nullif(person, ''), ', ') from audit "
        "where at_utc > $1 group by action order by 2 desc, 1",
        [since],
    )
    return [
        Change(_SAID[action], times, _names((people or "").split(", ")))
        for action, times, people in rows
        if action in _SAID
    ]


def _names(people: Sequence[str]) -> str:
    """The names in order; more than three are counted."""
    known = sorted(filter(None, people))
    more = f" and {len(known) - 3} more" if len(known) > 3 else ""
    return ", ".join(known[:3]) + more
