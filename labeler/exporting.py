"""From the store to files, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from labeler import formats
from labeler.errors import LabelerError, UsageError
from labeler.formats import Format
from labeler.formats.corpora import CORPUS_COLUMNS
from labeler.formats.goldenfile import GOLDEN_COLUMNS
from labeler.formats.judgments import LABEL_COLUMNS, VERDICT_COLUMNS
from labeler.formats.runs import RUN_COLUMNS
from labeler.reports import agreement, casebook
from labeler.reports.render import counted
from labeler.store import (
    adjudications,
    answers,
    comparison,
    exports,
    goldens,
    labels,
    people,
    queries,
    runs,
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


def _batches(batches: exports.Batches, choice: Choice) -> exports.Batches:
    """The batches, each told to the progress once it is written."""
    written = 0
    for batch in batches:
        yield batch
        written += len(batch)
        if choice.progress:
            choice.progress(written)


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
    columns = labels.HISTORY if choice.history else LABEL_COLUMNS
    batches = exports.label_history(store) if choice.history else exports.labels(store)
    return _table(to, columns, batches=batches, form=form, choice=choice)


def _table(
    to: Path, columns: Sequence[str], *, batches: exports.Batches, form: Format, choice: Choice
) -> int:
    from labeler.formats import lines

    return lines.write_columns(to, columns, batches=_batches(batches, choice), form=form)


def _verdicts(store: Store, to: Path, choice: Choice) -> int:
    form = _form("verdicts", to, choice)
    found = exports.verdicts(store)
    return _table(to, VERDICT_COLUMNS, batches=found, form=form, choice=choice)


def _pairs(store: Store, to: Path, choice: Choice) -> int:
    form = _form("pairs", to, choice)
    return _table(to, exports.PAIR, batches=exports.pairs(store), form=form, choice=choice)


def _corpus(store: Store, to: Path, choice: Choice) -> int:
    from labeler.formats import lines

    form, found = _form("corpus", to, choice), exports.passages(store)
    if form == "beir":
        return lines.write_beir_corpus(to, batches=_batches(found, choice))
    return _table(to, CORPUS_COLUMNS, batches=found, form=form, choice=choice)


def _queries(store: Store, to: Path, choice: Choice) -> int:
    form = _form("queries", to, choice)
    return formats.write_queries(to, queries.current(store), form=form)


def _qrels(store: Store, to: Path, choice: Choice) -> int:
    """A golden set or, where none is named, what people say (see `settled`), as gains. What cannot
    be expected of a query's caller is not written as an answer, as freezing does."""
    form = _form("qrels", to, choice)
    if choice.golden is None:
        gains = exports.settled_gains(store)
    else:
        gains = exports.golden_gains(store, goldens.version(store, choice.golden))
    return _gains(to, gains, form=form, choice=choice)


def _gains(to: Path, batches: exports.Batches, *, form: Format, choice: Choice) -> int:
    """Write gains, and say so where a file of 0 and 1, or of 1, would be read as NO and YES."""
    from labeler.formats import lines

    seen = set[int]()

    def noted() -> exports.Batches:
        for batch in batches:
            seen.update(batch.column("grade").unique().to_pylist())
            yield batch

    written = lines.write_qrels(to, batches=_batches(noted(), choice), form=form)
    if seen in ({1}, {0, 1}):
        _remark(choice, "1 is PART, and no grade is YES: read back without a map, it would be YES")
    return written


def _golden(store: Store, to: Path, choice: Choice) -> int:
    if choice.golden is None:
        raise UsageError("Which golden set? Name it", needs="golden")
    form, found = _form("golden", to, choice), goldens.version(store, choice.golden)
    if form == "json":
        return formats.write_golden(to, goldens.entries(store, found))
    if form not in ("trec", "beir"):
        entries = exports.golden(store, found)
        return _table(to, GOLDEN_COLUMNS, batches=entries, form=form, choice=choice)
    gains = exports.golden_gains(store, found)
    written = _gains(to, gains, form=form, choice=choice)
    many = goldens.counts(store, found).get("nothing", 0)
    nothing = f", nor for what expects nothing: {counted(many, 'entry', plural='entries')}"
    _remark(choice, f"qrels have no place for texts and kinds{nothing if many else ''}")
    return written


def _run(store: Store, to: Path, choice: Choice) -> int:
    from labeler.formats import lines

    if choice.system is None:
        raise UsageError("Whose run? Name the system", needs="system")
    form, found = _form("run", to, choice), exports.run(store, choice.system)
    if form != "trec":
        return _table(to, RUN_COLUMNS, batches=found, form=form, choice=choice)
    if many := runs.unscored(store, choice.system):
        _remark(choice, f"without a score, for which 1/rank stands: {counted(many, 'row')}")
    return lines.write_trec_run(to, batches=_batches(found, choice), system=choice.system)


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
