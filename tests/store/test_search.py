"""What the search finds, and that its index follows the corpus and nothing else."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.model import Passage
from labeler.store import corpora, people, sources
from labeler.store.db import Store, open_store
from labeler.store.search import OPEN, CorpusIndex, Filters, Making, folder

PASSAGES = [
    Passage("sync", "Restart the stream. ERR-4021 means that the token is old.", title="ERR-4021"),
    Passage("ledger", "In the ledger, error 4021 and ERR 4120 are something else."),
    Passage("list", "All codes: ERR-4012, ERR-4020, ERR-4201/ERR-4210."),
    Passage("leave", "Annual leave is 28 days.", "Leave", "https://h.example/hr/leave#a"),
    Passage("sick", "Leave when sick; annual figures follow.", "", "https://h.example/hr/sick"),
    Passage("bands", "Salary bands.", "", "https://h.example/pay", "", "hr finance"),
    Passage("old", "Annual leave was 25 days.", effective_to="2025-12-31"),
    Passage("ja", "大阪オフィスに週三日以上出社する社員には定期券を支給します。"),
    Passage("cafe", "The Cafe\u0301 opens at eight."),
]
EVERY = {passage.passage_id for passage in PASSAGES}


@pytest.fixture
def index(store: Store) -> CorpusIndex:
    corpora.record(store, PASSAGES, name="c")
    return CorpusIndex(store)


def _ids(index: CorpusIndex, text: str, **filters: str) -> list[str]:
    return index.search(text, filters=Filters(**filters)).ids


@pytest.mark.parametrize("typed", ["ERR-4021", "err-4021", "ERR-4021,", '"err-4021"', "err-402"])
def test_an_identifier_is_found_as_it_is_written(index: CorpusIndex, typed: str) -> None:
    assert _ids(index, typed)[0] == "sync"


def test_an_identifier_is_one_token_and_its_words_are_words(index: CorpusIndex) -> None:
    # Beside the exact code, only the same words next to each other count as the code.
    assert index.search("ERR-4021 ").whole == 1
    assert set(_ids(index, "4021 ")) == {"sync", "ledger"}
    assert _ids(index, "ERR-4210 ") == ["list"]
    assert _ids(index, "ERR-4120 ") == ["ledger"]


def test_passages_with_every_word_come_before_those_with_some(index: CorpusIndex) -> None:
    found = index.search("annual leave days ")
    assert set(found.ids[:2]) == {"leave", "old"}
    assert found.ids[2] == "sick"
    assert (found.whole, found.some) == (2, 3)


def test_a_phrase_is_its_words_in_their_order(index: CorpusIndex) -> None:
    assert set(_ids(index, '"annual leave"')) == {"leave", "old"}
    assert _ids(index, '"leave annual"') == []


def test_a_word_after_a_minus_is_left_out(index: CorpusIndex) -> None:
    assert _ids(index, "annual -sick -25 ") == ["leave"]


def test_the_word_being_typed_finds_longer_ones_and_a_finished_one_does_not(
    index: CorpusIndex,
) -> None:
    assert _ids(index, "sal") == ["bands"]
    assert _ids(index, "sal ") == []


def test_stems_accents_and_characters_of_other_scripts_are_found(index: CorpusIndex) -> None:
    assert _ids(index, "restarting streams ") == ["sync"]
    assert _ids(index, "café ") == ["cafe"]
    assert _ids(index, "定期券") == ["ja"]
    assert _ids(index, "券期") == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source": "https://h.example/hr"}, {"leave", "sick"}),
        ({"source": "https://h.example/hr/leave"}, {"leave"}),
        ({"source": "https://h.example"}, {"leave", "sick", "bands"}),
        ({"scope": "finance"}, {"bands"}),
        ({"scope": f"hr {OPEN}", "source": "https://h.example"}, {"leave", "sick", "bands"}),
        (
            {"as_of": "2026-01-01", "scope": OPEN},
            {p.passage_id for p in PASSAGES} - {"old", "bands"},
        ),
        ({"as_of": "2025-12-31", "source": ""}, EVERY),
    ],
)
def test_filters_narrow_to_source_scope_and_day(
    index: CorpusIndex, filters: dict[str, str], expected: set[str]
) -> None:
    assert set(_ids(index, "", **filters)) == expected


def test_a_restart_without_a_change_reads_no_passage(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.duckdb") as store:
        corpora.record(store, PASSAGES, name="c")
        assert CorpusIndex(store).refresh() == len(PASSAGES)
    files = {path: path.stat().st_mtime_ns for path in folder(tmp_path / "s.duckdb").iterdir()}
    with open_store(tmp_path / "s.duckdb") as store:
        index = CorpusIndex(store)
        assert index.refresh() == 0
        assert _ids(index, "ERR-4021")[0] == "sync"
    assert {
        path: path.stat().st_mtime_ns for path in folder(tmp_path / "s.duckdb").iterdir()
    } == files


def test_an_import_adds_what_changed_and_nothing_else(store: Store, index: CorpusIndex) -> None:
    index.refresh()
    corpora.record(store, [*PASSAGES[1:], Passage("sync", "Now about kiwis.")], name="c")
    assert index.refresh() == 1
    assert _ids(index, "kiwis ") == ["sync"]
    assert "sync" not in _ids(index, "ERR-4021 ")
    assert index.refresh() == 0


def test_of_two_corpora_the_passage_imported_last_is_found(
    store: Store, index: CorpusIndex
) -> None:
    corpora.record(store, [Passage("sync", "Plums.")], name="other")
    assert _ids(index, "plums ") == ["sync"]
    assert index.search("").whole == len(PASSAGES)
    again = CorpusIndex(store)
    assert again.search("").whole == len(PASSAGES)


@pytest.mark.parametrize("harm", ["no state", "another store", "another format", "broken"])
def test_an_index_that_is_not_this_stores_is_made_again(
    store: Store, index: CorpusIndex, harm: str
) -> None:
    index.refresh()
    state = folder(store.path) / "imports.json"
    said = json.loads(state.read_text())
    if harm == "no state":
        state.unlink()
    elif harm == "another store":
        state.write_text(json.dumps(said | {"hash": "b1:00"}))
    elif harm == "another format":
        state.write_text(json.dumps(said | {"format": -1}))
    else:
        (folder(store.path) / "meta.json").write_text("{")
    fresh = CorpusIndex(store)
    assert fresh.refresh() == len(PASSAGES)
    assert _ids(fresh, "bands ") == ["bands"]


class _Held:
    """A store whose passages are not read before `go`; with `broken` they never are."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.go = threading.Event()
        self.broken = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def batches(self, *asked: Any) -> Iterator[Any]:
        assert self.go.wait(10)
        if self.broken:
            raise OSError("the disk is full")
        yield from self._store.batches(*asked)


