"""What rooms refuse, with the words that people read; see `tests/test_refusals.py`."""

from unittest.mock import patch

import pytest

from explorer import rooms
from explorer.hosts import PUBLIC
from explorer.rooms import opening
from explorer.rooms.lesson import lesson_called, steps
from explorer.rooms.results import revealed_tables
from explorer.rooms.watching import gallery_seat
from tests.depth import each
from tests.explorer.rooms.lesson_places import GUESS
from tests.explorer.rooms.people import LEADER, opened, plan, visitor

CHOICE = {"seating": "choice", "seats": {"prover1": "scripted"}, "tables": 2}
SPECTATORS = {"gallery": "seat", "gallery_seat": (1, "verifier")}


class Rooms:
    """Rooms of several kinds, each with one person who has joined, and what is done in them."""

    def __init__(self, storage):
        self.storage = storage
        self.leading, self.joined = {}, {}
        for kind, started, said in (
            ("gathering", False, {}),
            ("playing", True, {}),
            ("choice", False, CHOICE),
            ("spectators", False, SPECTATORS),
            ("no gallery", False, {"gallery": "none"}),
            ("rehearsal", True, {"rehearsal": True}),
            ("alone", False, {"plan": rooms.RoomPlan(kind="lesson", lesson="merlin-arthur")}),
            ("lesson", False, {"plan": rooms.RoomPlan(kind="lesson", lesson="two-rooms")}),
        ):
            code = opened(storage, 1, started=started, **said)
            self.leading[kind] = rooms.Access(storage, code, LEADER)
            self.joined[kind] = rooms.Access(storage, code, visitor(1))

    def room(self, kind):
        return rooms.load_room(self.leading[kind])

    def steer(self, block, act, value=None):
        lesson = rooms.load_lesson(self.leading["lesson"]).lesson
        step = next((n for n, step in enumerate(steps(lesson), 1) if block in step), 0)
        rooms.steer(self.leading["lesson"], "go", step)
        rooms.steer(self.leading["lesson"], act, value)

    def answer_twice(self):
        self.steer(GUESS, "open")
        self.steer(GUESS, "led", False)
        try:
            for _ in range(2):
                rooms.answer_block(self.joined["lesson"], 1, (GUESS, "before"), "60")
        finally:
            self.steer(GUESS, "led", True)

    def answer_after_the_most(self):
        self.steer(GUESS, "open")
        with patch("explorer.rooms.lesson_answers.MOST_IN_ALL", 0):
            rooms.answer_block(self.joined["lesson"], 1, (GUESS, "before"), "60")

    def change_seats_late(self):
        rooms.take_seat(self.joined["choice"], 1, 1, "verifier")
        rooms.start(self.leading["choice"])
        rooms.take_seat(self.joined["choice"], 1, 1, "prover0")

    def next_task_alone(self):
        here, lead = self.joined["playing"], self.leading["playing"]
        rooms.end(lead)
        rooms.leave(here, 1)
        rooms.next_task(lead)

    def rename_forgotten(self):
        code = opened(self.storage, 1)
        rooms.forget(rooms.Access(self.storage, code, visitor(1)), 1)
        rooms.rename_person(rooms.Access(self.storage, code, LEADER), 1, "Ada")

    def watch_in_a_crowd(self):
        key = rooms.watch_link(self.leading["spectators"])
        code = self.leading["spectators"].code
        with patch("explorer.rooms.watching.MOST_SPECTATORS", 2):
            for number in (7, 8, 8, 9):
                rooms.watch(rooms.Access(self.storage, code, visitor(number)), key)

    def gallery(self, kind):
        return gallery_seat(self.room(kind), visitor(9))


@pytest.fixture
def made(storage):
    return Rooms(storage)


