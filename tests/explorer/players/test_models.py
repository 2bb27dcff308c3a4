"""Models in a seat, against a real server that misbehaves in every way."""

from __future__ import annotations

import copy
import gc
import itertools
import logging
import pickle
import threading
import time
import traceback

import pytest

from explorer.players import play_out, step
from explorer.players.errors import (
    AddressRefusedError,
    LLMBudgetError,
    LLMCancelledError,
    LLMError,
    LLMFailedError,
)
from explorer.players.models import (
    PRESETS,
    Client,
    LLMPlayer,
    LLMSettings,
    Secret,
    ServerPolicy,
    TokenBudget,
    find_key,
    try_out,
)
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.transcript import dumps
from tests.explorer.players.misbehaving import ModelServer
from tests.play_worlds import GRAPHS, ONE_TASK, registered

KEY = "sk-planted-0123456789-secret"


def settings(server, **changes):
    values = {"model": "test", "base_url": server.url, "timeout": 0.3, "deadline": 20}
    return LLMSettings(**{**values, **changes})


def client(server, **changes):
    own = {k: changes.pop(k) for k in ("budget", "cancel", "key") if k in changes}
    made = Client(settings(server, **changes), own.pop("key", Secret(KEY)), **own)
    made.jitter = lambda: 0.0
    waits = []
    made.wait = waits.append
    made.waits = waits
    return made


def asked(server=None):
    """A prover's turn in nip."""
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.play(Move("verifier", {"main": "Why?"}))
    return episode


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("task", [ONE_TASK, GRAPHS], ids=["code", "graphs"])
def test_whole_games(name, task):
    with ModelServer() as server:
        episode = Episode(registered()[name], task, 3)
        player = LLMPlayer(client(server, timeout=5))
        play_out(episode, dict.fromkeys(episode.spec.agent_names, player))
        assert episode.over
        moved = [event for event in episode.events if event.type == "moved"]
        assert len(server.requests) == len(moved)
        assert all(e.origin["attempts"] == 1 for e in moved)
        assert all(e.origin["tokens"] == 120 for e in moved)
        assert all(e.move.raw for e in moved)
        assert KEY not in dumps(episode)


@pytest.mark.parametrize("behaviour", ["429", "500", "half", "garbage", "never", "stalls"])
def test_what_fails_on_the_way_is_tried_again(behaviour):
    with ModelServer(behaviours=[behaviour, behaviour]) as server:
        made = client(server)
        acted = LLMPlayer(made).turn(asked().view_for("prover"))
        assert acted.move.messages["main"].startswith("Answer:")
        assert [exchange.outcome == "ok" for exchange in made.log] == [False, False, True]
        # The server's wish is followed; without one, the waits grow.
        assert made.waits == ([0.01] * 2 if behaviour == "429" else [0.25, 0.5])


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("nothing", "Your answer has no text."),
        ("refusal", "Your answer has no text."),
        ("tools", "Your answer has no text."),
        ("wrong_json", "Your answer has no text."),
        ("huge", "Your answer is far too long."),
        ("wordy", "take out 350"),
    ],
)
def test_what_cannot_be_played_goes_back_with_the_reason(behaviour, reason):
    with ModelServer(behaviours=[behaviour]) as server:
        acted = LLMPlayer(client(server, timeout=5)).turn(asked().view_for("prover"))
        assert acted.origin["attempts"] == 2
        told = server.requests[1]["messages"][-1]
        assert told["role"] == "user"
        assert reason in told["content"]


def test_a_verdict_that_contradicts_itself_goes_back():
    with ModelServer(behaviours=["two_decisions"]) as server:
        view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
        assert LLMPlayer(client(server)).turn(view).origin["attempts"] == 2
        assert "two decisions that disagree" in server.requests[1]["messages"][-1]["content"]


def test_after_a_bounded_number_of_answers_a_person_is_asked():
    with ModelServer(behaviours=["wordy"] * 9) as server:
        with pytest.raises(LLMFailedError) as caught:
            LLMPlayer(client(server, corrections=2, timeout=5)).turn(asked().view_for("prover"))
        assert len(server.requests) == 3
        assert caught.value.raw.startswith("word word")
        assert "make the move yourself" in str(caught.value)


@pytest.mark.parametrize(
    ("behaviours", "message", "requests"),
    [
        (["401"], "The key is missing or wrong", 1),
        (["404"], "no model 'test'", 1),
        (["redirect"], "leads elsewhere", 1),
        (["429_long"], "quota", 1),
        (["500"] * 9, "status 500", 5),
        (["429"] * 9, "asked too often", 5),
        (["never"] * 9, "did not answer in time", 5),
        (["half"] * 9, "broke off", 5),
    ],
)
def test_what_does_not_get_better_is_told(behaviours, message, requests):
    with ModelServer(behaviours=behaviours) as server:
        with pytest.raises(LLMError, match=message):
            LLMPlayer(client(server, timeout=0.1)).turn(asked().view_for("prover"))
        assert len(server.requests) == requests


def test_nobody_at_the_address():
    with ModelServer() as server:
        gone = client(server)
    with pytest.raises(LLMError, match="Nobody answers at the address"):
        LLMPlayer(gone).turn(asked().view_for("prover"))


def test_the_deadline_ends_all_tries():
    with ModelServer(behaviours=["500"] * 9) as server:
        made = client(server, deadline=10)
        now = [0.0]
        made.clock = lambda: now[0]

        def sleep(seconds):
            now[0] += max(seconds, 6)

        made.wait = sleep
        with pytest.raises(LLMError):
            LLMPlayer(made).turn(asked().view_for("prover"))
        assert len(server.requests) == 3


