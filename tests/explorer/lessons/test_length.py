"""How long lessons are: words before something can be dragged, of each text, in all; minutes."""

from statistics import median

from explorer.lessons.lesson import MINUTES_OF, WORDS_A_MINUTE
from explorer.lessons.library import lessons
from tests.depth import each

LESSONS = lessons()[0]
TO_DO = ("game", "experiment", "predict", "quiz", "playable")
TO_DRAG, FIRST, TEXT, BETWEEN, ALL = 40, 30, 60, 90, 900

each_lesson = each("lesson", LESSONS, ids=lambda lesson: lesson.slug)


def words(*texts):
    return len(" ".join(texts).split())


def own(block):
    """Return the number of words of a block that are read without doing anything."""
    return words(block.text, block.caption, *(cell for row in block.rows for cell in row))


def before(lesson, *kinds):
    """Return the words that are read before the first block of these kinds."""
    asked = (n for n, b in enumerate(lesson.blocks) if b.kind in kinds and not b.transfer)
    first = next(asked)
    return sum(map(own, lesson.blocks[:first]))


@each_lesson
def test_there_is_something_to_drag_within_forty_words(lesson):
    """The drawing's own instruction counts, and what is said after a guess before it."""
    drawing = next(block for block in lesson.blocks if block.kind == "playable")
    assert before(lesson, "playable") + own(drawing) <= TO_DRAG


def test_half_of_the_lessons_begin_with_few_words():
    assert median(before(lesson, *TO_DO) for lesson in LESSONS) < FIRST


@each_lesson
def test_there_is_something_to_do_every_ninety_words(lesson):
    count = 0
    for block in lesson.blocks:
        # Text after a guess belongs to that guess; text before it, to the previous one.
        guess = block.kind == "predict"
        count += 0 if guess else own(block)
        assert count <= BETWEEN, (lesson.slug, block)
        if block.kind in TO_DO:
            count = own(block) if guess else 0


@each_lesson
def test_a_text_has_at_most_sixty_words(lesson):
    long = [block.text for block in lesson.blocks if words(block.text) > TEXT]
    assert long == []


@each_lesson
def test_a_lesson_has_one_sentence_to_keep_and_ends_with_something_open(lesson):
    kept = [n for n, block in enumerate(lesson.blocks) if "**Keep this:**" in block.text]
    assert len(kept) == 1
    assert kept[0] >= len(lesson.blocks) / 3
    assert {"open", "quiz"} >= {block.kind for block in lesson.blocks[-2:]}
    assert "open" in {block.kind for block in lesson.blocks[-2:]}


@each_lesson
def test_a_lesson_has_at_most_nine_hundred_words(lesson):
    count = words(lesson.question)
    for block in lesson.blocks:
        answers = (answer.text for answer in block.answers if not block.choices)
        count += own(block) + words(block.question, block.label, *block.choices, *answers)
        # A reader sees why their own answer is right or wrong, not why others are.
        whys = (words(answer.why) for answer in block.answers if block.kind == "quiz")
        count += max(whys, default=0)
    assert count <= ALL


@each_lesson
def test_minutes_are_computed(lesson):
    read = words(lesson.question)
    for block in lesson.blocks:
        read += words(block.question, block.text, *(cell for row in block.rows for cell in row))
        read += sum(words(answer.text, answer.why) for answer in block.answers)
    doing = sum(MINUTES_OF.get(block.kind, 0) for block in lesson.blocks)
    assert lesson.minutes_alone == round(read / WORDS_A_MINUTE + doing)
