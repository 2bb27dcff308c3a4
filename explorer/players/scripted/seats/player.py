"""A scripted player for any seat of a protocol with stages, which uses its view only."""

from __future__ import annotations

import random
from collections.abc import Mapping

from explorer.players.base import Acted, Player, any_choices, fit_turn
from explorer.players.scripted.judges import DEFAULT_JUDGE, INVENTED, JUDGES
from explorer.players.scripted.seats.claims import ClaimSeat
from explorer.players.scripted.seats.numbers import (
    PROCESSES,
    ChanceSeat,
    CopySeat,
    NumberSeat,
    PictureSeat,
)
from explorer.players.scripted.seats.passages import PassageSeat
from explorer.players.scripted.seats.plans import PlanSeat
from explorer.players.scripted.seats.reviews import ReviewSeat
from explorer.players.scripted.seats.seat import Seat, case_about
from explorer.players.scripted.seats.solutions import SolutionSeat
from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.language import Specification
from nip_core.play import Move, View
from nip_core.tasks import VERDICTS

# The facts of proofs about numbers, by one of them.
NUMBERS = ("factor", "total", "m0", "e12")


class SeatScript(Player):
    """Plays a seat of a protocol with stages.

    The seed determines all random choices, together with the seat and the turn; the level, how well
    it lies and knows; the strategy, of :data:`~explorer.players.scripted.judges.JUDGES`, how it
    judges. With `at_random`, it says what belongs to choices that are made at random: what scripts
    are compared with.
    """

    kind = "scripted"

    def __init__(
        self,
        seed: int = 0,
        level: str = "hard",
        strategy: str = DEFAULT_JUDGE,
        *,
        at_random: bool = False,
    ) -> None:
        if level not in INVENTED:
            raise UnknownNameError("level", level, list(INVENTED))
        if strategy not in JUDGES:
            raise UnknownNameError("strategy", strategy, list(JUDGES))
        self.seed, self.level, self.judge = seed, level, JUDGES[strategy]
        self.at_random = at_random

    def turn(self, view: View) -> Acted:
        """Make a move."""
        rng, lasting = (
            random.Random(stable_hash("nip-seat-script/1", self.seed, view.agent, *more))
            for more in ((view.round,), ())
        )
        seat = kind_of_seat(view)(view, self.level, self.judge, rng, lasting)
        made = any_choices(view.legal, rng, None if self.at_random else seat.wish)
        if view.legal.is_silent(view.rules, made):
            return Acted(Move(view.agent, choices=made))
        said = {on: fit_turn(seat.say(on, made), view.legal) for on in view.legal.channels}
        return Acted(Move(view.agent, said, choices=made))


def kind_of_seat(view: View) -> type[Seat]:
    """Return how a seat plays, by the parts of the task that it reads."""
    parts, facts = view.parts, view.facts
    if any(case_about("plans", text) for text in _of(view, "mission")):
        return PlanSeat
    if any(case_about("claims", text) for text in _of(view, "claim")):
        return ClaimSeat
    if any(case_about("solutions", text) for text in _of(view, "problem")):
        return SolutionSeat
    if parts.get("question") in PROCESSES and "answers" not in parts:
        return ChanceSeat
    if "graphs" in parts:
        return CopySeat
    if "labels" in parts:
        return PictureSeat
    if any(name in facts for name in NUMBERS) or _counts(view):
        return NumberSeat
    if _is_about_a_problem(view.rules):
        return ReviewSeat
    if {"question", "passage"} & {part.name for part in view.rules.parts}:
        return PassageSeat
    return Seat


def _of(view: View, part: str) -> list[str]:
    return [view.parts[part]] if part in view.parts else []


def _counts(view: View) -> bool:
    """Return whether the facts that others compute with are hidden from the seat."""
    return any(c.by == "task" and c.name in NUMBERS for c in view.rules.choices)


def _is_about_a_problem(rules: Specification) -> bool:
    answers = {*rules.roles.answers}
    return [part.name for part in rules.parts] == ["problem"] and answers == {*VERDICTS}


# What levels mean for people who choose one, by what a seat does.
LEVELS_OF: Mapping[str, Mapping[str, str]] = {
    "quotes": {
        "easy": "invents most of its quotes where the text is against it",
        "medium": "invents a third of its quotes where the text is against it",
        "hard": "uses real quotes only, even where the text is against it",
    },
    "reads": {
        "easy": "finds the right answer in two of three texts",
        "medium": "finds the right answer in four of five texts",
        "hard": "finds the right answer in nearly every text",
    },
    "does harm": {
        "easy": "does harm in the two steps where it reads oddest",
        "medium": "does harm once, in a step that reads little odd",
        "hard": "does harm in every step where it expects that to pay",
    },
    "solves": {
        "easy": "hides an error in a calculation when it is told to be sneaky",
        "medium": "hides an error in the reasoning when it is told to be sneaky",
        "hard": "hides an error in the reasoning when it is told to be sneaky",
    },
    "looks": {
        "easy": "tries the inputs that everybody would try",
        "medium": "tries every other input",
        "hard": "tries all inputs that come with the problem",
    },
    "defends": {
        "easy": "names any input, even one on which the program is wrong",
        "medium": "names only inputs on which the program is right",
        "hard": "names only inputs on which the program is right",
    },
    "exaggerates": {
        "easy": "claims 25 points too much in half of its games",
        "medium": "claims 10 points too much in half of its games",
        "hard": "claims as much too much as nobody can reject, in half of its games",
    },
}

NONE: Mapping[str, str] = {}


def levels_of_seat(rules: Specification, seat: str) -> Mapping[str, str]:
    """Return what a scripted player of a seat does at each level; empty if levels do not matter."""
    roles, parts = rules.roles, {part.name for part in rules.parts}
    options = {o for c in rules.choices if c.by == seat for o in rules.options[c.name]}
    read = {part.name for part in rules.parts if dict(part.seen).get(seat, "end") != "end"}
    judges = roles.judges(seat)
    does = {
        "does harm": "mission" in parts and "harmful" in options,
        "solves": "problem" in parts and bool(options & {"right", "kept"}),
        "looks": "problem" in parts and "flawed" in options,
        "defends": parts == {"problem"} and not judges,
        "exaggerates": "computation" in parts and not judges and len(options) > 7,
        "quotes": not judges and {"answers", "passage"} <= read,
        "reads": judges and "passage" in read,
    }
    return next((LEVELS_OF[name] for name, so in does.items() if so), NONE)
