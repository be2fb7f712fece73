"""The labelling page's way to the store, beside Streamlit's: no script runs for a press.

`GET /labeling/window?limit=N` hands out tasks and answers with all of this person's:

    {"annotator", "spotcheck", "progress": {"done", "total"}, "waiting": n, "exhausted": bool,
     "order": [{"task", "query_id", "passage_id", "title",
                "own": null | {"state": "labelled|unsure|later|open", "grade", "note"}}],
     "tasks": [{"task", "query": {"query_id", "text", "as_of", "scope"},
                "passage": {"passage_id", "title", "text", "source_uri", "locator", "scope",
                            "effective_from", "effective_to"}}]}

`order` holds the newest 200 done and the reserved ones (titles where the query has open ones),
`tasks` the texts of the first open ones, `waiting` counts tasks that are with others, `exhausted`
says that there is no more to hand out now. `GET /labeling/window?tasks=1,2` answers with `tasks`
alone. No verdict is read here, so none can reach the browser.

`POST /labeling/events` takes {"events": [{"event": uuid, "task", "query_id", "passage_id",
"action": "label|unsure|later|undo|note", "grade": "YES|PART|NO"|null, "note", "at"}]} and answers,
after the commit, {"acknowledged": [uuid], "refused": [{"event", "why"}], "progress"}. The same
event again adds nothing and is acknowledged again.

Both want `Authorization: Bearer TOKEN`: who the person is and which spot check it is stand in the
signed token, never in what the browser claims. 401 asks for another token, 403 is a foreign page,
413 a body that is too large, 415 one that is not JSON; each says why in {"error"}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from labeler.app.exchange import answer, json_body, require_own_page, spoken, token_of
from labeler.app.together import Together
from labeler.model import Grade, LabelEvent, Passage
from labeler.store import labels, tasks, texts
from labeler.store.db import Store
from labeler.store.failing import in_words

EVENT_LIMIT = 500
NOTE_LIMIT = 4000
TOKEN_LIFE = 12 * 3600
"""Seconds."""

_WINDOW_LIMIT = 60
_HASH_LIMIT = 100
_QUERY = ("query_id", "text", "as_of", "scope")
_PASSAGE = (
    "passage_id",
    "hash",
    "title",
    "text",
    "source_uri",
    "locator",
    "scope",
    "effective_from",
    "effective_to",
)


class Pass(NamedTuple):
    """Who may label, and what."""

    annotator: str
    spotcheck: str


class Tokens:
    """Signed passes to the labelling routes. They hold for `life` seconds, and for one secret."""

    def __init__(self, secret: str | bytes, *, life: int = TOKEN_LIFE) -> None:
        self._life = life
        self._signer = URLSafeTimedSerializer(secret, salt="labeler.labeling")

    def issue(self, *, annotator: str, spotcheck: str) -> str:
        """A token for one person and one spot check."""
        return self._signer.dumps([annotator, spotcheck])

    def read(self, token: str) -> Pass:
        """What a token allows. HTTPException 401 where it is expired or not ours."""
        try:
            return Pass(*self._signer.loads(token, max_age=self._life))
        except SignatureExpired:
            raise HTTPException(401, "this page's pass has expired") from None
        except (BadSignature, TypeError):
            raise HTTPException(401, "this page's pass is not valid") from None


def labeling_routes(store: Callable[[], Store], *, tokens: Tokens) -> list[Route]:
    """The two routes. `store` is called for each request: the store may be opened after them."""
    saving: Together[_Submission, _Saved] = Together(lambda asked: _save(store(), asked))
    looking: Together[tasks.Asker, dict[str, Any]] = Together(
        lambda asked: _windows(store(), asked)
    )

    async def window(request: Request) -> Response:
        require_own_page(request)
        who = tokens.read(token_of(request))
        asked = request.query_params.get("tasks")
        if asked is not None:
            reading = tasks.Reading(who.spotcheck, who.annotator, _numbers(asked))
            (found,) = await run_in_threadpool(_texts, store(), [reading])
            return answer({"tasks": found})
        limit = max(1, min(_numbers(request.query_params.get("limit", "6"))[0], _WINDOW_LIMIT))
        return answer(await looking.ask(tasks.Asker(who.spotcheck, who.annotator, limit)))

    async def events(request: Request) -> Response:
        require_own_page(request)
        who = tokens.read(token_of(request))
        sound, refused = read_events(await json_body(request), who)
        recorded, progress = await saving.ask(_Submission(who, sound))
        return answer(
            {
                "acknowledged": recorded.acknowledged,
                "refused": [refusal._asdict() for refusal in [*refused, *recorded.refused]],
                "progress": {"done": progress.done, "total": progress.total},
            }
        )

    return [
        Route("/labeling/window", spoken(window), methods=["GET"]),
        Route("/labeling/events", spoken(events), methods=["POST"]),
    ]


class _Submission(NamedTuple):
    """The events of one request, and whose they are."""

    who: Pass
    events: list[LabelEvent]


class _Saved(NamedTuple):
    """What became of a submission's events, and how far its person is."""

    recorded: labels.Recorded
    progress: tasks.Progress


