"""One play of a protocol: its setup, its state as a fold of moves, and legal moves.

States are immutable, so an earlier one can be kept to go back to it or to continue differently.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nip_core.displays import brief, displayed, line, text_html
from nip_core.documents import MAX_TEXT, stable_hash, text_fault
from nip_core.errors import PlayError, UnknownNameError, show
from nip_core.language.data import CHANCE, SEED, TASK, Act, Choice, Limit, Option
from nip_core.language.expressions import OVER, Value
from nip_core.language.machine import Machine
from nip_core.language.moves import Legal, Move, measure, verify_move
from nip_core.language.quotes import Quote, checked_quotes
from nip_core.language.specification import Specification
from nip_core.language.structure import Place, taken

__all__ = ["Deal", "Message", "Release", "State"]

# More than anybody plays, and few enough that an untrusted file cannot keep a machine busy.
MAX_TURNS = 20_000
MAX_SEED = 2**63 - 1
_OVER = Legal(reason="The play is over.")
_NOT_NOW = Legal(reason="It is not your turn.")
_MOVED = Legal(reason="Your move is made; it is released once all have moved.")


@displayed
@dataclass(frozen=True, slots=True)
class Message:
    """A message with its checked quotes; in a view, the seat is None if it is hidden."""

    seat: str | None
    channel: str
    text: str
    quotes: tuple[Quote, ...] = ()


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
    paid : mapping of str to number
    """

    place: Place
    acted: tuple[str, ...]
    messages: tuple[Message, ...]
    choices: Mapping[str, Option]
    paid: Mapping[str, Value]


@dataclass(frozen=True)
class State:
    """The state of a play.

    Parameters
    ----------
    place : Place, optional
        The present turn; None once play is over.
    registers : mapping
    releases : tuple of Release
        The earlier turns; their number is public.
    held : mapping of str to Move
        The moves of this turn that are held back until all have moved.
    """

    place: Place | None
    registers: Mapping[str, Value]
    releases: tuple[Release, ...] = ()
    held: Mapping[str, Move] = field(default_factory=dict[str, Move])

    @property
    def over(self) -> bool:
        """Whether play has ended."""
        return self.place is None

    @property
    def paid(self) -> dict[str, Value]:
        """Each seat's total pay; seats that were paid nothing are left out."""
        found: dict[str, Value] = {}
        for release in self.releases:
            for seat, amount in release.paid.items():
                found[seat] = found.get(seat, 0) + amount
        return found

    def __repr__(self) -> str:
        where = "over" if self.place is None else f"after {len(self.releases):,} turns"
        return line(self, where)

    def _repr_html_(self) -> str:
        return text_html(repr(self))


