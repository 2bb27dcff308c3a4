"""The zero-knowledge game: open one edge of a coloured graph, and learn nothing but that."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from explorer.lessons.game import (
    Choice,
    Circumstances,
    Edge,
    GraphDrawing,
    Role,
    Scene,
    ScriptLine,
    coin,
    commit,
    on_a_circle,
    opens,
)

State = dict[str, Any]
NODES = 6
EDGES: tuple[Edge, ...] = (
    *((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)),
    *((0, 2), (2, 4), (1, 3)),
)
COLOURING = (0, 1, 2, 0, 1, 2)


def _wrong(colours: tuple[int, ...]) -> list[Edge]:
    """Return the edges with equal ends."""
    return [(a, b) for a, b in EDGES if colours[a] == colours[b]]


# The sealed colours of a cheat without a colouring: for each edge, colours that are wrong only
# there. The cheat picks the edge anew in every round, so no choice of the verifier is better than
# another.
CHEATS: Mapping[Edge, tuple[int, ...]] = {
    wrong[0]: colours
    for colours in product(range(3), repeat=NODES)
    if len(wrong := _wrong(colours)) == 1
}
CHEAT_SURVIVES = 1 - Fraction(1, len(EDGES))  # a round
ROUNDS = 6


class ThreeColouring:
    """The prover seals a re-shuffled colouring; the verifier opens one edge."""

    title = "Open one edge"
    roles = (Role("verifier", "I open edges"), Role("cheat", "I cheat: one edge is wrong"))
    outcomes: Mapping[str, str] = {
        "survived": f"Nothing wrong was seen in {ROUNDS} rounds",
        "caught": "The cheat was caught",
    }
    settings: Mapping[str, str] = {"cheat": "Does the prover cheat? By default a coin."}

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases: an honest prover or not, edges opened at random or by the person."""
        left = CHEAT_SURVIVES**ROUNDS
        chances = {"survived": left, "caught": 1 - left}
        return {
            "honest": Circumstances(
                "The prover had a true colouring",
                {"survived": Fraction(1), "caught": Fraction(0)},
            ),
            "cheat by chance": Circumstances("A cheat, and chance opened every edge", chances),
            "cheat by choice": Circumstances("A cheat, and somebody chose edges", chances),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return a game with an honest prover or a cheat, at random unless the settings say."""
        cheats = role == "cheat" or bool(settings.get("cheat", coin(random)))
        return self._seal({"role": role, "cheats": cheats, "by_chance": True, "opened": []}, random)

    def _seal(self, state: Mapping[str, Any], random: Random) -> State:
        colours = [0, 1, 2]
        random.shuffle(colours)
        plain = CHEATS[random.choice(EDGES)] if state["cheats"] else COLOURING
        values = [str(colours[colour]) for colour in plain]
        sealed = [(*commit(value, random), value) for value in values]
        return {**state, "boxes": [[seal, value, salt] for seal, salt, value in sealed]}

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees: sealed colours, and the two that were opened last."""
        said = [
            ScriptLine(f"Round {number}", f"edge {a}-{b}: {'ABC'[x]} and {'ABC'[y]}")
            for number, (a, b, x, y) in enumerate(state["opened"], start=1)
        ]
        cheat = state["role"] == "cheat"
        last = state["opened"][-1] if state["opened"] else None
        shown = {last[0]: last[2], last[1]: last[3]} if last else {}
        if cheat:
            shown = {node: int(box[1]) for node, box in enumerate(state["boxes"])}
        over = _over(state)
        edges = {} if over or cheat else {f"{a}-{b}": f"{a}-{b}" for a, b in EDGES}
        title = "Your colours, sealed for the verifier" if cheat else "Sealed colours"
        drawing = GraphDrawing(title, EDGES, on_a_circle(NODES), shown, (), edges)
        if over:
            outcome = "caught" if _caught(state) else "survived"
            who = "had no colouring" if state["cheats"] else "had a true colouring"
            end = f"The prover {who}. {self.outcomes[outcome]}."
            if state["cheats"]:
                end += f" Each round catches this cheat with chance 1/{len(EDGES)}."
            how = "chance" if state["by_chance"] else "choice"
            case = f"cheat by {how}" if state["cheats"] else "honest"
            return Scene(tuple(said), (drawing,), end, (), outcome, case)
        number = f"Round {len(state['opened']) + 1} of {ROUNDS}."
        if cheat:
            a, b = _wrong(tuple(int(box[1]) for box in state["boxes"]))[0]
            prompt = (
                f"{number} Edge {a}-{b} has equal ends. Let the verifier open an edge by chance."
            )
            return Scene(tuple(said), (drawing,), prompt, (Choice("chance", "Go on"),))
        prompt = f"{number} Click an edge to open its two ends, or let chance choose."
        return Scene(tuple(said), (drawing,), prompt, (Choice("chance", "Any edge"),))

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Open an edge; then everything is coloured and sealed anew."""
        self.scene(state).check(choice)
        drawn = {f"{a}-{b}": (a, b) for a, b in EDGES}
        edge = random.choice(EDGES) if choice == "chance" else drawn[choice]
        seen: list[int] = list(edge)
        for node in edge:
            seal, value, salt = state["boxes"][node]
            assert opens(seal, value, salt)
            seen.append(int(value))
        by_chance = state["by_chance"] and choice == "chance"
        after = {**state, "by_chance": by_chance, "opened": [*state["opened"], seen]}
        return after if _over(after) else self._seal(after, random)


GAME = ThreeColouring()


def _caught(state: Mapping[str, Any]) -> bool:
    return any(x == y for _, _, x, y in state["opened"])


def _over(state: Mapping[str, Any]) -> bool:
    return _caught(state) or len(state["opened"]) == ROUNDS
