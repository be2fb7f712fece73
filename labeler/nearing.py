"""Giving near misses to people: what a judge proposes for a golden set, as a list on the labelling
page."""

from __future__ import annotations

from labeler.drawing import named
from labeler.errors import LabelerError
from labeler.model import content_hash
from labeler.reports.near_misses import Report
from labeler.reports.pooling import Key, Proposal
from labeler.reports.render import judge_name
from labeler.store import spotchecks
from labeler.store.db import Store
from labeler.store.spotchecks import Drawn, SpotCheck

NEAR_MISS = "near miss"
"""The stratum of a task that a judge proposed for a golden set."""


def queue(store: Store, report: Report, name: str, *, person: str = "") -> SpotCheck:
    """Store the pairs that the report's judge proposes, and nobody has looked at, as the list
    `name` for everybody. It is no sample (`n` is 0).

    Queries come in the order of their best rank, where a label moves the numbers most; the passages
    of one query in an order that tells nothing of their ranks. The audit keeps what was pooled and
    which judge proposed it. Raises LabelerError where nothing is proposed or the name is taken.
    """
    name = named(name, what="list")
    judged = report.judged
    if judged is None or not report.by_judge:
        raise LabelerError(
            f"The judge proposes nothing for {report.basis.ref} that nobody has labelled"
        )
    best: dict[str, int] = {}
    for one in report.by_judge:
        rank = one.found[0].rank
        best[one.query.query_id] = min(rank, best.get(one.query.query_id, rank))

    def place(one: Proposal) -> tuple[int, str, str]:
        query_id = one.query.query_id
        return best[query_id], query_id, content_hash([query_id, one.passage_id])

    chosen = judged.selection
    check = SpotCheck(name, 0, 0, 0, 1, chosen.judge, chosen.rubric, chosen.model, store.clock())
    who = judge_name(chosen.judge, chosen.rubric, chosen.model)
    systems = ", ".join(one.system for one in report.moved)
    spotchecks.record(
        store,
        check,
        [],
        [
            Drawn(one.query.query_id, one.passage_id, NEAR_MISS, 1.0)
            for one in sorted(report.by_judge, key=place)
        ],
        person=person,
        detail=(
            f"near misses of {report.basis.ref}: {systems} to rank {report.depth}, "
            f"YES of {who} ({judged.decision})"
        ),
    )
    return check


def queued(store: Store) -> dict[Key, str]:
    """The pairs that were ever put on such a list, each with the first list's name."""
    rows = store.rows(
        "select t.query_id, t.passage_id, s.name from tasks t "
        "join spotchecks s on s.name = t.spotcheck where t.stratum = $1 order by s.seq desc",
        [NEAR_MISS],
    )
    return {(query_id, passage_id): name for query_id, passage_id, name in rows}
