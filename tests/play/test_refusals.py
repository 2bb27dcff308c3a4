"""What an episode refuses, with its words; see `tests/test_refusals.py`."""

from unittest.mock import patch

import pytest

import nip_core
from nip_core import Episode, Move
from nip_core.errors import NipError
from nip_core.play import Material, Withdrew
from nip_core.play import episode as episodes
from nip_core.play.setup import Setup
from tests.depth import each
from tests.play_worlds import ONE_TASK


def played(*moves_):
    made = Episode("nip", ONE_TASK, 7)
    for move in moves_:
        made.play(move)
    return made


def open_move(**said):
    made = played()
    return Move("verifier", dict.fromkeys(made.legal("verifier").channels, "Why?"), **said)


def over():
    made = Episode("solo_verifier", ONE_TASK, 7)
    made.play(Move("verifier", decision=1))
    return made


@each(
    ("words", "act"),
    [
        ("has no attribute 'gone'", lambda: nip_core.play.gone),
        ("has no attribute 'gone'", lambda: nip_core.values.gone),
        ("has no attribute 'gone'", lambda: nip_core.gone),
        ("no move that could be taken back", lambda: played().apply(Withdrew(agent="verifier"))),
        ("The raw text must be", lambda: played(open_move(raw=7))),
        ("is no prover, so it argues", lambda: Episode("nip", ONE_TASK, stances={"verifier": 1})),
        ("The parameters cannot be used", lambda: Setup.from_dict(
            {**Setup.of("nip", ONE_TASK, 7).to_dict(), "parameters": {"gone": 1}}
        )),
        ("ended there: choose an earlier position to fork", lambda: over().fork(1)),
        ("The title of a task must be", lambda: Material({"a": "b"}, {}, title=7)),
    ],
)  # fmt: skip
def test_an_episode_refuses(words, act):
    with pytest.raises((NipError, AttributeError)) as error:
        act()
    assert words in str(error.value)


@each(
    ("limit", "words"),
    [("MAX_EVENTS", "An episode has at most"), ("MAX_POSITIONS", "positions; begin another one")],
)
def test_an_episode_has_limits(limit, words):
    with patch.object(episodes, limit, 1), pytest.raises(NipError, match=words):
        played(open_move(), open_move())
