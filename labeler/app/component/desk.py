"""The reviewers' search component: finds passages while the person types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_FOLDER = Path(__file__).parent


def searching(*, data: Mapping[str, Any], key: str) -> bool:
    """Mount the search; True in the run that it asks for, after it stored something or needs a
    fresh token.

    `data` holds `token` and `spotcheck` (of the person's desk), `store` (a name for the database),
    `sources` (URIs to narrow to), `scopes` ([value, name] to narrow to) and `text` (looked for at
    first).
    """
    result = _mount()(data=dict(data), key=key, on_changed_change=_nothing)
    return result.changed is not None


@cache
def _mount() -> Any:
    """Register the component, once a process."""
    return st.components.v2.component(
        "labeler.desk",
        html='<div class="dk-mount"></div>\n<!-- the module draws here -->',
        css=(_FOLDER / "desk.css").read_text(encoding="utf-8"),
        js="\n".join(
            (_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in ("text", "desk")
        ),
        isolate_styles=False,
    )


def _nothing() -> None:
    """Declares the trigger: without a callback its value would not be read."""
