"""Games of lessons: a few moves against the machine, or for two people who each hold a phone.

All chance comes from the generator that is handed in, which a game takes from the machine's own
source: a prover who could foresee it could cheat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from hashlib import sha256
from random import Random
from typing import Any, Protocol

from nip_core.displays import displayed

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Role:
    """A side that a person may take: ``name`` in the address, ``label`` for people."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """A graph to draw.

    Parameters
    ----------
    title : str
    edges : tuple of pairs of int
    places : mapping
        Where each node stands: x and y between 0 and 1.
    colours : mapping
        Which nodes are painted in colour 0, 1, 2...; each colour has its letter too.
    lit : tuple of int
        The nodes to draw the eye to.
    choices : mapping
        The nodes (or edges, ``"a-b"``) that can be clicked, and the choice that this makes.
    """

    title: str
    edges: tuple[Edge, ...]
    places: Mapping[int, tuple[float, float]]
    colours: Mapping[int, int] = field(default_factory=dict[int, int])
    lit: tuple[int, ...] = ()
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
    """One line of what was said so far, and by whom ("You", "Merlin", ...)."""

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
    """Circumstances of a play. A class counts the plays of each apart, beside what theory says.

    Parameters
    ----------
    label : str
        For people: the circumstances, and on what condition the chances hold.
    chances : mapping
        The outcomes that can come, each with its chance; None where it depends on how people play.
    """

    label: str
    chances: Mapping[str, Fraction | None]


@displayed
@dataclass(frozen=True, slots=True)
class Scene:
    """What the person at a seat sees now, and may do. Nothing else of the game reaches them.

    Parameters
    ----------
    said : tuple of Line
    drawings : tuple of GraphDrawing or Boxes
    prompt : str
        What is asked of the person now, or how the game ended.
    choices : tuple of Choice
        Empty when the game is over.
    outcome, case : str, optional
        At the end, one of the game's outcomes, and in which of its cases it came.
    """

    said: tuple[ScriptLine, ...]
    drawings: tuple[Drawing, ...]
    prompt: str
    choices: tuple[Choice, ...] = ()
    outcome: str | None = None
    case: str | None = None

    @property
    def options(self) -> frozenset[str]:
        """All that the person may choose now, by button or in a drawing."""
        graphs = (drawing for drawing in self.drawings if isinstance(drawing, GraphDrawing))
        drawn = (choice for graph in graphs for choice in graph.choices.values())
        return frozenset(drawn) | {choice.name for choice in self.choices}

    def check(self, choice: str) -> None:
        """Raise a ValueError if there is no such choice now."""
        if choice not in self.options:
            raise ValueError(f"There is no choice {choice!r} now.")


class LessonGame(Protocol):
    """A game. States are plain documents (JSON), so that a page can keep one over a reload.

    Attributes
    ----------
    title : str
    roles : tuple of Role
    outcomes : mapping
        Each way the game can end, and what it is called for people.
    settings : mapping
        What a lesson's file may set up, and what that does.
    """

    title: str
    roles: tuple[Role, ...]
    outcomes: Mapping[str, str]
    settings: Mapping[str, str]

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
        """The state after a choice, the machine's answer included; ValueError for no such one."""
        ...


@displayed
@dataclass(frozen=True, slots=True)
class PairRound:
    """A round of two players.

    Parameters
    ----------
    asked : (int, int)
        The question of each.
    answers : (int or None, int or None)
        What each has said; None until then.
    by_people : bool
        Did no bot take part?
    bots : (bool, bool)
        Did a bot answer in the place of each?
    """

    asked: tuple[int, int]
    answers: tuple[int | None, int | None]
    by_people: bool = True
    bots: tuple[bool, bool] = (False, False)

    @property
    def complete(self) -> bool:
        """Have both answered?"""
        return None not in self.answers


