"""The app's entry: `labeler app`, or `streamlit run` on this file.

One ASGI app carries Streamlit's pages and the labelling page's own routes, so that a press is
stored without a rerun of any script.
"""

from __future__ import annotations

import gc
import os
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from labeler.app import jobs, state
from labeler.app.desk_routes import desk_routes
from labeler.app.routes import labeling_routes
from labeler.reports import waiting
from labeler.store import search

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HEADERS = {
    # Passages are shown as text; should one ever be rendered, it can fetch nothing from elsewhere.
    # Streamlit's own bundle needs inline styles and evaluates chart expressions.
    "content-security-policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


class SecurityHeaders:
    """Adds HEADERS to every answer."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; its answer gets the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0].decode() not in HEADERS]
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = kept + added
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open the store before the first page, and give it back at the end."""
    state.store()
    import_module("labeler.app.charts")  # pandas and altair: not while the first person waits
    # Streamlit collects all garbage after every script run: what lives as long as the process is
    # taken out of its sight (2268 -> 220 ms a round trip with 30 people).
    gc.collect()
    gc.freeze()
    preparing = threading.Thread(target=waiting.prepare, args=[state.store()], name="prepare")
    preparing.start()
    if url := os.environ.get("LABELER_OPEN"):
        threading.Timer(1.0, webbrowser.open, [url]).start()
    try:
        yield {}
    finally:
        jobs.close()
        preparing.join()
        state.close()


app = st.App(
    Path(__file__).with_name("pages.py"),
    routes=[
        *labeling_routes(state.store, tokens=state.tokens()),
        *desk_routes(state.store, index=lambda: search.of(state.store()), tokens=state.tokens()),
    ],
    middleware=[Middleware(SecurityHeaders)],
    lifespan=lifespan,
)