def _save(store: Store, submissions: Sequence[_Submission]) -> list[_Saved]:
    """The answers, once the events are on disk."""
    with in_words(store.path):
        recorded = labels.record_all(store, [submission.events for submission in submissions])
        return [
            _Saved(found, tasks.progress(store, spotcheck=who.spotcheck, annotator=who.annotator))
            for found, (who, _) in zip(recorded, submissions, strict=True)
        ]


def _windows(store: Store, askers: Sequence[tasks.Asker]) -> list[dict[str, Any]]:
    with in_words(store.path):
        found = tasks.windows(store, askers)
    read = _texts(
        store,
        [
            tasks.Reading(asker.spotcheck, asker.annotator, window.open[: asker.limit])
            for asker, window in zip(askers, found, strict=True)
        ],
    )
    near = [passage_id for window in found for passage_id in _near(window)]
    passages = texts.passages(store, near)
    return [
        _told(asker, window, read_texts, passages)
        for asker, window, read_texts in zip(askers, found, read, strict=True)
    ]


def _near(window: tasks.Window) -> list[str]:
    """The passages of the queries that the person is at."""
    open_tasks = set(window.open)
    open_queries = {task.query_id for task in window.order if task.task in open_tasks}
    return [task.passage_id for task in window.order if task.query_id in open_queries]


def _told(
    asker: tasks.Asker,
    window: tasks.Window,
    read: list[dict[str, Any]],
    passages: Mapping[str, Passage],
) -> dict[str, Any]:
    done, total, waiting = window.progress
    near = set(_near(window))
    return {
        "annotator": asker.annotator,
        "spotcheck": asker.spotcheck,
        "progress": {"done": done, "total": total},
        "waiting": waiting,
        "exhausted": total - done <= len(window.open),
        "order": [
            {
                "task": task.task,
                "query_id": task.query_id,
                "passage_id": task.passage_id,
                "title": passages[task.passage_id].title
                if task.passage_id in near and task.passage_id in passages
                else "",
                "own": task.own._asdict() if task.own else None,
            }
            for task in window.order
        ],
        "tasks": read,
    }


def _texts(store: Store, readings: Sequence[tasks.Reading]) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "task": text.task,
                "query": {name: getattr(text.query, name) for name in _QUERY},
                "passage": {name: getattr(text.passage, name) for name in _PASSAGE},
            }
            for text in found
        ]
        for found in tasks.all_texts(store, readings)
    ]


def read_events(body: object, who: Pass) -> tuple[list[LabelEvent], list[labels.Refusal]]:
    """The events of a POST as their person's, and those that cannot be read as one, with the
    reason.

    HTTPException 400 where the body is no list of events at all.
    """
    given = body.get("events") if isinstance(body, Mapping) else None
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise HTTPException(400, 'expected {"events": [...]}')
    if len(given) > EVENT_LIMIT:
        raise HTTPException(413, f"more than {EVENT_LIMIT} events at once")
    sound: dict[str, LabelEvent] = {}
    refused = []
    for one in given:
        name = one.get("event")
        if not isinstance(name, str):
            raise HTTPException(400, "an event has no id")
        why = _unreadable(one)
        if why:
            refused.append(labels.Refusal(name, why))
            continue
        sound.setdefault(
            name,
            LabelEvent(
                event=name,
                query_id=one["query_id"],
                passage_id=one["passage_id"],
                annotator=who.annotator,
                action=one["action"],
                grade=Grade(one["grade"]) if one.get("grade") else None,
                note=one.get("note") or "",
                spotcheck=who.spotcheck,
                client_at=one.get("at") or "",
                passage_hash=one.get("read") or "",
            ),
        )
    return list(sound.values()), refused


def _unreadable(one: Mapping[str, Any]) -> str:
    for name in ("query_id", "passage_id", "action"):
        if not isinstance(one.get(name), str):
            return f"{name} is missing"
    for name in ("grade", "note", "at", "read"):
        if not isinstance(one.get(name) or "", str):
            return f"{name} is not text"
    if one.get("grade") and one["grade"] not in set(Grade):
        return f"{one['grade']!r} is no grade"
    if len(one.get("note") or "") > NOTE_LIMIT or len(one.get("at") or "") > 64:
        return f"the note is longer than {NOTE_LIMIT} characters"
    if len(one.get("read") or "") > _HASH_LIMIT:
        return "what was read is no hash"
    return ""


def _numbers(text: str) -> list[int]:
    parts = text.split(",")[:_WINDOW_LIMIT]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise HTTPException(400, "expected numbers of tasks, separated by commas")
    return [int(part) for part in parts]
