"""Grades carried over to a corpus that was split anew: rightly, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler import assets, importing, rebinding
from labeler.errors import LabelerError
from labeler.importing import Options
from labeler.model import GRADES, GoldenEntry, Grade, Passage
from labeler.stats import rebinding as rules
from labeler.stats.rebinding import Relation, Told
from labeler.store import bindings, corpora, damage, goldens, people
from labeler.store.db import Store, open_store

NO, PART, YES = GRADES
SAMPLE = assets.find("data/sample")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.fixture
def sample(store: Store) -> Store:
    """The sample's corpus, queries and golden set (85 expected passages of 59 queries, and 10
    queries that expect nothing)."""
    options = Options()
    importing.corpus(store, [SAMPLE / "corpus.jsonl"], name="larkfen", options=options)
    importing.query_set(store, [SAMPLE / "queries.jsonl"], options=options)
    importing.golden(store, SAMPLE / "golden-set.json", name="g", options=options)
    return store


def passages() -> list[dict[str, str]]:
    lines = (SAMPLE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def by_size(size: int) -> list[Passage]:
    """Every source put together again from its passages and split at `size` characters."""
    texts: dict[str, str] = {}
    for row in passages():
        texts.setdefault(row["source_uri"], "")
        texts[row["source_uri"]] += row["text"] + "\n\n"
    return [
        Passage(f"{source}#{start}", text[start : start + size], source_uri=source)
        for source, text in texts.items()
        for start in range(0, len(text), size)
    ]


def test_at_twice_the_size_whatever_holds_an_answer_whole_is_certain(sample: Store) -> None:
    """Checked against the definition, letter by letter; sources hold up to 8 passages."""
    new = by_size(1000)
    corpora.record(sample, new, name="split")
    old = {row["passage_id"]: row["text"] for row in passages()}
    text = {passage.passage_id: passage.text for passage in new}
    done = rebinding.rebind(sample, "g", corpus="split", person="lee")
    certain = done.of("certain")
    assert len(certain) > 40
    assert {one.grade for one in certain} == {YES}
    # Each new passage that holds an expected one whole is among the certain, and no other.
    expected = {(e.query_id, e.passage_id) for e in done.old.entries if e.passage_id}
    holds = {
        (query, new_id)
        for query, passage in expected
        for new_id, told in text.items()
        if " ".join(old[passage].split()) in " ".join(told.split())
    }
    assert {(one.query_id, one.new_passage) for one in certain} == holds
    # What was cut in two is in the queue, on both sides of the cut; nothing is lost.
    carried = {(one.query_id, one.old_passage) for one in certain}
    looked = {(one.query_id, one.old_passage) for one in done.of("look")}
    assert carried | looked == expected
    assert done.of("gone") == []


def test_what_was_carried_over_is_the_next_version_and_says_where_from(sample: Store) -> None:
    corpora.record(sample, by_size(1000), name="split")
    done = rebinding.rebind(sample, "g", corpus="split", person="lee")
    assert (done.old.ref, done.new.ref) == ("g@1", "g@2")
    ids = {entry.passage_id for entry in done.new.entries}
    assert "err-sync-4012" not in ids
    # By hand: ERR-4012 is the first 380 characters of the mirror's page, its only passage, and so
    # whole in that page's first split; q05 and q06 ask for it.
    mirror = "https://docs-eu.larkfen.example/sync/3/errors#0"
    kept = goldens.stored(sample, done.new)
    for query in ("q05", "q06"):
        assert kept[query, mirror].entry.grade is YES
        assert "err-sync-4012-mirror: the same text" in kept[query, mirror].origin
    assert goldens.named(sample, "g@1").entries == done.old.entries
    nothing = {e.query_id for e in done.old.entries if not e.passage_id}
    assert nothing == {e.query_id for e in done.new.entries if not e.passage_id}
    assert damage.verify(sample) == []
    assert people.history(sample)[1].action == "rebind"
    assert goldens.freezes(sample)["g@2"].reason.startswith("rebound to split: ")


def test_an_old_passage_stays_until_all_its_heirs_are_known(store: Store) -> None:
    """While somebody must still look the numbers are too low, never too high."""
    corpora.record(store, [Passage("ab", f"{A} {B}", source_uri="x")], name="one")
    goldens.record(
        store,
        "g",
        [GoldenEntry("q", "ab", YES), GoldenEntry("r", "ab", NO)],
        origin="labels",
        person="lee",
    )
    corpora.record(
        store, [Passage("a", A, source_uri="x"), Passage("b", B, source_uri="x")], name="two"
    )
    done = rebinding.rebind(store, "g", corpus="two")
    assert done.bare_queries == ["q"]
    found = {(e.query_id, e.passage_id): e.grade for e in done.new.entries}
    assert found == {("q", "ab"): YES, ("r", "a"): NO, ("r", "b"): NO}
    for one, grade in zip(bindings.queue(store, "g"), (YES, NO), strict=True):
        again = rebinding.rebind(store, "g", corpus="two")  # asks nothing twice
        assert len(again.of("look")) == 2
        bindings.decide(store, one, grade=grade, person="rita")
    assert bindings.queue(store, "g") == []
    kept = {(e.query_id, e.passage_id): e.grade for e in rebinding.settle(store, "g").entries}
    assert kept == {("q", "a"): YES, ("q", "b"): NO, ("r", "a"): NO, ("r", "b"): NO}


def test_at_half_the_size_no_piece_of_an_answer_is_called_one(sample: Store) -> None:
    """At 150 characters every passage of the sample (the shortest has 168) is cut, so that nothing
    is certain: which piece holds the answer is for a person to say."""
    corpora.record(sample, by_size(150), name="small")
    done = rebinding.rebind(sample, "g", corpus="small")
    assert done.of("certain") == []
    assert done.new == done.old  # nothing certain, nothing frozen
    assert {o.old_passage for o in done.of("look")} == {
        e.passage_id for e in done.old.entries if e.passage_id
    }
    waiting = bindings.queue(sample, "g")
    first = waiting[0]
    bindings.decide(sample, first, grade=PART, person="rita")
    assert len(bindings.queue(sample, "g")) == len(waiting) - 1
    kept = rebinding.settle(sample, "g", person="rita")
    entry = next(e for e in kept.entries if e.passage_id == first.new_passage)
    assert (entry.query_id, entry.grade) == (first.query_id, PART)
    again = rebinding.rebind(sample, "g@1", corpus="small")  # what was decided stays decided
    assert again.of("certain") == []
    assert len(bindings.queue(sample, "g")) == len(waiting) - 1
    with pytest.raises(LabelerError, match="not in the queue"):
        bindings.decide(sample, first._replace(new_passage="other"), grade=NO, person="rita")


def test_the_same_passages_under_other_ids_carry_every_grade_over(sample: Store) -> None:
    renamed = [Passage(f"new-{r['passage_id']}", r["text"]) for r in passages()]
    corpora.record(sample, renamed, name="renamed")
    done = rebinding.rebind(sample, "g", corpus="renamed")
    assert done.of("look") == done.of("gone") == []
    old = {(e.query_id, e.passage_id and f"new-{e.passage_id}", e.grade) for e in done.old.entries}
    new = {(e.query_id, e.passage_id, e.grade) for e in done.new.entries}
    assert old <= new
    # More only where another passage holds the whole of an expected one, as a mirror does.
    text = {f"new-{r['passage_id']}": " ".join(r["text"].split()) for r in passages()}
    for query, passage, grade in new - old:
        held = [p for q, p, _ in old if q == query and text[p] in text[passage]]
        assert (grade, bool(held)) == (YES, True)


def test_a_text_that_is_nowhere_is_gone_and_an_unknown_corpus_is_named(sample: Store) -> None:
    corpora.record(sample, [Passage("x", "Nothing of the kind, and never was.")], name="other")
    done = rebinding.rebind(sample, "g", corpus="other")
    assert len(done.of("gone")) == 85
    assert done.new == done.old
    assert len(done.bare_queries) == 59
    with pytest.raises(LabelerError, match="no passage in corpus 'none'; known: larkfen, other"):
        rebinding.rebind(sample, "g", corpus="none")


A = "Refunds are paid within thirty days of the return."
B = "Cards are charged when the parcel leaves the house."
C = "Parcels are sent from the northern store on Mondays."


@pytest.mark.parametrize(
    ("graded", "new", "grade"),
    [
        ({A: YES}, A, YES),  # the same
        ({A: PART}, f"  {A}\n", PART),
        ({A: YES}, f"{A} {B}", YES),  # it holds the answer
        ({A: PART}, f"{A} {B}", None),  # with more beside it, it may answer alone
        ({A: NO}, f"{A} {B}", None),  # B was never read
        ({A: NO, B: NO}, f"{A} {B}", NO),
        ({A: NO, B: PART}, f"{A} {B}", None),
        ({f"{A} {B}": NO}, B, NO),  # a piece of what does not help
        ({f"{A} {B}": YES}, B, None),  # which half answers?
        ({f"{A} {B}": PART}, B, None),
        ({f"{A} {B}": YES, f"{B} {C}": NO}, B, NO),  # B is in what does not help
        ({f"{A} {B}": YES, f"{B} {C}": YES}, f"{A} {B} {C}", YES),
        ({B: YES, f"{A} {B} {C}": NO}, f"{A} {B}", None),  # people contradict each other
        ({f"{A} {B}": YES}, f"{B} {C}", None),  # an overlap
    ],
)
def test_only_what_follows_from_the_texts_is_certain(graded, new, grade) -> None:
    old = {text: Told(text, text, "a.md") for text in graded}
    told = [Told("new", new, "a.md")]
    made = rules.rebind(graded, old, related=rules.related(old.values(), told))
    assert [bound.grade for bound in made.certain] == ([grade] if grade else [])
    assert len(made.look) == (0 if grade else 1)
    assert made.gone == []


def test_offsets_bind_where_the_text_was_extracted_another_way() -> None:
    one = Told("a", "Refunds - 30 days", "a.md", 0, 40)
    other = Told("b", "<b>Refunds</b>: thirty", "a.md", 10, 60)
    assert rules.relation(one, other) is Relation.OVERLAPS
    assert rules.related([one], [other])["a"] == [(other, Relation.OVERLAPS)]
    assert rules.relation(one, Told("c", "<b>Cards</b>", "a.md", 39, 60)) is None
    assert rules.relation(one, Told("d", "<b>Cards</b>", "b.md", 0, 40)) is None


def test_ten_copies_and_overlaps_of_a_paragraph_are_one_unit() -> None:
    copies = [Told(f"p{n}", A) for n in range(10)]
    more = [Told("q1", f"{A} {B}"), Told("q2", f"{B} {C}"), Told("r", "Another matter, at length.")]
    units = rules.units([*copies, *more])
    assert {units[f"p{n}"] for n in range(10)} == {"p0"}
    assert units["q1"] == "p0"  # it holds A
    assert units["q2"] == "p0"  # it shares B, half of it, with q1
    assert units["r"] == "r"


def test_the_samples_runbook_is_one_unit_by_its_overlaps() -> None:
    """rb-failover-1 to -3 overlap by some lines, less than half of each: three units; the mirror
    of ERR-4012 is word for word and one with it."""
    known = {row["passage_id"]: Told(row["passage_id"], row["text"]) for row in passages()}
    units = rules.units(known[f"rb-failover-{n}"] for n in (1, 2, 3))
    assert len(set(units.values())) == 3
    copied = rules.units(known[name] for name in ("err-sync-4012", "err-sync-4012-mirror"))
    assert set(copied.values()) == {"err-sync-4012"}


def test_a_golden_query_keeps_its_text_when_it_is_rebound(store: Store) -> None:
    corpora.record(store, [Passage("a", A, source_uri="x")], name="one")
    goldens.record(
        store, "g", [GoldenEntry("q", "a", Grade.YES, "how?", "exact")], origin="l", person="lee"
    )
    corpora.record(store, [Passage("b", f"{A} {B}", source_uri="x")], name="two")
    done = rebinding.rebind(store, "g", corpus="two")
    assert done.new.entries == (GoldenEntry("q", "b", Grade.YES, "how?", "exact"),)
    assert done.bare_queries == []
