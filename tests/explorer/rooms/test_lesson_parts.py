"""What each window onto a room's lesson gets of a part, by its kind and stage."""

import dataclasses
import json
from itertools import product

import pytest

from explorer.lessons.answers import answer_from_words
from explorer.rooms import Access, RoomPlan, answer_block, join, load_lesson, open_room, steer
from explorer.rooms.lesson_parts import (
    answers_of,
    lead_part,
    part_had,
    person_part,
    reading_part,
    reveal_part,
    wall_part,
)
from explorer.rooms.lesson_views import lead_view, part_before, person_view, projector_view
from tests.depth import each
from tests.explorer.rooms.lesson_places import LESSON, step_of

TEACHER, ADA = "t" * 32, "a" * 32
# The first block of each kind, without the questions before and after.
PLACES = {b.kind: n for n, b in [*enumerate(LESSON.blocks, 1)][::-1] if not b.transfer}
STAGES = ("open", "locked", "revealed")
TOLD = {"truth", "answers"}


class Room:
    """A room that takes a lesson, with one person in it."""

    def __init__(self, storage):
        self.storage = storage
        self.code = open_room(storage, RoomPlan(kind="lesson", lesson=LESSON.slug), TEACHER).code
        self.ada = join(Access(storage, self.code, ADA)).number

    def steer(self, *acts):
        for act, *value in acts:
            steer(Access(self.storage, self.code, TEACHER), act, *value)

    def go(self, place, stage=None):
        self.steer(("go", step_of(place)))
        if stage is not None:
            self.steer(({"locked": "lock", "revealed": "reveal"}.get(stage, stage),))

    def at(self):
        return load_lesson(Access(self.storage, self.code, ADA))

    def views(self, place):
        """Return what the person, the projector and the facilitator get of the step's block."""
        mine, wall, led = (person_view(self.at(), self.ada), projector_view(self.at()),
                           lead_view(self.at()))  # fmt: skip
        one = next(part for part in mine.parts if part.place == place)
        other = next(part for part in wall.parts if part.place == place)
        third = next(part for part in led.at_hand if part.place == place)
        return (
            person_part(mine, one, draft=None, game=None),
            wall_part(wall, other),
            lead_part(third),
            reveal_part(third),
        )

    def answer(self, place, value):
        key = (place, "before")
        answer_block(Access(self.storage, self.code, ADA), self.ada, key, value)


@pytest.fixture
def room(storage):
    return Room(storage)


@each(("kind", "stage"), product(("predict", "playable", "quiz", "game"), STAGES))
def test_a_part_is_shown_by_its_kind_and_stage(room, kind, stage):
    place = PLACES[kind]
    room.go(place)
    if kind == "game":
        room.steer(("alone", True))
    room.go(place, stage)
    (person, mine), (wall, shown), (led, said), (_, reveal) = room.views(place)
    asks = kind != "game"
    assert (mine.get("takes") == "change") == (stage == "open")
    # The solution is there for all at once, except that the facilitator can look at it before.
    told = TOLD if stage == "revealed" else set()
    for now in (mine, shown):
        assert now.keys() & TOLD <= told
        assert now["told"] == (stage == "revealed")
    assert not said.keys() & TOLD
    # Many facilitators show their own screen on the projector.
    for chart in said["charts"] or () if stage != "revealed" else ():
        assert not chart.get("truth")
        assert not any(row["right"] for row in chart.get("rows", ()))
    assert bool(reveal.keys() & TOLD) == (kind in ("predict", "quiz"))
    assert reveal["charts"] is None
    # The projector has the question in its title, and the drawing to discuss the results.
    assert wall.get("question", "") == wall.get("title", "") == led.get("question", "") == ""
    assert led["title"]
    if kind == "playable":
        assert person["front"]
        assert bool(wall["front"]) == (stage == "revealed")
        assert person["text"]
    if kind == "game":
        assert person["title"]
    if kind in ("game", "playable"):
        # What is to be done, until there are answers or the solution.
        assert bool(wall["text"]) == (not shown["charts"] and stage != "revealed")
    # Results would influence those who have not answered.
    assert bool(shown["charts"]) == (stage != "open" and asks)
    assert shown["lists"] == (stage == "open" or not asks) or stage == "revealed"
    assert mine["lists"] == (stage != "revealed" or kind != "quiz")


def test_a_part_in_pairs_has_no_words_and_a_scene_of_ones_own(room):
    place = PLACES["game"]
    room.go(place)
    for stage, choices in ((None, False), ("open", True), ("locked", False)):
        room.go(place, stage)
        (person, mine), (wall, _), *_ = room.views(place)
        assert (person["asks"], person["text"], wall["text"]) == ("pairs", "", "")
        assert person["round"]
        assert bool(mine["scene"]["choices"]) == choices
        assert mine["scene"]["question"] == 0
    room.go(place, "revealed")
    (_, mine), *_ = room.views(place)
    assert "scene" not in mine


def test_a_reset_or_another_round_is_another_part(room):
    place, names = PLACES["predict"], set()
    room.go(place)
    for act in (("reset",), ("round", "after"), ("reset",)):
        names.add(room.views(place)[0][0]["id"])
        room.steer(act)
    names.add(room.views(place)[0][0]["id"])
    assert len(names) == 4


def test_answers_are_stored_as_numbers_and_shown_in_words(room):
    for kind, value in (
        ("predict", 60),
        ("quiz", LESSON.blocks[PLACES["quiz"] - 1].answers[1].text),
    ):
        place = PLACES[kind]
        block = LESSON.blocks[place - 1]
        room.go(place, "open")
        stored = answer_from_words(block, value)
        assert stored == ("60" if kind == "predict" else "1")
        room.answer(place, stored)
        ((name, said),) = answers_of(person_view(room.at(), room.ada).parts).items()
        assert (name.partition("-")[2], said) == (str(place - 1), value)
        had, now = part_had(part_before(room.at(), place, room.ada))
        assert (had["text"], now["lists"], now["told"]) == ("", True, False)
        for wrong in (None, "62", 62.5, 101, -1, 10**400, [62], True, {}):
            assert answer_from_words(block, wrong) is None


@each("kind", ["text", "experiment", "open"])
def test_what_asks_nothing_is_read(room, kind):
    place = PLACES[kind]
    room.go(place)
    part = next(p for p in person_view(room.at(), room.ada).parts if p.place == place)
    made, now = reading_part(part, {"rounds": "many"} if kind == "experiment" else None)
    assert made["kind"] == kind
    assert json.loads(json.dumps([made, now])) == [made, now]
    assert bool(now) == (kind == "experiment")
    assert dataclasses.asdict(part.block)["text"] == made["text"]
