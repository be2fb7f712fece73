"""Documents as other tools write them: each shape is that of the tool's own source or tests."""

from __future__ import annotations

import json

import pytest

from labeler.errors import InputError
from labeler.formats import GradeMap, Reading, read_corpus, read_golden, read_judgments

SCALE = GradeMap.parse("0=NO,1=PART,2=YES,3=YES")
LEFT_OUT = "a query without a rating was left out"


def judged(path, **options):
    rows = read_judgments(path, **options)
    return [(row.query_id, row.passage_id, row.grade) for _, row in rows]


def document(written, value):
    """As the tools write it, over several lines."""
    return written("x.json", json.dumps(value, indent=4))


def rank_eval(*ratings, name="amsterdam_query"):
    request = {"query": {"match": {"text": "amsterdam"}}}
    return {"id": name, "request": request, "ratings": list(ratings)}


def test_a_rank_eval_request_is_read_with_its_metric_and_templates_left_alone(written):
    # As in the tests of Elasticsearch's module rank-eval.
    rated = [
        {"_index": "foo", "_id": "doc1", "rating": 0},
        {"_index": "foo", "_id": "doc2", "rating": 1},
    ]
    of_template = {
        "id": "berlin_query",
        "template_id": "match",
        "params": {"query_string": "berlin"},
        "ratings": [{"_index": "foo", "_id": "doc1", "rating": 1}],
    }
    path = document(
        written,
        {
            "templates": [{"id": "match", "template": {"inline": {}}}],
            "requests": [rank_eval(*rated), of_template, rank_eval(name="unrated")],
            "metric": {"precision": {"ignore_unlabeled": True}},
        },
    )
    reading = Reading()
    assert judged(path, reading=reading) == [
        ("amsterdam_query", "doc1", "NO"),
        ("amsterdam_query", "doc2", "YES"),
        ("berlin_query", "doc1", "YES"),
    ]
    assert [note.what for note in reading.notes] == [LEFT_OUT]
    assert [entry.query for _, entry in read_golden(path)] == ["", "", "berlin"]


def test_one_id_in_two_indices_is_not_one_passage(written):
    rated = [{"_index": index, "_id": "1", "rating": 1} for index in ("a", "b")]
    path = document(written, {"requests": [rank_eval(*rated)]})
    with pytest.raises(InputError, match=r"'1' of the indices 'a' and 'b' in requests\[0\]"):
        judged(path)


LIST = [
    {
        "query": "red dress",
        "ratings": [{"docId": "B1", "rating": "3.000"}, {"docId": "B2", "rating": "0.000"}],
    },
    {"query": "blue jeans", "ratings": [], "failures": [{"docId": "B3"}]},
]
SENT = {"name": "mine", "type": "IMPORT_JUDGMENT", "judgmentRatings": LIST}
FOUND = {"_index": "search-relevance-judgment", "_id": "b5", "_source": {"id": "b5", **SENT}}
OLD = {"judgmentRatings": {"red dress": LIST[0]["ratings"], "blue jeans": []}}


@pytest.mark.parametrize("value", [SENT, {"took": 36, "hits": {"hits": [FOUND]}}, OLD])
def test_an_opensearch_judgment_list_is_read_as_it_is_sent_and_as_it_comes_back(written, value):
    reading = Reading()
    path = document(written, value)
    assert judged(path, grades=SCALE, reading=reading) == [
        ("red dress", "B1", "YES"),
        ("red dress", "B2", "NO"),
    ]
    assert LEFT_OUT in [note.what for note in reading.notes]


def test_several_judgment_lists_are_several_judges(written):
    path = document(written, {"hits": {"hits": [FOUND, FOUND]}})
    with pytest.raises(InputError, match="2 judgment lists among the hits, expected one"):
        judged(path, grades=SCALE)


def test_a_llama_index_dataset_says_which_of_its_queries_have_no_passage(written):
    # As EmbeddingQAFinetuneDataset.save_json writes it.
    dataset = {
        "queries": {"0f1c": "What is \u201cx\u201d?", "7d2a": "Orphan?", "9b3e": "None?"},
        "corpus": {"node-1": "Text \u00e9"},
        "relevant_docs": {"0f1c": ["node-1"], "9b3e": []},
        "mode": "text",
    }
    path, reading = document(written, dataset), Reading()
    ((_, entry),) = read_golden(path, reading=reading)
    assert (entry.query_id, entry.passage_id, entry.grade) == ("0f1c", "node-1", "YES")
    assert entry.query == "What is \u201cx\u201d?"
    ((_, passage),) = read_corpus(path)
    assert (passage.passage_id, passage.text) == ("node-1", "Text \u00e9")
    assert [(note.what, len(note.lines)) for note in reading.notes] == [(LEFT_OUT, 2)]


def test_quepid_s_json_is_read_and_what_it_did_not_rate_is_said(written):
    value = {
        "queries": [
            {"query": "star wars", "ratings": {"11": 3, "12": 0}},
            {"query": "star trek", "ratings": {}},
        ]
    }
    reading = Reading()
    assert judged(document(written, value), grades=SCALE, reading=reading) == [
        ("star wars", "11", "YES"),
        ("star wars", "12", "NO"),
    ]
    assert LEFT_OUT in [note.what for note in reading.notes]


def test_quepid_s_table_is_read_though_it_begins_with_a_blank_line(written):
    # As its template writes it: unrated queries alone, a minus at the beginning behind a blank.
    text = '\nquery,docid,rating\nstar wars,11,3\n" -minus",12,0\nstar trek\n'
    reading = Reading()
    found = judged(written("x.csv", text), grades=SCALE, reading=reading)
    assert found == [("star wars", "11", "YES"), (" -minus", "12", "NO")]
    assert {note.what: note.lines for note in reading.notes} == {
        "column 'query' names the queries, by their text or an id": (0,),
        "query_id has blanks around it, which are kept": (4,),
        "a query or passage without a rating was left out": (5,),
    }


def test_a_mapping_of_floats_asks_what_they_mean(written):
    path = document(written, {"q": {"p": 1.0, "r": 0.5}, "unrated": {}})
    with pytest.raises(InputError, match=r"grade 0\.5 in query 'q'"):
        judged(path)
    assert judged(path, grades=GradeMap.parse("1=YES,0.5=PART")) == [
        ("q", "p", "YES"),
        ("q", "r", "PART"),
    ]
