"""What lessons ask, over all their files: no answer stands above its question."""

from __future__ import annotations

import functools
import re
import tomllib
from itertools import accumulate

import pytest

from explorer.lessons import explained, plain, title_of
from explorer.lessons.experiments.proofs import binomial
from explorer.lessons.lesson import LessonError, lesson_of
from explorer.lessons.library import document, lessons
from explorer.lessons.playables import forgery, halving, strangers
from explorer.notebook import lesson_notebook
from explorer.rooms import RoomPlan, agenda
from explorer.rooms.lesson import without_solution
from explorer.rooms.plan import workshop_lengths
from explorer.site import lessons as site_lessons
from explorer.site.lessons import lesson_cards, lesson_data
from tests.depth import each, exhaustive
from tests.explorer.lessons.test_library import GOOD

OURS = lessons()[0]
each_lesson = each("lesson", OURS, ids=lambda lesson: lesson.slug)
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


# -- spoiled ---------------------------------------------------------------------------------------


@functools.cache
def numbers_in(text: str) -> set[tuple[float, bool]]:
    r"""Return the numbers of a text, each with whether it is a share: "87.5%", "$7/8$", "two"."""
    text = re.sub(r"\[@[^\]]*\]", "", text).replace("{", "").replace("}", "").lower()
    found = {(float(a) / float(b), True) for a, b in re.findall(r"(\d+)/([1-9]\d*)", text)}
    found |= {(float(n) / 100, True) for n in re.findall(r"(\d+(?:\.\d+)?)\s?%", text)}
    text = re.sub(r"\d+/\d+|\d+(?:\.\d+)?\s?%|(?<=\d),(?=\d{3})", "", text)
    found |= {(float(n), False) for n in re.findall(r"(?<![\w^.])\d+(?:\.\d+)?", text)}
    return found | {(float(n), False) for n, w in enumerate(WORDS) if re.search(rf"\b{w}\b", text)}


def above(lesson, place: int) -> list[str]:
    """Return the texts that a learner has been shown when a block asks, its own words included."""
    shown = [lesson.title, lesson.question, lesson.summary]
    for block in lesson.blocks[:place]:
        answers = (part for answer in block.answers for part in (answer.text, answer.why))
        shown += [
            block.question,
            block.text,
            *answers,
            *(cell for row in block.rows for cell in row),
        ]
    own = lesson.blocks[place]
    return [*shown, own.text if own.kind == "playable" else ""]


def spoiled(lesson) -> list[str]:
    """Return the questions whose answers stand above them."""
    found: list[str] = []
    for place, block in enumerate(lesson.blocks):
        shown = above(lesson, place)
        known = set().union(*map(numbers_in, shown))
        number = re.fullmatch(r"[\d,.]+", block.right)
        if block.truth is not None:
            share = block.unit == "%"
            right = {(round(block.truth / 100, 3), True)} if share else {(block.truth, False)}
            if not share and not block.low:
                # "50%" tells how many of ten games.
                right |= {(round(block.truth / block.high, 3), True)}
            known = {(round(value, 3), is_share) for value, is_share in known}
        elif number:
            right = {(float(block.right.replace(",", "")), False)}
        elif block.right:
            known, right = {block.right.lower() in "\n".join(shown).lower()}, {True}
        else:
            continue
        if known & right:
            found.append(block.question)
    return found


# These numbers stand above their questions and mean something else.
SOMETHING_ELSE = {
    "With the wall up: what is the smallest": "two liars in two rooms",
}


@each_lesson
def test_no_answer_stands_above_its_question(lesson):
    known = tuple(SOMETHING_ELSE)
    assert [question for question in spoiled(lesson) if not question.startswith(known)] == []


def test_spoiled_guesses_are_found():
    asks = '[[block]]\nkind = "predict"\nquestion = "How many?"\ntext = "5"\n'
    asks += "low = 0\nhigh = 10\ntruth = 5\n"
    asks_choice = asks.replace(
        "low = 0\nhigh = 10\ntruth = 5", 'choices = ["No", "All"]\nright = "All"'
    )
    for text, question in (
        ("Five of them fail.", asks),
        ("It is 50%, always.", asks),
        ("Exactly $1/2$.", asks),
        ("In the end all of them.", asks_choice),
    ):
        for said, bad in ((text, True), ("Nothing is told.", False)):
            file = f'{GOOD}\n[[block]]\nkind = "text"\ntext = "{said}"\n{question}'
            found = lesson_of(tomllib.loads(file), "x.toml", "1", "x")
            assert bool(spoiled(found)) == bad, text


@each_lesson
def test_after_a_guess_the_right_number_is_said(lesson):
    """A formula alone is no answer for whoever cannot compute it."""
    for block in lesson.blocks:
        if block.kind != "predict" or block.truth is None:
            continue
        share = block.unit == "%"
        right = block.truth / 100 if share else block.truth
        near = 0.01 if share else 0.5
        said = numbers_in(block.text)
        assert any(abs(value - right) <= near for value, is_share in said if is_share == share)


@each_lesson
def test_the_right_answer_is_rarely_the_longest(lesson):
    asked = [block.answers for block in lesson.blocks if block.answers]
    given_away = [
        answers
        for answers in asked
        if max((each.right, len(each.text)) for each in answers)[1]
        > max(len(each.text) for each in answers if not each.right)
    ]
    assert len(given_away) <= len(asked) / 2


# -- chance ----------------------------------------------------------------------------------------


def least_tests() -> list[float]:
    """Return how likely each number of tests is the first with few guessers among the believed."""
    few = range(6)  # of 105 who are believed, 5 guessers are fewer than one in twenty
    enough = [
        float(sum(binomial(strangers.OF_EACH, strangers.GUESS**tests)[n] for n in few))
        for tests in range(strangers.MOST + 1)
    ]
    return [after - before for before, after in zip([0.0, *enough], enough, strict=False)]


