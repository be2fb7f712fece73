"""Whatever is handed to the program: an exit code of the contract, one clear error, no traceback,
nothing on standard output."""

from __future__ import annotations

import socket
import zipfile
from pathlib import Path

import pytest

from labeler.cli.main import run

IMPORTS = {
    "corpus": (),
    "queries": (),
    "run": ("--system", "s"),
    "verdicts": ("--judge", "j"),
    "labels": ("--annotator", "a"),
    "golden": (),
}
FILES = {
    "empty.csv": b"",
    "blank.jsonl": b"\n\n  \n",
    "binary.csv": bytes(range(256)) * 20,
    "columns.csv": b"a,b\n1,2\n",
    "short.trec": b"q1 0\n",
    "nul.qrels": b"q1\t0\tp\0\t1\n",
    "broken.json": b'[{"query_id": "q"',
    "array.jsonl": b"[1, 2, 3]\n",
    "text.jsonl": b'"just a text"\n',
    "nested.jsonl": b'{"query_id": {"a": 1}, "passage_id": [], "_id": {}, "text": 1}\n',
    "deep.json": b"[" * 20_000,
    "latin.csv": "query_id,passage_id,grade,text\nq\xe9,p,YES,t\xe9\n".encode("latin-1"),
    "table.parquet": b"PAR1\x15\x04" + bytes(50),
}


def refused(said, *codes: int) -> None:
    """One error on standard error and nothing on standard output."""
    assert said.code in (codes or (1,))
    assert said.out == ""
    assert said.err.count("Error: ") == 1
    assert "Traceback" not in said.err
    assert said.err.isprintable() or said.err.replace("\n", "").isprintable()


@pytest.mark.parametrize("kind", IMPORTS)
def test_a_file_that_is_none_of_its_kind_is_refused_by_name(labeler, tmp_path, kind):
    for name, content in FILES.items():
        path = tmp_path / name
        path.write_bytes(content)
        said = labeler("import", kind, path, *IMPORTS[kind], "--json")
        refused(said)
        assert said.err.startswith(f"Error: {name}")
    assert labeler("doctor", "--json").json["findings"][-1]["said"].startswith("none")


