"""The handing out of tasks: nobody is asked in vain, and nothing is left over."""

from __future__ import annotations

import tempfile
import uuid
from datetime import datetime
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from labeler.errors import LabelerError
from labeler.model import Grade, Judgment, LabelEvent, Passage, Query
from labeler.store import corpora, labels, queries, spotchecks, tasks
from labeler.store.db import Store, open_store


def _say(store: Store, person: str, *passages: str, action: str = "label", query: str = "") -> None:
    for passage in passages:
        event = LabelEvent(
            str(uuid.uuid4()),
            query or f"q{passage[1:]}",
            passage,
            person,
            action,
            Grade.YES if action == "label" else None,
            spotcheck="check",
        )
        assert labels.record(store, [event]).acknowledged == [event.event]


def _window(store: Store, person: str, limit: int = 6) -> tasks.Window:
    return tasks.window(store, spotcheck="check", annotator=person, limit=limit)


def _open(store: Store, person: str, limit: int = 6) -> list[int]:
    return _window(store, person, limit).open


@pytest.fixture
def four(store: Store, draw) -> Store:
    """Tasks 1 to 4 on (q1, p1) to (q4, p4), each wanted once."""
    draw(store, [(f"q{n}", f"p{n}") for n in range(1, 5)])
    return store


def test_two_people_share_the_tasks_and_neither_is_given_the_others(four: Store) -> None:
    assert _open(four, "anna", limit=2) == [1, 2]
    assert _open(four, "ben", limit=9) == [3, 4]
    window = _window(four, "anna", limit=9)
    assert window.open == [1, 2]
    assert window.progress == (0, 2, 2)  # two open, two with ben


def test_a_reservation_that_expires_returns_and_a_sign_of_life_renews_it(
    four: Store, clock
) -> None:
    assert _open(four, "anna", limit=4) == [1, 2, 3, 4]
    clock.move(minutes=29)
    assert _open(four, "anna") == [1, 2, 3, 4]
    clock.move(minutes=29)
    assert _open(four, "ben") == []
    clock.move(minutes=1)  # 30 minutes after anna's last sign of life
    assert tasks.progress(four, spotcheck="check", annotator="ben") == (0, 4, 0)
    assert _open(four, "ben", limit=3) == [1, 2, 3]


def test_late_events_of_a_person_whose_reservation_went_to_another_are_stored(
    four: Store, clock
) -> None:
    _open(four, "anna")
    clock.move(hours=1)
    assert _open(four, "ben") == [1, 2, 3, 4]
    _say(four, "anna", "p1")
    assert _open(four, "ben") == [2, 3, 4]
    _say(four, "ben", "p1", "p2", "p3", "p4")
    assert tasks.overall(four, "check") == (4, 4)  # two labels on p1 count once
    assert len(list(labels.current(four))) == 5


def test_a_pair_that_is_wanted_twice_goes_to_two_people_and_no_third(store: Store, draw) -> None:
    draw(store, [("q1", "p1")], overlap=2)
    assert [_open(store, person) for person in ("anna", "ben", "carl")] == [[1], [1], []]
    _say(store, "anna", "p1")
    assert _open(store, "carl") == []
    assert tasks.overall(store, "check") == (1, 2)
    _say(store, "ben", "p1")
    assert tasks.overall(store, "check") == (2, 2)


def test_later_comes_after_all_others_and_does_not_stop_fresh_ones(four: Store) -> None:
    assert _open(four, "anna", limit=2) == [1, 2]
    _say(four, "anna", "p2", "p1", action="later")
    assert _open(four, "anna", limit=2) == [3, 4, 2, 1]  # in the order they were put off
    _say(four, "anna", "p3", "p4")
    assert _open(four, "anna", limit=2) == [2, 1]
    assert _window(four, "anna").progress == (2, 4, 0)


def test_unsure_is_an_answer(four: Store) -> None:
    _open(four, "anna")
    _say(four, "anna", "p1", action="unsure")
    assert _open(four, "anna") == [2, 3, 4]
    assert tasks.overall(four, "check") == (1, 4)


def test_the_pairs_of_a_query_come_together_however_they_were_drawn(store: Store, draw) -> None:
    draw(store, [("a", "p1"), ("b", "p2"), ("a", "p3"), ("c", "p4"), ("b", "p5")])
    assert _open(store, "anna", limit=1) == [1, 3]
    assert _open(store, "ben", limit=9) == [2, 5, 4]


