"""A lesson that one person takes alone: which parts they see, and what they do in them."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from explorer.languages import tr
from explorer.lessons.answers import ANSWERS, answer_from_words, answer_in_words
from explorer.lessons.in_progress import RANDOM, GameInProgress
from explorer.lessons.lesson import Block, Lesson, LessonError, exchanged
from explorer.lessons.parts import (
    TAKES,
    Data,
    about_parts,
    experiment_data,
    gain_data,
    game_data,
    part_data,
    settings_sent,
    solution_data,
    with_state,
)
from nip_core.displays import displayed

ORDER = "exchanged"  # the name under which it is kept which question comes first
SHOWN = ""  # kept instead of a guess if the person asked to be shown the truth


def drawn(lesson: Lesson, done: MutableMapping[str, Any]) -> Lesson:
    """Return a lesson with the question before it that chance draws for a person, once.

    The draw is kept in `done`. Without it, a gain could be the difference of two questions.
    """
    if not lesson.draws:
        return lesson
    return exchanged(lesson) if done.setdefault(ORDER, RANDOM.random() < 0.5) else lesson


class LessonRequestError(LessonError):
    """A browser asks for something that a lesson does not have."""


@displayed
@dataclass(frozen=True, slots=True)
class LessonAlone:
    """A lesson, and what one person has done in it."""

    lesson: Lesson
    # What is kept of the person's answers, settings and games, by names that end in the place of a
    # block, from 0; to be changed. A game's state contains what its player may not see.
    done: MutableMapping[str, Any] = field(repr=False)

    def about(self) -> Data:
        """Return what all parts have in common, and how many questions are counted."""
        questions = sum(block.kind == "quiz" for block in self.lesson.blocks)
        about = about_parts(self.lesson.slug, self.lesson.sources, self.lesson.language)
        known = {"title": self.lesson.title, "version": self.lesson.mark, "questions": questions}
        return about | known

    def part(self, place: int) -> Data:
        """Return a part as it is before the person has done anything in it."""
        block = self.lesson.blocks[place]
        made = part_data(block, place) | {"label": tr("Step {n}", n=place + 1)}
        if block.kind in TAKES:
            made |= {"takes": TAKES[block.kind], "skips": block.kind == "predict"}
        made["after"] = self.lesson.after_guess(place + 1)
        return with_state(made, f"{self.lesson.slug}-{place}")

    def seen(self, step: int = 0) -> list[int]:
        """Return the places up to the first guess that is not made, but at least up to a step."""
        seen: list[int] = []
        for place, block in enumerate(self.lesson.blocks):
            seen.append(place)
            waits = block.kind == "predict" and f"guess-{place}" not in self.done
            if waits and place + 1 >= step:
                break
        return seen

    def now(self, place: int) -> Data:
        """Return what changes in a part: results, games, and the solution of what was answered."""
        block = self.lesson.blocks[place]
        if block.kind == "experiment":
            return experiment_data(block, self.done.get(f"knobs-{place}"))
        if block.kind == "game":
            return game_data(self._game(place))
        stored = self.done.get(f"{ANSWERS.get(block.kind)}-{place}")
        if stored is None:
            return {}
        mine = _in_words(block, stored)
        solution = solution_data(block) | gain_data(self.lesson, place)
        if block.kind == "quiz":
            # The others can still be chosen.
            solution["answers"] = [a for a in solution["answers"] if a["text"] == mine]
        return solution

    def told(self) -> Data:
        """Return what the person has answered and set, without the states of games."""
        shown = {
            name: value
            for name, value in self.done.items()
            if not name.startswith("game-") and name != ORDER
        }
        for place, block in enumerate(self.lesson.blocks):
            name = f"{ANSWERS.get(block.kind)}-{place}"
            if name in shown:
                shown[name] = _in_words(block, shown[name])
        return shown

    def act(self, does: str, request: Mapping[str, Any]) -> int:
        """Do what a browser asks for, which may be anything, and return the place of the part.

        - ``answer``: ``value`` answers a guess, a question, or what is found in a drawing
        - ``experiment``: ``knobs`` are its settings
        - ``game``: a ``choice``, another game in a ``role``, or ``resume`` to go on
        """
        place = request.get("place")
        blocks = self.lesson.blocks
        if type(place) is not int or not 0 <= place < len(blocks):
            raise LessonRequestError("There is no such step in the lessons here.")
        block = blocks[place]
        if block.kind not in (ANSWERS if does == "answer" else (does,)):
            raise LessonRequestError(f"This step of the lesson holds no {does}.")
        if does == "answer":
            self._answer(block, place, request.get("value"))
        elif does == "experiment":
            self.done[f"knobs-{place}"] = settings_sent(block, request.get("knobs"))
        elif does == "game":
            self._play(place, request)
        return place

    def _answer(self, block: Block, place: int, value: object) -> None:
        is_skipped = value == SHOWN and block.kind == "predict"
        stored = SHOWN if is_skipped else answer_from_words(block, value)
        if stored is None:
            raise LessonRequestError("This does not answer that question. Reload the page.")
        name = f"{ANSWERS[block.kind]}-{place}"
        if TAKES[block.kind] != "once" or name not in self.done:
            self.done[name] = stored

    def _game(self, place: int) -> GameInProgress:
        """Return the game as the person left it, or a new one."""
        block = self.lesson.blocks[place]
        kept = GameInProgress.resume(block, self.done.get(f"game-{place}"))
        return kept or self._keep(place, GameInProgress.begin(block))

    def _keep(self, place: int, now: GameInProgress) -> GameInProgress:
        self.done[f"game-{place}"] = now.kept()
        return now

    def _play(self, place: int, request: Mapping[str, Any]) -> None:
        now, choice = self._game(place), request.get("choice")
        if isinstance(choice, str):
            if choice not in now.scene.options:
                raise LessonRequestError("There is no such choice in this game now.")
            self._keep(place, now.choose(choice))
        elif not request.get("resume"):
            self._keep(place, GameInProgress.begin(now.block, request.get("role"), now.ended))


def _in_words(block: Block, stored: str) -> str | float:
    """Return a stored answer as its person sees it."""
    return SHOWN if stored == SHOWN else answer_in_words(block, stored)
