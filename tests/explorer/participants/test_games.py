"""Tests of games.py: who gets which seat at which table, and when."""

import pytest

from explorer.participants.games import Games
from explorer.rooms import Access, room_of, study_episode
from tests.explorer.participants.people import (
    agreed,
    move,
    opened,
    to_stage,
    to_the_end,
    with_two_people,
)


def pair(desk):
    """Return two people at one table, the one who judges first."""
    two = [to_stage(desk, agreed(desk, number), "play") for number in (1, 2)]
    two = [desk.ready(here, here.state.step) for here in two]
    two = [desk.look(desk.here(here.person.id)) for here in two]
    assert two[0].state.at.table == two[1].state.at.table
    return sorted(two, key=lambda here: here.state.at.agent != "judge")


def test_two_who_wait_for_each_other_get_one_table_and_each_their_own_seat(
    storage, tmp_path, clock
):
    desk = opened(storage, tmp_path, with_two_people(), clock)
    judge, other = pair(desk)
    assert judge.state.at.agent == "judge"
    assert judge.state.at.people == other.state.at.people
    assert judge.state.at.person != other.state.at.person
    assert set(judge.state.told.values()) == {"by a person"}
    judge, other = desk.stop(judge), desk.look(desk.here(other.person.id))
    # The one who is still there plays on with a bot, and the record says so.
    for _ in range(20):
        if other.state.at is None:
            break
        move(desk, other)
        other = desk.look(desk.here(other.person.id))
    assert other.state.games[-1].whole is True
    room = room_of(Access(storage, desk.opened.row.room))
    assert study_episode(room, other.state.games[-1].table).stood_in()


def test_a_person_whose_page_is_closed_is_given_no_game(storage, tmp_path, clock):
    desk = opened(storage, tmp_path, with_two_people(), clock)
    first, second = (to_stage(desk, agreed(desk, number), "play") for number in (1, 2))
    desk.ready(first, first.state.step)
    clock.pass_seconds(20)
    second = desk.ready(second, second.state.step)
    assert second.state.at is None
    # It comes back: both have a game.
    first = desk.look(desk.here(first.person.id))
    assert first.state.at is not None


def test_a_game_that_was_given_but_not_dealt_is_dealt_by_the_next_look(
    storage, tmp_path, monkeypatch
):
    desk = opened(storage, tmp_path)
    here = to_stage(desk, agreed(desk, 1), "practice")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Games, "deal", killed)
        with pytest.raises(KeyboardInterrupt):
            desk.ready(here, here.state.step)
    here = desk.here(here.person.id)
    assert here.state.at is not None
    assert room_of(Access(storage, desk.opened.row.room)).table(1) is None
    assert to_the_end(desk, here).state.end == "done"
