"""Games of lessons: short games against the machine, or for two people with a phone each.

All chance comes from the given generator, which uses the operating system's source: a prover who
could predict it could cheat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from hashlib import sha256
from random import Random
from typing import Any, Protocol

from explorer.languages import tr
from nip_core.displays import displayed

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Role:
    """A side that a person may take."""

    name: str  # in the address
    label: str  # for people


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """A graph to draw."""

    title: str
    edges: tuple[Edge, ...]
    places: Mapping[int, tuple[float, float]]  # the position of each node: x and y between 0 and 1
    # The nodes in colour 0, 1, 2, ...; each colour has a letter, too.
    colours: Mapping[int, int] = field(default_factory=dict[int, int])
    lit: tuple[int, ...] = ()  # the nodes to emphasise
    # The nodes (or edges, "a-b") that can be clicked, and the choice that this makes.
    choices: Mapping[str, str] = field(default_factory=dict[str, str])


@displayed
@dataclass(frozen=True, slots=True)
class Boxes:
    """Sealed and opened boxes (commitments): ``None`` is sealed."""

    title: str
    labels: tuple[str, ...]
    contents: tuple[str | None, ...]


Drawing = GraphDrawing | Boxes


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One line of the conversation so far, with its speaker ("You", "Merlin", ...)."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that the person may make now."""

    name: str
    label: str


@displayed
@dataclass(frozen=True, slots=True)
class Circumstances:
    """Circumstances of a play, for each of which a class's results are counted and compared."""

    label: str  # for people: the circumstances, and on what condition the chances hold
    # The possible outcomes with their probabilities; None if they depend on how people play.
    chances: Mapping[str, Fraction | None]


@displayed
@dataclass(frozen=True, slots=True)
class Scene:
    """What the person at a seat sees and may do now. Nothing else of the game is sent to them."""

    said: tuple[ScriptLine, ...]
    drawings: tuple[Drawing, ...]
    prompt: str  # the instruction for the person, or the end of the game
    choices: tuple[Choice, ...] = ()  # empty when the game is over
    # At the end, the game's outcome, and the case in which it occurred.
    outcome: str | None = None
    case: str | None = None

    @property
    def options(self) -> frozenset[str]:
        """All choices that the person has now, by button or in a drawing."""
        graphs = (drawing for drawing in self.drawings if isinstance(drawing, GraphDrawing))
        drawn = (choice for graph in graphs for choice in graph.choices.values())
        return frozenset(drawn) | {choice.name for choice in self.choices}

    def check(self, choice: str) -> None:
        """Raise a ValueError if there is no such choice now."""
        if choice not in self.options:
            raise ValueError(f"There is no choice {choice!r} now.")


class LessonGame(Protocol):
    """A game. Its states are plain JSON documents, which a page can keep when it is reloaded."""

    title: str
    roles: tuple[Role, ...]
    outcomes: Mapping[str, str]  # the possible ends of the game, with their names for people
    settings: Mapping[str, str]  # the settings that a lesson's file may use, with descriptions

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases of games with these settings."""
        ...

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> dict[str, Any]:
        """Return a new game, as a state."""
        ...

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees of a state."""
        ...

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> dict[str, Any]:
        """Return the state after a choice and the machine's answer.

        Raise a ValueError if there is no such choice.
        """
        ...


@displayed
@dataclass(frozen=True, slots=True)
class PairRound:
    """A round of two players."""

    asked: tuple[int, int]  # the question of each
    answers: tuple[int | None, int | None]  # the answer of each; None until it is given
    by_people: bool = True  # whether both were people
    bots: tuple[bool, bool] = (False, False)  # for each, whether a bot answered

    @property
    def complete(self) -> bool:
        """Whether both have answered."""
        return None not in self.answers


@displayed
@dataclass(frozen=True, slots=True)
class PairPosition:
    """What one of the two may know of their game. Their scene is made from this only."""

    partner: str  # the other player's name
    bot: bool  # whether a bot answers for the other player
    wall: bool
    # The player's questions and answers in this game's successful rounds, and whether a bot
    # answered.
    passed: tuple[tuple[int, int, bool], ...]
    asked: int  # the player's question
    other: int | None  # the other player's question, if there is no wall
    answer: int | None  # the player's answer, while the other one has not answered
    before: tuple[PairRound, ...]  # the last finished game, in full, since it is no longer secret