def _used(limit: Limit, state: State) -> int:
    """Return how much of a limit for a whole play a seat has used."""
    if limit.per == "message":
        return 0
    return sum(
        measure(limit, message.text)
        for release in state.releases
        for message in release.messages
        if message.seat == limit.seat
    )


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
        if spec.longest > MAX_TURNS:
            raise PlayError(
                f"{spec.name!r} may go on for {spec.longest:,} turns; what is played can have at "
                f"most {MAX_TURNS:,}."
            )
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

    @property
    def machine(self) -> Machine:
        """The rules."""
        return self.spec.machine

    # -- states --------------------------------------------------------------------------------

    def begin(self) -> State:
        """Return the state before the first move."""
        return self._settled(self.first())

    def first(self) -> State:
        """Return the state before the first turn, also if only chance acts in it."""
        machine = self.machine
        registers = machine.blank()
        for choice in self.spec.drawn:
            options = self.spec.options[choice.name]
            given = self.facts.get(choice.name)
            value = self._draw(choice, options, registers, -1) if given is None else given
            registers = machine.recorded(registers, {choice.name: value})
        return State(machine.first, registers)

    def play(self, state: State, move: Move) -> State:
        """Return the state after a move. Once all have moved, their moves are revealed together.

        Raises
        ------
        IllegalMoveError
            If it is illegal, with the reason in words for the player.
        """
        self.verify(state, move)
        held = {**state.held, move.seat: move}
        return self._settled(dataclasses.replace(state, held=held))

    def release(self, state: State, moves: Mapping[str, Move]) -> State:
        """Return the state after only the present turn, with these moves."""
        if state.place is None:
            raise PlayError("The play is over.")
        held = State(state.place, state.registers, state.releases, moves)
        return self._released(held, state.place, self.acts(state))

    def replay(self, moves: Iterable[Move]) -> State:
        """Return the state after some moves, each of which is checked."""
        state = self.begin()
        for move in moves:
            state = self.play(state, move)
        return state

    def verify(self, state: State, move: Move) -> None:
        """Raise an IllegalMoveError with the reason, unless a move may be made now."""
        verify_move(self.spec, self.legal(state, move.seat), move)

    # -- legal moves ---------------------------------------------------------------------------

    def to_move(self, state: State) -> tuple[str, ...]:
        """Return the seats whose moves the turn still needs. Never shown to a seat."""
        return tuple(act.seat for act in self.acts(state) if act.seat not in (CHANCE, *state.held))

    def legal(self, state: State, seat: str) -> Legal:
        """Return what a seat may do now."""
        if seat not in self.spec.seat_names:
            raise UnknownNameError("seat", seat, self.spec.seat_names)
        if state.over:
            return _OVER
        act = self._act(state, seat)
        if act is None:
            return _NOT_NOW
        if seat in state.held:
            return _MOVED
        spec = self.spec
        limited = {(of, option): most for of, option, most in spec.option_limits}
        return Legal(
            say=act.say,
            choices={
                name: tuple(
                    option
                    for option in spec.open_here(name, named)
                    if (name, option) not in limited
                    or state.registers[taken(name, option)] < limited[name, option]
                )
                for name, named in act.choose
            },
            silent=act.silent,
            total=None if act.total is None else spec.count(act.total),
            left=tuple(
                (limit, spec.count(limit.most) - _used(limit, state))
                for limit in spec.limits
                if limit.seat == seat and limit.option is None
            ),
        )

    def acts(self, state: State) -> tuple[Act, ...]:
        """Return the acts of the present turn, including chance's. Never shown to a seat."""
        return () if state.place is None else self.machine.acts(state.place, state.registers)

    def _act(self, state: State, seat: str) -> Act | None:
        return next((act for act in self.acts(state) if act.seat == seat), None)

    def now(self, state: State) -> dict[str, Value]:
        """Return the registers that expressions read, now or at the end of a finished play."""
        place = state.releases[-1].place if state.place is None else state.place
        return {**self.machine.here(place, state.registers), OVER: state.over}

    # -- results -------------------------------------------------------------------------------

    def verdict(self, state: State) -> Value:
        """Return the verdict at the end; None if there is none.

        Raises
        ------
        PlayError
            While play goes on.
        """
        if not state.over:
            raise PlayError("The play is not over: only its seats' own views can be shown.")
        found = self.spec.expression(self.spec.verdict)
        return found.value(self.now(state))

    # -- releasing -----------------------------------------------------------------------------

    def _settled(self, state: State) -> State:
        """Reveal turns until a seat's move is missing."""
        while state.place is not None:
            acts = self.acts(state)
            if any(act.seat not in (CHANCE, *state.held) for act in acts):
                break
            state = self._released(state, state.place, acts)
        return state

    def _released(self, state: State, place: Place, acts: tuple[Act, ...]) -> State:
        machine, clock = self.machine, len(state.releases)
        made: dict[str, Option] = {}
        for act in acts:
            if act.seat != CHANCE:
                made |= state.held[act.seat].choices
                continue
            now = machine.here(place, state.registers)
            for name, _ in act.choose:
                options = machine.open_options(act, name, state.registers, made)
                made[name] = self._draw(self.spec.choice(name), options, now, clock)
        after = machine.after(place, state.registers, acts, made)
        acting = {act.seat for act in acts}
        acted = tuple(seat for seat in self.spec.seat_names if seat in acting)
        release = Release(
            place=place,
            acted=acted,
            messages=tuple(
                Message(seat, channel.name, text, self._quotes(seat, text, place.stage))
                for seat in acted
                for channel in self.spec.channels
                if (text := state.held[seat].messages.get(channel.name)) is not None
            ),
            choices=after.choices,
            paid=after.paid,
        )
        return State(after.place, after.registers, (*state.releases, release))

    def _quotes(self, seat: str, text: str, stage: int) -> tuple[Quote, ...]:
        """Return a seat's quotes, checked only in parts that the seat itself may see."""
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
        for option, chance in zip(options, self.machine.chances(choice, options, now), strict=True):
            number -= int(chance * whole)
            if number < 0 and chance:
                return option
        # Rounding may make the sum slightly less than 1.
        return options[-1]
