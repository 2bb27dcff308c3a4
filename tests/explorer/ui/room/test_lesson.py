"""A lesson's room sends nothing that is locked, unrevealed, or another person's question."""

import json
import re
from types import SimpleNamespace
from unittest.mock import patch

from explorer import rooms
from explorer.ui.room import lesson
from tests.explorer.rooms import lesson_places
from tests.explorer.rooms.lesson_places import LESSON, step_of

OTHER = "b" * 32
GUESS, QUIZ = (lesson_places.GUESS, "before"), (lesson_places.QUIZ, "before")
PAIRS = (lesson_places.PAIRS, "after")


def letters(text):
    """Return the letters of a text, without what is put between them for transport."""
    return re.sub(r"[^A-Za-z0-9]", "", text.replace("small[]", ""))


def parts_of(page):
    """Return the parts of the lesson that a page shows, by their places, each in one table."""
    element = page.component("nip_lesson").delta.new_element.bidi_component
    data = json.loads(element.json)[0]
    parts = [data["pieces"][part] | data["pieces"][now] for part, now in data["parts"]]
    return {part["place"] + 1: part for part in parts}


def truths(block):
    solution = [block.text] if block.kind == "predict" else [each.why for each in block.answers]
    return [letters(text)[:40] for text in solution]


class Class:
    """A facilitator with a projector, and a phone."""

    def __init__(self, frames):
        self.frames, self.storage = frames, frames.storage
        home = frames.open("room")
        self.leader = home.visitor
        plan = rooms.RoomPlan(kind="lesson", lesson="two-rooms", names=True)
        self.code = rooms.open_room(self.storage, plan, self.leader).code
        self.wall = frames.open("room", visitor=home, code=self.code, **{"as": "projector"})
        self.lead = frames.open("room", visitor=home, code=self.code, **{"as": "lead"})
        self.phone = frames.open("room", code=self.code)
        self.phone.choose("Your name", "<b>*Ada*</b>")
        self.phone.click("Join")
        self.me = 1

    def steer(self, *acts):
        for act, *value in acts:
            rooms.steer(rooms.Access(self.storage, self.code, self.leader), act, *value)

    def go(self, key):
        self.steer(("go", step_of(key[0])))
        self.steer(("round", key[1]))

    def sent(self):
        """Return what both windows are sent when they are drawn anew."""
        said = []
        for page in (self.phone, self.wall):
            page.forget()
            page.rerun()
            assert "could not be shown" not in page.said
            said.append(page.said)
        return said


def test_what_a_browser_does_is_about_the_part_at_its_place():
    done = []
    block = SimpleNamespace(kind="predict")
    parts = [SimpleNamespace(place=n, key=(n, "before"), block=block) for n in (1, 2)]
    view = SimpleNamespace(own=SimpleNamespace(code="ABCDE", person=7), parts=parts)
    with patch.multiple(
        lesson,
        act_in_room=lambda act, *said: done.append((act.__name__, *said)),
        answer_from_words=lambda _, value: value,
    ):
        for does, place in (("answer", 1), ("moved", 0), ("answer", 2), ("answer", None)):
            lesson._act(view, does, {"place": place, "value": 40})
    assert done == [
        ("answer_block", "ABCDE", 7, (2, "before"), 40),
        ("note_guess", "ABCDE", 7, (1, "before"), 40.0),
    ]


def test_a_part_that_is_only_read_has_the_settings_of_this_window():
    shown = []
    parts = [SimpleNamespace(place=n, stage=None, answer=None, key=(n, "before")) for n in (1, 2)]
    with patch.multiple(
        lesson,
        own_settings=lambda *_: ({"knobs-0": "one", "knobs-1": "two"}, None),
        reading_part=lambda _, knobs: knobs,
        answers_of=lambda _: {},
        show_parts=lambda _, parts, **__: shown.append(parts),
    ):
        lesson.show_room_parts(parts, None, sources={}, spoken="", key="key")
        lesson.show_room_parts([], None, sources={}, spoken="", key="key")
    assert shown == [["one", "two"]]


