"""A debate about a bill: halve the disputed lines until only one is left, which decides."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from explorer.lessons.game import (
    Boxes,
    Choice,
    Circumstances,
    HideAndName,
    Role,
    Scene,
    ScriptLine,
)

State = dict[str, Any]
SIDES = ("left", "right")
MOST = 9
SIZES = (2, 4, 8, 16)


class Halving:
    """The author of the bill states the totals of both halves, and an opponent points at one."""

    pair = HideAndName(
        3,
        ("the left half", "the right half"),
        "You wrote the bill. In which half do you hide the false line?",
        "You cannot see the amounts. At which half do you point?",
        "A bill of eight lines is false in one. One hides it, three times in a half of what is "
        "left; the other points, in fog.",
        {"held": "The false half was found", "failed": "The lie was not found"},
    )
    title = "Point at the error"
    roles = (Role("opponent", "The opponent, who points"), Role("liar", "The liar, who hides"))
    outcomes: Mapping[str, str] = {
        "caught": "The lie was caught",
        "escaped": "The lie was not found",
        "upheld": "The bill was right, and stood",
    }
    settings: Mapping[str, str] = {
        "lines": f"How many lines the bill has: {', '.join(map(str, SIZES))} (8).",
        "lie": "Is the total false? By default a coin, if you are the opponent.",
        "blind": "Does the opponent not see the true amounts? By default it does.",
        "skill": "How often the machine's opponent sees which half is false (0.8).",
    }

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases: a true or a false bill, and who looked for the error."""
        lines = int(settings.get("lines", 8))
        steps = lines.bit_length() - 1
        skill = Fraction(str(settings.get("skill", 0.8)))
        blind = bool(settings.get("blind"))
        mine = Fraction(1, lines) if blind else Fraction(1)
        name = (
            "The total was false, and you pointed blindly, by whatever rule"
            if blind
            else ("The total was false; the chances are those of the best opponent")
        )
        machine = skill**steps
        return {
            "true": Circumstances("The bill was right", {"upheld": Fraction(1)}),
            "false": Circumstances(name, {"caught": mine, "escaped": 1 - mine}),
            "liar": Circumstances(
                "You lied to the machine's opponent", {"caught": machine, "escaped": 1 - machine}
            ),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return a random bill with a right or wrong total."""
        lines = settings.get("lines", 8)
        if lines not in SIZES:
            raise ValueError(f"`lines` is {lines!r}; it is one of {', '.join(map(str, SIZES))}.")
        amounts = [random.randint(1, MOST) for _ in range(lines)]
        lying = role == "liar" or bool(settings.get("lie", random.random() < 0.5))
        place, error = random.randrange(lines), random.randint(1, MOST) if lying else 0
        if lying and role == "opponent":
            # The claim is drawn before the truth, so it reveals nothing about where the error is.
            claim = amounts[place]
            amounts[place] = random.choice([n for n in range(1, MOST + 1) if n != claim])
            error = claim - amounts[place]
        state: State = {
            "role": role,
            "blind": bool(settings.get("blind", False)),
            "skill": float(settings.get("skill", 0.8)),
            "amounts": amounts,
            "first": 0,
            "count": len(amounts),
            "error": error,
            "place": place,
            "false": None,
            "case": "false" if lying else "true",
            "said": [],
            "outcome": None,
        }
        _say(state, "author", f"The total is {_claimed(state)}.")
        if role == "opponent":
            _split(state, _side_of_error(state))
        return state

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees of a state."""
        said = tuple(ScriptLine(who, text) for who, text in state["said"])
        drawings = (_bill(state),)
        if state["outcome"]:
            case = "liar" if state["role"] == "liar" else state["case"]
            end = f"{self.outcomes[state['outcome']]}."
            return Scene(said, drawings, end, (), state["outcome"], case)
        if state["role"] == "liar":
            prompt = f"Your claim is {state['error']} too high. In which half do you hide that?"
            return Scene(said, drawings, prompt, _choices(state, claims=False))
        prompt = "At which half do you point? One of them is false, if the claim is."
        return Scene(said, drawings, prompt, _choices(state, claims=True))

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return the state after a choice, the machine's answer included."""
        self.scene(state).check(choice)
        new: State = copy.deepcopy(dict(state))
        if new["role"] == "liar":
            _split(new, choice)
            sees = random.random() < new["skill"]
            _point(new, choice if sees else SIDES[choice == "left"])
        else:
            _point(new, choice)
            if not new["outcome"]:
                _split(new, _side_of_error(new))
        return new


GAME = Halving()


def _say(state: State, who: str, text: str) -> None:
    mine = (who == "author") == (state["role"] == "liar")
    names = {"author": "Author of the bill", "opponent": "Opponent"}
    state["said"].append(["You" if mine else names[who], text])


def _claimed(state: Mapping[str, Any]) -> int:
    """Return the claim about the disputed lines."""
    first, count = state["first"], state["count"]
    amounts: list[int] = state["amounts"][first : first + count]
    error: int = state["error"]
    return sum(amounts) + error


def _half(state: Mapping[str, Any], side: str) -> tuple[str, int]:
    """Return a half of the disputed lines: its name and its true total."""
    count = state["count"] // 2
    first = state["first"] + (count if side == "right" else 0)
    name = f"line {first + 1}" if count == 1 else f"lines {first + 1} to {first + count}"
    amounts: list[int] = state["amounts"][first : first + count]
    return name, sum(amounts)


def _side_of_error(state: Mapping[str, Any]) -> str:
    """Return the half in which the machine, as the author, has its error."""
    right = state["place"] >= state["first"] + state["count"] // 2
    return SIDES[1 if right else 0]


def _claim_of(state: Mapping[str, Any], side: str) -> int:
    return _half(state, side)[1] + (state["error"] if state["false"] == side else 0)


def _split(state: State, false: str) -> None:
    """State the totals of both halves, all of the error in one of them."""
    state["false"] = false
    parts = [f"{_half(state, side)[0]}: {_claim_of(state, side)}" for side in SIDES]
    _say(state, "author", f"That is {parts[0]}, and {parts[1]}.")


def _point(state: State, side: str) -> None:
    """Continue with one half; the judge reads it if it is a single line."""
    name, claim = _half(state, side)[0], _claim_of(state, side)
    _say(state, "opponent", f"I doubt {name}.")
    lying = state["error"] != 0
    found = lying and side == state["false"]
    state["count"] //= 2
    state["first"] += state["count"] if side == "right" else 0
    state["false"] = None
    state["error"] = state["error"] if found else 0
    if lying and not found:
        state["outcome"] = "escaped"
    elif state["count"] == 1:
        true = state["amounts"][state["first"]]
        state["said"].append(
            ["Judge", f"I have read {name}. The claim is {claim}; it says {true}."]
        )
        state["outcome"] = "caught" if found else "upheld"


def _choices(state: Mapping[str, Any], *, claims: bool) -> tuple[Choice, ...]:
    parts = {side: _half(state, side) for side in SIDES}
    return tuple(
        Choice(side, f"{name}: {_claim_of(state, side) if claims else true}".capitalize())
        for side, (name, true) in parts.items()
    )


def _bill(state: Mapping[str, Any]) -> Boxes:
    """Return the true amounts; a player who is blind sees them at the end only."""
    hidden = state["blind"] and state["role"] == "opponent" and not state["outcome"]
    labels = tuple(f"Line {number}" for number in range(1, len(state["amounts"]) + 1))
    contents = tuple(None if hidden else str(amount) for amount in state["amounts"])
    return Boxes("What the lines really say", labels, contents)
