"""Drafting against a service that drafts, judges and misbehaves: what is kept, checked and paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labeler import draft_checks, draft_costs, drafting
from labeler.drafting import MISSING, PASSAGES, Wanted
from labeler.errors import LabelerError
from labeler.judges import prices, shipped
from labeler.model import Query
from labeler.reports import drafts as reports
from labeler.reports.drafts import State
from labeler.store import corpora, drafts, queries, replies, runs, verdicts
from labeler.store.db import Store, open_store
from labeler.store.drafts import Standing
from tests import drafted
from tests.drafted import material, server, wrote
from tests.servers.answers import MISCHIEF

FOUR = Wanted(n=4)
ALL_REQUESTS = 26
"""4 passages, 1 on what is missing (8 x .1 / .9 = 0.9), 8 pairs judged, 8 asked from nothing, and
the 5 that a search finds for the last."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "labeler.duckdb") as opened:
        drafted.fill(opened)
        yield opened


def failures(store: Store) -> Counter[str]:
    return Counter(check.name for one in drafts.every(store) for check in one.failed)


def test_a_run_drafts_checks_and_pays_each_request_once(store: Store) -> None:
    with server() as at:
        done = drafted.draft(store, at)
        assert (done.new, done.nothing, done.left, done.problem) == (9, 0, 0, "")
        assert [stage.asked.kept for stage in done.stages] == [4, 1, 8, 8, 5]
        assert sum(at.paid.values()) == len(at.paid) == ALL_REQUESTS
        # 26 replies of 1,000 tokens in and 40 out.
        price = prices.table()[drafted.MODEL.id]
        each = prices.cost(price, {"input_tokens": 1000, "output_tokens": 40})
        assert each is not None
        assert done.cost == pytest.approx(26 * each)
        again = drafted.draft(store, at)
        assert (again.new, again.cost, sum(at.paid.values())) == (0, 0.0, ALL_REQUESTS)


def test_each_draft_is_anchored_to_where_its_passage_was(store: Store) -> None:
    with server() as at:
        drafted.draft(store, at)
    known = {one.passage_id: one for one in drafted.passages()}
    found = [one.draft for one in drafts.every(store)]
    for draft in found:
        assert (draft.anchor.corpus, draft.anchor.corpus_version) == ("manual", 1)
        if draft.passage_id:
            passage = known[draft.passage_id]
            assert draft.anchor[2:] == (passage.source_uri, "char=10,20", 10, 20)
            assert (
                draft.passage_hash == drafts.anchors(store, [draft.passage_id])[draft.passage_id][1]
            )
        else:
            assert draft.anchor[2:] in {
                ("docs/ops", "", None, None),
                ("docs/finance", "", None, None),
            }
            assert (draft.kind, draft.reason, draft.leakage) == ("unanswerable", "holidays", None)
    assert Counter(draft.kind for draft in found) == {
        "paraphrase": 4,
        "exact": 4,
        "unanswerable": 1,
    }
    # Of hang, because, storage, ran and the name the passage holds the name alone.
    assert {draft.leakage for draft in found if draft.kind == "paraphrase"} == {1 / 5}


def test_nothing_of_a_draft_counts(store: Store) -> None:
    with server() as at:
        drafted.draft(store, at)
    assert queries.ids(store) == set()
    assert runs.candidates(store) == 0
    assert verdicts.judges(store) == []


def test_a_larger_sample_only_adds(store: Store) -> None:
    with server() as at:
        drafted.draft(store, at)
        paid = sum(at.paid.values())
        more = drafted.draft(store, at, Wanted(n=6))
        # 2 passages, 4 queries; 12 x .1 / .9 = 1.3 asks for no second query on what is missing.
        assert (more.new, sum(at.paid.values()) - paid) == (4, 2 + 4 + 4)
    small, large = (drafting.draw(store, Wanted(n=n)).passages for n in (4, 6))
    assert large[:4] == small


def test_what_is_drawn_is_told_with_what_is_left_out(store: Store) -> None:
    one = drafted.passages()[0]
    corpora.record(
        store,
        [
            replace(one, passage_id="copy"),
            replace(one, passage_id="near", text="Again: " + one.text),
            replace(one, passage_id="stub", text="See there."),
            replace(one, passage_id="old", text=one.text[4:], effective_to="2020-01-01"),
        ],
        name="manual",
    )
    drawn = drafting.draw(store, Wanted(n=100))
    assert len(drawn.passages) == 8
    left = {skipped.passage_id: skipped.why for skipped in drawn.skipped}
    near = ({"near", "p0"} & left.keys()).pop()
    assert left == {
        "copy": "a copy",
        "stub": "too short",
        "old": "not in force",
        near: "nearly a copy",
    }
    told = reports.drawn_json(drawn)
    assert told["skipped"] == {
        "too short": 1,
        "not in force": 1,
        "boilerplate": 0,
        "a copy": 1,
        "nearly a copy": 1,
    }
    assert told["sections"] == {"docs/finance": 4, "docs/ops": 4}