def test_no_frame_shows_the_right_answer_before_the_reveal(frames):
    room = Class(frames)
    for key in (GUESS, QUIZ):
        block = LESSON.blocks[key[0] - 1]
        room.go(key)
        early = room.sent()
        value = "1" if block.answers else "40"
        rooms.answer_block(
            rooms.Access(room.storage, room.code, room.phone.visitor), room.me, key, value
        )
        early += room.sent()
        room.steer(("lock",))
        early += room.sent()
        for said in early:
            assert letters(block.question)[:30] in letters(said)
            assert not any(truth in letters(said) for truth in truths(block))
            assert '"truth": 87.5' not in said
            assert '"right": true' not in said
            assert not re.search(r'"right":\s*true|"truth":\s*8', said)
        room.steer(("reveal",))
        for said in room.sent():
            assert any(truth in letters(said) for truth in truths(block))
    # What comes later is not there at all, and the facilitator's page is sent to nobody else.
    *_, later = (block.question for block in LESSON.blocks if block.kind == "quiz")
    assert not any(letters(later)[:30] in letters(s) for s in room.sent())
    looked = frames.open("room", visitor=room.phone, code=room.code, **{"as": "lead"})
    assert "What the reveal shows" not in looked.said
    looked = frames.open("room", visitor=room.phone, code=room.code, **{"as": "projector"})
    assert letters(LESSON.blocks[QUIZ[0] - 1].question)[:30] not in letters(looked.said)


def test_behind_the_wall_a_phone_is_sent_its_own_question_only(frames):
    room = Class(frames)
    other = rooms.join(rooms.Access(room.storage, room.code, OTHER), "Ben").number
    room.go(PAIRS)
    agreeing = room.sent()
    assert all("Ben" in said for said in agreeing[:1])
    while True:
        played, _, seat = rooms.load_lesson(rooms.Access(room.storage, room.code)).pair(
            PAIRS, room.me
        )
        if played.rounds[0].asked[0] != played.rounds[0].asked[1]:
            break
        room.steer(("reset",))
    mine, others = played.rounds[0].asked[seat], played.rounds[0].asked[1 - seat]
    room.steer(("open",))
    before = room.sent()[0]
    rooms.pair_answer(rooms.Access(room.storage, room.code, OTHER), other, PAIRS, 0, "2")
    after = room.sent()[0]
    for said in (before, after):
        assert f"country {mine}" in said
        assert f"country {others}" not in said
        assert "you said" not in said
    room.phone.trigger("nip_lesson", "game", {"place": PAIRS[0] - 1, "choice": "0", "question": 0})
    counts = (
        rooms.lead_view(rooms.load_lesson(rooms.Access(room.storage, room.code)))
        .steps[PAIRS[0] - 1][0]
        .charts[0]
    )
    assert counts["total"] == 1
    room.lead.rerun()
    assert "Put up the wall" not in room.lead.said
    room.lead.unfold("More")
    table = room.lead.download("All answers (CSV)").decode("utf-8")
    assert len(table.splitlines()) == 3
    assert "Ada" not in table


def test_by_themselves_people_go_through_all_of_it_and_are_counted(frames):
    room = Class(frames)
    room.steer(("led", False))
    phone, (place, _) = room.phone, GUESS
    phone.rerun()
    guess = LESSON.blocks[place - 1]
    assert not any(truth in letters(phone.said) for truth in truths(guess))
    assert parts_of(phone)[place]["draft"] is None

    def send(does, place, **said):
        phone.trigger("nip_lesson", does, {"place": place - 1, **said})

    # A browser may send anything; nothing that was not offered is taken.
    for sent in (None, "62", 62.5, 101, -1, [62]):
        send("answer", place, value=sent)
        phone.trigger("nip_lesson", "answer", sent)
        assert not any(truth in letters(phone.said) for truth in truths(guess))
    send("moved", place, value=62)
    reloaded = frames.open("room", visitor=phone, code=room.code)
    assert parts_of(reloaded)[place]["draft"] == 62
    send("answer", place, value=62)
    assert all(truth in letters(phone.said) for truth in truths(guess))
    quiz = LESSON.blocks[QUIZ[0] - 1]
    send("answer", QUIZ[0], value=quiz.answers[1].text)
    assert letters(quiz.answers[1].why) in letters(phone.said)
    game = next(n for n, part in parts_of(phone).items() if part["kind"] == "game")

    def scene():
        return parts_of(phone)[game]["scene"]

    for _ in range(4):
        if scene()["outcome"]:
            break
        send("game", game, choice=scene()["choices"][0][0])
    phone.rerun()  # as after a reload: the game is where it was
    assert scene()["outcome"]
    send("game", game, role=parts_of(phone)[game]["role"])
    assert not scene()["outcome"]
    kinds = [row["kind"] for row in room.storage.rooms.answers_of(1)]
    assert sorted(kinds) == ["guess", "outcome", "quiz"]
    phone.unfold("More")
    phone.click("Leave, and delete my part")
    phone.click("Delete my part now")
    assert room.storage.rooms.answers_of(1) == []
