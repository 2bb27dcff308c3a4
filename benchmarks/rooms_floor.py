"""The minimal page: one number per group, on Streamlit as we serve it, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config

from explorer.server import open_socket

numbers: Counter[str] = Counter()
waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
loops: list[asyncio.AbstractEventLoop] = []


def bump(group: str) -> None:
    """Record that somebody in a group has said something."""
    numbers[group] += 1
    for event in list(waiting[group]):
        loops[0].call_soon_threadsafe(event.set)


async def push(socket: WebSocket) -> None:
    """Send each number."""
    await socket.accept()
    loops[:] = [asyncio.get_running_loop()]
    group, changed = socket.query_params["group"], asyncio.Event()
    waiting[group].add(changed)
    gone = asyncio.create_task(socket.receive())
    try:
        while not gone.done():
            change = asyncio.create_task(changed.wait())
            await asyncio.wait({change, gone}, return_when=asyncio.FIRST_COMPLETED)
            changed.clear()
            await socket.send_text(json.dumps({"mark": str(numbers[group])}))
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        waiting[group].discard(changed)


def main() -> None:
    """Serve it, as the app is served."""
    config.set_option("runner.postScriptGC", False)
    app = st.App(
        Path(__file__).with_name("rooms_floor_page.py"), routes=[WebSocketRoute("/push", push)]
    )
    bound = open_socket("127.0.0.1", 0)
    print(f"http://127.0.0.1:{bound.getsockname()[1]} ", flush=True)
    served = uvicorn.Config(app, ws="websockets-sansio", access_log=False, log_level="warning")
    uvicorn.Server(served).run(sockets=[bound])


if __name__ == "__main__":
    # The page imports this module by its name, and must find the same one.
    from benchmarks import rooms_floor

    rooms_floor.main()
