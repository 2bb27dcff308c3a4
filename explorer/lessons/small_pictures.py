"""Each lesson in small: the graph of its game, the schedule that it plays on, or its chart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from explorer.lessons.experiment import ExperimentResult
from explorer.lessons.game import GraphDrawing
from explorer.lessons.lesson import Block, Lesson
from explorer.lessons.library import experiment, game
from explorer.pictures import Picture, Theme, small_bars, small_graph, small_schedule
from nip_core.registry import protocol_names

__all__ = ["small_picture"]


def small_picture(lesson: Lesson, theme: Theme = "light") -> Picture | None:
    """Return what a lesson's card shows, if the lesson has something to draw.

    Parameters
    ----------
    lesson : Lesson
    theme : {"light", "dark"}
    """
    games = [block for block in lesson.blocks if block.kind == "game"]
    for block in games:
        graph = _opening_graph(block)
        if graph is not None:
            return small_graph(graph.title, graph.edges, graph.places, theme)
    protocol = _opened(lesson.blocks)
    tried = next((block for block in lesson.blocks if block.kind == "experiment"), None)
    if tried is not None and (protocol is None or not games):
        found = _result(tried.name, tuple((tried.settings or {}).items()))
        bars = [(str(row[found.by]), float(row[found.y])) for row in found.rows]
        return small_bars(lesson.title, found.sentence, bars, theme)
    return None if protocol is None else small_schedule(protocol, theme)


def _opening_graph(block: Block) -> GraphDrawing | None:
    played = game(block.name)
    role = block.role or played.roles[0].name
    scene = played.scene(played.start(role, block.settings or {}, Random(0)))
    return next((each for each in scene.drawings if isinstance(each, GraphDrawing)), None)


def _opened(blocks: Sequence[Block]) -> str | None:
    """Return the first protocol that the lesson links to."""
    asked = ((block.settings or {}).get("protocol") for block in blocks if block.kind == "open")
    return next((name for name in asked if name in protocol_names()), None)


# Exact values take a moment, and a class opens the page at once.
@lru_cache(64)
def _result(name: str, settings: tuple[tuple[str, Any], ...]) -> ExperimentResult:
    tried = experiment(name)
    return tried.run({knob.name: knob.default for knob in tried.knobs} | dict(settings))
