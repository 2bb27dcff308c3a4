"""Rules that all our lessons follow."""

import re
from dataclasses import replace
from fractions import Fraction

from explorer.lessons import Block
from explorer.lessons.lesson import Lesson, minutes_alone
from explorer.lessons.library import EXPLAINED, document, experiment, explained, game, lessons

OURS = lessons()[0]
QUIZZES = [block for lesson in OURS for block in lesson.blocks if block.kind == "quiz"]


def right_place(block: Block) -> int:
    return next(place for place, answer in enumerate(block.answers) if answer.right)


def test_neither_its_place_nor_its_length_gives_the_right_answer_away():
    places = [right_place(block) for block in QUIZZES]
    for place in range(3):
        assert Fraction(places.count(place), len(places)) <= Fraction(2, 5)
    longest = sum(
        len(block.answers[right_place(block)].text)
        > max(len(answer.text) for answer in block.answers if not answer.right)
        for block in QUIZZES
    )
    assert Fraction(longest, len(QUIZZES)) <= Fraction(2, 5)


def test_no_program_is_judged_twice():
    """Its first ending reveals the truth about it."""
    for lesson in OURS:
        asked = [block.settings or {} for block in lesson.blocks]
        tasks = [settings["task"] for settings in asked if "task" in settings]
        assert len(set(tasks)) == len(tasks)


def test_the_minutes_of_one_person_are_computed():
    text = Block("text", text="word " * 400)
    quiz = next(block for block in OURS[0].blocks if block.kind == "quiz")
    assert minutes_alone("", (text,)) == 2
    assert minutes_alone("", (text, Block("game"), Block("experiment"))) == 5
    assert minutes_alone("", (text, quiz, quiz)) >= 3
    # Nobody alone takes longer than a class, which also discusses.
    assert all(each.minutes_alone <= each.minutes for each in OURS)


def test_the_first_use_of_a_technical_term_links_to_the_glossary():
    for lesson in OURS:
        linked = explained(lesson)
        for said, term in EXPLAINED.items():
            pattern = rf"\[{said}\]\(/learn\?show=glossary&q="
            links = [len(re.findall(pattern, block.text)) for block in linked.blocks]
            first = next((n for n, block in enumerate(lesson.blocks) if plain(block, said)), None)
            # Once, in the block in which it is first read; what follows a guess comes after it.
            guessed = (replace(each, text="") for each in lesson.blocks if each.kind == "predict")
            assert not any(plain(each, said) for each in guessed), (lesson.slug, said)
            assert links == [n == first for n in range(len(links))], (lesson.slug, said)
            assert any(each["term"] == term for each in document("glossary")["entry"])
        # Formulas and citations are unchanged.
        formulas = [re.findall(r"\$[^$]*\$", texts(each)) for each in (lesson, linked)]
        assert formulas[0] == formulas[1]


def texts(lesson: Lesson) -> str:
    return "\n".join(block.text for block in lesson.blocks)


def plain(block: Block, said: str) -> bool:
    read = [block.text, block.question, block.label, block.caption, *block.choices, *block.columns]
    read += [text for answer in block.answers for text in (answer.text, answer.why)]
    read += [cell for row in block.rows for cell in row]
    without = re.sub(r"\$[^$]*\$|\[@[^\]]*\]", " ", "\n".join(read))
    return re.search(rf"\b{re.escape(said)}\b", without) is not None


def test_lessons_speak_of_soundness_error_where_they_give_a_number():
    for lesson in OURS:
        answers = (answer for block in lesson.blocks for answer in block.answers)
        said = "\n".join([texts(lesson), *(each.text + each.why for each in answers)])
        assert not re.search(r"soundness (?:of |is |= ?)\$?\d", said, re.IGNORECASE)


def test_a_liar_share_is_not_read_as_a_chance_of_a_liar():
    """Half of the strangers lie: of those who pass k tests, one in 2**k + 1 does."""
    prose = texts(OURS[0])
    for tests in (1, 5):
        passed = Fraction(1, 2) ** tests
        share = passed / (passed + 1)
        assert f"${share}$" in prose
        state = {"honest": False, "rounds": [[0, 0]] * tests, "believed": False}
        assert f"1 in {share.denominator} of those" in game("stranger").scene(state).prompt


def test_a_larger_penalty_for_mistakes_makes_lies_rarer():
    """The verifier is indifferent between checking, which costs c, and trusting a lie."""
    cost = Fraction(1, 2)
    for penalty in (1, 3):
        lies = cost / (1 + penalty)
        check = 1 - cost
        trust = (1 - lies) * 1 + lies * -penalty
        assert check == trust
    found = experiment("who_leads").run({"cost": float(cost), "fine": 1.0})
    assert found.numbers["neither leads, verifier"] == float(1 - cost)
    assert "$c/(1+P)$" in texts(OURS[7])


def test_what_a_drawing_shows_is_not_asked_as_a_guess_below_it():
    for lesson in OURS:
        found = set[float]()
        for block in lesson.blocks:
            if block.kind == "playable" and block.truth is not None:
                found.add(round(block.truth))
            elif block.kind == "predict" and block.truth is not None:
                assert round(block.truth) not in found, (lesson.slug, block.question)


def test_lessons_have_no_riddles():
    for lesson in OURS:
        answers = (answer for block in lesson.blocks for answer in block.answers)
        said = [texts(lesson), *(block.question for block in lesson.blocks)]
        said += [text for answer in answers for text in (answer.text, answer.why)]
        said += [*lesson.facilitator.say, lesson.facilitator.handout, lesson.facilitator.answers]
        assert not re.search(r"\b(whoever|whosoever|whatsoever)\b", "\n".join(said), re.IGNORECASE)


def test_every_drawing_asks_something_that_a_room_collects():
    for lesson in OURS:
        for block in lesson.blocks:
            assert block.kind != "playable" or block.question, (lesson.slug, block.name)
