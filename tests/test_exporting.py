"""From the store to files and back: what is written is what was stored."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from labeler import exporting, importing
from labeler.cli import exports
from labeler.errors import LabelerError, UsageError
from labeler.exporting import Choice
from labeler.formats import GAINS, read_judgments, write_table
from labeler.importing import Options
from labeler.model import GoldenEntry, Grade, Judgment, Passage, Query, RunRow, Status, Verdict
from labeler.reports import agreement, dossier, dossier_html, dossier_markdown
from labeler.store import (
    adjudications,
    comparison,
    corpora,
    goldens,
    labels,
    queries,
    runs,
    verdicts,
)
from labeler.store.db import Store, open_store

AWKWARD = '=1+1, "quoted"\r\nnext\tline \'é\u202e'
AT = datetime(2026, 3, 1, 9, 30, 15, 250_000, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with something of everything, awkward where it can be."""
    with open_store(tmp_path / "store.duckdb", clock=lambda: AT) as opened:
        corpora.record(
            opened,
            [
                Passage(
                    "p#1", AWKWARD, "Title", "https://a.example/x", "3", "hr", "2026-01-01", ""
                ),
                Passage("001", "'=not a formula", effective_to="2026-02-01"),
            ],
            name="c",
        )
        queries.record(
            opened,
            [
                Query("q,1", AWKWARD, "exact", "n1", "log", "hr", "2026-01-01", "test", "a note"),
                Query("q2", "plain"),
            ],
        )
        rows = [
            RunRow("q,1", "p#1", 1, 2.5),
            RunRow("q,1", "001", 2, 2.5),
            RunRow("q2", "x", 1, -1.0),
        ]
        runs.record(opened, rows, system="s")
        labels.bring(
            opened,
            [
                Judgment("q,1", "p#1", Grade.YES, note=AWKWARD, at=AT.isoformat(), blind=True),
                Judgment("q,1", "001", Grade.PART, person="ben", blind=False, spotcheck="first"),
                Judgment("q2", "x", None, person="ben", note="?"),
                Judgment("q2", "y", None, state="later"),
                Judgment("q2", "z", Grade.NO),
            ],
            annotator="anna",
        )
        verdicts.record(
            opened,
            [
                Verdict("q,1", "p#1", "j", Grade.NO, Status.OK, "r@1", "m", AWKWARD, cost=0.001),
                Verdict("q,1", "p#1", "j", Grade.YES, Status.OK, "r@2", "m", judged_at=AT),
                Verdict("q,1", "p#1", "k", Grade.PART, Status.OK),
                Verdict("q2", "x", "k", None, Status.UNREADABLE),
            ],
        )
        entries = [
            GoldenEntry("q,1", "p#1", Grade.YES, AWKWARD, "exact"),
            GoldenEntry("q,1", "001", Grade.PART, AWKWARD, "exact"),
            GoldenEntry("q2", "", None, "plain"),
        ]
        goldens.record(opened, "g", entries, origin="hand", person="")
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """An empty store to import into."""
    with open_store(tmp_path / "other.duckdb", clock=lambda: AT) as opened:
        yield opened


def written(store: Store, what: str, *, to: Path, form: str) -> Path:
    named = {"run": {"system": "s"}, "golden": {"golden": "g@1"}}.get(what, {})
    path = to / f"{what}.{exporting.suffix(what, form)}"
    exporting.export(store, what, to=path, choice=Choice(form=form, **named))
    return path


@pytest.mark.parametrize("form", exporting.FORMS["corpus"])
def test_a_corpus_comes_back_as_it_was(store, other, tmp_path, form):
    path = written(store, "corpus", to=tmp_path, form=form)
    assert importing.corpus(other, [path], name="c", options=Options()).added == 2
    assert list(corpora.every_passage(other)) == list(corpora.every_passage(store))


@pytest.mark.parametrize("form", exporting.FORMS["queries"])
def test_queries_come_back_as_they_were(store, other, tmp_path, form):
    path = written(store, "queries", to=tmp_path, form=form)
    importing.query_set(other, [path], options=Options())
    assert queries.current(other) == queries.current(store)


@pytest.mark.parametrize("form", exporting.FORMS["run"])
def test_a_run_comes_back_as_it_was(store, other, tmp_path, form):
    path = written(store, "run", to=tmp_path, form=form)
    importing.run(other, path, system="s", options=Options())
    assert runs.rankings(other, "s") == runs.rankings(store, "s")


