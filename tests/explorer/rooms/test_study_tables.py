"""Tests of study_tables.py: tables dealt one by one, and leaving and forgetting at them."""

import pytest

from explorer.rooms import (
    Access,
    DoorLockedError,
    deal_table,
    enter_table,
    forget_at_table,
    join,
    leave_table,
    open_study_room,
    room_of,
    seat_at,
    study_episode,
    table_over,
)
from explorer.rooms.seating import deal
from tests.explorer.rooms.people import act_of, plan, visitor


@pytest.fixture
def dealt(storage):
    """Return a room with a table of two people, and one of a person with a bot."""
    made = plan("nip")
    code = open_study_room(storage, made)
    condition = made.conditions[0]
    for table, people in ((1, {"verifier": 10, "prover": 11}), (2, {"verifier": 20})):
        for _ in range(2):  # the second one changes nothing
            episode = deal(made, condition, 1, table, made.task(table)[1])
            bots = {agent: {} for agent in ("verifier", "prover") if agent not in people}
            deal_table(Access(storage, code), table, condition.name, episode, people, bots)
    for person in (10, 11, 20):
        enter_table(Access(storage, code, visitor(person)), person)
    return code


def test_a_table_is_dealt_once_and_its_people_play(storage, dealt):
    room = room_of(Access(storage, dealt))
    assert [table.number for table in room.tables] == [1, 2]
    at = seat_at(Access(storage, dealt, visitor(20)), 20)
    assert at.play(act_of(at)) is None
    # The bot has answered.
    assert study_episode(room, 2).node.round == 2
    assert table_over(room_of(room), 2) is None
    assert table_over(room_of(room), 3) is None
    assert study_episode(room, 3) is None
    assert storage.find() == []


def test_who_leaves_others_is_replaced_and_who_was_alone_ends_the_table(storage, dealt):
    leave_table(Access(storage, dealt, visitor(11)), 1, 11, alone=False)
    leave_table(Access(storage, dealt, visitor(20)), 2, 20, alone=True)
    room = room_of(Access(storage, dealt))
    assert room.table(1).phase == "running"
    assert room.table(1).seats["prover"].bot is not None
    assert table_over(room, 2) is False


def test_nobody_else_comes_in_even_with_the_code_of_the_room(storage, dealt):
    leave_table(Access(storage, dealt, visitor(11)), 1, 11, alone=False)
    with pytest.raises(DoorLockedError):
        join(Access(storage, dealt, visitor(99)))


def test_forgetting_takes_the_words_or_the_whole_game(storage, dealt):
    at = seat_at(Access(storage, dealt, visitor(10)), 10)
    at.play(act_of(at, words="my words"))
    alone = seat_at(Access(storage, dealt, visitor(20)), 20)
    alone.play(act_of(alone, words="my words"))
    forget_at_table(Access(storage, dealt, visitor(10)), 1, 10, alone=False)
    forget_at_table(Access(storage, dealt, visitor(20)), 2, 20, alone=True)
    room = room_of(Access(storage, dealt))
    kept = study_episode(room, 1)
    assert kept is not None
    assert "my words" not in str([event.to_dict() for event in kept.events])
    assert study_episode(room, 2) is None
