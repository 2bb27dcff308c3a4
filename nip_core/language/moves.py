"""A move, what a seat may do, and why a move is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from nip_core.displays import displayed
from nip_core.documents import MAX_TEXT, as_object, text_fault
from nip_core.errors import IllegalMoveError, PlayError, show
from nip_core.language.data import NEVER, Limit, Option
from nip_core.language.quotes import bare, quotes_in
from nip_core.language.structure import Structure
from nip_core.language.totals import open_for_total

__all__ = ["Legal", "Move", "is_silent", "listed", "measure", "verify_move"]

# The most options that a message names.
MOST_NAMED = 12


@displayed
@dataclass(frozen=True)
class Move:
    """What a seat does in one turn.

    Parameters
    ----------
    seat : str
    messages : mapping of str to str
        By channel.
    choices : mapping of str to option
    """

    seat: str
    messages: Mapping[str, str] = field(default_factory=dict[str, str])
    choices: Mapping[str, Option] = field(default_factory=dict[str, Option])

    def __post_init__(self) -> None:
        # The move is kept, so the caller must not be able to change it afterwards.
        for name in ("messages", "choices"):
            if isinstance(getattr(self, name), Mapping):
                object.__setattr__(self, name, dict(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a plain document, without empty fields."""
        document: dict[str, Any] = {"seat": self.seat}
        if self.messages:
            document["messages"] = dict(self.messages)
        if self.choices:
            document["choices"] = dict(self.choices)
        return document

    @classmethod
    def from_dict(cls, document: object) -> Move:
        """Read what :meth:`to_dict` made. The move is checked when it is played."""
        fields = as_object(
            document, "the move", ("seat",), ("messages", "choices"), error=PlayError
        )
        return cls(**fields)


@displayed
@dataclass(frozen=True, slots=True)
class Legal:
    """What a seat may do now.

    Parameters
    ----------
    say : tuple of str
        The channels on which it has to write.
    choices : mapping of str to tuple of options
        The choices that it makes, with their open options.
    silent : str
        A condition on these choices. If it holds, no message is written.
    total : int, optional
        The required sum of the chosen numbers.
    left : tuple of (Limit, int)
        The remaining limits, in each message or in all of them together.
    reason : str
        Why it can do nothing, if so.
    """

    say: tuple[str, ...] = ()
    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    silent: str = NEVER
    total: int | None = None
    left: tuple[tuple[Limit, int], ...] = ()
    reason: str = ""

    @property
    def may_act(self) -> bool:
        """Whether it is this seat's turn."""
        return bool(self.say or self.choices)


def measure(limit: Limit, text: str) -> int:
    """Return how much of a limit a message uses, without the marks of quotes."""
    counted = quotes_in(text) if limit.of.startswith("quoted") else (bare(text),)
    if limit.of.endswith("words"):
        return sum(len(each.split()) for each in counted)
    return sum(map(len, counted))


def verify_move(
    spec: Structure, legal: Legal, move: Move, *, instead: str = "choose otherwise"
) -> None:
    """Check a move against what its seat may do.

    `instead` says what takes the place of a message where something may.

    Raises
    ------
    IllegalMoveError
        If it is illegal; says what is allowed, in words for the player.
    """
    if not legal.may_act:
        raise IllegalMoveError(legal.reason)
    for name, value in (("messages", move.messages), ("choices", move.choices)):
        if not isinstance(cast(object, value), Mapping):
            raise IllegalMoveError(f"The {name} must be given by name.")
    made = _verified_choices(spec, legal, move)
    silent = is_silent(spec, legal, made)
    _verify_messages(legal, move, silent=silent, instead=instead)


def is_silent(spec: Structure, legal: Legal, made: Mapping[str, Option]) -> bool:
    """Return whether no message is written with these choices, on which alone that depends."""
    return legal.silent != NEVER and bool(spec.expression(legal.silent).value(made))


def listed(names: Sequence[Option]) -> str:
    """Return names for a message; of many, only the first and the last."""
    shown = ", ".join(map(str, names[:MOST_NAMED]))
    return f"{shown}, ..., {names[-1]}" if len(names) > MOST_NAMED else shown


def _verified_choices(spec: Structure, legal: Legal, move: Move) -> dict[str, Option]:
    for name in move.choices:
        if name not in legal.choices:
            yours = listed([*legal.choices]) or "none"
            raise IllegalMoveError(
                f"You do not choose {show(name)} in this turn. Your choices: {yours}."
            )
    made: dict[str, Option] = {}
    for name, options in legal.choices.items():
        if name not in move.choices:
            titles = listed([spec.title_of(option) for option in options])
            raise IllegalMoveError(
                f"Choose {name}: {listed(options)}.",
                for_people=f"Choose {spec.title_of(name)}: {titles}.",
            )
        option = move.choices[name]
        # Excludes True, which equals 1.
        if isinstance(option, bool) or option not in options:
            raise IllegalMoveError(f"{name} cannot be {show(option)}: {listed(options)}.")
        if legal.total is not None:
            rest = [(*map(int, legal.choices[n]),) for n in [*legal.choices][len(made) + 1 :]]
            left = legal.total - sum(map(int, made.values()))
            possible = open_for_total((*map(int, options),), rest, left)
            if option not in possible:
                raise IllegalMoveError(
                    f"{listed([*legal.choices])} must add up to {legal.total:,}; with {name} = "
                    f"{option} they cannot. Still possible: {listed(possible)}."
                )
        made[name] = option
    return made


def _verify_messages(legal: Legal, move: Move, *, silent: bool, instead: str) -> None:
    for channel in move.messages:
        if channel not in legal.say:
            raise IllegalMoveError(
                f"You do not write on {show(channel)} in this turn. Your channels: "
                f"{listed(legal.say) or 'none'}."
            )
    if silent:
        if move.messages:
            raise IllegalMoveError("With this choice nothing is written: leave the message out.")
        return
    for channel in legal.say:
        where = f" on {channel}" if len(legal.say) > 1 else ""
        if channel not in move.messages or move.messages[channel] == "":
            other = f", or {instead}" if legal.silent != NEVER else ""
            raise IllegalMoveError(f"Your message{where} is missing: write it{other}.", channel)
        if fault := text_fault(move.messages[channel], MAX_TEXT):
            raise IllegalMoveError(f"Your message{where} must be {fault}.", channel)
    for limit, left in legal.left:
        used = {channel: measure(limit, move.messages[channel]) for channel in legal.say}
        if limit.per == "game":
            used = {None: sum(used.values())}
        for channel, number in used.items():
            if number > left:
                where = f" on {channel}" if channel and len(legal.say) > 1 else ""
                raise IllegalMoveError(
                    f"Your message{where} has {number:,} {limit.of} and the limit is {left:,}: "
                    f"take out {number - left:,}.",
                    channel,
                )
