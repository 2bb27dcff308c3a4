"""What a seat may know of a play. Its information leaves the state only through here.

A view contains what the seat sees, and public facts: the protocol and the number of turns.
*Non-interference*: changing what a seat may not see changes nothing in its view. It does not
contain when a move of the present turn arrived, or whether others have moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.language.data import Option
from nip_core.language.expressions import Registers, Value
from nip_core.language.moves import Legal, Move
from nip_core.language.playing import Deal, Message, Release, State
from nip_core.language.specification import Specification

__all__ = [
    "Outcome",
    "SeenTurn",
    "View",
    "as_plain",
    "outcome_of",
    "seen_facts",
    "seen_parts",
    "seen_turn",
    "view_for",
]


@displayed
@dataclass(frozen=True, slots=True)
class SeenTurn:
    """What a seat sees of a turn after it is revealed.

    Parameters
    ----------
    messages : tuple of Message
        In the order of seats; those of anonymous seats follow, ordered by their text.
    choices : mapping of str to option
    """

    messages: tuple[Message, ...]
    choices: Mapping[str, Option]


@displayed
@dataclass(frozen=True, slots=True)
class Outcome:
    """What everybody learns when play is over.

    Parameters
    ----------
    verdict : option, number or None
    paid : mapping of str to number
        Each seat's total pay; a Fraction, unless a rule of pay is rounded.
    on_the_word_of : mapping of str to str
        What is assumed to be true on the word of a seat (or the task), with its source.
    """

    verdict: Value
    paid: Mapping[str, Value]
    on_the_word_of: Mapping[str, str]


@dataclass(frozen=True)
class View(Tabular):
    """What one seat may know at one moment.

    Parameters
    ----------
    seat : str
    spec : Specification
        The rules, which everybody knows.
    argues : option or None
        The option that the seat argues for.
    parts : mapping of str to str
        The parts of the task that it sees.
    facts : mapping of str to option
        The facts drawn before play that it sees.
    turns : tuple of SeenTurn
        All turns so far; their number is public.
    legal : Legal
        What it may do now.
    held : Move, optional
        Its own move of this turn, which is held back until all have moved.
    outcome : Outcome, optional
        The outcome, once play is over.
    """

    seat: str
    spec: Specification
    argues: Value
    parts: Mapping[str, str]
    facts: Mapping[str, Option]
    turns: tuple[SeenTurn, ...]
    legal: Legal
    held: Move | None
    outcome: Outcome | None

    @property
    def over(self) -> bool:
        """Has play ended?"""
        return self.outcome is not None

    def __repr__(self) -> str:
        where = "over" if self.over else f"turn {len(self.turns) + 1}"
        return line(self, brief(self.seat), brief(self.spec.name), where)

    def table(self) -> Table:
        """Return all messages and choices that the seat has seen."""
        rows: list[tuple[object, ...]] = []
        for number, turn in enumerate(self.turns):
            rows += [(number, m.seat, m.channel, m.text) for m in turn.messages]
            rows += [
                (number, self.spec.choice(name).by, name, option)
                for name, option in turn.choices.items()
            ]
        return Table(("turn", "seat", "channel or choice", "what"), rows, {"turn": lambda n: n + 1})

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a plain document, without the protocol."""
        outcome = self.outcome
        return {
            "seat": self.seat,
            "argues": self.argues,
            "parts": dict(self.parts),
            "facts": dict(self.facts),
            "turns": [
                {
                    "messages": [
                        {
                            "seat": message.seat,
                            "channel": message.channel,
                            "text": message.text,
                            "quotes": [
                                {"text": quote.text, "found": quote.found}
                                for quote in message.quotes
                            ],
                        }
                        for message in turn.messages
                    ],
                    "choices": dict(turn.choices),
                }
                for turn in self.turns
            ],
            "may": {
                "say": list(self.legal.say),
                "choose": {name: list(options) for name, options in self.legal.choices.items()},
                "total": self.legal.total,
                "left": [
                    {"of": limit.of, "per": limit.per, "left": left}
                    for limit, left in self.legal.left
                ],
            },
            "held": None if self.held is None else self.held.to_dict(),
            "outcome": None
            if outcome is None
            else {
                "verdict": as_plain(outcome.verdict),
                "paid": {seat: as_plain(amount) for seat, amount in outcome.paid.items()},
                "on_the_word_of": dict(outcome.on_the_word_of),
            },
        }


def as_plain(value: Value) -> Any:
    """Return a value for a document; fractions become texts, so that they are exact."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


def view_for(deal: Deal, state: State, seat: str) -> View:
    """Return what a seat may know of a state.

    Raises
    ------
    UnknownNameError
        If there is no such seat.
    """
    spec = deal.spec
    # Checked before any secret is read, since a traceback would show it.
    argues = spec.expression(spec.seat(seat).argues)
    stage = None if state.place is None else state.place.stage
    return View(
        seat=seat,
        spec=spec,
        argues=argues.value(deal.now(state)),
        parts=seen_parts(deal, seat, stage),
        facts=seen_facts(spec, state.registers, seat, stage),
        turns=tuple(seen_turn(spec, release, seat, stage) for release in state.releases),
        legal=deal.legal(state, seat),
        held=state.held.get(seat),
        outcome=outcome_of(deal, state) if state.over else None,
    )


def seen_parts(deal: Deal, seat: str, stage: int | None) -> dict[str, str]:
    """Return the parts of the task that a seat sees in a stage or, for None, at the end."""
    seen = deal.spec.sight(seat, stage).parts
    return {part.name: deal.parts[part.name] for part in deal.spec.parts if part.name in seen}


def seen_facts(
    spec: Specification, registers: Registers, seat: str, stage: int | None
) -> dict[str, Option]:
    """Return the facts drawn before play that a seat sees in a stage or, for None, at the end."""
    seen = spec.sight(seat, stage).choices
    return {fact.name: registers[fact.name] for fact in spec.drawn if fact.name in seen}


def seen_turn(spec: Specification, release: Release, seat: str, stage: int | None) -> SeenTurn:
    """Return what a seat sees of a turn in a stage or, for None, at the end."""
    sight = spec.sight(seat, stage)
    messages: list[Message] = []
    for message in release.messages:
        if message.channel in sight.channels and message.seat is not None:
            hidden = message.seat != seat and spec.seat(message.seat).anonymous
            named = None if hidden else message.seat
            messages.append(Message(named, message.channel, message.text, message.quotes))
    # The order of seats would reveal anonymous authors.
    messages.sort(key=lambda m: (m.seat is None, "" if m.seat else m.channel + "\n" + m.text))
    return SeenTurn(
        tuple(messages),
        {name: option for name, option in release.choices.items() if name in sight.choices},
    )


def outcome_of(deal: Deal, state: State) -> Outcome:
    """Return what everybody learns from a play that is over."""
    paid = state.paid
    return Outcome(
        verdict=deal.verdict(state),
        paid={seat: paid.get(seat, 0) for seat in deal.spec.seat_names},
        on_the_word_of={what: by for what, (by, _) in deal.spec.statements.items()},
    )
