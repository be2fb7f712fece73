"""The reviewers' desk's way to the store: a search for every key, without a rerun of any script.

`GET /desk/search?text=&source=&scope=&as_of=` answers with

    {"text", "with_all", "with_some", "milliseconds",
     "hits": [{"passage_id", "title", "source_uri", "locator", "snippet", "barred", "candidate",
               "own"}]}

where `barred` says why a passage cannot be expected ("" where it can) and `own` is what the person
said of it, and nobody else. `GET /desk/passage?id=` answers with {"passage", "barred", "before",
"after"}: a passage whole, and its neighbours in the same source. `POST /desk/searches` keeps a
search as evidence: it is run again here, so that what is kept was found. `POST /desk/candidates`
{"passage_id"} makes a passage a candidate and answers with its `task` on the labelling page.

While the index of a large corpus is being made, a search is answered with 409 and how far it is.
All want the labelling page's token, and it must be for the person's desk: the query is in it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from labeler.app.exchange import answer, json_body, require_own_page, spoken, token_of
from labeler.app.routes import Pass, Tokens
from labeler.model import Query
from labeler.store import corpora, desk, evidence, queries, sources
from labeler.store.db import Store
from labeler.store.search import CorpusIndex
from labeler.store.wording import Filters

SHOWN = 20
"""Passages that a search shows."""

TEXT_LIMIT = 1000
_SNIPPET = 280


class Desk(NamedTuple):
    """Whose desk it is, and for which query."""

    person: str
    query_id: str


def desk_of(who: Pass) -> Desk:
    """The desk that a pass is for. HTTPException 403 where it is for a drawn spot check."""
    query_id = who.spotcheck.removeprefix(desk.name(who.annotator, ""))
    if query_id == who.spotcheck:
        raise HTTPException(403, "this pass is for no desk")
    return Desk(who.annotator, query_id)


def desk_routes(
    store: Callable[[], Store], *, index: Callable[[], CorpusIndex], tokens: Tokens
) -> list[Route]:
    """The four routes. `store` and `index` are called for each request."""

    def who(request: Request) -> Desk:
        require_own_page(request)
        return desk_of(tokens.read(token_of(request)))

    async def search(request: Request) -> Response:
        given = request.query_params
        text, filters = _asked(given)
        return answer(
            await run_in_threadpool(_search, store(), index(), who(request), text, filters)
        )

    async def passage(request: Request) -> Response:
        asked = request.query_params.get("id", "")
        return answer(await run_in_threadpool(_passage, store(), who(request), asked))

    async def searches(request: Request) -> Response:
        mine, (text, filters) = who(request), _asked(await _object(request))

        def keep() -> None:
            ready = index()
            ready.require()
            found = ready.search(text, filters=filters, limit=evidence.TOP)
            evidence.keep_search(
                store(),
                mine.query_id,
                text=text,
                filters=filters,
                with_all=found.whole,
                with_some=found.some,
                top=found.ids,
                person=mine.person,
            )

        await run_in_threadpool(keep)
        return answer({"kept": text})

    async def candidates(request: Request) -> Response:
        mine, given = who(request), await _object(request)

        def add() -> int:
            return desk.add(
                store(), mine.query_id, passage_id=_text(given, "passage_id"), person=mine.person
            )

        return answer({"task": await run_in_threadpool(add)})

    return [
        Route("/desk/search", spoken(search), methods=["GET"]),
        Route("/desk/passage", spoken(passage), methods=["GET"]),
        Route("/desk/searches", spoken(searches), methods=["POST"]),
        Route("/desk/candidates", spoken(candidates), methods=["POST"]),
    ]


def _asked(given: Mapping[str, Any]) -> tuple[str, Filters]:
    source, scope, as_of = (_text(given, name) for name in ("source", "scope", "as_of"))
    if as_of and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", as_of):
        raise HTTPException(400, f"{as_of!r} is no day, expected YYYY-MM-DD")
    return _text(given, "text"), Filters(source, scope, as_of)


async def _object(request: Request) -> Mapping[str, Any]:
    given = await json_body(request)
    if not isinstance(given, Mapping):
        raise HTTPException(400, "expected an object")
    return given


def _text(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name) or ""
    if not isinstance(found, str) or len(found) > TEXT_LIMIT:
        raise HTTPException(400, f"{name} is no text of at most {TEXT_LIMIT} characters")
    return found


def _search(
    store: Store, index: CorpusIndex, mine: Desk, text: str, filters: Filters
) -> dict[str, Any]:
    began = time.perf_counter()
    index.require()
    found = index.search(text, filters=filters, limit=SHOWN)
    passages = corpora.passages(store, found.ids)
    query = _query(store, mine)
    stands = desk.standing(store, mine.query_id, passages=found.ids, person=mine.person)
    hits = [
        {
            "passage_id": passage_id,
            "title": passage.title,
            "source_uri": passage.source_uri,
            "locator": passage.locator,
            "snippet": snippet(passage.text, text),
            "barred": evidence.barred(store, query, passage),
            "candidate": passage_id in stands,
            "own": stands.get(passage_id, ""),
        }
        for passage_id in found.ids
        if (passage := passages.get(passage_id))
    ]
    took = round((time.perf_counter() - began) * 1000, 1)
    counts = {"with_all": found.whole, "with_some": found.some, "milliseconds": took}
    return {"text": text, **counts, "hits": hits}


def _passage(store: Store, mine: Desk, passage_id: str) -> dict[str, Any]:
    around = sources.around(store, passage_id)
    if around is None:
        raise HTTPException(404, "there is no such passage")
    return {
        "passage": asdict(around.passage),
        "barred": evidence.barred(store, _query(store, mine), around.passage),
        "before": [asdict(one) for one in around.before],
        "after": [asdict(one) for one in around.after],
    }


def _query(store: Store, mine: Desk) -> Query:
    return queries.named(store, [mine.query_id]).get(mine.query_id, Query(mine.query_id, ""))


def snippet(text: str, asked: str) -> str:
    """The part of a text around the first of the words that were asked for, or its beginning."""
    words = [re.escape(word) for word in re.findall(r"\w[\w\-]*", asked) if len(word) > 1]
    found = re.search("|".join(words), text, re.IGNORECASE) if words else None
    start = max(0, found.start() - _SNIPPET // 3) if found else 0
    if start:
        start = text.find(" ", start, start + 30) + 1 or start
    cut = text[start : start + _SNIPPET]
    return ("… " if start else "") + cut + (" …" if start + _SNIPPET < len(text) else "")
