"""The Label page: the labelling component, for the person and the spot check that are asked for."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from labeler.app import state, widgets
from labeler.app.component import labeling
from labeler.errors import LabelerError
from labeler.model import content_hash
from labeler.store import answers, rubrics, spotchecks, tasks
from labeler.store.db import Store
from labeler.store.spotchecks import SpotCheck


def show() -> None:
    """Lay the page out."""
    person = state.person()
    if person is None:
        st.title("Label")
        st.write("Say who you are, and the first passage is drawn.")
        widgets.name_form()
        return
    store = state.store()
    with widgets.problems():
        check = _asked(store, person.name)
        if check is None:
            st.title("Label")
            st.info("There is nothing to label yet: no spot check has been drawn.")
            if st.button("Draw one on the Judge page", type="primary"):
                state.go_to("judge")
            return
        _mount(store, person.name, check)


def _asked(store: Store, annotator: str) -> SpotCheck | None:
    """The spot check of the address, else the newest with work left."""
    wanted = state.asked("spotcheck")
    if not wanted:
        return tasks.with_work_left(store, annotator=annotator)
    if spotchecks.owner(store, wanted) not in (None, annotator):
        raise LabelerError(f"{wanted} is another person's: its pairs measure them alone")
    return spotchecks.named(store, wanted)


def _mount(store: Store, annotator: str, check: SpotCheck) -> None:
    there = urlencode({"as": annotator, "spotcheck": check.name})
    # Of a list that is no sample there is no agreement to see.
    links = [{"label": "See the agreement", "href": f"agreement?{there}"}] if check.n else []
    data: dict[str, Any] = {
        "annotator": annotator,
        "spotcheck": check.name,
        "store": content_hash(str(store.path)),
        "rubric": _rubric(store, check),
        "token": state.tokens().issue(annotator=annotator, spotcheck=check.name),
        "links": links,
        "subject": "answer" if answers.graded_in(store, check.name) else "passage",
    }
    labeling(data=data, key="labeling")


def _rubric(store: Store, check: SpotCheck) -> dict[str, str] | None:
    """What the spot check's judge was told, where the store has its text."""
    if not check.rubric:
        return None
    found = rubrics.named(store, check.rubric)
    return {"ref": found.ref, "text": found.text} if found else None
