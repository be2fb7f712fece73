"""Files as people really bring them, through the program itself: each is stored exactly, or refused
in one sentence that names the place. None is silently wrong."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from labeler.cli.main import run
from labeler.store import corpora, goldens, labels, queries, runs, verdicts
from labeler.store.db import Store, open_reader

OPTIONS = {
    "run": ("--system", "s"),
    "verdicts": ("--judge", "j"),
    "labels": ("--annotator", "a"),
    "golden": ("--name", "g"),
}


class Awkward(NamedTuple):
    """A file, what it is imported as, and what must come of it: the exit code, a part of what is
    said, and the rows in the store, which are none where it is refused."""

    name: str
    kind: str
    content: bytes
    code: int
    says: str = ""
    stored: tuple[tuple[object, ...], ...] = ()
    options: tuple[str, ...] = ()


def text(*lines: str, end: str = "\n", last: bool = True) -> bytes:
    return (end.join(lines) + (end if last else "")).encode()


def grid(*rows: str, header: str = "query_id,passage_id,grade") -> bytes:
    return text(header, *rows)


def packed_rows(times: int) -> bytes:
    """A gzip file of a table, the same bytes at each run."""
    return gzip.compress(grid("q,p,YES") * times, mtime=0)


def packed() -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("v.csv", grid("q,p,YES"))
    return found.getvalue()


ONE = (("q", "p", "YES"),)
GRADED = "query_id,passage_id,grade"
JUDGED = "query_id,passage_id,judge,grade"
LABELLED = "query_id,passage_id,annotator,grade"
NFC, NFD = "caf\u00e9", "cafe\u0301"
JA = "\u8cea\u554f" * 150  # of which no byte is NUL
LONG = "x" * 265_000
MAP = ("--grades", "1=NO,2=NO,3=PART,4=YES")

FILES = [
    # How the text is written
    Awkward("bom.csv", "labels", b"\xef\xbb\xbf" + grid("q,p,YES"), 0, stored=ONE),
    Awkward("bom.qrels", "labels", b"\xef\xbb\xbf" + text("q 0 p 2", "r 0 p 0"), 0,
            stored=(("q", "p", "YES"), ("r", "p", "NO"))),
    Awkward("utf16.csv", "labels", grid("q,p,YES").decode().encode("utf-16"), 0, stored=ONE),
    Awkward("utf16be.csv", "verdicts", grid("q,p,YES").decode().encode("utf-16-be"), 0, stored=ONE),
    Awkward("utf16ja.csv", "labels", grid(f"{JA},p,YES").decode().encode("utf-16-le"), 0,
            stored=((JA, "p", "YES"),)),
    Awkward("crlf.csv", "labels", text("query_id,passage_id,grade", "q,p,YES", end="\r\n"), 0,
            stored=ONE),
    Awkward("cr.trec", "run", text("q Q0 p 1 2.5 s", "q Q0 r 2 1.5 s", end="\r"), 0,
            stored=(("q", "p", 1, 2.5), ("q", "r", 2, 1.5))),
    Awkward("last.csv", "labels", text("query_id,passage_id,grade", "q,p,YES", last=False), 0,
            stored=ONE),
    Awkward("tabs.qrels", "labels", text("q\t0\tp\t2"), 0, stored=ONE),
    Awkward("spaces.qrels", "labels", text("q   0  p \t 2"), 0, stored=ONE),
    Awkward("gaps.csv", "labels", grid("", "q,p,YES", ",,", ""), 0, "row of empty cells", ONE),
    Awkward("comments.qrels", "labels", text("# by hand", "q 0 p 2"), 0, "a comment was left out",
            ONE),
    Awkward("latin.csv", "labels", "query_id,passage_id,grade\nqé,p,YES\n".encode("latin-1"), 1,
            "line 2: bytes that are not UTF-8"),
    Awkward("nul.csv", "labels", grid("q\0,p,YES"), 1, "line 2: a NUL byte in query_id"),
    Awkward("half.jsonl", "labels",
            rb'{"query_id":"q\ud800","passage_id":"p","grade":"YES"}' + b"\n", 1,
            "half of a surrogate pair in query_id"),
    # Ids are text, exactly as they stand
    Awkward("zeros.csv", "labels", grid("001,1,YES", "1,1,NO"), 0,
            stored=(("001", "1", "YES"), ("1", "1", "NO"))),
    Awkward("numbers.jsonl", "verdicts", b'{"query_id":7,"passage_id":8,"grade":"NO"}\n', 0,
            "is a number and was read as text", (("7", "8", "NO"),)),
    Awkward("nbsp.qrels", "labels", text("q\u00a01 0 p 2"), 0, stored=(("q\u00a01", "p", "YES"),)),
    Awkward("marks.qrels", "labels", text("#1 0 a?b,c 2"), 0, stored=(("#1", "a?b,c", "YES"),)),
    Awkward("spaced.csv", "labels", grid("a query,p ,YES"), 0, stored=(("a query", "p ", "YES"),)),
    Awkward("quoted.csv", "labels", grid('"a ""q"", x","p\nnext",YES'), 0,
            stored=(('a "q", x', "p\nnext", "YES"),)),
    Awkward("emoji.csv", "labels", grid("🦓,p\U0001f469\u200d\U0001f680,YES"), 0,
            stored=(("🦓", "p\U0001f469\u200d\U0001f680", "YES"),)),
    Awkward("forms.csv", "labels", grid(f"{NFC},p,YES", f"{NFD},p,NO"), 0,
            stored=((NFC, "p", "YES"), (NFD, "p", "NO"))),
    Awkward("case.csv", "labels", grid("Q,p,YES", "q,p,NO"), 0,
            stored=(("Q", "p", "YES"), ("q", "p", "NO"))),
    Awkward("nested.jsonl", "verdicts", b'{"query_id":{"id":"q"},"passage_id":"p","grade":1}\n', 1,
            "query_id is a nested object"),
    Awkward("noid.csv", "labels", grid(",p,YES"), 1, "line 2: no query_id"),
    Awkward("twice.csv", "labels", grid("caf\u00c3\u00a9,p,YES", f"{NFC},p,NO"), 0,
            "twice.csv, line 2: it looks like doubly encoded UTF-8",
            (("caf\u00c3\u00a9", "p", "YES"), (NFC, "p", "NO"))),
    Awkward("twice.jsonl", "verdicts",
            rb'{"query_id":"caf\u00c3\u00a9","passage_id":"p","grade":"YES"}', 0,
            "twice.jsonl, line 1: it looks like doubly", (("caf\u00c3\u00a9", "p", "YES"),)),
    # Columns
    Awkward("five.qrels", "labels", text("q 0 p 2 x"), 1, "line 1: found 5 fields, expected 4"),
    Awkward("five.trec", "run", text("q Q0 p 1 0.5"), 1, "line 1: found 5 fields, expected 6"),
    Awkward("six.qrels", "labels", text("q 0 p 1 0.5 s"), 1, "found 6 fields, expected 4"),
    Awkward("narrow.csv", "labels", grid("q,p"), 1, "line 2: 2 cells, expected 3"),
    Awkward("own.csv", "labels", grid("q,p,YES", header="qid,docno,rel"), 0,
            stored=ONE),
    Awkward("theirs.csv", "labels", grid("q,p,YES", header="frage,absatz,urteil"), 0, stored=ONE,
            options=("--columns", "query_id=frage,passage_id=absatz,grade=urteil")),
    Awkward("semicolons.csv", "labels", b"query_id;passage_id;grade\nq;p;YES\n", 0, stored=ONE),
    Awkward("headless.csv", "labels", text("q,p,YES"), 1, "no query_id among the columns"),
    Awkward("headless.tsv", "labels", text("q\tp\t2", "q\tr\t0"), 0, "no header row",
            (("q", "p", "YES"), ("q", "r", "NO"))),
    Awkward("beir.tsv", "labels", text("query-id\tcorpus-id\tscore", "q\tp\t1"), 0,
            stored=ONE),
    # Grades
    Awkward("words.csv", "labels", grid("q,p,yes", "q,r, Part", "q,s,NO"), 0,
            stored=(("q", "p", "YES"), ("q", "r", "PART"), ("q", "s", "NO"))),
    Awkward("float.csv", "labels", grid("q,p,1.5"), 1, "line 2: grade 1.5"),
    Awkward("negative.qrels", "labels", text("q 0 p 1", "q 0 r -1"), 1, "grade -1 (line 2)"),
    Awkward("high.qrels", "labels", text("q 0 p 0", "q 0 r 7"), 1, "grade 7 (line 2)"),
    Awkward("offbyone.qrels", "labels", text("q 0 p 1", "q 0 r 4", "q 0 s 3"), 1, "--grades"),
    Awkward("mapped.qrels", "labels", text("q 0 p 4", "q 0 r 3", "q 0 s 2"), 0,
            stored=(("q", "p", "YES"), ("q", "r", "PART"), ("q", "s", "NO")), options=MAP),
    Awkward("unmapped.qrels", "labels", text("q 0 p 4", "q 0 r 0"), 1, "line 2: grade 0",
            options=MAP),
    Awkward("empty-grade.csv", "labels", grid("q,p,"), 1, "line 2: grade missing"),
    Awkward("mixed.csv", "labels", grid("q,p,YES", "q,r,1"), 1, "(--grades \"0=NO"),
    # Repeats
    Awkward("twice.csv", "labels", grid("q,p,YES", "q,p,YES"), 0, "line 3: identical", ONE),
    Awkward("against.csv", "labels", grid("q,p,YES", "q,p,NO"), 1, "line 3: a second row for q, p"),
    Awkward("again.trec", "run", text("q Q0 p 1 3 s", "q Q0 r 1 2 s", "q Q0 t 2 1 s"), 1,
            "line 2: rank 1 of q again, which line 1 has"),
    # Ranks and scores
    Awkward("zero.trec", "run", text("q Q0 p 0 2 s", "q Q0 r 1 1 s"), 0, "ranks count from 0",
            (("q", "p", 1, 2.0), ("q", "r", 2, 1.0))),
    Awkward("scores.csv", "run", grid("q,p,1.0", "q,r,2.0", header="query_id,passage_id,score"), 0,
            stored=(("q", "r", 1, 2.0), ("q", "p", 2, 1.0))),
    Awkward("contradict.trec", "run", text("q Q0 p 1 1 s", "q Q0 r 2 9 s"), 0,
            "scores contradict its ranks", (("q", "p", 1, 1.0), ("q", "r", 2, 9.0))),
    Awkward("nan.trec", "run", text("q Q0 p 1 nan s"), 1, "line 1: score 'nan'"),
    Awkward("inf.trec", "run", text("q Q0 p 1 -inf s"), 1, "line 1: score '-inf'"),
    Awkward("word.trec", "run", text("q Q0 p 1 high s"), 1, "line 1: score 'high'"),
    Awkward("negative.trec", "run", text("q Q0 p -1 0.5 s"), 1, "line 1: rank '-1'"),
    Awkward("neither.csv", "run", grid("q,p,,", header="query_id,passage_id,rank,score"), 1,
            "line 2: neither rank nor score"),
    # JSON
    Awkward("cut.jsonl", "queries", b'{"_id":"q","text":"a"}\n{"_id":"r","te\n', 1,
            "line 2: broken JSON"),
    Awkward("array.json", "queries", b'[{"_id":"q","text":"a"},\n{"_id":"r","text":"b"}]', 0,
            stored=(("q", "a"), ("r", "b"))),
    Awkward("double.jsonl", "queries", b'{"_id":"q","text":"a","text":"b"}\n', 1,
            "the key 'text' twice"),
    Awkward("list.json", "golden", b'[{"query":"a","expected":"p"}]', 1, "expected"),
    Awkward("golden.json", "golden", b'[{"query":"a","expected":["p","r"]}]', 0,
            stored=(("p", "a"), ("r", "a"))),
    # Long texts and texts with line ends
    Awkward("long.csv", "corpus", grid(f"p,{LONG}", header="id,text"), 0, stored=(("p", LONG),)),
    Awkward("lines.csv", "corpus", grid('p,"one\r\ntwo, ""three"""', header="id,text"), 0,
            stored=(("p", 'one\r\ntwo, "three"'),)),
    Awkward("open.csv", "corpus", grid('p,"never closed', "r,b", header="id,text"), 1,
            "quotes that close"),
    Awkward("changed.jsonl", "corpus", b'{"_id":"p","text":"a"}\n{"_id":"p","text":"b"}\n', 1,
            "line 2: a second row for p, unlike line 1"),
    Awkward("numbers.csv", "corpus", grid("01,1.50", header="id,text"), 0,
            stored=(("01", "1.50"),)),
    # Whose the rows are, and when they were made
    Awkward("mine.csv", "verdicts", grid("q,p,,YES", "q,p,j,NO", header=JUDGED), 1,
            "line 3: a second row for q, p, j, unlike line 2"),
    Awkward("mine-too.csv", "verdicts", grid("q,p,,YES", "q,p,j,YES", header=JUDGED), 0,
            "line 3: identical to an earlier line", ONE),
    Awkward("hers.csv", "labels", grid("q,p,,YES", "q,p,a,NO", header=LABELLED), 1,
            "line 3: a second row for q, p, a, unlike line 2"),
    Awkward("padded.csv", "labels", grid("q,p, ann ,YES", header=LABELLED), 0,
            "line 2: blanks around person were taken off", ONE),
    Awkward("line.csv", "labels", grid('q,p,"an\nn",YES', header=LABELLED), 1,
            "line 2: person 'an\\nn', expected 1 to 200 printable characters"),
    Awkward("bidi.csv", "verdicts", grid("q,p,a\u202eb,YES", header=JUDGED), 1,
            "line 2: person 'a\\u202eb'"),
    Awkward("name.csv", "verdicts", grid(f"q,p,{'j' * 10_000},YES", header=JUDGED), 1,
            "line 2: person 'jjj"),
    Awkward("model.jsonl", "verdicts",
            b'{"query_id":"q","passage_id":"p","grade":"YES","model":"m\\u0007"}', 1,
            "line 1: model 'm\\x07'"),
    Awkward("number.jsonl", "labels",
            b'{"query_id":"q","passage_id":"p","grade":"YES","annotator":7}', 0,
            "line 1: person is a number and was read as text", ONE),
    Awkward("when.csv", "verdicts", grid("q,p,YES,31/12/2025", header=f"{GRADED},judged_at"), 0,
            "line 2: a time that is not ISO 8601", ONE),
    Awkward("when.csv", "labels", grid("q,p,YES,9999-12-31T23:59:59-12:00",
            header=f"{GRADED},labelled_at"), 0, "line 2: a time that is not ISO 8601", ONE),
    Awkward("state.csv", "verdicts", grid("q,p,,unsure", header=f"{GRADED},state"), 0,
            "unsure or later, kept as verdicts that cannot be read: 1", (("q", "p", "None"),)),
    Awkward("state.csv", "labels", grid("q,p,,unreadable", header=f"{GRADED},state"), 0,
            "whose state is unreadable, kept as unsure: 1", (("q", "p", "None"),)),
    Awkward("cost.csv", "verdicts", grid("q,p,YES,-5", header=f"{GRADED},cost"), 1,
            "line 2: cost -5.0, expected 0 or more"),
    Awkward("epoch.csv", "labels", grid("q,p,YES,1796010112000", header=f"{GRADED},labelled_at"), 0,
            "line 2: a time that is not ISO 8601", ONE),  # not 20:00 on 1796-01-01
    Awkward("epoch.jsonl", "verdicts",
            b'{"query_id":"q","passage_id":"p","grade":"YES","timestamp":1740823200.5}', 0,
            "line 1: a time that is not ISO 8601", ONE),
    Awkward("blind.csv", "labels", grid("q,p,YES, yes ", header=f"{GRADED},blind"), 0, stored=ONE),
    Awkward("alike.csv", "labels", grid(f"q,p,{NFC},YES", f"q,p,{NFD},NO", header=LABELLED), 0,
            "annotators whose names are nearly the same, each kept as another: "
            "'cafe\\u0301' and 'caf\\xe9'", (("q", "p", "NO"), ("q", "p", "YES"))),
    # Columns in another order, ids with blanks, grades that only look alike
    Awkward("iteration.qrels", "labels", text("0 q p 1", "0 q r 0"), 1,
            "0 in the first column, not the second"),
    Awkward("round.qrels", "labels", text("1 0.5 p 1", "1 0 r 0"), 0,
            "line 1: the second column is not read, though it is not 0",
            (("1", "p", "YES"), ("1", "r", "NO"))),
    Awkward("subtopics.qrels", "labels", text("0 1 p 1", "0 2 r 0"), 0,
            "lines 1, 2: the second column is not read", (("0", "p", "YES"), ("0", "r", "NO"))),
    Awkward("header.qrels", "labels", text("query_id iter docno rel", "q 0 p 1"), 0,
            "line 1: a header was left out", ONE),
    Awkward("order.qrels", "labels", text("q p 0 1", "r s 0 0"), 1,
            "0 in the third column, not the second"),
    Awkward("ranklib.txt", "labels", text("1 qid:1 # 1", "0 qid:1 # 0"), 1, "of RankLib's form"),
    Awkward("comma.csv", "labels", grid("q, p,YES"), 0,
            "line 2: passage_id has blanks around it, which are kept", (("q", " p", "YES"),)),
    Awkward("accent.csv", "labels", grid(f"q,p,{NFD}"), 0, stored=ONE,
            options=("--grades", f"{NFC}=YES")),
    Awkward("words.json", "verdicts", b'{"q":{"p":"yes"},"r":{"p":"No"}}', 0,
            stored=(("q", "p", "YES"), ("r", "p", "NO"))),
    # Golden sets that say two things of one query
    Awkward("both.jsonl", "golden",
            b'{"query_id":"q","query":"a","expected":["p"]}\n{"query":"a","expected":["r"]}\n', 1,
            "line 2: query 'a' with its id and without"),
    Awkward("nothing.csv", "golden", grid("q,,", "q,p,YES"), 1,
            "line 3: passages of query 'q', and that it expects nothing (line 2)"),
    Awkward("texts.csv", "golden", grid("q,p,YES,a", "q,r,YES,b", header=f"{GRADED},query"), 0,
            "line 3: another text of its query", (("p", "a"), ("r", "b"))),
    Awkward("beside.json", "golden", b'[{"query":"a","expected":["p"],"grade":"NO"}]', 0,
            "grade beside a list of expected passages is not read", (("p", "a"),)),
    Awkward("none.json", "golden", b"[]", 1, "none.json: no entry, expected at least one"),
    Awkward("bad.json", "golden", b'[{"query":"a","expected":"p"}]', 1,
            "line 1: the text 'p' where the expected passages stand", options=("--skip-bad",)),
    # What is another thing than its name says
    Awkward("page.csv", "labels", text("<!DOCTYPE html>", "<title>404</title>"), 1,
            "page.csv: a web page (HTML), expected the data themselves: CSV, TSV, JSON or TREC"),
    Awkward("page.jsonl", "golden", text("<html><body>502</body></html>"), 1,
            "page.jsonl: a web page (HTML)", options=("--skip-bad",)),
    Awkward("denied.qrels", "verdicts", b'<?xml version="1.0"?><Error/>', 1, "denied.qrels: XML, "),
    Awkward("pointer.qrels", "labels", text("version https://git-lfs.github.com/spec/v1", "oid a"),
            1, "pointer.qrels: a pointer of Git LFS in the place of the file"),
    # What is no text at all
    Awkward("empty.csv", "verdicts", b"", 1, "empty.csv: an empty file"),
    Awkward("packed.csv.gz", "verdicts", packed_rows(1), 0, stored=ONE),
    Awkward("cut.csv.gz", "verdicts", packed_rows(400)[:-20], 1, "cut.csv.gz"),
    Awkward("book.xlsx", "verdicts", packed(), 1, "a zip archive or an .xlsx workbook"),
]  # fmt: skip


