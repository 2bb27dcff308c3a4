"""Lessons as plain data for the site, and their games and experiments in the worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from explorer.lessons import (
    Block,
    Lesson,
    LessonAlone,
    LessonRequestError,
    all_playables,
    exchanged,
    experiment_data,
    gain_data,
    lessons,
    part_data,
    playable,
    small_picture,
    solution_data,
    step_digests,
)
from explorer.play import sent_object

VERSION = 1


def lesson_cards() -> list[dict[str, Any]]:
    """Return what the list shows of each lesson."""
    return [
        {
            "slug": lesson.slug,
            "title": lesson.title,
            "question": lesson.question,
            "summary": lesson.summary,
            "minutes": lesson.minutes_alone,
            "picture": small_picture(lesson) is not None,
        }
        for lesson in lessons()[0]
    ]


def lesson_data(lesson: Lesson) -> dict[str, Any]:
    """Return a lesson with all solutions, and the first results of its experiments."""
    alone = LessonAlone(lesson, {})
    parts = [
        [
            alone.part(place) | _on_site(lesson, place),
            _known(block) | gain_data(lesson, place) | _instead(lesson, place),
        ]
        for place, block in enumerate(lesson.blocks)
    ]
    shown = {"question": lesson.question, "about": lesson.about}
    return shown | {"lesson": {"about": alone.about(), "parts": parts}}


def _on_site(lesson: Lesson, place: int) -> dict[str, Any]:
    """Return what only the site knows of a part: links, and that Python begins its game later."""
    block = lesson.blocks[place]
    digest = step_digests(lesson)[place]
    step = {"v": VERSION, "lesson": lesson.slug, "step": place + 1, "d": digest}
    more: dict[str, Any] = {"digest": digest, "link": f"#lesson?{urlencode(step)}"}
    if block.kind == "open" and block.name != "transcripts":
        more["href"] = f"#{block.name}?{urlencode(block.settings or {})}"
    return more | {"waits": block.kind == "game"}


def _instead(lesson: Lesson, place: int) -> dict[str, Any]:
    """Return how a part differs for those who are asked the other question there."""
    if lesson.blocks[place].instead is None:
        return {}
    other = exchanged(lesson)
    asked = part_data(other.blocks[place], place)
    of_it = {name: asked[name] for name in ("question", "choices")}
    return {"instead": of_it | _known(other.blocks[place]) | gain_data(other, place)}


def _known(block: Block) -> dict[str, Any]:
    if block.kind == "experiment":
        return experiment_data(block, None)
    return solution_data(block)


def playable_fronts() -> set[str]:
    """Return the names of the fronts of all playables that lessons use."""
    blocks = (block for lesson in lessons()[0] for block in lesson.blocks)
    return {playable(block.name).FRONT for block in blocks if block.kind == "playable"}


def playables() -> dict[str, dict[str, Any]]:
    """Return every playable by its name: title, front and data, to be shown by itself."""
    return {
        name: {"title": each.TITLE, "front": each.FRONT, "data": each.data()}
        for name, each in all_playables().items()
    }


class LessonPlay:
    """The games and experiments of lessons in the worker; the page gets only what it may show.

    `keep` is called with a changed game, as JSON, to store it in this browser.
    """

    def __init__(self, keep: Callable[[str], Any]) -> None:
        self._keep = keep
        self._begun: dict[str, LessonAlone] = {}

    def act(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what the page asks for in a part of a lesson; return what the part shows now."""
        slug = request.get("lesson")
        lesson = next((lesson for lesson in lessons()[0] if lesson.slug == slug), None)
        if lesson is None:
            raise LessonRequestError("There is no such step in the lessons here.")
        alone = self._begun.setdefault(lesson.slug, LessonAlone(lesson, {}))
        digests = step_digests(lesson)
        place, kept = request.get("place"), sent_object(request.get("kept"))
        if (place, kept.get("digest")) in [*enumerate(digests)]:
            role = {"role": request["role"]} if "role" in request else {}
            # Of two states of a game, the worker's is the newer one.
            alone.done.setdefault(f"game-{place}", kept | role)
        place = alone.act(request["does"], request)
        if game := alone.done.get(f"game-{place}"):
            about = {"id": f"{slug}-{place}", "digest": digests[place]}
            # Without the role, which the page keeps.
            self._keep(json.dumps({**about, "state": game["state"], "ended": game["ended"]}))
        return {"lesson": slug, "place": place, "now": alone.now(place)}