BY_CHANCE = {
    ("stranger", 3): least_tests,
    ("colour-blind", 6): lambda: binomial(1000, 1 / 2**10),
    ("questions", 3): lambda: binomial(10, 2 / 11),
    ("debate", 4): lambda: binomial(10, 0.9**halving.STEPS),
    ("zero-knowledge", 4): lambda: binomial(100, float(forgery.right(3, shuffles=False))),
}
# Of these, nothing is drawn: the drawing's number is the same for everybody.
EXACT = {"twins", "two_rooms", "redo", "marks", "seat"}
EXACT |= {"monitor", "audits", "collusion", "parts", "helped", "dumb"}


@each("where", BY_CHANCE, ids=str)
def test_results_of_chance_have_their_mean_and_spread(where):
    slug, place = where
    block = next(each for each in OURS if each.slug == slug).blocks[place - 1]
    law = [float(chance) for chance in BY_CHANCE[where]()]
    below = list(accumulate(law))
    assert block.truth == pytest.approx(sum(n * chance for n, chance in enumerate(law)), abs=1e-5)
    low = next(n for n, chance in enumerate(below) if chance > 0.05)
    high = next(n for n, chance in enumerate(below) if chance >= 0.95)
    assert block.spread == (low, high)
    assert block.truth_in_words.startswith("On average: ")
    assert f"nine in ten find {low} to {high} {block.unit}." in block.truth_in_words


def test_every_other_number_is_the_same_for_everybody():
    spread = {(each.slug, n) for each in OURS for n, b in enumerate(each.blocks, 1) if b.spread}
    assert spread == set(BY_CHANCE)
    found = {
        b.name for each in OURS for b in each.blocks if b.kind == "playable" and b.truth is not None
    }
    by_slug = {each.slug: each for each in OURS}
    drawn = {by_slug[slug].blocks[place - 1].name for slug, place in BY_CHANCE}
    assert found - drawn == EXACT


def test_a_spread_belongs_to_a_number_and_is_a_secret_like_it():
    block = OURS[0].blocks[2]
    assert (without_solution(block).truth, without_solution(block).spread) == (None, ())
    asks = 'kind = "predict"\nquestion = "How many?"\nlow = 0\nhigh = 10\ntext = "5"\n'
    for more in ("spread = [1, 2]", "truth = 5\nspread = [2, 1]", "truth = 5\nspread = [1, 11]"):
        document_ = tomllib.loads(f"{GOOD}\n[[block]]\n{asks}{more}")
        with pytest.raises(LessonError, match="spread needs a `truth`"):
            lesson_of(document_, "x.toml", "1", "x")


# -- the same everywhere ---------------------------------------------------------------------------


@each_lesson
def test_minutes_are_the_same_on_card_page_and_plan(lesson, monkeypatch):
    monkeypatch.setattr(site_lessons, "small_picture", lambda _: None)
    (card,) = (each for each in lesson_cards() if each["slug"] == lesson.slug)
    alone, together = card["minutes"], sum(step.minutes for step in lesson.facilitator.timing)
    said = f"About {alone} minutes by yourself, {together} with a class."
    # Links to the glossary are no words to read.
    assert said in lesson.about
    assert said in explained(lesson).about
    assert alone <= together == lesson.minutes


@each_lesson
def test_plain_texts_hold_no_formulas_and_no_markdown(lesson):
    notes, said = lesson.facilitator, [lesson.title, lesson.question, lesson.summary]
    said += [*notes.say, *(step.what for step in notes.timing), notes.handout, notes.answers]
    for block in lesson.blocks:
        said += [
            block.question,
            block.label,
            block.caption,
            block.unit,
            block.right,
            *block.choices,
        ]
        said += [*block.columns, *(cell for row in block.rows for cell in row), title_of(block)]
        said += [part for answer in block.answers for part in (answer.text, answer.why)]
    for minutes in workshop_lengths():
        for step in agenda(RoomPlan(kind="lesson", lesson=lesson.slug), minutes):
            said += [step.what, *step.do, *step.say, *step.sees]
    bad = [text for text in said if re.search(r"\$|\\[a-z]|\*\*|\[@", text)]
    assert bad == []


@each(
    ("text", "says"),
    [
        ("An honest prover passes all $k$ tests with chance $c^k$.", "chance cᵏ."),
        ("**Bold** $(1/2)^{20} = 1/1048576$ [@x]", "Bold (1/2)²⁰ = 1/1048576"),
        (r"$\frac{c}{c+s} \le \text{bound}$", "c/(c+s) ≤ bound"),
        (r"### Title with $e^{-k|E|}$", "Title with e^(-k|E|)"),
    ],
)
def test_formulas_are_read_on_one_line(text, says):
    assert plain(text).endswith(says)
    assert "$" not in plain(text)


def test_the_glossarys_texts_are_read_on_one_line():
    assert not [
        e["term"] for e in document("glossary")["entry"] if re.search(r"[$\\]", plain(e["text"]))
    ]


@exhaustive
@each_lesson
def test_every_question_of_a_drawing_is_asked_of_a_learner_alone(lesson):
    asked = [b for b in lesson.blocks if b.kind == "playable" and b.question]
    assert asked or not any(b.kind == "playable" for b in lesson.blocks)
    parts = lesson_data(lesson)["lesson"]["parts"]
    solved = {part.get("question"): known for part, known in parts if part["kind"] == "playable"}
    book = "\n".join("".join(cell["source"]) for cell in lesson_notebook(lesson)["cells"])
    for block in asked:
        assert solved[block.question]["answer"] == block.truth_in_words
        assert block.question[:30] in book.replace("\\", "")
