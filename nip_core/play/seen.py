"""What one seat sees of the turns of an episode. Nothing of them leaves it on another way.

*Non-interference*: changing what a seat may not see changes nothing in its view. It does not
contain when a move of the present turn arrived, or whether others have moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import displayed
from nip_core.language import Quote, Specification
from nip_core.language.data import Choice, Option
from nip_core.language.expressions import Registers, Value
from nip_core.language.structure import Place
from nip_core.play.deal import Deal, Release
from nip_core.play.legal import Legal
from nip_core.play.moves import Move
from nip_core.play.outcomes import Ending
from nip_core.text import SeenMessage, SeenRound

__all__ = [
    "SeenChoices",
    "SeenState",
    "as_plain",
    "as_plain_values",
    "options_in",
    "seen_facts",
    "seen_parts",
    "seen_turn",
    "seen_values",
]


@displayed
@dataclass(frozen=True, slots=True)
class SeenChoices(SeenRound):
    """What a seat may see of one turn.

    Parameters
    ----------
    messages : tuple of SeenMessage
        Messages on the channels that it reads, including its own.
    own : str or None
        Its own move, as the text that a model would write.
    choices : mapping of str to option
        Choices that it sees, including its own.
    values : mapping of str to value
        Values that the turn has changed and that it sees.
    quotes : tuple of tuple of Quote
        For each message, its quotes checked in the task.
    """

    choices: Mapping[str, Option] = field(default_factory=dict[str, Option])
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    quotes: tuple[tuple[Quote, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the same as a plain document."""
        return {
            "messages": [
                {
                    "channel": message.channel,
                    "sender": message.sender,
                    "text": message.text,
                    "quotes": [{"text": each.text, "found": each.found} for each in quotes],
                    **({"copied": True} if message.copied else {}),
                }
                for message, quotes in zip(self.messages, self.quotes, strict=True)
            ],
            "own": self.own,
            "choices": dict(self.choices),
            **({"values": as_plain_values(self.values)} if self.values else {}),
        }


@dataclass(frozen=True)
class SeenState:
    """What one seat may know of an episode at one position.

    Parameters
    ----------
    agent : str
        The seat.
    rules : Specification
        The rules, which are public.
    title : str
        The task's title.
    argues : option, number or None
        The option that the seat argues for.
    parts : mapping of str to str
        The parts of the task that it sees.
    facts : mapping of str to option
        The facts drawn before play that it sees.
    values : mapping of str to value
        The values known before play that it sees.
    prompt : str
        Its instructions.
    max_response_words : int
        The limit of a message's words if the protocol has none.
    round : int
        The number of turns played.
    rounds : tuple of SeenChoices
        What the seat sees of each turn, including its own moves.
    legal : Legal
        What it may do now.
    held : Move, optional
        Its own move of the present turn, which is held back until all have moved.
    ending : Ending, optional
        The ending, once the episode is over.
    stood_in : tuple of (turn, agent)
        The moves that bots made in place of people: this seat's own and, after the end of the
        episode, all of them.
    """

    agent: str
    rules: Specification
    title: str
    argues: Value
    parts: Mapping[str, str]
    facts: Mapping[str, Option]
    values: Mapping[str, Value]
    prompt: str
    max_response_words: int
    round: int
    rounds: tuple[SeenChoices, ...]
    legal: Legal
    held: Move | None
    ending: Ending | None
    stood_in: tuple[tuple[int, str], ...]

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.ending is not None

    @property
    def known(self) -> dict[str, Option]:
        """The options of all choices that the seat has seen, by the choice; the latest of each."""
        known = dict(self.facts)
        for seen in self.rounds:
            known |= seen.choices
        return known

    @property
    def known_values(self) -> dict[str, Value]:
        """All values that the seat has been shown, the latest of each."""
        known = dict(self.values)
        for seen in self.rounds:
            known |= seen.values
        return known

    @property
    def truth(self) -> Option | None:
        """What is true, if the protocol says and the seat has seen it."""
        name = self.rules.roles.truth
        return None if name is None else self.known.get(name)


def seen_turn(
    spec: Specification, release: Release, seat: str, now: Place | None, own: str | None
) -> SeenChoices:
    """Return what a seat sees of a turn at a later place or, for None, at the end."""
    sight = spec.sight(seat, None if now is None else now.stage, spec.pending(release.place, now))
    seen: list[tuple[SeenMessage, tuple[Quote, ...]]] = []
    for message in release.messages:
        # Its own messages it sees at once, also where it sees others' late.
        if message.channel in sight.channels or (message.seat == seat and not message.source):
            hidden = message.seat != seat and spec.seat(message.seat).anonymous
            sender = None if hidden else message.seat
            shown = SeenMessage(message.channel, sender, message.text, bool(message.source))
            seen.append((shown, message.quotes))
    # The order of seats would reveal anonymous authors.
    seen.sort(key=lambda pair: _place(pair[0]))
    return SeenChoices(
        messages=tuple([message for message, _ in seen]),
        own=own,
        choices={name: option for name, option in release.choices.items() if name in sight.choices},
        values={name: value for name, value in release.values.items() if name in sight.values},
        quotes=tuple([quotes for _, quotes in seen]),
    )


def _place(message: SeenMessage) -> tuple[bool, str]:
    named = message.sender is not None
    return not named, "" if named else f"{message.channel}\n{message.text}"


def seen_parts(deal: Deal, seat: str, stage: int | None) -> dict[str, str]:
    """Return the parts of the task that a seat sees in a stage or, for None, at the end."""
    seen = deal.spec.sight(seat, stage).parts
    return {part.name: deal.parts[part.name] for part in deal.spec.parts if part.name in seen}


def seen_facts(
    spec: Specification, registers: Registers, seat: str, stage: int | None
) -> dict[str, Option]:
    """Return the facts drawn before play that a seat sees in a stage or, for None, at the end."""
    seen = spec.sight(seat, stage).choices
    return options_in(registers, (fact for fact in spec.drawn if fact.name in seen))


def seen_values(
    spec: Specification, registers: Registers, seat: str, stage: int | None
) -> dict[str, Value]:
    """Return the values known before play that a seat sees in a stage or, for None, at the end."""
    seen = spec.sight(seat, stage).values
    known = spec.machine.known_before(registers) if seen else {}
    return {name: value for name, value in known.items() if name in seen}


def as_plain(value: Value) -> Any:
    """Return a value for a document; fractions become texts, so that they are exact."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


def as_plain_values(values: Mapping[str, Value]) -> dict[str, Any]:
    """Return values for a document."""
    return {name: as_plain(value) for name, value in values.items()}


def options_in(registers: Registers, choices: Iterable[Choice]) -> dict[str, Option]:
    """Return the options of those of some choices that have been made."""
    return {
        choice.name: option
        for choice in choices
        if isinstance(option := registers[choice.name], str | int)
    }