def test_words_are_shown_as_they_come_and_it_can_be_stopped():
    with ModelServer() as server:
        server.pause = 0.02
        made = client(server, timeout=5)
        seen = []

        def show(text):
            seen.append(text)
            if len(seen) == 3:
                made.cancel.set()

        start = time.monotonic()
        with pytest.raises(LLMCancelledError):
            LLMPlayer(made, show).turn(asked().view_for("prover"))
        assert time.monotonic() - start < 2
        assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(seen))
        assert len(server.requests) == 1


def test_a_wait_can_be_stopped():
    with ModelServer(behaviours=["500"] * 5) as server:
        made = client(server)
        made.wait = None
        made.jitter = lambda: 1.0
        threading.Timer(0.1, made.cancel.set).start()
        start = time.monotonic()
        with pytest.raises(LLMCancelledError):
            LLMPlayer(made).turn(asked().view_for("prover"))
        assert time.monotonic() - start < 3


def test_tokens_are_capped_for_all_seats_together():
    with ModelServer() as server:
        budget = TokenBudget(most=200)
        one = LLMPlayer(client(server, budget=budget))
        other = LLMPlayer(client(server, budget=budget))
        view = asked().view_for("prover")
        one.turn(view)
        other.turn(view)
        assert budget.used == 240
        with pytest.raises(LLMBudgetError, match="200 tokens"):
            one.turn(view)
        assert len(server.requests) == 2


def test_what_is_sent_is_the_seats_chat_and_nothing_else():
    with ModelServer() as server:
        episode = asked()
        view = episode.view_for("prover")
        LLMPlayer(client(server, temperature=0.5, max_tokens=77)).turn(view)
        (request,) = server.requests
        assert request["messages"] == view.chat_messages()
        assert (request["temperature"], request["max_tokens"]) == (0.5, 77)
        assert set(request) == {
            *("model", "messages", "stream", "stream_options", "max_tokens", "temperature")
        }


@pytest.mark.parametrize(
    "behaviours", [[], ["401"], ["500"] * 9, ["garbage"] * 9, ["never"] * 9, ["half"] * 9]
)
def test_a_key_is_found_nowhere(behaviours, caplog):
    with ModelServer(behaviours=behaviours) as server, caplog.at_level(logging.DEBUG):
        made = client(server, timeout=0.1)
        player = LLMPlayer(made)
        episode = asked()
        told, failed = [], None
        try:
            step(episode, {"prover": player})
        except LLMError as error:
            failed = error
        assert (failed is None) == (behaviours == [])
        if failed is not None:
            # Not chained to the client's exceptions: those hold the request, and so the key.
            assert failed.__cause__ is failed.__context__ is None
            told += [*traceback.format_exception(failed), repr(failed), repr(vars(failed))]
        # The server did get it.
        assert f"Bearer {KEY}" in server.headers_seen[0].values()
        told += [caplog.text, dumps(episode), repr(made), repr(player), repr(made.log)]
        told += [repr(player.describe()), repr(vars(player)), f"{made.key} {made.key!r:>30}"]
        assert KEY not in "".join(told)
    gc.collect()


def test_a_key_cannot_be_copied_by_accident():
    secret = Secret(KEY)
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not to be written down"):
            attempt(secret)
    assert secret.reveal() == KEY


def test_keys_come_from_where_they_may(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert find_key(None, from_server=True).reveal() == KEY
    assert find_key(None, from_server=False) is None
    assert find_key(Secret("mine"), from_server=True).reveal() == "mine"


def test_on_a_public_server_visitors_do_not_choose_addresses(monkeypatch):
    own = LLMSettings(model="m", base_url="http://169.254.169.254/v1")
    ServerPolicy.from_environment().check(own)
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "1")
    policy = ServerPolicy.from_environment()
    assert not policy.server_keys
    with pytest.raises(AddressRefusedError, match="ask the operator"):
        policy.check(own)
    policy.check(LLMSettings(model="m"))
    monkeypatch.setenv("NIP_EXPLORER_ALLOW_CUSTOM_ADDRESSES", "1")
    ServerPolicy.from_environment().check(own)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": " "},
        {"model": "x" * 300},
        {"base_url": "ftp://x/"},
        {"base_url": "localhost:8000"},
        {"base_url": "http://"},
        {"base_url": "http://[::1"},
        {"base_url": "http://me:secret@host/v1"},
        {"temperature": float("nan")},
        {"temperature": -1.0},
        {"max_tokens": 0},
        {"deadline": float("inf")},
    ],
)
def test_bad_settings_are_refused(changes):
    with pytest.raises(LLMError) as caught:
        LLMSettings(**{"model": "m", **changes})
    assert "secret" not in str(caught.value)


def test_presets_are_settings():
    for preset in PRESETS:
        LLMSettings(model=preset.model or "some", base_url=preset.base_url)
    assert [preset.needs_key for preset in PRESETS] == [True, False, False]


def test_trying_out():
    with ModelServer(answer=lambda _: "I am ready.") as server:
        found = try_out(settings(server), Secret(KEY))
        assert found.ok
        assert found.message == "I am ready."
        assert 0 <= found.first_seconds <= found.seconds
    assert "Nobody answers" in try_out(settings(server), None).message
    for behaviour, message in (("401", "key"), ("nothing", "without text"), ("500", "500")):
        with ModelServer(behaviours=[behaviour]) as server:
            found = try_out(settings(server), Secret(KEY))
            assert not found.ok
            assert message in found.message
            assert len(server.requests) == 1
