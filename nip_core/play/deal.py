"""The task and the seed of one play: what is drawn, and what a turn of it reveals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nip_core.displays import brief, displayed, line, text_html
from nip_core.documents import MAX_TEXT, stable_hash, text_fault
from nip_core.errors import PlayError, show
from nip_core.language import Quote, Specification, checked_quotes
from nip_core.language.data import CHANCE, SEED, TASK, Choice, Option
from nip_core.language.expressions import Registers, Value
from nip_core.language.machine import TurnOutcome
from nip_core.language.structure import Place
from nip_core.play.moves import Move

__all__ = ["MAX_SEED", "Deal", "Message", "Release"]

MAX_SEED = 2**63 - 1


@displayed
@dataclass(frozen=True, slots=True)
class Message:
    """A message with its checked quotes.

    Parameters
    ----------
    seat : str
        Its author.
    channel : str
    text : str
    quotes : tuple of Quote
    source : str
        The channel from which it was copied; empty for a message that was written.
    """

    seat: str
    channel: str
    text: str
    quotes: tuple[Quote, ...] = ()
    source: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Release:
    """A turn that has been played.

    Parameters
    ----------
    place : Place
    acted : tuple of str
        The seats that had to act.
    messages : tuple of Message
    choices : mapping of str to option
    values : mapping of str to value
        The values that the turn has changed.
    paid : mapping of str to number
    latest : mapping of str to Message
        For each channel the last message of the repetition so far, if messages are copied.
    """

    place: Place
    acted: tuple[str, ...]
    messages: tuple[Message, ...]
    choices: Mapping[str, Option]
    values: Mapping[str, Value]
    paid: Mapping[str, Value]
    latest: Mapping[str, Message] = field(default_factory=dict[str, Message], repr=False)


@dataclass(frozen=True)
class Deal:
    """The setup of a play: the protocol, the task, and the seed. It does not change during play.

    Parameters
    ----------
    spec : Specification
    parts : mapping of str to str
        The text of each part of the task.
    facts : mapping of str to option
        A value for each choice of the task. Values of chance before play may be given too;
        otherwise the seed draws them.
    seed : int
    """

    spec: Specification
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: Mapping[str, Option] = field(default_factory=dict[str, Option])
    seed: int = 0

    # Not shown by default, since the facts include the truth.
    def __repr__(self) -> str:
        return line(self, brief(self.spec.name), f"seed={brief(self.seed)}")

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    def __post_init__(self) -> None:
        spec = self.spec
        object.__setattr__(self, "parts", dict(self.parts))
        object.__setattr__(self, "facts", dict(self.facts))
        if type(self.seed) is not int or not 0 <= self.seed <= MAX_SEED:
            raise PlayError(f"The seed is {show(self.seed)}; it must be a whole number from 0 on.")
        wanted = {part.name for part in spec.parts}
        for name in sorted(wanted ^ self.parts.keys()):
            is_there = "is missing" if name in wanted else "is none of the protocol's"
            raise PlayError(
                f"The part {name!r} {is_there}. Parts: {', '.join(sorted(wanted)) or 'none'}."
            )
        for name, text in self.parts.items():
            if fault := text_fault(text, MAX_TEXT):
                raise PlayError(f"The part {name!r} must be {fault}.")
        drawn = {choice.name: choice for choice in spec.drawn}
        for name, option in self.facts.items():
            if name not in drawn:
                known = ", ".join(drawn) or "none"
                raise PlayError(f"{show(name)} is not drawn before play; what is: {known}.")
            if isinstance(option, bool) or option not in spec.options[name]:
                raise PlayError(f"{name} cannot be {show(option)}.")
        for choice in spec.drawn:
            if choice.by == TASK and choice.name not in self.facts:
                raise PlayError(f"The task does not say what {choice.name!r} is.")

    # -- turns ---------------------------------------------------------------------------------

    def first(self) -> Registers:
        """Return the registers before the first turn, with what is drawn before play."""
        machine = self.spec.machine
        registers = machine.blank()
        for choice in self.spec.drawn:
            options = self.spec.options[choice.name]
            value = self.facts.get(choice.name)
            if value is None:
                value = self._draw(choice, options, registers, -1)
            registers = machine.recorded(registers, {choice.name: value})
        return registers

    def turn(
        self,
        place: Place,
        registers: Registers,
        number: int,
        moves: Mapping[str, Move],
        chosen: Mapping[str, Option],
        before: Release | None = None,
    ) -> tuple[TurnOutcome, Release]:
        """Return what a turn leads to, and what it reveals.

        Parameters
        ----------
        place, registers
            The state before it.
        number : int
            The number of turns before it.
        moves : mapping of str to Move
            The moves of all seats that act.
        chosen : mapping of str to option
            The choices of these seats; chance's are drawn here.
        before : Release, optional
            The turn before it.
        """
        spec, machine = self.spec, self.spec.machine
        acts, made = machine.acts(place, registers), dict(chosen)
        for act in acts:
            if act.seat == CHANCE:
                now = machine.here(place, registers)
                for name, _ in act.choose:
                    options = machine.open_options(act, name, registers, made)
                    made[name] = self._draw(spec.choice(name), options, now, number)
        after = machine.after(place, registers, acts, made)
        acting = {act.seat for act in acts}
        acted = tuple(seat for seat in spec.seat_names if seat in acting)
        messages = tuple(
            Message(seat, channel.name, text, self._quotes(seat, text, place.stage))
            for seat in acted
            for channel in spec.channels
            if (text := moves[seat].messages.get(channel.name)) is not None
        )
        if not spec.has_copies:
            return after, Release(place, acted, messages, after.choices, after.values, after.paid)
        latest = dict[str, Message]()
        if before is not None and before.place[:2] == place[:2]:
            latest |= before.latest
        latest |= {message.channel: message for message in messages}
        copies = tuple(
            replace(latest[source], channel=target, source=source)
            for source, target in machine.copies(place, after.registers)
            if source in latest
        )
        latest |= {message.channel: message for message in copies}
        shown = (*messages, *copies)
        release = Release(place, acted, shown, after.choices, after.values, after.paid, latest)
        return after, release

    def _quotes(self, seat: str, text: str, stage: int) -> tuple[Quote, ...]:
        """Return a seat's quotes, checked only in parts that the seat itself may see.

        Where no part can be quoted, nothing is looked up, and nothing is said to be missing.
        """
        if not any(part.quotable for part in self.spec.parts):
            return ()
        seen = self.spec.sight(seat, stage).parts
        parts = (p.name for p in self.spec.parts if p.quotable and p.name in seen)
        return checked_quotes(text, (self.parts[name] for name in parts))

    def _draw(
        self, choice: Choice, options: tuple[Option, ...], now: Mapping[str, Value], clock: int
    ) -> Option:
        """Return chance's choice, the same on every machine and whatever seats do."""
        if choice.draw == SEED:
            return options[self.seed % len(options)]
        number = int.from_bytes(stable_hash("nip-chance/2", self.seed, choice.name, clock))
        whole = 1 << 256
        for option, chance in zip(
            options, self.spec.machine.chances(choice, options, now), strict=True
        ):
            number -= int(chance * whole)
            if number < 0 and chance:
                return option
        # Rounding may make the sum slightly less than 1.
        return options[-1]
