"""Test a stranger who claims to taste a difference that you cannot, as often as you like."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from explorer.lessons.game import (
    Choice,
    Circumstances,
    HideAndName,
    Role,
    Scene,
    ScriptLine,
    coin,
)

State = dict[str, Any]


class Stranger:
    """Two cups that look alike to you; the stranger says that it can taste the difference."""

    pair = HideAndName(
        5,
        ("the first cup", "the second cup"),
        "Serve a cup. Your partner does not see which.",
        "You taste no difference. Which cup was it?",
        "One serves one of two cups, the other claims to taste which, and cannot.",
        {"held": "Named rightly", "failed": "Named wrongly: the liar is found"},
    )
    title = "The stranger and the two cups"
    roles = (Role("tester", "I test the stranger"),)
    outcomes: Mapping[str, str] = {
        "believed a taster": "Believed somebody who can taste it",
        "believed a liar": "Believed a liar",
        "sent away a liar": "Sent a liar away",
        "sent away a taster": "Sent away somebody who can taste it",
    }
    settings: Mapping[str, str] = {}

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return who it was; the chances depend on how often a person tests."""
        return {
            "taster": Circumstances(
                "The stranger can taste it", dict.fromkeys(list(self.outcomes)[::3])
            ),
            "liar": Circumstances("The stranger guesses", dict.fromkeys(list(self.outcomes)[1:3])),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return a stranger who can taste it, or one who guesses."""
        return {"honest": bool(coin(random)), "rounds": [], "believed": None}

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what you see: your coins and what the stranger said, but not who it is."""
        said = [
            ScriptLine("Stranger", "These two cups taste different. You cannot tell, but I can.")
        ]
        for cup, guess in state["rounds"]:
            said.append(
                ScriptLine("You", f"(You tossed a coin in secret and served cup {'AB'[cup]}.)")
            )
            right = "which is right" if cup == guess else "which is wrong"
            said.append(ScriptLine("Stranger", f"That was cup {'AB'[guess]}, {right}."))
        if state["believed"] is None:
            choices = (
                Choice("serve", "Serve a cup"),
                Choice("believe", "I believe it"),
                Choice("send", "I send it away"),
            )
            return Scene(tuple(said), (), "Test the stranger, or decide.", choices)
        case = "taster" if state["honest"] else "liar"
        return Scene(tuple(said), (), _end(state), (), _outcome(state), case)

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return the state after another test or a verdict."""
        self.scene(state).check(choice)
        if choice != "serve":
            return {**state, "believed": choice == "believe"}
        cup = coin(random)
        guess = cup if state["honest"] else coin(random)
        return {**state, "rounds": [*state["rounds"], [cup, guess]]}


GAME = Stranger()


def _end(state: Mapping[str, Any]) -> str:
    """Return the end: who the stranger was, and what the tests showed."""
    tests = len(state["rounds"])
    wrong = sum(cup != guess for cup, guess in state["rounds"])
    who = "can taste it" if state["honest"] else "was guessing"
    times = "1 test" if tests == 1 else f"{tests} tests"
    if not tests:
        what = "You did not test it, so nothing spoke for it or against it."
    elif wrong:
        what = f"It was wrong in {wrong} of {times}; somebody who can taste it never is."
    else:
        what = (
            f"It was right in {times}; a liar is as lucky with chance 1/{2**tests}. As half of all "
            f"strangers lie, 1 in {2**tests + 1} of those who get this far does."
        )
    return f"The stranger {who}. {what}"


def _outcome(state: Mapping[str, Any]) -> str:
    who = "a taster" if state["honest"] else "a liar"
    return f"believed {who}" if state["believed"] else f"sent away {who}"
