"""Labels beside verdicts, against a second implementation on plain values."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeler.model import GRADES, Grade, Judgment, LabelEvent, Passage, Query, Status, Verdict
from labeler.store import adjudications, corpora, exports, labels, queries, tasks, verdicts
from labeler.store.db import Store, open_store
from labeler.store.imports import Source
from labeler.store.pairs import Missing, Part, Selection, compared

_YES, _PART, _NO = Grade.YES, Grade.PART, Grade.NO
_ANY = Selection("judge")


def _verdict(query: str, passage: str, grade: Grade | None, **rest) -> Verdict:
    status = Status.OK if grade else Status.UNREADABLE
    return Verdict(query, passage, "judge", grade, status, **rest)


def _bring(store: Store, *rows: Judgment) -> None:
    """Each row as a file of its own, so that all are kept in their order."""
    for number, row in enumerate(rows):
        labels.bring(store, [row], annotator="anna", source=Source(hash=f"b1:{number}"))


def _label(query: str, passage: str, grade: Grade | None, person: str = "anna", **rest) -> Judgment:
    return Judgment(query, passage, grade, person=person, **rest)


def _pairs(store: Store, selection: Selection = _ANY) -> list[tuple[int, int, int]]:
    with compared(store, selection) as comparison:
        found = comparison.arrays()
    return list(zip(*(found[:3]), strict=True))


def _missing(store: Store, selection: Selection = _ANY) -> Missing:
    with compared(store, selection) as comparison:
        return comparison.missing()


def test_each_pair_is_compared_or_missing_once_and_for_one_reason(store: Store) -> None:
    verdicts.keep(
        store,
        [
            *(_verdict("q1", "a", _YES), _verdict("q1", "b", _NO), _verdict("q1", "c", _NO)),
            *(_verdict("q2", "d", _NO), _verdict("q2", "e", None), _verdict("q2", "g", None)),
        ],
    )
    _bring(
        store,
        _label("q1", "a", _PART),  # compared
        _label("q1", "b", None),  # unsure
        _label("q2", "d", _YES),
        _label("q2", "d", _NO, "ben"),  # a tie: unresolved
        _label("q2", "e", _YES),  # unreadable
        _label("q2", "f", _YES),  # unjudged
        _label("q2", "h", None),  # unsure, though unjudged too
    )  # c and g have no label
    assert _pairs(store) == [(0, 1, 2)]
    assert _missing(store) == Missing(
        unlabelled=2, unjudged=1, unreadable=1, unsure=2, unresolved=1
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([_YES], 2),
        ([_YES, _NO], None),
        ([_YES, _NO, _NO], 0),
        ([_YES, _PART, _NO], None),
        ([_YES, _YES, _PART, _NO], 2),
        ([_YES, _YES, _PART, _PART], None),
        ([_PART, None, None], 1),  # unsure is no vote
        ([None, None], None),
    ],
)
def test_the_majority_counts_and_a_tie_is_unresolved(
    store: Store, said: list[Grade | None], expected: int | None
) -> None:
    verdicts.keep(store, [_verdict("q", "p", _NO)])
    _bring(store, *(_label("q", "p", grade, f"person{n}") for n, grade in enumerate(said)))
    assert _pairs(store) == ([] if expected is None else [(0, expected, 0)])


def test_an_adjudication_settles_and_one_persons_own_labels_stay_their_own(store: Store) -> None:
    verdicts.keep(store, [_verdict("q", "p", _NO)])
    _bring(store, _label("q", "p", _YES), _label("q", "p", _NO, "ben"))
    for grade in (_YES, _PART):
        adjudications.record(
            store, "q", passage_id="p", grade=grade, reason="half an answer", reviewer="rita"
        )
    assert _pairs(store) == [(0, 1, 0)]
    assert _pairs(store, replace(_ANY, annotator="anna")) == [(0, 2, 0)]
    assert _pairs(store, replace(_ANY, annotator="ben")) == [(0, 0, 0)]
    assert _pairs(store, replace(_ANY, annotator="carl")) == []
    with compared(store, _ANY) as comparison:
        (case,) = comparison.cases()
    assert (case.human, case.judge, case.adjudicated) == (_PART, _NO, True)
    with compared(store, replace(_ANY, annotator="anna")) as comparison:
        (case,) = comparison.cases()
    assert (case.human, case.judge, case.adjudicated) == (_YES, _NO, False)


def test_labels_that_were_not_blind_do_not_count(store: Store) -> None:
    verdicts.keep(store, [_verdict("q", "a", _NO), _verdict("q", "b", _NO)])
    _bring(
        store,
        _label("q", "a", _YES, blind=True),
        _label("q", "a", _NO, blind=False),  # gave in after seeing the verdict
        _label("q", "b", _NO, blind=False),
    )
    assert _pairs(store) == [(0, 2, 0)]
    assert _missing(store).unlabelled == 1


def test_only_the_verdicts_of_the_judge_rubric_and_model_asked_for_are_compared(
    store: Store,
) -> None:
    of = [_verdict("q", "p", _NO), _verdict("q", "p", _YES, rubric="r@1")]
    of += [replace(of[1], grade=_PART, model="m"), replace(of[0], judge="other", grade=_YES)]
    verdicts.keep(store, of)
    _bring(store, _label("q", "p", _YES))
    found = [
        _pairs(store, Selection(*key))
        for key in [("judge",), ("judge", "r@1"), ("judge", "r@1", "m"), ("other",), ("nobody",)]
    ]
    assert found == [[(0, 2, 0)], [(0, 2, 2)], [(0, 2, 1)], [(0, 2, 2)], []]
    assert _missing(store, Selection("nobody")).unjudged == 1


def test_a_spot_check_reads_its_tasks_alone_and_counts_by_stratum(store: Store, draw) -> None:
    names, of = ["a", "b", "c", "d"], [_NO, _NO, _YES, _YES]
    verdicts.keep(store, [_verdict("q", p, g) for p, g in zip(names, of, strict=True)])
    verdicts.keep(store, [_verdict("q", "elsewhere", _NO)])
    _bring(store, *(_label("q", p, _NO) for p in ("a", "c", "elsewhere")))
    draw(store, [("q", p) for p in names], strata=["NO", "NO", "YES", "YES"])
    selection = replace(_ANY, spotcheck="check")
    with compared(store, selection) as comparison:
        arrays = comparison.arrays()
        # 10 pairs of the frame for each one drawn, as the fixture draws.
        assert comparison.strata() == [("NO", 20, 1, 0), ("YES", 20, 1, 1)]
        assert comparison.missing() == (2, 0, 0, 0, 0)
        assert comparison.slices("verdict") == [Part("NO", 1, 0, "NO"), Part("YES", 1, 1, "YES")]
    assert list(arrays.stratum) == ["NO", "YES"]
    with compared(store, _ANY) as comparison:
        assert comparison.strata() == []
        assert comparison.missing() == (2, 0, 0, 0, 0)


@pytest.fixture
def told(store: Store) -> Store:
    """Texts, kinds and sources; anna and ben on three pairs, ben alone with a note."""
    queries.record(store, [Query("q1", "how?", kind="exact"), Query("q2", "why?")])
    corpora.record(
        store,
        [
            Passage("a", "text of a", source_uri="hand.md#top"),
            Passage("b", "text of b", source_uri="hand.md?v=2"),
        ],
        name="c",
    )
    verdicts.keep(
        store,
        [
            _verdict("q1", "a", _NO, reason="off topic"),
            *(_verdict("q1", "b", _PART), _verdict("q2", "x", _YES)),
        ],
    )
    _bring(
        store,
        *(_label("q1", "a", _YES), _label("q1", "a", _YES, "ben", note="see line 2")),
        *(_label("q1", "b", _YES), _label("q2", "x", _YES)),
    )
    return store


def test_slices_count_by_kind_verdict_source_and_person(told: Store) -> None:
    with compared(told, _ANY) as comparison:
        assert comparison.slices("kind") == [Part("exact", 2, 2), Part("", 1, 0)]
        assert comparison.slices("verdict") == [
            *(Part("NO", 1, 1), Part("PART", 1, 1), Part("YES", 1, 0))
        ]
        assert comparison.slices("source") == [Part("hand.md", 2, 2), Part("", 1, 0)]
        assert comparison.slices("annotator") == [Part("anna", 3, 2), Part("ben", 1, 1)]
    with compared(told, replace(_ANY, annotator="ben")) as comparison:
        assert comparison.slices("annotator") == [Part("ben", 1, 1)]


def test_the_cases_are_the_disagreements_worst_first_or_a_part_of_the_matrix(told: Store) -> None:
    with compared(told, _ANY) as comparison:
        worst, second = comparison.cases()
        assert (worst.query, worst.passage, worst.kind) == ("how?", "text of a", "exact")
        assert (worst.human, worst.judge, worst.reason) == (_YES, _NO, "off topic")
        assert (worst.note, worst.annotators, worst.adjudicated) == (
            "see line 2",
            "anna, ben",
            False,
        )
        assert (second.passage_id, second.human, second.judge) == ("b", _YES, _PART)
        assert [c.passage_id for c in comparison.cases(human=_YES, judge=_YES)] == ["x"]
        assert [c.passage_id for c in comparison.cases(human=_YES)] == ["a", "b", "x"]
        assert [c.passage_id for c in comparison.cases(judge=_PART)] == ["b"]
        assert list(comparison.cases(human=_NO, judge=_NO)) == []
    with compared(told, replace(_ANY, annotator="anna")) as comparison:
        assert next(comparison.cases()).note == ""


def test_a_comparison_is_one_view_whatever_is_written_meanwhile(told: Store) -> None:
    with compared(told, _ANY) as comparison:
        queries.record(told, [Query("q1", "changed", kind="permission")])
        _bring(told, _label("q1", "a", _NO, "carl"))
        assert comparison.slices("kind")[0].value == "exact"
        assert next(comparison.cases()).query == "how?"
    with compared(told, _ANY) as comparison:
        assert next(comparison.cases()).query == "changed"


def test_a_comparison_that_raises_can_be_followed_by_another(told: Store) -> None:
    with pytest.raises(KeyError), compared(told, _ANY) as comparison:
        comparison.slices("colour")
    assert len(_pairs(told)) == 3


def test_pairs_are_exported_with_texts_labels_and_verdicts(told: Store) -> None:
    (batch,) = exports.pairs(told)
    first = batch.to_pylist()[0]
    assert tuple(first.values()) == (
        "q1",
        "a",
        "how?",
        "text of a",
        "anna=YES; ben=YES",
        "judge=NO",
    )


# A second implementation: what stands is found by walking the events.


@dataclass(frozen=True)
class _Said:
    passage: int
    person: str
    grade: Grade | None
    blind: bool | None


_SAID = st.lists(
    st.builds(
        _Said,
        st.integers(0, 5),
        st.sampled_from(["anna", "ben", "carl"]),
        st.sampled_from([*GRADES, None]),
        st.sampled_from([True, None, None, False]),
    ),
    max_size=18,
)
_JUDGED = st.lists(st.tuples(st.integers(0, 6), st.sampled_from([*GRADES, None])), max_size=10)
_SETTLED = st.lists(st.tuples(st.integers(0, 6), st.sampled_from(GRADES)), max_size=4)


def _human(
    said: list[_Said], settled: dict[int, Grade], passage: int, annotator: str | None
) -> Grade | str:
    own = {s.person: s.grade for s in said if s.passage == passage and s.blind is not False}
    if annotator is not None:
        own = {person: grade for person, grade in own.items() if person == annotator}
    elif own and passage in settled:
        return settled[passage]
    votes = Counter(grade for grade in own.values() if grade)
    most = votes.most_common(2)
    if not own:
        return "unlabelled"
    if not most:
        return "unsure"
    return "unresolved" if len(most) == 2 and most[0][1] == most[1][1] else most[0][0]


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(said=_SAID, judged=_JUDGED, settled=_SETTLED, annotator=st.sampled_from([None, "anna"]))
def test_random_histories_are_compared_as_a_second_implementation_does(
    said: list[_Said],
    judged: list[tuple[int, Grade | None]],
    settled: list[tuple[int, Grade]],
    annotator: str | None,
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "x.duckdb") as store:
        _bring(
            store,
            *(
                _label(f"q{s.passage % 2}", f"p{s.passage}", s.grade, s.person, blind=s.blind)
                for s in said
            ),
        )
        for passage, grade in judged:
            verdicts.keep(store, [_verdict(f"q{passage % 2}", f"p{passage}", grade)])
        for passage, grade in settled:
            adjudications.record(
                store,
                f"q{passage % 2}",
                passage_id=f"p{passage}",
                grade=grade,
                reason="so",
                reviewer="rita",
            )
        selection = replace(_ANY, annotator=annotator)
        with compared(store, selection) as comparison:
            arrays, missing = comparison.arrays(), comparison.missing()
            cases = {case.passage_id for case in comparison.cases()}
    kept = _standing_events(said)
    humans = {p: _human(kept, dict(settled), p, annotator) for p in range(7)}
    verdict = dict(judged)
    expected = Counter(
        (humans[p].gain, verdict[p].gain)
        for p in range(7)
        if isinstance(humans[p], Grade) and verdict.get(p)
    )
    assert Counter(zip(arrays.human.tolist(), arrays.judge.tolist(), strict=True)) == expected
    assert cases == {
        f"p{p}"
        for p in range(7)
        if isinstance(humans[p], Grade) and verdict.get(p) and humans[p] != verdict[p]
    }
    known = {s.passage for s in kept if s.blind is not False and annotator in (None, s.person)}
    why = Counter(
        humans[p]
        if not isinstance(humans[p], Grade)
        else "unjudged"
        if p not in verdict
        else "unreadable"
        for p in known | set(verdict)
        if not (isinstance(humans[p], Grade) and verdict.get(p))
    )
    assert missing._asdict() == {name: why[name] for name in Missing._fields}


def _standing_events(said: list[_Said]) -> list[_Said]:
    """The events that an import adds: one that repeats what stands is none."""
    stood: dict[tuple[int, str], Grade | None] = {}
    kept = []
    for s in said:
        key = (s.passage, s.person)
        if key not in stood or stood[key] != s.grade:
            stood[key] = s.grade
            kept.append(s)
    return kept


def test_labels_of_the_page_are_compared_too(store: Store, draw) -> None:
    verdicts.keep(store, [_verdict("q", "p", _NO)])
    draw(store, [("q", "p")])
    tasks.window(store, spotcheck="check", annotator="anna")
    event = LabelEvent(
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "q", "p", "anna", "label", _YES, spotcheck="check"
    )
    labels.record(store, [event])
    assert _pairs(store, replace(_ANY, spotcheck="check")) == [(0, 2, 0)]


def test_a_slice_of_more_than_a_byte_of_disagreements_is_counted_also_without_any_query(
    store: Store,
) -> None:
    """No query is imported, so each is of no kind. Of 20 x 20 pairs, labelled YES, half are NO."""
    pairs = [(f"q{n % 20}", f"p{n}") for n in range(400)]
    labels.bring(store, [_label(*pair, _YES) for pair in pairs], annotator="anna")
    verdicts.keep(
        store, [_verdict(*pair, (_YES, _NO)[n % 40 < 20]) for n, pair in enumerate(pairs)]
    )
    with compared(store, _ANY) as comparison:
        assert comparison.slices("kind") == [Part("", 400, 200)]
        assert comparison.slices("verdict") == [Part("NO", 200, 200), Part("YES", 200, 0)]
