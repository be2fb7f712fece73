"""What is kept of each query is what is made anew, whatever was said since, and is made for the
queries alone of which something was said."""

from __future__ import annotations

import random
import uuid
from collections import defaultdict
from collections.abc import Callable

import pytest

from labeler.model import Grade, Judgment, LabelEvent, Passage, Query, Status, Verdict
from labeler.store import (
    adjudications,
    by_query,
    corpora,
    differences,
    labels,
    queries,
    tasks,
    verdicts,
)
from labeler.store.by_query import ByQuery
from labeler.store.db import Store

QUERIES = [f"q{n}" for n in range(5)]
PASSAGES = [f"p{n}" for n in range(4)]
GRADES = tuple(Grade)
ORDER = {"people": 0, "unsure": 1, "judge": 2}


def listed(store: Store, judge: str) -> list[tuple[str, str, str]]:
    queue = differences.queue(store, judge=judge)
    found = [queue.at(place) for place in range(queue.total)]
    assert queue.at(queue.total) is None
    return [tuple(one) for one in found if one is not None]


def by_hand(store: Store, judge: str) -> list[tuple[str, str, str]]:
    """The queue, from every event in Python."""
    said: dict[tuple[str, str], dict[str, tuple[str, str | None]]] = defaultdict(dict)
    events = store.rows(
        "select query_id, passage_id, annotator, state, grade, blind from label_events order by seq"
    )
    for query_id, passage_id, person, state, grade, blind in events:
        if blind is not False:
            said[query_id, passage_id][person] = (state, grade)
    of_judge = {
        (one.query_id, one.passage_id): one.grade
        for one in verdicts.current(store)
        if one.judge == judge
    }
    settled = {(one.query_id, one.passage_id) for one in adjudications.current(store)}
    found = []
    for pair, people in said.items():
        grades = {Grade(grade) for _, grade in people.values() if grade}
        gains = sorted(grade.gain for grade in grades)
        verdict = of_judge.get(pair)
        if pair in settled:
            continue
        if len(grades) > 1:
            found.append((ORDER["people"], gains[0] - gains[-1], *pair, "people"))
        elif not grades and any(state == "unsure" for state, _ in people.values()):
            found.append((ORDER["unsure"], 0, *pair, "unsure"))
        elif grades and verdict is not None and verdict.gain != gains[0]:
            found.append((ORDER["judge"], -abs(verdict.gain - gains[0]), *pair, "judge"))
    return [one[2:] for one in sorted(found)]


class Steps:
    """What people and a judge may do next to one another."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.luck = store, random.Random(seed)

    def pair(self) -> tuple[str, str]:
        return self.luck.choice(QUERIES), self.luck.choice(PASSAGES)

    def label(self) -> None:
        grade = self.luck.choice([*GRADES, None])
        state = "labelled" if grade else self.luck.choice(["unsure", "later"])
        judgment = Judgment(*self.pair(), grade, state=state)
        labels.bring(self.store, [judgment], annotator=self.luck.choice(["ann", "bob", "cy"]))

    def judge(self) -> None:
        grade = self.luck.choice([*GRADES, None])
        status = Status.OK if grade else Status.UNREADABLE
        verdicts.keep(self.store, [Verdict(*self.pair(), "judge", grade, status)])

    def settle(self) -> None:
        query_id, passage_id = self.pair()
        adjudications.record(
            self.store,
            query_id,
            passage_id=passage_id,
            grade=self.luck.choice(GRADES),
            reason="so",
            reviewer="rita",
        )

    def take(self) -> None:
        self.luck.choice([self.label, self.label, self.label, self.judge, self.settle])()


@pytest.mark.parametrize("seed", range(2))
def test_the_queue_is_the_one_that_all_events_give_after_every_step(
    store: Store, seed: int
) -> None:
    steps = Steps(store, seed)
    for step in range(24):
        steps.take()
        if step % 3:  # it has to catch up with several at once as well
            continue
        for judge in ("judge", "somebody else"):
            assert listed(store, judge) == by_hand(store, judge)


def test_a_label_given_after_the_verdict_was_seen_makes_no_difference(
    store: Store, draw: Callable[..., object]
) -> None:
    draw(store, [("q", "p")])
    tasks.window(store, spotcheck="check", annotator="ann")

    def press(grade: Grade, *, blind: bool) -> None:
        name = str(uuid.uuid4())
        event = LabelEvent(name, "q", "p", "ann", "label", grade, spotcheck="check", blind=blind)
        assert labels.record(store, [event]).acknowledged == [name]

    verdicts.keep(store, [Verdict("q", "p", "judge", Grade.NO, Status.OK)])
    press(Grade.YES, blind=True)
    assert listed(store, "judge") == [("q", "p", "judge")]
    press(Grade.NO, blind=False)
    assert listed(store, "judge") == [("q", "p", "judge")]


def test_a_pair_that_was_settled_since_is_not_shown(store: Store) -> None:
    verdicts.keep(store, [Verdict("q", "p", "judge", Grade.NO, Status.OK)])
    labels.bring(store, [Judgment("q", "p", Grade.YES)], annotator="ann")
    before = differences.queue(store, judge="judge")
    adjudications.record(store, "q", passage_id="p", grade=Grade.NO, reason="so", reviewer="rita")
    assert (before.total, before.at(0)) == (1, None)
    assert differences.queue(store, judge="judge").total == 0


class Counted:
    """The labels of each query; notes for which queries it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str] | None] = []

    def __call__(self, store: Store, only: list[str] | None) -> dict[str, int]:
        self.asked.append(only)
        rows = store.rows(
            "select query_id, count(*) from label_events "
            "where $1::text[] is null or query_id = any($1) group by query_id",
            [only],
        )
        return dict(rows)


