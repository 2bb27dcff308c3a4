"""What a seat may do in a turn of a version 2 protocol, with the limits that the host has set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nip_core.displays import displayed
from nip_core.documents import text_fault
from nip_core.errors import IllegalMoveError
from nip_core.language import Legal as LanguageLegal
from nip_core.language import Limit, Specification
from nip_core.language import Move as LanguageMove
from nip_core.language.data import NEVER, Option
from nip_core.language.moves import is_silent, measure, verify_move
from nip_core.language.totals import open_for_total
from nip_core.play.moves import NO_DECISION, Legal, Move, most_characters

__all__ = ["TurnLegal", "turn_legal", "verify_turn"]


@displayed
@dataclass(frozen=True, slots=True)
class TurnLegal(Legal):
    """What a seat may do now.

    Parameters
    ----------
    channels : tuple of str
        Where it owes a message.
    choices : mapping of str to tuple of options
        What it chooses, with the options that are open.
    silent : str
        A condition on these choices. If it holds, no message is written.
    total : int, optional
        What the numbers that it chooses add up to.
    left : tuple of (Limit, int)
        What it may still use: in each message, or in all of them together.
    reason : str
        Why it can do nothing, if it can do nothing.
    """

    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    silent: str = NEVER
    total: int | None = None
    left: tuple[tuple[Limit, int], ...] = ()

    @property
    def may_act(self) -> bool:
        """Is it this seat's turn?"""
        return bool(self.channels or self.choices)

    @property
    def as_in_language(self) -> LanguageLegal:
        """The same for the rules of the language."""
        return LanguageLegal(
            self.channels, self.choices, self.silent, self.total, self.left, self.reason
        )

    def open_options(self, name: str, made: Mapping[str, Option]) -> tuple[Option, ...]:
        """The options of a choice that are open once those before it in the turn are made."""
        options = self.choices[name]
        if self.total is None:
            return options
        names = [*self.choices]
        rest = [tuple(map(int, self.choices[n])) for n in names[names.index(name) + 1 :]]
        left = self.total - sum(map(int, made.values()))
        return open_for_total(tuple(map(int, options)), rest, left)

    def fits(self, text: str) -> bool:
        """Is a message, on each of the channels, within what the seat may still use?"""
        times = max(1, len(self.channels))
        return all(
            measure(limit, text) * (times if limit.per == "game" else 1) <= left
            for limit, left in self.left
        )

    def is_silent(self, spec: Specification, made: Mapping[str, Option]) -> bool:
        """Is no message written with these choices?"""
        return is_silent(spec, self.as_in_language, made)


def turn_legal(found: LanguageLegal, seat: str, max_words: int) -> TurnLegal:
    """Return what a seat may do.

    Parameters
    ----------
    found : Legal
        What the protocol says.
    seat : str
    max_words : int
        How long a message may be where the protocol does not say.
    """
    left = found.left
    if found.say:
        words = [n for limit, n in left if limit.of == "words" and limit.per == "message"]
        characters = any(each.of == "characters" and each.per == "message" for each, _ in left)
        if not words and not characters:
            words = [max_words]
            left = *left, (Limit(seat, "words", max_words), max_words)
        if not characters:
            most = most_characters(min(words))
            left = *left, (Limit(seat, "characters", most), most)
    return TurnLegal(
        channels=found.say,
        choices=found.choices,
        silent=found.silent,
        total=found.total,
        left=left,
        reason=found.reason,
    )


def verify_turn(spec: Specification, legal: TurnLegal, move: Move) -> None:
    """Check a move against what its seat may do.

    Raises
    ------
    IllegalMoveError
        With what is allowed, in the words of its player.
    """
    if not legal.may_act:
        raise IllegalMoveError(legal.reason)
    if move.decision != NO_DECISION:
        choices = ", ".join(legal.choices) or "none"
        raise IllegalMoveError(
            f"This protocol has no decision to accept or reject; what you choose: {choices}."
        )
    if move.confidence is not None:
        raise IllegalMoveError("This protocol asks for no confidence: leave it out.")
    if move.raw is not None and (fault := text_fault(move.raw)):
        raise IllegalMoveError(f"The raw text must be {fault}.")
    made = LanguageMove(move.agent, move.messages, move.choices)
    verify_move(spec, legal.as_in_language, made)