def test_the_window_shows_what_the_person_said_and_nothing_of_others(four: Store) -> None:
    _open(four, "anna", limit=4)
    _say(four, "anna", "p3", "p1")
    _say(four, "anna", "p4", action="later")
    order = _window(four, "anna").order
    assert [task.task for task in order] == [3, 1, 2, 4]  # done in their order, open, put off
    states = [task.own and task.own.state for task in order]
    assert states == ["labelled", "labelled", None, "later"]
    assert _window(four, "ben").order == []
    assert set(tasks.Task._fields) == {"task", "query_id", "passage_id", "own"}


def test_a_label_given_elsewhere_counts_and_is_not_asked_for_again(four: Store) -> None:
    labels.bring(four, [Judgment("q1", "p1", Grade.NO)], annotator="anna")
    assert _open(four, "anna") == [2, 3, 4]
    window = _window(four, "anna")
    assert [task.task for task in window.order] == [2, 3, 4]  # 1 was never handed out here
    assert window.progress == (1, 4, 0)
    assert tasks.overall(four, "check") == (1, 4)


def test_who_has_seen_the_verdict_is_not_asked_and_the_task_goes_to_another(
    four: Store, clock
) -> None:
    assert _open(four, "anna") == [1, 2, 3, 4]
    _say(four, "anna", "p3")
    labels.note_view(four, [("q1", "p1"), ("q3", "p3")], person="anna")
    assert _open(four, "anna") == [2, 4]
    _say(four, "anna", "p1")  # pressed all the same: stored, but no blind label
    assert _window(four, "anna").progress == (1, 3, 0)  # p3 was labelled before it was seen
    assert tasks.overall(four, "check") == (1, 4)
    clock.move(minutes=31)
    assert _open(four, "ben") == [1, 2, 4]


def test_texts_are_given_only_of_tasks_that_were_handed_out(four: Store) -> None:
    corpora.record(four, [Passage("p1", "one"), Passage("p3", "three")], name="c")
    queries.record(four, [Query("q1", "first?")])
    _open(four, "anna", limit=2)
    found = tasks.texts(four, spotcheck="check", annotator="anna", tasks=[2, 1, 3, 77])
    assert [(text.task, text.query.text, text.passage.text) for text in found] == [
        (2, "", ""),
        (1, "first?", "one"),
    ]
    assert tasks.texts(four, spotcheck="check", annotator="ben", tasks=[1]) == []


def test_the_newest_spot_check_with_work_left_is_found(four: Store, draw) -> None:
    draw(four, [("q9", "p9")], name="second")
    assert tasks.with_work_left(four, annotator="anna").name == "second"
    _open(four, "ben")
    tasks.window(four, spotcheck="second", annotator="ben")
    assert tasks.with_work_left(four, annotator="ben").name == "second"
    labels.bring(four, [Judgment("q9", "p9", Grade.NO)], annotator="ben")
    assert tasks.with_work_left(four, annotator="ben").name == "check"
    assert tasks.with_work_left(four, annotator="anna").name == "second"  # nothing left: the newest


def test_an_unknown_spot_check_is_named_with_those_that_are_known(four: Store) -> None:
    with pytest.raises(LabelerError, match=r"no spot check 'chek'; known: check"):
        tasks.window(four, spotcheck="chek", annotator="anna")


def test_a_spot_check_is_never_taken_for_a_desk(four: Store, draw) -> None:
    with pytest.raises(LabelerError, match="begins with desk/ is that of a reviewer's desk"):
        draw(four, [("q", "p")], name="desk/anna/q")


def test_a_spot_check_is_drawn_once(four: Store, draw) -> None:
    with pytest.raises(LabelerError, match="never redrawn"):
        draw(four, [("q", "p")])
    assert [check.name for check in spotchecks.history(four)] == ["check"]
    assert spotchecks.strata(four, "check") == [("NO", 40, 4)]


_PEOPLE = ["anna", "ben", "carl"]


