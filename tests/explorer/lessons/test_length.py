"""How long lessons are: words before there is something to do, words in all, and minutes."""

import pytest

from explorer.lessons.lesson import MINUTES_OF, WORDS_A_MINUTE
from explorer.lessons.library import lessons

LESSONS = lessons()[0]
TO_DO = ("game", "experiment", "predict", "quiz", "playable")
FIRST, BETWEEN, ALL = 40, 90, 900

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[each.slug for each in LESSONS])


def words(*texts):
    return len(" ".join(texts).split())


def own(block):
    """Return the number of words of a block that are read without doing anything."""
    return words(block.text, block.caption, *(cell for row in block.rows for cell in row))


@each_lesson
def test_there_is_something_to_do_within_forty_words_and_every_ninety(lesson):
    count, most = 0, FIRST
    for block in lesson.blocks:
        # Text after a guess belongs to that guess; text before it, to the previous one.
        guess = block.kind == "predict"
        count += 0 if guess else own(block)
        assert count <= most, (lesson.slug, block)
        if block.kind in TO_DO:
            count, most = own(block) if guess else 0, BETWEEN


@each_lesson
def test_a_lesson_has_at_most_nine_hundred_words(lesson):
    count = words(lesson.question)
    for block in lesson.blocks:
        answers = (answer.text for answer in block.answers)
        count += own(block) + words(block.question, block.label, *block.choices, *answers)
        # A reader sees why their own answer is right or wrong, not why others are.
        count += max((words(answer.why) for answer in block.answers), default=0)
    assert count <= ALL


@each_lesson
def test_minutes_are_computed(lesson):
    read = words(lesson.question)
    for block in lesson.blocks:
        read += words(block.question, block.text, *(cell for row in block.rows for cell in row))
        read += sum(words(answer.text, answer.why) for answer in block.answers)
    doing = sum(MINUTES_OF.get(block.kind, 0) for block in lesson.blocks)
    assert lesson.minutes_alone == round(read / WORDS_A_MINUTE + doing)
