"""Tests of errors.py, models/transport.py and models/wire.py.

Connections to services: kept, shared, closed, and never redirected; moves at the same time.
"""

import asyncio
import threading
import time

import pytest

from explorer.players import astep
from explorer.players.errors import AddressRefusedError, LLMCancelledError, LLMError
from explorer.players.models import Client, LLMPlayer, LLMSettings, Secret
from explorer.players.models import transport as ways
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from tests.depth import each
from tests.explorer.players.misbehaving import sensible
from tests.explorer.players.model_server import OWN, PUBLIC, ModelServer, prover_view
from tests.play_worlds import ONE_TASK

HELLO = [{"role": "user", "content": "Hello"}]
TIMEOUT = 120


async def aplay_out(episode, players):
    while await astep(episode, players):
        pass


def client(server, *, key=None, policy=OWN, host="127.0.0.1", **changes):
    url = server.url.replace("127.0.0.1", host)
    values = {"model": "m", "base_url": url, "timeout": 60.0, "deadline": 90.0, **changes}
    return Client(LLMSettings(**values), key and Secret(key), policy)


# -- connections --------------------------------------------------------------------------------


def test_one_connection_serves_many_moves_and_each_brings_its_own_key():
    with ModelServer(behaviours=["kept"] * 6) as server:
        for key in ("sk-one", "sk-two", None) * 2:
            asyncio.run(client(server, key=key).complete(HELLO))
        assert server.connections == 1
        sent = [headers.get("authorization") for headers in server.headers_seen]
        assert sent == ["Bearer sk-one", "Bearer sk-two", None] * 2


def test_what_was_not_read_to_its_end_is_not_used_again():
    with ModelServer(behaviours=["kept", "pauses", "kept"]) as server:
        asyncio.run(client(server).complete(HELLO))
        with pytest.raises(LLMError, match="in the time that a move may take"):
            asyncio.run(client(server, deadline=1.0).complete(HELLO))
        assert server.left.wait(TIMEOUT)
        assert asyncio.run(client(server).complete(HELLO)).text.startswith("Answer:")
        assert server.connections == 2


def test_names_at_the_same_address_share_no_connection(monkeypatch):
    monkeypatch.setattr(ways, "public_address", lambda host, port: "127.0.0.1")
    with ModelServer(behaviours=["kept"] * 4) as server:
        for host in ("one.example", "two.example") * 2:
            asyncio.run(client(server, host=host, policy=PUBLIC).complete(HELLO))
        assert server.connections == 2


def test_a_kept_connection_is_no_way_past_a_name_that_points_elsewhere_now(monkeypatch):
    numbers = ["127.0.0.1", AddressRefusedError("private")]

    def number(host, port):
        found = numbers.pop(0) if numbers else "127.0.0.2"
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(ways, "public_address", number)
    with ModelServer(behaviours=["kept"] * 3) as server:
        mine = client(server, host="some.example", policy=PUBLIC)
        asyncio.run(mine.complete(HELLO))
        with pytest.raises(AddressRefusedError):
            asyncio.run(mine.complete(HELLO))
        # Nobody listens at the other address: it was asked, and not the kept connection.
        with pytest.raises(LLMError, match="Nobody answers"):
            asyncio.run(
                client(server, host="some.example", policy=PUBLIC, deadline=0.3).complete(HELLO)
            )
        assert len(server.requests) == 1


def test_a_connection_that_nobody_uses_is_closed(monkeypatch):
    monkeypatch.setattr(ways, "IDLE", 0.05)
    with ModelServer(behaviours=["kept"]) as server:
        mine = client(server)
        asyncio.run(mine.complete(HELLO))
        until = time.monotonic() + TIMEOUT
        while any(str(way.port) in mine.settings.base_url for way in ways._ways):
            assert time.monotonic() < until
            time.sleep(0.01)


# -- stopping -----------------------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", ["mute", "pauses"])
def test_a_request_that_is_stopped_ends_at_the_server_too(behaviour):
    with ModelServer(behaviours=[behaviour]) as server:
        made = client(server)

        def stop():
            while not server.requests:
                time.sleep(0.01)
            made.cancel.set()

        threading.Thread(target=stop).start()
        with pytest.raises(LLMCancelledError):
            LLMPlayer(made).turn(prover_view())
        assert server.left.wait(TIMEOUT)


@pytest.mark.parametrize("behaviour", ["mute", "pauses"])
def test_a_move_that_is_cancelled_cancels_its_request_and_no_other(behaviour):
    async def cancelled(player):
        move = asyncio.ensure_future(player.aturn(prover_view()))
        while not server.requests:
            await asyncio.sleep(0.01)
        move.cancel()
        with pytest.raises(asyncio.CancelledError):
            await move

    with ModelServer(behaviours=[behaviour]) as server:
        player = LLMPlayer(client(server))
        asyncio.run(cancelled(player))
        assert server.left.wait(TIMEOUT)
        assert player.turn(prover_view()).move.messages


