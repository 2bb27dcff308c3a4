"""What a facilitator can do about people, and nobody else can."""

from __future__ import annotations

import pytest

from explorer import rooms
from explorer.rooms import (
    DoorLockedError,
    NotLeaderError,
    NotNowError,
    RemovedError,
    RoomError,
    RoomPlan,
    Watcher,
)
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    may_act,
    opened,
    play_out,
    sits,
    visitor,
    watch_mark,
)

WORDS = "xylophone"


def lesson(storage, people=4):
    made = RoomPlan(kind="lesson", lesson="two-rooms", names=True)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, people + 1):
        rooms.join(storage, code, visitor(number), f"Name {number}")
    return code


def here(storage, code):
    return [person.number for person in rooms.load_room(storage, code).here]


def enter(storage, code, *people):
    """Let the windows of people be open."""
    for number in people:
        storage.presence.enter(code, f"person:{number}", f"{number:032x}")


def test_only_the_facilitator_may(storage):
    for code in (opened(storage, 3), lesson(storage)):
        for by in (visitor(1), visitor(2), visitor(99)):
            for act, *given in (
                (rooms.remove_people, [2]),
                (rooms.rename_person, 2, "Rude"),
                (rooms.let_back_in, 2),
                (rooms.set_door, "locked"),
                (rooms.clear_idle,),
            ):
                with pytest.raises(NotLeaderError):
                    act(storage, code, *given, visitor=by)
            with pytest.raises(NotLeaderError):
                rooms.remove_people(storage, code, [2], visitor=by, words=True)
        room = rooms.load_room(storage, code)
        assert len(room.here) == len(room.people)
        assert room.door == "open"


def test_a_removed_person_is_notified_and_does_not_come_back(storage):
    code = opened(storage, 3)
    rude = sits(storage, code, "verifier")
    table = at(storage, code, rude)
    assert table.play(act_of(table, words=WORDS)) is None
    watcher = Watcher("person", rude, visitor(rude))
    rooms.remove_people(storage, code, [rude], visitor=LEADER)
    room = rooms.load_room(storage, code)
    assert rude not in here(storage, code)
    # A bot plays in the seat, which is free for somebody else.
    seat = room.table(1).seats["verifier"]
    assert (seat.person, seat.bot["kind"]) == (None, "scripted")
    # Every way in says the same.
    for act in (
        lambda: rooms.join(storage, code, visitor(rude)),
        lambda: rooms.seat_at(storage, code, rude, visitor(rude)),
        lambda: rooms.current_view(storage, code, watcher),
        lambda: rooms.hand_back(storage, code, 1, "verifier", visitor=visitor(rude)),
    ):
        with pytest.raises(RoomError, match=r"removed you|Nobody has this seat"):
            act()
    said = rooms.act_at_seat(storage, code, rude, visitor(rude), act_of(table))
    assert "removed you" in said["message"]
    # What they wrote is still there, since that was not asked for.
    others = [at(storage, code, n).seen.view.to_json() for n in here(storage, code)]
    assert any(WORDS in view for view in others)
    # A newcomer gets the seat; a mistake can be mended.
    assert rooms.join(storage, code, visitor(7)).seat == (1, "verifier")
    rooms.let_back_in(storage, code, rude, visitor=LEADER)
    assert rooms.join(storage, code, visitor(rude)).number == rude


def test_removing_somebody_with_their_words_keeps_them_out_too(storage):
    code = opened(storage, 3, names=True)
    rude = sits(storage, code, "verifier")
    table = at(storage, code, rude)
    assert table.play(act_of(table, words=WORDS)) is None
    rooms.rename_person(storage, code, rude, "Zebedee", visitor=LEADER)
    for _ in range(2):  # twice is as once
        rooms.remove_people(storage, code, [rude], visitor=LEADER, words=True)
    left = repr([at(storage, code, n).seen.view.to_json() for n in here(storage, code)])
    left += repr(rooms.files(storage, code, visitor=LEADER))
    assert WORDS not in left
    assert "Zebedee" not in left
    with pytest.raises(RemovedError):
        rooms.join(storage, code, visitor(rude))
    rooms.let_back_in(storage, code, rude, visitor=LEADER)
    assert rooms.join(storage, code, visitor(rude)).number not in (rude, *range(1, 4))


