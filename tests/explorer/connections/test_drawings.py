"""The connection of a drawing, and its two windows."""

import json

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.visitors import COOKIE, new_token

NAME = "0123456789ab"
PLACE = {"stage": 0, "turn": 0}


@pytest.fixture
def window(frames):
    """Return a function that opens a window of a drawing, of a new visitor by default."""
    opened = []

    def open_window(token=None, name=NAME):
        headers = {"Cookie": f"{COOKIE}={token or new_token()}"}
        url = f"ws{frames.url.removeprefix('http')}/news?drawing={name}"
        opened.append(Window(connect(url, additional_headers=headers, proxy=None, max_size=None)))
        return opened[-1]

    yield open_window
    for each in opened:
        each.connection.close()


class Window:
    def __init__(self, connection):
        self.connection = connection
        self.shown, self.answers, self.asked = {}, {}, 0
        self.receive()

    def receive(self):
        message = json.loads(self.connection.recv(timeout=120))
        if "seat" in message:
            self.shown = {**self.shown, **message["seat"]}
        if "answer" in message:
            self.answers[message["answer"]["mark"]] = message["answer"]["refused"]
        return message

    def ask(self, **request):
        self.asked += 1
        mark = f"{id(self)}-{self.asked}"
        self.connection.send(json.dumps({"mark": mark, **request}))
        while mark not in self.answers:
            self.receive()
        return self.answers[mark]

    def until(self, holds):
        while not holds(self.shown):
            self.receive()


def test_an_edit_is_answered_with_what_has_changed_and_reaches_the_other_window(window):
    token = new_token()
    one, other = window(token), window(token)
    assert one.ask(begin="nothing") is None
    request = {"do": "write", "arguments": {"seat": "verifier", "channel": "main", **PLACE}}
    assert one.ask(**request) is None
    assert one.shown["facts"]["acts"][0]["verifier"]
    other.until(lambda shown: shown["version"] == one.shown["version"])
    assert other.shown["document"] == one.shown["document"]
    one.until(lambda shown: shown["worth"]["done"])
    assert one.shown["worth"]["values"]["seats"]["verifier"]["mean"] == 0


def test_a_game_beside_the_drawing_is_sent_and_follows_edits_of_the_other_window(window):
    token = new_token()
    one, other = window(token), window(token)
    assert one.ask(begin="one prover") is None
    assert one.ask(play="begin") is None
    table = one.shown["game"]["table"]
    act = {"seat": table["seat"], "round": 0, "messages": {"main": "Why?"}}
    assert one.ask(play={**act, "choices": {"verdict": "wait"}}) is None
    # Another window may edit meanwhile.
    request = {"do": "remove_turn", "arguments": {"stage": 0, "turn": 1}}
    assert other.ask(**request) is None
    one.until(lambda shown: shown["game"]["stopped"])
    assert one.shown["game"]["table"] is None
    assert one.ask(play={"nearest": True}) is None
    assert one.shown["game"]["table"]["seat"] == "verifier"


def test_a_refusal_has_repairs_and_leaves_what_is_shown(window):
    mine = window()
    mine.ask(begin="one prover")
    mine.until(lambda shown: shown["worth"]["done"])
    before = mine.shown
    arguments = {"stage": 0, "turn": 1, "target": "end", "when": "verdct = accept"}
    refused = mine.ask(do="leave", arguments=arguments)
    assert [words for words, _, _ in refused["repairs"]] == ["Write verdict"]
    assert mine.shown == before


def test_numbers_of_each_model_come_as_they_are_found_and_none_of_an_older_protocol(window):
    mine = window()
    mine.ask(begin="debate")
    mine.until(lambda shown: shown["worth"]["done"])
    first = mine.shown["worth"]
    assert mine.ask(look="beside", **{"with": 0}) is None
    assert mine.shown["beside"]["title"] == "How it began"
    see = {"kind": "channel", "name": "debate", "seat": "judge", "since": None}
    mine.ask(do="see", arguments=see)
    assert mine.shown["worth"]["evidence"] is None
    mine.until(lambda shown: shown["worth"]["done"])
    found = mine.shown["worth"]
    assert found["before"]["evidence"] == first["evidence"]
    assert found["evidence"]["honest"][0]["low"] < first["evidence"]["honest"][0]["low"]
    assert found["values"] == first["values"]


def test_a_drawing_is_its_visitors_own(window):
    mine = window()
    mine.ask(begin="debate")
    assert window().shown["new"]
    assert mine.shown["title"] == "My debate"


def test_other_names_open_nothing(window):
    for name in ("", "x", NAME.upper(), f"{NAME}0", "%00"):
        with pytest.raises(InvalidStatus, match="403"):
            window(name=name)


def test_what_is_no_request_is_refused_and_the_window_stays(window):
    mine = window()
    assert "asked for" in mine.ask(nothing=1)["message"]
    assert "no gesture" in mine.ask(do="x", arguments=[1])["message"]
    assert mine.ask(move=[]) is not None
    assert mine.ask(begin="nothing") is None
