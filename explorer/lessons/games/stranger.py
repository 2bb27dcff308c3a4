"""Test a stranger who claims to taste a difference that you cannot, as often as you like."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from explorer.languages import marked, tr, trn
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
        (marked("the first cup"), marked("the second cup")),
        marked("Serve a cup. Your partner does not see which."),
        marked("You taste no difference. Which cup was it?"),
        marked("One serves one of two cups, the other claims to taste which, and cannot."),
        {
            "held": marked("Named rightly"),
            "failed": marked("Named wrongly: the liar is found"),
        },
    )
    title = marked("The stranger and the two cups")
    roles = (Role("tester", marked("I test the stranger")),)
    outcomes: Mapping[str, str] = {
        "believed a taster": marked("Believed somebody who can taste it"),
        "believed a liar": marked("Believed a liar"),
        "sent away a liar": marked("Sent a liar away"),
        "sent away a taster": marked("Sent away somebody who can taste it"),
    }
    settings: Mapping[str, str] = {}

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return who it was; the chances depend on how often a person tests."""
        return {
            "taster": Circumstances(
                tr("The stranger can taste it"), dict.fromkeys(list(self.outcomes)[::3])
            ),
            "liar": Circumstances(
                tr("The stranger guesses"), dict.fromkeys(list(self.outcomes)[1:3])
            ),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return a stranger who can taste it, or one who guesses."""
        return {"honest": bool(coin(random)), "rounds": [], "believed": None}

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what you see: your coins and what the stranger said, but not who it is."""
        stranger = tr("Stranger")
        claim = tr("These two cups taste different. You cannot tell, but I can.")
        said = [ScriptLine(stranger, claim)]
        for cup, guess in state["rounds"]:
            served = tr("(You tossed a coin in secret and served cup {cup}.)", cup="AB"[cup])
            said.append(ScriptLine(tr("You"), served))
            named = tr("That was cup {cup}, which is right.", cup="AB"[guess])
            if cup != guess:
                named = tr("That was cup {cup}, which is wrong.", cup="AB"[guess])
            said.append(ScriptLine(stranger, named))
        if state["believed"] is None:
            choices = (
                Choice("serve", tr("Serve a cup")),
                Choice("believe", tr("I believe it")),
                Choice("send", tr("I send it away")),
            )
            return Scene(tuple(said), (), tr("Test the stranger, or decide."), choices)
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
    who = tr("The stranger was guessing.")
    if state["honest"]:
        who = tr("The stranger can taste it.")
    if not tests:
        what = tr("You did not test it, so nothing spoke for it or against it.")
    elif wrong:
        what = trn(
            "It was wrong in {wrong} of {n} test; somebody who can taste it never is.",
            "It was wrong in {wrong} of {n} tests; somebody who can taste it never is.",
            tests,
            wrong=wrong,
        )
    else:
        what = trn(
            "It was right in {n} test; a liar is as lucky with chance 1/{all}. As half of all "
            "strangers lie, 1 in {more} of those who get this far does.",
            "It was right in {n} tests; a liar is as lucky with chance 1/{all}. As half of all "
            "strangers lie, 1 in {more} of those who get this far does.",
            tests,
            all=2**tests,
            more=2**tests + 1,
        )
    return f"{who} {what}"


def _outcome(state: Mapping[str, Any]) -> str:
    who = "a taster" if state["honest"] else "a liar"
    return f"believed {who}" if state["believed"] else f"sent away {who}"
