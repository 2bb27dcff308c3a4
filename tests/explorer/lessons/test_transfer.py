"""The questions before and after each lesson: right answers are computed where they are numbers."""

import tomllib
from fractions import Fraction

import pytest

from explorer.lessons import LessonAlone, drawn, exchange, exchanged, gain_data, part_data
from explorer.lessons.lesson import LessonError, lesson_of
from explorer.lessons.library import lessons
from explorer.site.lessons import lesson_data
from tests.depth import each
from tests.explorer.lessons.test_library import GOOD

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
BANK = {
    slug: tuple(lesson.blocks[place] for place in lesson.transfer)
    for slug, lesson in LESSONS.items()
    if lesson.transfer
}


def percent(share):
    return f"{float(share):.0%}"


def hundred(share):
    return f"{100 * float(share):.0f}"


def rides(ticket, fine, checked):
    """Say whether it pays to ride without a ticket."""
    return "Yes" if Fraction(fine, checked) < ticket else "No"


def share(good, bad):
    return percent(Fraction(good, good + bad))


# The right answers of the questions before and after, where they are numbers or follow from some.
COMPUTED = {
    "stranger": (str(64 // 2**3), str(81 // 3**3)),
    "two-rooms": (str(Fraction(1, 8)), str(Fraction(3, 12))),
    "debate": (percent(0.9**2), percent(0.8**3)),
    "merlin-arthur": (share(60, 30), share(50, 10)),
    "rewards": (rides(2, 8, 5), rides(3, 16, 4)),
    "consultancy": (percent(0.8), percent(0.3)),
    "monitor": (hundred(1 - 0.9**3), hundred(1 - 0.95**4)),
    "too-large": (hundred(0.98**50), hundred(0.9**20)),
    "weak-judge": ("7 of 10", "6 of 10"),
    "playing-dumb": (hundred(1 - 0.9**10), hundred(1 - 0.95**40)),
}
# In these, nothing is computed: what is asked is what an observation shows.
IN_WORDS = {
    "colour-blind",
    "questions",
    "zero-knowledge",
    "language-models",
    "legible",
    "collusion",
}


def test_every_lesson_asks_before_and_after():
    assert {*BANK} == {*LESSONS} == {*COMPUTED} | IN_WORDS
    for slug, (before, after) in BANK.items():
        assert LESSONS[slug].transfer[0] == 0
        assert len(before.choices) == len(after.answers) == 3
        assert len({*before.choices}) == len({each.text for each in after.answers}) == 3
        assert before.text == ""


@each("slug", COMPUTED)
def test_the_right_answers_are_computed(slug):
    before, after = BANK[slug]
    (right,) = (answer.text for answer in after.answers if answer.right)
    assert (before.right, right) == COMPUTED[slug]


def test_right_answers_stand_in_all_places():
    places = [before.choices.index(before.right) for before, _ in BANK.values()]
    places += [next(n for n, a in enumerate(b.answers) if a.right) for _, b in BANK.values()]
    assert all(places.count(place) >= len(places) / 5 for place in range(3))


def test_alone_one_sees_after_the_last_answer_whether_both_were_right():
    lesson = LESSONS["monitor"]
    first, last = lesson.transfer
    alone = LessonAlone(lesson, {})
    right = lesson.blocks[first].right
    # Nothing that is sent before tells which answer to the first question is right.
    assert alone.seen() == [0]
    alone.act("answer", {"place": first, "value": lesson.blocks[first].choices[0]})
    assert alone.now(first) == {"truth": ""}
    assert "right" not in alone.part(first)
    assert "gain" not in alone.now(last)
    alone.act("answer", {"place": last, "value": lesson.blocks[last].answers[0].text})
    assert (
        alone.now(last)["gain"]
        == gain_data(lesson, last)["gain"]
        == {"place": 0, "right": right, "drawn": True}
    )
    assert gain_data(lesson, first) == {}
    assert part_data(lesson.blocks[last], last)["transfer"] == "after"


def test_the_site_compares_the_answers_by_itself():
    lesson = LESSONS["monitor"]
    parts = lesson_data(lesson)["lesson"]["parts"]
    first, last = lesson.transfer
    assert parts[last][1]["gain"]["place"] == first
    assert parts[first][0]["transfer"] == "before"
    # Each question can stand at either place, with its own solution only after the lesson.
    begun, ended = (parts[place][1]["instead"] for place in (first, last))
    assert begun.keys() == {"question", "choices", "truth"}
    assert begun["question"] == parts[last][0]["question"] == lesson.blocks[last].question
    assert ended["question"] == parts[first][0]["question"]
    assert ended["gain"]["right"] == right_of(lesson.blocks[last])
    assert [each["text"] for each in ended["answers"]] == parts[first][0]["choices"]


def right_of(block):
    return next(answer.text for answer in block.answers if answer.right)


@each("slug", BANK)
def test_the_two_questions_change_places(slug):
    lesson, other = LESSONS[slug], exchanged(LESSONS[slug])
    assert lesson.draws
    for place, block in enumerate(other.blocks):
        if not block.transfer:
            assert block is lesson.blocks[place]
    first, last = (other.blocks[place] for place in lesson.transfer)
    before, after = BANK[slug]
    assert (first.kind, first.transfer, last.kind, last.transfer) == (
        *("predict", "before"),
        *("quiz", "after"),
    )
    assert (first.question, first.right) == (after.question, right_of(after))
    assert (last.question, last.answers) == (before.question, before.answers)
    assert right_of(last) == before.right
    assert exchange(first) == before
    # Answers are told apart by their numbers in both forms.
    assert [block.asks for block in (first, last)] == [before.asks, after.asks]


def test_chance_draws_the_order_once_for_each_person():
    lesson = LESSONS["monitor"]
    ways = set()
    for _ in range(40):
        done = {}
        mine = drawn(lesson, done)
        assert all(drawn(lesson, done) is mine for _ in range(5))
        ways.add(mine is lesson)
    assert ways == {True, False}
    assert drawn(lesson, {"exchanged": True}) is exchanged(lesson)


def test_in_the_other_order_the_gain_is_that_of_the_other_questions():
    lesson = exchanged(LESSONS["monitor"])
    first, last = lesson.transfer
    alone = LessonAlone(lesson, {})
    alone.act("answer", {"place": first, "value": lesson.blocks[first].right})
    with pytest.raises(LessonError, match="does not answer that question"):
        alone.act("answer", {"place": last, "value": "19"})
    alone.act("answer", {"place": last, "value": "27"})
    (said,) = alone.now(last)["answers"]
    assert (said["right"], alone.now(last)["gain"]["right"]) == (True, "19")


def test_without_explained_answers_the_order_is_fixed():
    lesson = lesson_of(
        tomllib.loads(GOOD.replace("[facilitator]", f"{BEFORE}{AFTER}[facilitator]")),
        "x.toml",
        "1",
        "x",
    )
    done = {}
    assert drawn(lesson, done) is lesson
    assert done == {}
    assert not gain_data(lesson, lesson.transfer[1])["gain"]["drawn"]


BEFORE = (
    '[[block]]\nkind = "predict"\ntransfer = "before"\nquestion = "?"\nchoices = ["a", "b"]\n'
    'right = "a"\ntext = ""\n'
)
ANSWERS = 'answers = [{ text = "a", why = "b", right = true }, { text = "c", why = "d" }]\n'
AFTER = (
    '[[block]]\nkind = "quiz"\ntransfer = "after"\nquestion = "?"\n'
    'answers = [{ text = "a", why = "b", right = true }, { text = "c", why = "d" }]\n'
)


@each(
    ("blocks", "why"),
    [
        (BEFORE, "must be one with 'before', and later one with 'after'"),
        (AFTER + BEFORE, "must be one with 'before', and later one with 'after'"),
        (
            BEFORE.replace('right = "a"\n', "") + AFTER,
            "must be a 'predict' with `answers`, or with",
        ),
        (
            BEFORE.replace('right = "a"\n', ANSWERS) + AFTER,
            "takes the place of `choices` and `right`, in a block with",
        ),
    ],
)
def test_questions_before_and_after_belong_together(blocks, why):
    document = tomllib.loads(GOOD.replace("[facilitator]", f"{blocks}[facilitator]"))
    with pytest.raises(LessonError, match=why):
        lesson_of(document, "x.toml", "1", "x")


def test_a_lesson_of_ones_own_needs_no_such_questions():
    assert lesson_of(tomllib.loads(GOOD), "x.toml", "1", "x").transfer is None
    with_both = GOOD.replace("[facilitator]", f"{BEFORE}{AFTER}[facilitator]")
    assert lesson_of(tomllib.loads(with_both), "x.toml", "1", "x").transfer == (2, 3)