def label(store: Store, *asked: str) -> None:
    judgments = [Judgment(query_id, str(uuid.uuid4()), Grade.YES) for query_id in asked]
    labels.bring(store, judgments, annotator="ann")


def test_only_the_queries_that_were_touched_are_made_anew(store: Store) -> None:
    made = Counted()
    kept = ByQuery(made, touching=("label_events", "verdicts"), whole=("passages",))
    label(store, "a", "b")
    first = kept.now(store)
    assert first == {"a": 1, "b": 1}
    assert kept.now(store) is first
    queries.record(store, [Query("a", "how?")])  # nothing that it reads
    assert kept.now(store) is first
    label(store, "b", "c")
    assert kept.now(store) == {"a": 1, "b": 2, "c": 1}
    assert first == {"a": 1, "b": 1}  # what was given is never changed
    verdicts.keep(store, [Verdict("a", "p", "judge", Grade.NO, Status.OK)])
    assert kept.now(store) == {"a": 1, "b": 2, "c": 1}
    assert made.asked == [None, ["b", "c"], ["a"]]


def test_everything_is_made_anew_where_a_passage_comes_or_much_is_touched(store: Store) -> None:
    made = Counted()
    kept = ByQuery(made, touching=("label_events",), whole=("passages",))
    kept.now(store)
    corpora.record(store, [Passage("p", "text")], name="c")
    kept.now(store)
    label(store, *(f"q{n}" for n in range(by_query.MANY)))
    assert len(kept.now(store)) == by_query.MANY
    assert made.asked == [None, None, None]


def test_a_query_of_which_nothing_is_known_any_more_goes(store: Store) -> None:
    kept = ByQuery(
        lambda store, only: {} if store.row("select 1 from adjudications") else {"q": 1},
        touching=("adjudications",),
        whole=(),
    )
    assert kept.now(store) == {"q": 1}
    adjudications.record(store, "q", passage_id="p", grade=Grade.NO, reason="so", reviewer="rita")
    assert kept.now(store) == {}


def test_of_many_kinds_of_knowledge_those_asked_for_last_are_kept(store: Store) -> None:
    made = Counted()

    def ask(key: int) -> None:
        by_query.of(store, key, made, touching=("label_events",), whole=())

    for key in [*range(by_query.KEPT), 0, by_query.KEPT]:  # 0 again: 1 has to go for the last
        ask(key)
    assert len(made.asked) == by_query.KEPT + 1
    ask(0)
    assert len(made.asked) == by_query.KEPT + 1
    ask(1)
    assert len(made.asked) == by_query.KEPT + 2
