"""Two worlds that a seat must not tell apart, played to the same point in a notebook.

The person at the screen does the same in both: is refused, asks, takes back, tries another
variation, looks back, requests a draft, waits for a player that fails, hands over, and restarts the
kernel. After each step a notebook that shows everything is saved, as if it had stopped there.
"""

import json
import re
import threading
from dataclasses import dataclass

import pytest

from explorer.notebook import play
from explorer.notebook.playing import PlayDisplay
from explorer.players import Acted, Player
from nip_core import HyperParameters, protocol_spec
from nip_core.play import Episode, Move
from tests.explorer.notebook.test_reading import DRAWN, FORMATTER, named_in_order
from tests.noninterference import _other_label
from tests.play_worlds import ONE_TASK

PARAMETERS = HyperParameters(interaction_protocol="mnip")
MNIP = protocol_spec(PARAMETERS)
NUMBER = {"one": 1, "other": 2}


@dataclass
class Scripted(Player):
    """Says what the seat at the screen reads, and hides from it what it does not."""

    seat: str
    secret: str
    kind = "replay"

    def turn(self, view):
        messages = {
            channel: f"{view.agent}, round {view.round}"
            + ("" if MNIP.can_see(self.seat, channel) else f", and {self.secret}")
            for channel in view.legal.channels
        }
        confidence = NUMBER[self.secret] * 10 if view.agent == "verifier" else None
        return Acted(Move(view.agent, messages, confidence=confidence), {"said": self.secret})


class Fails(Scripted):
    """Takes its time, and fails for a reason that is nobody else's business."""

    kind = "slow"

    def __init__(self, seat, secret):
        super().__init__(seat, secret)
        self.begun, self.go = threading.Event(), threading.Event()

    def turn(self, view):
        self.begun.set()
        self.go.wait(20)
        raise ValueError(f"this machine's {self.secret}")


class Helper(Scripted):
    """Drafts a move from a view."""


class Notebook:
    """A running notebook in one of the two worlds."""

    def __init__(self, seats, secret, folder, **players):
        self.seats, self.secret, self.players = seats, secret, players
        self.file = folder / f"{secret}.json"
        self.sent = []
        self.run()

    def run(self):
        """Run all cells in a new kernel."""
        task = ONE_TASK if self.secret == "one" else _other_label(ONE_TASK)
        self.episode = Episode(PARAMETERS, task, 1)
        others = {
            agent: Scripted(self.seats[0], self.secret)
            for agent in self.episode.rules.seat_names
            if agent not in self.seats
        }
        given = {**others, **{agent: made(self) for agent, made in self.players.items()}}
        helper = Helper(self.seats[0], self.secret)
        self.display = play(self.episode, self.seats, given, helper=helper, keep=self.file)
        widget, send = self.display.widget(), self.display.widget().send
        widget.send = lambda content, *more: (self.sent.append(content), send(content, *more))

    def do(self, event, **value):
        data = self.display.widget().data
        value = {"seat": data["seat"], "mark": "1", **value}
        self.display.widget()._handle_custom_msg({"event": event, "value": value}, [])

    def move(self, messages=None, decision=2, confidence=None):
        table = self.display.widget().data["table"]
        said = {"messages": messages or {}, "decision": decision, "confidence": confidence}
        self.do("act", round=table["round"], **said)

    def say(self, text):
        channels = self.display.widget().data["table"]["composer"]["channels"]
        self.move(dict.fromkeys(channels, text), confidence=40)

    def asked(self):
        """Request a draft, and wait for it."""
        self.do("press", name="ask")
        for thread in threading.enumerate():
            if thread.name == "draft":
                thread.join(20)

    def saved(self):
        """Return the file, and all that went to the browser beside it."""
        display = self.display
        # Two outputs of the game, and any other display at the end of a cell meanwhile.
        held = [display, PlayDisplay(display.game, display._seats), display.game, self.episode]
        held += [self.episode.setup, self.episode.result()]
        if not display.covered:
            held += [display.view, display.view.to_frame()]
        outputs = [
            each._repr_mimebundle_() if isinstance(each, PlayDisplay) else FORMATTER.format(each)[0]
            for each in held
        ]
        state = [named_in_order(each.widget()) for each in held[:2]]
        file = json.dumps([outputs, [*map(repr, held)], state, self.sent])
        return re.sub(DRAWN, "drawn", file)


