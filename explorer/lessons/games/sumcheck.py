r"""Two rounds of the sum-check protocol by hand: ask at a point that the liar does not expect.

The prover claims the sum of a polynomial `g` over a small prime field, over all corners of a cube.
In each round it sends a claimed curve :math:`s_i(X)`, the sum with one more coordinate left open.
The verifier checks that :math:`s_i(0) + s_i(1)` is the previous claim, and picks a point `r`; the
new claim is :math:`s_i(r)`. At the end, the verifier computes one value of `g` itself.

If a claim is off by `e` (mod `p`), not 0, the curve differs from the true one by a polynomial
:math:`\delta` of degree at most `d` with :math:`\delta(0) + \delta(1) = e`, which has at most `d`
roots. If `r` is one of them, the liar is saved: all further claims are true.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
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


def evaluate(curve: Sequence[int], x: int, prime: int) -> int:
    """Return the value of a polynomial, its coefficients from the constant on."""
    value = 0
    for coefficient in reversed(curve):
        value = (value * x + coefficient) % prime
    return value


def is_possible(roots: Sequence[int], prime: int) -> bool:
    """Return whether a false curve can meet the true one in exactly these points."""
    shape = _monic(roots, prime)
    return (evaluate(shape, 0, prime) + evaluate(shape, 1, prime)) % prime != 0


def difference(error: int, roots: Sequence[int], prime: int) -> list[int]:
    """Return the false curve minus the true one, for a claim that is off by `error`, not 0.

    The two curves meet at the `roots`, for which this :func:`is_possible`.
    """
    shape = _monic(roots, prime)
    total = evaluate(shape, 0, prime) + evaluate(shape, 1, prime)
    scale = error * pow(total, -1, prime) % prime
    return [coefficient * scale % prime for coefficient in shape]


def success(prime: int, degree: int, rounds: int) -> Fraction:
    """Return the probability that the best liar is believed, if it cannot foresee the points.

    In each round it is saved with probability `degree` / `prime`, since a curve with the roots 0,
    2, 3, ... but not 1 always exists.
    """
    roots = min(degree, prime - 1)
    return 1 - (1 - Fraction(roots, prime)) ** rounds


def _monic(roots: Sequence[int], prime: int) -> list[int]:
    """Return the coefficients of the product of all (x - root)."""
    shape = [1]
    for root in roots:
        shifted = [0, *shape]
        lowered = [-root * coefficient for coefficient in shape] + [0]
        shape = [(a + b) % prime for a, b in zip(shifted, lowered, strict=True)]
    return shape


State = dict[str, Any]
ROUNDS, DEGREE = 2, 2
PRIMES = (5, 7, 11, 13, 17, 19, 23)
DIE = "die"
WHO = {"verifier": ("You", "Prover"), "liar": ("Verifier", "You")}


class SumCheck:
    """The prover claims the sum of a polynomial over four corners; every claim leads to another."""

    # One round of degree 1: two lines meet in one point.
    pair = HideAndName(
        1,
        tuple(map(str, range(11))),
        "You lie, so your line is not the true one. At which point shall the two meet?",
        "At which point do you ask about the line?",
        "One lies about a line and chooses the point where it meets the true one, 0 to 10. The "
        "other names a point: only there is the lie believed.",
        {"held": "Asked where the lines meet: the lie is believed", "failed": "The liar is caught"},
        chance="die",
        drawn=1,
    )
    title = "Where will you ask?"
    roles = (Role("verifier", "Verifier"), Role("liar", "Lying prover"))
    outcomes: Mapping[str, str] = {
        "caught": "The liar was caught",
        "fooled": "The liar was believed",
        "honest": "An honest prover was believed",
    }
    settings: Mapping[str, str] = {
        "prime": f"How many points there are: {', '.join(map(str, PRIMES))} (11).",
        "lie": "Does the prover lie? By default a coin, if you are the verifier.",
        "known": "Is a point announced before the curve is drawn? By default not.",
    }

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return an honest prover, a lying machine, and a lying person."""
        known = bool(settings.get("known"))
        left = Fraction(1) if known else success(settings.get("prime", 11), DEGREE, ROUNDS)
        chances = {"fooled": left, "caught": 1 - left}
        you = "; the chances are those of using the point" if known else ""
        return {
            "honest": Circumstances("The claim was true", {"honest": Fraction(1)}),
            "verifier": Circumstances("The machine lied; the chances are those of a die", chances),
            "liar": Circumstances(f"You lied{you}", chances),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return a random polynomial, and a claim about it that is true or not."""
        prime = settings.get("prime", 11)
        if prime not in PRIMES:
            raise ValueError(f"`prime` is {prime!r}; it is one of {', '.join(map(str, PRIMES))}.")
        grid = [[random.randrange(prime) for _ in range(3)] for _ in range(3)]
        lying = role == "liar" or bool(settings.get("lie", random.random() < 0.5))
        state: State = {
            "role": role,
            "prime": prime,
            "known": bool(settings.get("known", False)),
            "grid": grid,
            "claim": 0,
            "points": [],
            "curves": [],
            "bet": [],
            "announced": None,
            "said": [],
            "lied": False,
            "outcome": None,
        }
        total = _corner_sum(_true_curve(state), prime)
        state["claim"] = (total + (random.randrange(1, prime) if lying else 0)) % prime
        _say(state, 1, f"The sum over the four corners is {state['claim']} (mod {prime}).")
        _open_round(state, random)
        return state

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees of a state."""
        said = tuple(ScriptLine(who, text) for who, text in state["said"])
        curves = _boxes(state)
        if state["outcome"]:
            end = f"{self.outcomes[state['outcome']]}."
            case = "honest" if state["outcome"] == "honest" else state["role"]
            return Scene(said, curves, end, (), state["outcome"], case)
        prompt, choices = (_ask if state["role"] == "verifier" else _bet)(state)
        return Scene(said, curves, prompt, choices)

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return the state after a choice, the machine's answer included."""
        self.scene(state).check(choice)
        new: State = copy.deepcopy(dict(state))
        if new["role"] == "verifier":
            point = random.randrange(new["prime"]) if choice == DIE else int(choice)
            if new["known"]:
                new["announced"] = point
                _say(new, 0, f"I am going to ask at {point}.")
                _draw(new, _machine_bet(new, random))
            _answer(new, point)
        else:
            new["bet"].append(int(choice))
            if len(new["bet"]) < 2:
                return new
            _draw(new, new["bet"])
            point = new["announced"] if new["known"] else random.randrange(new["prime"])
            _answer(new, point)
        if not new["outcome"]:
            _open_round(new, random)
        return new


GAME = SumCheck()


def _say(state: State, speaker: int, text: str) -> None:
    state["said"].append([WHO[state["role"]][speaker], text])


def _true_curve(state: Mapping[str, Any]) -> list[int]:
    """Return the honest curve of this round, from the constant on."""
    grid, prime = state["grid"], state["prime"]
    if not state["points"]:
        return [(row[0] + sum(row)) % prime for row in grid]
    point = state["points"][0]
    return [evaluate([row[power] for row in grid], point, prime) for power in range(3)]


def _corner_sum(curve: list[int], prime: int) -> int:
    return (evaluate(curve, 0, prime) + evaluate(curve, 1, prime)) % prime


def _error(state: Mapping[str, Any]) -> int:
    return (state["claim"] - _corner_sum(_true_curve(state), state["prime"])) % state["prime"]


def _open_round(state: State, random: Random) -> None:
    """Return the state before the person's choice: with a curve, or the verifier's point."""
    state["announced"], state["bet"] = None, []
    if state["role"] == "verifier" and not state["known"]:
        _draw(state, _machine_bet(state, random))
    elif state["role"] == "liar" and state["known"]:
        state["announced"] = random.randrange(state["prime"])
        _say(state, 0, f"I am going to ask at {state['announced']}.")


def _machine_bet(state: Mapping[str, Any], random: Random) -> list[int]:
    """Return two points at which the liar's curve is right, one of them the announced one."""
    sure = [] if state["announced"] is None else [state["announced"]]
    while True:
        others = random.sample([p for p in range(state["prime"]) if p not in sure], 2 - len(sure))
        if is_possible([*sure, *others], state["prime"]):
            return [*sure, *others]


def _draw(state: State, bet: list[int]) -> None:
    """Send a curve: the true one, or one that carries the claim's error."""
    prime, curve, error = state["prime"], _true_curve(state), _error(state)
    if error:
        off = difference(error, bet, prime)
        curve = [(a + b) % prime for a, b in zip(curve, off, strict=True)]
    state["curves"].append(curve)
    at_0, at_1 = evaluate(curve, 0, prime), evaluate(curve, 1, prime)
    _say(
        state,
        1,
        f"Here is my curve. At 0 it is {at_0}, at 1 it is {at_1}; "
        f"together {state['claim']} (mod {prime}), as I claimed.",
    )


def _answer(state: State, point: int) -> None:
    """Ask at a point; after the last round, compare the claim with the value of the polynomial."""
    prime, honest = state["prime"], _true_curve(state)
    state["claim"] = evaluate(state["curves"][-1], point, prime)
    lied = state["curves"][-1] != honest
    saved = lied and evaluate(honest, point, prime) == state["claim"]
    state["lied"] |= lied
    _say(state, 0, f"I ask at {point}. There your curve is {state['claim']}.")
    state["points"].append(point)
    if saved and state["role"] == "liar":
        _say(state, 1, "There my curve is true! From now on I need not lie.")
        state["outcome"] = "fooled"
    elif len(state["points"]) == ROUNDS:
        value = evaluate(honest, point, prime)
        fits = value == state["claim"]
        _say(state, 0, f"I have worked out this one value myself: {value}. It ")
        state["said"][-1][1] += "fits: I accept." if fits else "does not fit: I reject."
        state["outcome"] = ("fooled" if state["lied"] else "honest") if fits else "caught"


def _ask(state: Mapping[str, Any]) -> tuple[str, tuple[Choice, ...]]:
    points = tuple(Choice(str(p), str(p)) for p in range(state["prime"]))
    prompt = f"Round {len(state['points']) + 1} of {ROUNDS}. Where do you ask?"
    if state["known"]:
        prompt += " Say so before the curve is drawn."
    return prompt, (Choice(DIE, "Roll a die"), *points)


def _bet(state: Mapping[str, Any]) -> tuple[str, tuple[Choice, ...]]:
    chosen, prime = state["bet"], state["prime"]
    free = [p for p in range(prime) if p not in chosen]
    possible = [p for p in free if not chosen or is_possible([*chosen, p], prime)]
    prompt = (
        f"Round {len(state['points']) + 1} of {ROUNDS}. Your claim is false, so your curve must be "
        "false; but it may meet the true one in two points. "
        + (f"One is {chosen[0]}. Choose the other." if chosen else "Choose the first.")
    )
    return prompt, tuple(Choice(str(p), str(p)) for p in possible)


def _boxes(state: Mapping[str, Any]) -> tuple[Boxes, ...]:
    """Return the values of each curve that was sent."""
    prime = state["prime"]
    labels = tuple(str(point) for point in range(prime))
    return tuple(
        Boxes(
            f"Curve of round {number}",
            labels,
            tuple(str(evaluate(curve, point, prime)) for point in range(prime)),
        )
        for number, curve in enumerate(state["curves"], start=1)
    )
