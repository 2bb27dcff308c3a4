"""The parts of a version 2 protocol, as frozen data without rules.

*Messages are free text. Everything else that a seat does is a choice from a finite set.*
Conditions, amounts and weights are texts of one small language, whose grammar is in
:mod:`nip_core.language.syntax`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from nip_core.displays import displayed

__all__ = [
    "ALWAYS",
    "CHANCE",
    "COLLECTED",
    "END",
    "IS",
    "LATE",
    "NEVER",
    "REPETITION_END",
    "RULES",
    "SEED",
    "STAGE_END",
    "START",
    "TASK",
    "TEXT_LIMITS",
    "Act",
    "Channel",
    "Choice",
    "ComputedValue",
    "Count",
    "Grid",
    "Limit",
    "Option",
    "Part",
    "Pay",
    "Seat",
    "Seen",
    "Stage",
    "StatedRoles",
    "Turn",
]

START, END = "start", "end"
# What happens in a repetition, or in a stage, is seen once that has ended.
REPETITION_END, STAGE_END = "end of repetition", "end of stage"
LATE = (REPETITION_END, STAGE_END)
# The sources of choices that no seat makes: the task's data, and chance.
TASK, CHANCE = "task", "chance"
# What is named as the author of values that are worked out.
RULES = "rules"
ALWAYS, NEVER = "true", "false"
# How values are worked out: one is always up to date, the others are collected at choices.
IS = "is"
COLLECTED = ("max", "min", "sum", "count", "first", "last")
# What a choice of chance that is drawn by the number of the seed says.
SEED = "seed"
TEXT_LIMITS = ("words", "characters", "quoted words", "quoted characters")

Option = str | int
Count = int | str
"""A whole number, or the name of a setting whose value is one."""
Seen = tuple[tuple[str, str], ...]
"""Pairs of a seat and since when it sees something: ``"start"``, a stage's name, ``"end"``, or late
each time: ``"end of repetition"`` or ``"end of stage"``."""


@displayed
@dataclass(frozen=True, slots=True)
class Seat:
    """A named participant.

    Parameters
    ----------
    name : str
    title : str
        Its name for people ("Judge", "Critic"); no rule depends on it.
    argues : str
        An expression: the option that the seat argues for. The seat sees its value.
    anonymous : bool
        Whether its messages are shown to readers without a name.
    """

    name: str
    title: str = ""
    argues: str = "none"
    anonymous: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Part:
    """A named piece of the task.

    Parameters
    ----------
    name : str
    seen : tuple of (seat, since)
    quotable : bool
        Whether quotes are checked against it. Readers of a quote see whether it was found.
    """

    name: str
    seen: Seen
    quotable: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Channel:
    """A named line of messages, with the seats that read it."""

    name: str
    seen: Seen


@displayed
@dataclass(frozen=True, slots=True)
class Grid:
    """Evenly spaced whole numbers as options, from `low` to at most `high`."""

    low: Count
    high: Count
    step: Count = 1


@displayed
@dataclass(frozen=True, slots=True)
class Choice:
    """A variable that is set to one of its options. The seat that makes a choice sees it.

    Parameters
    ----------
    name : str
    by : str
        A seat, ``"chance"``, or ``"task"`` (a fact in the task's data).
    options : tuple of str, tuple of int, or Grid
    seen : tuple of (seat, since)
    weights : tuple of str
        For chance only: an expression for each option; by default equal probabilities. A weight
        that is negative or none counts as 0, and if all are 0 the probabilities are equal.
    truth_of : str
        What is assumed to be true on the word of the seat that makes this choice, such as "whether
        the step is harmful". Every result mentions it.
    draw : {"", "seed"}
        How chance draws: ``"seed"`` takes the option of the number ``seed % options``, so that
        whoever picks the seed picks the option. Otherwise a hash of the seed decides.
    """

    name: str
    by: str
    options: tuple[Option, ...] | Grid
    seen: Seen = ()
    weights: tuple[str, ...] = ()
    truth_of: str = ""
    draw: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class ComputedValue:
    """A value that the rules work out; nobody chooses it.

    Parameters
    ----------
    name : str
    expression : str
    way : {"is", "max", "min", "sum", "count", "first", "last"}
        ``"is"``: the value of the expression, always up to date. Otherwise, the expression is
        worked out whenever one of the choices `at` has been made, and the highest, lowest, first or
        last value, or the sum, is kept, or how often the condition held.
    at : tuple of str
        The choices at which it is collected.
    seen : tuple of (seat, since)
        Who sees it; by default nobody. It is shown in the turns that change it.
    """

    name: str
    expression: str
    way: str = IS
    at: tuple[str, ...] = ()
    seen: Seen = ()


@displayed
@dataclass(frozen=True, slots=True)
class Act:
    """The action of one seat (or chance) in a turn.

    Parameters
    ----------
    seat : str
    say : tuple of str
        The channels on which it owes a message.
    choose : tuple of (choice, options)
        The choices that it makes, with the open options; by default all of them.
    when : str
        The act happens only if this condition holds before the turn. Of several acts of one seat in
        a turn, the first whose condition holds happens.
    silent : str
        A condition on the choices of this act. If it holds, no message is written: a verifier
        decides instead of asking.
    total : int or str, optional
        The required sum of the numbers chosen in this act.
    optional : bool
        Whether the seat may leave the message out.
    apart : bool
        Whether a model is asked for its messages and choices one by one, each time without its
        other answers; see :mod:`nip_core.language.apart`.
    """

    seat: str
    say: tuple[str, ...] = ()
    choose: tuple[tuple[str, tuple[Option, ...]], ...] = ()
    when: str = ALWAYS
    silent: str = NEVER
    total: Count | None = None
    optional: bool = False
    apart: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class Turn:
    """Acts that are revealed together.

    Parameters
    ----------
    acts : tuple of Act
    then : tuple of (target, condition)
        Guards: after the turn, the first condition that holds sends play to a later stage or to
        ``"end"``. If none holds, the next turn follows.
    copies : tuple of (channel, expression)
        After the turn, the last message of this repetition on the channel that the expression names
        appears on the first channel, with its author.
    """

    acts: tuple[Act, ...] = ()
    then: tuple[tuple[str, str], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        # A seat's acts are sorted together, so that equal turns compare equal.
        order: dict[str, int] = {}
        for act in self.acts:
            order.setdefault(act.seat, len(order))
        acts = sorted(self.acts, key=lambda act: order[act.seat])
        object.__setattr__(self, "acts", tuple(acts))

    @property
    def possible_acts(self) -> tuple[Act, ...]:
        """The acts without those that never happen: a seat does the first whose condition holds."""
        found: list[Act] = []
        sure: set[str] = set()
        for act in self.acts:
            if act.seat not in sure:
                found.append(act)
            if act.when == ALWAYS:
                sure.add(act.seat)
        return tuple(found)


@displayed
@dataclass(frozen=True, slots=True)
class Stage:
    """Turns that are repeated `times` times, unless a guard leads elsewhere."""

    name: str
    turns: tuple[Turn, ...]
    times: Count = 1


@displayed
@dataclass(frozen=True, slots=True)
class Pay:
    """An amount that seats are paid.

    Parameters
    ----------
    to : tuple of (seat, factor)
        Each seat gets its factor times the amount.
    amount : str
    when : str
        A condition, evaluated when the amount is due.
    at : str
        ``"end"``, a seat (whenever it acts) or a choice (whenever it is made).
    """

    to: tuple[tuple[str, Fraction], ...]
    amount: str
    when: str = ALWAYS
    at: str = END


@displayed
@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on what a seat may use.

    Parameters
    ----------
    seat : str
    of : str
        ``"words"``, ``"characters"``, ``"quoted words"``, ``"quoted characters"``, or one of the
        seat's choices.
    most : int or str
    per : {"message", "game"}
    option : str or int, optional
        The option of a choice that may be chosen at most this often in a game.
    """

    seat: str
    of: str
    most: Count
    per: Literal["message", "game"] = "message"
    option: Option | None = None


@displayed
@dataclass(frozen=True, slots=True)
class StatedRoles:
    """What a document itself says about the meaning of its choices and seats.

    What is not stated is worked out from the structure; see :mod:`nip_core.language.roles`.

    Parameters
    ----------
    truth : str
        The choice that says what is true; empty if it is not stated.
    verdict : tuple of str
        The choices of seats that are the verdict.
    go_on : tuple of (choice, option)
        Options that mean "go on".
    estimates : tuple of (choice, event)
        Choices that are probabilities in percent, with their events: ``"truth = A"``.
    experts : tuple of str, optional
        The seats that know what is true; None if that is not stated.
    """

    truth: str = ""
    verdict: tuple[str, ...] = ()
    go_on: tuple[tuple[str, Option], ...] = ()
    estimates: tuple[tuple[str, str], ...] = ()
    experts: tuple[str, ...] | None = None
