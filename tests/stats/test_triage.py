"""Retrieval or generation."""

from __future__ import annotations

import pytest

from labeler.model import Query
from labeler.stats.eligibility import Bar
from labeler.stats.measures import Reading
from labeler.stats.triage import NEXT_STEP, Index, Place, Stage, ticket, triage

QUERY = Query("q", "how long is the notice period?\nand who is told")
CONTEXT = ["x", "y", "z"]


def place(ranking, **options):
    """What became of passage a in a context of the top 3."""
    found = triage(QUERY, {"a": 2}, ranking, k=3, **options)
    assert found.reason == str(found.passages[0].place)
    assert found.next_step == NEXT_STEP[found.passages[0].place]
    return found.stage, found.passages[0]


def test_a_passage_in_the_context_leaves_the_fault_with_the_answer():
    stage, lost = place(["x", "a"])
    assert stage is Stage.GENERATION
    assert (lost.place, lost.rank) == (Place.IN_CONTEXT, 2)


def test_a_passage_below_the_context_was_ranked_deeper():
    stage, lost = place([*CONTEXT, "a"])
    assert stage is Stage.RETRIEVAL
    assert (lost.place, lost.rank) == (Place.DEEPER, 4)


def test_a_passage_that_did_not_come_back_is_absent():
    _, lost = place([*CONTEXT, "u"], index=Index(ids={"a"}))
    assert (lost.place, lost.rank, lost.why) == (
        Place.ABSENT,
        None,
        "not in the 4 passages returned",
    )


def test_a_passage_that_does_not_exist_is_not_in_the_corpus():
    assert place(CONTEXT, index=Index(ids={"x", "y", "z"}))[1].place is Place.NOT_IN_CORPUS


@pytest.mark.parametrize("near", ["A", "\uff41", " a", "a\u00a0"])
def test_nearly_the_same_id_in_the_context_is_another_id(near):
    _, lost = place(["x", near])
    assert (lost.place, lost.other_id, lost.rank) == (Place.ANOTHER_ID, near, 2)
    assert lost.why == "its id is nearly the same"


def test_the_same_text_in_the_context_is_another_id_even_if_the_passage_came_deeper():
    index = Index(fingerprints={"a": "b1:1", "copy": "b1:1", "x": "b1:2"})
    _, lost = place(["x", "copy", "y", "a"], index=index)
    assert (lost.place, lost.other_id, lost.why) == (Place.ANOTHER_ID, "copy", "same text")
    # A copy below the context does not help.
    assert place(["x", "y", "z", "copy"], index=index)[1].place is Place.ABSENT


@pytest.mark.parametrize("ranking", [["a"], ["x"]])
def test_what_the_caller_may_not_see_is_out_of_scope_even_when_it_leaked(ranking):
    stage, lost = place(ranking, bars={"a": Bar.UNAUTHORISED})
    assert stage is Stage.RETRIEVAL
    assert (lost.place, lost.why) == (Place.OUT_OF_SCOPE, "unauthorised")


def test_a_copy_that_the_caller_may_not_see_is_no_rescue():
    index = Index(fingerprints={"a": "b1:1", "copy": "b1:1"})
    _, lost = place(["copy"], index=index, bars={"copy": Bar.OUT_OF_DATE})
    assert lost.place is Place.ABSENT


def test_one_of_several_relevant_passages_is_enough_for_a_plain_query():
    found = triage(QUERY, {"a": 2, "b": 2}, ["b"], k=3)
    assert found.stage is Stage.GENERATION
    assert found.needed == "one relevant passage"


def test_a_multi_passage_query_needs_all_of_them():
    query = Query("q", "two things", kind="multi_passage")
    found = triage(query, {"a": 2, "b": 2}, ["b", "x", "y", "a"], k=3)
    assert (found.stage, found.reason) == (Stage.RETRIEVAL, "ranked deeper")
    assert [each.place for each in found.passages] == [Place.DEEPER, Place.IN_CONTEXT]
    assert triage(query, {"a": 2, "b": 2}, ["b", "a"], k=3).stage is Stage.GENERATION


def test_every_required_fact_must_be_there_by_some_passage():
    facts = {"price": ["a", "b"], "date": ["c"]}
    labels = {"a": 2, "b": 2, "c": 2}
    assert triage(QUERY, labels, ["b", "c"], k=3, facts=facts).stage is Stage.GENERATION
    found = triage(QUERY, labels, ["a", "b"], k=3, facts=facts)
    assert (found.stage, found.reason) == (Stage.RETRIEVAL, "absent")
    uncarried = triage(QUERY, labels, ["a"], k=3, facts={"price": ["a"], "fine": []})
    assert (uncarried.stage, uncarried.reason) == (Stage.RETRIEVAL, "not in the corpus")


def test_what_is_barred_is_no_reason_while_another_passage_could_have_come():
    found = triage(QUERY, {"a": 2, "b": 2}, ["x"], k=3, bars={"a": Bar.OUT_OF_DATE})
    assert found.reason == "absent"


def test_of_several_reasons_the_commonest_is_named():
    query = Query("q", "three things", kind="multi_passage")
    found = triage(query, {"a": 2, "b": 2, "c": 2}, ["x", "y", "z", "a"], k=3)
    assert found.reason == "absent"


def test_part_is_relevant_in_the_lenient_reading_alone():
    assert triage(QUERY, {"a": 1}, ["a"], k=3).stage is Stage.NOTHING_TO_FIND
    lenient = triage(QUERY, {"a": 1}, ["a"], k=3, reading=Reading.LENIENT)
    assert lenient.stage is Stage.GENERATION


def test_an_unanswerable_query_can_fail_neither_way():
    loud, quiet = (triage(QUERY, {"a": 0}, ranking, k=3) for ranking in (["x"], []))
    assert loud.stage is quiet.stage is Stage.NOTHING_TO_FIND
    assert "should have kept quiet" in loud.next_step
    assert "as it should" in quiet.next_step


def test_a_query_that_the_run_lacks_says_so():
    found = triage(QUERY, {"a": 2}, None, k=3)
    assert (found.stage, found.reason) == (Stage.RETRIEVAL, "missing from the run")
    assert found.next_step == "run the query: the run has no ranking for it"


def test_a_ticket_says_what_was_expected_and_what_to_do():
    found = triage(QUERY, {"a": 2}, [*CONTEXT, "a"], k=3)
    assert ticket(found, QUERY, system="bm25") == (
        "## RETRIEVAL: ranked deeper\n\nQuery `q`:\n\n"
        "> how long is the notice period?\n> and who is told\n\n"
        "Context: top 3 of bm25.\nNeeded in it: one relevant passage.\n\n"
        "Expected passages:\n- `a`: ranked deeper, rank 4\n\n"
        "Next step: rerank, or widen the context.\n"
    )


def test_a_context_of_nothing_is_refused():
    with pytest.raises(ValueError, match="1 or more"):
        triage(QUERY, {"a": 2}, ["a"], k=0)
