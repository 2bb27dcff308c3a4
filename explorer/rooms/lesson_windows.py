"""What the page draws of a lesson in a room, and what the window's line brings beside that.

A step, an answer or a timer is on a window's strip as soon as the line has told of it. The page
runs again only where what it draws has changed: nobody's does because others have answered.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from explorer.lessons.lesson import Block
from explorer.rooms.lesson_now import lead_now, person_now, projector_now
from explorer.rooms.lesson_room import LessonRoom
from explorer.rooms.lesson_views import Part, lead_view, person_view, projector_view

__all__ = ["NOW", "lesson_window"]

NOW = "now"
"""What a window calls its strip."""

Live = dict[str, dict[str, Any]]


def lesson_window(at: LessonRoom, kind: str, person: int | None = None) -> tuple[str, Live]:
    """What a window shows, for who may look in this way.

    Parameters
    ----------
    at : LessonRoom
    kind : {"person", "lead", "projector", "gallery"}
        Spectators hear when the projector goes on, and are told nothing by their line.
    person : int, optional

    Returns
    -------
    facts : str
        Differs exactly if what the page draws does. It is not to be sent.
    live : dict
        What the line brings: the strip, and the charts of what is at hand, as data of
        ``explorer/front/now.js`` and ``tally.js``.
    """
    if kind == "person" and person is not None:
        facts, live = _of_person(at, person)
    else:
        facts, live = _of_lead(at) if kind == "lead" else _in_front(at)
    if kind == "gallery":
        live = {}
    known = [at.room.phase, at.room.code, at.lesson.mark, facts]
    return json.dumps(known, default=_plain, sort_keys=True), live


def _of_person(at: LessonRoom, person: int) -> tuple[Any, Live]:
    view = person_view(at, person)
    before = [(at.pace.key(place), at.pace.told(at.pace.key(place))) for place in view.before]
    facts = [view.led, view.step, view.parts, before, at.room.person(person).left]
    return facts, {NOW: person_now(at, view, person)}


def _in_front(at: LessonRoom) -> tuple[Any, Live]:
    view = projector_view(at)
    now = projector_now(view)
    here = None if view.step else [view.people, view.rehearsal]
    facts = [view.step, here, [_still(part) for part in view.parts]]
    return facts, _charts(view.parts) | ({} if now is None else {NOW: now})


def _of_lead(at: LessonRoom) -> tuple[Any, Live]:
    view = lead_view(at)
    part = view.asking
    steps = [[_still(part) for part in step] for step in view.steps]
    here = [person.shown for person in at.room.here if not person.bot]
    facts = [view.led, view.step, steps, view.in_pairs, view.pairs, here, view.bots]
    # Pairs first agree on a plan: until somebody has answered, other things can be done.
    facts.append(part is not None and bool(part.answered))
    return facts, _charts(view.at_hand) | {NOW: lead_now(view)}


def _charts(parts: Iterable[Part]) -> Live:
    return {part.live: {"charts": list(part.charts)} for part in parts if part.stage is not None}


def _still(part: Part) -> Part:
    """Without what moves while the page stays."""
    return dataclasses.replace(part, charts=(), answered=0)


def _plain(value: Any) -> Any:
    if isinstance(value, Block):
        # What is in it follows from the lesson, its place, and whether it is told.
        return None
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return str(value)