def test_whoever_is_removed_may_still_have_their_part_deleted(storage):
    code = opened(storage, 3)
    rude = sits(storage, code, "verifier")
    table = at(storage, code, rude)
    assert table.play(act_of(table, words=WORDS)) is None
    rooms.remove_people(storage, code, [rude], visitor=LEADER)
    rooms.forget(storage, code, rude, visitor=visitor(rude))
    assert WORDS not in repr(rooms.files(storage, code, visitor=LEADER))
    with pytest.raises(RemovedError):
        rooms.join(storage, code, visitor(rude))


def test_removing_while_seats_are_chosen_and_after_the_end(storage):
    code = opened(storage, 2, started=False, seating="choice", tables=2)
    rooms.take_seat(storage, code, 1, 1, "verifier", visitor=visitor(1))
    rooms.remove_people(storage, code, [1], visitor=LEADER)
    rooms.take_seat(storage, code, 2, 1, "verifier", visitor=visitor(2))
    rooms.start(storage, code, visitor=LEADER)
    play_out(storage, code)
    rooms.remove_people(storage, code, [2], visitor=LEADER)
    rooms.end(storage, code, visitor=LEADER)
    rooms.reveal(storage, code, visitor=LEADER)
    rooms.close(storage, code, LEADER)
    # Even in a room that is closed: then with what they said.
    rooms.remove_people(storage, code, [2], visitor=LEADER, words=True)


def test_a_person_removed_from_a_lesson_leaves_their_partner_with_a_bot(storage):
    code = lesson(storage)
    at_room = rooms.load_lesson(storage, code)
    steps = rooms.lead_view(at_room).steps
    pairs = next(n for n, step in enumerate(steps, 1) if any(part.block.pairs for part in step))
    rooms.steer(storage, code, "go", pairs, visitor=LEADER)
    rooms.steer(storage, code, "open", visitor=LEADER)

    def part_of(person):
        parts = rooms.person_view(rooms.load_lesson(storage, code), person).parts
        return next(part for part in parts if part.pair is not None)

    part = part_of(1)
    partner = next(n for n in (2, 3, 4) if part_of(n).pair.partner == "Name 1")
    rooms.remove_people(storage, code, [partner], visitor=LEADER)
    assert part_of(1).pair.partner == "A bot"
    with pytest.raises(RemovedError):
        rooms.pair_answer(storage, code, partner, part.key, 0, "0", visitor=visitor(partner))
    with pytest.raises(RemovedError):
        rooms.answer_block(storage, code, partner, part.key, "0", visitor=visitor(partner))
    assert partner not in here(storage, code)


def test_a_name_given_by_the_facilitator_stays(storage):
    code = opened(storage, 0, started=False, names=True)
    rooms.join(storage, code, visitor(1), "Rude words")
    before = watch_mark(storage, code, Watcher("person", 1, visitor(1)))
    rooms.rename_person(storage, code, 1, "  Ada\n", visitor=LEADER)
    assert rooms.load_room(storage, code).person(1).shown == "Ada"
    # Their own window is updated.
    assert watch_mark(storage, code, Watcher("person", 1, visitor(1))) != before
    rooms.leave(storage, code, 1, visitor=visitor(1))
    assert rooms.join(storage, code, visitor(1), "Ruder words").name == "Ada"
    rooms.rename_person(storage, code, 1, "", visitor=LEADER)
    assert rooms.load_room(storage, code).person(1).shown == "Person 1"
    with pytest.raises(RoomError, match="at most"):
        rooms.rename_person(storage, code, 1, "x" * 100, visitor=LEADER)


