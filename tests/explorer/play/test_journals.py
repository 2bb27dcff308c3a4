"""Tests of stored.py.

In every kind of journal, a table keeps what was acknowledged and nothing else.
"""

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.notebook.game import FileJournal, Game
from explorer.play import StoredTable, Table
from explorer.play.table import player_of
from explorer.players import RandomPlayer
from explorer.storage import StorageError, open_storage
from nip_core.errors import NipError
from nip_core.play import STANDS_IN_FOR, Commented, Episode, Move, Seated
from nip_core.tasks import surprise
from tests.depth import cases

PEOPLE = ("prover", "verifier")
ACTS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(PEOPLE), st.text("abc", max_size=3)),
    st.tuples(st.just("verdict"), st.just("verifier"), st.sampled_from((0, 1))),
    st.tuples(st.just("undo"), st.sampled_from((None, *PEOPLE))),
    st.tuples(st.just("goto"), st.integers(-1, 5)),
    st.tuples(st.just("seat"), st.sampled_from(PEOPLE), st.sampled_from(("me", "friend"))),
    st.tuples(st.just("comment"), st.integers(0, 3)),
)


def begun():
    episode = Episode("nip", surprise(3, "easy"), 3)
    for agent in PEOPLE:
        episode.apply(Seated(agent=agent, player={"kind": "human", "who": "me"}))
    return episode


class InMemory:
    def __init__(self, folder):
        self.table = Table(begun(), timed=False)

    def kept(self):
        return self.table.episode


class InDatabase:
    def __init__(self, folder):
        self.url = f"sqlite:///{folder}/episodes.db"
        self.storage = open_storage(self.url)
        self.table = StoredTable(self.storage, self.storage.create(begun()))

    def kept(self):
        self.storage.close()
        with open_storage(self.url) as again:
            return again.load(self.table.id).episode


class InFile:
    def __init__(self, folder):
        self.file = folder / "game.jsonl"
        self.table = Game(begun())
        self.table.keep_in(FileJournal(self.file))

    def kept(self):
        again = Game(begun())
        again.keep_in(FileJournal(self.file))
        return again.episode


def act_on_table(table, what, *more):
    if what == "move":
        Table.play(table, Move(more[0], {"main": more[1]}))
    elif what == "verdict":
        Table.play(table, Move(more[0], decision=more[1]))
    elif what == "undo":
        table.undo(more[0])
    elif what == "goto":
        table.goto(more[0])
    elif what == "seat":
        table.seat(more[0], {"kind": "human", "who": more[1]})
    else:
        table.comment(Commented(node=more[0], text="So."), visitor="a" * 32)


def act_on_episode(episode, what, *more):
    """Do the same on an episode alone, without a table."""
    if what == "move":
        episode.play(Move(more[0], {"main": more[1]}))
    elif what == "verdict":
        episode.play(Move(more[0], decision=more[1]))
    elif what == "undo":
        episode.undo(more[0])
    elif what == "goto":
        episode.goto(more[0])
    elif what == "seat":
        episode.apply(Seated(agent=more[0], player={"kind": "human", "who": more[1]}))
    else:
        episode.apply(Commented(node=more[0], text="So."))


def timeless(events):
    return [dataclasses.replace(event, at=None) for event in events]


@pytest.mark.parametrize("place", [InMemory, InDatabase, InFile])
@settings(max_examples=cases(8), deadline=None)
@given(acts=st.lists(st.tuples(ACTS, st.booleans()), max_size=12))
def test_what_was_acknowledged_is_kept_and_nothing_else(place, acts):
    with tempfile.TemporaryDirectory() as folder:
        at = place(Path(folder))
        table, expected = at.table, begun()
        held = table.episode
        for act, fails in acts:
            append = table.journal.append
            if fails:

                def full(episode):
                    raise StorageError("The disk is full.")

                table.journal.append = full
            try:
                act_on_table(table, *act)
                happened = True
            except (NipError, StorageError):
                happened = False
            finally:
                table.journal.append = append
            if happened:
                assert not fails
                act_on_episode(expected, *act)
            elif not fails:
                with pytest.raises(NipError):
                    act_on_episode(expected, *act)
            assert table.episode is held
            assert timeless(held.events) == timeless(expected.events)
            for agent in PEOPLE:
                assert held.view_for(agent).to_json() == expected.view_for(agent).to_json()
        assert timeless(at.kept().events) == timeless(expected.events)


def test_a_table_is_brought_up_to_date_by_what_is_new(tmp_path, monkeypatch):
    with open_storage(f"sqlite:///{tmp_path}/episodes.db") as storage:
        one = StoredTable(storage, storage.create(begun()))
        other = StoredTable(storage, one.id)

        def whole(*_):
            raise AssertionError("the whole episode was read again")

        monkeypatch.setattr(storage, "load", whole)
        one.play(Move("verifier", {"main": "Why?"}))
        assert other.round == 0
        assert other.refresh()
        assert not other.refresh()
        other.play(Move("prover", {"main": "So."}))
        third = StoredTable(storage, one.id)
        assert third.episode.events == other.episode.events
        # Each table plays on an episode of its own.
        third.play(Move("verifier", decision=1))
        assert (one.round, other.round, third.round) == (1, 2, 3)


def test_a_given_player_has_its_seat_back_after_somebody_stood_in():
    class Failing(RandomPlayer):
        kind = "failing"

    prover = Failing()
    table = Table(begun(), players={"prover": prover})
    assert table.humans == ["verifier"]
    table.play(Move("verifier", {"main": "Why?"}))
    assert table.slow_to_move() == ["prover"]
    table.replace_models("scripted", once=True)
    assert STANDS_IN_FOR in table.episode.players["prover"]
    assert table.slow_to_move() == []
    assert [player.kind for player in table.players_to_move().values()] == ["scripted"]
    assert table.step() == "prover"
    assert STANDS_IN_FOR not in table.episode.players["prover"]
    table.play(Move("verifier", {"main": "Why?"}))
    assert table.players_to_move() == {"prover": prover}
    # The record alone names a person, who would play at a table without the given player.
    assert player_of(table.episode, "prover") is None
