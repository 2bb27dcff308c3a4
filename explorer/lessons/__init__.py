"""Workshop lessons: content files, and the games and live experiments that they use."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.lessons.experiment import ExperimentResult, Knob
from explorer.lessons.game import (
    Boxes,
    Circumstances,
    Drawing,
    LessonGame,
    PairGame,
    PairPosition,
    PairRound,
    Scene,
    drawings_data,
    sums_of,
)
from explorer.lessons.in_progress import GameInProgress
from explorer.lessons.lesson import (
    BLOCKS,
    CITATION,
    LESSON,
    SCHEMA,
    WORDS,
    Block,
    Lesson,
    QuizOption,
)
from explorer.lessons.library import (
    CONTENT,
    all_experiments,
    all_games,
    all_playables,
    document,
    experiment,
    explained,
    game,
    handout_html,
    lessons,
    pair_game,
    playable,
    protocols_table,
    small_picture,
    table_handout_html,
    title_of,
)

__all__, __getattr__, __dir__ = exported(__name__)
