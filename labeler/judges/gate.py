"""One gate for all calls of a run: how many are in flight, and a pause that holds for everyone.

A rate limit pauses everyone for as long as the service says and halves what may be in flight; each
reply that comes through lets it grow again. Where the service says no time, the pauses are a
quarter of a second, and longer and longer after some through which nothing came. The calls that a
limit caught in flight count as one event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

_FIRST_PAUSE = 0.25
_SHORT_PAUSES = 4
_LONGEST_PAUSE = 30.0
_GROWTH = 0.5  # calls more in flight for each reply
_TURN = 0.01  # seconds between two looks at a full house
_LOOK = 0.1  # seconds between two looks at `stop` while waiting


class Closed(Exception):
    """No further call is to be made."""


class Gate:
    """For one event loop. `most` calls in flight at most; `stop` is asked while anybody waits."""

    def __init__(self, most: int, *, stop: Callable[[], bool]) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._stop = stop
        self._closed = False
        self._flying = 0
        self._paused_until = 0.0
        self._eased_at = 0.0
        self._pauses = 0
        self._limited_since: float | None = None

    async def __aenter__(self) -> float:
        """Wait for a place; the moment of entry, which `limited` wants back."""
        while True:
            if self._closed or self._stop():
                raise Closed
            pause = self._paused_until - _now()
            if pause <= 0 and self._flying < int(self._limit):
                self._flying += 1
                return _now()
            await asyncio.sleep(min(pause, _LOOK) if pause > 0 else _TURN)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._flying -= 1

    def through(self) -> None:
        """A call was answered."""
        self._pauses = 0
        self._limited_since = None
        self._limit = min(self._most, self._limit + _GROWTH)

    def limited(self, entered: float, retry_after: float | None) -> None:
        """A call that entered at `entered` was told to slow down."""
        now = _now()
        if self._limited_since is None:
            self._limited_since = now
        if entered >= self._eased_at:  # else it left before the last pause: that one counts for it
            self._eased_at = now
            self._limit = max(1.0, self._limit / 2)
            self._pauses += 1
        pause = retry_after
        if pause is None:
            longer = max(0, self._pauses - _SHORT_PAUSES)
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**longer)
        self._paused_until = max(self._paused_until, now + pause)

    def stuck_for(self) -> float:
        """Seconds for which a limit has let nothing through."""
        return 0.0 if self._limited_since is None else _now() - self._limited_since

    def close(self) -> None:
        """Let nobody in any more."""
        self._closed = True


def _now() -> float:
    return asyncio.get_running_loop().time()
