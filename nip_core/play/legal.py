"""What a seat may do in a turn, including the host's limits, and the check of a move."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nip_core.displays import displayed
from nip_core.documents import text_fault
from nip_core.errors import IllegalMoveError, show
from nip_core.language import Act, Limit, Specification
from nip_core.language import Legal as LanguageLegal
from nip_core.language import Move as LanguageMove
from nip_core.language.data import NEVER, Option
from nip_core.language.moves import is_silent, measure
from nip_core.language.moves import verify_move as verify_by_rules
from nip_core.language.totals import open_for_total
from nip_core.language.version1 import WAIT
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Move, most_characters
from nip_core.tasks import VERDICTS

__all__ = ["Legal", "as_made", "as_short", "chosen_in", "legal_here", "verify_move"]


@displayed
@dataclass(frozen=True, slots=True)
class Legal:
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
    may_decide : bool
        Whether it may decide with the short form of a move, ``Move(seat, decision=1)``.
    last_turn : bool
        Whether this is certainly its last turn.
    reason : str
        Why it can do nothing, if so.
    """

    channels: tuple[str, ...] = ()
    choices: Mapping[str, tuple[Option, ...]] = field(default_factory=dict[str, tuple[Option, ...]])
    silent: str = NEVER
    total: int | None = None
    left: tuple[tuple[Limit, int], ...] = ()
    may_decide: bool = False
    last_turn: bool = False
    reason: str = ""

    @property
    def may_act(self) -> bool:
        """Whether it is this seat's turn."""
        return bool(self.channels or self.choices)

    @property
    def decision_counts(self) -> bool:
        """Whether a decision would end the episode. Otherwise it is not a legal move."""
        return self.may_decide

    @property
    def must_decide(self) -> bool:
        """Whether this is the last turn in which a verdict can be given."""
        return self.may_decide and self.last_turn

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


def legal_here(
    allowed: LanguageLegal, seat: str, max_words: int, *, decides: bool, last_turn: bool
) -> Legal:
    """Return what a seat may do.

    Parameters
    ----------
    allowed : Legal
        What the protocol allows.
    seat : str
    max_words : int
        The limit of a message's words if the protocol has none.
    decides : bool
        Whether its choices have the short form of a decision.
    last_turn : bool
        Whether this is certainly its last turn.
    """
    left = allowed.left
    if allowed.say:
        words = [n for limit, n in left if limit.of == "words" and limit.per == "message"]
        characters = any(limit.of == "characters" and limit.per == "message" for limit, _ in left)
        if not words and not characters:
            words = [max_words]
            left = *left, (Limit(seat, "words", max_words), max_words)
        if not characters:
            most = most_characters(min(words))
            left = *left, (Limit(seat, "characters", most), most)
    return Legal(
        channels=allowed.say,
        choices=allowed.choices,
        silent=allowed.silent,
        total=allowed.total,
        left=left,
        may_decide=decides and bool(allowed.choices),
        last_turn=last_turn,
        reason=allowed.reason,
    )


def as_short(move: Move) -> Move:
    """Return a move with its verdict in the short form, if it is written as a choice."""
    if len(move.choices) != 1 or move.decision != NO_DECISION:
        return move
    (option,) = move.choices.values()
    if option == WAIT:
        return dataclasses.replace(move, choices={})
    if option not in VERDICTS:
        return move
    return dataclasses.replace(move, choices={}, decision=VERDICTS.index(str(option)))


def chosen_in(move: Move, spec: Specification) -> dict[str, Option]:
    """Return the choices of a move by name, also one in the short form."""
    if move.choices or move.decision == NO_DECISION:
        return dict(move.choices)
    return {c.name: VERDICTS[move.decision] for c in spec.choices if c.by == move.agent}


def as_made(move: Move, names: Iterable[str]) -> LanguageMove:
    """Return a move in the language's form, for a seat with these choices.

    The short form says nothing of a choice to go on.
    """
    made = VERDICTS[move.decision] if move.decision != NO_DECISION else WAIT
    choices = move.choices or dict.fromkeys(names, made)
    return LanguageMove(move.agent, move.messages, choices)


def verify_move(
    spec: Specification,
    legal: Legal,
    move: Move,
    *,
    decides: bool,
    confident: bool,
    recorded: bool = False,
    too_early: str = "",
) -> None:
    """Check a move against what its seat may do.

    Parameters
    ----------
    spec : Specification
    legal : Legal
    move : Move
    decides : bool
        Whether decisions have a short form in this protocol.
    confident : bool
        Whether the seat may say how confident it is.
    recorded : bool
        Whether the move comes from a record. Early decisions were once allowed as a way to be
        silent, and messages of any number of characters; old records contain them.
    too_early : str
        Why a decision does not count yet.

    Raises
    ------
    IllegalMoveError
        If it is illegal; says what is allowed, in words for the player.
    """
    if not legal.may_act:
        raise IllegalMoveError(legal.reason)
    _verify_decision(legal, move, decides=decides)
    _verify_confidence(move, decides=decides, confident=confident)
    if move.raw is not None and (fault := text_fault(move.raw)):
        raise IllegalMoveError(f"The raw text must be {fault}.")
    judges = any(name in spec.roles.verdict for name in legal.choices)
    instead = "decide" if judges else "choose otherwise"
    if not decides:
        made = LanguageMove(move.agent, move.messages, move.choices)
        verify_by_rules(spec, legal.as_in_language, made, instead=instead)
        return
    if move.choices and not legal.choices:
        raise IllegalMoveError("You choose nothing in this turn: write a message.")
    if not isinstance(move.messages, Mapping) or not isinstance(move.choices, Mapping):
        raise IllegalMoveError("The messages must be given by channel, the choices by name.")
    if move.decision != NO_DECISION:
        if not confident:
            raise IllegalMoveError("Only the verifier decides; write a message instead.")
        if move.messages:
            raise IllegalMoveError("Either decide or write: a decision comes without messages.")
        if not legal.may_decide:
            if recorded:
                return
            raise IllegalMoveError(too_early)
    if recorded:
        words = tuple(limit for limit in legal.left if limit[0].of != "characters")
        legal = dataclasses.replace(legal, left=words)
    made = as_made(move, legal.choices)
    verify_by_rules(spec, legal.as_in_language, made, instead=instead)


def _verify_decision(legal: Legal, move: Move, *, decides: bool) -> None:
    if decides and (type(move.decision) is not int or move.decision not in (0, 1, NO_DECISION)):
        raise IllegalMoveError(
            f"The decision is {show(move.decision)}; it must be 0 (reject), 1 (accept) or 2 (none)."
        )
    if not decides and move.decision != NO_DECISION:
        choices = ", ".join(legal.choices) or "none"
        raise IllegalMoveError(
            f"This protocol has no decision to accept or reject; what you choose: {choices}."
        )


def _verify_confidence(move: Move, *, decides: bool, confident: bool) -> None:
    if move.confidence is None:
        return
    if not decides:
        raise IllegalMoveError("This protocol asks for no confidence: leave it out.")
    if not confident:
        raise IllegalMoveError("Only a verifier says how confident it is.")
    if type(move.confidence) is not int or not 0 <= move.confidence <= MAX_CONFIDENCE:
        raise IllegalMoveError(
            f"The confidence is {show(move.confidence)}; it must be a whole number from 0 to "
            f"{MAX_CONFIDENCE}."
        )
