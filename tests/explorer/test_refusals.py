"""What models, storage, uploads and lessons refuse; see `tests/test_refusals.py`."""

import json
import pickle
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from starlette.exceptions import HTTPException

from explorer.lessons import library
from explorer.lessons.lesson import _block
from explorer.play.workers import ModelGrants
from explorer.players.base import HumanPlayer
from explorer.players.models.limits import Secret, TokenBudget, public_address
from explorer.players.models.settings import LLMSettings
from explorer.server.streamlit_parts import IdleLoop
from explorer.server.uploads import UploadLedger, UploadLimits
from explorer.storage import engines
from explorer.storage.entries import MAX_TAGS, checked_tags
from explorer.storage.errors import StorageError
from explorer.storage.records import replay
from nip_core import Episode
from nip_core.errors import NipError
from tests.depth import each
from tests.play_worlds import ONE_TASK

REFUSALS = NipError, StorageError, ValueError, HTTPException, TypeError, RuntimeError


def twice():
    ledger = UploadLedger(UploadLimits())
    ledger.give("a", "one")
    with ledger.coming("a", "one"), ledger.coming("a", "one"):
        pass


def stranger():
    with UploadLedger(UploadLimits()).coming("a", "one"):
        pass


def spend_all():
    budget = TokenBudget(10)
    budget.charge(8, 2)
    budget.hold(5, 5)


def half_an_episode():
    setup = json.dumps(Episode("nip", ONE_TASK).setup.to_dict())
    replay(SimpleNamespace(id="abc", version=3), setup, [])


def without_psycopg():
    with patch.object(engines, "create_engine", side_effect=ModuleNotFoundError):
        engines.make_engine(engines.read_url("postgresql://a.example/nip"))


@each(
    ("words", "act"),
    [
        ("in SQLite or PostgreSQL, by psycopg", lambda: engines.read_url("mysql://a/b")),
        ("PostgreSQL needs the package psycopg", without_psycopg),
        ("events, of which 0 are found", half_an_episode),
        ("an episode has at most", lambda: checked_tags(map(str, range(MAX_TAGS + 1)))),
        ("It is the turn of 'verifier', who", lambda: HumanPlayer().turn(
            SimpleNamespace(agent="verifier")
        )),
        ("No machine has the name in that", lambda: public_address("a", 1, lambda *_, **__: [])),
        ("A key is not written", lambda: pickle.dumps(Secret("sk-a-key-of-some-length"))),
        ("tokens and has used 10", spend_all),
        ("Give its name as the service", lambda: LLMSettings(" ")),
        ("Nobody here has confirmed that", lambda: ModelGrants().use(
            "a", "b", "verifier", LLMSettings("any")
        )),
        ("Pages have no event loop", lambda: IdleLoop.run_forever(None)),
        ("is already being uploaded", twice),
        ("page did not ask for this file", stranger),
        ("is nothing called 'gone' among", lambda: library.game("gone")),
        ("columns, and every row needs a cell", lambda: _block(
            {"kind": "table", "columns": ["a"], "rows": [["b", "c"]]}, "blocks[0]"
        )),
        ("needs `choices`, or `low` below", lambda: _block(
            {"kind": "predict", "low": 2, "high": 1}, "blocks[0]"
        )),
        ("truth is for a number; mark", lambda: _block(
            {"kind": "predict", "choices": ["a"], "truth": 1}, "blocks[0]"
        )),
    ],
)  # fmt: skip
def test_the_app_refuses(words, act):
    with pytest.raises(REFUSALS) as error:
        act()
    said = error.value
    assert words in f"{said} {getattr(said, 'detail', '')} {getattr(said, 'shown', '')}"
