"""One person's tab in a real browser, and what it saw."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from tests.browser.serving import Pair, Row


class Press(NamedTuple):
    """A key as the page got it, and the pair that was drawn at that moment."""

    key: str
    pair: Pair | None
    accepted: bool


# Runs before the page's own listener: what was drawn when a key came, whether it counted by the
# time it was let go, and how long the next passage took.
RECORDER = """
  const drawn = () => {
    const card = document.querySelector('[data-testid=labeling-card]');
    return card?.dataset.passageId ? [card.dataset.queryId, card.dataset.passageId] : null;
  };
  const seen = JSON.parse(sessionStorage.getItem('presses') || '[]');
  const down = new Map();
  addEventListener('keyup', ({key}) => {
    if (!down.has(key)) return;
    const refused = document.querySelector('[data-testid=message]')?.dataset.kind === 'refused';
    seen.push([key, down.get(key), Boolean(down.get(key)) && !refused]);
    down.delete(key);
    sessionStorage.setItem('presses', JSON.stringify(seen));
  }, {capture: true});
  window.latencies = [];
  addEventListener('keydown', (press) => {
    const before = drawn();
    down.set(press.key, before);
    requestAnimationFrame(() => {
      const channel = new MessageChannel(); // its message comes after the frame is painted
      channel.port1.onmessage = () => {
        const after = drawn();
        if (!before || !after || before[1] === after[1]) return;
        latencies.push(performance.now() - press.timeStamp);
      };
      channel.port2.postMessage(0);
    });
  }, {capture: true});
"""


class Desk:
    """One person's labelling page in one tab."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.add_init_script(RECORDER)
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self) -> Desk:
        """Go to the page, and wait for the first passage."""
        self.page.goto(self.address)
        return self.ready()

    def ready(self) -> Desk:
        """Wait until a passage is drawn, and long enough that a press on it counts."""
        self.page.wait_for_selector("[data-testid=labeling-card][data-passage-id]", timeout=30_000)
        self.page.wait_for_timeout(200)
        return self

    def drawn(self) -> Pair | None:
        """The pair on the screen."""
        found = self.page.evaluate(
            "(({dataset}) => dataset.passageId ? [dataset.queryId, dataset.passageId] : null)"
            "(document.querySelector('[data-testid=labeling-card]'))"
        )
        return Pair(*found) if found else None

    def press(self, *keys: str, every: int = 150) -> None:
        """Press keys, `every` so many milliseconds."""
        for key in keys:
            self.page.keyboard.press(key)
            time.sleep(every / 1000)

    def presses(self) -> list[Press]:
        """Every key since the tab was opened, with what was drawn when it came."""
        self.page.wait_for_timeout(50)
        return [
            Press(key, Pair(*pair) if pair else None, accepted)
            for key, pair, accepted in self.page.evaluate(
                "JSON.parse(sessionStorage.getItem('presses') || '[]')"
            )
        ]

    def wanted(self) -> list[Row]:
        """The rows that the accepted grade keys must have made, in order."""
        grades = {"y": "YES", "p": "PART", "n": "NO", "1": "YES", "2": "PART", "3": "NO"}
        return [
            Row(press.pair, "label", grades[press.key])
            for press in self.presses()
            if press.accepted and press.pair and press.key in grades
        ]

    def pending(self) -> int:
        """Events that the server has not acknowledged."""
        return int(self.page.get_by_test_id("save-state").get_attribute("data-pending"))

    def settled(self, timeout: int = 30_000) -> Desk:
        """Wait until everything is acknowledged."""
        self.page.wait_for_selector(
            "[data-testid=save-state][data-pending='0']", timeout=timeout, state="attached"
        )
        return self

    def progress(self) -> tuple[int, int]:
        """Done, and in all."""
        shown = self.page.get_by_test_id("progress")
        return int(shown.get_attribute("data-done")), int(shown.get_attribute("data-total"))

    def message(self) -> str:
        """The line that says what the last press did."""
        return str(self.page.get_by_test_id("message").inner_text())


class Wire(NamedTuple):
    """What the server sent to a page: Streamlit's websocket frames, the routes' answers."""

    frames: list[bytes]
    answers: list[bytes]


def listen(page: Any) -> Wire:
    wire = Wire([], [])

    def frame(payload: str | bytes) -> None:
        wire.frames.append(payload if isinstance(payload, bytes) else payload.encode())

    def answer(response: Any) -> None:
        if "/labeling/" in response.url:
            wire.answers.append(response.body())

    page.on("websocket", lambda socket: socket.on("framereceived", frame))
    page.on("response", answer)
    return wire
