"""Models in seats of version 2 protocols: they write and choose, and get unclear answers back."""

import pytest

from explorer.play.table import Table
from explorer.players.models.player import ModelAnswer, ModelTurn
from nip_core import Episode, Move, specification
from nip_core.errors import IllegalMoveError

TASK = {"question": "Who?", "answers": "A: he, B: she", "passage": "He went.", "truth": "A"}


def test_a_model_is_corrected_until_its_choice_is_clear():
    episode = Episode(specification("michael_debate", rounds=1), TASK)
    turn = ModelTurn(episode.view_for("judge"))
    assert turn.read(ModelAnswer("Why?\nestimate: 100\ngoing: stop")) is None
    assert "Estimate: '100', which is not open" in turn.chat[-1]["content"]
    move = turn.read(ModelAnswer("Why?\nestimate: 60\ngoing: go_on"))
    episode.play(move)
    assert move.choices == {"estimate": 60, "going": "go_on"}
    assert [refused.answer for refused in turn.refused] == ["Why?\nestimate: 100\ngoing: stop"]
    with pytest.raises(IllegalMoveError, match="not your turn"):
        ModelTurn(episode.view_for("judge"))


def test_people_play_at_a_table():
    table = Table(Episode(specification("khan_debate", rounds=1), TASK))
    assert table.waits_for == ["alice", "bob"]
    table.seat("judge", {"kind": "llm", "model": "m"})
    assert table.models_in_turn == []
    table.play(Move("alice", {"debate": "He."}))
    table.undo("alice")
    table.play(Move("alice", {"debate": "He went."}))
    with pytest.raises(IllegalMoveError, match="Your move is made"):
        table.play(Move("alice", {"debate": "He."}))
    table.play(Move("bob", {"debate": "She."}))
    assert (table.round, table.waits_for, table.slow_to_move()) == (1, [], ["judge"])
    assert table.models_in_turn == ["judge"]
