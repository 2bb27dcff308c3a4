"""Tests of game.py: a game beside a drawing goes on after an edit, as far as that is legal."""

import json
import random

import pytest

from nip_core.registry import protocol_names, published_names
from tests.depth import each, seeds
from tests.explorer.drawing.test_drawing import WIRE, Window

TURN = {"stage": 0, "turn": 1}


class Playing(Window):
    """A window with a game beside the drawing, in which all seats are played by hand."""

    def __init__(self, begin="one prover", **more):
        super().__init__(begin, **more)
        assert self.ask(play="begin") is None
        for seat, kind in self.game["seats"]:
            if kind != "me":
                assert self.play(who=seat, kind="me") is None

    @property
    def game(self):
        return self.screen["game"]

    def play(self, **act):
        return self.ask(play=act)

    def move(self, text="So.", choices=None):
        table = self.game["table"]
        messages = dict.fromkeys(table["composer"]["channels"], text)
        verdict = table["composer"]["verdict"]
        waits = {verdict["name"]: verdict["wait"]} if verdict and verdict["open"] else {}
        act = {"seat": table["seat"], "round": table["round"], "messages": messages}
        return self.play(**act, choices=waits if choices is None else choices)

    @property
    def said(self):
        channels = self.game["table"]["channels"]
        return [m["text"] for channel in channels for m in channel["messages"]]


@each("name", [*protocol_names(), *published_names()])
def test_every_protocol_is_played_beside_the_drawing(name):
    window = Playing(name, protocol=True)
    for _ in range(60):
        shown = window.game["table"]
        if shown["ending"]:
            break
        assert shown["composer"]["acts"], name
        assert window.play(chance=True) is None
        assert json.loads(json.dumps(window.screen)) == window.screen


def test_an_edit_leaves_the_position_or_says_why_not_and_offers_the_nearest():
    window = Playing()
    window.move("Why?")
    window.move("So.")
    assert window.game["at"] == [0, 0]
    window.do("repeat", stage=0, times=7)
    assert window.game["said"] == "The game goes on from the same position."
    assert window.said == ["Why?", "So."]
    assert window.do("write", seat="prover", channel="main", on=False, **TURN) is None
    stopped = window.game["stopped"]
    assert stopped["why"] == "In turn 2 of the game: The prover does not act there any more."
    assert stopped["to"] == "after turn 1 of 2"
    assert window.game["table"] is None
    assert "The game waits" in window.play(seat="verifier", round=0)["message"]
    # It was the same position all along.
    window.ask(move="undo")
    assert window.game["stopped"] is None
    assert window.said == ["Why?", "So."]
    window.ask(move="redo")
    assert window.play(nearest=True) is None
    assert window.game["stopped"] is None
    assert window.said == ["Why?"]


def test_a_game_goes_on_under_new_names_also_after_undo():
    window = Playing()
    window.move("Why?")
    window.do("call", kind="seat", name="prover", title="Expert witness")
    assert window.game["stopped"] is None
    assert "expert_witness" in dict(window.game["seats"])
    window.move("So.")
    window.ask(move="undo")
    assert window.game["stopped"] is None
    assert window.said == ["Why?", "So."]


def test_the_browser_brings_back_a_game_that_the_server_has_forgotten():
    window = Playing()
    window.move("Why?")
    kept, history = window.game["kept"], window.screen["kept"]
    other = Window(begin="")
    assert other.ask(restore=history) is None
    assert other.ask(play="restore", kept=kept) is None
    shown = other.screen["game"]["table"]
    assert [m["text"] for m in shown["channels"][0]["messages"]] == ["Why?"]
    # Where a game is played already, it goes on.
    assert other.ask(play="restore", kept="x") is None
    # The drawing may have been changed meanwhile in another tab.
    changed = Window("one prover")
    changed.do("remove_turn", stage=0, turn=0)
    assert changed.ask(play="restore", kept=kept) is None
    assert changed.screen["game"]["stopped"]["why"]


def test_what_is_no_game_is_not_brought_back():
    window = Window()
    for kept in ("", "x", "{}", "[1]", '{"setup": {}, "events": []}', "9" * 300):
        assert window.ask(play="restore", kept=kept)["message"], kept
        assert window.screen["game"] is None


def test_seats_are_played_by_hand_by_scripts_and_by_chance_and_moves_taken_back():
    window = Playing("debate")
    assert {kind for _, kind in window.game["seats"]} == {"me"}
    assert "There is no way to play a seat" in window.play(who="judge", kind="x")["message"]
    while (undo := window.game["table"]["undo"]) is not None:
        window.play(undo=undo)
    first = window.game["table"]["seat"]
    window.play(chance=True)
    second = window.game["table"]["seat"]
    assert second != first
    window.play(undo=window.game["table"]["undo"])
    assert window.game["table"]["seat"] == first
    assert window.game["table"]["undo"] is None
    assert window.game["at"] == [0, 0]
    for seat, _ in window.game["seats"]:
        window.play(who=seat, kind="random" if seat == first else "scripted")
    assert window.game["table"]["ending"]
    assert window.game["at"] is None


def test_a_move_of_an_older_position_is_refused_and_one_that_is_sent_again_counts_once():
    window = Playing()
    act = {"seat": "verifier", "round": 0, "messages": {"main": "Why?"}}
    act["choices"] = {"verdict": "wait"}
    assert window.play(**act) is None
    assert "gone on" in window.play(**act)["message"]
    assert window.said == ["Why?"]
    assert "There is no such position" in window.play(goto=99)["message"]
    refused = window.play(seat="prover", round=1, messages={})
    assert refused["channel"] in ("main", None)
    assert window.said == ["Why?"]


def test_a_new_beginning_ends_the_game_and_what_cannot_be_played_is_said():
    window = Playing()
    window.do("repeat", stage=0, times=900)
    assert "at most" in window.game["stopped"]["why"]
    assert not window.game["stopped"]["to"]
    assert "cannot be played" in window.play(nearest=True)["message"]
    assert "No game is being played" in Window().ask(play={"chance": True})["message"]
    window.ask(play="end")
    assert window.game is None


@pytest.mark.parametrize("seed", seeds(4))
def test_what_comes_from_the_wire_is_refused_or_harmless(seed):
    source, window = random.Random(seed), Playing("debate")
    for _ in range(300):
        names = ("seat", "round", "messages", "choices", "who", "kind", "undo", "goto", "chance")
        act = {name: source.choice(WIRE) for name in names if source.random() < 0.3}
        window.ask(play=source.choice((act, act, source.choice(WIRE))))
        assert window.game is not None
