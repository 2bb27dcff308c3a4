"""Lessons as plain data for the page, and their games and experiments in the worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any, cast

from explorer.lessons import (
    WORDS,
    Block,
    ExperimentResult,
    GameInProgress,
    Knob,
    Lesson,
    Scene,
    drawings_data,
    experiment,
    game,
    lessons,
    playable,
    small_picture,
    sums_of,
)
from nip_core.errors import NipError

VERSION = 1


class LessonRequestError(NipError, ValueError):
    """The page asks for something that a lesson does not have."""


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
    """Return a lesson with the initial data of its games, experiments and playables."""
    return {
        "slug": lesson.slug,
        "title": lesson.title,
        "question": lesson.question,
        "about": lesson.about,
        "words": dict(WORDS),
        "version": VERSION,
        "sources": [[key, text] for key, text in lesson.sources.items()],
        "blocks": [
            {
                **_block(block),
                "digest": block_digest(block),
                "after": lesson.after_guess(place),
            }
            for place, block in enumerate(lesson.blocks, start=1)
        ],
    }


def block_digest(block: Block) -> str:
    """Return a digest of a step, by which an old link notices that the step has changed."""
    text = json.dumps(asdict(block), sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8")).hexdigest()[:12]


def playable_fronts() -> set[str]:
    """Return the names of the fronts of all playables that lessons use."""
    blocks = (block for lesson in lessons()[0] for block in lesson.blocks)
    return {playable(block.name).FRONT for block in blocks if block.kind == "playable"}


def _block(block: Block) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": block.kind, "text": block.text}
    if block.kind == "game":
        played = game(block.name)
        roles = [[role.name, role.label] for role in played.roles]
        first = block.role or played.roles[0].name
        made |= {"title": played.title, "roles": roles, "role": first}
    elif block.kind == "experiment":
        tried = experiment(block.name)
        settings = _settings(block, {})
        made |= {"title": tried.title, "result": _result(tried.title, tried.run(settings))}
        made["knobs"] = [_knob(knob, settings[knob.name]) for knob in tried.knobs]
    elif block.kind == "playable":
        played = playable(block.name)
        made |= {"title": played.TITLE, "front": played.FRONT, "data": played.data()}
        made |= {**_number(block), "answer": block.truth_in_words}
    elif block.kind == "predict":
        made |= {**_number(block), "choices": list(block.choices)}
    elif block.kind == "quiz":
        answers = [{**asdict(answer), "verdict": answer.verdict} for answer in block.answers]
        made |= {"question": block.question, "answers": answers}
    elif block.kind == "open":
        made |= {"page": block.name, "label": block.label, "query": dict(block.settings or {})}
    elif block.kind == "table":
        made |= {"caption": block.caption, "columns": list(block.columns)}
        made["rows"] = [list(row) for row in block.rows]
    return made


def _number(block: Block) -> dict[str, Any]:
    """Return a question for a number, and its limits."""
    known = {"question": block.question, "unit": block.unit}
    return {**known, "low": block.low, "high": block.high, "step": block.step}


def _settings(block: Block, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment's settings: the requested ones, else the lesson's, else the defaults."""
    usual = block.settings or {}
    settings: dict[str, Any] = {}
    for knob in experiment(block.name).knobs:
        value = wanted.get(knob.name)
        fits = value is not None and knob.takes(value)
        settings[knob.name] = value if fits else usual.get(knob.name, knob.default)
    return settings


def _knob(knob: Knob, value: Any) -> dict[str, Any]:
    return {
        "name": knob.name,
        "label": knob.label,
        "help": knob.help,
        "value": value,
        "choices": None if knob.choices is None else list(knob.choices),
        "low": knob.low,
        "high": knob.high,
        "step": knob.step or (1 if isinstance(knob.default, int) else 0.01),
        "whole": isinstance(knob.default, int),
    }


def _result(title: str, result: ExperimentResult) -> dict[str, Any]:
    table = result.table()
    return {
        "sentence": result.sentence,
        "chart": result.chart(title).to_plain(),
        "columns": list(table.head),
        "rows": [[_shown(cell) for cell in row] for row in table.rows],
    }


def _shown(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


class LessonPlay:
    """The games that are played in the worker; the page gets only scenes.

    `keep` is called with a changed game, as JSON, to store it in this browser.
    """

    def __init__(self, keep: Callable[[str], Any]) -> None:
        self._keep = keep
        self._played: dict[tuple[str, int], GameInProgress] = {}

    def game(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a game, go on with the one that was kept, or make a choice; return the scene."""
        lesson, place, block = _found(request, "game")
        key, choice = (lesson.slug, place), request.get("choice")
        now = self._played.get(key)
        if isinstance(choice, str):
            if now is None or choice not in now.scene.options:
                raise LessonRequestError("There is no such choice in this game now.")
            now = now.choose(choice)
        elif not (request.get("resume") and (now := now or _resumed(block, request.get("kept")))):
            now = GameInProgress.begin(block, request.get("role"), now.ended if now else ())
        self._played[key] = now
        about = {"id": f"{lesson.slug}-{place}", "digest": block_digest(block)}
        # Without the role, which the page keeps.
        self._keep(json.dumps({**about, "state": now.state, "ended": now.ended}))
        shown = {**_scene(now.scene), "sums": sums_of(now.rules.outcomes, now.ended)}
        return {"lesson": lesson.slug, "place": place, "scene": shown}

    def experiment(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of an experiment for the page's controls."""
        lesson, place, block = _found(request, "experiment")
        knobs = request.get("knobs")
        wanted = cast("dict[str, Any]", knobs) if isinstance(knobs, dict) else {}
        tried = experiment(block.name)
        result = tried.run(_settings(block, wanted))
        return {"lesson": lesson.slug, "place": place, "result": _result(tried.title, result)}


def _resumed(block: Block, kept: object) -> GameInProgress | None:
    """Return the game that a browser kept; nothing if it fits this step of the lesson no more."""
    document = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
    fits = document.get("digest") == block_digest(block)
    return GameInProgress.resume(block, document) if fits else None


def _found(request: Mapping[str, Any], kind: str) -> tuple[Lesson, int, Block]:
    slug, place = request.get("lesson"), request.get("place")
    lesson = next((candidate for candidate in lessons()[0] if candidate.slug == slug), None)
    if lesson is None or type(place) is not int or not 0 <= place < len(lesson.blocks):
        raise LessonRequestError("There is no such step in the lessons here.")
    block = lesson.blocks[place]
    if block.kind != kind:
        raise LessonRequestError(f"This step of the lesson holds no {kind}.")
    return lesson, place, block


def _scene(scene: Scene) -> dict[str, Any]:
    return {
        "said": [[line.who, line.text] for line in scene.said],
        "drawings": drawings_data(scene.drawings),
        "prompt": scene.prompt,
        "choices": [[choice.name, choice.label] for choice in scene.choices],
        "outcome": scene.outcome,
    }