@pytest.mark.parametrize("form", exporting.FORMS["labels"])
def test_labels_of_several_people_come_back_as_they_were(store, other, tmp_path, form):
    path = written(store, "labels", to=tmp_path, form=form)
    importing.label_file(other, path, annotator="whoever", options=Options())
    assert list(labels.current(other)) == list(labels.current(store))
    assert {label.annotator for label in labels.current(other)} == {"anna", "ben"}


@pytest.mark.parametrize("form", exporting.FORMS["verdicts"])
def test_verdicts_of_several_judges_come_back_as_they_were(store, other, tmp_path, form):
    path = written(store, "verdicts", to=tmp_path, form=form)
    importing.verdict_file(other, path, judge="whichever", options=Options())
    assert list(verdicts.current(other)) == list(verdicts.current(store))
    assert {verdict.judge for verdict in verdicts.current(other)} == {"j", "k"}


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_golden_set_comes_back_as_it_was(store, other, tmp_path, form):
    path = written(store, "golden", to=tmp_path, form=form)
    importing.golden(other, path, name="g", options=Options())
    assert goldens.named(other, "g").entries == goldens.named(store, "g").entries


@pytest.mark.parametrize("form", ["trec", "beir"])
def test_a_golden_set_as_qrels_keeps_what_is_expected(store, other, tmp_path, form):
    path = written(store, "golden", to=tmp_path, form=form)
    importing.golden(other, path, name="g", options=Options(grades=GAINS))
    assert {(e.query_id, e.passage_id, e.grade) for e in goldens.named(other, "g").entries} == {
        ("q,1", "p#1", "YES"),
        ("q,1", "001", "PART"),
    }


@pytest.mark.parametrize("form", exporting.FORMS["qrels"])
def test_qrels_hold_what_people_say_blind(store, other, tmp_path, form):
    """The label of ("q,1", "001") was not blind, so that it does not count."""
    path = written(store, "qrels", to=tmp_path, form=form)
    importing.label_file(other, path, annotator="a", options=Options(grades=GAINS))
    assert list(comparison.settled(other)) == list(comparison.settled(store))
    assert [(p.query_id, p.passage_id, p.grade) for p in comparison.settled(other)] == [
        ("q,1", "p#1", "YES"),
        ("q2", "z", "NO"),
    ]


def test_qrels_expect_nothing_that_the_caller_may_not_see(store, tmp_path):
    corpora.record(store, [Passage("secret", "x", scope="board")], name="d")
    labels.bring(store, [Judgment("q2", "secret", Grade.YES)], annotator="ana")
    labels.bring(store, [Judgment("q2", "p#1", Grade.NO)], annotator="ana")
    exporting.export(store, "qrels", to=tmp_path / "q.qrels", choice=Choice())
    written = (tmp_path / "q.qrels").read_text("utf-8").splitlines()
    assert [line for line in written if line.startswith("q2 ")] == ["q2 0 p#1 0", "q2 0 z 0"]


def test_what_a_format_has_no_place_for_is_said(store, tmp_path):
    entries = [GoldenEntry("q2", "x", Grade.YES, "plain"), GoldenEntry("q3", "", None, "nothing")]
    goldens.record(store, "of two", entries, origin="test", person="ann")
    runs.record(store, [RunRow("q2", "x", 1), RunRow("q2", "y", 2, 0.5)], system="half")
    said: list[str] = []
    for what, form in (("golden", "beir"), ("golden", "jsonl"), ("run", "trec"), ("run", "csv")):
        choice = Choice(form=form, system="half", golden="of two", remark=said.append)
        exporting.export(store, what, to=tmp_path / f"{what}.{form}", choice=choice)
    assert said == [
        "qrels have no place for texts and kinds, nor for what expects nothing: 1 entry",
        "without a score, for which 1/rank stands: 1 row",
    ]


def test_a_golden_set_with_two_texts_of_a_query_is_no_array(store, tmp_path):
    for passage, text in (("x", "plain"), ("y", "plainly")):
        entry = GoldenEntry("q2", passage, Grade.YES, text)
        goldens.record(store, "grown", [entry], origin="test", person="ann")
    choice = Choice(form="json", golden="grown")
    with pytest.raises(LabelerError, match="two of what this form holds once, query of query 'q2'"):
        exporting.export(store, "golden", to=tmp_path / "g.json", choice=choice)
    assert not (tmp_path / "g.json").exists()


