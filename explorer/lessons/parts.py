"""A lesson's parts as plain data for ``explorer/front/lesson.js``, the same in every host.

What of a block is shown only after an answer is not in its part, but in its solution.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from hashlib import sha256
from typing import Any, cast

from explorer.languages import language, tr
from explorer.lessons.experiment import Knob
from explorer.lessons.game import Scene, drawings_data, sums_of
from explorer.lessons.in_progress import GameInProgress
from explorer.lessons.lesson import MOST_SAID, Block, Lesson
from explorer.lessons.library import experiment, game, playable

Data = dict[str, Any]

# How a person who is alone may answer: once, or as often as they like.
TAKES = {"predict": "once", "quiz": "change", "playable": "change", "say": "change"}


def about_parts(slug: str, sources: Mapping[str, str], spoken: str) -> Data:
    """Return what all parts of a lesson have in common; `spoken` is the language of its texts."""
    return {
        "slug": slug,
        "language": spoken,
        "sources": [[*source] for source in sources.items()],
    }


@lru_cache(64)
def step_digests(lesson: Lesson) -> tuple[str, ...]:
    """Return a digest of each step, by which an old link notices that the step has changed."""
    texts = (json.dumps(asdict(b), sort_keys=True, ensure_ascii=False) for b in lesson.blocks)
    return tuple(sha256(text.encode("utf-8")).hexdigest()[:12] for text in texts)


def gain_data(lesson: Lesson, place: int) -> Data:
    """Return what the last question needs to compare its answer with that to the first one."""
    if lesson.transfer is None or place != lesson.transfer[1]:
        return {}
    first = lesson.transfer[0]
    gain = {"place": first, "right": lesson.blocks[first].right, "drawn": lesson.draws}
    return {"gain": gain}


def part_data(block: Block, place: int) -> Data:
    """Return what people see of a block before they answer it; places count from 0."""
    made: Data = {"kind": block.kind, "place": place, "id": str(place), "text": block.text}
    if block.transfer:
        made["transfer"] = block.transfer
    if block.kind == "game":
        played = game(block.name)
        roles = [[role.name, tr(role.label)] for role in played.roles]
        made |= {"title": tr(played.title), "roles": roles, "role": block.role or roles[0][0]}
    elif block.kind == "experiment":
        tried = experiment(block.name)
        made |= {
            "name": block.name,
            "title": tr(tried.title),
            "knobs": list(map(_knob, tried.knobs)),
        }
    elif block.kind == "playable":
        played = playable(block.name)
        data = _playable_data(block.name, language())
        made |= {"title": tr(played.TITLE), "front": played.FRONT, "data": data}
        made |= _number(block)
    elif block.kind == "predict":
        choices = {"choices": list(block.choices)} if block.choices else _number(block)
        made |= {"text": "", "question": block.question, **choices}
    elif block.kind == "quiz":
        choices = [answer.text for answer in block.answers]
        made |= {"question": block.question, "choices": choices}
    elif block.kind == "say":
        choices = {"choices": list(block.choices)} if block.choices else {"most": MOST_SAID}
        made |= {"question": block.question, **choices}
    elif block.kind == "open":
        made |= {"title": block.label, "page": block.name, "query": dict(block.settings or {})}
    elif block.kind == "table":
        made |= {"caption": block.caption, "columns": list(block.columns)}
        made["rows"] = [list(row) for row in block.rows]
    return made


def with_state(part: Data, name: str) -> Data:
    """Return a part with the name under which a window keeps the state of its drawing, if any."""
    front = part.get("front")
    return part if front is None else {**part, "keep": f"{front}/{name}"}


def solution_data(block: Block) -> Data:
    """Return what is shown of a block after it was answered."""
    if block.kind == "predict":
        return {"truth": block.text}
    if block.kind == "quiz":
        return {
            "answers": [{**asdict(answer), "verdict": answer.verdict} for answer in block.answers]
        }
    return {"answer": block.truth_in_words} if block.kind == "playable" else {}


# Computed by the engine once per process and language.
@lru_cache
def _playable_data(name: str, spoken: str) -> Data:
    del spoken  # the present one
    return playable(name).data()


def _number(block: Block) -> Data:
    """Return a question for a number, and its limits."""
    known = {"question": block.question, "unit": block.unit}
    return {**known, "low": block.low, "high": block.high, "step": block.step}


# -- experiments and games ---------------------------------------------------------------------


def settings_sent(block: Block, knobs: object) -> Data:
    """Return the allowed ones among the settings that a browser has sent for an experiment."""
    wanted = cast("Data", knobs) if isinstance(knobs, dict) else {}
    known = experiment(block.name).knobs
    return {knob.name: wanted[knob.name] for knob in known if knob.takes(wanted.get(knob.name))}


def experiment_data(block: Block, knobs: object) -> Data:
    """Return the result of an experiment, and its settings: the allowed ones of those sent."""
    settings = {knob.name: knob.default for knob in experiment(block.name).knobs}
    settings |= dict(block.settings or {}) | settings_sent(block, knobs)
    # If a whole class opens an experiment at once, one session computes it and the others wait.
    with _computing:
        return {
            "result": _result(block.name, tuple(settings.items()), language()),
            "settings": settings,
        }


_computing = threading.Lock()


# A class uses the same few settings.
@lru_cache(maxsize=128)
def _result(name: str, settings: tuple[tuple[str, Any], ...], spoken: str) -> Data:
    del spoken  # the present one
    tried = experiment(name)
    result = tried.run(dict(settings))
    table = result.table()
    return {
        "sentence": result.sentence,
        "chart": result.chart(tr(tried.title)).to_plain(),
        "columns": list(table.head),
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
    }


def _cell(cell: object) -> float | str:
    """Return a cell of a table; fractions and truth values as texts, since JSON has none."""
    return cell if type(cell) in (int, float) else str(cell)  # pyright: ignore[reportReturnType]


def _knob(knob: Knob) -> Data:
    """Return a setting as a control of ``explorer/front/controls.js``."""
    made: Data = {"name": knob.name, "label": tr(knob.label), "help": tr(knob.help)}
    if knob.choices is not None:
        return made | {
            "kind": "choice",
            "options": [[choice, tr(choice)] for choice in knob.choices],
        }
    if isinstance(knob.default, bool):
        return made | {"kind": "flag"}
    step = knob.step or (1 if isinstance(knob.default, int) else 0.01)
    return made | {"kind": "range", "low": knob.low, "high": knob.high, "step": step}


def game_data(now: GameInProgress) -> Data:
    """Return what a person sees of their own game now, and how their games have ended."""
    sums = sums_of(now.rules.outcomes, now.ended)
    return {"scene": scene_data(now.scene), "role": now.role, "sums": sums}


def scene_data(scene: Scene) -> Data:
    """Return what a person sees of a game now."""
    return {
        "said": [[line.who, line.text] for line in scene.said],
        "drawings": drawings_data(scene.drawings),
        "prompt": scene.prompt,
        "choices": [[choice.name, choice.label] for choice in scene.choices],
        "outcome": scene.outcome,
    }