def _ready(index: CorpusIndex) -> None:
    deadline = time.monotonic() + 10
    while index.begin() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_large_corpus_is_indexed_in_the_background_and_then_searched(store: Store) -> None:
    corpora.record(store, PASSAGES, name="c")
    held = _Held(store)
    index = CorpusIndex(cast(Store, held), at_once=len(PASSAGES) - 1)
    assert index.begin() == Making(0, len(PASSAGES))
    with pytest.raises(LabelerError, match=r"is being made: 0%\. Search again"):
        index.require()
    held.go.set()
    _ready(index)
    assert _ids(index, "ERR-4021")[0] == "sync"
    corpora.record(store, [*PASSAGES[1:], Passage("sync", "Now about kiwis.")], name="c")
    index.require()  # one passage is missing: that is waited for
    assert _ids(index, "kiwis ") == ["sync"]


def test_what_fails_in_the_background_is_told_and_tried_again_once_the_store_has_changed(
    store: Store,
) -> None:
    corpora.record(store, PASSAGES, name="c")
    held = _Held(store)
    held.broken = True
    held.go.set()
    index = CorpusIndex(cast(Store, held), at_once=0)
    with pytest.raises(LabelerError, match="could not be made: the disk is full"):
        _ready(index)
    held.broken = False
    with pytest.raises(LabelerError, match="the disk is full"):
        index.begin()
    people.record(store, "rita")
    _ready(index)
    assert _ids(index, "ERR-4021")[0] == "sync"


def test_an_index_that_was_given_up_is_made_by_the_next_process(store: Store) -> None:
    corpora.record(store, PASSAGES, name="c")
    held = _Held(store)
    index = CorpusIndex(cast(Store, held), at_once=0)
    assert index.begin() is not None
    threading.Timer(0.05, held.go.set).start()
    index.stop()
    assert CorpusIndex(store).refresh() == len(PASSAGES)


def test_an_empty_store_finds_nothing(store: Store) -> None:
    assert CorpusIndex(store).search("anything at all") == ([], 0, 0)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_nothing_that_can_be_typed_is_an_error(searched: CorpusIndex, text: str) -> None:
    found = searched.search(text)
    assert found.whole <= found.some
    assert len(set(found.ids)) == len(found.ids)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    store = open_store(tmp_path_factory.mktemp("search") / "s.duckdb")
    corpora.record(store, PASSAGES, name="c")
    return CorpusIndex(store)


def _around(store: Store, passage_id: str) -> tuple[Sequence[str], Sequence[str]]:
    found = sources.around(store, passage_id)
    assert found is not None
    return [p.passage_id for p in found.before], [p.passage_id for p in found.after]


def test_a_passage_has_the_neighbours_of_its_source_and_a_changed_one_keeps_its_place(
    store: Store,
) -> None:
    def page(n: int, text: str = "text") -> Passage:
        return Passage(f"p{n}", text, source_uri=f"docs/a.md#{n}")

    other = Passage("q", "text", source_uri="docs/ab.md")
    corpora.record(store, [page(1), page(2), other, page(3)], name="c")
    assert _around(store, "p2") == (["p1"], ["p3"])
    corpora.record(store, [page(2, "changed")], name="c")
    assert _around(store, "p2") == (["p1"], ["p3"])
    assert _around(store, "p1") == ([], ["p2"])
    assert _around(store, "q") == ([], [])
    assert sources.around(store, "nope") is None


def test_sources_are_offered_at_every_level_that_passages_share(store: Store) -> None:
    corpora.record(store, PASSAGES, name="c")
    assert sources.kinds(store) == (
        ["https://h.example", "https://h.example/hr"],
        ["finance", "hr"],
    )
    corpora.record(store, [Passage("more", "x", source_uri="https://h.example/pay")], name="c")
    assert "https://h.example/pay" in sources.kinds(store).sources
