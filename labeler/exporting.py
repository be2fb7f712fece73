"""From the store to files, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from labeler import formats
from labeler.errors import LabelerError, UsageError
from labeler.formats import Format
from labeler.model import Grade, Judgment, Verdict
from labeler.reports import agreement, casebook
from labeler.reports.render import counted
from labeler.store import (
    adjudications,
    answers,
    comparison,
    corpora,
    evidence,
    goldens,
    labels,
    pairs,
    people,
    queries,
    runs,
    verdicts,
)
from labeler.store.db import Store
from labeler.store.imports import Progress


class Choice(NamedTuple):
    """What to export beside its kind: whose run, which golden set, which selection's report, and
    which `systems` it tells of (none: all). `progress` is told how many rows are written, `remark`
    what a format has no place for."""

    form: str | None = None
    system: str | None = None
    golden: str | None = None
    history: bool = False
    selection: comparison.Selection | None = None
    systems: tuple[str, ...] = ()
    progress: Progress | None = None
    remark: Callable[[str], object] | None = None


T = TypeVar("T")


def _told(rows: Iterable[T], choice: Choice) -> Iterator[T]:
    """The rows, with the progress told of every thousandth."""
    for number, one in enumerate(rows, start=1):
        yield one
        if choice.progress and number % 1_000 == 0:
            choice.progress(number)


def _remark(choice: Choice, text: str) -> None:
    if choice.remark:
        choice.remark(text)


def export(store: Store, what: str, *, to: Path, choice: Choice) -> int:
    """Write one of WRITERS to the file `to`; returns the number of rows."""
    if to.resolve() == store.path.resolve():
        raise LabelerError(f"{to.name} is the store itself: write to another file")
    if choice.history and what != "labels":
        raise UsageError(f"Every event is exported of labels, not of {what}", needs="history")
    return WRITERS[what](store, to, choice)


FORMS: dict[str, tuple[str, ...]] = {
    "labels": ("csv", "jsonl"),
    "verdicts": ("csv", "jsonl"),
    "pairs": ("csv", "jsonl"),
    "corpus": ("jsonl", "csv", "beir"),
    "queries": ("jsonl", "csv", "beir"),
    "qrels": ("trec", "beir", "csv", "jsonl"),
    "golden": ("jsonl", "csv", "trec", "beir", "json"),
    "run": ("trec", "jsonl", "csv"),
    "report": ("json", "html", "md"),
    "cases": ("jsonl",),
    "adjudications": ("csv", "jsonl"),
    "audit": ("csv", "jsonl"),
    "answers": ("jsonl", "csv"),
}
"""The formats of each export, the usual one first."""


def suffix(what: str, form: str) -> str:
    """What a file is called: BEIR's qrels are a table, its corpora and queries are JSON lines."""
    if form != "beir":
        return form
    return "jsonl" if what in ("corpus", "queries") else "tsv"


def told(what: str, many: int, *, to: Path, form: str | None = None) -> str:
    """What an export wrote, in words."""
    if what != "report":
        return f"{many:,} rows"
    if _form(what, to, Choice(form=form)) == "json":
        return f"{many:,} pairs compared"
    return f"a report on {counted(many, 'run')}"


_OTHERWISE = {"trec": ("qrels", "run", "txt"), "jsonl": ("ndjson", "json")}
"""What files of a format are called as well, where no other format has that extension."""

_PROMISES = ("csv", "tsv", "json", "jsonl", "html", "md", "pdf", "docx", "xlsx", "parquet")
"""Extensions by which programs and people know what is in a file."""


def _form(what: str, to: Path, choice: Choice) -> Format:
    """The format asked for, else by the file's extension; the usual one where that promises none,
    which for a report, to be opened by people, any does."""
    allowed = FORMS[what]
    if choice.form is not None:
        if choice.form not in allowed:
            raise UsageError(f"export {what} writes {' or '.join(allowed)}, not {choice.form}")
        return cast(Format, choice.form)
    ending = to.suffix.lower().removeprefix(".")
    called = [form for form in allowed if ending == suffix(what, form)]
    called += [form for form in allowed if ending in _OTHERWISE.get(form, ())]
    if not called and (ending in _PROMISES or (ending and what == "report")):
        known = " or ".join(dict.fromkeys(f".{suffix(what, form)}" for form in allowed))
        raise UsageError(
            f"{to.name}: .{ending} is no format of export {what}, expected {known}",
            needs="form",
        )
    return cast(Format, called[0] if called else allowed[0])


def _labels(store: Store, to: Path, choice: Choice) -> int:
    form = _form("labels", to, choice)
    if choice.history:
        events = (map(_cell, event.values()) for event in labels.history(store))
        rows = _told(map(list, events), choice)
        return formats.write_table(to, labels.HISTORY, rows=rows, form=form)
    return formats.write_labels(to, _told(_standing(store), choice), form=form)


def _cell(value: object) -> str | bool | None:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, bool) or value is None else str(value)


def _standing(store: Store) -> Iterator[Judgment]:
    for label in labels.current(store):
        yield Judgment(
            label.query_id,
            label.passage_id,
            label.grade,
            state=label.state,
            person=label.annotator,
            note=label.note,
            at=label.labelled_at.isoformat(),
            blind=label.blind,
            spotcheck=label.spotcheck,
        )


def _verdicts(store: Store, to: Path, choice: Choice) -> int:
    form = _form("verdicts", to, choice)
    return formats.write_verdicts(to, _told(map(_said, verdicts.current(store)), choice), form=form)