def test_qrels_of_a_golden_set(store, tmp_path):
    path = tmp_path / "g.qrels"
    assert exporting.export(store, "qrels", to=path, choice=Choice(golden="g")) == 2
    assert path.read_text() == "q,1 0 001 1\nq,1 0 p#1 2\n"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_columns_of_labels_are_those_of_the_contract(store, tmp_path):
    rows = rows_of(written(store, "labels", to=tmp_path, form="csv"))
    assert " ".join(rows[0]) == (
        "query_id passage_id annotator grade state labelled_at blind spotcheck note"
    )
    assert rows[0]["labelled_at"] == "2026-03-01T09:30:15.250000+00:00"
    assert [(r["annotator"], r["grade"], r["state"], r["blind"]) for r in rows] == [
        ("anna", "YES", "labelled", "true"),
        ("ben", "PART", "labelled", "false"),
        ("ben", "", "unsure", ""),
        ("anna", "", "later", ""),
        ("anna", "NO", "labelled", ""),
    ]


def test_the_columns_of_verdicts_are_those_of_the_contract(store, tmp_path):
    rows = rows_of(written(store, "verdicts", to=tmp_path, form="csv"))
    assert " ".join(rows[0]) == (
        "query_id passage_id judge rubric model grade status reason judged_at cost"
    )
    assert [(r["judge"], r["grade"], r["status"]) for r in rows] == [
        ("j", "NO", "ok"),
        ("j", "YES", "ok"),
        ("k", "PART", "ok"),
        ("k", "", "unreadable"),
    ]


