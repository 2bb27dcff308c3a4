"""Thirty people play a lesson's game at once, each by themselves and on an own connection.

Phones are simulated as the browser's side of the app's own protocol, so that what is measured is
the server: from sending a click to the end of what it draws.
"""

from __future__ import annotations

import asyncio
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

ROOT = Path(__file__).parent.parent
PHONES, SECONDS = 30, 20.0
# Between a person's clicks, on average.
THINKING = 3.0
LESSON, MOVES = "two-rooms", ("Any question, by chance", "Play again")


def measure() -> Iterator[dict[str, Any]]:
    """Milliseconds from a click to its answer, for one phone and for thirty."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/class.db"
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "explorer", "--no-browser", "--port", "0"),
                *("--database", database),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            found = re.search(r":(\d+) ", server.stdout.readline())
            assert found is not None
            for phones in (1, PHONES):
                answers = asyncio.run(_all(int(found[1]), phones))
                times = sorted(taken for _, own, _ in answers for taken in own)
                yield {
                    "phones": phones,
                    "last_opened_ms": max(opened for opened, _, _ in answers),
                    "clicks": len(times),
                    "clicks/s": len(times) / SECONDS,
                    "median_ms": statistics.median(times),
                    "p95_ms": times[len(times) * 95 // 100],
                    "worst_ms": times[-1],
                    "games": sum(games for _, _, games in answers),
                }
        finally:
            server.kill()
            server.wait()


async def _all(port: int, phones: int) -> list[tuple[float, list[float], int]]:
    """All phones open the lesson at the same moment."""
    end = time.perf_counter() + SECONDS + THINKING
    return await asyncio.gather(*(_phone(port, end, random.Random(n)) for n in range(phones)))


async def _phone(port: int, end: float, rng: random.Random) -> tuple[float, list[float], int]:
    """How long one person waits for the page, and after each click; and the games they ended."""
    times: list[float] = []
    games = 0
    start = time.perf_counter()
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    async with connect(address, subprotocols=["streamlit"], max_size=None) as line:
        buttons = await _answered(line, _message(None))
        opened = 1e3 * (time.perf_counter() - start)
        while time.perf_counter() < end:
            await asyncio.sleep(rng.expovariate(1 / THINKING))
            name = next(buttons[move] for move in reversed(MOVES) if move in buttons)
            start = time.perf_counter()
            buttons = await _answered(line, _message(name))
            games += MOVES[1] in buttons
            times.append(1e3 * (time.perf_counter() - start))
    return opened, times, games


def _message(button: str | None) -> bytes:
    message = BackMsg()
    message.rerun_script.page_name = "learn"
    message.rerun_script.query_string = f"lesson={LESSON}"
    message.rerun_script.context_info.url = "http://127.0.0.1/learn"
    if button is not None:
        clicked = message.rerun_script.widget_states.widgets.add()
        clicked.id, clicked.trigger_value = button, True
    return message.SerializeToString()


async def _answered(line: Any, message: bytes) -> dict[str, str]:
    """Send, and read until all is drawn; the ids of the buttons by their labels."""
    await line.send(message)
    buttons: dict[str, str] = {}
    async for data in line:
        said = ForwardMsg.FromString(data)
        if said.WhichOneof("type") == "script_finished":
            return buttons
        element = said.delta.new_element
        if element.WhichOneof("type") == "button":
            # Labels are markdown, in which marks of all kinds are escaped.
            buttons.setdefault(element.button.label.replace("\\", ""), element.button.id)
    raise ConnectionError("The server has closed the connection.")
