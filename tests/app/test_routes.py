"""The labelling routes: who may ask, what is refused, and what several people's presses become."""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from labeler.app.exchange import BODY_LIMIT
from labeler.app.routes import NOTE_LIMIT, Tokens, labeling_routes
from labeler.app.together import Together
from labeler.model import Grade, Passage, Query
from labeler.store import corpora, labels, queries, spotchecks
from labeler.store.db import Store, open_store, utc_now

T = TypeVar("T")
TOKENS = Tokens("a secret of this test")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Six pairs of two queries, wanted once each."""
    with open_store(tmp_path / "labeler.duckdb") as opened:
        pairs = [(f"q{i // 3}", f"p{i}") for i in range(6)]
        texts = [Passage(p, f"Text of {p}.", title=f"Title {p}", scope="hr") for _, p in pairs]
        corpora.record(opened, texts, name="c")
        queries.record(opened, [Query("q0", "First?", as_of="2025-01-01"), Query("q1", "Second?")])
        check = spotchecks.SpotCheck("sc", 1, 6, 5, 1, "lexical", "", "", utc_now())
        spotchecks.record(
            opened,
            check,
            [spotchecks.Stratum("NO", 6, 6)],
            [spotchecks.Drawn(q, p, "NO", 1.0) for q, p in pairs],
        )
        yield opened


@pytest.fixture
def client(store: Store) -> TestClient:
    """The routes without Streamlit around them."""
    app = Starlette(routes=labeling_routes(lambda: store, tokens=TOKENS))
    return TestClient(app, base_url="http://labels.example", raise_server_exceptions=False)


def headers(person: str = "ada", **more: str) -> dict[str, str]:
    token = TOKENS.issue(annotator=person, spotcheck="sc")
    return {"Authorization": f"Bearer {token}", "Origin": "http://labels.example", **more}


def event(passage: str, **more: Any) -> dict[str, Any]:
    said = {"query_id": f"q{int(passage[1:]) // 3}", "passage_id": passage, "action": "label"}
    return {"event": str(uuid.uuid4()), **said, "grade": "YES", "note": "", "at": "", **more}


def post(client: TestClient, *events: dict[str, Any], person: str = "ada") -> dict[str, Any]:
    answer = client.post("/labeling/events", json={"events": events}, headers=headers(person))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_window_has_the_persons_tasks_in_order_and_the_texts_of_the_first(
    client: TestClient,
) -> None:
    answer = client.get("/labeling/window?limit=2", headers=headers())
    found = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    # The pairs of one query are handed out together: three for a limit of two.
    assert [(one["query_id"], one["passage_id"]) for one in found["order"]] == [
        ("q0", "p0"),
        ("q0", "p1"),
        ("q0", "p2"),
    ]
    assert found["progress"] == {"done": 0, "total": 6}
    assert not found["exhausted"]
    assert [one["task"] for one in found["tasks"]] == [1, 2]
    assert found["tasks"][0]["query"] == {
        "query_id": "q0",
        "text": "First?",
        "as_of": "2025-01-01",
        "scope": "",
    }
    assert found["tasks"][0]["passage"]["text"] == "Text of p0."


def test_texts_are_given_for_tasks_that_were_handed_out_and_for_no_others(
    client: TestClient,
) -> None:
    client.get("/labeling/window?limit=1", headers=headers())
    found = client.get("/labeling/window?tasks=2,6,1", headers=headers()).json()
    assert [one["task"] for one in found["tasks"]] == [2, 1]
    other = client.get("/labeling/window?tasks=1,2", headers=headers("grace")).json()
    assert other == {"tasks": []}


def test_events_are_stored_as_the_persons_own_whatever_they_claim(
    client: TestClient, store: Store
) -> None:
    client.get("/labeling/window", headers=headers())
    one = event("p0", annotator="grace", spotcheck="another", grade="PART", note="why")
    answer = post(client, one)
    assert answer == {
        "acknowledged": [one["event"]],
        "refused": [],
        "progress": {"done": 1, "total": 6},
    }
    (row,) = labels.current(store)
    assert (row.annotator, row.spotcheck, row.grade, row.note) == ("ada", "sc", Grade.PART, "why")


def test_a_label_names_the_text_that_was_read_though_an_import_has_changed_it_since(
    client: TestClient, store: Store
) -> None:
    window = client.get("/labeling/window", headers=headers()).json()
    read = window["tasks"][0]["passage"]["hash"]
    assert read == Passage("p0", "Text of p0.", title="Title p0", scope="hr").hash
    corpora.record(store, [Passage("p0", "Another text.")], name="c")
    post(client, event("p0", read=read))
    assert labels.outdated(store) == 1
    post(client, event("p0", read=Passage("p0", "Another text.").hash))
    assert labels.outdated(store) == 0
    post(client, event("p1"))  # a page that does not say what was read
    assert labels.outdated(store) == 0


def test_an_event_sent_again_is_acknowledged_again_and_adds_nothing(
    client: TestClient, store: Store
) -> None:
    client.get("/labeling/window", headers=headers())
    one, two = event("p0"), event("p1", grade="NO")
    for events in ((one,), (one, two, one), (two, one)):
        assert set(post(client, *events)["acknowledged"]) == {e["event"] for e in events}
    assert len(list(labels.history(store))) == 2


def test_a_pair_that_was_not_handed_to_the_person_is_refused_by_itself(client: TestClient) -> None:
    client.get("/labeling/window?limit=1", headers=headers())
    own, foreign = event("p0"), event("p5")
    answer = post(client, own, foreign)
    assert answer["acknowledged"] == [own["event"]]
    assert answer["refused"] == [
        {"event": foreign["event"], "why": "this pair was not handed to ada"}
    ]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"grade": "MAYBE"}, "'MAYBE' is no grade"),
        ({"grade": None}, "a label has a grade"),
        ({"grade": 3}, "grade is not text"),
        ({"action": "erase", "grade": None}, "'erase' is no action"),
        ({"action": None}, "action is missing"),
        ({"passage_id": 7}, "passage_id is missing"),
        ({"note": "x" * (NOTE_LIMIT + 1)}, "longer than"),
        ({"read": 7}, "read is not text"),
        ({"read": "x" * 101}, "no hash"),
        ({"event": "not-a-uuid"}, "no UUID"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_with_the_reason(
    client: TestClient, store: Store, wrong: dict[str, Any], why: str
) -> None:
    client.get("/labeling/window", headers=headers())
    good, bad = event("p0"), event("p1", **wrong)
    answer = post(client, bad, good)
    assert answer["acknowledged"] == [good["event"]]
    assert [one["event"] for one in answer["refused"]] == [bad["event"]]
    assert why in answer["refused"][0]["why"]
    assert len(list(labels.history(store))) == 1


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer made.up.token"}, 401),
        ({"Authorization": f"Bearer {Tokens('other').issue(annotator='a', spotcheck='sc')}"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_post_that_does_not_come_from_the_page_is_refused(
    client: TestClient, store: Store, sent: dict[str, str], status: int
) -> None:
    client.get("/labeling/window", headers=headers())
    body = json.dumps({"events": [event("p0")]})
    asked = {**headers(), "Content-Type": "application/json", **sent}
    answer = client.post("/labeling/events", content=body, headers=asked)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert list(labels.history(store)) == []


def test_without_an_origin_the_browser_must_vouch_for_the_page(client: TestClient) -> None:
    client.get("/labeling/window", headers=headers())
    bare = {name: value for name, value in headers().items() if name != "Origin"}
    body = {"events": [event("p0")]}
    assert client.post("/labeling/events", json=body, headers=bare).status_code == 403
    foreign = {**bare, "Sec-Fetch-Site": "cross-site"}
    assert client.post("/labeling/events", json=body, headers=foreign).status_code == 403
    assert client.get("/labeling/window", headers=foreign).status_code == 403
    vouched = {**bare, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/labeling/events", json=body, headers=vouched).status_code == 200


def test_an_expired_token_asks_for_another(store: Store) -> None:
    expired = Tokens("a secret of this test", life=-1)
    app = Starlette(routes=labeling_routes(lambda: store, tokens=expired))
    answer = TestClient(app).get(
        "/labeling/window", headers=headers() | {"Origin": "http://testserver"}
    )
    assert answer.status_code == 401
    assert "expired" in answer.json()["error"]


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"events": [1]}', '{"events": [{"action": "label"}]}', "\xff"]
)
def test_a_body_that_is_no_list_of_events_is_refused(client: TestClient, body: str) -> None:
    asked = headers(**{"Content-Type": "application/json"})
    assert client.post("/labeling/events", content=body, headers=asked).status_code == 400


def test_a_body_that_goes_too_deep_is_refused(client: TestClient) -> None:
    body = '{"events": ' + "[" * 100_000 + "]" * 100_000 + "}"
    more = headers(**{"Content-Type": "application/json"})
    answer = client.post("/labeling/events", content=body, headers=more)
    assert (answer.status_code, answer.json()) == (400, {"error": "the body is not JSON"})


def test_a_store_that_is_no_longer_there_stores_nothing_and_says_so(
    client: TestClient, store: Store
) -> None:
    client.get("/labeling/window", headers=headers())
    away = store.path.rename(store.path.with_name("away.duckdb"))
    one = event("p0")
    answer = client.post("/labeling/events", json={"events": [one]}, headers=headers())
    assert answer.status_code == 409
    assert "labeler.duckdb was deleted or moved away" in answer.json()["error"]
    away.rename(store.path)  # what the page kept meanwhile is taken now
    assert post(client, one)["acknowledged"] == [one["event"]]


def test_a_body_without_end_is_cut_off(client: TestClient) -> None:
    asked = headers(**{"Content-Type": "application/json"})
    answer = client.post("/labeling/events", content=b" " * (BODY_LIMIT + 1), headers=asked)
    assert answer.status_code == 413
    many = {"events": [event("p0") for _ in range(501)]}
    assert client.post("/labeling/events", json=many, headers=headers()).status_code == 413


@pytest.mark.parametrize("asked", ["tasks=", "tasks=1;2", "tasks=-1", "limit=x", "tasks=9e9"])
def test_numbers_that_are_none_are_refused(client: TestClient, asked: str) -> None:
    assert client.get(f"/labeling/window?{asked}", headers=headers()).status_code == 400


def test_an_unknown_spot_check_is_named(client: TestClient) -> None:
    token = TOKENS.issue(annotator="ada", spotcheck="gone")
    answer = client.get("/labeling/window", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 409
    assert "'gone'" in answer.json()["error"]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result, on an event loop of its own whatever this thread is at."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def test_what_arrives_while_one_is_on_its_way_is_answered_in_one_go_after_it() -> None:
    calls: list[list[str]] = []
    go_on = threading.Event()

    def shout(words: Sequence[str]) -> list[str]:
        calls.append(list(words))
        assert go_on.wait(10)
        return [word.upper() for word in words]

    async def all_at_once() -> list[str]:
        together = Together(shout)
        first = asyncio.create_task(together.ask("a"))
        while not calls:
            await asyncio.sleep(0.001)
        rest = [asyncio.create_task(together.ask(word)) for word in "bcb"]
        await asyncio.sleep(0.01)
        go_on.set()
        return list(await asyncio.gather(first, *rest))

    assert run(all_at_once()) == ["A", "B", "C", "B"]
    assert calls == [["a"], ["b", "c", "b"]]


def test_a_question_that_fails_does_not_stop_anothers() -> None:
    def shout(words: Sequence[str]) -> list[str]:
        if "poison" in words:
            raise ValueError("cannot be said")
        return [word.upper() for word in words]

    async def both() -> list[str | BaseException]:
        together = Together(shout)
        asked = (together.ask("poison"), together.ask("good"))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    poison, good = run(both())
    assert isinstance(poison, ValueError)
    assert good == "GOOD"


def test_people_who_come_at_once_are_handed_different_pairs(client: TestClient) -> None:
    with client, ThreadPoolExecutor(4) as threads:  # as a server has it: one event loop
        found = list(
            threads.map(
                lambda name: client.get("/labeling/window?limit=1", headers=headers(name)).json(),
                ["ada", "grace", "ada", "grace"],
            )
        )
    held = {answer["annotator"]: {one["task"] for one in answer["order"]} for answer in found}
    assert sorted(map(sorted, held.values())) == [[1, 2, 3], [4, 5, 6]]
