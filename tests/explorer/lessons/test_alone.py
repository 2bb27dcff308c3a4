"""Tests of alone.py and parts.py: what a person alone sees of a lesson, and does in it."""

import json

import pytest

from explorer.lessons import LessonAlone, LessonRequestError
from explorer.lessons.library import all_experiments, lessons
from explorer.lessons.parts import part_data, settings_sent, solution_data, step_digests
from tests.depth import each, first

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
TOLD = ("answer", "answers", "gain", "truth")


def alone_in(slug):
    return LessonAlone(LESSONS[slug], {})


def begun_in(slug):
    """Return a lesson whose question before it was skipped."""
    alone = alone_in(slug)
    alone.act("answer", {"place": 0, "value": ""})
    return alone


def place_of(slug, kind):
    """Return the place of the first block of a kind, without the questions before and after."""
    blocks = enumerate(LESSONS[slug].blocks)
    return next(n for n, block in blocks if block.kind == kind and not block.transfer)


def sent(alone, step=0):
    """Return all that a browser is sent of a lesson."""
    shown = [(alone.part(place), alone.now(place)) for place in alone.seen(step)]
    return json.dumps([alone.about(), shown, alone.told()], ensure_ascii=False)


def secrets_of(block):
    """Return what nobody may read of a block before they answer it."""
    whole = solution_data(block)
    texts = [each["why"] for each in whole.get("answers", ())] + [whole.get("truth", "")]
    return [json.dumps(text, ensure_ascii=False)[1:60] for text in texts if text]


def answer_of(block):
    """Return a wrong answer, if there is one, and a right one."""
    if block.kind == "quiz":
        return [a.text for a in sorted(block.answers, key=lambda each: each.right)]
    if block.kind == "say":
        return ["When the judge looked it up."]
    return [*block.choices] or [block.low, block.high]


@pytest.mark.parametrize("slug", first(3, LESSONS))
def test_a_lesson_is_walked_and_tells_nothing_before_its_question_is_answered(slug):
    alone, blocks = alone_in(slug), LESSONS[slug].blocks
    for place, block in enumerate(blocks):
        assert alone.seen()[-1] >= place
        early = sent(alone)
        later = [text for other in blocks[place:] for text in secrets_of(other)]
        assert not [text for text in later if text in early]
        if block.kind == "predict":
            # What follows a guess is not there at all, also what is not secret.
            assert alone.seen() == list(range(place + 1))
            assert alone.part(place)["after"] or place + 1 == len(blocks)
        if block.kind in ("predict", "quiz") or block.question:
            for value in answer_of(block):
                alone.act("answer", {"place": place, "value": value})
            told = alone.now(place)
            assert told.keys() <= {*TOLD}
            if block.kind == "quiz":
                # One may try again, so only the chosen answer is explained.
                (said,) = told["answers"]
                assert (said["text"], said["right"], said["verdict"]) == (value, True, "Right.")
        elif block.kind == "game":
            _played(alone, place)
    assert alone.seen() == list(range(len(blocks)))


def _played(alone, place):
    for _ in range(60):
        scene = alone.now(place)["scene"]
        if scene["outcome"]:
            break
        drawn = [c for each in scene["drawings"] for c in each.get("choices", {}).values()]
        choices = [name for name, _ in scene["choices"]] + drawn
        alone.act("game", {"place": place, "choice": choices[-1]})
    assert "So far (1 played)" in alone.now(place)["sums"]
    *_, role = alone.part(place)["roles"]
    alone.act("game", {"place": place, "role": role[0]})
    again = alone.now(place)
    assert (again["scene"]["outcome"], again["role"]) == (None, role[0])
    # The games before it are still counted.
    assert "So far (1 played)" in again["sums"]


def test_the_state_of_a_game_is_not_told():
    alone, place = alone_in("colour-blind"), place_of("colour-blind", "game")
    alone.now(place)
    assert f"game-{place}" in alone.done
    assert alone.told() == {}
    assert "state" not in alone.now(place)


