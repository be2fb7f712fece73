"""The Data page: files in and out, with the same checks as the terminal, and back-ups."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from labeler import exporting, formats, importing
from labeler.app import state, widgets
from labeler.reports import render
from labeler.store import goldens, runs, snapshot


class _Kind(NamedTuple):
    what: str
    asks: str = ""
    graded: bool = False
    several: bool = False


_KINDS = {
    "corpus": _Kind("Corpus", "Corpus name", several=True),
    "queries": _Kind("Queries", several=True),
    "run": _Kind("Run of a system", "System"),
    "verdicts": _Kind("Verdicts of a judge", "Judge", graded=True),
    "labels": _Kind("Labels of a person", "Annotator", graded=True),
    "golden": _Kind("Golden set", "Golden set name", graded=True),
}
_SHAPES = {
    "corpus": "BEIR or JSON lines with passage_id and text; CSV; TSV; Markdown or text files.",
    "queries": "BEIR or JSON lines with query_id and query; CSV; TSV.",
    "run": "A TREC run; JSON lines or CSV with query_id, passage_id, rank and/or score.",
    "verdicts": "TREC or BEIR qrels; CSV or JSON lines with query_id, passage_id, grade.",
    "labels": "TREC or BEIR qrels; CSV or JSON lines with query_id, passage_id, grade.",
    "golden": "A list of query and expected passage ids; TREC or BEIR qrels.",
}


def show() -> None:
    """Lay the page out."""
    st.title("Data")
    bring, take, keep = st.tabs(["Import", "Export", "Back up"])
    with bring:
        _bring()
    with take:
        _take()
    with keep:
        _keep()


def _bring() -> None:
    kind = st.selectbox("What do you bring?", _KINDS, format_func=lambda kind: _KINDS[kind].what)
    asked = _KINDS[kind]
    st.text(f"{_SHAPES[kind]} A malformed line stops the import before anything is stored.")
    with st.form("import", border=False):
        chosen = st.file_uploader("Files", accept_multiple_files=asked.several, key=f"file {kind}")
        start = "corpus" if kind == "corpus" else ""
        name = st.text_input(asked.asks, value=start) if asked.asks else ""
        rubric = st.text_input("Rubric, name@version (optional)") if kind == "verdicts" else ""
        note = st.text_input("What was changed in it (optional)") if kind == "run" else ""
        grades, hint = "", "0=NO,1=NO,2=PART,3=YES"
        if asked.graded:
            grades = st.text_input("What the grades mean (optional)", placeholder=hint)
        hint = "query_id=qid,passage_id=docno"
        columns = st.text_input("The file's own column names (optional)", placeholder=hint)
        skip = st.checkbox("Leave malformed lines out and list them")
        if st.form_submit_button("Import", type="primary"):
            files = chosen if isinstance(chosen, list) else [chosen] if chosen else []
            person = state.person()
            with widgets.problems(), st.spinner("Importing"):
                options = importing.Options(
                    skip_bad=skip,
                    grades=formats.GradeMap.parse(grades) if grades.strip() else None,
                    columns=formats.columns_from(columns) if columns.strip() else {},
                    person=person.name if person else "",
                    note=note.strip(),
                )
                _said(_import(kind, files, name=name, rubric=rubric, options=options))


def _import(
    kind: str,
    files: list[UploadedFile],
    *,
    name: str,
    rubric: str,
    options: importing.Options,
) -> importing.Outcome:
    """Import uploaded files as the terminal would, under the names that they had."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for number, file in enumerate(files):
            ending = "".join(Path(file.name).suffixes)[-20:]
            path = Path(folder) / f"{number}{ending}"
            path.write_bytes(file.getbuffer())
            names[path] = Path(file.name).name
        return importing.bring(
            state.store(),
            kind,
            list(names),
            name=name,
            rubric=rubric.strip(),
            options=replace(options, names=names),
        )


def _said(outcome: importing.Outcome) -> None:
    st.success(widgets.plain(render.imported(outcome)), icon=":material/check_circle:")
    for remark in outcome.remarks:
        st.text(remark)
    if outcome.left_out:
        st.dataframe([problem._asdict() for problem in outcome.left_out], hide_index=True)


def _take() -> None:
    store = state.store()
    what = st.selectbox("What do you take?", exporting.WRITERS)
    forms = exporting.FORMS[what]
    form = st.selectbox("Format", forms)
    system = golden = None
    if what == "run":
        system = st.selectbox("System", runs.systems(store))
    if what in ("golden", "qrels"):
        sets = [f"{found.name}@{found.version}" for found in goldens.newest(store)]
        own = ["What people say"] if what == "qrels" else []
        golden = st.selectbox("Of", [*own, *sets])
        golden = None if golden in own else golden
    history = what == "labels" and st.checkbox("Every event, not only what stands now")
    choice = exporting.Choice(
        form=form, system=system, golden=golden, history=history, remark=st.text
    )
    if st.button("Prepare the file", type="primary"):
        with widgets.problems(), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{what}.{exporting.suffix(what, form)}"
            rows = exporting.export(store, what, to=path, choice=choice)
            st.download_button(
                f"Download {path.name} ({rows:,} rows)", path.read_bytes(), file_name=path.name
            )


def _keep() -> None:
    st.text("The whole store as of one moment, in one file that labeler opens. Others work on.")
    if st.button("Prepare a back-up"):
        with widgets.problems(), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labeler-backup.duckdb"
            snapshot.back_up(state.store(), path)
            st.download_button(f"Download {path.name}", path.read_bytes(), file_name=path.name)
