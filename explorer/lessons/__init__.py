"""Workshop lessons: content files, and the games and live experiments that they use."""

from __future__ import annotations

from explorer.lessons.experiment import ExperimentResult, Knob
from explorer.lessons.format import BLOCKS, LESSON, SCHEMA
from explorer.lessons.game import (
    Boxes,
    Circumstances,
    Drawing,
    LessonGame,
    PairGame,
    PairPosition,
    PairRound,
    Scene,
)
from explorer.lessons.lesson import CITATION, Block, Lesson, QuizOption
from explorer.lessons.library import (
    CONTENT,
    document,
    experiment,
    game,
    handout_html,
    lessons,
    names,
    pair_game,
)
from explorer.lessons.protocols import protocols_table

__all__ = [
    "BLOCKS",
    "CITATION",
    "CONTENT",
    "LESSON",
    "SCHEMA",
    "Block",
    "Boxes",
    "Circumstances",
    "Drawing",
    "ExperimentResult",
    "Knob",
    "Lesson",
    "LessonGame",
    "PairGame",
    "PairPosition",
    "PairRound",
    "QuizOption",
    "Scene",
    "document",
    "experiment",
    "game",
    "handout_html",
    "lessons",
    "names",
    "pair_game",
    "protocols_table",
]


def __dir__() -> list[str]:
    return __all__
