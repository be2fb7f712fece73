"""A loopback server that speaks the judge's service: messages, token counting, models, batches.

It answers by the query's text (`verdict_for`), counts what it was asked, and misbehaves on order.
`Claude` runs it in a thread of this process; the real client is pointed at `url`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.servers.answers import KEY, LIMIT, MISCHIEF, Answer, error, graded, message, verdict_for


@dataclass
class Options:
    """How the server behaves. `rate` requests a second and 429 beyond, where it is not 0.

    `window` is "fixed", "sliding" or "bucket"; `retry_after` what a 429 says ("" says nothing).
    `orders` are names of MISCHIEF: the first requests get them, one each; `always` goes to all.
    `write` makes the object that answers a request for anything but a grade from its parameters.
    `echo_key` repeats the caller's key in error bodies, as careless proxies do.
    """

    latency: float = 0.0
    rate: int = 0
    window: str = "sliding"
    retry_after: str = ""
    orders: list[str] = field(default_factory=list)
    always: str = ""
    batch_ends: bool = True
    echo_key: bool = False
    capabilities: dict[str, Any] | None = None
    write: Callable[[dict[str, Any]], Any] | None = None


class Claude:
    """The server in a thread.

    A context manager. `paid` counts the messages answered with 200, by request.
    """

    def __init__(self, options: Options | None = None, **changes: Any) -> None:
        self.options = replace(options or Options(), **changes)
        self.asked: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self.seen: list[dict[str, Any]] = []
        self.authorization: set[str] = set()
        self.batches: dict[str, dict[str, Any]] = {}
        self.batch_orders: dict[int, str] = {}
        self.port = 0
        self._told_of: set[tuple[str, int]] = set()
        self._hits: deque[float] = deque()
        self._tokens = float(self.options.rate)
        self._filled = 0.0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        """Where the client is to be pointed."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Claude:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopped = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.authorization.add(headers.get("authorization", "") + headers.get("x-api-key", ""))
        answer = await self._answer(method, path.split("?")[0], body)
        if self.options.echo_key and answer.status >= 400:
            answer = answer._replace(body=answer.body.replace("down", f"down {KEY}"))
        if answer.delay:
            await asyncio.sleep(answer.delay)
        raw = answer.body.encode()
        sent = {"content-type": "application/json", "request-id": "req_loopback"}
        sent.update(answer.headers)
        sent["content-length"] = str(len(raw))
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        writer.write(f"HTTP/1.1 {answer.status} Said\r\n{lines}\r\n".encode())
        if answer.drops:
            for byte in raw:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.1)
            return True
        writer.write(raw[: len(raw) // 2] if answer.cut else raw)
        await writer.drain()
        return not answer.cut

    async def _answer(self, method: str, path: str, body: bytes) -> Answer:
        self.asked[f"{method} {path}"] += 1
        if path == "/v1/messages":
            return await self._message(json.loads(body))
        if path == "/v1/messages/count_tokens":
            return Answer(200, json.dumps({"input_tokens": len(body) // 4}))
        if path.startswith("/v1/models/"):
            return self._model(path.rpartition("/")[2])
        if path == "/v1/messages/batches":
            return self._create(json.loads(body)) if method == "POST" else self._list()
        if path.startswith("/v1/messages/batches/"):
            return self._batch(path)
        return error(404, "not_found_error", f"no route {path}")

    async def _message(self, params: dict[str, Any]) -> Answer:
        if self._over_the_limit():
            after = self.options.retry_after
            headers = (("retry-after", after),) if after else ()
            return Answer(429, json.dumps(LIMIT), headers)
        if self.options.latency:
            await asyncio.sleep(self.options.latency)
        order = self.options.always
        if self.options.orders:
            order = self.options.orders.pop(0)
        if order and order in MISCHIEF:
            answer = MISCHIEF[order]
        else:
            answer = Answer(200, self._reply(params))
        if answer.status == 200:
            self.paid[json.dumps(params, sort_keys=True)] += 1
            self.seen.append(params)
        return answer

    def _reply(self, params: dict[str, Any]) -> str:
        schema = params.get("output_config", {}).get("format", {}).get("schema", {})
        if self.options.write is not None and "grade" not in schema.get("properties", {}):
            return message(json.dumps(self.options.write(params)))
        return graded(verdict_for(params["messages"][0]["content"]))

    def _over_the_limit(self) -> bool:
        rate, now = self.options.rate, time.monotonic()
        if not rate:
            return False
        if self.options.window == "bucket":
            filled = self._tokens + (now - self._filled) * rate if self._filled else rate
            self._tokens, self._filled = min(float(rate), filled), now
            if self._tokens < 1:
                return True
            self._tokens -= 1
            return False
        if self.options.window == "fixed":
            while self._hits and int(self._hits[0]) != int(now):
                self._hits.popleft()
        else:
            while self._hits and self._hits[0] <= now - 1:
                self._hits.popleft()
        if len(self._hits) >= rate:
            return True
        self._hits.append(now)
        return False

    def _model(self, name: str) -> Answer:
        if self.options.always in ("wrong key", "forbidden"):
            return MISCHIEF[self.options.always]
        if not name.startswith("claude-") or name == "claude-nope":
            return error(404, "not_found_error", f"model: {name}")
        told = {
            "id": name,
            "type": "model",
            "display_name": name.title(),
            "created_at": "2026-10-07T00:00:00Z",
            "lifecycle": "active",
            "max_tokens": 128_000,
            "capabilities": self.options.capabilities,
        }
        return Answer(200, json.dumps(told))

    def _create(self, told: dict[str, Any]) -> Answer:
        if self.options.always in MISCHIEF:
            return MISCHIEF[self.options.always]
        name = f"msgbatch_{len(self.batches) + 1}"
        self.batches[name] = {"requests": told["requests"], "made": time.time()}
        return Answer(200, json.dumps(self._told(name)))

    def _told(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        ended, count = self.options.batch_ends, len(batch["requests"])
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch["made"]))
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        counts["succeeded" if ended else "processing"] = count
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": made,
            "expires_at": made,
            "ended_at": made if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def _list(self) -> Answer:
        told = [self._told(name) for name in reversed(self.batches)]
        ends = {"first_id": None, "last_id": None, "has_more": False}
        return Answer(200, json.dumps({"data": told, **ends}))

    def _batch(self, path: str) -> Answer:
        name, _, tail = path.removeprefix("/v1/messages/batches/").partition("/")
        if name not in self.batches:
            return error(404, "not_found_error", "no such batch")
        if tail != "results":
            return Answer(200, json.dumps(self._told(name)))
        lines = [
            json.dumps({"custom_id": one["custom_id"], "result": self._result(name, place, one)})
            for place, one in enumerate(self.batches[name]["requests"])
        ]
        jsonl = (("content-type", "application/x-jsonl"),)
        return Answer(200, "\n".join(reversed(lines)) + "\n", jsonl)

    def _result(self, name: str, place: int, one: dict[str, Any]) -> dict[str, Any]:
        order = self.batch_orders.get(place, "succeeded")
        if order in ("expired", "canceled"):
            return {"type": order}
        if order.startswith("errored"):
            kind = order.partition(" ")[2] or "api_error"
            told = {"type": "error", "error": {"type": kind, "message": "it went wrong"}}
            return {"type": "errored", "error": told}
        body = MISCHIEF[order].body if order in MISCHIEF else self._reply(one["params"])
        if (name, place) not in self._told_of:  # however often the results are fetched
            self._told_of.add((name, place))
            self.paid[json.dumps(one["params"], sort_keys=True)] += 1
        return {"type": "succeeded", "message": json.loads(body)}