def test_the_first_guess_counts_and_the_answer_to_a_question_can_be_changed():
    slug = "two-rooms"
    alone, guess, quiz = alone_in(slug), place_of(slug, "predict"), place_of(slug, "quiz")
    for value in (60, 70):
        alone.act("answer", {"place": guess, "value": value})
    texts = [each.text for each in LESSONS[slug].blocks[quiz].answers]
    for text in texts:
        alone.act("answer", {"place": quiz, "value": text})
    assert alone.told() == {f"guess-{guess}": 60, f"quiz-{quiz}": texts[-1]}


def test_a_person_may_ask_to_be_shown_the_truth():
    alone, place = begun_in("two-rooms"), place_of("two-rooms", "predict")
    alone.act("answer", {"place": place, "value": ""})
    assert alone.now(place)["truth"]
    assert len(alone.seen()) > place + 1


def test_a_link_to_a_step_shows_all_before_it():
    alone, place = begun_in("two-rooms"), place_of("two-rooms", "predict")
    assert alone.seen() == alone.seen(place + 1) == list(range(place + 1))
    assert alone.seen(place + 2)[-1] > place
    # The guess can still be made.
    assert alone.now(place) == {}


WRONG = [
    ("answer", {"place": -1, "value": 60}, "no such step"),
    ("answer", {"place": 10**9}, "no such step"),
    ("answer", {"place": "1", "value": 60}, "no such step"),
    ("answer", {"place": True, "value": 60}, "no such step"),
    ("answer", {"place": 1, "value": 60}, "holds no answer"),
    ("answer", {"place": 2}, "does not answer"),
    *(
        ("answer", {"place": 2, "value": value}, "does not answer")
        for value in ("60", 60.5, 101, -1, 10**400, [60], True, None)
    ),
    ("answer", {"place": 6, "value": ""}, "does not answer"),
    ("answer", {"place": 6, "value": "<b>"}, "does not answer"),
    ("game", {"place": 1, "role": "asks"}, "holds no game"),
    ("game", {"place": 4, "choice": "<b>"}, "no such choice"),
    ("experiment", {"place": 2}, "holds no experiment"),
    ("reveal", {"place": 2}, "holds no reveal"),
]


@each(("does", "said", "why"), WRONG)
def test_a_browser_may_send_anything(does, said, why):
    alone = alone_in("two-rooms")
    with pytest.raises(LessonRequestError, match=why):
        alone.act(does, said)
    assert alone.told() == {}


def test_knobs_do_not_move_past_their_ends():
    alone, place = alone_in("rewards"), place_of("rewards", "experiment")
    before = alone.now(place)
    for knobs in (None, [], {"fine": 10**9, "cost": "much", "none": 1}):
        alone.act("experiment", {"place": place, "knobs": knobs})
        assert alone.now(place) == before
    alone.act("experiment", {"place": place, "knobs": {"fine": 0.5}})
    assert alone.now(place) != before
    assert alone.told() == {f"knobs-{place}": {"fine": 0.5}}


def test_every_experiment_has_its_knobs_and_a_result_that_is_plain_data():
    tried = set()
    for lesson in LESSONS.values():
        alone = LessonAlone(lesson, {})
        for place, block in enumerate(lesson.blocks):
            if block.kind != "experiment":
                continue
            part, shown = alone.part(place), alone.now(place)
            result, settings = shown["result"], shown["settings"]
            assert json.loads(json.dumps(shown)) == shown
            assert result["sentence"]
            assert all(len(row) == len(result["columns"]) for row in result["rows"])
            assert [knob["name"] for knob in part["knobs"]] == [*settings]
            assert settings_sent(block, settings) == settings
            tried.add(block.name)
    assert tried <= {*all_experiments()}


def test_texts_tables_and_links_are_parts_too():
    blocks = LESSONS["rewards"].blocks
    parts = [part_data(block, place) for place, block in enumerate(blocks)]
    for part, block in zip(parts, blocks, strict=True):
        if block.kind == "open":
            assert (part["title"], part["page"]) == (block.label, block.name)
        elif block.kind == "table":
            assert part["columns"] == [*block.columns]
            assert len(part["rows"]) == len(block.rows)
        elif block.kind == "text":
            assert part["text"] == block.text
    assert len({*step_digests(LESSONS["rewards"])}) == len(blocks)
