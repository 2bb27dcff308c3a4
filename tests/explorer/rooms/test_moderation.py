"""What only a facilitator can do about people."""

import pytest

from explorer import rooms
from tests.explorer.rooms.lesson_places import GUESS, PAIRS, step_of
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
    made = rooms.RoomPlan(kind="lesson", lesson="two-rooms", names=True)
    code = rooms.open_room(storage, made, LEADER).code
    for number in range(1, people + 1):
        rooms.join(rooms.Access(storage, code, visitor(number)), f"Name {number}")
    return code


def here(storage, code):
    return [person.number for person in rooms.load_room(rooms.Access(storage, code)).here]


def said_at(storage, code):
    """Return all words that were written at the room's first table."""
    room = rooms.room_of(rooms.Access(storage, code))
    episode = storage.within(room.number).load(room.tables[0].episode_id).episode
    moves = [move for node in episode.nodes for move in node.moves.values()]
    return " ".join(text for move in moves for text in move.messages.values())


def enter(storage, code, *people):
    """Open the windows of all people."""
    for number in people:
        storage.presence.enter(code, f"person:{number}", f"{number:032x}")


def test_only_the_facilitator_may(storage, access):
    for code in (opened(storage, 3), lesson(storage)):
        for by in (visitor(1), visitor(2), visitor(99)):
            for act, *given in (
                (rooms.remove_people, [2]),
                (rooms.rename_person, 2, "Rude"),
                (rooms.let_back_in, 2),
                (rooms.set_door, "locked"),
                (rooms.clear_idle,),
            ):
                with pytest.raises(rooms.NotLeaderError):
                    act(access(code, by), *given)
            with pytest.raises(rooms.NotLeaderError):
                rooms.remove_people(access(code, by), [2], words=True)
        room = rooms.load_room(access(code))
        assert len(room.here) == len(room.people)
        assert room.door == "open"


def test_a_removed_person_is_notified_and_does_not_come_back(storage, access):
    code = opened(storage, 3)
    rude = sits(storage, code, "verifier")
    table = at(storage, code, rude)
    assert table.play(act_of(table, words=WORDS)) is None
    watcher = rooms.Watcher("person", rude, visitor(rude))
    rooms.remove_people(access(code, LEADER), [rude])
    room = rooms.load_room(access(code))
    assert rude not in here(storage, code)
    # A bot plays in the seat, which is free for somebody else.
    seat = room.table(1).seats["verifier"]
    assert (seat.person, seat.bot["kind"]) == (None, "scripted")
    # Every way in gives the same refusal.
    for act in (
        lambda: rooms.join(access(code, visitor(rude))),
        lambda: rooms.seat_at(access(code, visitor(rude)), rude),
        lambda: rooms.view_for(rooms.room_of(access(code)), watcher).to_dict(),
        lambda: rooms.hand_back(access(code, visitor(rude)), 1, "verifier"),
    ):
        with pytest.raises(rooms.RoomError, match=r"removed you|Nobody has this seat"):
            act()
    said = rooms.act_at_seat(access(code, visitor(rude)), rude, act_of(table))
    assert "removed you" in said["message"]
    # What they wrote is still there, since deleting was not asked for.
    others = [at(storage, code, n).seen.view.to_json() for n in here(storage, code)]
    assert any(WORDS in view for view in others)
    # A newcomer gets the seat; a mistake can be undone.
    assert rooms.join(access(code, visitor(7))).seat == (1, "verifier")
    rooms.let_back_in(access(code, LEADER), rude)
    assert not rooms.load_room(access(code)).person(rude).forgotten
    assert rooms.join(access(code, visitor(rude))).number == rude


def test_removing_somebody_with_their_words_keeps_them_out_too(storage, access):
    code = opened(storage, 3, names=True)
    rude = sits(storage, code, "verifier")
    table = at(storage, code, rude)
    assert table.play(act_of(table, words=WORDS)) is None
    rooms.rename_person(access(code, LEADER), rude, "Zebedee")
    for _ in range(2):  # twice is the same as once
        rooms.remove_people(access(code, LEADER), [rude], words=True)
    left = repr([at(storage, code, n).seen.view.to_json() for n in here(storage, code)])
    left += repr(rooms.files(access(code, LEADER)))
    assert WORDS not in left
    assert "Zebedee" not in left
    with pytest.raises(rooms.RemovedError):
        rooms.join(access(code, visitor(rude)))
    rooms.let_back_in(access(code, LEADER), rude)
    assert rooms.join(access(code, visitor(rude))).number not in (rude, *range(1, 4))


def test_who_has_left_can_be_removed_but_not_who_has_deleted_their_data(storage, access):
    code = opened(storage, 3)
    rooms.leave(access(code, visitor(1)), 1)
    rooms.forget(access(code, visitor(2)), 2)
    rooms.remove_people(access(code, LEADER), [1, 2])
    with pytest.raises(rooms.RemovedError):
        rooms.join(access(code, visitor(1)))
    assert rooms.load_room(access(code)).person(2).forgotten
    assert rooms.join(access(code, visitor(2))).number == 4


def test_removing_while_seats_are_chosen_and_after_the_end(storage, access):
    code = opened(storage, 2, started=False, seating="choice", tables=2)
    rooms.take_seat(access(code, visitor(1)), 1, 1, "verifier")
    rooms.remove_people(access(code, LEADER), [1])
    rooms.take_seat(access(code, visitor(2)), 2, 1, "verifier")
    assert sits(storage, code, "verifier") == 2
    rooms.start(access(code, LEADER))
    table = at(storage, code, 2)
    assert table.play(act_of(table, words=WORDS)) is None
    play_out(storage, code)
    rooms.remove_people(access(code, LEADER), [2])
    rooms.end(access(code, LEADER))
    rooms.reveal(access(code, LEADER))
    rooms.close(access(code, LEADER))
    # Even in a closed room: then with what they said.
    assert WORDS in said_at(storage, code)
    rooms.remove_people(access(code, LEADER), [2], words=True)
    assert WORDS not in said_at(storage, code)


