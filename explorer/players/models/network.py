"""The thread on which all requests are made: however many there are, none waits for another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["on_network"]

# Looking up a name takes a thread; one that takes long must not hold up the others.
LOOKUPS = 64

T = TypeVar("T")

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def on_network(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin some work there, and return at once. To cancel the future is to cancel the work."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        if not _loops:
            loop = asyncio.new_event_loop()
            loop.set_default_executor(ThreadPoolExecutor(LOOKUPS, "llm-lookup"))
            threading.Thread(target=loop.run_forever, name="llm", daemon=True).start()
            _loops.append(loop)
        return _loops[0]