def stored(store: Store, kind: str) -> Iterator[tuple[object, ...]]:
    """The rows of a kind that are in the store, cut to what the cases above name."""
    if kind == "corpus":
        yield from ((found.passage_id, found.text) for found in corpora.every_passage(store))
    elif kind == "queries":
        yield from ((found.query_id, found.text) for found in queries.current(store))
    elif kind == "run":
        for row in runs.rankings(store, "s"):
            yield row.query_id, row.passage_id, row.rank, row.score
    elif kind == "golden":
        yield from ((e.passage_id, e.query) for e in goldens.named(store, "g").entries)
    else:
        found = labels.current(store) if kind == "labels" else verdicts.current(store)
        yield from ((one.query_id, one.passage_id, str(one.grade)) for one in found)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], store: Path) -> Callable[..., tuple[int, str, str]]:
    """Calls the program on the test's store: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["--db", str(store), *map(str, arguments)])
        return (code, *capsys.readouterr())

    return call


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.kind}-{case.name}")
def test_a_file_is_stored_exactly_or_refused_by_place(case: Awkward, said, store, tmp_path):
    path = tmp_path / case.name
    path.write_bytes(case.content)
    code, out, err = said("import", case.kind, path, *OPTIONS.get(case.kind, ()), *case.options)
    assert (code, "Traceback" in err) == (case.code, False), err
    assert case.says in err + out
    if case.code:
        assert err.startswith(f"Error: {case.name}"), err
        assert out == ""
        with open_reader(store) as opened:
            assert opened.rows("select count(*) from imports") == [(0,)]
    else:
        with open_reader(store) as opened:
            assert sorted(stored(opened, case.kind)) == sorted(case.stored)


def test_the_sweep_is_wide():
    assert len(FILES) >= 90
    assert {case.kind for case in FILES} == {"corpus", "queries", *OPTIONS}


def test_what_nearly_joins_is_told_and_not_merged(said, tmp_path):
    passages = [{"_id": "p1", "text": "a"}, {"_id": NFC, "text": "b"}, {"_id": "Q", "text": "c"}]
    corpus = tmp_path / "c.jsonl"
    corpus.write_text("".join(json.dumps(one) + "\n" for one in passages), encoding="utf-8")
    assert said("import", "corpus", corpus)[0] == 0
    run_file = tmp_path / "r.trec"
    run_file.write_text(f"x Q0 p1 1 3 s\nx Q0 {NFD} 2 2 s\nx Q0 q 3 1 s\n", encoding="utf-8")
    code, _, err = said("import", "run", run_file, "--system", "s")
    assert code == 0
    # p1 joins as it stands, the decomposed one would after NFC, and q if case did not count.
    assert "1 of 3 passages join, 1 more would after NFC, 1 more would if case did not" in err


def test_bad_lines_can_be_left_out_and_each_is_listed(said, store, tmp_path):
    path = tmp_path / "v.qrels"
    path.write_bytes(text("q 0 p 1", "q 0 p", "q 0 r x", "r 0 p 0"))
    code, out, err = said("import", "verdicts", path, "--judge", "j", "--skip-bad")
    assert code == 0, err
    assert "left out: v.qrels, line 2: found 3 fields" in err
    assert "left out: v.qrels, line 3: grade x" in err
    with open_reader(store) as opened:
        assert sorted(stored(opened, "verdicts")) == [("q", "p", "YES"), ("r", "p", "NO")]
    assert "2 read" in out


def test_a_query_without_an_id_joins_by_its_text_and_nearly_joining_is_told(said, store, tmp_path):
    queries_file, golden_file = tmp_path / "q.jsonl", tmp_path / "g.json"
    queries_file.write_bytes(b'{"_id":"q1","text":"how?"}\n{"_id":"q2","text":"why?"}\n')
    assert said("import", "queries", queries_file)[0] == 0
    asked = [("how?", None), ("WHY?", None), ("when?", None), ("how, then?", "q2")]
    rows = [{"query": text, "query_id": name, "expected": ["p"]} for text, name in asked]
    golden_file.write_text(json.dumps(rows), encoding="utf-8")
    code, _, err = said("import", "golden", golden_file)
    assert code == 0, err
    assert "1 of 3 queries that only their text names join, 1 more would if case did not" in err
    assert "queries with another text than the imported one of their id: 1" in err
    verdicts_file = tmp_path / "v.csv"
    verdicts_file.write_bytes(b"query,docid,rating\nhow?,p,1\nwhere?,p,0\n")
    code, _, err = said("import", "verdicts", verdicts_file, "--judge", "j")
    assert "v.csv: column 'query' names the queries, by their text or an id" in err
    assert "1 of 2 queries that only their text names join; the others are kept under" in err
    assert "queries join" not in err  # which would say the same again
    with open_reader(store) as opened:
        brought = sorted(verdict.query_id for verdict in verdicts.current(opened))
    assert brought == ["q1", "where?"]
    code, out, _ = said("import", "verdicts", verdicts_file, "--judge", "j")
    assert "0 added" in out
    verdicts_file.write_bytes(b"query_id,passage_id,grade\nwhy?,p,1\n")
    code, _, err = said("import", "verdicts", verdicts_file, "--judge", "j")
    assert "query ids that are the texts of imported queries, which have other ids: 1" in err


def test_an_id_is_no_text_beside_rows_that_name_their_query_by_it(said, store, tmp_path):
    queries_file, path = tmp_path / "q.jsonl", tmp_path / "v.jsonl"
    queries_file.write_bytes(b'{"_id":"q1","text":"how?"}\n{"_id":"q2","text":"why?"}\n')
    assert said("import", "queries", queries_file)[0] == 0
    by_text, by_id = (
        b'{"query":"how?","docid":"p","grade":1}',
        b'{"qid":"why?","docid":"p","grade":1}',
    )
    path.write_bytes(by_text + b"\n" + by_id + b"\n" + by_text.replace(b"how?", b"q2") + b"\n")
    err = said("import", "verdicts", path, "--judge", "j")[2]
    assert "1 of 1 queries that only their text names join" in err
    assert "2 of 3 queries join" in err  # q1 and q2: the id why? is another's text
    with open_reader(store) as opened:
        brought = sorted(verdict.query_id for verdict in verdicts.current(opened))
    assert brought == ["q1", "q2", "why?"]


def test_a_text_that_two_queries_have_is_told_wherever_it_is_joined_by(said, tmp_path):
    queries_file, path = tmp_path / "q.jsonl", tmp_path / "x.jsonl"
    queries_file.write_bytes(b'{"_id":"q1","text":"how?"}\n{"_id":"q2","text":"how?"}\n')
    assert said("import", "queries", queries_file)[0] == 0
    told = "texts that several imported queries have, each joined to the first of them: 1 ('how?')"
    path.write_bytes(b'{"query":"how?","passage_id":"p","grade":1}\n')
    assert told in said("import", "labels", path, "--annotator", "a")[2]
    path.write_bytes(b'{"query":"how?","expected":["p"]}\n{"query_id":"q1","expected":["r"]}\n')
    err = said("import", "golden", path)[2]
    assert told in err
    assert "by their id and, elsewhere, by their text, which are one: 1 (q1)" in err
    rows = '{"query":"how?","answer":"so"}\n{"query":"HOW?","answer":"so"}\n'
    path.write_text(rows + '{"query_id":"q2","query":"who?","answer":"so"}\n', encoding="utf-8")
    err = said("answers", "import", path, "--system", "s")[2]
    assert told in err
    assert "1 of 2 queries that only their text names join, 1 more would if case did not" in err
    assert "queries with another text than the imported one of their id: 1" in err


def test_a_time_without_a_zone_is_of_utc_for_labels_as_for_verdicts(said, store, tmp_path):
    path = tmp_path / "l.csv"
    path.write_bytes(grid("q,p,YES,2026-03-01T09:00:00", header=f"{GRADED},labelled_at"))
    assert said("import", "labels", path, "--annotator", "a")[0] == 0
    with open_reader(store) as opened:
        (label,) = labels.current(opened)
    assert label.labelled_at == datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_a_spreadsheet_would_run_goes_out_safe_and_comes_back_as_it_was(
    said, store, tmp_path, form
):
    ids = ["=1+1", "+1", "-1", "@x", "'=1", "\t=1", "a=1"]
    path = tmp_path / "in.jsonl"
    lines = [{"query_id": one, "passage_id": "p", "grade": "YES", "note": one} for one in ids]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert said("import", "labels", path, "--annotator", "a")[0] == 0
    there = tmp_path / f"out.{form}"
    assert said("export", "labels", "--to", there)[0] == 0
    if form == "csv":
        cells = [line.split(",")[0] for line in there.read_text(encoding="utf-8").splitlines()[1:]]
        assert not any(cell.strip('"').startswith(("=", "+", "-", "@", "\t")) for cell in cells)
    again = tmp_path / "again.duckdb"
    assert run(["--db", str(again), "import", "labels", str(there), "--annotator", "a"]) == 0
    with open_reader(again) as opened:
        assert sorted(found.query_id for found in labels.current(opened)) == sorted(ids)
        assert sorted(found.note for found in labels.current(opened)) == sorted(ids)
