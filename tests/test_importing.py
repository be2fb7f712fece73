"""From files to the store: all of an import or nothing, once, with everything noticed told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from labeler import formats, importing
from labeler.errors import InputError, LabelerError
from labeler.importing import Options
from labeler.model import Grade, Passage
from labeler.store import corpora, damage, goldens, labels, queries, runs, verdicts
from labeler.store.db import Store, open_store

Write = Callable[[str, str], Path]
PLAIN = Options()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_several_files_are_one_import(store, file):
    first = file("a.csv", "passage_id,text\np1,one\n")
    second = file("b.jsonl", '{"_id": "p2", "text": "two"}\n')
    done = importing.corpus(store, [first, second], name="c", options=PLAIN)
    assert (done.file, done.read, done.added) == ("a.csv, b.jsonl", 2, 2)
    assert list(corpora.every_passage(store)) == [Passage("p1", "one"), Passage("p2", "two")]
    assert [(c.name, c.version, c.passages) for c in corpora.current(store)] == [("c", 1, 2)]


def test_a_malformed_line_in_the_last_file_leaves_nothing_of_the_first(store, file):
    first = file("a.csv", "query_id,text\nq1,one\n")
    second = file("b.jsonl", '{"_id": "q2", "text": "two"}\n{"_id": "q3"}\n')
    with pytest.raises(InputError, match=r"^b\.jsonl, line 2: no text"):
        importing.query_set(store, [first, second], options=PLAIN)
    assert queries.current(store) == []
    done = importing.query_set(store, [first, second], options=Options(skip_bad=True))
    assert (done.read, done.added) == (2, 2)
    assert [(p.file, p.line) for p in done.left_out] == [("b.jsonl", 2)]


def test_the_same_passage_in_two_files_is_one(store, file):
    first = file("a.csv", "passage_id,text\np1,one\np2,two\n")
    second = file("b.csv", "passage_id,text\np2,two\np3,three\n")
    done = importing.corpus(store, [first, second], name="c", options=PLAIN)
    assert (done.read, done.added) == (3, 3)
    assert done.remarks == ("b.csv, line 2: the same as in a.csv, read once",)


def test_another_text_under_the_same_id_names_both_files(store, file):
    first = file("a.csv", "passage_id,text\np1,one\np2,two\n")
    second = file("b.csv", "passage_id,text\np0,zero\np2,TWO\n")
    with pytest.raises(
        InputError, match=r"^b\.csv, line 3: a second row for p2, unlike a\.csv, line 3, expected"
    ):
        importing.corpus(store, [first, second], name="c", options=PLAIN)
    assert corpora.count(store) == 0
    done = importing.corpus(store, [first, second], name="c", options=Options(skip_bad=True))
    assert [str(problem) for problem in done.left_out] == [
        "b.csv, line 3: a second row for p2, unlike a.csv, line 3, expected one, or the same again"
    ]
    assert {p.passage_id: p.text for p in corpora.every_passage(store)} == {
        "p0": "zero",
        "p1": "one",
        "p2": "two",
    }


def test_queries_of_two_files_that_differ_only_in_kind_are_told_apart(store, file):
    first = file("a.csv", "query_id,text,kind\nq1,one,exact\n")
    second = file("b.csv", "query_id,text,kind\nq1,one,historical\n")
    with pytest.raises(InputError, match=r"b\.csv, line 2: .* unlike a\.csv, line 2"):
        importing.query_set(store, [first, second], options=PLAIN)


def test_a_folder_of_texts_is_a_passage_a_file(store, file, tmp_path):
    file("docs/a.md", "# A\n")
    file("docs/b.txt", "B\r\n")
    done = importing.corpus(store, [tmp_path / "docs"], name="c", options=PLAIN)
    assert done.read == 2
    assert list(corpora.every_passage(store)) == [
        Passage("a.md", "# A\n"),
        Passage("b.txt", "B\r\n"),
    ]


@pytest.mark.parametrize("kind", importing.KINDS)
def test_the_same_file_again_adds_nothing(store, file, kind):
    text = {
        "corpus": "passage_id,text\np,t\n",
        "queries": "query_id,text\nq,t\n",
        "run": "query_id,passage_id,rank\nq,p,1\n",
    }.get(kind, "query_id,passage_id,grade\nq,p,YES\n")
    path = file("x.csv", text)
    first = importing.bring(store, kind, [path], name="name", options=PLAIN)
    again = importing.bring(store, kind, [path], name="name", options=PLAIN)
    assert (first.kind, first.read, first.added) == (kind, 1, 1)
    assert (again.read, again.added) == (1, 0)


def test_what_takes_the_place_of_another_is_told_of(store, file):
    """Of the second import p1 is the same, p2 and p3 are other texts; p4 is new."""
    first = "passage_id,text\np1,a\np2,b\np3,c\n"
    second = "passage_id,text\np1,a\np2,B\np3,C\np4,d\n"
    for kind, ours in (("corpus", "passage_id"), ("queries", "query_id")):
        old, new = (text.replace("passage_id", ours) for text in (first, second))
        said = importing.bring(store, kind, [file("a.csv", old)], name="one", options=PLAIN)
        assert said.remarks == ()
        said = importing.bring(store, kind, [file("b.csv", new)], name="one", options=PLAIN)
        known = "known with another content, which was replaced and is kept as history"
        assert (said.added, said.remarks) == (3, (f"{known}: 'p2', 'p3'",))
    said = importing.bring(store, "corpus", [file("a.csv", first)], name="two", options=PLAIN)
    elsewhere = "another corpus has another text of this id; the one imported last counts"
    assert said.remarks == (f"{elsewhere}: 'p2', 'p3'",)


def test_a_run_that_takes_the_place_of_another_says_so(store, file):
    for score, remarks in ((1, 0), (1, 0), (2, 1)):
        path = file("x.csv", f"query_id,passage_id,score\nq,p,{score}\n")
        said = importing.bring(store, "run", [path], name="s", options=PLAIN)
        place = [one for one in said.remarks if one.startswith("takes the place of the run of ")]
        assert len(place) == remarks


def test_rows_that_name_their_judge_keep_it_and_the_name_given_is_for_the_rest(store, file):
    path = file(
        "v.jsonl",
        '{"query_id": "q", "passage_id": "p", "grade": "YES", "judge": "alpha", "rubric": "r@2"}\n'
        '{"query_id": "q", "passage_id": "p", "grade": "NO", "judge": "beta"}\n'
        '{"query_id": "q", "passage_id": "p", "grade": "PART"}\n',
    )
    done = importing.verdict_file(store, path, judge="given", rubric="r@1", options=PLAIN)
    assert {(v.judge, v.rubric, v.grade) for v in verdicts.current(store)} == {
        ("alpha", "r@2", Grade.YES),
        ("beta", "r@1", Grade.NO),
        ("given", "r@1", Grade.PART),
    }
    said = "the file names its own judges: alpha, beta; given counts for rows that name none"
    assert said in done.remarks


def test_a_file_that_names_all_its_annotators_says_so(store, file):
    rows = "".join(f"q,p,YES,person {n}\n" for n in range(7))
    path = file("l.csv", "query_id,passage_id,grade,annotator\n" + rows)
    done = importing.label_file(store, path, annotator="given", options=PLAIN)
    assert {label.annotator for label in labels.current(store)} == {f"person {n}" for n in range(7)}
    named = ", ".join(f"person {n}" for n in range(5))
    assert f"the file names its own annotators: {named} and 2 more" in done.remarks


def test_a_file_that_names_only_the_annotator_given_is_not_remarked(store, file):
    path = file("l.csv", "query_id,passage_id,grade,annotator\nq,p,YES,anna\n")
    done = importing.label_file(store, path, annotator="anna", options=PLAIN)
    assert not [remark for remark in done.remarks if "names its own" in remark]


def test_ids_without_text_are_kept_counted_and_near_misses_previewed(store, file):
    importing.query_set(store, [file("q.csv", "query_id,text\ncafé,t\nq2,t\n")], options=PLAIN)
    path = file("l.qrels", "cafe\u0301 0 p1 1\nq2 0 p2 0\nq3 0 p1 1\n")
    done = importing.label_file(store, path, annotator="a", options=PLAIN)
    assert done.added == 3
    assert done.remarks == (
        "1 of 3 queries join, 1 more would after NFC ('cafe\u0301' is near 'café'); "
        "the others are kept as ids without text",
        "0 of 2 passages join; the others are kept as ids without text",
    )


def test_an_import_that_is_stopped_in_its_middle_leaves_nothing(store, file):
    """The first 20,000 rows are in the transaction when it is stopped."""
    rows = "".join(f"q{n},text\n" for n in range(20_001))
    path = file("q.csv", "query_id,text\n" + rows)

    def stop(read: int) -> None:
        assert read == 20_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importing.query_set(store, [path], options=Options(progress=stop))
    assert queries.ids(store) == set()


def test_progress_is_told_up_to_the_last_row(store, file):
    told: list[int] = []
    path = file("q.csv", "query_id,text\n" + "".join(f"q{n},t\n" for n in range(20_001)))
    importing.query_set(store, [path], options=Options(progress=told.append))
    assert told == [20_000, 20_001]


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("corpus", "c.csv", "_id,text,more\na,one,x\nb,\xa0,x\n"),
        ("corpus", "c.jsonl", '{"_id": "a", "text": "one", "metadata": {}}\n'),
        ("labels", "l.csv", "qid,docid,annotator,rel,more\ncafe\u0301,a,ann,1,x\nq,b,,2,x\n"),
        ("labels", "l.qrels", "q 0 a 1\nq 0 b 0\n"),
        ("verdicts", "v.csv", "query_id,passage_id,judge,grade,state\nq,a,,,later\nq,b,x,no,\n"),
        ("verdicts", "v.jsonl", '{"query_id": "q", "passage_id": "a", "grade": 2}\n'),
    ],
)
def test_a_file_that_is_read_as_columns_is_told_of_as_one_read_by_rows(tmp_path, kind, name, text):
    """A blank line at the end says nothing, and has a file read by rows."""
    told = []
    for end in ("", "\n"):
        path = tmp_path / f"{len(end)}" / name
        path.parent.mkdir()
        path.write_text(text + end, encoding="utf-8")
        with open_store(path.with_suffix(".duckdb")) as store:
            query = path.with_name("q.csv")
            query.write_text("query_id,text\ncaf\u00e9,t\n", encoding="utf-8")
            importing.query_set(store, [query], options=PLAIN)
            told.append(importing.bring(store, kind, [path], name="given", options=PLAIN))
    assert told[0] == told[1]
    assert told[0].read == text.count("\n") - (name[2:] == "csv")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0", "x" * 201])
@pytest.mark.parametrize("kind", [kind for kind in importing.KINDS if kind != "queries"])
def test_a_name_that_is_none_is_refused_before_the_file_is_read(store, tmp_path, kind, name):
    with pytest.raises(LabelerError, match=r"^The .* needs a name of 1 to 200 printable"):
        importing.bring(store, kind, [tmp_path / "missing"], name=name, options=PLAIN)


def test_only_corpora_and_queries_come_in_several_files(store, file):
    paths = [file("a.csv", "query_id,passage_id,grade\n"), file("b.csv", "x\n")]
    with pytest.raises(LabelerError, match="One file at a time"):
        importing.bring(store, "labels", paths, name="a", options=PLAIN)
    with pytest.raises(LabelerError, match="Choose a file first"):
        importing.bring(store, "labels", [], name="a", options=PLAIN)


def test_uploads_are_called_by_their_own_names(store, file):
    path = file("0.csv", "query_id,text\nq\n")
    options = Options(names={path: "my queries.csv"})
    with pytest.raises(InputError, match=r"^my queries\.csv, line 2: "):
        importing.query_set(store, [path], options=options)


def test_an_imported_golden_set_is_version_1_and_frozen_and_joins_by_text(store, file):
    importing.query_set(store, [file("q.csv", "query_id,text\nq7,why?\n")], options=PLAIN)
    path = file(
        "g.json", '[{"query": "why?", "expected": ["p1"]}, {"query": "new", "expected": []}]'
    )
    done = importing.golden(store, path, name="g", options=PLAIN)
    assert (done.read, done.added) == (2, 2)
    (golden,) = goldens.current(store)
    assert golden.ref == "g@1"
    assert {(e.query_id, e.passage_id) for e in golden.entries if e.passage_id} == {("q7", "p1")}
    assert {query.text for query in queries.current(store)} == {"why?", "new"}
    assert damage.verify(store) == []


@pytest.fixture
def docs() -> Path:
    root = os.environ.get("LABELER_TEST_DATA")
    if not root:
        pytest.skip("LABELER_TEST_DATA is not set")
    return Path(root) / "data" / "claude_docs"


def test_every_kind_of_file_of_real_documentation_comes_in(store, docs):
    """The counts are those that its source publishes."""
    done = importing.corpus(store, [docs / "corpus.jsonl"], name="docs", options=PLAIN)
    assert (done.read, done.added, done.left_out) == (232, 232, ())
    done = importing.query_set(store, [docs / "queries.jsonl"], options=PLAIN)
    assert (done.read, done.added) == (100, 100)
    for system in ("base", "level_two", "level_three"):
        path = docs / f"run.{system}.trec"
        done = importing.run(store, path, system=system, options=PLAIN)
        assert done.added == done.read == len(path.read_text().splitlines())
        assert not [remark for remark in done.remarks if "join" in remark]
    for name in ("golden-set.json", "qrels/test.tsv", "qrels/trec.qrels"):
        done = importing.golden(store, docs / name, name=Path(name).stem, options=PLAIN)
        assert (done.read, done.added) == (192, 192)
        done = importing.golden(store, docs / name, name=Path(name).stem, options=PLAIN)
        assert done.added == 0
    done = importing.label_file(store, docs / "qrels/test.tsv", annotator="authors", options=PLAIN)
    assert done.added == 192
    grades = formats.GradeMap.parse("1=YES")
    done = importing.verdict_file(
        store, docs / "qrels/trec.qrels", judge="authors", options=Options(grades=grades)
    )
    assert (done.added, done.remarks) == (192, ())
    assert {run.system: run.queries for run in runs.current(store)} == {
        "base": 99,
        "level_two": 100,
        "level_three": 100,
    }
    assert len(queries.current(store)) == 100
