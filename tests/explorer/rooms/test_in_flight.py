"""Tests of tables.py.

A move that arrives while its table changes is made before the change or refused, never both.
"""

import threading
from functools import partial

import pytest

from explorer import rooms
from explorer.rooms.events import TablePaused
from explorer.storage import Storage
from tests.explorer.rooms.people import LEADER, act_of, at, no_bot_answers, opened, sits, visitor
from tests.explorer.rooms.test_running import events, let_time_pass

WORDS = "Was it in time?"


def pause(storage, code):
    rooms.pause(rooms.Access(storage, code, LEADER))


def pause_the_table(storage, code):
    rooms.pause(rooms.Access(storage, code, LEADER), 1)


def end(storage, code):
    rooms.end(rooms.Access(storage, code, LEADER))


def end_the_table(storage, code):
    rooms.end(rooms.Access(storage, code, LEADER), 1)


def reveal(storage, code):
    end(storage, code)
    rooms.reveal(rooms.Access(storage, code, LEADER))


def next_task(storage, code):
    reveal(storage, code)
    rooms.next_task(rooms.Access(storage, code, LEADER))


def close(storage, code):
    rooms.close(rooms.Access(storage, code, LEADER))


def delete(storage, code):
    rooms.delete(rooms.Access(storage, code))


def replace(storage, code):
    rooms.replace_by_bot(rooms.Access(storage, code, LEADER), 1, "verifier")


def leave(storage, code):
    person = sits(storage, code, "verifier")
    rooms.leave(rooms.Access(storage, code, visitor(person)), person)


def forget(storage, code):
    person = sits(storage, code, "verifier")
    rooms.forget(rooms.Access(storage, code, visitor(person)), person)


def time_is_over(storage, code):
    let_time_pass(storage, code)
    rooms.run_due(storage)


def extend(storage, code):
    rooms.extend(rooms.Access(storage, code, LEADER))


def pause_and_go_on(storage, code):
    pause(storage, code)
    rooms.resume(rooms.Access(storage, code, LEADER))


# The refusal of a move that comes too late; None if the move is made anyway.
ACTS = {
    pause: "has paused the table",
    pause_the_table: "has paused the table",
    end: "The table is over",
    end_the_table: "The table is over",
    reveal: "The table is over",
    next_task: "gone on to another task",
    close: "This room is closed",
    delete: "no room with this code",
    replace: "A bot plays for you",
    leave: "You have left the room",
    forget: "belongs to another browser",
    time_is_over: "The game has gone on",
    extend: None,
    pause_and_go_on: None,
}


@pytest.fixture
def just_before(monkeypatch):
    """Return a function that makes something happen just before a move is written."""

    def arrange(act):
        append = Storage.append

        def late(self, *given):
            monkeypatch.setattr(Storage, "append", append)
            act()
            return append(self, *given)

        monkeypatch.setattr(Storage, "append", late)

    return arrange


def said_at(storage, code):
    """Return all words of the table's first task."""
    room = rooms.room_of(rooms.Access(storage, code))
    inside = storage.within(room.number)
    (first,) = [table for table in room.everything if (table.turn, table.number) == (1, 1)]
    episode = inside.load(first.episode_id).episode
    return [w for e in episode.events if e.type == "moved" for w in e.move.messages.values()]


def test_a_move_is_made_before_or_not_at_all(both, just_before):
    for act, sentence in ACTS.items():
        code = opened(both[0], 3, round_seconds=60)
        mine = at(both[0], code, sits(both[0], code, "verifier"))
        just_before(partial(act, both[1], code))
        refused = mine.play(act_of(mine, words=WORDS))
        if sentence is None:
            assert (refused, set(said_at(both[1], code))) == (None, {WORDS}), act.__name__
            continue
        assert sentence in refused["message"], act.__name__
        if act is not delete:
            assert WORDS not in said_at(both[1], code), act.__name__


def test_bots_stop_with_the_others(both, just_before, monkeypatch):
    carry_on = rooms.tables.carry_table_on
    for act in (pause, pause_the_table, end, close):
        code = opened(both[0], 1)
        mine = at(both[0], code, 1)
        with no_bot_answers():
            assert mine.play(act_of(mine)) is None
        before = said_at(both[0], code)
        just_before(partial(act, both[1], code))
        carry_on(rooms.room_of(rooms.Access(both[0], code)), 1)
        assert said_at(both[1], code) == before, act.__name__
        if act in (pause, pause_the_table):
            rooms.resume(rooms.Access(both[1], code, LEADER))
            assert len(said_at(both[1], code)) > len(before)
    # A bot that is about to move yields to the person who is back.
    code = opened(both[0], 3)
    verifier = sits(both[0], code, "verifier")
    with monkeypatch.context() as patch:
        patch.setattr(rooms.people, "carry_table_on", lambda *_: None)
        rooms.replace_by_bot(rooms.Access(both[0], code, LEADER), 1, "verifier")
    just_before(
        lambda: rooms.hand_back(rooms.Access(both[1], code, visitor(verifier)), 1, "verifier")
    )
    carry_on(rooms.room_of(rooms.Access(both[0], code)), 1)
    assert said_at(both[1], code) == []
    back = at(both[1], code, verifier)
    assert back.play(act_of(back, words=WORDS)) is None


def test_a_move_waits_for_a_pause_that_has_begun(both):
    """The pause is written but not committed: a move that comes meanwhile waits for it."""
    code = opened(both[0], 3)
    mine = at(both[0], code, sits(both[0], code, "verifier"))
    answers = []
    with both[1].rooms.changing(code) as change:
        change.append(TablePaused(turn=1, table=1, left=None))
        change.flush()
        playing = threading.Thread(
            target=lambda: answers.append(mine.play(act_of(mine, words=WORDS)))
        )
        playing.start()
        # The bot has seen an unpaused table, or has not looked yet: both are correct.
        playing.join(0.2)
    playing.join(600)
    assert "paused" in answers[0]["message"]
    assert WORDS not in said_at(both[0], code)
    # Notes about a seat are stored during a pause, too.
    replace(both[1], code)
    assert any(e.type == "seated" and "instead_of" in e.player for e in events(both[0], code))