class HandingOut(RuleBasedStateMachine):
    """People who come, go, answer late and put off, by a clock that jumps; beside a model."""

    @initialize(overlap=st.sampled_from([1, 2]), asked=st.lists(st.integers(0, 3), min_size=1))
    def drawn(self, overlap: int, asked: list[int]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.now = datetime.fromisoformat("2026-03-01T09:00:00+00:00")
        self.store = open_store(Path(self.folder.name) / "x.duckdb", clock=lambda: self.now)
        self.wanted = overlap
        self.query = {task: f"q{q}" for task, q in enumerate(asked[:10], start=1)}
        spotchecks.record(
            self.store,
            spotchecks.SpotCheck("check", 1, 9, 5, overlap, "j", "", "", self.now),
            [],
            [spotchecks.Drawn(q, f"p{task}", "NO", 1.0) for task, q in self.query.items()],
        )
        self.until: dict[tuple[int, str], datetime] = {}
        self.handed: set[tuple[int, str]] = set()
        self.answered: dict[int, set[str]] = {task: set() for task in self.query}
        self.off: set[tuple[int, str]] = set()

    def _lacks(self, task: int, person: str) -> bool:
        return person not in self.answered[task] and len(self.answered[task]) < self.wanted

    def _holders(self, task: int) -> set[str]:
        return {p for (t, p), until in self.until.items() if t == task and until > self.now}

    def _come(self, person: str, limit: int) -> list[int]:
        held = {t: self._holders(t) | self.answered[t] for t in self.query}
        found = tasks.window(self.store, spotcheck="check", annotator=person, limit=limit)
        self.until = {key: until for key, until in self.until.items() if until > self.now}
        for task in found.open:
            assert self._lacks(task, person)
            # Nobody is given a task that as many as are wanted are at.
            assert len(held[task] - {person}) < self.wanted or person in held[task]
            self.until[task, person] = self.now + tasks.HOLD
            self.handed.add((task, person))
        free = {
            task
            for task in self.query
            if self._lacks(task, person)
            and person not in self._holders(task)
            and len(self._holders(task) | self.answered[task]) < self.wanted
        }
        fresh = [task for task in found.open if (task, person) not in self.off]
        assert len(fresh) >= limit or not free
        assert found.open[: len(fresh)] == fresh  # those put off come last
        blocks = [query for query, _ in groupby(self.query[task] for task in fresh)]
        assert len(blocks) == len(set(blocks))  # the pairs of one query come together
        done = sum(person in people for people in self.answered.values())
        lacking = sum(self._lacks(task, person) for task in self.query)
        reach = len(found.open) + len(free)
        assert found.progress == (done, done + reach, lacking - reach)
        assert found.progress == tasks.progress(self.store, spotcheck="check", annotator=person)
        return found.open

    def _press(self, task: int, person: str, action: str) -> None:
        grade = Grade.PART if action == "label" else None
        event = LabelEvent(
            *(str(uuid.uuid4()), self.query[task], f"p{task}", person, action, grade),
            spotcheck="check",
        )
        recorded = labels.record(self.store, [event])
        assert bool(recorded.acknowledged) == ((task, person) in self.handed)
        if not recorded.acknowledged:
            return
        self.off.discard((task, person))
        self.answered[task].discard(person)
        if action == "later":
            self.off.add((task, person))
        else:
            self.answered[task].add(person)

    @rule(person=st.sampled_from(_PEOPLE), limit=st.integers(1, 4))
    def come(self, person: str, limit: int) -> None:
        self._come(person, limit)

    @rule(
        person=st.sampled_from(_PEOPLE),
        task=st.integers(1, 10),
        action=st.sampled_from(["label", "label", "unsure", "later"]),
    )
    def press(self, person: str, task: int, action: str) -> None:
        if task in self.query:
            self._press(task, person, action)

    @rule(minutes=st.sampled_from([1, 10, 29, 30, 31, 600, -20]))
    def wait(self, minutes: int) -> None:
        self.now += minutes * (tasks.HOLD / 30)

    def teardown(self) -> None:
        if not hasattr(self, "store"):
            return
        full = self.wanted * len(self.query)
        for _ in range(2 * len(self.query) * len(_PEOPLE)):  # bounded: all is done in the end
            for person in _PEOPLE:
                for task in self._come(person, 2)[:1]:
                    self._press(task, person, "label")
            if tasks.overall(self.store, "check") == (full, full):
                break
            self.now += tasks.HOLD / 3
        assert tasks.overall(self.store, "check") == (full, full)
        self.store.close()
        self.folder.cleanup()


HandingOut.TestCase.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)
TestHandingOut = HandingOut.TestCase
