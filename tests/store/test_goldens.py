"""Golden sets: frozen, hashed, only ever added to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.model import GRADES, GoldenEntry, Grade, Passage, Query, content_hash
from labeler.store import corpora, damage, goldens, queries
from labeler.store.db import Store
from labeler.store.frozen import Frozen, Provenance, contents, former_contents
from labeler.store.goldens import Golden

_A = GoldenEntry("q1", "p1", Grade.YES)
_B = GoldenEntry("q1", "p2", Grade.NO)
_C = GoldenEntry("q2", "", None)


def _record(store: Store, *entries: GoldenEntry, name: str = "g") -> Golden:
    return goldens.record(store, name, entries, origin="g.json", person="lead")


def test_an_imported_golden_set_is_version_1_and_the_same_again_adds_nothing(
    store: Store, clock
) -> None:
    first = _record(store, _B, _C, _A)
    assert (first.ref, first.origin, first.frozen_by) == ("g@1", "g.json", "lead")
    assert (first.frozen_at, first.entries) == (clock.now, (_A, _B, _C))
    clock.move(days=1)
    assert _record(store, _A, _B, _C) == first  # in another order
    assert _record(store, _B, _B) == first  # and a part of it
    assert [golden.ref for golden in goldens.history(store)] == ["g@1"]
    assert goldens.current(store) == [first]


def test_the_next_version_adds_and_keeps_what_was_there(store: Store) -> None:
    first = _record(store, _A, _C)
    changed = replace(_A, grade=Grade.PART)
    second = _record(store, changed, _B)
    assert second.ref == "g@2"
    assert second.entries == (changed, _B, _C)
    assert second.hash != first.hash
    assert goldens.named(store, "g@1") == first
    assert goldens.named(store, "g") == goldens.named(store, "g@2") == second
    assert _record(store, _A).ref == "g@3"  # back again is a change
    assert damage.verify(store) == []


def test_an_entry_that_leaves_out_text_and_kind_does_not_change_them(store: Store) -> None:
    full = replace(_A, query="how?", kind="exact")
    assert _record(store, full).entries == (full,)
    assert _record(store, _A).ref == "g@1"
    assert _record(store, replace(full, kind="historical")).ref == "g@2"


def test_a_query_that_expected_nothing_and_now_something_is_not_both(store: Store) -> None:
    _record(store, _C, _A)
    found = GoldenEntry("q2", "p9", Grade.YES)
    assert _record(store, found).entries == (_A, found)
    assert _record(store, _C).entries == (_A, _C)


def test_entries_without_an_id_join_the_imported_query_of_exactly_their_text(store: Store) -> None:
    queries.record(store, [Query("q7", "how?"), Query("q8", "how?"), Query("q9", "How?")])
    golden = _record(store, GoldenEntry("", "p", Grade.YES, query="how?"))
    assert [entry.query_id for entry in golden.entries] == ["q7"]
    assert len(queries.current(store)) == 3


def test_an_unknown_text_becomes_a_query_of_its_own_with_a_name_that_stays(store: Store) -> None:
    entry = GoldenEntry("", "p", Grade.YES, query="how? ", kind="exact")
    golden = _record(store, entry, replace(entry, passage_id="r"))
    # sha256 of the JSON text "how? ", quotes included, begins with these 12 digits
    assert {e.query_id for e in golden.entries} == {"g-51ef8079648c"}
    assert queries.current(store) == [
        Query("g-51ef8079648c", "how? ", kind="exact", origin="golden")
    ]
    queries.record(store, [Query("q7", "how? ")])
    assert _record(store, entry) == golden  # it stays where it was


def test_a_named_query_that_is_not_there_is_added_with_its_text_and_a_known_one_is_left(
    store: Store,
) -> None:
    queries.record(store, [Query("q1", "as imported", kind="exact")])
    _record(store, replace(_A, query="as in the file"), replace(_C, query="new?"))
    assert queries.current(store) == [
        Query("q1", "as imported", kind="exact"),
        Query("q2", "new?", origin="golden"),
    ]


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([], "at least one entry"),
        ([GoldenEntry("", "p", Grade.YES)], "a query's id or its text"),
        ([_A, replace(_A, grade=Grade.NO)], "grades passage 'p1' of query 'q1' twice: YES and NO"),
        ([_A, GoldenEntry("q1", "", None)], "of query 'q1' that it expects nothing, and passages"),
    ],
)
def test_what_contradicts_itself_is_refused_whole(store: Store, entries, why: str) -> None:
    text = GoldenEntry("", "p", Grade.YES, query="how?")
    with pytest.raises(LabelerError, match=why):
        _record(store, *([text, *entries] if entries else []))
    assert goldens.history(store) == []
    assert queries.current(store) == []


@pytest.mark.parametrize("name", ["", " ", "a@1", " a", "a\n"])
def test_a_name_that_could_not_be_asked_for_is_refused(store: Store, name: str) -> None:
    with pytest.raises(LabelerError, match="name"):
        _record(store, _A, name=name)


def test_an_unknown_golden_set_is_named_with_those_that_are_known(store: Store) -> None:
    with pytest.raises(LabelerError, match="no golden set 'g'; known: none is frozen"):
        goldens.named(store, "g")
    _record(store, _A)
    for ref in ("h", "g@2", "g@", "g@1.0", "g@@1"):
        with pytest.raises(LabelerError, match=r"known: g@1"):
            goldens.named(store, ref)


_OF_P1 = "passage 'p1' of query 'q1' is not as it was frozen"
_RECORD = "the entries or the record of the version are not those that were frozen"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("update golden_entries set grade = 'NO' where version = 1", _OF_P1),
        ("update golden_entries set query = 'other' where version = 1", _OF_P1),
        ("update golden_entries set text_hash = '' where version = 1", _OF_P1),
        ("update golden_entries set origin = 'x' where version = 1", _OF_P1),
        ("update golden_anchors set locator = '#x' where version = 1", _OF_P1),
        (
            "delete from golden_entries where version = 1 and passage_id = 'p1'",
            "passage 'p1' of query 'q1' is gone",
        ),
        ("delete from golden_anchors where version = 1 and passage_id = 'p1'", _OF_P1),
        (
            "insert into golden_entries select * from golden_entries where version = 1",
            "an entry is there twice",
        ),
        ("update goldens set hash = 'b1:00' where version = 1", _RECORD),
        ("update goldens set frozen_by = 'other' where version = 1", _RECORD),
        ("update goldens set frozen_at = frozen_at + interval 1 second where version = 1", _RECORD),
        ("update freezes set reason = 'because' where version = 1", _RECORD),
        ("update freezes set decision = 'TRUSTED' where version = 1", _RECORD),
    ],
)
def test_a_version_that_was_changed_behind_the_programs_back_is_found_and_named(
    store: Store, changed: str, said: str
) -> None:
    corpora.record(store, [Passage("p1", "text")], name="c")
    _record(store, _A, _C)
    _record(store, _B)
    assert damage.verify(store) == []
    with store.write() as cursor:
        cursor.execute(changed)
    found = damage.verify(store)
    assert {one.ref for one in found} == {"g@1"}
    assert said in [one.what for one in found]


def test_entries_of_no_version_are_damage(store: Store) -> None:
    _record(store, _A)
    with store.write() as cursor:
        cursor.execute("delete from goldens")
    assert [str(found) for found in damage.verify(store)] == ["g@1: entries of no frozen version"]


def test_a_passage_whose_text_has_changed_since_is_damage_of_the_newest_version(
    store: Store,
) -> None:
    corpora.record(store, [Passage("p1", "text", title="old"), Passage("p2", "two")], name="c")
    _record(store, _A, _B)
    corpora.record(store, [Passage("p1", "text", title="new")], name="c")
    assert damage.verify(store) == []  # the text is what was judged
    corpora.record(store, [Passage("p1", "another")], name="c")
    assert [str(found) for found in damage.verify(store)] == [
        "g@1: passage 'p1' of query 'q1' has another text now"
    ]
    with store.write() as cursor:
        cursor.execute("delete from passages")
    assert [found.what for found in damage.verify(store)] == [
        "passage 'p1' of query 'q1' has no text any more",
        "passage 'p2' of query 'q1' has no text any more",
    ]


_ENTRIES = st.lists(
    st.builds(
        GoldenEntry,
        st.sampled_from("ab"),
        st.sampled_from(["x", "y", "\0"]),
        st.sampled_from([*GRADES, None]),
        st.sampled_from(["", "how?", "\u202e"]),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda entry: (entry.query_id, entry.passage_id),
)


@given(entries=_ENTRIES, data=st.data())
def test_the_hash_does_not_depend_on_the_order_and_does_on_everything_else(entries, data) -> None:
    def hashed(of: list[GoldenEntry]) -> str:
        return contents(Frozen(entry, "g.json") for entry in of)

    assert hashed(data.draw(st.permutations(entries))) == hashed(entries)
    # What qrels cannot carry is under the seal, and is not in the hash.
    n = data.draw(st.integers(0, len(entries) - 1))
    assert hashed([replace(e, kind="exact", query="?") for e in entries]) == hashed(entries)
    assert (Frozen(replace(entries[n], kind="exact"), "g").hash) != Frozen(entries[n], "g").hash
    if entries[n].grade:
        for other in (
            [*entries[:n], *entries[n + 1 :]],
            [*entries, entries[n]],
            [*entries[:n], replace(entries[n], passage_id="z"), *entries[n + 1 :]],
        ):
            assert hashed(other) != hashed(entries)


def test_each_entry_names_its_origin_its_anchor_and_its_texts_hash(store: Store) -> None:
    corpora.record(
        store,
        [Passage("p1", "text", source_uri="a.md", locator="#char=0,4"), Passage("p2", "other")],
        name="c",
    )
    golden = goldens.record(
        store,
        "g",
        [_A, _B, _C],
        origin="labels",
        person="lead",
        origins=["labels", "adjudicated by rita", "labels"],
        provenance=Provenance("labels+judge", "j", "r@1", decision="TRUSTED"),
    )
    kept = goldens.stored(store, golden)
    first = kept["q1", "p1"]
    assert tuple(first.anchor) == ("c", 1, "a.md", "#char=0,4", 0, 4)
    assert first.text_hash == content_hash("text")
    assert (first.origin, kept["q1", "p2"].origin) == ("labels", "adjudicated by rita")
    assert kept["q2", ""].anchor == ("", None, "", "", None, None)
    assert goldens.freezes(store)["g@1"].provenance.decision == "TRUSTED"
    corpora.record(store, [Passage("p1", "text", source_uri="b.md")], name="c")
    again = _record(store, GoldenEntry("q9", "p1", Grade.NO))
    assert goldens.stored(store, again)["q1", "p1"] == first  # what stood is never made again


def test_a_diff_names_what_was_added_changed_and_taken_over(store: Store) -> None:
    old = _record(store, _A, _B)
    new = goldens.record(
        store,
        "g",
        [replace(_A, grade=Grade.PART), _C],
        origin="x",
        person="lead",
        reason="the edition of 2026",
        without=[("q1", "p2")],
    )
    assert [tuple(change) for change in goldens.diff(store, old, new)] == [
        ("q1", "p1", "YES", "PART", "x"),
        ("q1", "p2", "NO", "", "g.json"),
        ("q2", "", "", "nothing", "x"),
    ]
    assert goldens.diff(store, new, new) == []
    assert goldens.freezes(store)["g@2"].reason == "the edition of 2026"


def test_versions_from_before_there_were_seals_are_verified_by_their_own_hash(
    store: Store,
) -> None:
    golden = _record(store, _A)
    former = former_contents(goldens.stored(store, golden).values())
    with store.write() as cursor:
        cursor.execute("delete from freezes")
        cursor.execute("delete from golden_anchors")
        cursor.execute("update goldens set hash = $1", [former])
    assert damage.verify(store) == []
    with store.write() as cursor:
        cursor.execute("update golden_entries set grade = 'NO'")
    assert [one.what for one in damage.verify(store)] == [
        "the entries are not those that were frozen"
    ]
