"""A judge that has spoken already: verdicts from a file, whoever made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from labeler.model import Judgment, Status, Verdict


def verdicts(judgments: Iterable[Judgment], *, judge: str, rubric: str = "") -> Iterator[Verdict]:
    """The verdicts that a file's rows are.

    `judge` and `rubric` (`name@version`) count for rows that name none. A row without a grade is an
    unreadable verdict. A time that is no ISO 8601 is left out; one without a zone is UTC.
    """
    for row in judgments:
        readable = row.grade is not None
        yield Verdict(
            row.query_id,
            row.passage_id,
            row.person or judge,
            row.grade,
            Status.OK if readable else Status.UNREADABLE,
            rubric=row.rubric or rubric,
            model=row.model,
            reason=row.reason,
            raw=row.raw,
            cost=row.cost,
            judged_at=_moment(row.at),
        )


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
