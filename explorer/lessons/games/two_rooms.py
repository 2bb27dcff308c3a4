"""Two liars claim that they can colour four countries, all neighbours, with three colours."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from explorer.lessons.game import (
    Choice,
    Circumstances,
    GraphDrawing,
    PairPosition,
    PairRound,
    Role,
    Scene,
    ScriptLine,
    on_a_circle,
    vertex_question,
)

State = dict[str, Any]
NODES = 4
EDGES = tuple(itertools.combinations(range(NODES), 2))
COLOURS = ("A (blue)", "B (orange)", "C (green)")
# The plan on which the liars agree: one pair of countries must share a colour. It fails for 2 of
# the 16 questions, and every plan fails for at least as many.
PLAN = (0, 1, 2, 2)
APART = Fraction(7, 8)
ROUNDS = 4
QUESTIONS = {
    "draw": "Any question, by chance",
    "same": "Ask both about the same country",
    "different": "Ask about two countries",
}


def passes(question: tuple[int, int], answers: tuple[int, int]) -> bool:
    """Return the verdict: equal countries need equal colours, different ones different."""
    return (question[0] == question[1]) == (answers[0] == answers[1])


class TwoLiars:
    """The same game with two people as the liars and random questions."""

    rounds = ROUNDS
    phases = ("One room: no wall", "Two rooms: a wall")
    change = "Put up the wall"
    endings: Mapping[str, str] = {
        "held": f"Survived all {ROUNDS} questions",
        "failed": "Were caught before",
    }
    outcomes: Mapping[str, str] = {
        "held": "The answers fitted",
        "failed": "The liars were caught",
    }

    def circumstances(self, *, wall: bool) -> Circumstances:
        """Return the circumstances: two rooms or one, and the best liars' chance in a round."""
        held = APART if wall else Fraction(1)
        label = (
            "Two rooms: each hears one question" if wall else "One room: both hear both questions"
        )
        return Circumstances(label, {"held": held, "failed": 1 - held})

    def question(self, random: Random) -> tuple[int, int]:
        """Return a country for each."""
        return vertex_question(NODES, random)

    def choices(self) -> tuple[Choice, ...]:
        """Return the colours."""
        return tuple(Choice(str(n), name) for n, name in enumerate(COLOURS))

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Return the verifier's rule."""
        return passes(asked, answers)

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """Return the plan's answer; without a wall, the second liar fits theirs to the first."""
        return _liars(asked, together=not wall)[seat]

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """Return the scene in which the liars agree on a plan."""
        said = [
            ScriptLine(
                "You two",
                "claim that three colours are enough for this map, on which every country touches "
                "every other. Each of you will be asked for one country's colour. The same "
                "country must get the same colour, different countries different ones.",
            )
        ]
        if bot:
            said.append(ScriptLine(partner, "keeps to the plan in the picture."))
        else:
            said.append(ScriptLine(f"You and {partner}", "agree on a plan now. Write it down."))
        after = (
            "Then a wall goes up: no more talking, and neither hears the other's question."
            if wall
            else "There is no wall: you go on talking, and both see both questions."
        )
        return Scene(tuple(said), (_map((), PLAN if bot else ()),), after)

    def scene(self, sight: PairPosition) -> Scene:
        """Return the scene with the player's question; the other's only if there is no wall."""
        said = [*_last_game(sight.before), *_passed(sight.passed)]
        drawn = _map(_heard(sight), PLAN if sight.bot else ())
        if sight.answer is not None:
            prompt = (
                f"You said {COLOURS[sight.answer]} for country {sight.asked}. "
                f"Waiting for {sight.partner}."
            )
            return Scene(tuple(said), (drawn,), prompt)
        prompt = (
            f"Question {len(sight.passed) + 1} of {ROUNDS}: country {sight.asked}. Which colour?"
        )
        if sight.other is not None:
            prompt += f" {sight.partner} is asked about country {sight.other}."
        return Scene(tuple(said), (drawn,), prompt, self.choices())


def _heard(sight: PairPosition) -> tuple[int, ...]:
    return (sight.asked,) if sight.other is None else (sight.asked, sight.other)


def _passed(passed: tuple[tuple[int, int, bool], ...]) -> list[ScriptLine]:
    return [
        ScriptLine(
            f"Question {number}",
            f"{'a bot, for you,' if bot else 'you'} said {COLOURS[answer]} for country {asked}. "
            "It fitted.",
        )
        for number, (asked, answer, bot) in enumerate(passed, start=1)
    ]


def _last_game(rounds: tuple[PairRound, ...]) -> list[ScriptLine]:
    """Return the end of the previous game; if it was lost, with both answers."""
    if not rounds:
        return []
    (a, b), (x, y) = rounds[-1].asked, rounds[-1].answers
    if x is not None and y is not None and not passes((a, b), (x, y)):
        said = "you and a bot" if any(rounds[-1].bots) else "you two"
        how = (
            f"you were caught. Asked about countries {a} and {b}, {said} said {COLOURS[x]} and "
            f"{COLOURS[y]}."
        )
    else:
        how = f"you survived all {ROUNDS} questions."
    return [ScriptLine("Last game", f"{how} A new game has begun.")]


