"""What is needed to compare people with each other, with adjudicated grades and with themselves."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from labeler.store.comparison_sql import about
from labeler.store.db import Store


class Given(NamedTuple):
    """A person's blind grade of a pair, as a gain 0, 1, 2; `adjudicated` is the gain that a
    reviewer settled on, None where nobody did.
    """

    annotator: str
    query_id: str
    passage_id: str
    gain: int
    adjudicated: int | None
    labelled_at: datetime


class Press(NamedTuple):
    """An answer in the app: "labelled" or "unsure", its gain, and when its person gave it."""

    annotator: str
    query_id: str
    passage_id: str
    state: str
    gain: int | None
    pressed_at: datetime


_GAIN = "case {0} when 'NO' then 0 when 'PART' then 1 when 'YES' then 2 end"


def given(store: Store) -> list[Given]:
    """Every blind grade of a passage that stands, by query, passage and person."""
    rows = store.rows(
        "select b.annotator, b.query_id, b.passage_id, "
        f"{_GAIN.format('b.grade')}, {_GAIN.format('a.grade')}, b.labelled_at "
        "from blind_labels b left join current_adjudications a "
        "on a.query_id = b.query_id and a.passage_id = b.passage_id "
        f"where b.grade is not null and {about('b', answers=False)} "
        "order by b.query_id, b.passage_id, b.annotator"
    )
    return [Given(*row) for row in rows]


def presses(store: Store) -> list[Press]:
    """Every blind press on a passage that was made in the app, by person and in its order. The time
    is the browser's, where it sent one: several presses are stored at one moment.
    """
    rows = store.rows(
        f"select annotator, query_id, passage_id, state, {_GAIN.format('grade')}, client_at, "
        "labelled_at from label_events where action in ('label', 'unsure') "
        "and blind is distinct from false and client_at <> '' "
        f"and {about('label_events', answers=False)} order by annotator, seq"
    )
    return [Press(*(*row[:5], _moment(row[5], row[6]))) for row in rows]


def _moment(client_at: str, stored_at: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(client_at)
    except ValueError:
        return stored_at
    return found if found.tzinfo else stored_at