def test_a_person_removed_from_a_lesson_leaves_their_partner_with_a_bot(storage, access):
    code = lesson(storage)
    rooms.steer(access(code, LEADER), "go", step_of(PAIRS))
    rooms.steer(access(code, LEADER), "open")

    def part_of(person):
        parts = rooms.person_view(rooms.load_lesson(access(code)), person).parts
        return next(part for part in parts if part.pair is not None)

    part = part_of(1)
    partner = next(n for n in (2, 3, 4) if part_of(n).pair.partner == "Name 1")
    rooms.remove_people(access(code, LEADER), [partner])
    assert part_of(1).pair.partner == "A bot"
    with pytest.raises(rooms.RemovedError):
        rooms.pair_answer(access(code, visitor(partner)), partner, part.key, 0, "0")
    with pytest.raises(rooms.RemovedError):
        rooms.answer_block(access(code, visitor(partner)), partner, part.key, "0")
    assert partner not in here(storage, code)


def test_a_name_given_by_the_facilitator_stays(storage, access):
    code = opened(storage, 0, started=False, names=True)
    rooms.join(access(code, visitor(1)), "Rude words")
    before = watch_mark(storage, code, rooms.Watcher("person", 1, visitor(1)))
    rooms.rename_person(access(code, LEADER), 1, "  Ada\n")
    assert rooms.load_room(access(code)).person(1).shown == "Ada"
    # Their own window is updated.
    assert watch_mark(storage, code, rooms.Watcher("person", 1, visitor(1))) != before
    rooms.leave(access(code, visitor(1)), 1)
    assert rooms.join(access(code, visitor(1)), "Ruder words").name == "Ada"
    rooms.rename_person(access(code, LEADER), 1, "")
    assert rooms.load_room(access(code)).person(1).shown == "Person 1"
    with pytest.raises(rooms.RoomError, match="at most"):
        rooms.rename_person(access(code, LEADER), 1, "x" * 100)


def test_a_locked_door_keeps_newcomers_out_and_nobody_else(storage, access):
    code = opened(storage, 3)
    rooms.set_door(access(code, LEADER), "locked")
    with pytest.raises(rooms.DoorLockedError, match="locked"):
        rooms.join(access(code, visitor(9)))
    # Those inside reload, and people who left come back to their seats.
    assert rooms.join(access(code, visitor(1))).number == 1
    seat = rooms.load_room(access(code)).person(2).seat
    rooms.leave(access(code, visitor(2)), 2)
    assert rooms.join(access(code, visitor(2))).seat == seat
    rooms.set_door(access(code, LEADER), "open")
    assert rooms.join(access(code, visitor(9))).number == 4
    with pytest.raises(rooms.RoomError, match="open, wide, locked"):
        rooms.set_door(access(code, LEADER), "ajar")


def test_a_flood_is_cleared_and_real_people_stay(storage, access):
    code = opened(storage, 40, started=False)
    enter(storage, code, 1, 2, 3)
    assert len(rooms.idle_people(rooms.load_room(access(code)))) == 37
    assert rooms.clear_idle(access(code, LEADER)) == 37
    assert here(storage, code) == [1, 2, 3]
    rooms.start(access(code, LEADER))
    assert len(rooms.load_room(access(code)).tables) == 1
    # A person cleared by mistake joins again with one press, under the same name.
    assert rooms.join(access(code, visitor(17))).number == 17
    # But not through a locked door, or a cleared flood would come back.
    rooms.clear_idle(access(code, LEADER))
    rooms.set_door(access(code, LEADER), "locked")
    with pytest.raises(rooms.DoorLockedError):
        rooms.join(access(code, visitor(18)))


def test_people_who_have_moved_or_answered_are_never_cleared(storage, access):
    code = opened(storage, 3)
    mover = next(n for n in (1, 2, 3) if may_act(at(storage, code, n)))
    table = at(storage, code, mover)
    assert table.play(act_of(table)) is None
    rooms.clear_idle(access(code, LEADER))
    assert here(storage, code) == [mover]
    # Their seats were drawn, and bots play them now; the people get them back.
    for number in {1, 2, 3} - {mover}:
        assert rooms.join(access(code, visitor(number))).seat is not None
    taught = lesson(storage)
    enter(storage, taught, 4)
    rooms.steer(access(taught, LEADER), "go", step_of(GUESS))
    rooms.steer(access(taught, LEADER), "open")
    rooms.answer_block(access(taught, visitor(1)), 1, (GUESS, "before"), "50")
    rooms.clear_idle(access(taught, LEADER))
    assert here(storage, taught) == [1, 4]


def test_where_seats_are_chosen_those_without_one_are_cleared(storage, access):
    code = opened(storage, 4, started=False, seating="choice", tables=2)
    enter(storage, code, 1, 2, 3, 4)
    rooms.take_seat(access(code, visitor(2)), 2, 1, "verifier")
    rooms.clear_idle(access(code, LEADER))
    assert here(storage, code) == [2]


def test_bots_of_a_rehearsal_are_neither_removed_nor_renamed(storage, access):
    code = opened(storage, 0, started=False, rehearsal=True)
    rooms.rehearse(access(code, LEADER), 3)
    rooms.remove_people(access(code, LEADER), [1])
    rooms.clear_idle(access(code, LEADER))
    assert here(storage, code) == [1, 2, 3]
    with pytest.raises(rooms.NotNowError):
        rooms.rename_person(access(code, LEADER), 1, "Ada")
