"""The written report: its numbers are the JSON's, hostile text is shown as it is, and the file asks
for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from labeler.errors import LabelerError
from labeler.model import (
    Answer,
    Given,
    GoldenEntry,
    Grade,
    Judgment,
    Passage,
    Query,
    RunRow,
    Status,
    Verdict,
)
from labeler.reports import (
    agreement,
    answers_json,
    corrected,
    dossier,
    dossier_html,
    dossier_markdown,
    near_misses,
    retrieval,
    variants,
)
from labeler.reports import answers as reports
from labeler.reports.dossier import Dossier
from labeler.stats.explanation import percent
from labeler.store import answers, corpora, goldens, labels, queries, runs, verdicts
from labeler.store.answers import Brought
from labeler.store.db import Store, open_store

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script> ![x](https://tracker.invalid/p.png) [y](javascript:z) `a` | **b** "
    "_c_ $d$ &amp; www.tracker.invalid ~~e~~ <!-- -->"
)
RAW = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def fill(store: Store) -> None:
    """Twelve queries with one to three relevant passages, two runs, a judge that errs on some
    pairs, and people who have labelled half of them."""
    corpora.record(store, [Passage(f"p{i}", f"Text {i}.") for i in range(60)], name="handbook")
    asked = [Query(f"q{i}", f"Question {i}?", "exact" if i % 2 else "") for i in range(12)]
    asked[0] = Query("q0", HOSTILE, "paraphrase")
    queries.record(store, [*asked, Query("none", "Nothing answers this?", "unanswerable")])
    truth = {(f"q{i}", f"p{5 * i + j}"): Grade.YES for i in range(12) for j in range(1 + i % 3)}
    entries = [GoldenEntry(q, p, grade) for (q, p), grade in truth.items()]
    goldens.record(store, "g", [*entries, GoldenEntry("none", "", None)], origin="hand", person="")
    for system, shift in (("bm25", 0), (HOSTILE, 2)):
        rows = [
            RunRow(f"q{i}", f"p{(5 * i + (j * 3 + shift * (i % 4)) % 7) % 60}", j + 1, 9.0 - j)
            for i in range(12)
            for j in range(7)
        ]
        runs.record(store, [*rows, RunRow("none", "p1", 1, 9.0)], system=system, note=HOSTILE)
    runs.pool(store)
    pairs = [(f"q{i}", f"p{(5 * i + j) % 60}") for i in range(12) for j in range(7)]
    found = []
    for at, (q, p) in enumerate(pairs):
        said = truth.get((q, p), Grade.NO)
        grade = Grade.YES if at % 9 == 4 else Grade.NO if at % 13 == 5 else said
        found.append(Verdict(q, p, "j", grade, Status.OK, "r@1", "m", HOSTILE))
    verdicts.record(store, found)
    truth["q1", "p9"] = Grade.YES  # which the golden set does not know
    own = [Judgment(q, p, truth.get((q, p), Grade.NO)) for q, p in pairs[:70]]
    labels.bring(store, own, annotator="ana")
    answer(store)


def answer(store: Store) -> None:
    """An answer to each of the twelve in production, two of three right as the judge has it, and
    with the right passages in hand, all but one right; people have graded four of the former."""
    said = []
    for context, wrong in (("production", range(0, 12, 3)), ("selected", [5])):
        for i in range(12):
            given = Answer(f"q{i}", "bot", context, f"{HOSTILE} {i}", (Given(f"p{5 * i}", ""),))
            said.append((given, Grade.NO if i in wrong else Grade.YES))
    answers.record(store, [Brought(given) for given, _ in said])
    rubric = "correctness@1"
    found = [Verdict(a.query_id, a.answer_id, "j", g, Status.OK, rubric, "m") for a, g in said]
    verdicts.keep(store, found)
    own = [Judgment(a.query_id, a.answer_id, grade) for a, grade in said[:4]]
    labels.bring(store, own, annotator="ana")


class Made(NamedTuple):
    """A dossier, and what the commands' JSON says of the same store."""

    found: Dossier
    agreement: dict
    runs: list[dict]
    corrected: dict
    variants: dict
    near_misses: dict
    answers: dict


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    path = tmp_path_factory.mktemp("dossier") / "labels.duckdb"
    with open_store(path, clock=lambda: AT) as store:
        fill(store)
        names = ["bm25", HOSTILE]
        yield Made(
            dossier.build(store, names),
            agreement.as_json(agreement.build(store, agreement.choose(store))),
            [retrieval.as_json(retrieval.build(store, name)) for name in names],
            corrected.as_json(corrected.build(store, names)),
            variants.as_json(variants.build(store, names)),
            near_misses.as_json(
                near_misses.build(store, "g", systems=names, judged=near_misses.chosen(store))
            ),
            answers_json.as_json(reports.build(store, judged=reports.choose(store))),
        )


