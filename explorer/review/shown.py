"""A review as plain data, for the browser."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from explorer.review.beliefs import courses
from explorer.review.lies import first_lies
from explorer.review.questions import best_question, what_could_be_asked
from explorer.review.readings import readings
from explorer.review.sights import sightings
from nip_core.play import Episode
from nip_core.tasks import VERDICTS

__all__ = ["shown"]

# Working out what would have been answered takes a moment, and pages ask for the same again.
_known: WeakKeyDictionary[Episode, dict[tuple[int, int], dict[str, Any]]] = WeakKeyDictionary()


def shown(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """All that can be learned from a line, the present one if it is left out.

    Rounds count from 0. Every text in it is to be shown as text.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    told = episode.finished()
    here = told.node.id if node is None else node
    known = _known.setdefault(episode, {})
    key = here, len(episode.events)
    if key not in known:
        known.clear()
        known[key] = _shown(told, here)
    return known[key]


def _shown(told: Episode, node: int) -> dict[str, Any]:
    asked = what_could_be_asked(told, node)
    best = best_question(asked)
    return {
        "truth": VERDICTS[told.task.y],
        "courses": [
            {
                "agent": course.agent,
                "notes": [list(note) for note in course.notes],
                "brier": round(course.brier, 4),
                "swing": None if course.swing is None else list(course.swing),
            }
            for course in courses(told, node)
        ],
        "question": None
        if best is None
        else {
            "round": best.round,
            "question": best.question,
            "before": best.before,
            "after": round(best.after),
            "gain": round(best.gain),
            "differ": round(100 * best.differ),
        },
        # Was there anything to choose from?
        "could_ask": bool(asked),
        "lies": [
            {
                "round": lie.round,
                "agent": lie.agent,
                "quote": lie.quote,
                "why": lie.why,
                "facts": [list(fact) for fact in lie.facts],
            }
            for lie in first_lies(told, node)
        ],
        "sights": _sights(told, node),
        "readings": [
            {
                "round": each.round,
                "agent": each.agent,
                "verdict": None if each.decision is None else VERDICTS[each.decision],
                "parts": [
                    [kind, told.spec.channel_title(channel) if channel else "", text]
                    for kind, channel, text in each.parts
                ],
            }
            for each in readings(told, node)
        ],
    }


def _sights(told: Episode, node: int) -> list[dict[str, Any]]:
    """Who could read what. What one has written on several channels at once stands there once."""
    found: dict[tuple[int, str, str], dict[str, Any]] = {}
    for each in sightings(told, node):
        one = found.setdefault(
            (each.round, each.sender, each.text),
            {"round": each.round, "sender": each.sender, "text": each.text, "read_by": {}},
        )
        one["read_by"] |= each.read_by
    return list(found.values())