class TwoRooms:
    """The verifier asks each prover about one country."""

    pair = TwoLiars()
    title = "Two liars, two rooms"
    roles = (
        Role("verifier", "I ask the questions"),
        Role("prover", "I lie in one of the rooms"),
    )
    outcomes: Mapping[str, str] = {
        "survived": f"The liars survived {ROUNDS} rounds",
        "caught": "The liars were caught",
    }
    settings: Mapping[str, str] = {
        "together": "Does each liar hear both questions? By default not."
    }

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases: liars apart or together, and questions at random or by the person."""
        left = Fraction(1) if settings.get("together") else APART**ROUNDS
        chances = {"survived": left, "caught": 1 - left}
        return {
            "chance": Circumstances("You asked, and chance drew every question", chances),
            "choice": Circumstances(
                "You asked, and chose some of the questions", dict.fromkeys(("survived", "caught"))
            ),
            "liar": Circumstances("You lied; the chances are those of the best liars", chances),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return the liars, and the first question if the person is one of them."""
        state: State = {
            "role": role,
            "together": bool(settings.get("together")),
            "by_chance": True,
            "rounds": [],
        }
        state["question"] = list(vertex_question(NODES, random)) if role == "prover" else None
        return state

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees: as a liar, only the question of the own room."""
        mine = state["role"] == "verifier"
        said = [ScriptLine("Liars", "We can colour this map with three colours. Ask each of us.")]
        for number, (question, answers) in enumerate(state["rounds"], start=1):
            ok = "fits" if passes(tuple(question), tuple(answers)) else "does not fit"
            said.append(
                ScriptLine(
                    f"Round {number}",
                    f"countries {question[0]} and {question[1]}, answers "
                    f"{COLOURS[answers[0]]} and {COLOURS[answers[1]]}: it {ok}.",
                )
            )
        over = _over(state)
        if over:
            outcome = "caught" if _caught(state) else "survived"
            end = (
                f"{self.outcomes[outcome]}. Four countries that all touch need four colours. "
                "If chance asks, the best liars survive a round with chance 7/8 when they are "
                "apart, and always when they hear both questions."
            )
            how = "chance" if state["by_chance"] else "choice"
            case = how if mine else "liar"
            return Scene(tuple(said), (_map(()),), end, (), outcome, case)
        if mine:
            choices = tuple(Choice(name, label) for name, label in QUESTIONS.items())
            prompt = f"Round {len(state['rounds']) + 1} of {ROUNDS}. Let chance ask, or choose."
            return Scene(tuple(said), (_map(()),), prompt, choices)
        asked = state["question"]
        heard = f"The verifier asks you about country {asked[0]}."
        if state["together"]:
            heard += f" You overhear that the other room is asked about country {asked[1]}."
        prompt = (
            f"{heard} Before you were separated you agreed on the plan in the picture; "
            "the other liar keeps to it. Your colour?"
        )
        choices = tuple(Choice(str(n), name) for n, name in enumerate(COLOURS))
        lit = tuple(asked) if state["together"] else (asked[0],)
        return Scene(tuple(said), (_map(lit, PLAN),), prompt, choices)

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return a round: the questions, and both answers."""
        self.scene(state).check(choice)
        if state["role"] == "verifier":
            question = vertex_question(NODES, random)
            while choice != "draw" and (question[0] == question[1]) != (choice == "same"):
                question = vertex_question(NODES, random)
            answers = _liars(question, together=state["together"])
            by_chance = state["by_chance"] and choice == "draw"
            rounds = [*state["rounds"], [list(question), list(answers)]]
            return {**state, "by_chance": by_chance, "rounds": rounds}
        asked: list[int] = state["question"]
        answers = [int(choice), PLAN[asked[1]]]
        after: State = {**state, "rounds": [*state["rounds"], [asked, answers]]}
        return {**after, "question": list(vertex_question(NODES, random))}


GAME = TwoRooms()


def _liars(question: tuple[int, ...], *, together: bool) -> tuple[int, int]:
    """Return the liars' answers by the plan, or fitting ones if each hears both questions."""
    first = PLAN[question[0]]
    if together and question[0] != question[1]:
        return first, (first + 1) % 3
    return first, PLAN[question[1]]


def _map(lit: tuple[int, ...], colours: tuple[int, ...] = ()) -> GraphDrawing:
    title = "The map: every country touches every other"
    return GraphDrawing(title, EDGES, on_a_circle(NODES), dict(enumerate(colours)), tuple(lit))


def _caught(state: Mapping[str, Any]) -> bool:
    return any(not passes(tuple(q), tuple(a)) for q, a in state["rounds"])


def _over(state: Mapping[str, Any]) -> bool:
    return _caught(state) or len(state["rounds"]) == ROUNDS
