"""Workshop lessons: content files, and the games and live experiments that they use."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.lessons.alone import (
    LessonAlone as LessonAlone,
    LessonRequestError as LessonRequestError,
    drawn as drawn,
)
from explorer.lessons.answers import (
    ANSWERS as ANSWERS,
    answer_from_words as answer_from_words,
    answer_in_words as answer_in_words,
    options as options,
    own_answers as own_answers,
    question_of as question_of,
)
from explorer.lessons.experiment import ExperimentResult as ExperimentResult, Knob as Knob
from explorer.lessons.game import (
    Boxes as Boxes,
    Circumstances as Circumstances,
    Drawing as Drawing,
    LessonGame as LessonGame,
    PairGame as PairGame,
    PairPosition as PairPosition,
    PairRound as PairRound,
    Scene as Scene,
    drawings_data as drawings_data,
)
from explorer.lessons.in_progress import GameInProgress as GameInProgress
from explorer.lessons.lesson import (
    BLOCKS as BLOCKS,
    CITATION as CITATION,
    LESSON as LESSON,
    SCHEMA as SCHEMA,
    Block as Block,
    Lesson as Lesson,
    Question as Question,
    QuizOption as QuizOption,
    exchange as exchange,
    exchanged as exchanged,
    words_of as words_of,
)
from explorer.lessons.library import (
    CONTENT as CONTENT,
    all_experiments as all_experiments,
    all_games as all_games,
    all_playables as all_playables,
    document as document,
    experiment as experiment,
    explained as explained,
    game as game,
    handout_html as handout_html,
    lessons as lessons,
    pair_game as pair_game,
    plain as plain,
    playable as playable,
    protocols_table as protocols_table,
    small_picture as small_picture,
    table_handout_html as table_handout_html,
    title_of as title_of,
)
from explorer.lessons.parts import (
    Data as Data,
    about_parts as about_parts,
    experiment_data as experiment_data,
    gain_data as gain_data,
    game_data as game_data,
    part_data as part_data,
    scene_data as scene_data,
    settings_sent as settings_sent,
    solution_data as solution_data,
    step_digests as step_digests,
    with_state as with_state,
)
from explorer.lessons.translated import in_language as in_language

__all__, __getattr__, __dir__ = exported(__name__)
