"""The quick reading of judgments and passages answers as the careful one does, on any file."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import InputError
from labeler.formats import GradeMap, Reading, read_corpus, read_judgments
from labeler.formats.corpora import CORPUS_COLUMNS
from labeler.formats.grading import plain_judgments
from labeler.formats.judgments import LABEL_COLUMNS, VERDICT_COLUMNS
from labeler.formats.passages import plain_passages
from labeler.model import Grade, Judgment, Passage
from tests.formats.written import write_corpus, write_verdicts

MAP = GradeMap.parse("0=NO,1=PART,2=YES,3=YES")


def quick_and_careful(quick, careful, path, **options):
    """The rows and the notes of the quick reading, None where the file is not plain; and those of
    the careful one, or its problems."""
    reading, answers = Reading(), []
    table = quick(path, reading=reading, **options)
    if table is None:
        assert reading.notes == []
        answers.append(None)
    else:
        answers.append(([tuple(row.values()) for row in table.to_pylist()], reading.notes))
    reading = Reading()
    try:
        records = [record for _, record in careful(path, reading=reading, **options)]
        fields = [tuple(getattr(r, name) for name in r.__slots__) for r in records]
        answers.append((fields, reading.notes))
    except InputError as error:
        answers.append(error.problems)
    return answers


def assert_alike(quick, careful, path, **options):
    """That a file which is read quickly is read as with care."""
    quickly, carefully = quick_and_careful(quick, careful, path, **options)
    assert quickly is None or quickly == carefully


def written_in(folder, name, text, end="\n", marked=False, packed=False):
    path = folder.mktemp("f") / (name + ".gz" * packed)
    data = text.replace("\n", end).encode("utf-8-sig" if marked else "utf-8")
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


IDS = {
    "query_id": st.sampled_from(["q1", "q2", "q3"]),
    "passage_id": st.sampled_from([*"abcdefghij", "e\u0301"]),
}
CELLS = {
    **IDS,
    "grade": st.sampled_from(["YES", "no", "Part", "NO"]),
    "state": st.sampled_from(["", "ok", "Labelled"]),
    "person": st.sampled_from(["", "ann", "bob"]),
    "rubric": st.sampled_from(["", "r@1"]),
    "model": st.sampled_from(["", "m"]),
    "reason": st.sampled_from(["", "half of it", "it's so"]),
    "at": st.sampled_from(["", "2026-01-02T03:04:05Z", "2026-01-02"]),
    "blind": st.sampled_from(["", "true", "False"]),
    "cost": st.sampled_from(["", "0.25", "1e-3"]),
    "spotcheck": st.sampled_from(["", "s"]),
    "note": st.sampled_from(["", " so "]),
    "other": st.sampled_from(["", "x"]),
}
ODD = st.sampled_from(
    [
        *("", " ", "\xa0", " a", "a ", "#x", "'=a", '"', 'a"b', "é", "\u3000", "0x1", "\tx"),
        *("0", "1", "2", "3", "-1", "1.0", "2e0", "unsure", "later", "unreadable", "done"),
        *("yes", "maybe", "nan", "inf", "-0.5", "-0.0", "yesterday", "true", "null"),
    ]
)
FIELD = {"annotator": "person", "judge": "person", "status": "state", "labelled_at": "at"}
FIELD |= {"qid": "query_id", "docid": "passage_id", "label": "grade", "judged_at": "at"}
FIELD |= {"query": "query_id", "rating": "grade", "system": "other", "cost_usd": "cost"}
HEADERS = st.sampled_from(
    [
        ("query_id", "passage_id", "grade"),
        ("qid", "docid", "label", "annotator"),
        ("query", "docid", "rating"),
        ("query_id", "passage_id", "system", "grade"),
        ("query_id", "passage_id", "grade", "grade"),
        ("passage_id", "grade", "model"),
        ("query_id", "passage_id", "grade", "state", "blind", "cost_usd"),
        LABEL_COLUMNS,
        VERDICT_COLUMNS,
    ]
)


@st.composite
def rows(draw, names, numbered):
    """Rows under `names`, most of them right; `numbered` grades are numbers."""
    found = []
    for _ in range(draw(st.integers(0, 5))):
        cells = [draw(CELLS[FIELD.get(name, name)]) for name in names]
        if numbered:
            grade = draw(st.sampled_from("012"))
            cells = [grade if FIELD.get(n, n) == "grade" else c for n, c in zip(names, cells)]  # noqa: B905
        if draw(st.integers(0, 9)) == 9:
            cells[draw(st.integers(0, len(cells) - 1))] = draw(ODD)
        found.append(cells)
        if not draw(st.integers(0, 9)):
            found.append(draw(st.sampled_from(found)))
    return found


@settings(deadline=None, max_examples=120)
@given(st.data())
def test_a_table_of_judgments_is_read_quickly_as_with_care(tmp_path_factory, data):
    names = data.draw(HEADERS)
    lines = [names, *data.draw(rows(names, data.draw(st.booleans())))]
    gap = data.draw(st.sampled_from([",", ",", "\t", ";"]))
    text = data.draw(st.sampled_from([""] * 9 + ["# made so\n", "sep=;\n"])) + "".join(
        gap.join(cells) + data.draw(st.sampled_from(["\n"] * 30 + ["\n\n", ""])) for cells in lines
    )
    path = written_in(
        tmp_path_factory,
        "x.tsv" if gap == "\t" else "x.csv",
        text,
        data.draw(st.sampled_from(["\n"] * 3 + ["\r\n"] * 3 + ["\r"])),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
    )
    options = {
        "grades": data.draw(st.sampled_from([None, MAP])),
        "columns": data.draw(st.sampled_from([{}] * 6 + [{"note": "model"}, {"grade": "label"}])),
        "person": data.draw(st.sampled_from(["", "ann"])),
        "rubric": data.draw(st.sampled_from(["", "r@1"])),
    }
    assert_alike(plain_judgments, read_judgments, path, **options)


PLAIN_LINE = st.tuples(IDS["query_id"], st.just("0"), IDS["passage_id"], st.sampled_from("012"))
LINE = st.tuples(
    st.sampled_from(["q1", "#", "é", "", "q\xa0"]),
    st.sampled_from(["0", "Q0", "1"]),
    st.sampled_from(["a", '"', "\u200b", ""]),
    ODD,
)


@settings(deadline=None, max_examples=120)
@given(
    st.lists(st.one_of(*[PLAIN_LINE] * 5, LINE), min_size=1, max_size=5),
    st.sampled_from([" ", " ", "\t", "\t", "  "]),
    st.sampled_from(["\n", "\n", "\r\n", "\r\n", "\n\n"]),
    st.sampled_from(["x.qrels", "x.tsv", "x.txt", "x.csv"]),
    st.sampled_from([None, MAP]),
)
def test_trec_qrels_are_read_quickly_as_with_care(tmp_path_factory, lines, gap, end, name, grades):
    text = "".join(gap.join(line) + "\n" for line in lines)
    path = written_in(tmp_path_factory, name, text, end)
    assert_alike(plain_judgments, read_judgments, path, grades=grades)


VALUES = st.sampled_from(
    [
        *('""', '" "', '"YES"', '"no"', '"2"', '"unsure"', '"true"', '"x\\u00e9"', '"\\ud83d"'),
        *("0", "1", "2", "-0", "1.0", "2.5", "-1", "1e999", "NaN", "true", "false", "null"),
        *("[]", "{}", '"\\u0000"', '"2026-01-02"', "10000000000000000000000", '{"grade": 1}'),
    ]
)


@settings(deadline=None, max_examples=120)
@given(st.data())
def test_json_lines_of_judgments_are_read_quickly_as_with_care(tmp_path_factory, data):
    names = list(dict.fromkeys(data.draw(HEADERS)))
    cells = data.draw(rows(names, False))
    numbered, blind = data.draw(st.booleans()), data.draw(st.booleans())
    lines = []
    for row in cells:
        found = {name: json.dumps(cell) for name, cell in zip(names, row, strict=True)}
        for name in names:
            if numbered and FIELD.get(name, name) in ("grade", "cost"):
                found[name] = data.draw(st.sampled_from(["0", "1", "2"]))
            elif blind and name == "blind":
                found[name] = data.draw(st.sampled_from(["true", "false", "null"]))
        if data.draw(st.integers(0, 9)) == 9:
            found[data.draw(st.sampled_from([*names, "metadata", "more"]))] = data.draw(VALUES)
        if data.draw(st.integers(0, 15)) == 15:
            found.pop(data.draw(st.sampled_from(names)), None)
        lines.append("{" + ", ".join(f'"{name}": {value}' for name, value in found.items()) + "}")
    end = data.draw(st.sampled_from(["\n"] * 9 + ["\r\n"] * 5 + ["\n \n", " "]))
    path = written_in(tmp_path_factory, "x.jsonl", "\n".join(lines) + "\n", end)
    options = {"grades": data.draw(st.sampled_from([None, MAP])), "person": "ann"}
    assert_alike(plain_judgments, read_judgments, path, **options)


TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(["a text", 'one "quoted"', "two\n\nparagraphs", "C:\\x", "", " \xa0", "0x1"]),
)
WORDS = st.one_of(*[st.sampled_from(["a text", "", "0x1", "\xa0"])] * 3, TEXT)
PASSAGE = st.fixed_dictionaries(
    {"_id": st.sampled_from([*"abcdefghij", "#", "e\u0301"]), "text": TEXT},
    optional={
        "title": TEXT,
        "metadata": st.sampled_from([{}, {}, None, {"source_uri": "x"}, {"more": 1}, "x"]),
        "url": TEXT,
        "valid_from": st.sampled_from(["2026-01-01", "", None]),
        "more": st.just(1),
    },
)


@settings(deadline=None, max_examples=120)
@given(
    st.lists(PASSAGE, min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_json_lines_of_passages_are_read_quickly_as_with_care(
    tmp_path_factory, passages, alike, again, escaped, end
):
    passages += passages[:2] if again else []
    if alike:
        passages = [{name: one.get(name, "") for name in passages[0]} for one in passages]
    text = "".join(json.dumps(one, ensure_ascii=escaped) + "\n" for one in passages)
    path = tmp_path_factory.mktemp("f") / "x.jsonl"
    path.write_text(text.replace("\n", end), encoding="utf-8", newline="")
    assert_alike(plain_passages, read_corpus, path)


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from([("passage_id", "text"), ("_id", "title", "text"), ("id", "text", "more")]),
    st.lists(st.tuples(st.sampled_from([*"abcdefghij", " "]), WORDS, TEXT), max_size=4),
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_of_passages_is_read_quickly_as_with_care(tmp_path_factory, names, cells, gap, end):
    lines = [names, *(row[: len(names)] for row in cells)]
    path = tmp_path_factory.mktemp("f") / ("x.csv" if gap == "," else "x.tsv")
    path.write_text("".join(gap.join(row) + end for row in lines), encoding="utf-8", newline="")
    assert_alike(plain_passages, read_corpus, path)


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from([("passage_id", "text"), ("_id", "title", "text"), CORPUS_COLUMNS]),
    st.lists(st.lists(TEXT, min_size=8, max_size=8), min_size=1, max_size=3),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["", "", "", '"', ' "', '" ', "'=1", "#", "# "]),
    st.sampled_from(["", "", "", "#", "sep=", "|", "again"]),
)
def test_a_quoted_table_is_read_quickly_as_with_care(
    tmp_path_factory, names, cells, quoting, end, gap, odd, head
):
    rows = [[f"{odd}p{n}", *row][: len(names)] for n, row in enumerate(cells)]
    if head == "again":
        rows.append([*names])
    elif head == "|":
        gap, names, rows = "|", ["", *names, " "], [["", *row, ""] for row in rows]
    elif head:
        names, rows = [head, *names], [["", *row] for row in rows]
    path = tmp_path_factory.mktemp("f") / ("x.tsv" if gap == "\t" else "x.csv")
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter=gap, quoting=quoting, lineterminator=end)
        writer.writerows([names, *rows])
        handle.write(odd)
    assert_alike(plain_passages, read_corpus, path)


@settings(deadline=None, max_examples=120)
@given(
    st.lists(
        st.sampled_from(['"', '""', "a", ",", "\n", "\n", "\r\n", "\r", "#", "b,c", '"x"', " "]),
        max_size=14,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_of_marks_in_any_order_is_read_quickly_as_with_care(tmp_path_factory, parts, end):
    path = written_in(tmp_path_factory, "x.csv", "_id,text\n" + "".join(parts), end)
    assert_alike(plain_passages, read_corpus, path)


@pytest.mark.parametrize(
    "text",
    [
        *('a,x "y" z\n', 'a,"x" \n', 'a, "x"\n', 'a,"x"y\n', 'a,"x\n', 'a,x"\n', 'a,""x"\n'),
        *('"a,x\n', 'a,"x"\n\nb,y\n', 'a,"x"\n#b,y\n', 'a,"x"\n\n', 'a,"x"\rb,y\n'),
    ],
)
def test_marks_that_do_not_open_and_close_whole_cells_are_left_to_care(written, text):
    path = written("x.csv", "_id,text\n" + text)
    assert plain_passages(path, reading=Reading()) is None


JUDGED = [(f"q{n % 3}", f"p{n}", ("NO", "PART", "YES")[n % 3]) for n in range(9)]


@pytest.mark.parametrize("form", ["words", "numbers", "mapped", "tsv", "json", "labels", "trec"])
def test_plain_judgments_of_every_form_are_read_quickly(written, form):
    grades, name, head, gap = None, "x.csv", "query_id,passage_id,grade\r\n", ","
    lines = [(q, p, grade.lower()) for q, p, grade in JUDGED]
    if form in ("numbers", "mapped", "trec"):
        lines = [(q, p, str(n % 3)) for n, (q, p, _) in enumerate(JUDGED)]
        grades = MAP if form == "mapped" else None
    if form == "tsv":
        name, head, gap = "x.tsv", "qid\tdocid\tlabel\tsystem\n", "\t"
        lines = [(*line, "s") for line in lines]
    if form == "labels":
        head = ",".join(LABEL_COLUMNS) + "\n"
        lines = [(q, p, "ann", g, "labelled", "2026-01-02", "true", "s", "") for q, p, g in lines]
        lines.append(("q9", "p9", "ann", "", "unsure", "", "", "", "why?"))
    if form == "trec":
        name, head, gap = "x.qrels", "", " "
        lines = [(q, "0", p, g) for q, p, g in lines]
    text = head + "".join(gap.join(line) + ("\r\n" if "\r" in head else "\n") for line in lines)
    if form == "json":
        name = "x.jsonl"
        keys = ("query_id", "passage_id", "grade")
        text = "".join(json.dumps(dict(zip(keys, line, strict=True))) + "\n" for line in lines)
    path = written(name, text)
    quickly, carefully = quick_and_careful(
        plain_judgments, read_judgments, path, grades=grades, person="ann", rubric="r@1"
    )
    assert quickly == carefully
    assert len(quickly[0]) == len(lines)


@pytest.mark.parametrize("form", ["beir", "json", "tsv"])
def test_plain_passages_of_every_form_are_read_quickly(written, form):
    texts = [f"Text {n}, 0x{n}.\n\n“Quoted”" for n in range(5)] + [" \xa0"]
    if form == "tsv":
        head, cells = "_id\ttext\tmore\n", [f"p{n}\t{t[:7]}\tm\n" for n, t in enumerate(texts)]
        path = written("x.tsv", head + "".join(cells))
    else:
        more = {"title": "", "metadata": {}} if form == "beir" else {"url": "https://x.example"}
        lines = [json.dumps({"_id": f"p{n}", "text": t, **more}) for n, t in enumerate(texts)]
        path = written("x.jsonl", "\n".join(lines))
    quickly, carefully = quick_and_careful(plain_passages, read_corpus, path)
    assert quickly == carefully
    rows, notes = quickly
    assert len(rows) == 6
    assert [note.lines for note in notes if "without text" in note.what] == [(6 + (form == "tsv"),)]


def test_what_we_export_as_csv_is_read_quickly_and_exactly(tmp_path):
    """With cells that are guarded, quoted, and longer than a line."""
    reasons = ["=1+1", "'tis", "''=x", 'so "quoted", and more', "a\nb\n\nc\n# d", "", "-"]
    said = [Judgment("q", f"p{n}", Grade.NO, reason=text) for n, text in enumerate(reasons)]
    path = tmp_path / "v.csv"
    write_verdicts(path, said, form="csv")
    quickly, carefully = quick_and_careful(plain_judgments, read_judgments, path)
    assert quickly == carefully
    assert [row[7] for row in quickly[0]] == reasons
    passages = [Passage(f"={n}", text + "!") for n, text in enumerate(reasons)]
    write_corpus(path, passages, form="csv")
    quickly, carefully = quick_and_careful(plain_passages, read_corpus, path)
    assert quickly == carefully
    assert [row[:2] for row in quickly[0]] == [(p.passage_id, p.text) for p in passages]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "query_id,passage_id,grade\nq,a,YES\nq,a,NO\n"),
        ("x.csv", "query_id,passage_id,grade,reason\nq,a,YES,x\nq,a,YES,\n"),
        ("x.csv", 'query_id,passage_id,grade,note\nq,a,YES,"\n"\nq,a,YES,"\n"\n'),
        ("x.csv", "query_id,passage_id,grade,judge\nq,a,YES,\nq,a,NO,ann\n"),
        ("x.csv", "query_id,passage_id,grade,judge\nq,a,YES, ann\n"),
        ("x.csv", "query_id,passage_id,grade,judged_at\nq,a,YES,yesterday\n"),
        ("x.csv", "query_id,passage_id,grade\nq,a,5\n"),
        ("x.csv", "query_id,passage_id,grade\nq,a,\n"),
        ("x.csv", "query_id,passage_id,grade,state\nq,a,YES,unsure\n"),
        ("x.jsonl", '{"query_id": 1, "passage_id": "a", "grade": "YES"}\n'),
        ("x.jsonl", '{"query": "q", "queries": {}, "relevant_docs": {}}\n'),
        ("x.tsv", "q\ta\t1\nq\tb\t0\n"),
    ],
)
def test_judgments_with_anything_to_be_said_by_line_are_left_to_the_careful_reading(
    written, name, text
):
    """A contradiction (also with a row that names no judge, and of a reason alone), a repeat whose
    line is not known, blanks around a name, a time that is none, a grade that is unknown, missing
    or contradicted, ids that are numbers, another tool's document, no header."""
    reading = Reading()
    path = written(name, text)
    assert plain_judgments(path, reading=reading, person="ann") is None
    assert reading.notes == []