class Reader(HTMLParser):
    """What an HTML file holds: its tables, its tags with their attributes, and all its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self._cell = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        self._cell = tag in ("td", "th") or (self._cell and tag in ("bdi", "b", "span"))
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        self._cell = self._cell and tag not in ("td", "th")

    def handle_data(self, data):
        self.text += data
        if self._cell:
            self.tables[-1][-1][-1] += data

    def table(self, *header: str) -> dict[str, list[str]]:
        """The rows of the first table whose header begins so, by their first cell."""
        found = next(t for t in self.tables if t[0][: len(header)] == list(header))
        return {row[0]: row[1:] for row in found[1:]}


@pytest.fixture(params=["html", "md"])
def shown(request: pytest.FixtureRequest, made: Made) -> Reader:
    """The report as its reader sees it, in either form."""
    if request.param == "html":
        return Reader(dossier_html.html(made.found))
    return Reader(RAW.render(dossier_markdown.markdown(made.found)))


def says(cell: str, value: float | None, ends: list[float] | None, *, sign: str = "") -> bool:
    """Whether a cell holds a number of the JSON with its interval, both rounded to three digits."""
    if value is None:
        return cell.startswith("\N{EM DASH} (")
    if ends is None:
        return cell.split(" ")[0] == f"{value:{sign}.3f}"
    return cell == f"{value:{sign}.3f} ({ends[0]:{sign}.3f} to {ends[1]:{sign}.3f})"


def test_the_measures_of_every_run_are_those_of_evaluate(made, shown):
    table = shown.table("measure", "bm25", HOSTILE, "bm25 baseline")
    for name, cells in table.items():
        for cell, of in zip(cells, (*made.runs, made.runs[0]["baseline"]), strict=True):
            assert says(cell, of["measures"][name], of["intervals"][name])
    assert set(table) == set(made.runs[0]["measures"])


def test_the_judges_numbers_are_those_of_agreement(made, shown):
    table, said = shown.table("number"), made.agreement
    lo, hi = map(percent, said["disagreement_interval"])
    assert table["Disagreement"] == [
        f"{percent(said['disagreement'])} ({lo} to {hi}), {said['disagreements']} of {said['n']}"
    ]
    lo, hi = said["kappa_interval"]
    assert table["Kappa"] == [f"{said['kappa']:.2f} ({lo:.2f} to {hi:.2f})"]
    matrix = next(t for t in shown.tables if t[0][1:] == said["confusion"]["labels"])
    assert [[int(cell) for cell in row[1:]] for row in matrix[1:]] == said["confusion"]["matrix"]
    assert said["sentence"] in shown.text
    assert all(reason in shown.text for reason in said["reasons"])


def test_the_corrected_numbers_are_those_of_the_corrected_report(made, shown):
    header = ["measure", "judge only", "people only", "corrected"]
    tables = [t for t in shown.tables if t[0][:4] == header]
    parts = [*made.corrected["runs"], *made.corrected["differences"]]
    assert len(tables) == len(parts) == 3
    for table, part in zip(tables, parts, strict=True):
        sign = "+" if "first" in part else ""
        for name, *cells in table[1:]:
            of = part["measures"][name]
            for cell, way in zip(cells, ("judge_only", "people_only", "corrected"), strict=False):
                assert says(cell, of[way], of[f"{way}_interval"], sign=sign)
            assert cells[3] == of["quote"]
        assert f"{part['measures']['R@5']['statement']}." in shown.text


def test_the_differences_are_those_of_compare(made, shown):
    rows = next(t for t in shown.tables if t[0][:4] == ["measure", "from", "to", "difference"])[1:]
    for row, of in zip(rows, made.variants["differences"], strict=True):
        assert row[:3] == [of["measure"], of["first"], of["second"]]
        assert says(row[3], of["difference"], of["difference_interval"], sign="+")
        assert (row[4], row[6]) == (f"{of['p']:.4f}", f"{of['wins']}/{of['ties']}/{of['losses']}")


def test_the_near_misses_are_those_of_the_command(made, shown):
    rows = next(t for t in shown.tables if t[0][:3] == ["run", "measure", "as frozen"])[1:]
    measured = {of["run"]: of for of in made.near_misses["measured"]}
    for system, name, *cells in rows:
        for cell, column in zip(cells, ("frozen", "labelled", "believed"), strict=True):
            of = measured[system][column]
            assert says(cell, of["measures"][name], of["intervals"][name])
    many = len(made.near_misses["by_people"]), len(made.near_misses["by_judge"])
    assert min(many) > 0
    assert f"{many[0]} that people have labelled and {many[1]} that the judge" in shown.text


def test_the_answers_are_those_of_the_report_on_answers(made, shown):
    rows = next(t for t in shown.tables if t[0][:3] == ["system", "context", "answers"])[1:]
    for row, of in zip(rows, made.answers["systems"], strict=True):
        strict = of["correctness"]["strict"]
        assert row[:3] == [of["system"], of["context"], str(of["answers"])]
        for cell, way in zip(row[3:6], ("judge_only", "people_only", "corrected"), strict=True):
            assert cell.split(" (")[0] == percent_or_dash(strict[way]["value"])
    fates = shown.table("what became of it", "bot", "bot, selected")
    for at, of in enumerate(made.answers["systems"]):
        known = {fate: many for fate, many in of["fates"].items() if many}
        assert {fate: int(row[at]) for fate, row in fates.items() if row[at] != "0"} == known
    assert made.answers["judge"]["sentence"] in shown.text
    assert made.answers["compared"][0]["sentence"] in shown.text
    listed = next(t for t in shown.tables if t[0][2:4] == ["system", "answer"])[1:]
    wrong = [one for of in made.answers["systems"] for one in of["wrong"]]
    assert [(row[0], row[3]) for row in listed] == [(o["query_id"], o["answer"]) for o in wrong]
    # Two of three in production and eleven of twelve with the right passages, by the judge.
    assert [row[3].split(" (")[0] for row in rows] == ["66.7%", "91.7%"]


def percent_or_dash(value: float | None) -> str:
    return "\N{EM DASH}" if value is None else percent(value)


def test_what_was_measured_is_named_by_version_and_hash(made, shown):
    rows = shown.table("what", "is")
    versions = next(t for t in shown.tables if ["made", "2026-03-01 09:30 UTC"] in t)
    facts = {row[0]: row[1] for row in versions[1:]}
    assert facts["golden set"] == made.runs[0]["golden"] == "g@1"
    assert made.runs[0]["golden_hash"] in shown.text
    assert all(of["run_hash"] in shown.text for of in made.runs)
    assert (facts["judge"], facts["rubric"], facts["model"]) == ("j", "r@1", "m")
    assert facts["corpora"] == "handbook@1"
    assert rows["tuned and confirmed"] == ["not tuned"]
    assert shown.table("what is drawn")["intervals of measures, over needs"] == ["2,000", "0"]


def test_missed_and_unanswerable_queries_are_listed(made, shown):
    missed = shown.table("query", "text", "kind", "cluster", "missed by")
    for of in made.runs:
        for query in of["missed_queries"]:
            assert of["run"] in missed[query["query_id"]][-1]
    assert missed or not any(of["missed_queries"] for of in made.runs)
    none = shown.table("query", "text", "why")["none"]
    assert none == ["Nothing answers this?", "nothing is labelled relevant"] + ["1 came back"] * 2


def test_hostile_text_is_shown_exactly_as_it_is(made, shown):
    assert HOSTILE in shown.text
    assert shown.tags.isdisjoint({"script", "img", "iframe"})
    links = [value for name, value in shown.attributes if name in ("href", "src")]
    assert all(re.fullmatch(r"#part-\d", link) for link in links)
    assert not any(name.startswith("on") for name, _ in shown.attributes)


def test_the_html_file_allows_itself_nothing_but_its_own_style(made):
    page = dossier_html.html(made.found)
    read = Reader(page)
    assert ("content", dossier_html.POLICY) in read.attributes
    assert "default-src 'none'" in dossier_html.POLICY
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert {"prefers-color-scheme: dark", "@media print"} <= set(
        re.findall(r"prefers-color-scheme: dark|@media print", style)
    )
    assert page == dossier_html.html(made.found)


@given(st.text())
def test_any_text_comes_through_html(said):
    shown = unescape(dossier_html.text(said))
    kept = [c for c in said if not dossier_html._NOT_SHOWN.match(c)]
    assert [c for c in kept if c not in shown] == []
    if len(kept) == len(said):
        assert shown == said
    dossier_html.text(said).encode()  # no lone surrogate is left


PIECES = st.lists(
    st.sampled_from(["[x](y)", "![", "](", "<b>", "&lt;", "`", "``", "*a*", "__", "|", "\\", "1.",
                     "- ", "# ", "> ", "://", "www.", "a@b.cc", "~~", "$", "[1, 2]", "[1]:", " "])
    | st.characters(categories=("L", "N", "P", "S"))
).map("".join)  # fmt: skip


@given(PIECES)
def test_any_text_comes_through_markdown(said):
    plain = " ".join(said.split(" ")).strip(" ")
    plain = re.sub(" +", " ", plain)
    for line in (dossier_markdown.text(said), f"- {dossier_markdown.text(said)}"):
        read = Reader(RAW.render(f"{line}\n"))
        assert read.text.strip("\n").strip() == plain.strip()
        assert read.tags <= {"p", "ul", "li"}
    cell = Reader(RAW.render(f"| a | b |\n|---|---|\n| {dossier_markdown.text(said)} | c |\n"))
    assert [re.sub(" +", " ", c).strip() for c in cell.tables[0][1]] == [plain.strip(), "c"]


def test_text_that_cannot_be_seen_is_shown_by_its_code_in_markdown():
    assert dossier_markdown.text("a\x00b\u202ec\nd") == r"a\\x00b\\u202ec d"
    assert dossier_html.text("a\x00\x1b\ud800") == "a\u2400\u241b\\ud800"


def test_parts_that_cannot_be_say_why(tmp_path):
    with open_store(tmp_path / "a.duckdb") as store:
        with pytest.raises(LabelerError, match="There is nothing to report: no run is imported"):
            dossier.build(store)
        runs.record(store, [RunRow("q", "p", 1)], system="s")
        goldens.record(store, "g", [GoldenEntry("q", "p", Grade.YES)], origin="hand", person="")
        page = Reader(dossier_html.html(dossier.build(store))).text
        assert "Answers, end to end" not in page
        assert "Not known: There are no verdicts of any judge; known: none." in page
        assert "Not compared: one run alone has nothing to be compared with." in page
        with pytest.raises(LabelerError, match="There is no run of 'x'; known: s"):
            dossier.build(store, ["x"])
    with open_store(tmp_path / "b.duckdb") as store:
        verdicts.record(store, [Verdict("q", "p", "j", Grade.YES, Status.OK)])
        found = dossier.build(store)
        assert found.basis is None
        page = Reader(dossier_html.html(found)).text
        assert "Report on a judge" in page
        assert "Not measured: no run is imported, so that nothing is measured." in page
        assert "Report on a judge" in dossier_markdown.markdown(found)
        assert "Not compared: nothing is measured." in page
    with open_store(tmp_path / "c.duckdb") as store:
        answer(store)
        page = Reader(dossier_html.html(dossier.build(store))).text
        assert "Report on answers" in page
        with pytest.raises(LabelerError, match="no golden set 'x'"):
            dossier.build(store, golden="x")
        assert "bot: 66.7%" in page


def test_without_a_name_the_newest_runs_are_reported(tmp_path):
    with open_store(tmp_path / "a.duckdb") as store:
        goldens.record(store, "g", [GoldenEntry("q", "p", Grade.YES)], origin="hand", person="")
        for at in range(dossier.MOST + 2):
            runs.record(store, [RunRow("q", "p", 1 + at)], system=f"s{at}")
        found = dossier.build(store)
        assert [report.ranked.system for report in found.runs] == [f"s{at}" for at in range(2, 8)]
        assert found.left_out == 2
        assert "2 older ones" in Reader(dossier_html.html(found)).text