@displayed
@dataclass(frozen=True, slots=True)
class PairPosition:
    """What one of the two may know of their game. A scene is made of this and nothing else.

    Parameters
    ----------
    partner : str
        What the other one is called.
    bot : bool
        Does a bot answer for the other one?
    wall : bool
    passed : tuple of (int, int, bool)
        The own questions and answers of this game's rounds that held, and whether a bot answered.
    asked, other : int, optional
        The question now; the other one's, where there is no wall.
    answer : int, optional
        What was answered to it, while the other one has not.
    before : tuple of PairRound
        The whole game that ended last; over, it is no secret any more.
    """

    partner: str
    bot: bool
    wall: bool
    passed: tuple[tuple[int, int, bool], ...]
    asked: int
    other: int | None
    answer: int | None
    before: tuple[PairRound, ...]


class PairGame(Protocol):
    """A game for two, of rounds in which each answers an own question.

    Attributes
    ----------
    rounds : int
        After so many rounds that held, a game is survived.
    outcomes : mapping
        How a round can end, and what that is called for people: ``held`` and ``failed``.
    phases : (str, str)
        What it is called without and with a wall, or whatever the facilitator changes half-way.
    change : str
        What the button says that changes it.
    endings : mapping
        The same as `outcomes`, of whole games.
    """

    rounds: int
    outcomes: Mapping[str, str]
    phases: tuple[str, str]
    change: str
    endings: Mapping[str, str]

    def circumstances(self, *, wall: bool) -> Circumstances:
        """With a wall or without: for people, and the chances of a round for the best players."""
        ...

    def question(self, random: Random) -> tuple[int, int]:
        """Return what both are asked."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """Return what can be answered; the names are whole numbers."""
        ...

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Is the verifier content?"""
        ...

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """Return what a bot answers that keeps to the plan."""
        ...

    def scene(self, sight: PairPosition) -> Scene:
        """Return what the person sees."""
        ...

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """Return what the person sees before the first question."""
        ...


def sums_of(outcomes: Mapping[str, str], ended: Sequence[str]) -> str:
    """Return how often a person's games ended in each way, as a sentence; empty if none did."""
    found = [
        f"{text}: {list(ended).count(name)}" for name, text in outcomes.items() if name in ended
    ]
    return f"So far ({len(ended)} played): {', '.join(found)}." if ended else ""


def drawings_data(drawings: Iterable[Drawing]) -> list[dict[str, Any]]:
    """Return drawings as plain data for ``explorer/front/graphs.js``."""
    return [
        {"kind": "boxes" if isinstance(each, Boxes) else "graph", **asdict(each)}
        for each in drawings
    ]


# -- what games are played with -------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class SealedValue:
    """A sealed value: what is shown of it, and what opens it.

    Hiding and binding rest on the hash being one-way and free of collisions; the lessons'
    statements about zero knowledge are about ideal boxes, which are both without conditions.
    """

    seal: str
    value: str
    salt: str


def commit(value: str, random: Random) -> SealedValue:
    """Seal a value."""
    salt = f"{random.getrandbits(128):032x}"
    return SealedValue(_seal(value, salt), value, salt)


def opens(seal: str, value: str, salt: str) -> bool:
    """Is this what was sealed?"""
    return _seal(value, salt) == seal


def _seal(value: str, salt: str) -> str:
    return sha256(f"{salt}/{value}".encode()).hexdigest()


def vertex_question(nodes: int, random: Random) -> Edge:
    """Return an ordered pair of vertices, all ``nodes ** 2`` pairs with the same chance."""
    return random.randrange(nodes), random.randrange(nodes)


def on_a_circle(nodes: int) -> Mapping[int, tuple[float, float]]:
    """Return where to draw the nodes of a graph."""
    angles = (2 * math.pi * n / nodes - math.pi / 2 for n in range(nodes))
    return {n: (0.5 + 0.46 * math.cos(a), 0.5 + 0.46 * math.sin(a)) for n, a in enumerate(angles)}