class PairGame(Protocol):
    """A game for two, in rounds in which each player answers a question of their own."""

    rounds: int  # the number of successful rounds that win a game
    # The ends of a round, `held` and `failed`, with their names for people.
    outcomes: Mapping[str, str]
    # The names of both phases: without and with a wall, or whatever the facilitator changes.
    phases: tuple[str, str]
    change: str  # the label of the button that starts the second phase
    endings: Mapping[str, str]  # the ends of whole games, with their names for people

    def circumstances(self, *, wall: bool) -> Circumstances:
        """Return the circumstances with or without a wall, with the probabilities for best play."""
        ...

    def question(self, random: Random) -> tuple[int, int]:
        """Return the questions of both players."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """Return the possible answers, whose names are whole numbers."""
        ...

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Return whether the verifier accepts the answers."""
        ...

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """Return a bot's answer, which follows the plan."""
        ...

    def scene(self, sight: PairPosition) -> Scene:
        """Return what the person sees."""
        ...

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """Return what the person sees before the first question."""
        ...


def sums_of(outcomes: Mapping[str, str], ended: Sequence[str]) -> str:
    """Return the number of a person's games by their end, as a sentence; empty without games."""
    found = [
        f"{tr(text)}: {list(ended).count(name)}" for name, text in outcomes.items() if name in ended
    ]
    return tr("So far ({n} played): {sums}.", n=len(ended), sums=", ".join(found)) if ended else ""


def drawings_data(drawings: Iterable[Drawing]) -> list[dict[str, Any]]:
    """Return drawings as plain data for ``explorer/front/graphs.js``."""
    return [
        {"kind": "boxes" if isinstance(each, Boxes) else "graph", **asdict(each)}
        for each in drawings
    ]


# -- parts of games -------------------------------------------------------------------


def coin(random: Random) -> int:
    """Return a fair coin: 0 or 1."""
    return random.getrandbits(1)


def shuffled(
    edges: Iterable[Edge], nodes: int, random: Random
) -> tuple[tuple[Edge, ...], list[int]]:
    """Return a copy of a graph under uniformly random new names, and each node's new name."""
    names = list(range(nodes))
    random.shuffle(names)
    renamed = (sorted((names[a], names[b])) for a, b in edges)
    return tuple(sorted((a, b) for a, b in renamed)), names


def commit(value: str, random: Random) -> tuple[str, str]:
    """Return a commitment to a value: the public digest that seals it, and the key that opens it.

    It hides and binds if the hash is one-way and free of collisions. The lessons' statements about
    zero knowledge are about ideal boxes, which do so without this condition.
    """
    salt = f"{random.getrandbits(128):032x}"
    return _seal(value, salt), salt


def opens(seal: str, value: str, salt: str) -> bool:
    """Return whether this is the value that was sealed."""
    return _seal(value, salt) == seal


def _seal(value: str, salt: str) -> str:
    return sha256(f"{salt}/{value}".encode()).hexdigest()


def vertex_question(nodes: int, random: Random) -> Edge:
    """Return a random ordered pair of vertices, uniformly among all ``nodes ** 2``."""
    return random.randrange(nodes), random.randrange(nodes)


def on_a_circle(nodes: int) -> Mapping[int, tuple[float, float]]:
    """Return the positions of a graph's nodes on a circle."""
    angles = (2 * math.pi * n / nodes - math.pi / 2 for n in range(nodes))
    return {n: (0.5 + 0.46 * math.cos(a), 0.5 + 0.46 * math.sin(a)) for n, a in enumerate(angles)}


