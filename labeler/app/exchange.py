"""What the app's own routes share: whose request it is, its body, and answers as JSON in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from labeler.app import ways
from labeler.errors import LabelerError

BODY_LIMIT = 1 << 20
"""Bytes of one POST: 200 events with notes of ordinary length stay far below."""


def token_of(request: Request) -> str:
    """The pass that a request carries. HTTPException 401 where there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise HTTPException(401, "this page has no pass")
    return token


def require_own_page(request: Request) -> None:
    """Refuse what another site's page sends. A POST must prove that it comes from ours."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    if origin is not None:
        own = urlsplit(origin).netloc == request.headers.get("host")
    else:
        own = site == "same-origin" or (site is None and request.method == "GET")
    if not own:
        raise HTTPException(403, "this request does not come from the labelling page")


async def json_body(request: Request) -> object:
    """The body as JSON. HTTPException 415, 413 or 400 where it is none."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "expected application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_LIMIT:
            raise HTTPException(413, f"more than {BODY_LIMIT} bytes at once")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None


def spoken(route: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """The route with its refusals as JSON, in words."""

    async def speak(request: Request) -> Response:
        try:
            response: Response = await route(request)
        except HTTPException as refusal:
            return answer({"error": refusal.detail}, status=refusal.status_code)
        except LabelerError as problem:
            return answer({"error": ways.told(problem)}, status=409)
        return response

    return speak


def answer(value: Mapping[str, Any], *, status: int = 200) -> Response:
    """JSON in ASCII: a lone surrogate of a dirty file is no valid UTF-8, but is a valid escape."""
    return Response(
        json.dumps(value),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
