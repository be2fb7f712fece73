"""What comes as columns is stored as what comes row by row: the same rows, numbers rising."""

from __future__ import annotations

import json
import uuid

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.formats import Reading, read_corpus, read_judgments
from labeler.formats.grading import plain_judgments
from labeler.formats.passages import PASSAGE_SCHEMA, plain_passages
from labeler.judges import recorded
from labeler.model import Grade, Judgment, Passage
from labeler.store import brought, corpora, labels, verdicts
from labeler.store.columns import judgment_table
from labeler.store.db import open_store
from labeler.store.imports import Source

LABELS = (
    "query_id,passage_id,annotator,grade,state,labelled_at,blind,spotcheck,note\n"
    "q1,a,ann,YES,labelled,2026-01-02T03:04:05+01:00,true,s1,\n"
    "q1,a,,NO,,,,,it is not\n"
    "é,b\\c,ann,,unsure,2026-01-02,false,,\u200b?\n"
    "q2,b,bob,,later,,,,\n"
    "q2,c,bob,part,labelled,,,,\n"
)
VERDICTS = (
    "query_id,passage_id,judge,rubric,model,grade,status,reason,judged_at,cost,raw\n"
    "q1,a,j,r@2,m,YES,ok,half of it,2026-01-02T03:04:05Z,0.25,{}\n"
    "q1,a,,,,NO,,,2026-01-02,,\n"
    "é,b,j,r@2,m,,unreadable,,,1e-3,Well\n"
)
CORPUS = "".join(
    json.dumps(one, ensure_ascii=False) + "\n"
    for one in (
        {"_id": "p1", "title": "T", "text": 'One "quoted" \\ text\n\tand \x7f more', "url": "u"},
        {"_id": "é", "title": "", "text": "Ünïcode 😀 \u2028", "url": ""},
        {"_id": "p3", "title": "", "text": "", "url": ""},
    )
)
SOURCE = Source("x", "b1:of the file", "lead")


def everything(store):
    """Every row of what imports write, in the order of its number and without it."""
    found = {}
    for table in ("label_events", "repeated_labels", "verdicts", "passages", "corpora", "imports"):
        order = "event" if table == "repeated_labels" else "seq"
        columns = store.columns(f"select * from {table} order by {order}")
        columns.pop("seq", None)
        found[table] = {name: values.tolist() for name, values in columns.items()}
    return found


def import_labels(store, path, quick):
    if quick:
        table = plain_judgments(path, reading=Reading(), person="given")
        assert table is not None
        return labels.bring_table(store, table, annotator="given", source=SOURCE)
    rows = (row.record for row in read_judgments(path, person="given"))
    return labels.bring(store, rows, annotator="given", source=SOURCE)


def import_verdicts(store, path, quick):
    told = {"person": "given", "rubric": "r@1"}
    if quick:
        table = plain_judgments(path, reading=Reading(), **told)
        assert table is not None
        return verdicts.bring_table(store, recorded.verdict_table(table), source=SOURCE)
    rows = (row.record for row in read_judgments(path, **told))
    found = recorded.verdicts(rows, judge="given", rubric="r@1")
    return verdicts.bring(store, found, source=SOURCE)


def import_corpus(store, path, quick):
    if quick:
        table = plain_passages(path, reading=Reading())
        assert table is not None
        return corpora.record_table(store, table, name="c", source=SOURCE)
    rows = (row.record for row in read_corpus(path))
    return corpora.record(store, rows, name="c", source=SOURCE)


CHANGED = {
    "labels": LABELS.replace("bob,part", "bob,no").replace("it is not", "it is"),
    "verdicts": VERDICTS.replace("NO", "PART").replace("Well", "Well?"),
    "corpus": CORPUS.replace("One", "Another"),
}


@pytest.mark.parametrize(
    ("kind", "bring", "name", "content"),
    [
        ("labels", import_labels, "x.csv", LABELS),
        ("verdicts", import_verdicts, "x.csv", VERDICTS),
        ("corpus", import_corpus, "x.jsonl", CORPUS),
    ],
)
def test_both_ways_leave_the_same_rows_whichever_came_first(
    tmp_path, clock, kind, bring, name, content
):
    """A file, the same again, a changed one, the first once more: by columns in every other
    store, and by turns."""
    whole, changed = tmp_path / f"1-{name}", tmp_path / f"2-{name}"
    whole.write_text(content, encoding="utf-8")
    changed.write_text(CHANGED[kind], encoding="utf-8")
    stood, done = [], []
    for number, ways in enumerate(("1111", "0000", "1010", "0101")):
        with open_store(tmp_path / f"{number}.duckdb", clock=clock) as store:
            told = [
                bring(store, path, way == "1")
                for path, way in zip((whole, whole, changed, whole), ways, strict=True)
            ]
            done.append(told)
            stood.append(everything(store))
    assert stood[0] == stood[1] == stood[2] == stood[3]
    assert done[0] == done[1] == done[2] == done[3]
    assert [d.added for d in done[0][:2]] == [content.count("\n") - (kind != "corpus"), 0]
    assert done[0][2].added > 0


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.builds(Passage, TEXTS, TEXTS, *[TEXTS] * 6), min_size=1, max_size=3))
def test_the_hash_of_a_passage_that_came_as_a_column_is_its_own(passages):
    rows = [{name: getattr(one, name) for name in PASSAGE_SCHEMA.names} for one in passages]
    table = pa.Table.from_pylist(rows, schema=PASSAGE_SCHEMA)
    assert corpora._hashes(table) == [one.hash for one in passages]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS), min_size=1, max_size=3))
def test_the_event_of_a_label_from_a_file_is_a_uuid_of_what_it_says(said):
    """By the standard library's own UUID 5; ids, people and notes are arbitrary texts."""
    rows = [Judgment(q, p, Grade.PART, "labelled", who, note=note) for q, p, who, note in said]
    table = judgment_table(rows)
    given_ = {name: table[name] for name in table.column_names}
    found = brought._events(given_, SOURCE.hash, table["person"], table["state"]).to_pylist()
    for event, (query, passage, who, note) in zip(found, said, strict=True):
        told = [SOURCE.hash, who, "labelled", query, passage, "PART", note]
        assert uuid.UUID(event) == uuid.uuid5(brought._NAMESPACE, json.dumps(told))
