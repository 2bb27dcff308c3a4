"""The lesson that rooms' tests take, and its blocks by what they ask, counted from 1."""

from explorer.lessons import Lesson, lessons
from explorer.rooms.lesson import steps

LESSON = next(each for each in lessons()[0] if each.slug == "two-rooms")


def _place(kind: str, *, pairs: bool = False) -> int:
    asked = (
        n
        for n, block in enumerate(LESSON.blocks, 1)
        if block.kind == kind and block.pairs == pairs and not block.transfer
    )
    return next(asked)


def step_of(place: int, lesson: Lesson = LESSON) -> int:
    """Return the number of the step in which a block stands."""
    return next(n for n, step in enumerate(steps(lesson), 1) if place in step)


GUESS, QUIZ = _place("predict"), _place("quiz")
PAIRS, SOLO = _place("game", pairs=True), _place("game")