@pytest.mark.parametrize("kind", IMPORTS)
def test_a_missing_file_a_folder_and_an_archive_are_named(labeler, tmp_path, kind):
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.csv", "query_id\n")
    for name, found in (
        ("missing.csv", "no such file"),
        ("folder", "a folder"),
        ("a.zip", "a zip archive"),
    ):
        said = labeler("import", kind, tmp_path / name, *IMPORTS[kind])
        refused(said)
        assert f"{name}: {found}" in said.err


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--grades", "bogus"), 2, "What grades mean: 'bogus' is not VALUE=YES"),
        (("--grades", ""), 2, "What grades mean: '' is not"),
        (("--grades", "1=YES,1=NO"), 2, "What grades mean: 1 is given two (--grades "),
        (("--grades", "7=YES"), 1, "l.csv, line 2: grade 1, expected one of 7 (--grades "),
        (("--columns", "bogus"), 2, "Columns: 'bogus' is not FIELD=COLUMN (--columns"),
        (("--columns", "note=grade,grade=grade"), 2, "'grade' is to be two fields"),
        (("--columns", "colour=grade"), 2, "has no field 'colour'"),
        (("--columns", "grade=colour"), 1, "l.csv, line 1: no column 'colour'"),
        (("--annotator", " "), 1, "annotator needs a name"),
        (("--annotator", "a\nb"), 1, "annotator needs a name"),
        (("--annotator", "x" * 201), 1, "annotator needs a name"),
    ],
)
def test_options_that_make_no_sense_are_told_in_words(labeler, table, options, code, says):
    labels = table("l.csv", [("q", "p", 1)])
    said = labeler("import", "labels", labels, "--annotator", "a", *options)
    refused(said, code)
    assert says in said.err


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one verdict of a judge, and a spot check of it."""
    folder = tmp_path_factory.mktemp("judged")
    file, db = folder / "v.csv", str(folder / "store.duckdb")
    file.write_text("query_id,passage_id,grade\nq,p,YES\n")
    assert run(["--db", db, "import", "verdicts", str(file), "--judge", "j"]) == 0
    assert run(["--db", db, "spotcheck", "draw", "first"]) == 0
    return Path(db)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("agreement", "--judge", "nobody"), 1, "There are no verdicts of nobody; known: j"),
        (("gate", "--rubric", "r@9"), 1, "There are no verdicts of r@9; known: j"),
        (("disagreements", "--spotcheck", "x"), 1, "There is no spot check 'x'; known: first"),
        (("agreement", "--threshold", "0"), 2, "not in the range"),
        (("agreement", "--threshold", "nan"), 2, "is no number"),
        (("agreement", "--threshold", "1e-320"), 2, "not in the range"),
        (("gate", "--threshold", "ten"), 2, "not a valid float"),
        (("judge", "--max-cost", "nan", "--dry-run"), 2, "is no number"),
        (("evaluate", "--run", "s", "--max-drop", "nan"), 2, "is no number"),
        (("agreement", "--by", "colour"), 2, "'colour' is not one of"),
        (("spotcheck", "draw", "first"), 1, "There is a spot check 'first' already"),
        (("spotcheck", "draw", " "), 1, "A spot check's name"),
        (("spotcheck", "draw", "x", "--n", "0"), 2, "0 is not in the range"),
        (("spotcheck", "draw", "x", "--seed", str(2**63)), 2, "is not in the range"),
        (("spotcheck", "draw", "x", "--overlap", "0"), 2, "0 is not in the range"),
        (("spotcheck", "draw", "x", "--per-verdict", str(2**63)), 2, "is not in the range"),
        (("spotcheck", "again", "first", "--seed", "-1"), 2, "is not in the range"),
        (("generate", "--seed", "-1", "--dry-run"), 2, "is not in the range"),
        (("spotcheck", "next", "x", "--run", "s", "--target", "nan"), 2, "is no number"),
        (("spotcheck", "next", "x", "--run", "s", "--target", "2"), 2, "is not in the range"),
        (("spotcheck", "next", "x", "--run", "s", "--measure", f"R@{10**20}"), 2, "k from 1 to"),
        (("evaluate", "--run", "s", "--fail-under", "R@10001=1"), 2, "is no measure"),
        (("evaluate", "--run", "s", "--fail-under", "R@5"), 2, "sets no floor"),
        (("evaluate", "--run", "s", "--note", "wider"), 2, "--note is for a program's run"),
        (("evaluate", "--run", "s", "--top-n", "5"), 2, "--top-n is for a program's run"),
        (("judge", "--resume", "--limit", "5"), 2, "leave --limit out"),
        (("spotcheck", "draw", "x", "--judge", "nobody"), 1, "There are no verdicts of nobody"),
        (("pool",), 1, "There is no run to pool"),
        (("pool", "--depth", "0"), 2, "0 is not in the range"),
        (("export", "golden", "--to", "x.csv"), 2, "Which golden set?"),
        (("export", "golden", "--golden", "g", "--to", "x.csv"), 1, "no golden set 'g'"),
        (("export", "run", "--to", "x.csv"), 2, "Whose run?"),
        (("export", "labels", "--run", "s", "--to", "x.csv"), 2, "--run is for run and report"),
        (("export", "pairs", "--judge", "j", "--to", "x.csv"), 2, "--judge is for report, not"),
        (("export", "run", "--run", "s", "--to", "x.csv"), 1, "There is no run of 's'"),
        (("export", "labels", "--format", "trec", "--to", "x"), 2, "writes csv or jsonl, not"),
        (("export", "report", "--format", "csv", "--to", "x"), 2, "json or html or md, not csv"),
        (("export", "report", "--to", "x.pdf"), 2, "expected .json or .html or .md (--format"),
        (("export", "verdicts", "--history", "--to", "x.csv"), 2, "Every event is exported"),
        (("export", "everything", "--to", "x.csv"), 2, "'everything' is not one of"),
        (("export", "labels"), 2, "Missing option '--to'"),
        (("backup", "no/such/folder/x"), 1, "There is no folder"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(labeler, judged, arguments, code, says):
    said = labeler(*arguments, db=judged)
    refused(said, code)
    assert says in " ".join(said.err.split())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("folder", "is a folder, not a store"),
        ("notes.txt", "notes.txt is not a labeler store"),
        ("labels.csv", "labels.csv is not a labeler store"),
        ("empty.duckdb", "is an empty file, not a store"),
        ("no/such/x.duckdb", "There is no"),
        ("notes.txt/x.duckdb", "There is no"),
    ],
)
@pytest.mark.parametrize("command", ["agreement", "import"])
def test_a_store_that_is_none_is_told_in_words(labeler, table, tmp_path, name, says, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("notes\n" * 2000)
    (tmp_path / "empty.duckdb").touch()
    labels = table("labels.csv", [("q", "p", "YES")])
    before = labels.read_bytes()
    arguments = ("import", "labels", labels, "--annotator", "a")
    said = labeler(*(arguments if command == "import" else ["agreement"]), db=tmp_path / name)
    refused(said)
    assert says in said.err
    assert labels.read_bytes() == before


def test_a_damaged_store_is_told_in_words(labeler, tmp_path):
    assert labeler("demo", "--no-app", "--dir", tmp_path).code == 0
    whole = (tmp_path / "labeler.duckdb").read_bytes()
    for name, kept in (("half", len(whole) // 2), ("head", 20_000), ("start", 100)):
        damaged = tmp_path / f"{name}.duckdb"
        damaged.write_bytes(whole[:kept])
        for command in (("agreement",), ("export", "pairs", "--to", tmp_path / "x.csv")):
            said = labeler(*command, db=damaged)
            refused(said)
            assert f"{name}.duckdb" in said.err
        said = labeler("doctor", db=damaged)
        assert said.code == 4
        assert f"damaged  store: {name}.duckdb" in said.out
        assert labeler("golden", "verify", db=damaged).code == 4
        assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize(
    "what", ["labels", "verdicts", "pairs", "corpus", "queries", "qrels", "report"]
)
def test_a_file_that_cannot_be_written_is_named(labeler, table, tmp_path, what):
    labeler("import", "verdicts", table("v.csv", [("q", "p", "YES")]), "--judge", "j")
    for to in (tmp_path / "no" / "x", tmp_path, tmp_path / "v.csv" / "x"):
        said = labeler("export", what, "--to", to)
        refused(said)
        assert f"{to} cannot be written" in said.err


def test_an_export_never_overwrites_the_store(labeler, table, tmp_path):
    labeler("import", "labels", table("l.csv", [("q", "p", "YES")]), "--annotator", "a")
    for command in (("export", "labels", "--to"), ("backup",)):
        refused(labeler(*command, tmp_path / "store.duckdb"))
    assert labeler("export", "labels", "--to", tmp_path / "x.csv").err.startswith("1 row")


def test_an_app_that_cannot_listen_says_so_before_it_starts(labeler):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = labeler("app", "--port", port)
        refused(said)
        assert f"cannot listen on 127.0.0.1, port {port}: " in said.err
    said = labeler("app", "--address", "nowhere.invalid")
    refused(said)
    assert "cannot listen on nowhere.invalid" in said.err


def test_a_demo_folder_that_is_a_file_is_named(labeler, table):
    refused(labeler("demo", "--no-app", "--dir", table("l.csv", [])))