def test_rows_that_say_an_earlier_one_again_are_left_out_and_named_by_line(written):
    """Lines 4, 5 and 7 repeat lines 2, 3 and 2; a cost of nothing is the same as none."""
    first, second, third = "q,a,YES,0.5\n", "q,b,NO,\n", "q,c,PART,-0.0\n"
    rows = first + second + first + second + third + first
    path = written("x.csv", "query_id,passage_id,grade,cost\n" + rows)
    quickly, carefully = quick_and_careful(plain_judgments, read_judgments, path)
    assert quickly == carefully
    assert [row[1] for row in quickly[0]] == ["a", "b", "c"]
    assert [note.lines for note in quickly[1]] == [(4, 5, 7)]


def test_passages_that_come_again_are_left_out_beside_those_without_text(written):
    """What is noted first stands first: a repeat in line 2, a passage without text in line 3."""
    one, other = '{"_id": "a", "text": "x"}\n', '{"_id": "b", "text": " "}\n'
    path = written("x.jsonl", one * 2 + other * 2 + one)
    quickly, carefully = quick_and_careful(plain_passages, read_corpus, path)
    assert quickly == carefully
    assert [(note.what[:9], note.lines) for note in quickly[1]] == [
        ("identical", (2, 4, 5)),
        ("a passage", (3, 4)),
    ]


PACKED = gzip.compress(b"_id,text\na,x\nb,y\n")


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (PACKED, 2),
        (PACKED + gzip.compress(b"c,z\n"), 3),
        (PACKED[:-9], None),
        (PACKED + b"x", None),
        (PACKED.replace(b"\x1f\x8b\x08", b"\x1f\x8b\x07"), None),
        (gzip.compress(PACKED), None),
    ],
    ids=["whole", "two members", "cut short", "more behind", "another method", "packed twice"],
)
def test_a_packed_file_is_read_quickly_where_it_is_whole(tmp_path, data, rows):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(data)
    try:
        quickly, carefully = quick_and_careful(plain_passages, read_corpus, path)
    except InputError:  # of what the first bytes tell already
        assert rows is None
        return
    assert (quickly and len(quickly[0])) == rows
    assert quickly is None or quickly == carefully
