"""The gate: pauses that hold for everyone, and how many are let in."""

from __future__ import annotations

import asyncio

import pytest

from labeler.judges.gate import Closed, Gate


def _never():
    return False


async def _let_in(gate):
    return await asyncio.wait_for(gate.__aenter__(), 1)


def test_no_more_calls_are_let_in_than_may_be_in_flight():
    async def scene():
        gate = Gate(2, stop=_never)
        await _let_in(gate)
        await _let_in(gate)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(gate.__aenter__(), 0.05)
        await gate.__aexit__(None, None, None)
        await _let_in(gate)

    asyncio.run(scene())


def test_a_rate_limit_pauses_everyone_for_as_long_as_the_service_says():
    async def scene():
        loop = asyncio.get_running_loop()
        gate = Gate(8, stop=_never)
        entered = await _let_in(gate)
        gate.limited(entered, 0.2)
        started = loop.time()
        await asyncio.gather(*(_let_in(gate) for _ in range(3)))
        assert 0.2 <= loop.time() - started < 0.6

    asyncio.run(scene())


def test_what_was_in_flight_at_a_limit_halves_the_number_once():
    async def scene():
        gate = Gate(8, stop=_never)
        entries = [await _let_in(gate) for _ in range(8)]
        for entered in entries:
            gate.limited(entered, 0.01)
            await gate.__aexit__(None, None, None)
        for _ in range(4):  # 8 halved once
            await _let_in(gate)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(gate.__aenter__(), 0.05)

    asyncio.run(scene())


def test_replies_let_the_number_grow_again():
    async def scene():
        gate = Gate(4, stop=_never)
        entered = await _let_in(gate)
        gate.limited(entered, 0.01)  # 2 may be in flight, and half a call more for each reply
        for _ in range(4):
            gate.through()
        for _ in range(3):
            await _let_in(gate)

    asyncio.run(scene())


def test_who_waits_is_sent_away_when_the_gate_closes_or_the_run_is_stopped():
    async def scene():
        stopped = []
        gate = Gate(1, stop=lambda: bool(stopped))
        await _let_in(gate)
        waiting = asyncio.create_task(gate.__aenter__())
        await asyncio.sleep(0.02)
        stopped.append(True)
        with pytest.raises(Closed):
            await asyncio.wait_for(waiting, 1)
        gate.close()
        with pytest.raises(Closed):
            await _let_in(gate)

    asyncio.run(scene())