def test_pairs_hold_the_texts_exactly_as_imported(store, tmp_path):
    path = written(store, "pairs", to=tmp_path, form="jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(rows[0])[:4] == ["query_id", "passage_id", "query", "passage"]
    first = next(row for row in rows if row["passage_id"] == "p#1")
    assert (first["query"], first["passage"]) == (AWKWARD, AWKWARD)
    assert first["labels"] == "anna=YES"
    assert first["verdicts"] == "j r@1 m=NO; j r@2 m=YES; k=PART"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_history_holds_every_event(store, tmp_path, form):
    again = [Judgment("q2", "z", Grade.YES, note="changed my mind")]
    labels.bring(store, again, annotator="anna")
    path = tmp_path / f"h.{form}"
    assert exporting.export(store, "labels", to=path, choice=Choice(history=True)) == 6
    if form == "csv":
        rows = rows_of(path)
    else:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert tuple(rows[0]) == labels.HISTORY
    assert [row["grade"] for row in rows if row["passage_id"] == "z"] == ["NO", "YES"]
    assert {row["labelled_at"] for row in rows} == {AT.isoformat()}
    assert rows[-1]["note"] == "changed my mind"


@pytest.mark.parametrize(
    "columns",
    [labels.HISTORY, adjudications.Adjudication._fields],
    ids=["history", "adjudications"],
)
def test_what_was_made_safe_for_a_spreadsheet_is_known_by_its_header(tmp_path, columns):
    path = tmp_path / "x.csv"
    cells = {"query_id": "=q", "passage_id": "'=p", "grade": "YES", "note": "=n", "reason": "=n"}
    row = [cells.get(name, "") for name in columns]
    assert write_table(path, columns, rows=[row], form="csv") == 1
    ((_, read),) = read_judgments(path)
    assert (read.query_id, read.passage_id, read.note or read.reason) == ("=q", "'=p", "=n")


def test_gains_that_would_be_read_otherwise_are_said(store, tmp_path):
    """1 alone, or with 0, is YES to a reader without a map. 2 is written where there is a YES."""
    said = []
    for grades in ([Grade.PART], [Grade.PART, Grade.NO], [Grade.PART, Grade.YES], [Grade.NO]):
        entries = [GoldenEntry("q", f"p{grade}", grade, query="q") for grade in grades]
        name = goldens.record(store, f"g{len(said)}", entries, origin="x", person="").ref
        for what in ("qrels", "golden"):
            told: list[str] = []
            choice = Choice(form="trec", golden=name, remark=told.append)
            exporting.export(store, what, to=tmp_path / "q.qrels", choice=choice)
            said.append(any("1 is PART, and no grade is YES" in one for one in told))
    assert said == [True, True, True, True, False, False, False, False]


def test_the_report_is_the_agreement_as_json(store, tmp_path):
    path = tmp_path / "report.json"
    selection = agreement.choose(store, judge="k")
    assert exporting.export(store, "report", to=path, choice=Choice(selection=selection)) == 1
    built = agreement.as_json(agreement.build(store, selection))
    assert json.loads(path.read_text()) == json.loads(json.dumps(built))


@pytest.mark.parametrize("form", ["html", "md"])
def test_the_whole_report_is_one_file_of_the_runs_that_were_named(store, tmp_path, form):
    path = tmp_path / f"report.{form}"
    choice = Choice(systems=("s",), golden="g", selection=agreement.choose(store, judge="k"))
    assert exporting.export(store, "report", to=path, choice=choice) == 1
    assert exporting.told("report", 1, to=path) == "a report on 1 run"
    text = path.read_text(encoding="utf-8")
    found = dossier.build(store, ["s"], golden="g", judged=choice.selection)
    write = dossier_html.html if form == "html" else dossier_markdown.markdown
    assert text == write(found)
    with pytest.raises(LabelerError, match="no run of 'x'"):
        exporting.export(store, "report", to=tmp_path / "x.html", choice=Choice(systems=("x",)))
    assert [each.name for each in tmp_path.glob("x*")] == []


@pytest.mark.parametrize("ending", ["pdf", "csv", "jsonl", "out"])
def test_an_extension_that_is_no_format_of_the_report_is_refused(store, tmp_path, ending):
    path = tmp_path / f"report.{ending}"
    known = f"report.{ending}: .{ending} is no format of export report, "
    with pytest.raises(UsageError, match=known + r"expected .json or .html or .md$"):
        exporting.export(store, "report", to=path, choice=Choice())
    assert not path.exists()


@pytest.mark.parametrize(
    ("what", "name", "begins"),
    [
        ("qrels", "human.qrels", "q,1 0 p#1 2"),
        ("qrels", "human.txt", "q,1 0 p#1 2"),
        ("qrels", "human", "q,1 0 p#1 2"),
        ("qrels", "human.tsv", "query-id\tcorpus-id"),
        ("corpus", "corpus.json", '{"'),
        ("labels", "labels", "query_id,"),
        ("corpus", "corpus.parquet", None),
    ],
)
def test_a_file_is_what_its_name_says_or_is_not_written(store, tmp_path, what, name, begins):
    path = tmp_path / name
    if begins is None:
        with pytest.raises(UsageError, match=f"is no format of export {what}"):
            exporting.export(store, what, to=path, choice=Choice())
        assert not path.exists()
    else:
        exporting.export(store, what, to=path, choice=Choice())
        assert path.read_text("utf-8").startswith(begins)


def test_the_json_report_is_of_the_judge_alone(store, tmp_path):
    with pytest.raises(UsageError, match="of the judge alone"):
        exporting.export(store, "report", to=tmp_path / "r.json", choice=Choice(systems=("s",)))


def test_the_format_is_asked_for_or_told_by_the_extension_or_the_usual_one(store, tmp_path):
    for name, form, begins in (
        ("a.csv", None, "query_id,"),
        ("a.jsonl", None, "{"),
        ("a.csv", "jsonl", "{"),
        ("a.out", None, "query_id,"),
    ):
        exporting.export(store, "labels", to=tmp_path / name, choice=Choice(form=form))
        assert (tmp_path / name).read_text().startswith(begins)


def test_an_extension_that_promises_another_format_is_refused(store, tmp_path):
    for what, name in (("corpus", "c.tsv"), ("report", "r.csv"), ("labels", "l.tsv")):
        with pytest.raises(UsageError, match=f"{name}: {name[1:]} is no format of export {what}"):
            exporting.export(store, what, to=tmp_path / name, choice=Choice())


def test_what_does_not_go_together_is_refused_and_the_file_stays_as_it_was(store, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("mine")
    for what, choice in (
        ("run", Choice()),
        ("golden", Choice()),
        ("labels", Choice(form="beir")),
        ("report", Choice(form="csv")),
        ("qrels", Choice(history=True)),
    ):
        with pytest.raises(UsageError):
            exporting.export(store, what, to=path, choice=choice)
    with pytest.raises(LabelerError, match="is the store itself"):
        exporting.export(store, "labels", to=store.path, choice=Choice())
    assert path.read_text() == "mine"


def test_a_run_whose_ids_trec_cannot_hold_is_refused_and_nothing_is_left(store, tmp_path):
    runs.record(store, [RunRow("q 1", "p", 1, 1.0)], system="spaced")
    with pytest.raises(LabelerError, match="export as csv, jsonl or beir instead"):
        exporting.export(store, "run", to=tmp_path / "x.trec", choice=Choice(system="spaced"))
    assert not (tmp_path / "x.trec").exists()


def test_the_command_offers_what_can_be_exported():
    assert tuple(exporting.WRITERS) == exports.WHAT == tuple(exporting.FORMS)
    offered = {form for forms in exporting.FORMS.values() for form in forms}
    assert offered == set(exports.FORMS)


def test_a_label_again_after_a_round_trip_adds_nothing(store, tmp_path):
    path = written(store, "labels", to=tmp_path, form="csv")
    assert importing.label_file(store, path, annotator="x", options=Options()).added == 0
    path = written(store, "verdicts", to=tmp_path, form="csv")
    assert importing.verdict_file(store, path, judge="x", options=Options()).added == 0
