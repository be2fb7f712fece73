"""A judge that has spoken already: verdicts from a file, whoever made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from labeler.model import Judgment, Status, Verdict, moment


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
            judged_at=moment(row.at),
        )


def verdict_table(judgments: Any) -> Any:
    """As `verdicts`, of an Arrow table with the fields of Judgment, in which each row names its
    judge: a table with those fields of Verdict that a file may bring."""
    import pyarrow as pa
    import pyarrow.compute as pc

    at = judgments["at"].combine_chunks().dictionary_encode()
    moments = pa.array(map(moment, at.dictionary.to_pylist()), pa.timestamp("us", tz="UTC"))
    brought = {
        name: judgments[name]
        for name in ("query_id", "passage_id", "grade", "rubric", "model", "reason", "raw", "cost")
    }
    return pa.table(
        {
            **brought,
            "judge": judgments["person"],
            "status": pc.if_else(
                pc.is_valid(judgments["grade"]), str(Status.OK), str(Status.UNREADABLE)
            ),
            "judged_at": moments.take(at.indices),
        }
    )
