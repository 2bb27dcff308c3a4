"""In the server's process: which files of the package are passed, by tracing the connections."""

import asyncio
import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import explorer
from explorer.server.connection import Connection

PACKAGE = f"{Path(explorer.__file__).parent}/"

Tracer = Callable[[FrameType, str, Any], Any]
# The functions that were passed, by their file in the package.
passed: dict[str, set[str]] = {}
in_thread = Connection._in_thread


def in_function(frame: FrameType, event: str, _: Any) -> Tracer | None:
    """Trace a function that is called, or a coroutine that goes on, if it is of the package."""
    return at_line if frame.f_code.co_filename.startswith(PACKAGE) else None


def at_line(frame: FrameType, event: str, _: Any) -> Tracer:
    """Record that a line is run."""
    if event == "line":
        code = frame.f_code
        passed.setdefault(code.co_filename.removeprefix(PACKAGE), set()).add(code.co_name)
    return at_line


async def in_traced_thread(connection: Connection, act: Callable[[], Any]) -> Any:
    """Do what a connection does in a thread, and trace it."""

    def traced() -> Any:
        sys.settrace(in_function)
        try:
            return act()
        finally:
            sys.settrace(None)

    return await in_thread(connection, traced)


def trace_loop(tracer: Tracer | None) -> None:
    """Trace the event loop in which the open connections are, or end that."""
    loops: set[asyncio.AbstractEventLoop]
    loops = {each._loop for each in gc.get_objects() if isinstance(each, Connection)}
    done = threading.Event()

    def trace() -> None:
        sys.settrace(tracer)
        done.set()

    (loop,) = loops
    loop.call_soon_threadsafe(trace)
    assert done.wait(30)


def begin() -> None:
    """Trace what connections do. Other threads of the server, such as timers, do not count."""
    passed.clear()
    Connection._in_thread = in_traced_thread
    trace_loop(in_function)


def end() -> dict[str, set[str]]:
    """Stop tracing; return the functions that were passed, by file."""
    trace_loop(None)
    Connection._in_thread = in_thread
    return passed