@dataclass(frozen=True, slots=True)
class HideAndName:
    """A game for two: one takes one of some things in secret, the other names it without a clue.

    First both choose freely, then chance does it for one of them: habits can be learnt, coins
    cannot.

    Parameters
    ----------
    rounds : int
        So many right names in a row are a game.
    things : tuple of str
    hides, names : str
        What either side is asked to do.
    claim : str
        What both are told before they begin.
    outcomes : mapping
    chance : str
        A coin, or a die.
    drawn : int
        For whom it chooses: 0 for the one who hides, 1 for the one who names.
    """

    rounds: int
    things: tuple[str, ...]
    hides: str
    names: str
    claim: str
    outcomes: Mapping[str, str]
    chance: str = "coin"
    drawn: int = 0

    @property
    def phases(self) -> tuple[str, str]:
        """Return what the game is called before and after chance chooses."""
        return "Chosen freely", f"Chosen by a {self.chance}"

    @property
    def change(self) -> str:
        """Return what the button says."""
        return f"Let {'coins' if self.chance == 'coin' else 'dice'} choose"

    @property
    def endings(self) -> Mapping[str, str]:
        """Return how whole games can end."""
        if self.rounds == 1:
            return self.outcomes
        held = f"Named rightly {self.rounds} times in a row"
        return {"held": held, "failed": "Named wrongly before that"}

    def circumstances(self, *, wall: bool) -> Circumstances:
        """Chance makes all things alike, whatever the other takes; free choices depend on both."""
        label = f"A {self.chance} chose, in secret" if wall else "Both chose freely"
        if not wall:
            return Circumstances(label, {"held": None, "failed": None})
        held = Fraction(1, len(self.things))
        return Circumstances(label, {"held": held, "failed": 1 - held})

    def question(self, random: Random) -> tuple[int, int]:
        """Return what chance says to the one who hides, and to the one who names, counted on."""
        count = len(self.things)
        return random.randrange(count), count + random.randrange(count)

    def choices(self) -> tuple[Choice, ...]:
        """Return all things."""
        return tuple(Choice(str(n), name) for n, name in enumerate(self.things))

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Was it named rightly?"""
        del asked
        return answers[0] == answers[1]

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """Return what the coin of this seat says."""
        del wall
        return asked[seat] % len(self.things)

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """What both know before the first round."""
        del bot
        how = f"a {self.chance} on its phone chooses" if wall else "it chooses freely"
        who = ("hides", "names")[self.drawn]
        said = ScriptLine(f"You and {partner}", f"{self.claim} One of you {who}: {how}.")
        return Scene((said,), (), "Do not show your phone, and do not talk.")

    def scene(self, sight: PairPosition) -> Scene:
        """Return the own side; neither learns the other's choice before the round is over."""
        said = [
            ScriptLine(f"Round {number}", f"{self.things[answer]}. {self.outcomes['held']}.")
            for number, (_, answer, _) in enumerate(sight.passed, start=1)
        ]
        if sight.before:
            said.insert(0, ScriptLine("Last game", self._ended(sight.before[-1])))
        if sight.answer is not None:
            prompt = f"You took {self.things[sight.answer]}. Waiting for {sight.partner}."
            return Scene(tuple(said), (), prompt)
        round_of = f"Round {len(sight.passed) + 1} of {self.rounds}. "
        seat, says = divmod(sight.asked, len(self.things))
        prompt = f"{round_of}{(self.hides, self.names)[seat]}"
        if not sight.wall or seat != self.drawn:
            return Scene(tuple(said), (), prompt, self.choices())
        prompt += f" The {self.chance} says: {self.things[says]}."
        return Scene(tuple(said), (), prompt, (self.choices()[says],))

    def _ended(self, last: PairRound) -> str:
        hidden, named = (self.things[answer] for answer in last.answers if answer is not None)
        how = self.outcomes["held" if hidden == named else "failed"]
        return f"hidden: {hidden}; named: {named}. {how}. A new game has begun."
