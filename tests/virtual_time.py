"""An event loop whose time passes at once, for code that waits and asks nobody outside."""

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["run"]


class _Loop(asyncio.SelectorEventLoop):
    """A loop that moves its clock on to the next timer when nothing else is left to do."""

    _now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self._now = max(self._now, self._scheduled[0]._when)
        super()._run_once()


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine as `asyncio.run` does, without waiting for real time."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