@each(
    ("words", "act"),
    [
        ("A timer runs", lambda r: r.steer(GUESS, "timer", 7)),
        ("The rounds are before and after", lambda r: r.steer(GUESS, "round", "third")),
        ("This block is played alone", lambda r: r.steer(GUESS, "alone", False)),
        ("This step asks nothing of anybody", lambda r: r.steer(0, "open")),
        ("step asks nothing. Go to", lambda r: (
            rooms.steer(r.leading["lesson"], "go", 0), rooms.bots_answer(r.leading["lesson"])
        )),
        ("Answers are closed. Open them first", lambda r: (
            r.steer(GUESS, "lock"), rooms.bots_answer(r.leading["lesson"])
        )),
        ("of this room is not here any more", lambda _: lesson_called("gone")),
        ("game is not played by pairs", lambda r: rooms.load_lesson(r.joined["alone"]).game(4)),
        ("has tables and no lesson", lambda r: rooms.load_lesson(r.joined["playing"])),
        ("the first answer counts", Rooms.answer_twice),
        ("the most answers that are counted", Rooms.answer_after_the_most),
        ("cannot be renamed: they are a bot, or deleted", Rooms.rename_forgotten),
        ("cannot be read. Ask the server's operator", lambda _: opening.check_may_open(
            "word", {opening.PASSWORD_FILE: "/no/such/file"}
        )),
        ("Nobody makes rooms on this server", lambda _: opening.check_may_open("", {PUBLIC: "1"})),
        ("Seats are drawn in this room", lambda r: rooms.take_seat(
            r.joined["gathering"], 1, 1, "verifier"
        )),
        ("cannot be changed any more: the room has started", Rooms.change_seats_late),
        ("Between 1 and 60 bots", lambda r: rooms.rehearse(r.leading["rehearsal"], 0)),
        ("facilitator", lambda r: rooms.rehearse(r.joined["rehearsal"])),
        ("Bots join rehearsals only", lambda r: rooms.rehearse(r.leading["gathering"])),
        ("The rehearsal has started", lambda r: rooms.rehearse(r.leading["rehearsal"])),
        ("has no gallery. Ask the facilitator", lambda r: revealed_tables(
            r.room("no gallery"), visitor(9)
        )),
        ("has no gallery. Ask the facilitator", lambda r: r.gallery("no gallery")),
        ("opens once the facilitator has revealed", lambda r: revealed_tables(
            r.room("playing"), visitor(9)
        )),
        ("opens once the facilitator has revealed", lambda r: r.gallery("playing")),
        ("The room is not paused", lambda r: rooms.resume(r.leading["gathering"])),
        ("made longer by 1 to", lambda r: rooms.extend(r.leading["playing"], seconds=0)),
        ("Start the room first", lambda r: rooms.reveal(r.leading["gathering"])),
        ("Start the room first", lambda r: rooms.next_task(r.leading["gathering"])),
        ("Some tables are still playing", lambda r: rooms.reveal(r.leading["playing"])),
        ("Not all tables are over", lambda r: rooms.next_task(r.leading["playing"])),
        ("The room has started already", lambda r: rooms.start(r.leading["playing"])),
        ("Nobody is left at any table", Rooms.next_task_alone),
        ("shows spectators nothing before", lambda r: rooms.watch_link(r.leading["playing"])),
        ("Too many people are watching", Rooms.watch_in_a_crowd),
    ],
)  # fmt: skip
def test_a_room_refuses(made, words, act):
    with pytest.raises(rooms.RoomError) as error:
        act(made)
    assert words in str(error.value)


@each(
    ("limit", "words", "act"),
    [
        ("opening.MOST_ROOMS", "server holds too many rooms", lambda s: opened(s, started=False)),
        ("rehearsal.MOST_PEOPLE", "no space for that many bots", lambda s: rooms.rehearse(
            rooms.Access(s, rooms.open_room(s, plan(rehearsal=True), LEADER).code, LEADER), 1
        )),
    ],
)  # fmt: skip
def test_what_is_full_takes_nobody(storage, limit, words, act):
    with patch(f"explorer.rooms.{limit}", 0), pytest.raises(rooms.RoomError, match=words):
        act(storage)


@each(
    ("limit", "rehearsal", "gone", "free"),
    [
        ("MOST_PEOPLE", False, False, 0),
        ("MOST_PEOPLE", False, True, 1),  # who has left makes room for somebody else,
        ("MOST_EVER", False, True, 0),  # but not for ever,
        ("MOST_OF_A_BROWSER", True, False, 0),
    ],
)
def test_a_full_room_takes_those_who_were_in_it_and_nobody_else(
    storage, limit, rehearsal, gone, free
):
    code = rooms.open_room(storage, plan(rehearsal=rehearsal), LEADER).code

    def join(number):
        return rooms.join(rooms.Access(storage, code, visitor(1 if rehearsal else number))).number

    with patch(f"explorer.rooms.people.{limit}", 3):
        assert [join(number) for number in (1, 2, 3)] == [1, 2, 3]
        if gone:
            rooms.leave(rooms.Access(storage, code, visitor(3)), 3)
        elif not rehearsal:
            assert join(2) == 2
        for number in range(4, 4 + free):
            assert join(number) == number
        with pytest.raises(rooms.RoomError, match=r"This room is full\. Ask the facilitator"):
            join(9)
    assert len(rooms.load_room(rooms.Access(storage, code)).people) == 3 + free
