"""Tests of study_tables.py: tables dealt one by one, and leaving and forgetting at them."""

import pytest

from explorer import rooms
from explorer.rooms.seating import deal
from tests.explorer.rooms.people import act_of, plan, visitor


@pytest.fixture
def dealt(storage):
    """Return a room with a table of two people, and one of a person with a bot."""
    made = plan("nip")
    code = rooms.open_study_room(storage, made)
    condition = made.conditions[0]
    for table, people in ((1, {"verifier": 10, "prover": 11}), (2, {"verifier": 20})):
        for _ in range(2):  # the second one changes nothing
            episode = deal(made, condition, 1, table, made.task(table)[1])
            bots = {agent: {} for agent in ("verifier", "prover") if agent not in people}
            rooms.deal_table(
                rooms.Access(storage, code), table, condition.name, episode, people, bots
            )
    for person in (10, 11, 20):
        rooms.enter_table(rooms.Access(storage, code, visitor(person)), person)
    return code


def test_a_table_is_dealt_once_and_its_people_play(storage, dealt):
    room = rooms.room_of(rooms.Access(storage, dealt))
    assert [table.number for table in room.tables] == [1, 2]
    at = rooms.seat_at(rooms.Access(storage, dealt, visitor(20)), 20)
    assert at.play(act_of(at)) is None
    # The bot has answered.
    assert rooms.study_episode(room, 2).node.round == 2
    assert rooms.table_over(rooms.room_of(room), 2) is None
    assert rooms.table_over(rooms.room_of(room), 3) is None
    assert rooms.study_episode(room, 3) is None
    assert storage.find() == []


def test_who_leaves_others_is_replaced_and_who_was_alone_ends_the_table(storage, dealt):
    rooms.leave_table(rooms.Access(storage, dealt, visitor(11)), 1, 11, alone=False)
    rooms.leave_table(rooms.Access(storage, dealt, visitor(20)), 2, 20, alone=True)
    room = rooms.room_of(rooms.Access(storage, dealt))
    assert room.table(1).phase == "running"
    assert room.table(1).seats["prover"].bot is not None
    assert rooms.table_over(room, 2) is False


def test_nobody_else_comes_in_even_with_the_code_of_the_room(storage, dealt):
    rooms.leave_table(rooms.Access(storage, dealt, visitor(11)), 1, 11, alone=False)
    with pytest.raises(rooms.DoorLockedError):
        rooms.join(rooms.Access(storage, dealt, visitor(99)))


def test_forgetting_takes_the_words_or_the_whole_game(storage, dealt):
    at = rooms.seat_at(rooms.Access(storage, dealt, visitor(10)), 10)
    at.play(act_of(at, words="my words"))
    alone = rooms.seat_at(rooms.Access(storage, dealt, visitor(20)), 20)
    alone.play(act_of(alone, words="my words"))
    rooms.forget_at_table(rooms.Access(storage, dealt, visitor(10)), 1, 10, alone=False)
    rooms.forget_at_table(rooms.Access(storage, dealt, visitor(20)), 2, 20, alone=True)
    room = rooms.room_of(rooms.Access(storage, dealt))
    kept = rooms.study_episode(room, 1)
    assert kept is not None
    assert "my words" not in str([event.to_dict() for event in kept.events])
    assert rooms.study_episode(room, 2) is None