def alone(seat, secret, folder):
    """One person, from the first round to the fifth."""
    book = Notebook([seat], secret, folder)
    yield book.saved()
    book.move({"nowhere": "So."})
    yield book.saved()
    book.move(decision=7)
    yield book.saved()
    book.say("x" * 99_999)
    yield book.saved()
    book.say("What is so?")
    yield book.saved()
    book.asked()
    yield book.saved()
    book.say("And what is not?")
    yield book.saved()
    book.do("press", name="undo")
    yield book.saved()
    book.say("Another line.")
    yield book.saved()
    for node in (0, 99, "1"):
        book.do("act", goto=node)
        yield book.saved()
    book.run()  # the kernel was restarted
    yield book.saved()


def failing(seat, secret, folder):
    """A player whom the seat waits for fails, and somebody stands in."""
    who = "prover1" if seat == "verifier" else "verifier"
    book = Notebook([seat], secret, folder, **{who: lambda self: Fails(seat, self.secret)})
    if seat == "verifier":
        book.say("What is so?")
    game = book.display.game
    assert game.players[who].begun.wait(20)
    game.worker.seats[who].words = f"I think of {secret}"
    game.show()
    yield re.sub(r"\d+ s\b", "", book.saved())
    game.players[who].go.set()
    assert game.wait(20)
    game.show()
    yield book.saved()
    book.do("press", name="script")
    yield "what a script says follows from the label"


def handed_over(seat, secret, folder):
    """Two people at one screen. The first may not see what the verifier does."""
    assert seat == "prover0"
    book = Notebook(["prover0", "verifier"], secret, folder)
    yield book.saved()
    book.do("press", name="sit verifier")
    book.asked()
    yield "the person there is shown a draft"
    book.move({"prover0_channel": "Why?", "prover1_channel": secret}, confidence=NUMBER[secret])
    yield book.saved()
    book.do("press", name="sit verifier")
    book.do("act", goto=0)
    yield book.saved()
    book.do("press", name="sit prover0")
    yield book.saved()
    book.say("Because.")
    yield book.saved()
    book.run()
    yield book.saved()


JOURNEYS = [
    (alone, "verifier"),
    (alone, "prover0"),
    (failing, "verifier"),
    (failing, "prover0"),
    (handed_over, "prover0"),
]


def steps(journey, seat, folder):
    """Return what is saved after each step, in both worlds."""
    return zip(*(journey(seat, secret, folder) for secret in NUMBER), strict=True)


@pytest.mark.parametrize(("journey", "seat"), JOURNEYS)
def test_a_notebook_is_the_same_at_every_step(journey, seat, tmp_path):
    for step, (one, other) in enumerate(steps(journey, seat, tmp_path)):
        assert one == other, step


def more(name, leak):
    def leaks(self):
        shown = made(self)
        return {**shown, "leak": leak(self)} if isinstance(shown, dict) else shown + leak(self)

    made = getattr(PlayDisplay, name)
    return name, leaks


def texts_of(moves):
    return str([move.messages for move in moves])


def keeps(self, notes):
    self.__dict__.setdefault("all", {}).update(notes)


LEAKS = {
    "the label, in the name of what is typed": (
        alone,
        "verifier",
        lambda: ("_name", lambda self, seat: str(self.episode.task.y)),
    ),
    "another line of somebody else": (
        alone,
        "prover0",
        lambda: more("data", lambda self: [repr(node.moves) for node in self.episode.nodes]),
    ),
    "the moves of the game, at the end of a cell": (
        alone,
        "prover0",
        lambda: more("__repr__", lambda self: texts_of([*self.episode.node.moves.values()])),
    ),
    "how a player has failed": (
        failing,
        "verifier",
        lambda: more("html", lambda self: repr(self.game.failed and self.game.failed.seats)),
    ),
    "what a player writes just now": (
        failing,
        "verifier",
        lambda: more(
            "data", lambda self: [s.words for s in getattr(self.game.worker, "seats", {}).values()]
        ),
    ),
    "the view behind the cover": (
        handed_over,
        "prover0",
        lambda: more("text", lambda self: self.episode.view_for("verifier").to_json()),
    ),
    "what the person before was helped with": (
        handed_over,
        "prover0",
        lambda: ("_notes", property(lambda self: self.__dict__.setdefault("all", {}), keeps)),
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_seen(leak, tmp_path, monkeypatch):
    journey, seat, made = LEAKS[leak]
    monkeypatch.setattr(PlayDisplay, *made(), raising=False)
    assert any(one != other for one, other in steps(journey, seat, tmp_path))