@dataclass(frozen=True, slots=True)
class HideAndName:
    """A game for two: one picks a thing in secret, and the other has to name it without a clue.

    First both choose freely, then chance chooses for one of them: people's habits can be learnt,
    random choices cannot.
    """

    rounds: int  # the number of right names in a row that win a game
    things: tuple[str, ...]
    # The instruction for each side.
    hides: str
    names: str
    claim: str  # the text for both before they begin
    outcomes: Mapping[str, str]
    chance: str = "coin"  # or "die"
    drawn: int = 0  # the player for whom it chooses: 0 hides, 1 names

    @property
    def phases(self) -> tuple[str, str]:
        """Return the names of the phases before and after chance chooses."""
        die = tr("Chosen by a die")
        return tr("Chosen freely"), tr("Chosen by a coin") if self.chance == "coin" else die

    @property
    def change(self) -> str:
        """Return the label of the button."""
        return f"Let {'coins' if self.chance == 'coin' else 'dice'} choose"

    @property
    def endings(self) -> Mapping[str, str]:
        """Return the ends of whole games."""
        if self.rounds == 1:
            return self.outcomes
        held = tr("Named rightly {n} times in a row", n=self.rounds)
        return {"held": held, "failed": tr("Named wrongly before that")}

    def circumstances(self, *, wall: bool) -> Circumstances:
        """Return the circumstances; probabilities of free choices are unknown."""
        if not wall:
            return Circumstances(tr("Both chose freely"), {"held": None, "failed": None})
        coin = tr("A coin chose, in secret")
        label = coin if self.chance == "coin" else tr("A die chose, in secret")
        held = Fraction(1, len(self.things))
        return Circumstances(label, {"held": held, "failed": 1 - held})

    def question(self, random: Random) -> tuple[int, int]:
        """Return chance's choices for the one who hides and, counted on, for the one who names."""
        count = len(self.things)
        return random.randrange(count), count + random.randrange(count)

    def choices(self) -> tuple[Choice, ...]:
        """Return all things."""
        return tuple(Choice(str(n), tr(name)) for n, name in enumerate(self.things))

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Return whether the right thing was named."""
        del asked
        return answers[0] == answers[1]

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """Return the random choice of this seat."""
        del wall
        return asked[seat] % len(self.things)

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """Return what both see before the first round."""
        del bot
        coin = self.chance == "coin"
        if not wall:
            hides, names = (
                tr("One of you hides: it chooses freely."),
                tr("One of you names: it chooses freely."),
            )
        elif coin:
            hides = tr("One of you hides: a coin on its phone chooses.")
            names = tr("One of you names: a coin on its phone chooses.")
        else:
            hides = tr("One of you hides: a die on its phone chooses.")
            names = tr("One of you names: a die on its phone chooses.")
        who = tr("You and {partner}", partner=partner)
        said = ScriptLine(who, f"{tr(self.claim)} {(hides, names)[self.drawn]}")
        return Scene((said,), (), tr("Do not show your phone, and do not talk."))

    def scene(self, sight: PairPosition) -> Scene:
        """Return a player's own side; the other's choice stays hidden until the round is over."""
        said = [
            ScriptLine(
                tr("Round {n}", n=number), f"{self._thing(answer)}. {tr(self.outcomes['held'])}."
            )
            for number, (_, answer, _) in enumerate(sight.passed, start=1)
        ]
        if sight.before:
            said.insert(0, ScriptLine(tr("Last game"), self._ended(sight.before[-1])))
        if sight.answer is not None:
            prompt = tr(
                "You took {thing}. Waiting for {partner}.",
                thing=self._thing(sight.answer),
                partner=sight.partner,
            )
            return Scene(tuple(said), (), prompt)
        number = tr("Round {n} of {all}.", n=len(sight.passed) + 1, all=self.rounds)
        round_of = f"{number} " if self.rounds > 1 else ""
        seat, says = divmod(sight.asked, len(self.things))
        prompt = f"{round_of}{tr((self.hides, self.names)[seat])}"
        if not sight.wall or seat != self.drawn:
            return Scene(tuple(said), (), prompt, self.choices())
        thing = self._thing(says)
        coin = tr("The coin says: {thing}.", thing=thing)
        prompt += f" {coin if self.chance == 'coin' else tr('The die says: {thing}.', thing=thing)}"
        return Scene(tuple(said), (), prompt, (self.choices()[says],))

    def _thing(self, number: int) -> str:
        return tr(self.things[number])

    def _ended(self, last: PairRound) -> str:
        hidden, named = (self._thing(answer) for answer in last.answers if answer is not None)
        how = tr(self.outcomes["held" if hidden == named else "failed"])
        return tr(
            "hidden: {hidden}; named: {named}. {how}. A new game has begun.",
            hidden=hidden,
            named=named,
            how=how,
        )