def _said(verdict: Verdict) -> Judgment:
    return Judgment(
        verdict.query_id,
        verdict.passage_id,
        verdict.grade,
        state=verdict.status,
        person=verdict.judge,
        rubric=verdict.rubric,
        model=verdict.model,
        reason=verdict.reason,
        at=verdict.judged_at.isoformat() if verdict.judged_at else "",
        cost=verdict.cost,
    )


def _pairs(store: Store, to: Path, choice: Choice) -> int:
    form = _form("pairs", to, choice)
    rows = _told(pairs.every_pair(store), choice)
    return formats.write_table(to, pairs.PairRow._fields, rows=rows, form=form)


def _corpus(store: Store, to: Path, choice: Choice) -> int:
    form = _form("corpus", to, choice)
    return formats.write_corpus(to, _told(corpora.every_passage(store), choice), form=form)


def _queries(store: Store, to: Path, choice: Choice) -> int:
    form = _form("queries", to, choice)
    return formats.write_queries(to, queries.current(store), form=form)


def _qrels(store: Store, to: Path, choice: Choice) -> int:
    """A golden set or, where none is named, what people say (see `settled`), as gains. What cannot
    be expected of a query's caller is not written as an answer, as freezing does."""
    form = _form("qrels", to, choice)
    if choice.golden is not None:
        entries = goldens.named(store, choice.golden).entries
        gains = [(e.query_id, e.passage_id, e.grade.gain) for e in entries if e.grade]
    else:
        rows = list(comparison.settled(store))
        useful = [(r.query_id, r.passage_id) for r in rows if r.grade != Grade.NO]
        barred = set(evidence.barred_among(store, useful))
        gains = [
            (r.query_id, r.passage_id, Grade(r.grade).gain)
            for r in rows
            if (r.query_id, r.passage_id) not in barred
        ]
    return formats.write_qrels(to, _told(gains, choice), form=form)


def _golden(store: Store, to: Path, choice: Choice) -> int:
    if choice.golden is None:
        raise UsageError("Which golden set? Name it", needs="golden")
    form, entries = _form("golden", to, choice), goldens.named(store, choice.golden).entries
    written = formats.write_golden(to, entries, form=form)
    if form in ("trec", "beir"):
        many = sum(not entry.passage_id for entry in entries)
        nothing = f", nor for what expects nothing: {counted(many, 'entry', plural='entries')}"
        _remark(choice, f"qrels have no place for texts and kinds{nothing if many else ''}")
    return written


def _run(store: Store, to: Path, choice: Choice) -> int:
    if choice.system is None:
        raise UsageError("Whose run? Name the system", needs="system")
    form = _form("run", to, choice)
    rows = runs.rankings(store, choice.system)
    if form == "trec" and (many := sum(row.score is None for row in rows)):
        _remark(choice, f"without a score, for which 1/rank stands: {counted(many, 'row')}")
    return formats.write_run(to, _told(rows, choice), form=form, system=choice.system)


def _report(store: Store, to: Path, choice: Choice) -> int:
    """As JSON what `labeler agreement --json` prints, which is of so many pairs; as HTML and
    Markdown all that is known of so many runs, and of the judge."""
    form = _form("report", to, choice)
    if form != "json":
        from labeler.reports import dossier, dossier_html, dossier_markdown

        found = dossier.build(store, choice.systems, golden=choice.golden, judged=choice.selection)
        write = dossier_html.html if form == "html" else dossier_markdown.markdown
        with formats.write_atomically(to) as handle:
            handle.write(write(found))
        return 0 if isinstance(found.runs, str) else len(found.runs)
    if choice.systems or choice.golden:
        raise UsageError(
            "The JSON is of the judge alone: runs and a golden set are for html and md",
            needs="another form",
        )
    selection = choice.selection or agreement.choose(store)
    report = agreement.as_json(agreement.build(store, selection))
    with formats.write_atomically(to) as handle:
        json.dump(report, handle, ensure_ascii=False, allow_nan=False, indent=2)
        handle.write("\n")
    return int(report["n"])


def _cases(store: Store, to: Path, choice: Choice) -> int:
    """A query a line: its outcome, the searches kept as evidence, its facts and its failures."""
    _form("cases", to, choice)
    return formats.write_json_lines(to, casebook.rows(store))


def _adjudications(store: Store, to: Path, choice: Choice) -> int:
    """Every decision, the superseded ones too; the last of a pair stands."""
    form = _form("adjudications", to, choice)
    rows = (list(map(str, row)) for row in adjudications.every(store))
    return formats.write_table(to, adjudications.Adjudication._fields, rows=rows, form=form)


def _audit(store: Store, to: Path, choice: Choice) -> int:
    form = _form("audit", to, choice)
    rows = (list(map(str, row)) for row in people.whole_log(store))
    return formats.write_table(to, people.Audited._fields, rows=rows, form=form)


def _answers(store: Store, to: Path, choice: Choice) -> int:
    found = answers.current(store)
    asked = queries.named(store, sorted({one.query_id for one in found}))
    texts = {query_id: query.text for query_id, query in asked.items()}
    rows = ((one, texts.get(one.query_id, "")) for one in found)
    return formats.write_answers(to, rows, form=_form("answers", to, choice))


WRITERS: dict[str, Callable[[Store, Path, Choice], int]] = {
    "labels": _labels,
    "verdicts": _verdicts,
    "pairs": _pairs,
    "corpus": _corpus,
    "queries": _queries,
    "qrels": _qrels,
    "golden": _golden,
    "run": _run,
    "report": _report,
    "cases": _cases,
    "adjudications": _adjudications,
    "audit": _audit,
    "answers": _answers,
}
"""What can be exported."""