def test_a_corpus_that_is_not_there_or_holds_nothing_is_said(store: Store, tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match="no corpus 'nope'; known: manual"):
        drafting.draw(store, Wanted(corpus="nope"))
    with (
        open_store(tmp_path / "empty.duckdb") as empty,
        pytest.raises(LabelerError, match="20 words"),
    ):
        drafting.draw(empty, Wanted())


def test_at_most_one_query_on_what_is_missing_is_drafted_for_a_passage() -> None:
    assert Wanted(per_passage=2, unanswerable=1 / 3)  # 2 x (1/3) / (2/3) = 1 for each passage
    for share in (0.34, -0.1):
        with pytest.raises(LabelerError, match=r"with 2 others it is 0\.33 at most"):
            Wanted(per_passage=2, unanswerable=share)


@pytest.mark.parametrize("grade", ["PART", "NO"])
def test_what_the_judge_does_not_find_answered_is_set_aside_with_its_reason(
    store: Store, grade: str
) -> None:
    with server(grade) as at:
        drafted.draft(store, at)
    assert failures(store) == {"answered": 8}
    aside = reports.status(store).having(State.SET_ASIDE)
    assert {one.failed[0].reason for one in aside} == {
        f"the judge says {grade}: As the passage says."
    }


def test_an_unanswerable_draft_that_a_found_passage_answers_is_set_aside(store: Store) -> None:
    with server("YES") as at:
        drafted.draft(store, at)
    (one,) = reports.status(store).having(State.SET_ASIDE)
    assert one.draft.kind == "unanswerable"
    assert "answers it" in one.failed[0].reason


def run_with(store: Store, change: Any) -> list[Standing]:
    """Draft with another writer, and a judge of YES."""

    def write(params: dict[str, Any]) -> Any:
        return change(params, wrote(params))

    with drafted.Judging("YES", write=write) as at:
        drafted.draft(store, at, Wanted(n=4, unanswerable=0))
    return drafts.every(store)


