"""Tests of tables.py.

A move that arrives while its table changes is made before the change or refused, never both.
"""

import threading
from functools import partial

import pytest

from explorer import rooms
from explorer.rooms.events import TablePaused
from explorer.storage import Storage
from tests.depth import each
from tests.explorer.rooms.people import (
    LEADER,
    act_of,
    at,
    leads,
    no_bot_answers,
    opened,
    sits,
    visitor,
)
from tests.explorer.rooms.test_running import events, let_time_pass

WORDS = "Was it in time?"


def by_the_verifier(act):
    """Return what the person in the verifier's seat does."""

    def acts(storage, code):
        person = sits(storage, code, "verifier")
        act(rooms.Access(storage, code, visitor(person)), person)

    return acts


def time_is_over(storage, code):
    let_time_pass(storage, code)
    rooms.run_due(storage)


def both_of(one, other):
    return lambda storage, code: (one(storage, code), other(storage, code))


PAUSE, PAUSE_THE_TABLE = leads(rooms.pause), leads(rooms.pause, 1)
END, CLOSE = leads(rooms.end), leads(rooms.close)
REVEAL = both_of(END, leads(rooms.reveal))
REPLACE = leads(rooms.replace_by_bot, 1, "verifier")
DELETE = leads(rooms.delete)
# The refusal of a move that comes too late; None if the move is made anyway.
ACTS = (
    (PAUSE, "has paused the table"),
    (PAUSE_THE_TABLE, "has paused the table"),
    (END, "The table is over"),
    (leads(rooms.end, 1), "The table is over"),
    (REVEAL, "The table is over"),
    (both_of(REVEAL, leads(rooms.next_task)), "gone on to another task"),
    (CLOSE, "This room is closed"),
    (DELETE, "no room with this code"),
    (REPLACE, "A bot plays for you"),
    (by_the_verifier(rooms.leave), "You have left the room"),
    (by_the_verifier(rooms.forget), "belongs to another browser"),
    (time_is_over, "The game has gone on"),
    (leads(rooms.extend), None),
    (both_of(PAUSE, leads(rooms.resume)), None),
)


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


@each(("act", "sentence"), ACTS)
def test_a_move_is_made_before_or_not_at_all(both, just_before, act, sentence):
    code = opened(both[0], 3, round_seconds=60)
    mine = at(both[0], code, sits(both[0], code, "verifier"))
    just_before(partial(act, both[1], code))
    refused = mine.play(act_of(mine, words=WORDS))
    if sentence is None:
        assert (refused, set(said_at(both[1], code))) == (None, {WORDS})
        return
    assert sentence in refused["message"]
    if act is not DELETE:
        assert WORDS not in said_at(both[1], code)


def test_bots_stop_with_the_others(both, just_before, monkeypatch):
    carry_on = rooms.tables.carry_table_on
    for act in (PAUSE, PAUSE_THE_TABLE, END, CLOSE):
        code = opened(both[0], 1)
        mine = at(both[0], code, 1)
        with no_bot_answers():
            assert mine.play(act_of(mine)) is None
        before = said_at(both[0], code)
        just_before(partial(act, both[1], code))
        carry_on(rooms.room_of(rooms.Access(both[0], code)), 1)
        assert said_at(both[1], code) == before
        if act in (PAUSE, PAUSE_THE_TABLE):
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
    REPLACE(both[1], code)
    assert any(e.type == "seated" and "instead_of" in e.player for e in events(both[0], code))
