"""What a seat may do in a turn of a version 2 protocol, including the host's limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nip_core.displays import displayed
from nip_core.documents import text_fault
from nip_core.errors import IllegalMoveError
from nip_core.language import Act, Limit, Specification
from nip_core.language import Legal as LanguageLegal
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
        The channels on which it has to write.
    choices : mapping of str to tuple of options
        Its choices, with the open options.
    silent : str
        A condition on these choices. If it holds, no message is written.
    total : int, optional
        The required sum of its chosen numbers.
    left : tuple of (Limit, int)
        The remaining limits, in each message or in all of them together.
    reason : str
        Why it can do nothing, if so.
    """

    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    silent: str = NEVER
    total: int | None = None
    left: tuple[tuple[Limit, int], ...] = ()

    @property
    def may_act(self) -> bool:
        """Whether it is this seat's turn."""
        return bool(self.channels or self.choices)

    @property
    def as_in_language(self) -> LanguageLegal:
        """Return this in the form of the language's rules."""
        return LanguageLegal(
            self.channels, self.choices, self.silent, self.total, self.left, self.reason
        )

    def as_act(self, seat: str) -> Act:
        """Return the same as an act of a seat."""
        return Act(seat, self.channels, tuple(self.choices.items()), silent=self.silent)

    def open_options(self, name: str, made: Mapping[str, Option]) -> tuple[Option, ...]:
        """Return the open options of a choice, given earlier choices of the turn."""
        options = self.choices[name]
        if self.total is None:
            return options
        names = [*self.choices]
        rest = [tuple(map(int, self.choices[n])) for n in names[names.index(name) + 1 :]]
        left = self.total - sum(map(int, made.values()))
        return open_for_total(tuple(map(int, options)), rest, left)

    def fits(self, text: str) -> bool:
        """Return whether a message on each of the channels is within the seat's limits."""
        times = max(1, len(self.channels))
        return all(
            measure(limit, text) * (times if limit.per == "game" else 1) <= left
            for limit, left in self.left
        )

    def is_silent(self, spec: Specification, made: Mapping[str, Option]) -> bool:
        """Return whether no message is written with these choices."""
        return is_silent(spec, self.as_in_language, made)


def turn_legal(found: LanguageLegal, seat: str, max_words: int) -> TurnLegal:
    """Return what a seat may do.

    Parameters
    ----------
    found : Legal
        What the protocol allows.
    seat : str
    max_words : int
        The limit of a message's words if the protocol has none.
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
        If it is illegal; says what is allowed, in words for the player.
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