def test_what_can_be_answered_from_nothing_is_set_aside_with_the_answer(store: Store) -> None:
    def change(params: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        knows = "known" in found and "meaning" in material(params)["text"]
        return {"known": True, "answer": "A full disk."} if knows else found

    aside = [one for one in run_with(store, change) if one.failed]
    assert {one.draft.kind for one in aside} == {"exact"}
    assert aside[0].failed[0].reason == "can be answered from nothing: A full disk."


def test_leaks_missing_identifiers_and_twins_are_set_aside(store: Store) -> None:
    queries.record(store, [Query("q1", "holidays in winter?")])
    texts = iter(
        [
            ("disk full, free megabytes, lost batch", "ERR-1 meaning"),
            ("why are things lost, for it writes each batch twice", "ERR-9"),
            ("Holidays, in Winter", "what stops at half past six"),
        ]
    )

    def change(_: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        told = next(texts, None) if "queries" in found else None
        if told is None:
            return found
        kinds = ("paraphrase", "exact")
        return {"queries": [{"kind": k, "text": t} for k, t in zip(kinds, told, strict=True)]}

    failed = {one.draft.query: one.failed for one in run_with(store, change)}
    said = {text: [(check.name, check.reason) for check in some] for text, some in failed.items()}
    # All six content words (disk, full, free, megabyte, lost, batch) stand in the passage.
    ((name, why),) = said["disk full, free megabytes, lost batch"]
    assert name == "wording"
    assert why.startswith("the passage holds 6 of its 6 content words")
    phrase = said["why are things lost, for it writes each batch twice"][0][1]
    assert phrase == "it takes over a phrase of the passage: lost for it writes each batch twice"
    assert said["Holidays, in Winter"] == [
        ("distinct", "nearly the same as q1: holidays in winter?")
    ]
    assert [name for name, _ in said["ERR-9"]] == ["identifier"]
    assert [name for name, _ in said["what stops at half past six"]] == ["identifier"]
    assert said["ERR-1 meaning"][0][1].startswith("it holds none of ERR-40")


def test_a_passage_of_which_nobody_would_ask_brings_no_draft_and_is_counted(store: Store) -> None:
    found = run_with(store, lambda _, told: {"queries": []} if "queries" in told else told)
    assert found == []
    with server() as at:
        assert drafted.draft(store, at, Wanted(n=4, unanswerable=0)).nothing == 4
        assert sum(at.paid.values()) == 0


@pytest.mark.parametrize("order", sorted(MISCHIEF))
def test_mischief_at_a_draft_and_at_a_check_loses_nothing_and_invents_nothing(
    store: Store, order: str
) -> None:
    """What passes is asked again by itself, what is unreadable on demand, what ends a run later."""
    two = Wanted(n=2, per_passage=1, unanswerable=0)
    with server(orders=[order, "", "", order]) as at:
        drafted.draft(store, at, two, timeout=0.5)
    assert all(one.draft.query.endswith("ran out") for one in drafts.every(store))
    stored = sum(len(replies.readable(store, purpose)) for purpose in EVERY)
    with server() as at:
        done = drafted.draft(store, at, two, retry_unreadable=True)
        # 2 drafts, 2 judged, 2 from nothing: what was readable is not asked again.
        assert sum(at.paid.values()) == len(at.paid) == 6 - stored
    assert (done.stopped, done.problem) == ("", "")
    assert reports.status(store).counts == {
        "waiting": 2,
        "set_aside": 0,
        "unchecked": 0,
        "accepted": 0,
        "rejected": 0,
    }


EVERY = (PASSAGES, MISSING, *draft_checks.PURPOSES.values())


def test_a_reply_of_the_wrong_shape_is_unreadable_kept_and_asked_again_on_demand(
    store: Store,
) -> None:
    def change(params: dict[str, Any], found: dict[str, Any]) -> Any:
        return {"queries": found["queries"][:1]} if "queries" in found else found

    assert run_with(store, change) == []
    kept = replies.every(store, PASSAGES)
    assert {one.reason for one in kept} == {
        "the queries are not of the kinds asked for (paraphrase, exact)"
    }
    with server() as at:
        assert drafted.draft(store, at, Wanted(n=4, unanswerable=0)).new == 0
        done = drafted.draft(store, at, Wanted(n=4, unanswerable=0), retry_unreadable=True)
    assert done.new == 8


def test_a_run_that_was_stopped_goes_on_where_it_was(store: Store) -> None:
    with server() as at:
        paid = 0
        for _ in range(40):
            many = sum(at.paid.values())

            def enough(many: int = many) -> bool:
                return sum(at.paid.values()) >= many + 3

            done = drafted.draft(store, at, stop=enough)
            paid = sum(at.paid.values())
            if not done.stopped:
                break
            assert done.stopped == "interrupted"
        assert paid == len(at.paid) == ALL_REQUESTS
    assert len(drafts.every(store)) == 9
    assert not reports.status(store).having(State.UNCHECKED)


def test_the_limit_and_the_budget_hold_over_all_stages(store: Store) -> None:
    with server() as at:
        done = drafted.draft(store, at, limit=7)
        assert (done.stopped, sum(at.paid.values())) == ("limit", 7)
        # 4 passages, 1 on what is missing, 2 of 8 pairs.
        assert [stage.asked.kept for stage in done.stages] == [4, 1, 2]
        assert len(reports.status(store).having(State.UNCHECKED)) == 9
        poor = drafted.draft(store, at, max_cost=1e-9)
        assert (poor.stopped, sum(at.paid.values())) == ("budget", 7)
        assert drafted.draft(store, at, limit=0).stopped == "limit"


def test_the_plan_is_what_the_run_then_asks(store: Store) -> None:
    rubric = shipped.rubric("relevance")
    assert rubric is not None

    def plan(**options: Any) -> list[draft_costs.Stage]:
        drawn = drafting.draw(store, FOUR)
        price = options.pop("price", prices.table()[drafted.MODEL.id])
        return draft_costs.plan(
            store, drafted.MODEL, drawn, FOUR, rubric=rubric, price=price, **options
        )

    stages = plan()
    assert [one.estimate.requests for one in stages] == [4, 1, 8, 8, 5]
    assert [one.expected for one in stages] == [0, 0, 8, 8, 5]
    assert all(one.estimate.dollars for one in stages)
    assert {one.estimate.dollars for one in plan(price=None)} == {None}
    assert [one.estimate.requests for one in plan(limit=7)] == [4, 1, 2, 0, 0]
    with server() as at:
        drafted.draft(store, at, limit=7)
        assert [one.estimate.requests for one in plan()] == [0, 0, 6, 8, 5]
        assert [one.expected for one in plan()] == [0] * 5
        drafted.draft(store, at)
        assert sum(one.estimate.requests for one in plan()) == 0


def test_a_draft_whose_passage_changed_is_stale_and_not_checked_any_more(store: Store) -> None:
    with server() as at:
        drafted.draft(store, at, Wanted(n=8, unanswerable=0), limit=8)
        changed = replace(drafted.passages()[0], text="It was rewritten. " * 20)
        corpora.record(store, [changed], name="manual")
        drafted.draft(store, at, Wanted(n=8, unanswerable=0))
    stale = [one for one in drafts.every(store) if one.now is drafts.Now.CHANGED]
    assert {one.draft.passage_id for one in stale} == {"p0"}
    assert not {check.name for one in stale for check in one.checks} & {"answered"}
    assert all(reports.state_of(one) is State.SET_ASIDE for one in stale)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Refund after 30 days?", "refunds after 30 days", True),
        ("refund after 30 days", "refund after 60 days", False),  # another identifier
        ("annual leave in Ghent", "sick leave in Ghent", False),  # 2 x 2 / 6
        ("ERR-1", "err-1?", True),
        ("", "?", False),
        # 2 x 9 / 20: one of ten words is another.
        (
            "a1a b c d e f g h relay disk full storage",
            "a1a b c d e f g h relay disk full store",
            True,
        ),
    ],
)
def test_queries_are_alike_by_their_content_words(one: str, other: str, same: bool) -> None:
    assert draft_checks.alike(one, other) == draft_checks.alike(other, one) == same
