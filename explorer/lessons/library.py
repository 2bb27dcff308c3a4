"""All lessons in order, a teacher's own after ours; games, experiments and handouts."""

from __future__ import annotations

import importlib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from random import Random
from typing import Any, cast

from explorer.lessons.experiment import Experiment
from explorer.lessons.game import LessonGame, PairGame
from explorer.lessons.lesson import Block, Lesson, LessonError, read_lesson

__all__ = [
    "CONTENT",
    "document",
    "experiment",
    "faults",
    "game",
    "handout_html",
    "lessons",
    "names",
    "pair_game",
]

HERE = Path(__file__).parent
CONTENT = HERE / "content"
OWN = "NIP_LESSONS"


def lesson_files() -> list[Path]:
    """The files of all lessons: ours, then those of the folder in ``NIP_LESSONS``."""
    files = sorted(CONTENT.glob("[0-9]*_*.toml"))
    own = os.environ.get(OWN)
    return files + (sorted(Path(own).glob("*.toml")) if own else [])


def lessons() -> tuple[list[Lesson], list[str]]:
    """All lessons that can be used, and what is wrong with the others."""
    found: list[Lesson] = []
    problems: list[str] = []
    for path in lesson_files():
        try:
            lesson = _lesson(path, path.stat().st_mtime_ns)
            if any(lesson.slug == other.slug for other in found):
                raise LessonError(f"{path.name}: another lesson is called {lesson.slug!r} already.")
        except (LessonError, OSError) as error:
            problems.append(str(error))
        else:
            found.append(lesson)
    return found, problems


@cache
def _lesson(path: Path, changed: int) -> Lesson:
    """A lesson, read again when its file has changed."""
    del changed
    lesson = read_lesson(path)
    if problems := faults(lesson):
        raise LessonError(f"{path.name}: {problems[0]}")
    return lesson


def faults(lesson: Lesson) -> list[str]:
    """What a lesson asks for that does not exist."""
    problems: list[str] = []
    for place, block in enumerate(lesson.blocks):
        try:
            if block.kind == "game":
                _check_game(block)
            elif block.kind == "experiment":
                _check_experiment(block)
        except LessonError as error:
            problems.append(f"block[{place}]: {error}")
    return problems


def _check_settings(block: Block, known: Iterable[str]) -> None:
    known = list(known)
    for name in block.settings or {}:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise LessonError(f"{name!r} is no setting of {block.name!r}. Known: {allowed}.")


def _check_game(block: Block) -> None:
    played = game(block.name)
    _check_settings(block, played.settings)
    roles = [role.name for role in played.roles]
    if block.role and block.role not in roles:
        raise LessonError(f"there is no role {block.role!r}; {', '.join(roles)}.")
    if block.pairs and pair_game(block.name) is None:
        raise LessonError(f"{block.name!r} cannot be played by 'pairs'.")
    settings = block.settings or {}
    try:
        played.cases(settings)
        for role in roles:
            played.scene(played.start(role, settings, Random(0)))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise LessonError(f"{block.name!r} cannot be played like this: {error}") from error


def _check_experiment(block: Block) -> None:
    tried = experiment(block.name)
    knobs = {knob.name: knob for knob in tried.knobs}
    _check_settings(block, knobs)
    for name, value in (block.settings or {}).items():
        if not knobs[name].takes(value):
            allowed = knobs[name].allowed
            raise LessonError(f"{name!r} of {block.name!r} is {value!r}; it is {allowed}.")


@cache
def names(folder: str) -> tuple[str, ...]:
    """All ``games`` or all ``experiments``."""
    return tuple(sorted(p.stem for p in (HERE / folder).glob("*.py") if p.stem != "__init__"))


def game(name: str) -> LessonGame:
    """A game by its file's name."""
    return cast("LessonGame", _load("games", name).GAME)


def pair_game(name: str) -> PairGame | None:
    """The same for two phones, of games that have that."""
    return getattr(game(name), "pair", None)


def experiment(name: str) -> Experiment:
    """An experiment by its file's name."""
    return cast("Experiment", _load("experiments", name).EXPERIMENT)


def _load(folder: str, name: str) -> Any:
    known = names(folder)
    # Only what is there is imported: the name comes from a file that anybody may have written.
    if name not in known:
        raise LessonError(
            f"there is nothing called {name!r} among the {folder}: {', '.join(known)}."
        )
    return importlib.import_module(f"explorer.lessons.{folder}.{name}")


@cache
def document(name: str) -> Mapping[str, Any]:
    """One of our own tables: ``glossary``, ``guide`` or ``theory``."""
    return tomllib.loads((CONTENT / f"{name}.toml").read_text("utf-8"))


STYLE = """
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { font-family: system-ui, sans-serif; line-height: 1.2; }
footer { margin-top: 2rem; font-size: 9pt; color: #444; }
.answers { break-before: page; }
@page { margin: 2cm; }
@media print { body { margin: 0; max-width: none; } }
"""


def handout_html(lesson: Lesson, *, answers: bool = False) -> str:
    """The handout as a page of its own; everything in it is text.

    Parameters
    ----------
    lesson : Lesson
    answers : bool
        With the answers on a page of their own?
    """
    body = _html(lesson.facilitator.handout)
    if answers and lesson.facilitator.answers:
        said = _html(lesson.facilitator.answers)
        body += f'<section class="answers"><h2>Answers</h2>{said}</section>'
    title = escape(lesson.title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style><body>{body}"
        f"<footer>NIP Explorer: {title}. Name: ______________________</footer></body></html>"
    )


def _html(text: str) -> str:
    """Headings, numbered and other lines; nothing else of Markdown means anything here."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        heading = re.match(r"(#{1,3}) (.*)", paragraph)
        if heading:
            level = len(heading.group(1))
            parts.append(f"<h{level}>{escape(heading.group(2))}</h{level}>")
            paragraph = paragraph[heading.end() :].strip()
        if paragraph:
            lines = "<br>".join(escape(line) for line in paragraph.splitlines())
            parts.append(f"<p>{lines}</p>")
    return "".join(parts)
