"""What plays episodes: one function an engine, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from explorer.studies.inspect import has_inspect
from explorer.studies.job import Run
from explorer.studies.points import Point

__all__ = ["Engine", "engine_named"]

# Plays points, and hands what comes of them to `run.keep` and `run.fail`, until none is left or
# `run.progress.stopped`. What ends the whole run (a key that is refused) it raises as a StudyError.
Engine: TypeAlias = Callable[[Sequence[Point], Run], None]


def engine_named(name: str) -> Engine:
    """Return the engine of a condition; models are asked by Inspect where it is installed."""
    if name == "executor":
        from explorer.studies.executing import play

        return play
    if has_inspect():
        from explorer.studies.inspecting import play_on_inspect

        return play_on_inspect
    from explorer.studies.asking import play_over_http

    return play_over_http
