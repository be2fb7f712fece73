"""Events of the labelling page: stored once, in order, and only where they belong."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.model import Grade, LabelEvent, State
from labeler.store import labels, tasks
from labeler.store.db import Store

_YES, _PART, _NO = Grade.YES, Grade.PART, Grade.NO


def _event(
    action: str = "label",
    grade: Grade | None = None,
    *,
    pair: tuple[str, str] = ("q1", "p1"),
    person: str = "anna",
    **rest,
) -> LabelEvent:
    name = rest.pop("event", None) or str(uuid.uuid4())
    return LabelEvent(name, *pair, person, action, grade, spotcheck="check", **rest)


@pytest.fixture
def handed(store: Store, draw) -> Store:
    """A store in which anna and ben were handed (q1, p1) and (q1, p2), and carl nothing."""
    draw(store, [("q1", "p1"), ("q1", "p2")], overlap=2)
    for person in ("anna", "ben"):
        tasks.window(store, spotcheck="check", annotator=person)
    return store


def _standing(store: Store) -> list[tuple[str, str, State, Grade | None, str]]:
    return [(s.annotator, s.passage_id, s.state, s.grade, s.note) for s in labels.current(store)]


def test_a_known_uuid_adds_nothing_and_is_acknowledged_again(handed: Store) -> None:
    event = _event("label", _YES)
    for _ in range(3):
        assert labels.record(handed, [event]) == ([event.event], [])
    twice = _event("label", _NO, pair=("q1", "p2"))
    assert labels.record(handed, [twice, twice, event]).acknowledged == [
        *(twice.event, twice.event, event.event)
    ]
    assert len(list(labels.history(handed))) == 2
    assert handed.row("select count(*) from audit where action = 'label'") == (2,)


@pytest.mark.parametrize("write", [str.upper, lambda u: u.replace("-", ""), "urn:uuid:{}".format])
def test_a_uuid_is_the_same_however_it_is_written(handed: Store, write) -> None:
    event = str(uuid.uuid4())
    labels.record(handed, [_event("label", _YES, event=event)])
    again = labels.record(handed, [_event("label", _NO, event=write(event))])
    assert again == ([write(event)], [])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _YES, "")]


def test_an_id_that_is_another_events_is_refused_and_not_said_to_be_stored(handed: Store) -> None:
    first = _event("label", _YES)
    other = _event("label", _NO, pair=("q1", "p2"), event=first.event)
    why = "the event's id is that of another one"
    assert labels.record(handed, [first, other]).refused == [(first.event, why)]
    assert labels.record(handed, [other]) == ([], [(first.event, why)])
    assert [(row.passage_id, row.grade) for row in labels.current(handed)] == [("p1", _YES)]


def test_events_of_a_batch_stand_in_their_order(handed: Store) -> None:
    labels.record(handed, [_event("label", grade) for grade in (_YES, _NO, _PART)])
    assert [row["grade"] for row in labels.history(handed)] == ["YES", "NO", "PART"]
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _PART, "")]


def test_events_of_several_people_go_in_one_call(handed: Store) -> None:
    events = [_event("label", _YES), _event("label", _NO, person="ben"), _event("unsure")]
    recorded = labels.record(handed, events)
    assert recorded == ([event.event for event in events], [])
    assert _standing(handed) == [
        ("ben", "p1", State.LABELLED, _NO, ""),
        ("anna", "p1", State.UNSURE, None, ""),
    ]


def test_a_pair_that_was_not_handed_out_is_refused_and_the_rest_is_stored(handed: Store) -> None:
    good = _event("label", _YES)
    stranger = _event("label", _YES, person="carl")
    elsewhere = _event("label", _YES, pair=("q1", "p9"))
    recorded = labels.record(handed, [stranger, good, elsewhere])
    assert recorded.acknowledged == [good.event]
    assert recorded.refused == [
        (stranger.event, "this pair was not handed to carl"),
        (elsewhere.event, "this pair was not handed to anna"),
    ]


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (_event("label", _YES, event="17"), "the event's id is no UUID"),
        (_event("label", _YES, event=17), "the event's id is no UUID"),
        (_event("erase"), "'erase' is no action"),
        (_event("label"), "a label has a grade, and nothing else has"),
        (_event("later", _YES), "a label has a grade, and nothing else has"),
        (_event("label", _YES, pair=("q1", "\ud800")), "a name holds half of a character"),
    ],
)
def test_a_malformed_event_is_refused_with_the_reason(handed: Store, event, why: str) -> None:
    good = _event("label", _NO)
    recorded = labels.record(handed, [event, good])
    assert recorded == ([good.event], [(event.event, why)])


def test_nothing_but_malformed_events_commits_nothing(handed: Store) -> None:
    before = handed.version
    assert labels.record(handed, [_event("erase")]).acknowledged == []
    assert labels.record(handed, []) == ([], [])
    assert handed.version == before


def test_a_note_and_an_undo_keep_the_grade_and_a_grade_keeps_the_note(handed: Store) -> None:
    labels.record(handed, [_event("label", _YES), _event("note", note="see page 2")])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _YES, "see page 2")]
    labels.record(handed, [_event("undo")])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _YES, "see page 2")]
    labels.record(handed, [_event("label", _NO)])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _NO, "see page 2")]
    labels.record(handed, [_event("note", note="")])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _NO, "")]


def test_an_undo_of_nothing_is_an_event_but_no_label(handed: Store) -> None:
    labels.record(handed, [_event("undo"), _event("note", pair=("q1", "p2"), note="hm")])
    assert _standing(handed) == []
    assert [row["state"] for row in labels.history(handed)] == ["open", "open"]


def test_unsure_and_later_are_states_without_a_grade(handed: Store) -> None:
    labels.record(handed, [_event("label", _YES), _event("unsure")])
    labels.record(handed, [_event("later", pair=("q1", "p2"))])
    assert _standing(handed) == [
        ("anna", "p1", State.UNSURE, None, ""),
        ("anna", "p2", State.LATER, None, ""),
    ]


def test_a_label_after_the_verdict_was_shown_is_not_blind(handed: Store) -> None:
    labels.record(handed, [_event("label", _YES)])
    for _ in range(2):
        labels.note_view(handed, [("q1", "p1"), ("q1", "p1")], person="anna")
    labels.record(
        handed,
        [
            _event("label", _NO),
            _event("label", _NO, pair=("q1", "p2")),
            _event("label", _PART, person="ben"),
            _event("label", _PART, pair=("q1", "p2"), person="ben", blind=False),
        ],
    )
    blind = [row["blind"] for row in labels.history(handed)]
    assert blind == [True, False, True, True, False]
    assert handed.rows("select grade from blind_labels where annotator = 'anna' order by seq") == [
        ("YES",),  # what she said before she saw the verdict still counts
        ("NO",),
    ]


_HOSTILE = ["a\0b", "\u202egnirts", 'it\'s "quoted"; drop table label_events; --', "$1 {} %s", "\n"]


@pytest.mark.parametrize("note", [*_HOSTILE, "👩‍🔬 नमस्ते", "x" * 100_000])
def test_hostile_notes_come_back_as_they_were(handed: Store, note: str) -> None:
    labels.record(handed, [_event("label", _YES, note=note, client_at=note)])
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _YES, note)]


def test_half_of_a_character_in_a_note_does_not_cost_the_label(handed: Store) -> None:
    event = _event("label", _YES, note="so \ud83d far", client_at="\udc00")
    assert labels.record(handed, [event]).acknowledged == [event.event]
    assert _standing(handed) == [("anna", "p1", State.LABELLED, _YES, "so ? far")]


def test_ids_of_any_text_are_told_apart(store: Store, draw) -> None:
    ids = [*_HOSTILE, "p", "P", "p ", "\u0061\u0301", "\u00e1", "001", "1"]
    draw(store, [("q\0'\"", passage) for passage in ids])
    tasks.window(store, spotcheck="check", annotator="anna", limit=99)
    for number, passage in enumerate(ids):
        event = _event("label", _YES, pair=("q\0'\"", passage), note=str(number))
        assert labels.record(store, [event]).acknowledged == [event.event]
    assert [s.passage_id for s in labels.current(store)] == ids


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["label", "unsure", "later", "undo", "note"]),
        st.sampled_from(list(Grade)),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    ),
    max_size=12,
)


@given(steps=_STEPS, cut=st.integers(0, 12))
def test_what_stands_is_the_fold_of_the_events_in_however_many_calls(steps, cut: int) -> None:
    # A second implementation of the states, on values alone.
    state, grade, note = labels._State("open", None, "")
    stood = labels._State("open", None, "")
    for action, given_grade, text in steps:
        event = _event(action, given_grade if action == "label" else None, note=text)
        stood = labels._after(stood, event)
        if action == "label":
            state, grade, note = "labelled", given_grade, text or note
        elif action in ("unsure", "later"):
            state, grade, note = action, None, text or note
        elif action == "note":
            note = text
    assert stood == (state, grade, note)
