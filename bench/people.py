"""Annotators at work, driven over HTTP as the labelling page drives it: a process of its own.

    python bench/people.py PORT SPOTCHECK SECONDS PAUSE TOKEN ...

Each person, a token, asks for a window, labels what it holds, one press every PAUSE seconds or so,
and asks again before it runs dry. Writes {"posts": [ms], "windows": [ms], "refused": n} as JSON.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any


class Person:
    """One annotator with a connection of their own."""

    def __init__(self, port: int, token: str, pause: float) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Origin": f"http://127.0.0.1:{port}",
            "Content-Type": "application/json",
        }
        self._pause = pause
        self._luck = random.Random(token)
        self.posts: list[float] = []
        self.windows: list[float] = []
        self.refused = 0

    def work(self, until: float) -> None:
        """Label until a moment of the monotonic clock, or until there is nothing left."""
        waiting: dict[int, Mapping[str, Any]] = {}
        done: set[int] = set()
        time.sleep(self._luck.random() * self._pause)
        while time.monotonic() < until:
            if len(waiting) < 3:
                found = self._call("GET", "/labeling/window?limit=6", self.windows)
                waiting |= {one["task"]: one for one in found["tasks"] if one["task"] not in done}
                if not waiting:
                    return
            task, one = next(iter(waiting.items()))
            del waiting[task]
            done.add(task)
            self._label(one)
            time.sleep(self._luck.uniform(0.5, 1.5) * self._pause)

    def _label(self, one: Mapping[str, Any]) -> None:
        event = {
            "event": str(uuid.uuid4()),
            "task": one["task"],
            "query_id": one["query"]["query_id"],
            "passage_id": one["passage"]["passage_id"],
            "action": "label",
            "grade": self._luck.choice(["NO", "PART", "YES"]),
        }
        answer = self._call("POST", "/labeling/events", self.posts, {"events": [event]})
        self.refused += len(answer["refused"])

    def _call(self, method: str, path: str, times: list[float], body: object = None) -> Any:
        text = None if body is None else json.dumps(body)
        began = time.perf_counter()
        self._connection.request(method, path, text, self._headers)
        with self._connection.getresponse() as response:
            answer = response.read()
        times.append(1e3 * (time.perf_counter() - began))
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {answer[:200]!r}")
        return json.loads(answer)


def main(port: str, _spotcheck: str, seconds: str, pause: str, *tokens: str) -> None:
    """Let everybody work at once, and write what they saw."""
    people = [Person(int(port), token, float(pause)) for token in tokens]
    until = time.monotonic() + float(seconds)
    threads = [threading.Thread(target=person.work, args=(until,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {
        "posts": [ms for person in people for ms in person.posts],
        "windows": [ms for person in people for ms in person.windows],
        "refused": sum(person.refused for person in people),
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
