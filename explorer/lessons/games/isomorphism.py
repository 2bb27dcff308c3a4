"""Graph non-isomorphism with private coins: which of two graphs was shuffled?"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from explorer.lessons.game import (
    Choice,
    Circumstances,
    Edge,
    GraphDrawing,
    HideAndName,
    Role,
    Scene,
    ScriptLine,
    coin,
    on_a_circle,
    shuffled,
)

State = dict[str, Any]
NODES = 6
# A ring of six, and two triangles: every node has two neighbours in both.
RING: tuple[Edge, ...] = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5))
TRIANGLES: tuple[Edge, ...] = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5))
# The ring under other names.
OTHER_RING: tuple[Edge, ...] = ((0, 2), (2, 4), (1, 4), (1, 5), (3, 5), (0, 3))
DIFFERENT, SAME = (RING, TRIANGLES), (RING, OTHER_RING)
ROUNDS = 4


class Isomorphism:
    """The verifier shuffles one of two graphs in secret; the prover says which it was."""

    pair = HideAndName(
        5,
        ("graph 1", "graph 2"),
        "Pick a graph to shuffle. Your partner does not see which.",
        "Both graphs are the same, so the copy says nothing. Which was it?",
        "The graphs are the same. One shuffles a graph, the other bluffs: it says which.",
        {"held": "Named rightly", "failed": "Named wrongly: the bluff is over"},
    )
    title = "Which one did I shuffle?"
    roles = (
        Role("verifier", "I toss the coins"),
        Role("prover", "I am the prover, and the graphs are the same"),
    )
    outcomes: Mapping[str, str] = {
        "convinced": "The prover named the graph every time",
        "caught": "The prover was wrong once",
    }
    settings: Mapping[str, str] = {"isomorphic": "Are the graphs the same? By default a coin."}

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases, which differ only in whether the graphs are the same."""
        left = Fraction(1, 2) ** ROUNDS
        return {
            "same": Circumstances(
                "The graphs were the same, whatever the prover did",
                {"convinced": left, "caught": 1 - left},
            ),
            "different": Circumstances(
                "The graphs were different, and the prover honest",
                {"convinced": Fraction(1), "caught": Fraction(0)},
            ),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return two graphs, the same one twice if the prover has to cheat."""
        same = role == "prover" or bool(settings.get("isomorphic", coin(random)))
        state: State = {"role": role, "same": same, "rounds": [], "coin": None, "copy": None}
        return self._toss(state, random) if role == "prover" else state

    def _toss(self, state: Mapping[str, Any], random: Random) -> State:
        tossed = coin(random)
        edges, _ = shuffled(_graphs(state)[tossed], NODES, random)
        return {**state, "coin": tossed, "copy": [list(edge) for edge in edges]}

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees: as the prover, never the coin of the present round."""
        mine = state["role"] == "verifier"
        said = [ScriptLine("Prover" if mine else "You", "The two graphs are different.")]
        for tossed, guess in state["rounds"]:
            who = "Prover" if mine else "You"
            right = "right" if tossed == guess else f"wrong: it was graph {tossed + 1}"
            said.append(
                ScriptLine(
                    who, f"You shuffled graph {guess + 1}." if mine else f"Graph {guess + 1}."
                )
            )
            said.append(ScriptLine("Coin" if mine else "Verifier", f"That is {right}."))
        drawings = [
            GraphDrawing(f"Graph {n + 1}", edges, on_a_circle(NODES))
            for n, edges in enumerate(_graphs(state))
        ]
        over = _over(state)
        if state["copy"] is not None and not over:
            copy = tuple((a, b) for a, b in state["copy"])
            drawings.append(GraphDrawing("The shuffled copy", copy, on_a_circle(NODES)))
        if over:
            outcome = "caught" if _caught(state) else "convinced"
            truth = "the same graph drawn twice" if state["same"] else "different"
            count = len(state["rounds"])
            end = f"The graphs are {truth}. {self.outcomes[outcome]}."
            if state["same"] and outcome == "convinced":
                end += f" Any prover is as lucky in {count} rounds with chance 1/{2**count}."
            elif state["same"]:
                end += " Any prover is wrong in each round with chance 1/2."
            case = "same" if state["same"] else "different"
            return Scene(tuple(said), tuple(drawings), end, (), outcome, case)
        if mine:
            prompt = f"Round {len(state['rounds']) + 1} of {ROUNDS}. Toss your coin in secret."
            return Scene(
                tuple(said), tuple(drawings), prompt, (Choice("toss", "Toss and shuffle"),)
            )
        choices = (Choice("0", "Graph 1"), Choice("1", "Graph 2"))
        prompt = "The verifier tossed a coin and shuffled one of the graphs. Which?"
        return Scene(tuple(said), tuple(drawings), prompt, choices)

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return a round: the coin, the shuffled copy, and the prover's answer."""
        self.scene(state).check(choice)
        if state["role"] == "verifier":
            tossed = self._toss(state, random)
            # A prover without limits recognises which of two different graphs was copied. If the
            # graphs are the same, the copy does not show it: no rule is better than a coin.
            guess = coin(random) if state["same"] else tossed["coin"]
            return {**tossed, "rounds": [*state["rounds"], [tossed["coin"], guess]]}
        after = {**state, "rounds": [*state["rounds"], [state["coin"], int(choice)]]}
        return after if _over(after) else self._toss(after, random)


GAME = Isomorphism()


def _graphs(state: Mapping[str, Any]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    return SAME if state["same"] else DIFFERENT


def _caught(state: Mapping[str, Any]) -> bool:
    return any(tossed != guess for tossed, guess in state["rounds"])


def _over(state: Mapping[str, Any]) -> bool:
    return _caught(state) or len(state["rounds"]) == ROUNDS
