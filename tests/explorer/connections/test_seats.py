"""A person's moves go over their window's connection, which brings their screen and no other."""

import json
from contextlib import ExitStack
from functools import partial

import pytest
from websockets.exceptions import ConnectionClosed

from tests.explorer.connections import leading
from tests.explorer.connections.browsers import Browser, sit_at_a_table, wait_for

SECRET = "Zwetschgendatschi"


@pytest.fixture
def table(frames):
    """A table of two people: how to connect to it, by seat, and their browsers."""
    code, _ = frames.call(leading.open_room)
    with ExitStack() as opened:
        people = {}
        for _ in range(2):
            browser = Browser(frames, opened)
            people[frames.call(leading.join, code, browser.visitor)] = browser
        frames.call(leading.start, code)
        seats = {frames.call(leading.seat, code, n, each.visitor): n for n, each in people.items()}
        open_at = {
            seat: partial(people[number].open_window, code, f"person:{number}")
            for seat, number in seats.items()
        }
        yield frames, code, open_at, people, seats


def test_a_move_goes_over_the_connection_and_is_made_once(table):
    server, code, open_at, *_ = table
    verifier, twin, prover = open_at["verifier"](), open_at["verifier"](), open_at["prover"]()
    assert prover.seat["table"]["you"] == "prover"
    before = len(prover.frames)
    assert verifier.act(messages={"main": "Why?"}) is None
    for window in (twin, prover):
        window.changes()
        assert window.seat["table"]["channels"][0]["messages"][0]["text"] == "Why?"
    assert twin.seat == verifier.seat
    # What has not changed is not sent again.
    (sent,) = prover.frames[before:]
    assert not {"statement", "prompt", "agents"} & json.loads(sent)["seat"]["table"].keys()
    assert "mark" not in json.loads(sent), "the page need not run"
    # The connection is closed after the move was made, and before the answer.
    move = {"messages": {"main": "Because."}, "mark": "cut"}
    prover.send(**move)
    prover.connection.close()
    wait_for(lambda: server.call(leading.said, code), ["Why?", "Because."])
    again = open_at["prover"]()
    assert again.act(**move, round=1) is None
    assert again.answer["mark"] == "cut"
    # Another window sends something else for the same round.
    late = open_at["prover"]()
    assert "gone on" in late.act(messages={"main": "Another."}, round=1)["message"]
    assert server.call(leading.said, code) == ["Why?", "Because."]


def test_a_move_and_the_answer_of_a_bot_are_one_message_to_the_others(frames):
    with ExitStack() as opened:
        windows = sit_at_a_table(frames, frames.call(leading.open_debate), opened)
        asks = dict.fromkeys(("prover0_channel", "prover1_channel"), "Why?")
        assert windows["verifier"].act(messages=asks) is None
        windows["prover0"].changes()
        before = len(windows["verifier"].frames)
        assert windows["prover0"].act(messages={"prover0_channel": "Because."}) is None
        windows["verifier"].changes()
        said = windows["verifier"].seat["table"]
        assert said["round"] == 3
        assert [[m["sender"] for m in each["messages"]] for each in said["channels"]] == [
            ["verifier", "prover0"],
            ["verifier", "prover1"],
        ]
        windows["verifier"].ask()
        # One message brought both, and the other one answers the ping.
        assert len(windows["verifier"].frames) == before + 2


def test_a_table_that_ends_in_two_steps_sends_no_empty_change(table):
    server, code, open_at, people, seats = table
    prover, verifier = open_at["prover"](), people[seats["verifier"]].visitor
    before = len(prover.frames)
    verdict = {"messages": {}, "decision": 1, "confidence": None, "round": 0, "seat": "verifier"}
    assert server.call(leading.play_only, code, seats["verifier"], verifier, verdict) is None
    prover.changes()
    server.call(leading.go_on, code)
    prover.changes()
    first, second = (json.loads(frame)["seat"] for frame in prover.frames[before:])
    assert first["table"]["composer"]["reason"] == prover.seat["table"]["composer"]["reason"]
    # Its screen is the same, so that nobody can tell whether there were two steps.
    assert second.keys() == {"now"}


def test_any_message_is_refused_or_ends_the_connection(table):
    server, code, open_at, people, seats = table
    window = open_at["prover"]()
    shown, before = window.shown, len(server.log)
    other = open_at["verifier"]().seat["place"]
    move = {"messages": {"main": SECRET}}
    for forged in (
        move,  # not their turn
        {**move, "seat": "verifier"},
        {**move, "place": other},
        {**move, "place": other, "seat": "verifier"},
        {**move, "round": 7},
        {**move, "round": True},
        {**move, "place": None},
        {"messages": SECRET},
        {"messages": {"main": [SECRET]}, "decision": SECRET, "confidence": SECRET},
    ):
        assert window.act(**forged)["message"], forged
    for said in ("5", "[]", "null", json.dumps(SECRET), json.dumps({"back": True})):
        window.connection.send(said)
        window.receive()
        assert window.answer["refused"]["message"], said
    assert window.shown == shown
    for said in (
        b"\xff" + SECRET.encode(),
        SECRET,
        "",
        "[" * 5000,
        '{"mark": NaN}',
        json.dumps({**move, "mark": SECRET * 50_000}),
    ):
        window.connection.send(said)
        with pytest.raises(ConnectionClosed, match=r"1003|1009"):
            window.receive()
        window = open_at["prover"]()
    # Nobody can move over another person's connection.
    number = seats["verifier"]
    stranger = people[seats["prover"]].open_window(code, f"person:{number}")
    assert stranger.shown == ("gone", None)
    assert not server.call(leading.said, code)
    assert SECRET not in server.log
    assert "Traceback" not in server.log[before:]
