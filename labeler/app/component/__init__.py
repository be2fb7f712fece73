"""The labelling component: draws passages and takes presses, without a rerun between."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_FOLDER = Path(__file__).parent
_MODULES = ("text", "outbox", "deck", "keys", "sheets", "view", "labeling", "mount")
"""The parts of one ES module, in the order in which they build on each other."""


def labeling(*, data: Mapping[str, Any], key: str) -> bool:
    """Mount the labelling page; True in the run in which it asks for a fresh token.

    `data` holds `token`, `annotator`, `spotcheck` and `store` (a name for the database, so that
    presses kept in the browser never reach another one), and may hold `rubric` ({`ref`, `text`}),
    `links` ([{`label`, `href`}], shown at the end) and `url` (where the routes are, "/labeling").
    The texts to label are not in it: the page fetches them from the routes.
    """
    result = _mount()(data=dict(data), key=key, on_renew_change=_nothing)
    return result.renew is not None


@cache
def _mount() -> Any:
    """Register the component, once a process."""
    return st.components.v2.component(
        "labeler.labeling",
        html='<div class="lb-mount"></div>\n<!-- the module draws here -->',
        css=(_FOLDER / "labeling.css").read_text(encoding="utf-8"),
        js="\n".join((_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in _MODULES),
        isolate_styles=False,  # one page, one component: tests and screen readers see it directly
    )


def _nothing() -> None:
    """Declares the trigger: without a callback its value would not be read."""