# -- at the same time ---------------------------------------------------------------------------


def test_many_moves_wait_for_nobody():
    """No request is answered before all have been sent."""
    together = threading.Barrier(12)

    def answer(messages):
        together.wait(TIMEOUT)
        return sensible(messages)

    async def moves():
        player, view = LLMPlayer(client(server)), prover_view()
        return await asyncio.gather(*(player.aturn(view) for _ in range(12)))

    with ModelServer(answer=answer) as server:
        assert len(asyncio.run(moves())) == 12


def test_seats_that_speak_together_are_asked_together():
    together, seats = threading.Barrier(2), ("prover0", "prover1")

    def answer(messages):
        if "Your job is to judge" not in messages[0]["content"]:
            together.wait(TIMEOUT)
        return sensible(messages)

    with ModelServer(answer=answer) as server:
        episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)
        player = LLMPlayer(client(server))
        asyncio.run(aplay_out(episode, dict.fromkeys(episode.rules.seat_names, player)))
        assert episode.over
        assert {event.move.agent for event in episode.events} >= set(seats)


def test_a_seat_that_fails_does_not_take_the_others_move_with_it():
    rules = HyperParameters(interaction_protocol="mnip")
    episode = Episode(rules, ONE_TASK)
    asked = dict.fromkeys(["prover0_channel", "prover1_channel"], "Why?")
    while "prover1" not in episode.to_move:
        episode.play(Move("verifier", asked))
    with ModelServer(behaviours=["good"]) as good, ModelServer(behaviours=["401"] * 9) as bad:
        players = {"prover0": LLMPlayer(client(bad)), "prover1": LLMPlayer(client(good))}
        with pytest.raises(LLMError, match="wants a key"):
            asyncio.run(aplay_out(episode, players))
        assert episode.to_move == ("prover0",)
        # The next attempt, at a server that works.
        players["prover0"] = LLMPlayer(client(good))
        asyncio.run(aplay_out(episode, players))
    assert episode.to_move == ("verifier",)


# -- what services send -------------------------------------------------------------------------


@each(
    ("behaviour", "text"),
    [
        ("done_and_open", "Answer: well"),
        ("returns_only", "Answer: well"),
        ("two_answers", "Answer: well"),
        ("counts_wildly", "Answer: well"),
        ("gzip", "Answer: well"),
        ("nul", "Answer:\ufffd well"),
    ],
)
def test_an_odd_answer_is_read_by_one_request(behaviour, text):
    with ModelServer(behaviours=[behaviour]) as server:
        begun = time.monotonic()
        reply = asyncio.run(client(server).complete(HELLO))
        # The server would keep the connection for 30 seconds.
        assert time.monotonic() - begun < 25
        assert reply.text == text
        assert (reply.finish, reply.usage.calls) == ("stop", 1)
        assert reply.usage.tokens_in + reply.usage.tokens_out < 10_000


def test_content_that_is_no_text_is_explained():
    with ModelServer(behaviours=["number_for_words"] * 5) as server:
        asked = client(server)

        async def no_wait(seconds):
            """Return without waiting."""

        asked.wait = no_wait
        with pytest.raises(LLMError, match="whose “content” is not text"):
            asyncio.run(asked.complete(HELLO))


def test_a_kept_connection_that_was_closed_costs_no_second_request():
    with ModelServer(behaviours=["whole_and_shut"] * 5) as server:
        for _ in range(5):
            reply = asyncio.run(client(server).complete(HELLO))
            assert (reply.text, reply.usage.calls) == ("Answer: well", 1)


def test_a_connection_that_fails_when_it_is_used_again_is_replaced(monkeypatch):
    import httpx2

    with ModelServer(behaviours=["kept"] * 3) as server:
        asyncio.run(client(server).complete(HELLO))
        port = server.server_address[1]
        (kept,) = [each for way, each in ways._ways.items() if way.port == port]

        async def closed(_):
            raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")

        monkeypatch.setattr(kept.transport, "handle_async_request", closed)
        reply = asyncio.run(client(server).complete(HELLO))
        assert reply.text.startswith("Answer:")
        assert reply.usage.calls == 1


def test_a_call_of_a_tool_in_the_text_is_no_message():
    with ModelServer(behaviours=["tool_in_text"]) as server:
        acted = LLMPlayer(client(server)).turn(prover_view())
        (refused,) = acted.origin["refused"]
        assert "no tools here" in refused["reason"]


def test_a_move_that_is_cancelled_does_not_wait_for_its_next_attempt():
    with ModelServer(behaviours=["429_long"]) as server:
        asked = client(server, deadline=86_400.0)

        async def cancelled():
            task = asyncio.create_task(LLMPlayer(asked).aturn(prover_view()))
            while not server.requests:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises((asyncio.CancelledError, LLMCancelledError)):
                await task

        begun = time.monotonic()
        asyncio.run(cancelled())
        assert time.monotonic() - begun < TIMEOUT