def test_a_locked_door_keeps_newcomers_out_and_nobody_else(storage):
    code = opened(storage, 3)
    rooms.set_door(storage, code, "locked", visitor=LEADER)
    with pytest.raises(DoorLockedError, match="locked"):
        rooms.join(storage, code, visitor(9))
    # Those inside reload, and people who left come back to their seats.
    assert rooms.join(storage, code, visitor(1)).number == 1
    seat = rooms.load_room(storage, code).person(2).seat
    rooms.leave(storage, code, 2, visitor=visitor(2))
    assert rooms.join(storage, code, visitor(2)).seat == seat
    rooms.set_door(storage, code, "open", visitor=LEADER)
    assert rooms.join(storage, code, visitor(9)).number == 4
    with pytest.raises(RoomError, match="open, wide, locked"):
        rooms.set_door(storage, code, "ajar", visitor=LEADER)


def test_a_flood_is_cleared_and_real_people_stay(storage):
    code = opened(storage, 40, started=False)
    enter(storage, code, 1, 2, 3)
    assert len(rooms.idle_people(storage, rooms.load_room(storage, code))) == 37
    assert rooms.clear_idle(storage, code, visitor=LEADER) == 37
    assert here(storage, code) == [1, 2, 3]
    rooms.start(storage, code, visitor=LEADER)
    assert len(rooms.load_room(storage, code).tables) == 1
    # A person cleared by mistake joins again with one press, under the same name.
    assert rooms.join(storage, code, visitor(17)).number == 17
    # But not through a locked door, or a flood that was cleared would be back.
    rooms.clear_idle(storage, code, visitor=LEADER)
    rooms.set_door(storage, code, "locked", visitor=LEADER)
    with pytest.raises(DoorLockedError):
        rooms.join(storage, code, visitor(18))


def test_people_who_have_moved_or_answered_are_never_cleared(storage):
    code = opened(storage, 3)
    mover = next(n for n in (1, 2, 3) if may_act(at(storage, code, n)))
    table = at(storage, code, mover)
    assert table.play(act_of(table)) is None
    rooms.clear_idle(storage, code, visitor=LEADER)
    assert here(storage, code) == [mover]
    # Their seats were drawn, and are played by bots now; they get them back.
    for number in {1, 2, 3} - {mover}:
        assert rooms.join(storage, code, visitor(number)).seat is not None
    taught = lesson(storage)
    enter(storage, taught, 4)
    at_room = rooms.load_lesson(storage, taught)
    steps = rooms.lead_view(at_room).steps
    asks = next(n for n, step in enumerate(steps, 1) if step[0].block.kind in ("predict", "quiz"))
    rooms.steer(storage, taught, "go", asks, visitor=LEADER)
    rooms.steer(storage, taught, "open", visitor=LEADER)
    part = rooms.person_view(rooms.load_lesson(storage, taught), 1).parts[0]
    value = "0" if part.block.choices or part.block.answers else f"{part.block.low:g}"
    rooms.answer_block(storage, taught, 1, part.key, value, visitor=visitor(1))
    rooms.clear_idle(storage, taught, visitor=LEADER)
    assert here(storage, taught) == [1, 4]


def test_where_seats_are_chosen_those_without_one_are_cleared(storage):
    code = opened(storage, 4, started=False, seating="choice", tables=2)
    enter(storage, code, 1, 2, 3, 4)
    rooms.take_seat(storage, code, 2, 1, "verifier", visitor=visitor(2))
    rooms.clear_idle(storage, code, visitor=LEADER)
    assert here(storage, code) == [2]


def test_bots_of_a_rehearsal_are_neither_removed_nor_renamed(storage):
    code = opened(storage, 0, started=False, rehearsal=True)
    rooms.rehearse(storage, code, 3, visitor=LEADER)
    rooms.remove_people(storage, code, [1], visitor=LEADER)
    rooms.clear_idle(storage, code, visitor=LEADER)
    assert here(storage, code) == [1, 2, 3]
    with pytest.raises(NotNowError):
        rooms.rename_person(storage, code, 1, "Ada", visitor=LEADER)
